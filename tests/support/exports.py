"""For the tests of exports: tables with awkward names, missing and unseen values; a model of every kind."""

from __future__ import annotations

import atexit
import json
import os
import struct
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
from tallystick.tree.nodes import NO_CUT

EVIL = '"; DROP TABLE x; --'
ROWS = 20_000 if os.environ.get("HYPOTHESIS_PROFILE") == "night" else 5_000
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
    "linear": ("y", lambda: ts.LinearRegression(**WISHES)),
    "linear products": ("y", lambda: ts.LinearRegression(l2=0, interactions=2, polynomial=2, **WISHES)),
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
def old_table() -> dict[str, list[Any]]:
    """Return the rows that models learn from."""
    return mixed(4000, 1)


@cache
def old_texts() -> dict[str, list[Any]]:
    """Return the rows that models of words learn from."""
    return texts(3000, 1)


@cache
def fitted(name: str) -> Any:
    """Return the model of that name."""
    if name in TEXT_MODELS:
        return TEXT_MODELS[name]().fit(old_texts(), "class")
    target, make = OBSERVED if name == "tree observed" else MODELS[name]
    table = old_table()
    return make().fit(table, "y") if target == "y" else make().fit(with_target(table, target), "class")


def new_rows(name: str) -> dict[str, list[Any]]:
    """Return new rows for the model of that name, without its target."""
    return _new_rows(name in TEXT_MODELS)


@cache
def _new_rows(of_words: bool) -> dict[str, list[Any]]:
    table = texts(ROWS, 2, new=True) if of_words else mixed(ROWS, 2, new=True)
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


CELLS: list[dict[str, Any]] = [  # however people write cells
    {
        EVIL: " 0.25 ",
        "count": "003",
        "flag": "TRUE",
        "grade": "1.0",
        "name": " O'Brien\t",
        "when": "2020-02-29",
    },
    {
        EVIL: "1e-1",
        "count": "+4",
        "flag": "1",
        "grade": 10,
        "name": "?",
        "when": "2021-12-31T23:59:59.25+01:00",
    },
    {EVIL: "NA", "count": 2, "flag": 0, "grade": "1e1", "name": "o'brien", "when": "2020-06-01 12:00"},
    {EVIL: "", "count": "?", "flag": "false", "grade": 2.0, "name": None, "when": "null"},
    {EVIL: ".5", "count": "7.", "flag": "maybe", "grade": "01", "name": "NaN", "when": None},
    {EVIL: -0.0, "count": 1e3, "flag": True, "grade": "+3", "name": "plain", "when": "0001-01-01"},
]


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


C_MAIN = """
#include "model.h"
int main(void) {
    static char room[1 << 20];
    static model_answer answer;
    int wrong;
    for (;;) {
        model_cell row[MODEL_COLUMNS + 1];
        size_t used = 0;
        int i, k;
        for (i = 0; i < MODEL_COLUMNS; i++) {
            int kind = getchar();
            if (kind == EOF) return 0;
            row[i] = model_missing();
            if (kind == 'n') {
                double x;
                if (fread(&x, sizeof x, 1, stdin) != 1) return 3;
                row[i] = model_number(x);
            } else if (kind == 't') {
                row[i] = model_text(room + used);
                do {
                    k = getchar();
                    room[used++] = (char)k;
                } while (k);
            }
        }
        if ((k = getchar()) == EOF) return 0;
        if (k != '.') return 3;
        wrong = model_predict(row, &answer);
        if (wrong) {
            printf("unreadable %s\\n", model_columns[wrong - 1]);
            continue;
        }
@BODY@
    }
}
"""
C_ANSWERS = {
    True: """        printf("%d %d", answer.place, answer.unseen);
        for (k = 0; k < MODEL_CLASSES; k++) printf(" %a", answer.probability[k]);
        printf("\\n");""",
    False: """        printf("0 %d %a\\n", answer.unseen, answer.value);""",
}
C_REASONS = """        {
            static model_reason reasons[50];
            int count = model_reasons(row, 50, reasons);
            for (i = 0; i < count; i++)
                printf("%ld\\t%s\\t%s\\n", reasons[i].points, reasons[i].section, reasons[i].text);
            printf(".\\n");
        }"""
STRICT = ["-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-pedantic"]


