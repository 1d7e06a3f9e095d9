"""Cuts by the MDL rule: between values, of the multiset of values, and without sorting all rows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallystick.data.schema import Column, Schema, Target
from tallystick.data.table.block import Block
from tallystick.data.table.table import Table
from tallystick.stats.class_values import ValuesByClass
from tallystick.stats.cut_values import ByCells, CutValues, between, cut_by_mdl


def as_table(block):
    schema = Schema((Column("x", "numeric"),), Target("y", ("no", "yes")))
    return Table(schema, block.columns, block.rows, classes=block.classes, weights=block.weights)


def column(values, counts):
    order = np.argsort(values)
    return ValuesByClass(np.array(values, float)[order], np.array(counts)[order], np.zeros(2, np.int64))


def test_a_number_is_cut_between_the_values_where_classes_change():
    apart = column(range(10), [[5, 0]] * 5 + [[0, 5]] * 5)
    bins = cut_by_mdl(apart, 1)
    assert bins.cuts == (4.5,)
    assert bins.counts.tolist() == [[25, 0], [0, 25]]


def test_values_that_say_nothing_are_one_bin():
    assert cut_by_mdl(column(range(4), [[5, 5]] * 4), 1).cuts == ()
    none = cut_by_mdl(column([], np.zeros((0, 2), np.int64)), 1)
    assert (none.cuts, none.counts.tolist()) == ((), [[0, 0]])


def test_a_cut_lies_above_the_lower_value_however_near_they_are():
    assert between(1.0, 3.0) == 2.0
    low = 1.0
    assert between(low, math.nextafter(low, 2)) == math.nextafter(low, 2)
    assert between(-1.7e308, 1.7e308) == 0.0


SHAPES = {
    "even": lambda rng, n: rng.random(n),
    "far tail": lambda rng, n: np.exp(6 * rng.normal(size=n)),
    "few": lambda rng, n: rng.integers(-3, 9, n).astype(float),
    "one value": lambda rng, n: np.full(n, -0.0),
    "hardly apart": lambda rng, n: 1.0 + rng.integers(0, 40, n) * 2.0**-52,
    "whole range": lambda rng, n: rng.choice([-1.7e308, -1.0, 0.0, 3.0, 1.7e308], n),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_in_cells_are_cut_where_sorted_rows_are(shape, classes, weighted):
    rng = np.random.default_rng(classes)
    n = 30_000
    x = SHAPES[shape](rng, n)
    middle = np.median(x)
    y = ((x > middle).astype(np.uint8) + rng.integers(0, 3, n) // 2).clip(max=classes - 1).astype(np.uint8)
    x[::50] = np.nan
    weights = rng.integers(0, 4, n) if weighted else None
    ask = CutValues(("x",), classes)
    block = Block(n, {"x": x}, y, weights=weights)
    (sorted_rows,) = ask.bins(ask.add(ask.zero(), block), 1)
    (in_cells,) = ask.bins(ByCells().solve(ask, as_table(block), 1), 1)
    assert in_cells.cuts == sorted_rows.cuts
    assert in_cells.counts.tolist() == sorted_rows.counts.tolist()
    assert in_cells.missing.tolist() == sorted_rows.missing.tolist()
    assert shape == "one value" or len(in_cells.cuts)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_rows_in_cells(n):
    ask = CutValues(("x",), 2)
    block = Block(n, {"x": np.arange(n, dtype=float)}, np.arange(n, dtype=np.uint8))
    (found,) = ByCells().solve(ask, as_table(block), 1)
    (expected,) = ask.bins(ask.add(ask.zero(), block), 1)
    assert (found.cuts, found.counts.tolist()) == (expected.cuts, expected.counts.tolist())
