"""The search beside a slow twin in NumPy: every way to sum losses, in lanes of every width."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.kernels.trees import Search, SearchColumn

FOLD = 9


def losses(form, rows, rng, heavy):
    """Return loss[row, answer] of some form; heavy: the largest weight."""
    answers = 2 if form == "two" else 4
    weights = rng.integers(1, heavy + 1, rows)
    if form == "classes":
        out = np.repeat(weights[:, None], answers, axis=1)
        out[np.arange(rows), rng.integers(0, answers, rows)] = 0
        return out
    return rng.integers(0, 3, (rows, answers)) * weights[:, None]


def problem(form, heavy=1, seed=0, rows=70):
    """Return columns of many values, of few, of levels, each with missing rows; and losses."""
    rng = np.random.default_rng(seed)
    columns = []
    for levels, k, lost in ((False, 60, 0), (False, 40, 9), (False, 3, 1), (True, 5, 1), (True, 4, 0)):
        codes = rng.integers(0, k + (lost > 0), rows).astype(np.uint32)
        columns.append(SearchColumn(levels, k, codes))
    return columns, losses(form, rows, rng, heavy).astype(np.int64)


def every_left(columns):
    """Return left[test, row] of every test of all rows."""
    out = []
    for column in columns:
        lost = column.codes == column.k
        for code in range(column.k):
            left = column.codes == code if column.levels else (column.codes <= code) & ~lost
            out += [left, left | lost]
        out.append(~lost)
    return np.array(out)


def twin(columns, loss):
    """Return the least key of depth two, all pairs of tests tried."""
    left = every_left(columns)
    best = loss.sum(axis=0).min() * FOLD + 1
    for first in left:
        both = 0
        for side in (first, ~first):
            rows = left & side
            test = (rows @ loss).min(axis=1) + ((~left & side) @ loss).min(axis=1)
            both += min(loss[side].sum(axis=0).min() * FOLD + 1, test.min() * FOLD + 2)
        best = min(best, both)
    return int(best)


def searched(columns, form, loss, depth=2, backwards=False, **limits):
    search = Search(columns, form, loss, np.zeros(len(loss), np.int64), FOLD, 1)
    search.start(depth, 2**depth, limits.get("max_work"), limits.get("seconds"))
    while cuts := search.plan():
        for number in reversed(range(cuts)) if backwards else range(cuts):
            search.evaluate(number)
        search.merge()
    return search


@pytest.mark.slow
@pytest.mark.parametrize("form", ["two", "classes", "any"])
@pytest.mark.parametrize("heavy", [1, 2**13, 2**40], ids=["16 bits", "32 bits", "64 bits"])
def test_lanes_find_what_trying_all_pairs_finds(form, heavy):
    for seed in range(3):
        columns, loss = problem(form, heavy, seed)
        assert searched(columns, form, loss).key == twin(columns, loss)


@pytest.mark.parametrize("form", ["two", "classes", "any"])
def test_the_order_of_a_round_changes_neither_tree_nor_work(form):
    columns, loss = problem(form, rows=40)
    one, other = (searched(columns, form, loss, 3, backwards) for backwards in (False, True))
    assert (one.tests, one.key, one.work) == (other.tests, other.key, other.work)
    assert one.bound == one.key


def test_a_limit_of_work_gives_a_tree_and_a_bound_that_holds():
    columns, loss = problem("two", rows=60)
    best = searched(columns, "two", loss, 3)
    keys, bounds = [], []
    for work in (1, best.work // 8, best.work // 2, best.work + 1):
        found = searched(columns, "two", loss, 3, max_work=work)
        assert found.bound <= best.key <= found.key
        keys.append(found.key)
        bounds.append(found.bound)
    assert keys[-1] == bounds[-1] == best.key
    assert bounds[0] < best.key


def test_a_search_that_is_stopped_ends_with_a_tree():
    columns, loss = problem("classes")
    search = Search(columns, "classes", loss, np.zeros(len(loss), np.int64), FOLD, 1)
    search.start(4, 16, None, None)
    search.stop()
    assert search.plan() == 1
    search.evaluate(0)
    search.merge()
    assert search.plan() == 0
    assert search.tests
    assert search.bound < search.key


def test_equal_trees_are_one_whatever_the_order_of_rows():
    columns, loss = problem("two", rows=50, seed=3)
    order = np.random.default_rng(0).permutation(50)
    other = [c._replace(codes=np.ascontiguousarray(c.codes[order])) for c in columns]
    one, two = searched(columns, "two", loss, 3), searched(other, "two", loss[order].copy(), 3)
    assert (one.tests, one.key, one.work) == (two.tests, two.key, two.work)
