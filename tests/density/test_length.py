"""Lengths: what rows cost told one after the other, by the very shares of the leaf."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallystick.density import learner as length
from tallystick.density.model import ColumnCells, overall, prior_in
from tallystick.schema import Column


def test_a_leaf_costs_what_its_rows_cost_one_after_the_other_in_any_order():
    cells = [
        ColumnCells(Column("a", "levels", levels=("u", "v", "w"))),
        ColumnCells(Column("b", "boolean", levels=("f", "t"))),
    ]
    whole = [
        overall(cells[0], np.array([5.0, 3.0, 2.0, 1.0]), 4.0),
        overall(cells[1], np.array([4.0, 6.0, 1.0]), 4.0),
    ]
    reach = [np.array([True, True, False, True]), np.ones(3, bool)]
    codes = [[0, 1, 0, 3, 0], [1, 1, 0, 1, 2]]
    rng = np.random.default_rng(0)
    for _ in range(3):
        order, bits = rng.permutation(5), 0.0
        for own, share, here, column in zip(cells, whole, reach, codes, strict=True):
            prior, seen = 4.0 * prior_in(own, share, here), np.zeros(own.k + 1)
            for at in order:
                code = column[at]
                bits -= math.log2((seen[code] + prior[code]) / (seen.sum() + 4.0))
                seen[code] += 1
        rows = [
            np.bincount(c, minlength=own.k + 1).astype(float) for c, own in zip(codes, cells, strict=True)
        ]
        assert length.leaf_bits(cells, rows, whole, reach, 4.0) == pytest.approx(bits, abs=1e-9)


def test_a_test_costs_its_name_and_the_branches_of_its_rows():
    # 2 of 4 columns · 8 choices = 5 bits; branches 1, 0: (1/2) / 1, then (1/2) / 2
    assert length.test_bits(4, 8, np.array([1.0, 1.0])) == pytest.approx(2 + 3 + 1 + 2, abs=1e-12)
