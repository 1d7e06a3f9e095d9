"""For the tests of exports: tables with awkward names, missing and unseen values; a model of every kind."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallystick as ts
from tallystick.export.form import form_of
from tallystick.models.tree.nodes import NO_CUT

EVIL = '"; DROP TABLE x; --'
ROWS = 20_000
WORDS = ["good", "bad", "fine", "Straße", "naïve", "ÉTÉ", "İstanbul", "ΟΔΟΣ", "x1", "foo_bar", "a", "b2"]
WORDS += ["the", "of", "and", "film", "plot", "日本", "日本語", "½cup", "3rd"]


def mixed(rows: int, seed: int, new: bool = False) -> dict[str, list[Any]]:
    """Return a table; new rows also hold levels that were never seen, and numbers outside the old range."""
    r = np.random.default_rng(seed)
    names = ["O'Brien", "d'Arc", 'say "hi"', "back\\slash", "plain", "ümlaut €"] + ["never seen", "O"] * new
    sizes = ["low", "medium", "high"] + ["huge"] * new
    grades = ["1", "2", "3", "10"] + ["4"] * new
    x, y = r.normal(0, 1, rows), np.round(r.gamma(2, 10, rows), 2)
    count = r.poisson(3, rows)
    table: dict[str, list[Any]] = {
        EVIL: np.round(x * (3 if new else 1), 3).tolist(),
        "income (€)": y.tolist(),
        "count": count.tolist(),
        "when": [(date(2020, 1, 1) + timedelta(days=int(d))).isoformat() for d in r.integers(0, 900, rows)],
        "name": [names[i] for i in r.integers(0, len(names), rows)],
        "size": [sizes[i] for i in r.integers(0, len(sizes), rows)],
        "grade": [grades[i] for i in r.integers(0, len(grades), rows)],
        "flag": [bool(v) for v in r.random(rows) < 0.4],
    }
    signal = x + 0.03 * y + 0.2 * count + np.array([names.index(n) % 3 for n in table["name"]]) * 0.8
    signal += np.array([sizes.index(s) for s in table["size"]]) * 0.5 + np.array(table["flag"]) * 1.0
    table["y"] = (signal + r.normal(0, 0.7, rows)).tolist()
    for name in [n for n in table if n != "y"]:
        gone = r.random(rows) < 0.08
        table[name] = [None if g else v for v, g in zip(table[name], gone, strict=True)]
    return table


def with_target(table: dict[str, list[Any]], kind: str) -> dict[str, list[Any]]:
    """Return the table with its response as classes: three texts, two whole numbers, or true and false."""
    y = np.array(table["y"])
    cells = {
        "text": np.array(["it's low", "middle", 'high "er"'])[np.digitize(y, [1.5, 2.8])].tolist(),
        "integer": (y > 2).astype(int).tolist(),
        "boolean": (y > 2).tolist(),
        "crossed": _crossed(table),
    }[kind]
    return {n: v for n, v in table.items() if n != "y"} | {"class": cells}


def _crossed(table: dict[str, list[Any]]) -> list[str]:
    """Return two classes that columns have to be seen together for: a number and levels, or levels."""
    known = zip(table["income (€)"], table["flag"], table["name"], table["size"], strict=True)
    return [
        ("=no", "<b>yes</b>")[((x or 0) > 20) ^ bool(flag) ^ (name == "plain" and size == "high")]
        for x, flag, name, size in known
    ]


def texts(rows: int, seed: int, new: bool = False) -> dict[str, list[Any]]:
    """Return a table with a text column beside a numeric one."""
    r = np.random.default_rng(seed)
    words = WORDS + ["unknown", "Ωmega", "𝒳𝒴", "e\u0301te\u0301"] * new
    label = r.integers(0, 2, rows)
    lines = []
    for good in label:
        p = np.ones(len(words))
        p[:4] += 4 * good
        lines.append(" ".join(r.choice(words, r.integers(1, 12), p=p / p.sum())) + ("!" if good else " ..."))
    cells = [None if g else t for t, g in zip(lines, r.random(rows) < 0.05, strict=True)]
    cells = ["?" if g else t for t, g in zip(cells, r.random(rows) < 0.02, strict=True)]
    return {
        "review": cells,
        "stars": np.round(r.normal(label, 1.5, rows), 2).tolist(),
        "class": np.array(["neg", "pos"])[label].tolist(),
    }


KINDS = {"size": "ordered", "grade": "levels"}
LEVELS = {"size": ["low", "medium", "high"]}
WISHES: dict[str, Any] = {"columns": ts.Columns(KINDS, LEVELS)}

MODELS: dict[str, tuple[str, Any]] = {
    # name: (target, estimator)
    "tree": ("text", lambda: ts.DecisionTree(**WISHES)),
    "tree cart": ("integer", lambda: ts.DecisionTree.cart(**WISHES)),
    "tree id3": ("boolean", lambda: ts.DecisionTree.id3(max_depth=6, **WISHES)),
    "tree c4.5": ("text", lambda: ts.DecisionTree.c45(**WISHES)),
    "tree costs": (
        "text",
        lambda: ts.DecisionTree(costs=[[0, 1, 2], [1, 0, 1], [5, 1, 0]], max_depth=7, **WISHES),
    ),
    "regression tree": ("y", lambda: ts.RegressionTree(max_depth=9, **WISHES)),
    "bayes": ("text", lambda: ts.NaiveBayes(**WISHES)),
    "bayes gaussian": ("integer", lambda: ts.NaiveBayes(distributions="gaussian", **WISHES)),
    "bayes poisson": (
        "boolean",
        lambda: ts.NaiveBayes(distributions={"count": "poisson"}, calibrate=True, **WISHES),
    ),
    "bayes unsmoothed": ("text", lambda: ts.NaiveBayes(alpha=0, **WISHES)),
    "logistic": ("boolean", lambda: ts.LogisticRegression(**WISHES)),
    "logistic three": ("text", lambda: ts.LogisticRegression(**WISHES)),
    "logistic products": ("integer", lambda: ts.LogisticRegression(interactions=2, polynomial=2, **WISHES)),
    "card": ("boolean", lambda: ts.Scorecard(**WISHES)),
    "card three": ("text", lambda: ts.Scorecard(**WISHES)),
    "card crossed": ("crossed", lambda: ts.Scorecard(**WISHES)),
    "rules": ("boolean", lambda: ts.RuleList(**WISHES)),
    "rules three": ("text", lambda: ts.RuleList(class_weight="balanced", **WISHES)),
    "rules costs": ("boolean", lambda: ts.RuleList(costs=[[0, 1], [5, 0]], **WISHES)),
    "rule set": ("crossed", lambda: ts.RuleSet(**WISHES)),
    "rule set three": ("text", lambda: ts.RuleSet(**WISHES)),
}
OBSERVED = ("integer", lambda: ts.DecisionTree(cuts="observed", average=False, max_depth=9, **WISHES))
TEXT_KIND: dict[str, Any] = {"kinds": {"review": "text"}}
TEXT_MODELS: dict[str, Any] = {
    "bayes words": lambda: ts.NaiveBayes(**TEXT_KIND),
    "bayes complement": lambda: ts.NaiveBayes(distributions="complement", **TEXT_KIND),
    "bayes bernoulli": lambda: ts.NaiveBayes(distributions={"review": "bernoulli"}, **TEXT_KIND),
    "bayes tf-idf": lambda: ts.NaiveBayes(words="tf-idf", **TEXT_KIND),
    "card words": lambda: ts.Scorecard(**TEXT_KIND),
    "logistic words": lambda: ts.LogisticRegression(**TEXT_KIND),
    "logistic counts": lambda: ts.LogisticRegression(words="counts", **TEXT_KIND),
}


@cache
def fitted(name: str) -> Any:
    """Return the model of that name."""
    if name in TEXT_MODELS:
        return TEXT_MODELS[name]().fit(texts(3000, 1), "class")
    target, make = OBSERVED if name == "tree observed" else MODELS[name]
    table = mixed(4000, 1)
    return make().fit(table, "y") if target == "y" else make().fit(with_target(table, target), "class")


@cache
def new_rows(name: str) -> dict[str, list[Any]]:
    """Return new rows for the model of that name, without its target."""
    table = texts(ROWS, 2, new=True) if name in TEXT_MODELS else mixed(ROWS, 2, new=True)
    return {n: v for n, v in table.items() if n not in ("class", "y")}


@cache
def expected(name: str) -> tuple[list[Any], np.ndarray]:
    """Return the labels (or means) and shares [row, class] that the model itself answers."""
    model, rows = fitted(name), new_rows(name)
    answers = model.predict(rows).tolist()
    return answers, np.array(answers)[:, None] if model._regression else model.predict_proba(rows)


def at_cuts(name: str) -> dict[str, list[Any]]:
    """Return rows with a number at a cut of the model or a double beside it; all else is missing."""
    model = fitted(name)
    form = form_of(model.model_)
    cuts: dict[str, set[float]] = {}
    for test in form.nodes:
        if len(test) > 1 and test[1] is not None and test[1] != NO_CUT:
            cuts.setdefault(form.columns[test[0]].name, set()).add(test[1])
    for term in form.terms:
        for side in term.get("pair", [term] if "column" in term else []):
            cuts.setdefault(form.columns[side["column"]].name, set()).update(side.get("cuts", ()))
    names = [c.name for c in form.columns]
    table: dict[str, list[Any]] = {n: [] for n in names}
    for column in (EVIL, "income (€)"):
        for cut in sorted(cuts.get(column, ()))[:200]:
            for x in (np.nextafter(cut, -np.inf), cut, np.nextafter(cut, np.inf)):
                for n in names:
                    table[n].append(float(x) if n == column else None)
    assert len(table[EVIL]) > 5
    return {n: table.get(n, [None] * len(table[EVIL])) for n in new_rows(name)}


def records(table: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Return the rows as objects."""
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


