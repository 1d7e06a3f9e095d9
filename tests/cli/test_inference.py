"""tally fit --formula and --inference: what Python says, from a shell."""

from __future__ import annotations

import json

import pytest
from command import bad, good

import tallystick as ts

pytestmark = pytest.mark.slow  # a process per call


@pytest.fixture
def rows(tmp_path):
    cells = [
        (i % 7, "ab"[i % 2], i % 5, "yes" if i * i % 11 > 4 else "no", i % 7 * 2 + i % 3) for i in range(90)
    ]
    lines = [",".join(map(str, row)) for row in cells]
    (tmp_path / "t.csv").write_text("x,w,v,y,n\n" + "\n".join(lines) + "\n")
    return tmp_path


def test_a_formula_names_target_columns_and_products(rows):
    wish = "fit t.csv --model logistic --l2 0 -o m.tally.json --folds 0 --formula"
    good(*wish.split(), "y ~ x * w", cwd=rows)
    known = ts.LogisticRegression.from_formula("y ~ x * w", str(rows / "t.csv"), l2=0.0)
    assert (rows / "m.tally.json").read_bytes() == known.to_bytes()
    said = good("fit", "t.csv", "--model", "linear", "--formula", "n ~ x + w + 0", cwd=rows)
    assert "Linear regression of n" in said
    assert "There is no constant." in said


def test_what_the_rows_let_one_conclude_is_printed(rows):
    wish = "fit t.csv -t y --model logistic --l2 0 --folds 0 --inference --errors HC1"
    line = wish.split()
    said = good(*line, cwd=rows)
    model = ts.LogisticRegression(l2=0).fit(str(rows / "t.csv"), "y")
    found = model.inference(str(rows / "t.csv"), errors="HC1")
    assert "Wald χ²" in said
    assert f"{found.figures[1].error:.6g}" in said
    told = json.loads(good(*line, "--json", cwd=rows))["inference"]
    assert told["coefficients"][1]["std_error"] == found.figures[1].error
    wish = "fit t.csv --model logistic --l2 0 --folds 0 --inference --clusters v --json --formula"
    told = json.loads(good(*wish.split(), "y ~ x + w", cwd=rows))["inference"]
    known = ts.LogisticRegression.from_formula("y ~ x + w", str(rows / "t.csv"), l2=0)
    part = [{"x": i % 7, "w": "ab"[i % 2], "y": "yes" if i * i % 11 > 4 else "no"} for i in range(90)]
    wanted = known.inference(part, groups=[i % 5 for i in range(90)])
    assert told["coefficients"][1]["std_error"] == pytest.approx(wanted.figures[1].error, rel=1e-12)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("--model logistic", "no --target is given: the column to be predicted. Or write a --formula."),
        ("--formula y~x", "--formula is for one method. Name it: --model logistic or --model linear."),
        ("--formula y~x --model tree", "--formula is for one method."),
        ("--formula y~x --model logistic -t v", "--target is 'v', and the formula predicts 'y'."),
        ("-t y --model logistic --errors HC1", "--errors says how --inference is made. Add --inference."),
        ("-t n --model linear --inference", "--inference is for --model logistic."),
        ("-t y --model logistic --inference --clusters zz", "--clusters names 'zz', which is not a column"),
    ],
)
def test_what_does_not_go_together_is_refused(rows, typed, says):
    assert says in bad("fit", "t.csv", "--folds", "0", *typed.split(), cwd=rows)
