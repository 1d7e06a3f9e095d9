"""Cuts by the MDL rule: between values, of the multiset of values, and of many values between cells."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick import kernels
from tallystick.model.additive import bins_of
from tallystick.stats.binning import CELLS, cells_of, cut_by_mdl, in_cells, join_cells
from tallystick.stats.class_counts import Ask, BayesSums, ValuesByClass, key
from tallystick.stats.values import sample_of
from tallystick.table.block import RowBlock as Block


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


SHAPES = {
    "even": lambda rng, n: rng.random(n),
    "skewed": lambda rng, n: np.exp(rng.normal(size=n)),
    "far tail": lambda rng, n: np.exp(6 * rng.normal(size=n)),
    "hardly apart": lambda rng, n: 1.0 + rng.permutation(n) * 2.0**-52,
    "one heavy value": lambda rng, n: np.where(rng.random(n) < 0.4, 0.25, rng.normal(size=n)),
}


def many(shape, n=40_000):
    """A column of many values, the class of each, and what a question of its values answers."""
    rng = np.random.default_rng(n)
    x = SHAPES[shape](rng, n)
    y = (rng.random(n) < np.where(x > np.quantile(x, 0.3), 0.8, 0.3)).astype(np.uint8)
    values, place = np.unique(x, return_inverse=True)
    counts = np.zeros((len(values), 2), np.int64)
    np.add.at(counts, (place, y), 1)
    return x, y, ValuesByClass(values, counts, np.array([3, 4]))


@pytest.mark.parametrize("shape", SHAPES)
def test_cells_are_about_equal_and_each_has_a_value_of_the_sample(shape):
    _, _, column = many(shape)
    sample = sample_of(column, size=5_000).values
    ends = cells_of(sample, 1)
    assert np.all(np.diff(ends) > 0)
    own = np.bincount(bins_of(sample.values, ends), minlength=len(ends) + 1)
    assert own.min() > 0
    rounded = shape in ("even", "hardly apart")
    assert own.max() <= sample.counts.sum() / CELLS * (2 if rounded else 1) + 1
    found = set(cut_by_mdl(sample, 1).cuts)
    assert found <= set(ends.tolist())
    step = 2.0 ** np.ceil(np.log2((ends[-1] - ends[0]) / kernels.BIN_STEPS))
    assert rounded == all(end in found or end % step == 0 for end in ends.tolist())


@pytest.mark.parametrize("scale", [1e-300, 1e-5, 1.0, 4e3, 1e300])
def test_ends_are_rounded_to_steps_of_a_power_of_two_and_never_to_minus_0(scale):
    values = scale * (np.arange(5_000) - 2_500.0)
    ends = cells_of(ValuesByClass(values, np.ones((5_000, 2), np.int64), np.zeros(2, np.int64)), 1)
    steps = ends / 2.0 ** np.ceil(np.log2((ends[-1] - ends[0]) / kernels.BIN_STEPS))
    assert steps.tolist() == np.rint(steps).tolist()
    assert 200 < len(ends) <= CELLS
    assert 0.0 in ends
    assert not np.signbit(ends[ends == 0]).any()


@pytest.mark.parametrize("low", [-1.7e308, 1.0e308])
def test_ends_of_the_largest_numbers_are_numbers(low):
    values = np.linspace(low / 2, 1.797e308 / 2, 5_000) * 2
    ends = cells_of(ValuesByClass(values, np.ones((5_000, 2), np.int64), np.zeros(2, np.int64)), 1)
    assert np.isfinite(ends).all()
    assert len(ends) > 200


def test_a_sample_of_heavy_weights_is_weighed_without_overflow():
    values, rows = np.arange(5_000.0), np.full((5_000, 2), 2**48)
    light, heavy = (ValuesByClass(values, own, np.zeros(2, np.int64)) for own in (rows // 2**48, rows))
    assert cells_of(heavy, 2**48).tolist() == cells_of(light, 1).tolist()


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_counted_in_cells_are_cut_as_values_are_that_were_joined_to_cells(shape):
    x, y, column = many(shape)
    ends = cells_of(sample_of(column, size=5_000).values, 1)
    asks = BayesSums((Ask("x", "bins", cuts=tuple(ends)),), 2)
    total = asks.add(asks.zero(), Block(len(x), {"x": x}, y))
    counted = total[key(0, "counts")]
    joined = in_cells(column, ends)
    assert joined[:-1].tolist() == counted[:-1].tolist()
    assert joined[-1].tolist() == [3, 4]
    found = join_cells(ends, joined, 1)
    assert set(found.cuts) <= set(ends.tolist())
    assert found.missing.tolist() == [3, 4]
    again = np.zeros_like(found.counts)
    np.add.at(again, (bins_of(x, np.array(found.cuts)), y), 1)
    assert found.counts.tolist() == again.tolist()


@pytest.mark.parametrize("shape", SHAPES)
def test_cells_lose_next_to_nothing_of_what_all_values_tell(shape):
    _, _, column = many(shape)

    def told(bins):  # bits by which the bins tell the classes
        shares = bins.counts / bins.counts.sum(axis=1, keepdims=True)
        logs = np.log2(shares, where=shares > 0, out=np.zeros_like(shares))
        return (bins.counts * logs).sum() / column.counts.sum()

    ends = cells_of(sample_of(column, size=5_000).values, 1)
    exact, cells = (told(cut_by_mdl(column, 1)), told(join_cells(ends, in_cells(column, ends), 1)))
    assert exact - cells < 0.004
