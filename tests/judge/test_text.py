"""Results as lines of text that fit the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tallystick as ts
from tallystick.judge.checks import cells, figure, sizes
from tallystick.judge.crossval import curve_table
from tallystick.judge.result import CrossValidation, FoldAnswers

VOTES = str(Path(ts.__file__).parent / "examples" / "votes.csv")


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 100])
def test_a_comparison_fits_the_terminal(columns):
    own = {**os.environ, "COLUMNS": str(columns)}
    call = "ts.compare(sys.argv[1], 'party', methods=['tree', 'bayes'], folds=3)"
    code = f"import sys, tallystick as ts; print({call})"
    done = subprocess.run(
        [sys.executable, "-c", code, VOTES], capture_output=True, text=True, env=own, timeout=300
    )
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= columns, done.stdout
    assert "naive Bayes, tuned" in done.stdout


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0.5, "0.5000"),
        (-0.12345, "-0.1235"),
        (12.3456, "12.346"),
        (12345.678, "12,346"),
        (1234567.0, "1.235e+06"),
    ],
)
def test_a_number_has_four_digits_after_the_point_or_five_in_all(value, told):
    assert figure(value) == told


def test_lines_are_as_wide_as_the_terminal_within_reason(monkeypatch):
    for columns, wide in (("20", 40), ("90", 90), ("300", 100)):
        monkeypatch.setenv("COLUMNS", columns)
        assert cells() == wide


@pytest.mark.parametrize(
    ("fold", "told"),
    [
        ([0, 0, 1, 1], ", 2 rows each"),
        ([0, 0, 0, 1], ", 1 to 3 rows each"),
        ([0, 1, 2, 3], ""),
        ([0, 0, 0, 0], ""),
        ([0, 0, -1, -1], ": 2 rows"),
    ],
)
def test_the_size_of_folds_is_said_where_it_is_news(fold, told):
    shares = np.full((4, 2), 0.5)
    found = CrossValidation(("p", "q"), np.array([0, 1, 0, 1]), (FoldAnswers(shares, np.array(fold)),))
    assert sizes(found) == told


def test_hostile_class_names_are_cleaned_and_an_early_end_is_said():
    shares = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]])
    part = FoldAnswers(shares, np.array([0, 0, 1, 1]))
    found = CrossValidation(("\x1b[2J", "q"), np.array([0, 1, 0, 1]), (part,), stopped=True)
    assert "\x1b" not in str(found)
    assert str(found).endswith("stopped before the end: finished folds only")


def test_a_curve_has_a_line_for_each_size():
    rows = {"x": ["u", "v"] * 10, "y": ["p", "q"] * 10}
    found = curve_table({"naive Bayes": ts.NaiveBayes()}, ts.NaiveBayes()._read(rows, "y"), (4, 8), 2)
    lines = str(found).splitlines()
    assert lines[0] == "predicting y: error on 6 rows held out, mean of 2 subsets"
    assert [line.split()[0] for line in lines[3:5]] == ["4", "8"]
    assert lines[-1] == "always the most frequent class: 0.5000"


@pytest.mark.parametrize("columns", ["60", "80", "100"])
def test_the_headings_of_a_curve_are_not_cut(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    rows = {"x": [float(i * i % 17) for i in range(30)], "y": ["p", "q", "q"] * 10}
    names = ["naive Bayes, shared variance", "logistic regression, l2=1e-6"]
    found = curve_table(dict.fromkeys(names, ts.NaiveBayes()), ts.NaiveBayes()._read(rows, "y"), (4, 8), 2)
    head = str(found).partition("\n\n")[2].partition("       4 ")[0]
    assert "…" not in str(found)
    for word in ("training", "rows", "shared", "variance", "logistic", "regression,", "l2=1e-6"):
        assert word in head
    assert max(map(len, str(found).splitlines()[2:5])) <= int(columns)
