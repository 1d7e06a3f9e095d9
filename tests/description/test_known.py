"""What a model file keeps of a column: counts, moments, or the reason why there is nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tallystick as ts
from tallystick.description.changes import nothing, of_bayes, of_card, of_slopes
from tallystick.schema import Column

ROWS = {
    "n": [1.0, 2.0, 3.0, None, 5.0, 1.0],
    "c": ["u", "u", "v", None, "v", "v"],
    "y": ["p", "p", "q", "q", "q", "p"],
}
KINDS = {"n": "numeric", "c": "levels"}


def kept(model, of, column):
    return of(model.to_dict(), model.schema_[column])


def test_naive_bayes_keeps_counts_of_levels_and_moments_of_numbers():
    model = ts.NaiveBayes(distributions="gaussian", kinds=KINDS).fit(ROWS, "y")
    assert kept(model, of_bayes, "c").counts.tolist() == [2.0, 3.0]
    number = kept(model, of_bayes, "n")
    assert number.mean == pytest.approx(12 / 5)
    assert number.deviation == pytest.approx(math.sqrt(40 / 5 - 2.4**2))


def test_bins_are_kept_with_their_cuts():
    rows = {"n": [float(i) for i in range(40)], "y": ["p"] * 20 + ["q"] * 20}
    model = ts.NaiveBayes(distributions="binned", kinds={"n": "numeric"}).fit(rows, "y")
    found = kept(model, of_bayes, "n")
    assert (found.counts.tolist(), found.cuts.tolist()) == ([20.0, 20.0], [19.5])


def test_logistic_regression_keeps_the_centre_and_scale_of_numbers_alone():
    model = ts.LogisticRegression(kinds=KINDS).fit(ROWS, "y")
    assert kept(model, of_slopes, "n").mean == pytest.approx(12 / 5)
    assert kept(model, of_slopes, "c").untold == "a logistic regression keeps no counts of levels or words"


def test_a_tree_says_that_it_keeps_nothing():
    model = ts.DecisionTree(kinds=KINDS).fit(ROWS, "y")
    found = kept(model, nothing, "c")
    assert (found.counts, found.untold) == (None, "a tree keeps no counts of a column")


def test_a_card_keeps_the_rows_of_its_lines():
    rows = [
        {"n": i % 40, "c": "uvw"[i % 3], "d": i % 2, "y": "pq"[(i % 40 > 19) ^ (i % 7 == 0)]}
        for i in range(240)
    ]
    model = ts.Scorecard(cuts={"n": [10, 20]}, pairs=0).fit(rows, "y")
    number = kept(model, of_card, "n")
    assert 20.0 in number.cuts.tolist()
    values = [row["n"] for row in rows]
    wanted = np.bincount(np.searchsorted(number.cuts, values, side="right"), minlength=len(number.counts))
    assert number.counts.tolist() == wanted.tolist()
    for name in ("c", "d"):
        found = kept(model, of_card, name)
        told = name in {part.name for part in model.model_.parts}
        assert told is (found.untold == "")
        if told:
            assert found.counts.sum() == 240


def test_a_card_says_why_it_keeps_no_count():
    document = {
        "model": {
            "parts": [
                {"name": "w", "part": "words", "rows": [[1, 2]], "words": [0]},
                {"name": "l", "part": "levels", "line": [0, 0, 1], "rows": [[1, 2]] * 4},
                {"name": "n", "part": "ranges", "cuts": [], "rows": [[1, 2]] * 2},
                {
                    "first": {"name": "l", "part": "levels", "line": [0, 1, 1]},
                    "part": "pair",
                    "rows": [[i, 0] for i in range(12)],
                    "second": {"name": "p", "part": "ranges", "cuts": [5.0]},
                },
            ]
        }
    }
    told = [of_card(document, Column(n, "levels")).untold for n in ("w", "l", "n", "gone")]
    assert told == [
        "a card keeps counts of the words with points only",
        "",
        "the card has one line for all its numbers",
        "it has no line on the card",
    ]
    shared = of_card(document, Column("l", "levels"))
    assert (shared.counts.tolist(), shared.line.tolist()) == ([3.0, 3.0], [0, 0, 1])
    paired = of_card(document, Column("p", "numeric"))  # it is in a pair alone
    assert (paired.counts.tolist(), paired.cuts.tolist()) == ([0 + 3 + 6 + 9, 1 + 4 + 7 + 10], [5.0])
