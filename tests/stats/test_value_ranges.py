"""Ranges of a column's values tell what all values at once tell."""

from __future__ import annotations

import numpy as np
import pytest
from ranged import Pieces

from tallystick.stats import one_column_rules as alone
from tallystick.stats.values import ValueRanges, one_label
from tallystick.table.block import RowBlock as Block
from tallystick.table.suspicious_values import sentinels


@pytest.mark.parametrize("many", [1, 2, 3, 4, 5, 40])
@pytest.mark.parametrize("mark", [False, True])
def test_a_few_values_have_the_marks_of_all(many, mark):
    values, counts = np.arange(float(many)), np.full((many, 2), 7)
    if mark:
        values = np.append(values, 9999.0)
        counts = np.vstack([counts, [[50, 0]]])
    told = [m.note("x") for m in sentinels("x", values, counts.sum(axis=1))]
    for cuts in ([], list(range(1, len(values)))):
        found = ValueRanges(Pieces(values, counts, cuts), np.zeros(2, np.int64))
        assert [m.note("x") for m in sentinels("x", *found.few)] == told
        assert found.few[1].sum() == counts.sum()
    assert bool(told) == (mark and many > 2)


def test_a_column_without_values_has_no_ends():
    values, counts = ValueRanges(Pieces(np.zeros(0), np.zeros((0, 1), np.int64), []), np.ones(1)).few
    assert (len(values), len(counts)) == (0, 0)


@pytest.mark.parametrize(("unit", "near"), [(1, False), (1, True), (7, False), (7, True)])
@pytest.mark.parametrize("seed", range(4))
def test_ranges_tell_as_much_of_the_class_as_all_values(seed, unit, near):
    rng = np.random.default_rng(seed)
    values = np.arange(60.0)
    counts = np.zeros((60, 2), np.int64)
    counts[np.arange(60), (values > 20 + 10 * seed).astype(int)] = rng.integers(1, 20, 60)
    counts[rng.integers(0, 60, 2), 0] += 1
    counts, missing = unit * counts, unit * np.array([1, 0])
    counts[5] += 1
    told = alone.by_cuts(counts, missing, 3, unit)
    assert told is not None
    for cuts in ([], [1, 30, 31], sorted(rng.choice(np.arange(1, 60), 9, replace=False).tolist())):
        assert ValueRanges(Pieces(values, counts, cuts), missing, unit, near).alone(3) == told


def test_one_label_is_the_same_for_each_row():
    assert one_label(Block(3, {}, np.array([0, 1, 0], np.uint8))).tolist() == [0, 0, 0]
