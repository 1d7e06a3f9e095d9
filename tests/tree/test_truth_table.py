"""A truth table leaves nothing to average: the printed tree answers. Noise is averaged as before."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick as ts


def truth_table(truth):
    """Return the rows of a Boolean function: truth[k] of the k-th way to fill its columns."""
    columns = "abcd"[: len(truth).bit_length() - 1]
    ways = product([False, True], repeat=len(columns))
    return [dict(zip(columns, way, strict=True)) | {"y": y} for way, y in zip(ways, truth, strict=True)]


functions = st.integers(1, 4).flatmap(lambda n: st.lists(st.booleans(), min_size=2**n, max_size=2**n))


@given(functions, st.integers(1, 3))
def test_the_printed_tree_of_a_truth_table_answers(truth, copies):
    rows = truth_table(truth) * copies
    if len(set(truth)) == 1:
        return
    tree = ts.DecisionTree().fit(rows, "y")
    assert tree.predict(rows).tolist() == truth * copies
    assert f"training accuracy 1.0000 ({len(rows)} of {len(rows)})" in str(tree)
    assert [tree.predict_one(row) for row in rows] == truth * copies
    assert tree.model_.shown is tree.model_
    weighted = ts.DecisionTree().fit(truth_table(truth), "y", sample_weight=[copies] * len(truth))
    assert (weighted.predict_proba(rows) == tree.predict_proba(rows)).all()


def test_a_rare_class_of_a_truth_table_is_answered_where_it_is():
    truth = [False] * 15 + [True]
    rows = truth_table(truth)
    assert ts.DecisionTree().fit(rows, "y").predict(rows).tolist() == truth


@pytest.mark.parametrize("change", ["a row is gone", "a row comes twice, in two classes"])
def test_what_is_no_truth_table_is_averaged(change):
    rows = truth_table([True, False, False, True] * 4)
    rows = rows[1:] if change == "a row is gone" else [*rows, rows[0] | {"y": False}]
    tree = ts.DecisionTree().fit(rows, "y")
    assert tree.model_.averaged is not None
    assert "Answers are averaged over all prunings" in str(tree)


def test_numbers_are_averaged_however_many_rows_there_are():
    rows = [{"x": float(i), "y": i % 3 == 0} for i in range(12)]
    assert ts.DecisionTree().fit(rows, "y").model_.averaged is not None
