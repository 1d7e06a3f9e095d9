"""Cells of a column: every number in exactly one piece, whole numbers between halves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.density.model import ColumnCells, halves, refined
from tallystick.schema import Column
from tallystick.table.block import RowBlock as Block


def numbers(low, high, cuts, whole=False):
    return ColumnCells(Column("x", "numeric", low=low, high=high), tuple(cuts), whole)


def test_pieces_touch_and_hold_the_range():
    own = numbers(0.0, 10.0, (2.0, 3.0, 7.0))
    assert own.k == 4
    assert own.edges.tolist() == [-0.5, 2.0, 3.0, 7.0, 10.5]  # half of the narrowest piece on either side
    assert np.allclose(np.exp(own.log_widths), [2.5, 1.0, 4.0, 3.5])


@pytest.mark.slow
@given(st.lists(st.floats(-1e308, 1e308), min_size=1, max_size=8, unique=True), st.data())
def test_every_number_has_one_outcome_whatever_the_range(values, data):
    values = sorted(values)
    cuts = [v for v in values[1:] if data.draw(st.booleans())]
    own = numbers(values[0], values[-1], cuts)
    assert (np.diff(own.edges) > 0).all()
    assert np.isfinite(own.log_widths).all()
    x = np.array([*values, np.nan, -1.7e308, 1.7e308])
    codes, far, falls = own.outcomes(Block(len(x), {"x": x}))
    assert (codes[: len(values)] < own.k).all()
    assert codes[len(values)] == own.k
    assert (codes[far] > own.k).all()
    assert np.isfinite(falls).all()


def test_what_lies_beyond_falls_so_that_each_end_integrates_to_one():
    own = numbers(0.0, 8.0, (4.0,))
    edge, reach = own.edges[-1], own.edges[-1] - own.edges[0]
    part = (np.arange(200_000) + 0.5) / 200_000
    distance = reach * part / (1 - part)  # equal steps of what the density sums to
    _, far, falls = own.outcomes(Block(len(distance), {"x": edge + distance}))
    assert len(far) == len(distance)
    steps = reach / (1 - part) ** 2 / len(part)
    assert np.sum(np.exp(falls) * steps) == pytest.approx(1.0, abs=1e-9)


def test_a_column_of_one_number_has_one_piece():
    own = numbers(7.0, 7.0, ())
    assert own.edges.tolist() == [6.5, 7.5]


def test_levels_are_cells_and_one_never_seen_comes_after_missing():
    own = ColumnCells(Column("c", "levels", levels=("a", "b")))
    codes, far, _ = own.outcomes(Block(4, {"c": np.array([0, 1, 2, 3], np.uint8)}))
    assert codes.tolist() == [0, 1, 2, 3]
    assert not len(far)
    assert own.even.tolist() == [0.25, 0.25, 0.25, 0.25, 0.0]


def test_whole_numbers_are_cut_at_halves_and_wide_gaps_are_cells():
    low, high = np.array([18.0, 19.0, 20.0, 60.0]), np.array([18.0, 19.0, 22.0, 60.0])
    assert halves(low, high) == (18.5, 19.5, 22.5, 59.5)
    assert halves(np.array([1.0, 3.0]), np.array([1.0, 3.0])) == (2.5,)  # as wide as its neighbours: no gap
    own = numbers(18.0, 60.0, halves(low, high), whole=True)
    assert own.edges.tolist() == [17.5, 18.5, 19.5, 22.5, 59.5, 60.5]


def test_a_piece_that_reaches_far_is_cut_into_equal_parts():
    assert refined((1.0, 9.0), 0.0, 10.0, 10) == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
    assert refined((1.0, 9.0), 0.0, 10.0, 2) == (1.0, 9.0)
    assert refined((), 5.0, 5.0, 4) == ()
    wide = refined((0.0,), -1.7e308, 1.7e308, 4)
    assert list(wide) == sorted(wide)
    assert np.isfinite(wide).all()


def test_cells_without_numbers_are_no_cells_of_whole_numbers():
    low, high = np.array([1.0, np.inf, 9.0]), np.array([2.0, -np.inf, 9.0])
    assert halves(low, high) == (2.5, 8.5)
