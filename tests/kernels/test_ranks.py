"""One look at a column, exact ranks, bins and cells: those of the twin."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference
from hard_columns import EDGES, NUMBERS, columns
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tallystick import kernels


@given(columns(elements=NUMBERS | st.sampled_from([math.inf, -math.inf])))
def test_scan_equals_the_twin(values):
    assert tuple(kernels.scan(values))[:6] == reference.scan(values)
    assert str(kernels.scan(values).low) != "-0.0"
    matrix = np.stack([values, values[::-1]], axis=1)
    assert [tuple(s)[:6] for s in kernels.scan_matrix(matrix)] == [
        reference.scan(values),
        reference.scan(values[::-1]),
    ]


@given(st.sampled_from("bBhHiIlLqQ"), st.data())
def test_scan_of_whole_numbers_keeps_every_digit(code, data):
    values = data.draw(hnp.arrays(np.dtype(code), st.integers(1, 20)))
    seen = kernels.scan(values)
    assert (seen.low, seen.high) == (int(values.min()), int(values.max()))
    assert seen.binary == set(values.tolist()).issubset({0, 1})
    assert type(seen.low) is int


@given(hnp.arrays(np.float32, st.integers(0, 20), elements=st.floats(width=32)))
def test_scan_of_single_precision_equals_the_twin(values):
    assert tuple(kernels.scan(values))[:6] == reference.scan(values)


@given(columns())
@example(np.array([1e300, *(1.0 + np.arange(40) % 7 * 2.0**-52)]))  # ties below every prefix
@example(np.array([0.0, -0.0, math.nan, 0.0]))
def test_ranks_equal_the_twin(values):
    codes, distinct, counts, missing, order = reference.ranks(values)
    found = kernels.ranks(values, counts=True, order=True)
    np.testing.assert_array_equal(found.codes, codes)
    np.testing.assert_array_equal(found.distinct.view(np.uint64), (distinct + 0.0).view(np.uint64))
    np.testing.assert_array_equal(found.counts, counts)
    assert found.missing == missing
    np.testing.assert_array_equal(found.order, order)


@pytest.mark.parametrize("kind", ["normal", "whole", "single", "outlier", "close", "wide", "few"])
def test_ranks_of_many_rows_equal_numpy_unique(kind):
    seed = np.random.default_rng(3)
    n = 70_000
    values = {
        "normal": seed.normal(size=n),
        "whole": seed.integers(0, 50_000, n).astype(float),
        "single": seed.normal(size=n).astype(np.float32).astype(float),
        "outlier": np.r_[1e300, 1 + 1e-9 * seed.random(n - 1)],
        "close": 1.7e9 + np.round(seed.random(n) * 1e4) / 1e3,
        "wide": np.exp(seed.uniform(-700, 700, n)) * seed.choice([-1, 1], n),
        "few": seed.choice([0.25, -3.0, 17.0], n),
    }[kind]
    values[seed.integers(0, n, 100)] = math.nan
    codes, distinct, counts, _, order = reference.ranks(values)
    found = kernels.ranks(values, counts=True, order=True)
    assert found.codes.dtype == (
        np.uint8 if kind == "few" else np.uint16 if len(distinct) < 65535 else np.uint32
    )
    np.testing.assert_array_equal(found.codes, codes)
    np.testing.assert_array_equal(found.distinct, distinct)
    np.testing.assert_array_equal(found.counts, counts)
    np.testing.assert_array_equal(found.order, order)


@given(
    columns(),
    st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(EDGES), max_size=20),
)
def test_bins_equal_the_twin(values, cuts):
    cuts = np.unique(np.array(cuts, np.float64) + 0.0)
    np.testing.assert_array_equal(kernels.bins(values, cuts), reference.bins(values, cuts))


def evenly(n):
    return np.linspace(-2, 2, n)


CUTS = {
    "one": np.array([0.5]),
    "even": evenly(300),
    "one in a cell": evenly(1_500),
    "two in a cell": evenly(3_500),
    "four in a cell": evenly(7_500),
    "several in few cells": np.sort(np.append(evenly(300), [1e-9, 2e-9, 3e-9, 1.5 + 1e-9, 2 - 1e-9])),
    "crowded": np.append(evenly(300), 1e6),
    "hardly apart": 1.0 + np.arange(40) * 2.0**-52,
    "whole range": np.array([-1.7e308, -1.0, 0.0, 1.0, 1.7e308]),
    "half of the range": np.array([-8e307, 0.0, 8e307]),
    "many": evenly(70_000),
    "in steps": np.arange(-300, 500, 3) / 256,
    "in small steps, far out": 2.0**48 + np.arange(0, 1_000, 7.0),
    "in steps, some inside": np.sort(np.append(evenly(257), [-1.172, 0.0011, 0.0012, 0.4141, 1.2])),
    "in large steps": np.arange(-500, 500, 6) * 1024.0 + 1024,
    "in large steps, one of them 0": np.arange(-498, 500, 6) * 1024.0,
    "in steps, the most": np.arange(2_044.0) * 2.0**-60,
    "one step more": np.arange(2_045.0) * 2.0**-60,
    "too many steps": np.arange(0, 2_050.0, 5),
}


@pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
def test_bins_of_many_rows_equal_the_twin(cuts):
    rng = np.random.default_rng(0)
    beside = [cuts, -cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)]
    values = np.concatenate([rng.normal(size=5_000), *beside, EDGES, [np.nan, np.inf, -np.inf]])
    bins = reference.bins(values, cuts)
    np.testing.assert_array_equal(kernels.bins(values, cuts), bins)
    weights = rng.integers(0, 9, len(values))
    for n, own in ((3, None), (3, weights), (4, None)):  # few classes may be counted otherwise
        classes = rng.integers(0, n, len(values)).astype(np.uint8)
        table = np.ones((len(cuts) + 2, n), np.int64)
        kernels.count_bins([values], [cuts], classes, weights=own, out=[table])
        expected = np.ones_like(table)
        np.add.at(expected, (bins, classes), 1 if own is None else own)
        np.testing.assert_array_equal(table, expected)


def test_columns_of_a_matrix_are_counted_as_each_alone():
    rng = np.random.default_rng(1)
    x, classes = rng.normal(size=(9_000, 5)), rng.integers(0, 2, 9_000).astype(np.uint16)
    cuts = [np.sort(rng.normal(size=n)) for n in (0, 1, 20, 300, 3)]
    out = [np.zeros((len(own) + 2, 2), np.int64) for own in cuts]
    kernels.count_bins(list(x.T), cuts, classes, out=out)
    for j, table in enumerate(out):
        np.testing.assert_array_equal(table, counted_alone(x[:, j], cuts[j], classes))


def counted_alone(values, cuts, classes):
    table = np.zeros((len(cuts) + 2, 2), np.int64)
    np.add.at(table, (reference.bins(values, cuts), classes), 1)
    return table


@pytest.mark.parametrize("asked", [[0, 1, 2, 3, 5, 9], [1, 4, 8], [9, 3, 2, 2, 7], [6], [0, 2], [5, 6, 7, 8]])
@pytest.mark.parametrize("order", ["C", "F"])
def test_some_columns_of_a_matrix_are_counted_as_each_alone(asked, order):
    rng = np.random.default_rng(2)
    x = np.array(rng.normal(size=(1_031, 10)), order=order)
    x[::13] = np.nan
    classes = rng.integers(0, 2, len(x)).astype(np.uint8)
    cuts = [np.sort(rng.normal(size=5 + j)) for j in asked]
    out = [np.zeros((len(own) + 2, 2), np.int64) for own in cuts]
    kernels.count_bins([x[:, j] for j in asked], cuts, classes, out=out)
    for j, own, table in zip(asked, cuts, out, strict=True):
        np.testing.assert_array_equal(table, counted_alone(x[:, j], own, classes))


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("asked", [range(14), [0, 1, 2, 5, 6, 7, 8, 12, 13], range(3, 11), range(5, 10)])
def test_columns_with_cuts_in_steps_are_counted_by_rows_as_each_alone(asked, n):
    """Cells of eight neighbours are found as rows lie, but for columns between them that have other cuts."""
    rng = np.random.default_rng(3)
    every = [cuts for name, cuts in CUTS.items() if name.startswith("in ")]
    every = [every[j % len(every)] if j % 5 else CUTS["crowded"] for j in range(14)]
    drawn = [rng.choice(np.r_[own, np.nextafter(own, -np.inf), -0.0], 9_006) for own in every]
    x = np.array(np.transpose(drawn), order="C")
    x += np.where(rng.random(x.shape) < 0.5, rng.normal(size=x.shape), 0)
    x[::17] = rng.choice([np.nan, np.inf, -np.inf, 5e-324, -5e-324, 0.0], x[::17].shape)
    classes = rng.integers(0, n, len(x)).astype(np.uint8)
    for rows in (x, x[::2], x[:, ::-1]):
        out = [np.zeros((len(every[j]) + 2, n), np.int64) for j in asked]
        own = classes[:: len(x) // len(rows)][: len(rows)].copy()
        kernels.count_bins([rows[:, j] for j in asked], [every[j] for j in asked], own, out=out)
        for j, table in zip(asked, out, strict=True):
            expected = np.zeros_like(table)
            np.add.at(expected, (reference.bins(rows[:, j], every[j]), own), 1)
            np.testing.assert_array_equal(table, expected)


@pytest.mark.slow
@given(
    columns(), st.sampled_from([1, 2, 300]), st.floats(-10, 10), st.floats(0, 1e3), st.booleans(), st.data()
)
def test_cells_equal_the_twin(values, n, start, scale, weighted, data):
    values = np.where(np.isinf(values), np.nan, values)
    weights = np.arange(len(values), dtype=np.int64) if weighted else None
    wanted = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
    cells, counts = reference.cells(values, start, scale, n), np.ones(n, np.int64)
    kernels.count_cells(values, start, scale, weights, counts)
    here = cells < n
    found = np.bincount(cells[here], None if weights is None else weights[here], n)
    np.testing.assert_array_equal(counts, 1 + found.astype(np.int64))
    rows = kernels.pick_cells(values, start, scale, wanted)
    np.testing.assert_array_equal(rows, np.flatnonzero(np.append(wanted, False)[cells]))


@pytest.mark.parametrize("rows", [49_153, 65_536, 70_000, 131_072])
def test_many_rows_of_few_values_have_one_rank_a_value(rows):
    values = np.random.default_rng(3).integers(0, 5, rows).astype(float)
    found = kernels.ranks(values, counts=True)
    assert found.distinct.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert (found.distinct[found.codes] == values).all()
    assert found.counts.tolist() == np.bincount(values.astype(int)).tolist()


WIDE = ("int64", "uint64", "int32", "uint32", "int16", "uint16", "int8", "uint8", "float32", "float64")


def same_values(met, column, classes, weights=None):
    for own, twin in zip(met, reference.meet_values(column, classes, 3, weights), strict=True):
        np.testing.assert_array_equal(own, twin)
    assert not np.signbit(met[0][met[0] == 0]).any()


@given(columns(elements=NUMBERS | st.sampled_from([math.inf, -math.inf, math.nan])), st.booleans())
def test_values_that_are_met_equal_the_twin(values, weighted):
    classes = (np.arange(len(values)) % 3).astype(np.uint8)
    weights = np.arange(len(values)) % 4 if weighted else None
    for own in (values, values[::-1]):
        (met,) = kernels.meet_values([own], classes, 3, len(values) + 1, weights)
        same_values(met, own, classes, weights)


@pytest.mark.parametrize("step", [1 / 5_000, 1.0, 2.0**16])
@pytest.mark.parametrize("first", [0.0, math.nan])
def test_values_that_the_first_rows_do_not_tell_of_are_met(first, step):
    values = np.random.default_rng(0).integers(0, 5_000, 20_000) * step
    values[:600] = first
    classes = (np.arange(len(values)) % 3).astype(np.uint8)
    (met,) = kernels.meet_values([values], classes, 3, 9_000)
    same_values(met, values, classes)


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("spread", [3, 1_000, 2**40])
def test_numbers_of_any_type_are_met_by_rows_and_by_columns(dtype, spread):
    drawn = np.random.default_rng(spread).normal(size=(9_001, 5)) * spread
    if np.dtype(dtype).kind in "iu":
        ends = np.iinfo(dtype)
        drawn = np.clip(np.trunc(drawn), int(ends.min), min(int(ends.max), 2**53))
    matrix, classes = drawn.astype(dtype), (np.arange(9_001) % 3).astype(np.uint16)
    for laid in (matrix, np.asfortranarray(matrix), matrix[::-1, ::2]):
        met = kernels.meet_values(list(laid.T), classes, 3, 9_001)
        for own, column in zip(met, laid.T, strict=True):
            same_values(own, column, classes)


def test_values_beyond_those_allowed_are_not_told():
    values, classes = np.r_[np.arange(700.0), np.nan, np.arange(700.0)], np.zeros(1_401, np.uint8)
    assert kernels.meet_values([values, values % 5], classes, 3, 699)[0] is None
    assert kernels.meet_values([values, values % 5], classes, 3, 699)[1] is not None
    same_values(kernels.meet_values([values], classes, 3, 700)[0], values, classes)
    assert [len(part) for part in kernels.meet_values([values[:0]], classes[:0], 3, 9)[0]] == [0, 0, 3]


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8"])
def test_bins_of_numbers_of_any_type_are_those_of_their_doubles(dtype):
    matrix = (np.random.default_rng(5).normal(size=(3_001, 70)) * 40 % 250).astype(dtype)
    classes = (np.arange(3_001) % 2).astype(np.uint8)
    cuts = [np.sort(np.random.default_rng(j).integers(0, 250, 1 + j % 9)).astype(float) for j in range(70)]
    for laid in (matrix, np.asfortranarray(matrix), matrix[::-1]):
        found = [[np.zeros((len(own) + 2, 2), np.int64) for own in cuts] for _ in range(2)]
        kernels.count_bins(list(laid.T), cuts, classes, out=found[0])
        kernels.count_bins(list(laid.astype(np.float64).T), cuts, classes, out=found[1])
        for own, twin in zip(*found, strict=True):
            np.testing.assert_array_equal(own, twin)