def c_lines(
    script: str, given: Any, rows: list[dict[str, Any]], folder: Path, body: str, *with_: str
) -> list[str]:
    """Return the lines that a program around an exported header prints for some rows."""
    (folder / "model.h").write_text(script, encoding="utf-8")
    (folder / "main.c").write_text(C_MAIN.replace("@BODY@", body), encoding="utf-8")
    command = [*(with_ or ("gcc", *STRICT)), "-o", "main", "main.c", "-lm"]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[:3000]
    cells = b"".join(b"".join(_c_cell(row[n]) for n in given) + b"." for row in rows)
    done = subprocess.run([folder / "main"], cwd=folder, input=cells, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().splitlines()


def _c_cell(value: Any) -> bytes:
    if value is None:
        return b"m"
    if isinstance(value, bool):
        return b"t" + str(value).lower().encode() + b"\0"
    return b"t" + value.encode() + b"\0" if isinstance(value, str) else b"n" + struct.pack("d", value)


def run_c(model: Any, rows: list[dict[str, Any]], folder: Path, *with_: str) -> tuple[list[Any], np.ndarray]:
    """Return what a compiled header answers: labels and shares [row, class], or means."""
    form = form_of(model.model_)
    lines = c_lines(model.export("c"), form.given, rows, folder, C_ANSWERS[bool(form.labels)], *with_)
    found = [line.split() for line in lines]
    shares = np.array([[float.fromhex(x) for x in cells[2:]] for cells in found])
    if not form.labels:
        return shares[:, 0].tolist(), shares
    return [form.labels[int(cells[0])] for cells in found], shares


def run_onnx(data: bytes, table: dict[str, list[Any]]) -> tuple[list[Any], np.ndarray]:
    """Return what onnxruntime answers."""
    runtime = pytest.importorskip("onnxruntime")
    alone = runtime.SessionOptions()
    alone.intra_op_num_threads = 1  # threads take longer to start than a few rows take
    session = runtime.InferenceSession(data, alone)
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


@cache
def _java() -> Any:
    """Return the Java machine of JPMML-Evaluator, which ends with this process."""
    from jpmml_evaluator.py4j import Py4JBackend

    atexit.register(Py4JBackend.destroyGateway)
    return Py4JBackend()


def run_pmml(text: str, table: dict[str, list[Any]], folder: Path) -> dict[str, list[Any]]:
    """Return what JPMML-Evaluator answers, by the names of the outputs."""
    evaluator = pytest.importorskip("jpmml_evaluator")
    pandas = pytest.importorskip("pandas")
    path = folder / "model.pmml"
    path.write_text(text, encoding="utf-8")
    model = evaluator.make_evaluator(str(path), backend=_java())
    given = {
        field.getName(): [_pmml_cell(c) for c in table[field.getName()]] for field in model.getInputFields()
    }
    rows = pandas.DataFrame({n: pandas.Series(c, dtype=object) for n, c in given.items()}, dtype=object)
    if not given:
        rows = pandas.DataFrame(index=range(len(next(iter(table.values())))))
    found = model.evaluateAll(rows)
    return {name: found[name].tolist() for name in found}


def _pmml_cell(value: Any) -> Any:
    """Return a cell as an evaluator takes it: dates are days."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and len(value) >= 10 and value[4:5] == value[7:8] == "-":
        return float(np.datetime64(value).astype("M8[us]").astype(int)) / 86400e6
    return value


def run_excel(
    data: bytes, given: tuple[str, ...], rows: list[dict[str, Any]], folder: Path
) -> list[dict[str, Any]]:
    """Return what the package formulas computes for each row, by the names on the first sheet."""
    formulas, openpyxl = pytest.importorskip("formulas"), pytest.importorskip("openpyxl")
    (folder / "book.xlsx").write_bytes(data)
    names = [row[0].value for row in openpyxl.load_workbook(folder / "book.xlsx")["Row"].iter_rows()]
    model = formulas.ExcelModel().loads(str(folder / "book.xlsx")).finish(circular=False)
    answers = {n: f"'[book.xlsx]ROW'!B{i}" for i, n in enumerate(names, 1) if n and i > len(given) + 1}
    out = []
    for row in rows:
        cells = {f"'[book.xlsx]ROW'!B{2 + i}": _excel_cell(row[n]) for i, n in enumerate(given)}
        found = model.calculate(inputs=cells, outputs=list(answers.values()))
        out.append({name: found[at].value[0, 0] for name, at in answers.items()})
    return out


def _excel_cell(value: Any) -> Any:
    """Return a cell as people fill it in: a date is a date, which Excel counts from 1899-12-30 on."""
    days = _pmml_cell(value) if isinstance(value, str) else None
    if isinstance(days, float):
        return days + 25569
    return "" if value is None else str(value).upper() if isinstance(value, bool) else value
