"""Rows dealt to folds by the works of workers: the folds that dealing all rows at once gives."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tallystick.judge import folds as cases
from tallystick.judge.folds import InParts, InShare, InTurn, count_cases, deal, in_pieces
from tallystick.schema import Column, Schema, Target
from tallystick.spark.judging import (
    FOLD,
    NUMBER,
    AnsweredFolds,
    Beside,
    ByHash,
    ByPlace,
    CasesHeld,
    CountsByRange,
    Dealt,
    HashesSent,
    Narrow,
    Numbered,
    OfFolds,
    OncePerFold,
    RowCopies,
    RowsSent,
    count_distinct,
)
from tallystick.table.block import Hasher, unpack
from tallystick.table.block import RowBlock as Block
from tallystick.table.subset import take_block
from tallystick.table.table import LocalTable as Table

SCHEMA = Schema((Column("x", "numeric", low=0.0, high=9.0),), Target("y", ("a", "b", "c")))
TASKS = 3


def blocks_of(values, classes):
    whole = Block(len(values), {"x": values}, classes)
    return [take_block(whole, rows) for rows in np.array_split(np.arange(len(values)), 4)]


def shuffled(sent):
    """What each task is sent, from any partition."""
    out = [[] for _ in range(TASKS)]
    for task, data in sent:
        out[task].append((task, data))
    return out


def weighed(blocks, cases, order, unit):
    """The works on rows with weights one after the other, as Spark runs them."""
    copies = RowCopies(unit)
    hashes = [one for block in blocks for one in HashesSent(SCHEMA, TASKS)([block])]
    distinct = sum(next(count_distinct(part)) for part in shuffled(hashes))
    sent = [one for block in blocks for one in RowsSent(ByHash(SCHEMA, TASKS))([block])]
    numbered = Numbered(SCHEMA, order, order.alone(cases, distinct), (), copies)
    blocks = [block for part in shuffled(sent) for block in numbered(part)]
    places = ByPlace(SCHEMA, order, TASKS)
    counted = CountsByRange(places, 3 if order.by_class else 1, copies)
    counts = sum(next(counted([block])) for block in blocks)
    assert counts.sum() == cases
    first = counts.sum(axis=0)
    before = np.cumsum(counts, axis=0) - counts + (np.cumsum(first) - first)
    sent = [one for block in blocks for one in RowsSent(places)([block])]
    done = Dealt(places, before, len(order.sizes(cases)), (), copies)
    blocks = [unpack(data) for part in shuffled(sent) for data in done(part)]
    sent = [one for block in blocks for one in RowsSent(ByHash(SCHEMA, TASKS))([block])]
    return [unpack(data) for part in shuffled(sent) for data in OncePerFold(SCHEMA)(part)]


@pytest.mark.parametrize("most", [cases.MOST, 60])  # beyond, late copies follow each other
@pytest.mark.parametrize("unit", [1, 4])
@pytest.mark.parametrize("order", [InTurn(1, 4), InShare(1, 0.3), InParts(1, (40, 90, 91, 110))])
def test_copies_dealt_in_tasks_are_the_pieces_dealt_at_once(monkeypatch, most, unit, order):
    monkeypatch.setattr(cases, "MOST", most)
    rng = np.random.default_rng(unit)
    values, classes = np.round(rng.random(120), 1), rng.integers(0, 3, 120).astype(np.uint8)
    weights = rng.integers(1, 30, 120) if unit == 1 else rng.choice([1, 3, 4, 8, 40], 120)
    table = Table(SCHEMA, {"x": values}, 120, classes=classes, weights=weights, unit=unit)
    plan = in_pieces(table, cases.cases_of(table), order)
    whole = Block(120, {"x": values}, classes, weights=weights)
    blocks = [take_block(whole, rows) for rows in np.array_split(rng.permutation(120), 4)]
    found = weighed(blocks, count_cases(table), order, unit)
    there = Counter(
        one
        for b in found
        for one in zip(b.values("x").tolist(), b.classes.tolist(), b.codes(FOLD), b.weights, strict=True)
    )
    rows = np.arange(120) if plan.rows is None else plan.rows
    own = weights[rows] if plan.weights is None else plan.weights  # not whole: each row is one case
    assert (plan.weights is None) is (unit == 4)
    here = Counter(zip(values[rows].tolist(), classes[rows].tolist(), plan.fold, own, strict=True))
    assert there == here
    asked = CasesHeld(unit, 5)
    told = sum(asked.add(asked.zero(), block) for block in found)
    assert told[0].tolist() == np.bincount(plan.fold, minlength=5).tolist()
    sizes = order.sizes(count_cases(table))
    assert told[1].tolist() == [*sizes, *[0] * (5 - len(sizes))]


def dealt(blocks, rows, folds, key, beside=()):
    """The works one after the other, as Spark runs them."""
    order = InTurn(key, folds)
    assert sum(order.sizes(rows)) == rows
    hashes = [one for block in blocks for one in HashesSent(SCHEMA, TASKS)([block])]
    distinct = sum(next(count_distinct(part)) for part in shuffled(hashes))
    sent = [one for block in blocks for one in RowsSent(ByHash(SCHEMA, TASKS))([block])]
    numbered = Numbered(SCHEMA, order, order.alone(rows, distinct), beside)
    blocks = [block for part in shuffled(sent) for block in numbered(part)]
    places = ByPlace(SCHEMA, order, TASKS)
    counts = sum(next(CountsByRange(places, 3)([block])) for block in blocks)
    first = counts.sum(axis=0)
    before = np.cumsum(counts, axis=0) - counts + (np.cumsum(first) - first)
    sent = [one for block in blocks for one in RowsSent(places)([block])]
    done = [unpack(data) for part in shuffled(sent) for data in Dealt(places, before, folds, beside)(part)]
    return distinct, done


@pytest.mark.parametrize("most", [cases.MOST, 10])  # beyond, late copies follow each other
@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize("key", [0, 2])
def test_folds_dealt_in_tasks_are_those_dealt_at_once(monkeypatch, most, copies, key):
    monkeypatch.setattr(cases, "MOST", most)
    rng = np.random.default_rng(key)
    values = np.round(rng.random(200), 1 if copies else 9)
    classes = rng.choice(3, 200, p=[0.6, 0.3, 0.1]).astype(np.uint8)
    plan = deal(Table(SCHEMA, {"x": values}, 200, classes=classes), 4, key)
    distinct, found = dealt(blocks_of(values, classes), 200, 4, key)
    assert distinct == len({*zip(values.tolist(), classes.tolist(), strict=True)})
    assert (distinct < 200) == copies
    there = Counter(
        one
        for block in found
        for one in zip(
            block.values("x").tolist(), block.classes.tolist(), block.codes(FOLD).tolist(), strict=True
        )
    )
    assert there == Counter(zip(values.tolist(), classes.tolist(), plan.fold.tolist(), strict=True))


@pytest.mark.parametrize("most", [cases.MOST, 10])  # beyond, late copies follow each other
def test_which_of_equal_rows_is_in_which_fold_follows_from_what_stands_beside_them(monkeypatch, most):
    monkeypatch.setattr(cases, "MOST", most)
    rng = np.random.default_rng(0)
    values, classes = np.repeat([1.0, 2.0, 3.0, 4.0], 30), np.repeat([0, 1, 2, 0], 30).astype(np.uint8)
    by, more = rng.integers(0, 3, 120).astype(np.uint8), rng.integers(0, 2, 120).astype(np.uint8)
    whole = Block(120, {"x": values, "by": by, "more": more}, classes)

    def told(order):
        blocks = [take_block(whole, rows) for rows in np.array_split(order, 4)]
        _, found = dealt(blocks, 120, 4, 0, ("by", "more"))
        names = "by", "more", FOLD
        return Counter(
            one
            for block in found
            for one in zip(
                block.values("x").tolist(), *(block.codes(name).tolist() for name in names), strict=True
            )
        )

    first = told(np.arange(120))
    assert all(told(rng.permutation(120)) == first for _ in range(3))
    order = np.lexsort((more, by, values))  # as rows here are dealt that come in this order
    plan = deal(Table(SCHEMA, {"x": values[order]}, 120, classes=classes[order]), 4, 0)
    held = (values[order], by[order], more[order], plan.fold)
    assert first == Counter(zip(*(one.tolist() for one in held), strict=True))


def test_the_rows_of_other_folds_train_and_each_fold_has_its_own_answer():
    fold = np.array([0, 1, 1, 0], np.uint8)
    block = Block(4, {"x": np.arange(4.0), FOLD: fold}, np.array([0, 1, 2, 1], np.uint8))
    (left,) = OfFolds((0, 2))([block])
    assert left.values("x").tolist() == [0.0, 3.0]
    assert list(OfFolds((1,))([take_block(block, np.array([0, 3]))])) == []

    def plus(f):
        return lambda rows: np.stack([rows.values("x") + f, np.full(rows.rows, f)], axis=1)

    told = unpack(*AnsweredFolds((plus(0), plus(7)), (0, 1))([block]))
    assert told.values("0").tolist() == [0.0, 8.0, 9.0, 3.0]
    assert told.values("1").tolist() == [0.0, 7.0, 7.0, 0.0]
    assert told.codes(FOLD).tolist() == fold.tolist()
    assert told.classes.tolist() == block.classes.tolist()
    told = unpack(*AnsweredFolds((plus(7),), (1,))([block]))  # rows of other folds are not tested
    assert told.values("0").tolist() == [8.0, 9.0]
    assert told.codes(FOLD).tolist() == [0, 0]
    assert told.classes.tolist() == [1, 2]


def test_equal_rows_are_numbered_and_go_to_one_task():
    block = Block(5, {"x": np.array([1.0, 2.0, 1.0, 1.0, 2.0])}, np.array([0, 0, 0, 1, 0], np.uint8))
    task = ByHash(SCHEMA, 7)(block)
    assert task[0] == task[2]
    (found,) = Numbered(SCHEMA, InTurn(0, 2), 1)(RowsSent(ByHash(SCHEMA, 1))([block]))
    assert sorted(found.columns[NUMBER].tolist()) == [0, 0, 0, 1, 1]
    assert len(set(Hasher(SCHEMA).rows(found).tolist())) == 3


def test_folds_that_follow_from_a_column_stand_beside_the_others():
    block = Block(3, {"x": np.arange(3.0)}, np.array([0, 1, 2], np.uint8))
    folds = Narrow(lambda b: b.values("x").astype(int) % 2, np.uint8)
    told = Beside(SCHEMA, Schema((), SCHEMA.target), ((FOLD, folds),))(block)
    assert list(told.columns) == [FOLD]
    assert told.codes(FOLD).tolist() == [0, 1, 0]
    assert told.codes(FOLD).dtype == np.uint8
    assert told.classes.tolist() == [0, 1, 2]


def test_what_stands_beside_a_row_is_dealt_with_it_and_stands_beside_its_answer():
    block = Block(4, {"x": np.array([3.0, 1.0, 1.0, 2.0])}, np.array([0, 1, 1, 2], np.uint8))
    beside = (("by", lambda b: (10 * b.values("x")).astype(np.uint8)),)
    wide = Beside(SCHEMA, SCHEMA, beside)(block)
    _, found = dealt([wide], 4, 2, 0)
    for part in found:
        assert part.codes("by").tolist() == (10 * part.values("x")).tolist()
        (data,) = AnsweredFolds((lambda rows: np.zeros((rows.rows, 3)),) * 2, (0, 1), ("by",))([part])
        told = unpack(data)
        assert told.codes("by").tolist() == part.codes("by").tolist()
