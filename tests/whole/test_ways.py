"""How many functions and files of ours a call passes: the budgets in `tests/ways.toml` may only fall."""

from __future__ import annotations

import os
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tallystick as ts

BUDGETS = tomllib.loads((Path(__file__).parents[1] / "ways.toml").read_text(encoding="utf-8"))
PACKAGE = os.path.dirname(ts.__file__)
VOTES = str(files("tallystick.examples") / "votes.csv")


def way(work) -> tuple[int, int]:
    """Return how many named functions of the package a second call passes, and in how many files they are."""
    work()  # imports, and what is kept from call to call
    passed = set()

    def look(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and not code.co_name.startswith("<"):
            passed.add((code.co_filename, code.co_firstlineno))

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(before)
    return len(passed), len({file for file, _ in passed})


def calls() -> dict[str, object]:
    frame = pd.read_csv(VOTES, keep_default_na=False)
    y = frame.pop("party")
    X = np.random.default_rng(0).standard_normal((400, 6))
    c = (X[:, 0] + X[:, 1] > 0).astype(int)
    tree = ts.DecisionTree(threads=1).fit(frame, y)
    row = frame.iloc[0].to_dict()  # with a vote that is missing

    def by(method):
        model = method(threads=1).fit(frame, y)
        return lambda: model.predict(row)

    return {
        "fit of a path": lambda: ts.DecisionTree(threads=1).fit(VOTES, "party"),
        "fit of a frame": lambda: ts.DecisionTree(threads=1).fit(frame, y),
        "fit of a matrix": lambda: ts.DecisionTree(threads=1).fit(X, c),
        "predict of a frame": lambda: tree.predict(frame),
        "predict of a dict": lambda: tree.predict(row),
        "predict of a dict by naive Bayes": by(ts.NaiveBayes),
        "predict of a dict by logistic regression": by(ts.LogisticRegression),
        "predict of a dict by a scorecard": by(ts.Scorecard),
        "predict of a dict by rules": by(ts.RuleList),
        "report": lambda: ts.report(VOTES, "party"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BUDGETS))
def test_a_call_passes_no_more_functions_and_files_than_its_budget(name):
    functions, passed = way(calls()[name])
    assert functions <= BUDGETS[name]["functions"], "a longer way: what could go instead?"
    assert passed <= BUDGETS[name]["files"]
