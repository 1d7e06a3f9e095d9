"""Rows dealt where they are: the folds that dealing them here gives, from pieces of an order and counts."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from far_rows import mixed_rows
from hypothesis import example, given
from hypothesis import strategies as st

import tallystick as ts
from tallystick.errors import DataError, OptionError
from tallystick.judge.folds import Dealing, InShare, hold_out
from tallystick.judge.groups import Grouping
from tallystick.judge.out_of_core import FarDealing, FarFolds, FarGroups
from tallystick.schema import Column, Schema, Target
from tallystick.stats.values import RankedPiece
from tallystick.table.block import RowBlock as Block
from tallystick.table.table import LocalTable as Table


class Pieces:
    """The values of some rows in pieces, as workers have them."""

    def __init__(self, values, size):
        found, full = np.unique(values, return_counts=True)
        self.totals, self.distinct, self.made = np.array([len(values)]), len(found), []
        for first in range(0, len(found), size):
            here, before = slice(first, first + size), np.array([full[:first].sum()])
            self.made.append(RankedPiece(found[here], full[here, None], before, first))

    def ask(self, work):
        return [work(piece) for piece in self.made]


class Dealer:
    """Deals the rows of one block."""

    def __init__(self, block, size):
        self.block, self.size = block, size

    def ranked(self, name, labels, width, weighed=False):
        assert labels(self.block).tolist() == [0] * self.block.rows
        return Pieces(self.block.values(name), self.size)

    def by(self, work, sizes):
        return SimpleNamespace(fold=work(self.block), sizes=tuple(sizes))


def far_times(times, size):
    block = Block(len(times), {"t": np.array(times, float)}, np.zeros(len(times), np.uint8))
    schema = Schema((Column("t", "numeric", low=0.0, high=9.0),), Target("y", ("a", "b")))
    table = SimpleNamespace(rows=len(times), weight=len(times), schema=schema)
    return FarDealing(table, Dealer(block, size), time="t")


def parts_here(plan):
    """Which rows train and which are tested, of each test."""
    return [(train.tolist(), test.tolist()) for train, test in plan.parts()]


def far_tests(parts):
    fold = parts.rows.fold
    assert np.bincount(fold, minlength=len(parts.rows.sizes)).tolist() == list(parts.rows.sizes)
    return [
        (np.flatnonzero(np.isin(fold, trains)).tolist(), np.flatnonzero(fold == tested).tolist())
        for trains, tested in zip(parts.trains, parts.tested, strict=True)
    ]


@pytest.mark.slow
@given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(2, 5), st.integers(1, 4))
@example([0, 1, *[2] * 8, *[3] * 5], 2, 1)  # a heavy last moment leaves a stretch empty
def test_stretches_found_in_pieces_are_those_of_all_moments_at_once(times, folds, size):
    there, here = far_times(times, size), Dealing(times=np.array(times, float))
    table = SimpleNamespace(rows=len(times), weights=None)
    try:
        plan = here.outer(table, folds)
    except (DataError, OptionError) as error:
        with pytest.raises(type(error), match="^" + str(error)[:30]):
            there.outer(folds)
        return
    assert far_tests(there.outer(folds)) == parts_here(plan)
    for number in plan.numbers:  # the folds inside its training rows
        rows = plan.part(number)[0]
        try:
            inner = here.inner(SimpleNamespace(weights=None), 3, rows)
        except OptionError:
            with pytest.raises(OptionError):
                there.inner(None, 3, (number, folds))
            continue
        mine = [(rows[a].tolist(), rows[b].tolist()) for a, b in inner.parts()]
        assert far_tests(there.inner(None, 3, (number, folds))) == mine
    inner = here.inner(SimpleNamespace(weights=None), 3, np.arange(len(times)))
    assert far_tests(there.inner(None, 3)) == parts_here(inner)


@pytest.mark.slow
@given(st.integers(8, 60), st.sampled_from([0.3, 0.5, 1 / 3, 0.9]))
def test_a_share_of_ranks_is_the_share_held_out_here(many, share):
    schema = Schema((Column("x", "numeric", low=0.0, high=99.0),), Target("y", ("a", "b")))
    classes = (np.arange(many) % 3 == 0).astype(np.uint8)
    table = Table(schema, {"x": np.arange(many, dtype=float)}, many, classes=classes)
    plan, order = hold_out(table, share, 2), InShare(2, share)
    place = np.lexsort((order.places(table.row_hashes(), np.zeros(many, np.int64)), classes))
    fold = np.empty(many, np.int64)
    fold[place] = order.folds(np.arange(many))
    assert (fold == 0).tolist() == (plan.fold == 0).tolist()
    assert order.sizes(many) == (int((fold == 0).sum()), int((fold == 1).sum()))


def test_rows_before_or_beside_a_fold_train_for_it():
    rows = SimpleNamespace(sizes=(4, 3, 2))
    assert FarFolds.in_turn(rows, 2).trains == ((1,), (0,))
    rising = FarFolds.rising(rows, 3)
    assert (rising.trains, rising.tested, rising.sizes) == (((0,), (0, 1)), (1, 2), (3, 2))


def test_workers_get_no_names_of_groups_and_only_the_first_repeat_is_told_by_them():
    schema = Schema((), Target("y", ("a", "b")))
    grouping = Grouping.of(Column("who", "levels", ("ann", "bob")))
    sent = {}

    class Deals:
        cases = 30

        def with_beside(self, lean, works):
            sent.update(works)
            return self

        def in_order(self, order):
            return SimpleNamespace(sizes=order.sizes(30))

    table = SimpleNamespace(rows=30, schema=schema, dealer=lambda: Deals())
    dealing = FarDealing.of(table, beside=FarGroups(table, (grouping,)))
    (work,) = sent.values()
    assert work(Block(2, {"who": np.array([1, 0], np.uint8)})).tolist() == [
        grouping.names.index("bob"),
        grouping.names.index("ann"),
    ]
    assert b"bob" not in pickle.dumps(work)
    assert [dealing.outer(3, key).groupings for key in (0, 1)] == [(grouping,), ()]


def test_rows_here_are_not_dealt_far():
    table = ts.NaiveBayes()._read(mixed_rows(30, 2), "y")
    assert table.dealer() is None
    assert FarDealing.of(table) is None


@pytest.mark.slow
def test_levels_give_a_time_by_their_order(spark):
    table = pa.table({"day": ["b", "a", "a", "c", "b", "a"], "y": [0, 1, 0, 1, 0, 1]})
    read = ts.NaiveBayes(kinds={"day": "levels"})._read(spark.createDataFrame(table).repartition(2), "y")
    there = FarDealing.of(read, time="day")
    assert [tuple(begin) for begin in there._stretches(2)] == [(0.0, 0, 0), (1.0, 3, 1)]
    read.release()