NODE = """
const model = require(process.argv[2]);
const rows = require(process.argv[3]);
const out = rows.map((row) => {
  const a = model.predict(row);
  return "value" in a ? [a.value, [a.value]] : [a.label, model.labels.map((l) => a.probabilities[String(l)])];
});
process.stdout.write(JSON.stringify(out));
"""


def run_node(script: str, rows: list[dict[str, Any]], folder: Path) -> tuple[list[Any], np.ndarray]:
    """Return what an exported script answers in node."""
    (folder / "model.js").write_text(script, encoding="utf-8")
    (folder / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    (folder / "run.js").write_text(NODE, encoding="utf-8")
    return _run(["node", "run.js", "./model.js", "./rows.json"], folder)


def _run(command: list[str], folder: Path) -> tuple[list[Any], np.ndarray]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    return [label for label, _ in found], np.array([shares for _, shares in found])


def same(found: tuple[list[Any], np.ndarray], name: str, within: float = 1e-9) -> None:
    """Assert that no label differs and every share is within a distance."""
    labels, shares = expected(name)
    wrong = [i for i, (a, b) in enumerate(zip(labels, found[0], strict=True)) if a != b]
    assert wrong == [] or fitted(name)._regression, (len(wrong), wrong[:3])
    assert float(np.abs(shares - found[1]).max()) <= within


PYTHON = """
import json, runpy, sys
model = runpy.run_path("model.py")
rows = json.load(open("rows.json", encoding="utf-8"))
found = [model["predict"](row) for row in rows]
shares = [list(a.get("probabilities", {"": a.get("value")}).values()) for a in found]
print(json.dumps([[a.get("label", a.get("value")), s] for a, s in zip(found, shares)]))
"""


def run_python(script: str, rows: list[dict[str, Any]], folder: Path) -> tuple[list[Any], np.ndarray]:
    """Return what an exported module answers in `python -I`, which sees nothing but the standard library."""
    (folder / "model.py").write_text(script, encoding="utf-8")
    (folder / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    (folder / "run.py").write_text(PYTHON, encoding="utf-8")
    return _run([sys.executable, "-I", "-S", "run.py"], folder)


def run_onnx(data: bytes, table: dict[str, list[Any]]) -> tuple[list[Any], np.ndarray]:
    """Return what onnxruntime answers."""
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(data)
    feed = {}
    for given in session.get_inputs():
        column = table[given.name]
        if given.type == "tensor(string)":
            feed[given.name] = np.array([["" if c is None else str(c)] for c in column], object)
            continue
        if any(isinstance(c, str) for c in column):  # dates
            known = (None if c is None else np.datetime64(c).astype("M8[us]").astype(int) for c in column)
            column = [None if c is None else float(c) / 86400e6 for c in known]
        feed[given.name] = np.array([[np.nan if c is None else float(c)] for c in column])
    names = [o.name for o in session.get_outputs()]
    found = dict(zip(names, session.run(None, feed), strict=True))
    if "value" in found:
        return found["value"].tolist(), found["value"][:, None]
    return found["label"].tolist(), found["probabilities"]
