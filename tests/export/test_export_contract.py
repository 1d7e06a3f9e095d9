"""What every export must keep: its answers are those of the model. A new method joins by being listed in
methods.py, a new target by being listed in export/targets.py and telling in RUNNERS how its answers are had.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from functools import cache

import databases
import exports as e
import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.export.form import form_of
from tallystick.export.standalone import harmless
from tallystick.export.targets import TARGETS
from tallystick.methods import METHODS, named
from tallystick.text import label_text

KEY = "row number"
NO_CARD = "export.card:no_card"
NO_FORM, NO_RULES = "export.form:no_form", ("export.rules:no_rules", "export.rules:additive_rules")


def answers_of_rules(model, rows, folder):
    """Answers by the first rule that holds; a level never seen is missing. Rules give no shares."""
    data = json.loads(model.export("rules", format="json"))
    if "sections" in data:
        lines = [
            (s["columns"], [(one["line"], one["points"]) for one in s["lines"]]) for s in data["sections"]
        ]
        return by_pencil(model, rows, lines, data["base"], data["points_to_double"])
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


def by_pencil(model, rows, sections, base, step):
    """Answers of a person who has the card alone. sections: {columns: {line: points}}; a line that is not
    there has no points.
    """
    known = {c.name: c for c in model.schema_.used}

    def number(text, name):
        return (
            float(np.datetime64(text).astype("datetime64[us]").astype(float)) if dated(name) else float(text)
        )

    def dated(name):
        return known[name].unit == "date"

    def on(line, name, value):
        if value is None or line == "missing":
            return value is None and line == "missing"
        if known[name].kind == "numeric":
            x = number(value, name)
            if line.startswith("below "):
                return x < number(line.removeprefix("below "), name)
            if line.endswith(" and more"):
                return x >= number(line.removesuffix(" and more"), name)
            low, _, high = line.partition(" to below ")
            return line == "any number" or number(low, name) <= x < number(high, name)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return text in line.split(" or ") or (line == "a new level" and text not in known[name].levels)

    def holds(line, columns, row):
        if known[columns[0]].kind == "text":
            words = re.findall(r"\b\w+\b", (row[columns[0]] or "").lower())
            return row[columns[0]] != "?" and line.removeprefix("contains ") in words
        if len(columns) == 1:
            return on(line, columns[0], row[columns[0]])
        cut = [(line[:i], line[i + 2 :]) for i in range(len(line)) if line[i : i + 2] == ", "]
        return any(on(a, columns[0], row[columns[0]]) and on(b, columns[1], row[columns[1]]) for a, b in cut)

    shares = []
    for row in rows:
        score = np.array(base, float)
        for columns, lines in sections:
            for line, points in lines:
                score += np.array(points, float) * holds(line, columns, row)
        powers = 2.0 ** ((score if len(score) > 1 else np.array([0.0, score[0]])) / step)
        shares.append(powers / powers.sum())
    return [model.classes_[int(np.argmax(s))].item() for s in shares], np.array(shares)


def answers_of_card(model, rows, folder):
    """The CSV of a card, and a pencil. What a section looks at is known from the card itself."""
    records = list(csv.reader(io.StringIO(model.export("card", format="csv"))))
    links = len(model.model_.base)
    named = {section.name: section.columns for section in model.card_.sections}
    named = {harmless(name): columns for name, columns in named.items()}
    sections: dict = {}
    for section, line, *cells in records[2:-1]:
        line = line.removeprefix("'") if harmless(line.removeprefix("'")) == line else line
        sections.setdefault(named[section], []).append((line, [int(c) for c in cells[:links]]))
    return by_pencil(model, rows, sections.items(), [int(b) for b in records[1][2:]], int(records[-1][2]))


def in_database(dialect):
    def answers(model, rows, folder):
        table = {KEY: list(range(len(rows)))} | {n: [row[n] for row in rows] for n in rows[0]}
        with getattr(databases, dialect)() as run:
            found = run(model.export("sql", dialect=dialect, keep=KEY), table)
        return in_order(found)

    return answers


def translated(dialect):
    def answers(model, rows, folder):
        pytest.importorskip("sqlglot")
        table = {KEY: list(range(len(rows)))} | {n: [row[n] for row in rows] for n in rows[0]}
        with databases.translated(dialect) as run:
            found = run(model.export("sql", dialect=dialect, keep=KEY), table)
        return in_order(found)

    return answers


def in_order(found):
    order = np.argsort(np.array(found[KEY], np.int64))
    names = [n for n in found if n.startswith(("P(", "P_"))] or ["prediction"]
    shares = [[float(found[n][i]) for n in names] for i in order]
    return [found["prediction"][i] for i in order], np.array(shares)


def in_node(model, rows, folder):
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    return e.run_node(model.export("js"), rows, folder)


def in_c(model, rows, folder):
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    return e.run_c(model, rows, folder)


FEW = 5  # rows that are computed by the formulas of a workbook, one by one


def in_workbook(model, rows, folder):
    form = form_of(model.model_)
    found = e.run_excel(model.export("excel"), form.given, rows[:FEW], folder)
    names = [f"P({label_text(label)})" for label in form.labels]
    answers = [f["prediction"] if form.labels else float(f["prediction"]) for f in found]
    return answers, np.array([[float(f[n]) for n in names] for f in found]) if names else None


def in_evaluator(model, rows, folder):
    if shutil.which("java") is None:
        pytest.skip("java is not installed")
    found = e.run_pmml(model.export("pmml"), {n: [row[n] for row in rows] for n in rows[0]}, folder)
    names = [n for n in found if n.startswith("P(")]
    return found["prediction"], np.array([found[n] for n in names]).T if names else None


RUNNERS = {  # (target, which of its ways): the answers of an exported model to some rows
    ("rules", "json"): answers_of_rules,
    ("card", "csv"): answers_of_card,
    ("sql", "duckdb"): in_database("duckdb"),
    ("sql", "sqlite"): in_database("sqlite"),
    ("sql", "tsql"): translated("tsql"),
    ("sql", "bigquery"): translated("bigquery"),
    ("sql", "snowflake"): translated("snowflake"),
    ("python", ""): lambda model, rows, folder: e.run_python(model.export("python"), rows, folder),
    ("js", ""): in_node,
    ("c", ""): in_c,
    ("onnx", ""): lambda model, rows, folder: e.run_onnx(
        model.export("onnx"), {n: [row[n] for row in rows] for n in rows[0]}
    ),
}
RUNNERS["pmml", ""] = in_evaluator
RUNNERS["excel", ""] = in_workbook
LONG = {("sql", name) for name in ("duckdb", "tsql", "bigquery", "snowflake")} | {("pmml", ""), ("excel", "")}
SINGLE = {"onnx": 1e-6}  # how near shares are, where a target counts in single precision


WORDLESS = {"sql", "onnx", "pmml", "excel"}  # languages that do not cut a text into words as the model does


@cache
def table(rows: int, seed: int, new: bool, text: bool) -> dict[str, list]:
    """Numbers, whole numbers, dates, levels, ordered and truth values (and texts), some of them missing."""
    made = e.mixed(rows, seed, new)
    if text:
        made = {"review": e.texts(rows, seed, new)["review"], **made}
    return made


def fitted(method, text: bool = False):
    return model_of(method.name, text)


def estimator(name: str, **settings):
    """An estimator of a method; its trees have tens of leaves: hundreds take long to be read elsewhere."""
    kind = named(name).load("estimator")
    small = {"min_samples_leaf": 8} if "min_samples_leaf" in kind().get_params() else {}
    return kind(**small, **settings)


@cache
def model_of(name: str, text: bool):
    """A model of a method; a tree that answers by its leaves alone, as rules do."""
    method, rows = named(name), table(400, 1, False, text)
    own = {"average": False} if "average" in estimator(name).get_params() else {}
    wishes = {"columns": ts.Columns(e.KINDS | {"review": "text"}, e.LEVELS)} if text else e.WISHES
    model = estimator(name, **own, **wishes)
    return model.fit(rows, "y") if method.regression else model.fit(e.with_target(rows, "text"), "class")


def new_rows(text: bool = False) -> list[dict]:
    given = table(150, 2, True, text)
    return e.records({n: cells for n, cells in given.items() if n != "y"})


def same(model, rows, found, within):
    labels, shares = found
    assert len(labels) in (len(rows), FEW)
    rows = rows[: len(labels)]
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
    if target == "card":
        return method.card == NO_CARD
    return method.rules in NO_RULES if target == "rules" else method.form == NO_FORM


def ways(every: bool = False) -> list:
    """Return the ways to have answers (all, or those that answer any row), those that take long marked."""
    return [
        pytest.param(way, id=" ".join(way).strip(), marks=[pytest.mark.slow] * (way in LONG))
        for way in RUNNERS
        if every or way[0] not in ("rules", "card")
    ]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("way", ways(every=True))
def test_an_export_answers_what_the_model_answers(method, way, tmp_path):
    model, rows = fitted(method), new_rows()
    if refused(method, way[0]):
        with pytest.raises(OptionError) as caught:
            model.export(way[0])
        assert "\n" not in str(caught.value)
        return
    same(model, rows, RUNNERS[way](model, rows, tmp_path), SINGLE.get(way[0], 1e-9))


@pytest.mark.slow
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


DECISIONS = {
    "threshold": {"threshold": 0.07, "of": "it's low"},
    "costs": {"costs": {"fair": {"it's low": 12.5}}},
    "costs of three": {"costs": [[0.5, 4, 1], [3, 0, 2], [1, 9, 0]]},
}


@cache
def decided_model(name: str, decision: str):
    """Two models of a method with three classes, or with two: one decides, one does not."""
    rows = table(400, 1, False, False)
    given = e.with_target(rows, "text")
    if "three" not in decision:
        cut = np.median(rows["y"])
        given["class"] = ["it's low" if y < cut else "fair" for y in rows["y"]]
    made = [estimator(name, **e.WISHES).fit(given, "class") for _ in range(2)]
    return made[0].set_decision(**DECISIONS[decision]), made[1]


def decisions() -> list:
    """Return ways, methods and decisions: by day each two of them meet at least once, at night all three."""
    methods = [m for m in METHODS if m.form != NO_FORM and not m.regression]
    return [
        pytest.param(
            *(way.values[0], method, decision),
            id=f"{way.id}-{method.name}-{decision}",
            marks=[pytest.mark.night] * ((i + j + k) % len(DECISIONS) > 0),
        )
        for i, way in enumerate(ways())
        for j, method in enumerate(methods)
        for k, decision in enumerate(DECISIONS)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("way", "method", "decision"), decisions())
def test_an_export_answers_by_the_decision_that_is_kept_with_the_model(method, way, decision, tmp_path):
    model, bare = decided_model(method.name, decision)
    rows = new_rows()
    given = {n: [row[n] for row in rows] for n in rows[0]}
    assert (model.predict(given) != bare.predict(given)).any()
    assert (model.predict_proba(given) == bare.predict_proba(given)).all()
    same(model, rows, RUNNERS[way](model, rows, tmp_path), SINGLE.get(way[0], 1e-9))


@pytest.mark.slow
@pytest.mark.parametrize("method", [m for m in METHODS if m.rules not in NO_RULES], ids=lambda m: m.name)
def test_rules_answer_by_the_decision(method, tmp_path):
    if method.regression or method.card != NO_CARD:
        return  # a number is answered, or points are added up
    model, rows = model_of.__wrapped__(method.name, False), new_rows()
    model.set_decision(costs=DECISIONS["costs of three"]["costs"])
    same(model, rows, answers_of_rules(model, rows, tmp_path), 1e-9)


MERGED = {
    "plain": ["never seen", "O", "PLAIN"],
    "high": ["huge", "High"],
    "grade": {"3": ["4", "three"]},
    "flag": {"true": ["ON"]},
}


@cache
def merged_model(name: str):
    columns = ts.Columns(e.KINDS, e.LEVELS, merge=MERGED)
    model, rows = estimator(name, columns=columns), table(400, 1, False, False)
    return model.fit(rows, "y") if named(name).regression else model.fit(e.with_target(rows, "text"), "class")


@pytest.mark.slow
@pytest.mark.parametrize("method", [m for m in METHODS if m.form != NO_FORM], ids=lambda method: method.name)
@pytest.mark.parametrize("way", ways())
def test_an_export_knows_the_spellings_that_were_merged(method, way, tmp_path):
    model, rows = merged_model(method.name), new_rows()
    known = {"never seen": "plain", "O": "plain", "huge": "high", "4": "3"}
    right = [{n: known.get(v, v) if isinstance(v, str) else v for n, v in row.items()} for row in rows]
    assert right != rows
    found = RUNNERS[way](model, rows, tmp_path)
    same(model, rows, found, SINGLE.get(way[0], 1e-9))
    same(model, right, found, SINGLE.get(way[0], 1e-9))


@cache
def damaged_table(rows: int, seed: int, new: bool) -> dict[str, list]:
    """A table as a file has it, with two cells that are no numbers in each column of them."""
    made = dict(table(rows, seed, new, False))
    made["flag"] = [None if v is None else str(int(v)) for v in made["flag"]]
    made["due"] = made.pop("when")
    for name, mark in ((e.EVIL, "90+"), ("count", 'say "none"'), ("flag", "broken"), ("due", "later")):
        made[name] = [None if v is None else str(v) for v in made[name]]
        made[name][7:9] = [mark, f" {mark} "]
    return made


@cache
def damaged_model(name: str):
    method, rows = named(name), damaged_table(400, 1, False)
    model = estimator(name, **e.WISHES)
    return model.fit(rows, "y") if method.regression else model.fit(e.with_target(rows, "text"), "class")


@pytest.mark.slow
@pytest.mark.parametrize("method", [m for m in METHODS if m.form != NO_FORM], ids=lambda method: method.name)
@pytest.mark.parametrize("way", [w for w in ways() if w.values[0][0] not in ("onnx", "pmml", "excel")])
def test_an_export_counts_as_missing_what_the_fit_did(method, way, tmp_path):
    model, given = damaged_model(method.name), damaged_table(150, 2, True)
    marks = {e.EVIL: ("90+",), "count": ('say "none"',), "flag": ("broken",), "due": ("later",)}
    known = {c.name: c.marks for c in model.schema_.used if c.marks}
    assert known
    assert known.items() <= marks.items()  # a model knows the marks of the columns that it uses
    rows = e.records({n: cells for n, cells in given.items() if n != "y"})
    gone = ("90+", 'say "none"', "broken", "later")
    right = [{n: None if str(v).strip() in gone else v for n, v in row.items()} for row in rows]
    found = RUNNERS[way](model, rows, tmp_path)
    same(model, rows, found, 1e-9)
    same(model, right, found, 1e-9)
    for row, bare in zip(rows[:9], right[:9], strict=True):  # one row, which is read another way
        assert model.predict([row]).tolist() == model.predict([bare]).tolist()


@cache
def dated_table(rows: int, seed: int) -> dict[str, list]:
    """A table whose response hangs on the weekday, the hour and the month of a moment."""
    r = np.random.default_rng(seed)
    minutes = r.integers(-400 * 1440, 20_000 * 1440, rows)
    when = np.datetime64("1970-01-01", "m") + minutes
    week, hour = (minutes // 1440 + 3) % 7, minutes % 1440 // 60
    month = when.astype("M8[M]").astype(int) % 12
    y = (week >= 5) * 2.0 + (hour < 7) + (month > 8) * 1.5 + r.normal(0, 0.3, rows)
    cells = [
        None if g else str(w).replace("T", " ") for w, g in zip(when, r.random(rows) < 0.05, strict=True)
    ]
    return {"at (€)": cells, "x": np.round(r.normal(size=rows), 2).tolist(), "y": y.tolist()}


@cache
def dated_model(name: str):
    method, rows = named(name), dated_table(500, 1)
    model = estimator(name, kinds={"at (€)": "date"})
    if method.regression:
        return model.fit(rows, "y")
    labels = np.where(np.array(rows["y"]) > 1.2, "often", "seldom").tolist()
    return model.fit({n: v for n, v in rows.items() if n != "y"} | {"class": labels}, "class")


@pytest.mark.slow
@pytest.mark.parametrize("method", [m for m in METHODS if m.form != NO_FORM], ids=lambda method: method.name)
@pytest.mark.parametrize("way", ways())
def test_an_export_finds_the_parts_of_dates(method, way, tmp_path):
    model, given = dated_model(method.name), dated_table(120, 2)
    assert any(c.part for c in model.schema_.used)
    rows = e.records({n: cells for n, cells in given.items() if n != "y"})
    same(model, rows, RUNNERS[way](model, rows, tmp_path), SINGLE.get(way[0], 1e-9))


@pytest.mark.slow
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


HUGE = [1e154, 2e154, -1e154, 1e200, -1e200, 1e299, 5e-324, -1e-310, 2.3e-308, 0.0]
BEYOND = [1.7e308, -1e308, 1e301]
VARIANTS = {
    "gaussian": lambda: ts.NaiveBayes(distributions="gaussian", **e.WISHES),
    "gaussian, calibrated": lambda: ts.NaiveBayes(distributions="gaussian", calibrate=True, **e.WISHES),
    "products": lambda: ts.LogisticRegression(polynomial=2, interactions=2, **e.WISHES),
    "products of a number": lambda: ts.LinearRegression(polynomial=2, **e.WISHES),
}


def huge_rows(numbers) -> list[dict]:
    """One number at a time, then both, beside whatever a row has."""
    usual = new_rows()[3]
    names = [e.EVIL, "income (€)"]
    singles = [{n: x} for x in numbers for n in names]
    pairs = [dict(zip(names, (x, y), strict=True)) for x in numbers for y in (numbers[0], -1e200, None)]
    return [usual | cells for cells in singles + pairs]


@cache
def model_of_numbers(name: str):
    if name not in VARIANTS:
        return model_of(name, False)
    rows, model = table(400, 1, False, False), VARIANTS[name]()
    regression = isinstance(model, ts.LinearRegression)
    return model.fit(rows, "y") if regression else model.fit(e.with_target(rows, "text"), "class")


HUGE_NAMES = [*(m.name for m in METHODS if m.form != NO_FORM), *VARIANTS]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", HUGE_NAMES)
@pytest.mark.parametrize("numbers", [HUGE, BEYOND], ids=["huge", "beyond"])
def test_huge_and_tiny_numbers_are_answered_alike_by_whoever_is_asked(name, numbers):
    model, rows = model_of_numbers(name), huge_rows(numbers)
    given = {n: [row[n] for row in rows] for n in rows[0]}
    want = model.predict(given)
    assert [model.predict_one(row) for row in rows] == want.tolist()
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(given)
        assert np.isfinite(shares).all()
        assert (np.concatenate([model.predict_proba(row) for row in rows]) == shares).all()
    else:
        assert np.isfinite(want).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", HUGE_NAMES)
@pytest.mark.parametrize("way", [w for w in ways() if w.values[0][0] != "excel"])
def test_huge_and_tiny_numbers_are_answered_alike_by_exports(name, way, tmp_path):
    """But for parts beyond 1e300 in some languages, and a workbook, which ends at 1e308: docs/export.md."""
    if way[1] == "tsql" and name.startswith("products"):
        pytest.skip("a product beyond all doubles is an error in SQL Server")
    model, rows = model_of_numbers(name), huge_rows(HUGE)
    if way[0] in ("python", "js", "c"):
        rows += huge_rows(BEYOND)
    labels, shares = RUNNERS[way](model, rows, tmp_path)
    given = {n: [row[n] for row in rows] for n in rows[0]}
    want, near = model.predict(given), np.full(len(rows), True)
    if way[0] not in ("python", "js", "c") and hasattr(model.model_, "additive"):
        with np.errstate(all="ignore"):
            parts = np.abs(model.model_.additive.parts(next(model._blocks(given)).block))
        near = ~((parts > 1e300) & np.isfinite(parts)).any(axis=(1, 2))
    if want.dtype.kind == "f":
        found = np.array(labels, float).reshape(-1)
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found[near], want[near], rtol=1e-9, atol=1e-9)
        return
    assert np.array(labels)[near].tolist() == want[near].tolist()
    assert np.isfinite(shares).all()
    np.testing.assert_allclose(shares[near], model.predict_proba(given)[near], atol=SINGLE.get(way[0], 1e-9))
