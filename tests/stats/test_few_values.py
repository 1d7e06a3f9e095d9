"""Columns in a few values, and counts of pairs of them: the same whatever the cut of values and rows."""

from __future__ import annotations

import numpy as np
import pytest
from ranged import Pieces

from tallystick.stats.values import FewValues, PairCounts
from tallystick.table.block import RowBlock as Block


@pytest.mark.parametrize("distinct", [0, 3, 6, 7, 50])
def test_bins_of_numbers_hold_equal_counts_however_the_values_are_cut(distinct):
    rng = np.random.default_rng(distinct)
    values = np.sort(rng.normal(size=distinct))
    counts = rng.integers(1, 9, (distinct, 1))
    rows = np.repeat(values, counts[:, 0])
    block = Block(len(rows) + 1, {"x": np.append(rows, np.nan)})
    before = np.cumsum(counts[:, 0]) - counts[:, 0]
    wanted = before * 6 // max(len(rows), 1) if distinct > 6 else np.arange(distinct)
    size = int(wanted.max(initial=0)) + 1
    for cuts in ([], list(range(1, distinct))):
        few = FewValues.of_numbers("x", Pieces(values, counts, cuts), len(rows) + 1, 6)
        assert (few.size, few.gaps, few.many) == (size, True, size + 1)
        assert few.codes(block).tolist() == [*np.repeat(wanted, counts[:, 0]).tolist(), size]


def test_the_most_frequent_levels_are_kept_and_the_others_are_one():
    few = FewValues.of_levels("c", np.array([1, 9, 5, 7, 0]), 2)
    assert (few.size, few.gaps) == (3, False)
    assert few.codes(Block(6, {"c": np.array([0, 1, 2, 3, 4, 5], np.uint8)})).tolist() == [2, 0, 2, 1, 3, 3]


def test_pairs_are_counted_class_by_class_whatever_the_blocks():
    rng = np.random.default_rng(4)
    a, b, y = (rng.integers(0, n, 90).astype(np.uint8) for n in (3, 2, 2))
    few = tuple(FewValues.of_levels(n, np.bincount(c, minlength=4), 9) for n, c in (("a", a), ("b", b)))
    asked = PairCounts(few, ((0, 1),), 2)
    cells = [Block(30, {"a": a[s], "b": b[s]}, y[s]) for s in (slice(0, 30), slice(30, 60), slice(60, 90))]
    parts = [asked.add(asked.zero(), cell) for cell in cells]
    (found,) = asked.merge(parts[2], asked.merge(parts[0], parts[1]))
    wanted = np.zeros_like(found)
    np.add.at(wanted, (a, b, y), 1)
    assert found.tolist() == wanted.tolist()
