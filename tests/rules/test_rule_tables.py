"""Count tables of rules: what a walk over the rows counts, whatever the cut into blocks."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.rules.learner import ListCounts, Pick, RuleTables, holds
from tallystick.table.block import RowBlock as Block
from tallystick.tree.tables import CodedColumn, Coding

FORM = CodedColumn((Coding("x", "numeric", 3, np.array([2.0, 5.0]), True), Coding("a", "levels", 2)))


def rows(seed, n=60):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 8, n).astype(float)
    x[rng.random(n) < 0.1] = np.nan
    weights = rng.integers(0, 4, n) if seed % 2 else None
    columns = {"x": x, "a": rng.integers(0, 3, n).astype(np.uint8)}
    return Block(n, columns, rng.integers(0, 3, n).astype(np.uint8), None, weights)


def part(block, a, b):
    weights = None if block.weights is None else block.weights[a:b]
    columns = {"x": block.values("x")[a:b], "a": block.codes("a")[a:b]}
    return Block(b - a, columns, block.classes[a:b], None, weights)


def picks(seed):
    rng = np.random.default_rng(seed + 1)
    return tuple(
        tuple(
            Pick(c, tuple((rng.random(4 if c == 0 else 3) < 0.6).tolist()))
            for c in range(2)
            if rng.random() < 0.7
        )
        for _ in range(3)
    )


def walked(block, taken, asked):
    """tables by a walk over single rows: the slow twin."""
    out = [np.zeros((4, 3), np.int64), np.zeros((3, 3), np.int64)]
    for i in range(block.rows):
        x, a = block.values("x")[i], int(block.codes("a")[i])
        code = 3 if np.isnan(x) else int(x >= 2) + int(x >= 5)
        fits = [all(p.allowed[(code, a)[p.column]] for p in each) for each in (*taken, asked)]
        if fits[-1] and not any(fits[:-1]):
            w = 1 if block.weights is None else int(block.weights[i])
            out[0][code, block.classes[i]] += w
            out[1][a, block.classes[i]] += w
    return out


seeds = st.integers(0, 10_000)


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(0, 60))
def test_tables_are_those_of_a_walk_whatever_the_cut(seed, cut):
    block, (one, two, three) = rows(seed), picks(seed)
    question = RuleTables(FORM, (one,), (two, three), 3)
    whole = question.add(question.zero(), block)
    parts = question.merge(
        question.add(question.zero(), part(block, 0, cut)),
        question.add(question.zero(), part(block, cut, 60)),
    )
    form, light = question.prepared()
    ready = light.add(question.zero(), form(block))
    for tables, other, third, asked in zip(whole, parts, ready, (two, three), strict=True):
        for a, b, c, d in zip(tables, other, third, walked(block, (one,), asked), strict=True):
            assert np.array_equal(a, b)
            assert np.array_equal(a, c)
            assert np.array_equal(a, d)


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(0, 60))
def test_a_list_takes_each_row_once_and_knows_who_is_next(seed, cut):
    block, rules = rows(seed), picks(seed)
    question = ListCounts(FORM, rules, 3)
    found = question.add(question.zero(), block)
    parts = question.merge(
        question.add(question.zero(), part(block, 0, cut)),
        question.add(question.zero(), part(block, cut, 60)),
    )
    assert all(np.array_equal(a, b) for a, b in zip(found, parts, strict=True))
    all_rows = np.bincount(block.classes, block.weights, minlength=3)
    assert np.array_equal(found.first.sum(axis=0), all_rows)
    assert np.array_equal(found.second.sum(axis=1), found.first[:-1])
    for k in range(3):  # without rule k its rows are taken by the next that holds
        less = ListCounts(FORM, rules[:k] + rules[k + 1 :], 3)
        moved = np.delete(found.first, k, axis=0) + np.delete(found.second[k], k, axis=0)
        assert np.array_equal(less.add(less.zero(), block).first, moved)


def test_no_condition_holds_everywhere():
    assert holds((), [], 3).tolist() == [True, True, True]
    assert all(c.values is None for c in FORM.done().codings)
