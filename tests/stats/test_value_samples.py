"""A sample of distinct values: the same whatever the order of the rows, and whole where it can be."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick import kernels
from tallystick.engine import Local
from tallystick.schema import Column, Schema, Target
from tallystick.stats import values as value_samples
from tallystick.stats.class_counts import ClassValues, ValuesByClass
from tallystick.stats.values import ValueSample, sample_of
from tallystick.table.block import RowBlock as Block
from tallystick.table.hash_sample import ALL
from tallystick.table.table import LocalTable as Table

ASK = ValueSample(("x",), 2, size=100)


def as_table(block):
    schema = Schema((Column("x", "numeric"),), Target("y", ("no", "yes")))
    return Table(schema, block.columns, block.rows, classes=block.classes, weights=block.weights)


def rows(x, seed=0, weights=None):
    y = np.random.default_rng(seed).integers(0, 2, len(x)).astype(np.uint8)
    return Block(len(x), {"x": x}, y, weights=weights)


def told(total):
    return [[part.tolist() for part in found.values] + [found.limit] for found in total]


def parts(block, size):
    for start in range(0, block.rows, size):
        stop = min(start + size, block.rows)
        weights = None if block.weights is None else block.weights[start:stop]
        x, y = block.values("x")[start:stop], block.classes[start:stop]
        yield Block(stop - start, {"x": x}, y, weights=weights)


@pytest.mark.parametrize("distinct", [20, 100, 101, 380, 420, 3_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_sample_does_not_depend_on_how_rows_are_cut_or_reached(distinct, weighted):
    rng = np.random.default_rng(distinct)
    x = rng.choice(np.concatenate([rng.normal(size=distinct - 2), [0.0, 5.0]]), 4_000)
    x[::9] = np.nan
    block = rows(x, weights=rng.integers(1, 4, len(x)) if weighted else None)
    whole = ASK.add(ASK.zero(), block)
    one_by_one = ASK.zero()
    for part in parts(block, 700):
        one_by_one = ASK.add(one_by_one, part)
    merged = ASK.zero()
    for part in reversed(list(parts(block, 1_300))):
        merged = ASK.merge(merged, ASK.add(ASK.zero(), part))
    assert told(whole) == told(one_by_one) == told(merged) == told(ASK.solve(as_table(block), Local(1)))


@pytest.mark.parametrize("distinct", [200, 380, 390, 400, 410, 420, 800])
def test_a_sample_lies_in_the_first_quarter_of_the_hashes_or_is_whole(distinct):
    x = np.random.default_rng(distinct).normal(size=distinct)
    near = np.count_nonzero(kernels.value_hashes(x) <= np.uint64(ALL // 4))
    (found,) = ASK.solve(as_table(rows(np.tile(x, 20))), Local(1))
    assert len(found.values.values) == (100 if near > 100 else distinct)
    assert found.whole == (near <= 100)


@pytest.mark.parametrize("distinct", [1, 2, 3, 7, 30])
def test_few_values_of_many_rows_are_all_there(distinct):
    x = np.resize(np.random.default_rng(distinct).normal(size=distinct), 50_000)  # none missing, none picked
    (found,) = ValueSample(("x",), 2).solve(as_table(rows(x)), Local(2))
    assert found.whole
    assert len(found.values.values) == distinct


def test_a_block_of_which_nothing_is_in_the_sample_adds_nothing():
    x = np.random.default_rng(0).normal(size=3_000)
    known = ASK.add(ASK.zero(), rows(x))
    far = x[kernels.value_hashes(x) > np.uint64(known[0].limit)]
    for some in (far[:0], far[:5]):
        assert told(ASK.add(known, rows(some))) == told(known)
    assert told(ASK.add(ASK.zero(), rows(x[:0]))) == told(ASK.zero())


def test_a_sample_is_whole_up_to_its_size_and_then_the_values_of_least_hash():
    x = np.random.default_rng(1).normal(size=500)
    (all_values,) = ClassValues(("x",), 2).add(ClassValues(("x",), 2).zero(), rows(x))
    assert sample_of(all_values, size=500).whole
    some = sample_of(all_values, size=100)
    least = np.sort(x[np.argsort(kernels.value_hashes(x))[:100]])
    assert some.values.values.tolist() == least.tolist()
    assert not some.whole
    # Each value has all its rows.
    at = np.searchsorted(all_values.values, least)
    assert some.values.counts.tolist() == all_values.counts[at].tolist()


@pytest.mark.parametrize("rows", [2, 5, 100, 34_406])
@pytest.mark.parametrize("top", [3, 1 << 58, ALL])
def test_the_last_hash_of_a_sample_is_that_of_sorting_all(rows, top):
    hashes = np.random.default_rng(rows).integers(0, top, rows, dtype=np.uint64, endpoint=True)
    uneven = np.append(np.sort(hashes >> np.uint64(1))[1:], np.uint64(ALL))  # nothing lies where it must
    for some in (hashes, uneven):
        for size in {1, rows // 2, rows - 1, 20 * rows // 21}:
            if size:
                assert value_samples._least(some, size) == int(np.sort(some)[size - 1])


def test_a_hash_is_of_the_value_alone():
    plain, negative = (kernels.value_hashes(np.array([zero, 1.0])).tolist() for zero in (0.0, -0.0))
    assert plain == negative
    hashes = kernels.value_hashes(np.arange(1e5))
    shares = np.histogram(hashes, 8)[0] / len(hashes)
    assert np.abs(shares - 1 / 8).max() < 0.01  # even, whatever the values look like


def test_rows_without_a_value_are_picked_too():
    x = np.array([np.nan, 1.0, 2.0])
    (none, missing), (every, values) = kernels.pick_values([x, x], [0, ALL])
    assert none.tolist() == [0]
    assert np.isnan(missing).tolist() == [True]
    assert every.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(values, x)


@pytest.mark.parametrize("columns", [1, 5, 8, 70])
@pytest.mark.parametrize("order", ["C", "F"])
def test_picked_rows_are_those_whose_hashes_are_low(columns, order):
    rng = np.random.default_rng(columns)
    x = np.array(rng.normal(size=(300, columns)), order=order)
    x[::7, 0], x[5, -1] = np.nan, -0.0
    limits = rng.integers(0, ALL, columns, dtype=np.uint64, endpoint=True).tolist()
    for j, (rows, values) in enumerate(kernels.pick_values(list(x.T), limits)):
        own = np.ascontiguousarray(x[:, j])
        low = kernels.value_hashes(own) <= np.uint64(limits[j])
        assert rows.tolist() == np.flatnonzero(low | np.isnan(own)).tolist()
        np.testing.assert_array_equal(values, own[rows])


@pytest.mark.parametrize("size", [1, 7, 200, 10_000])
@pytest.mark.parametrize("decimals", [1, 15])
@pytest.mark.parametrize("weighed", [False, True])
def test_a_sample_of_picked_values_is_that_of_all_with_its_limit(size, decimals, weighed):
    rng = np.random.default_rng(size)
    x = np.round(rng.normal(size=3_000), decimals)
    x[::9], x[1::9] = np.nan, -0.0
    classes = rng.integers(0, 3, len(x)).astype(np.uint16)
    weights = rng.integers(0, 3, len(x)) if weighed else None
    limit = ALL // 2
    parts = []
    for start in (0, 1_000, 2_000):
        ((rows, values),) = kernels.pick_values([x[start : start + 1_000]], [limit])
        parts.append((start, rows, values))
    found = kernels.sample_values(parts, classes, 3, limit, size, weights)
    there = (kernels.value_hashes(x) <= np.uint64(limit)) | np.isnan(x)
    within = np.flatnonzero(there if weights is None else there & (weights > 0))
    ranks = kernels.ranks(x[within])
    heavy = None if weights is None else weights[within]
    counts = kernels.count_codes(ranks.codes, classes[within], len(ranks.distinct) + 1, 3, weights=heavy)
    expected = sample_of(ValuesByClass(ranks.distinct, counts[:-1], counts[-1]), limit, size)
    for a, b in zip(found[:3], expected.values, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.signbit(found.values[found.values == 0]).any()
    assert (found.limit, found.distinct) == (expected.limit, len(ranks.distinct))


def test_a_sample_of_nothing_is_empty():
    found = kernels.sample_values([], np.zeros(0, np.uint8), 2, ALL, 5)
    assert (len(found.values), found.counts.shape, found.distinct) == (0, (0, 2), 0)
