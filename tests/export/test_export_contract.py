"""What every export must keep: its answers are those of the model. A new method joins by being listed in
methods.py, a new target by being listed in export/targets.py and telling in RUNNERS how its answers are had.
"""

from __future__ import annotations

import json
import shutil
from functools import cache

import databases
import exports as e
import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.export.targets import TARGETS
from tallystick.methods import METHODS, named

KEY = "row number"
NO_FORM, NO_RULES = "export.form:no_form", ("export.rules:no_rules", "export.rules:additive_rules")


def answers_of_rules(model, rows, folder):
    """Answers by the first rule that holds; a level never seen is missing. Rules give no shares."""
    data = json.loads(model.export("rules", format="json"))
    known = {c.name: c for c in model.schema_.used}

    def cell(row, name):
        value, column = row[name], known[name]
        if value is None or column.kind == "numeric":
            days = column.unit == "date" and value is not None
            return int(np.datetime64(value).astype(int)) if days else value
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return text if text in column.levels else None

    def holds(row, condition):
        value = cell(row, condition["column"])
        if value is None:
            return condition["missing"]
        if not condition.get("known", True):
            return False
        if "levels" in condition:
            return value in condition["levels"]
        low, high = condition["low"], condition["high"]
        return (low is None or value >= low) and (high is None or value < high)

    def answer(row):
        found = (rule for rule in data["rules"] if all(holds(row, c) for c in rule["conditions"]))
        return next((rule["answer"] for rule in found), data["default"])

    return [answer(row) for row in rows], None


def in_database(dialect):
    def answers(model, rows, folder):
        table = {KEY: list(range(len(rows)))} | {n: [row[n] for row in rows] for n in rows[0]}
        with getattr(databases, dialect)() as run:
            found = run(model.export("sql", dialect=dialect, keep=KEY), table)
        order = np.argsort(np.array(found[KEY], np.int64))
        names = [n for n in found if n.startswith("P(")] or ["prediction"]
        shares = [[float(found[n][i]) for n in names] for i in order]
        return [found["prediction"][i] for i in order], np.array(shares)

    return answers


def in_node(model, rows, folder):
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    return e.run_node(model.export("js"), rows, folder)


RUNNERS = {  # (target, which of its ways): the answers of an exported model to some rows
    ("rules", "json"): answers_of_rules,
    ("sql", "duckdb"): in_database("duckdb"),
    ("sql", "sqlite"): in_database("sqlite"),
    ("python", ""): lambda model, rows, folder: e.run_python(model.export("python"), rows, folder),
    ("js", ""): in_node,
    ("onnx", ""): lambda model, rows, folder: e.run_onnx(
        model.export("onnx"), {n: [row[n] for row in rows] for n in rows[0]}
    ),
}
SINGLE = {"onnx": 1e-6}  # how near shares are, where a target counts in single precision


WORDLESS = {"sql", "onnx"}  # languages that do not cut a text into words as the model does


@cache
def table(rows: int, seed: int, new: bool, text: bool) -> dict[str, list]:
    """Numbers, whole numbers, dates, levels, ordered and truth values (and texts), some of them missing."""
    made = e.mixed(rows, seed, new)
    if text:
        made = {"review": e.texts(rows, seed, new)["review"], **made}
    return made


def fitted(method, text: bool = False):
    return model_of(method.name, text)


@cache
def model_of(name: str, text: bool):
    """A model of a method; a tree that answers by its leaves alone, as rules do."""
    method = named(name)
    rows, kind = table(400, 1, False, text), method.load("estimator")
    own = {"average": False} if "average" in kind().get_params() else {}
    wishes = {"columns": ts.Columns(e.KINDS | {"review": "text"}, e.LEVELS)} if text else e.WISHES
    model = kind(**own, **wishes)
    return model.fit(rows, "y") if method.regression else model.fit(e.with_target(rows, "text"), "class")


def new_rows(text: bool = False) -> list[dict]:
    given = table(150, 2, True, text)
    return e.records({n: cells for n, cells in given.items() if n != "y"})


def same(model, rows, found, within):
    labels, shares = found
    given = {n: [row[n] for row in rows] for n in rows[0]}
    want = model.predict(given)
    if want.dtype.kind == "f":
        np.testing.assert_allclose(np.array(labels, float).reshape(-1), want, atol=within)
        return
    assert list(labels) == want.tolist()
    if shares is not None:
        np.testing.assert_allclose(shares, model.predict_proba(given), atol=within)


def refused(method, target) -> bool:
    """Has the method no face for this target?"""
    return method.rules in NO_RULES if target == "rules" else method.form == NO_FORM


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("way", RUNNERS, ids=lambda way: " ".join(way).strip())
def test_an_export_answers_what_the_model_answers(method, way, tmp_path):
    model, rows = fitted(method), new_rows()
    if refused(method, way[0]):
        with pytest.raises(OptionError) as caught:
            model.export(way[0])
        assert "\n" not in str(caught.value)
        return
    same(model, rows, RUNNERS[way](model, rows, tmp_path), SINGLE.get(way[0], 1e-9))


@pytest.mark.parametrize("method", [m for m in METHODS if m.reads_text], ids=lambda method: method.name)
@pytest.mark.parametrize("target", TARGETS)
def test_an_export_of_a_model_of_texts_answers_as_it_does_or_is_refused(method, target, tmp_path):
    model, rows = fitted(method, True), new_rows(True)
    if refused(method, target) or target in WORDLESS:
        with pytest.raises(OptionError) as caught:
            model.export(target)
        assert "\n" not in str(caught.value)
        return
    for way in (way for way in RUNNERS if way[0] == target):
        same(model, rows, RUNNERS[way](model, rows, tmp_path), SINGLE.get(target, 1e-9))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_unknown_targets_and_options_are_refused(method):
    with pytest.raises(OptionError, match="there is no export to 'cobol'"):
        fitted(method).export("cobol")
    for target in TARGETS:
        if not refused(method, target):
            with pytest.raises(OptionError, match=f"the export to {target} has no option 'colour'"):
                fitted(method).export(target, colour=1)


def test_every_target_tells_how_its_answers_are_had():
    assert {target for target, _ in RUNNERS} == set(TARGETS)
    kinds = {c.kind for c in fitted(METHODS[1], True).schema_.used}
    assert kinds == {"numeric", "levels", "ordered", "boolean", "text"}
