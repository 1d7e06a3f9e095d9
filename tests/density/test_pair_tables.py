"""Tables of pairs: what a plain count gives, whatever the cut of the rows."""

from __future__ import annotations

import numpy as np

from tallystick.density.learner import CellEnds, PairTables, WholeNumbers
from tallystick.table.block import RowBlock as Block
from tallystick.tree import tables as level_tables
from tallystick.tree.tables import CodedColumn, Coding

RNG = np.random.default_rng(2)
A, B = RNG.integers(0, 4, 500).astype(np.uint8), RNG.integers(0, 3, 500).astype(np.uint8)
X = np.where(RNG.random(500) < 0.1, np.nan, RNG.normal(0, 1, 500))
CUTS = np.array([-0.5, 0.3])
FORM = CodedColumn(
    (Coding("a", "levels", 3), Coding("b", "levels", 2), Coding("x", "numeric", 3, CUTS, True))
)
TESTS = (level_tables.Test(0, 1, np.array([1, 2, 2])),)
QUESTION = PairTables(FORM, TESTS, (2, 1), 3, ((0, 1), (0, 2), (1, 2)))


def block(rows=slice(None), weights=None):
    return Block(
        len(A[rows]),
        {"a": A[rows], "b": B[rows], "x": X[rows]},
        weights=None if weights is None else weights[rows],
    )


def counted(weights=None):
    weights = np.ones(500, np.int64) if weights is None else weights
    x = np.where(np.isnan(X), 3, np.searchsorted(CUTS, X, side="right"))
    node = np.where(B == 0, 1, 0)  # the places of the open nodes 2 and 1
    out = []
    for one, two, shape in ((A, B, (2, 4, 3)), (A, x, (2, 4, 4)), (B, x, (2, 3, 4))):
        table = np.zeros(shape, np.int64)
        np.add.at(table, (node, one, two), weights)
        out.append(table)
    return out


def test_pairs_are_counted_in_the_open_nodes_with_weights():
    weights = RNG.integers(0, 5, 500)
    for given in (None, weights):
        total = QUESTION.add(QUESTION.zero(), block(weights=given))
        for found, wanted in zip(total, counted(given), strict=True):
            assert found.tolist() == wanted.tolist()


def test_the_total_does_not_depend_on_the_cut_of_the_rows():
    total = QUESTION.zero()
    for start in (300, 0, 100, 200, 400):
        total = QUESTION.merge(total, QUESTION.add(QUESTION.zero(), block(slice(start, start + 100))))
    assert [t.tolist() for t in total] == [t.tolist() for t in counted()]


def test_rows_in_form_give_the_same_total():
    form, again = QUESTION.prepared()
    assert [t.tolist() for t in again.add(again.zero(), form(block()))] == [t.tolist() for t in counted()]


def test_whole_numbers_are_told_from_others_and_rows_of_weight_0_do_not_count():
    question = WholeNumbers(("n", "x", "big"), 2.0**51)
    columns = {"n": np.array([1.0, np.nan, -3.0]), "x": np.array([1.0, 2.5, 2.0]), "big": np.full(3, 2.0**60)}
    assert question.add(question.zero(), Block(3, columns)).tolist() == [True, False, False]
    weights = np.array([1, 0, 2])
    assert question.add(question.zero(), Block(3, columns, weights=weights)).tolist() == [True, True, False]
    assert question.merge(np.array([True, True, False]), np.array([True, False, True])).tolist() == [
        True,
        False,
        False,
    ]


def test_ends_of_cells_are_the_lowest_and_the_highest_number():
    question = CellEnds(("x",), ((10.0,),))
    one = question.add(question.zero(), Block(3, {"x": np.array([1.0, 12.0, np.nan])}))
    two = question.add(question.zero(), Block(2, {"x": np.array([4.0, 99.0])}, weights=np.array([1, 0])))
    (low, high) = question.merge(one, two)[0]
    assert low.tolist() == [1.0, 12.0]
    assert (-high).tolist() == [4.0, 12.0]
