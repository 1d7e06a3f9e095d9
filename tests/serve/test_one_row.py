"""One row without a table: the same answer and the same notes, or none."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import tallystick as ts
from tallystick.io.open import open_source
from tallystick.predict.answers import MetRows, Wanted, answers
from tallystick.serve.requests import OneRow

ROWS = [
    {
        "x": i % 7 + 0.5,
        "n": i * 5 % 13,
        "w": "abc"[i % 3],
        "flag": i % 2 == 0,
        "some": "t" if i % 3 else None,
        "code": i % 4,
        "y": "pq"[(i % 7 > 2) ^ (i % 11 == 0)],
    }
    for i in range(80)
]
CELLS = {
    "x": [0.5, 3, -1.0, 99.5, None, "3.5", 2**60, 1e300, True, "oops", [], float("nan")],
    "n": [1, 12.0, None, "", "7"],
    "w": ["a", "zebra", None, "?", " a ", 5, {}, "A"],
    "flag": [True, False, None, "true", "yes", 1],
    "some": ["t", None, "u"],
    "code": [1, "1", 1.0, 9, None, -0.0],
}
METHODS = [ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression, ts.Scorecard, ts.RuleList]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_where_it_answers_it_says_what_a_table_says(method):
    estimator = method(kinds={"code": "levels"}).fit(ROWS, "y")
    plain, answered = {"x": 1.5, "n": 3, "w": "b", "flag": "true", "some": "t", "code": 2}, 0
    one = OneRow(estimator)
    for (name, cells), (other, more) in itertools.combinations(CELLS.items(), 2):
        for cell, second in itertools.product(cells, more[:5]):
            row = plain | {name: cell, other: second}
            found = one.answer(row)
            if found is None:
                continue
            answered += 1
            met = MetRows()
            (block,) = answers(estimator, open_source([row]), met, Wanted(outside=True))
            told = met.to_dict(())
            assert np.array(found.shares).tobytes() == block.shares[0].tobytes(), row
            assert found.best == block.best[0]
            assert dict.fromkeys(found.missing, 1) == told["missing_cells"], row
            assert dict.fromkeys(found.outside, 1) == told["outside_range"], row
            assert not told["unseen_levels"]
            assert not told["notes"], row
            assert not told["answered_by_prior"]
    assert answered > 50


def test_what_must_be_read_is_left_to_a_table():
    one = OneRow(ts.NaiveBayes().fit(ROWS, "y"))
    plain = {"x": 1.5, "n": 3, "w": "b", "flag": "true", "some": "t", "code": 2}
    assert one.answer(plain) is not None
    for name, cell in (("x", "1.5"), ("w", "zebra"), ("x", 2**60), ("w", []), ("x", float("inf"))):
        assert one.answer(plain | {name: cell}) is None
    assert one.answer({"x": 1.5}) is None


def test_a_number_that_means_missing_is_for_a_table():
    rows = [{"x": i % 9 if i % 4 else -999, "y": "no" if i % 9 < 4 else "yes"} for i in range(60)]
    model = ts.DecisionTree(columns=ts.Columns(missing=["-999"])).fit(rows, "y")
    assert OneRow(model).answer({"x": -999}) is None
    assert OneRow(model).answer({"x": -999.0}) is None
