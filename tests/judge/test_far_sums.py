"""Sums over rows that stay with Spark: those of all rows at once, whatever the blocks."""

from __future__ import annotations

import numpy as np
from far_rows import mixed_rows

import tallystick as ts
from tallystick.judge.answers import JudgedSums, LossSums, RowSums, class_rows
from tallystick.judge.scores import log_losses
from tallystick.stats.exact import exact_total, nearest
from tallystick.table.block import RowBlock as Block


def test_sums_of_tested_rows_are_those_of_all_at_once():
    rng = np.random.default_rng(2)
    shares = rng.dirichlet([1, 2], 90)
    truth = rng.integers(0, 2, 90).astype(np.uint8)
    asked = JudgedSums(lambda block: shares[block.codes("at")], None)
    blocks = [Block(30, {"at": np.arange(s, s + 30)}, truth[s : s + 30]) for s in (0, 30, 60)]
    parts = [asked.add(asked.zero(), block) for block in blocks]
    found = asked.merge(parts[2], asked.merge(parts[0], parts[1]))
    every = asked.add(asked.zero(), Block(90, {"at": np.arange(90)}, truth))
    assert found[:2] == every[:2] == (90, int((shares.argmax(axis=1) != truth).sum()))
    assert nearest(found.loss) == nearest(every.loss)
    assert np.isclose(nearest(found.loss), log_losses(truth.astype(np.int64), shares).sum())


def test_a_row_that_is_judged_counts_as_often_as_it_weighs():
    rng = np.random.default_rng(7)
    shares, truth = rng.dirichlet([1, 2], 90), rng.integers(0, 2, 90).astype(np.uint8)
    weights, found = rng.integers(1, 9, 90), []
    again = np.repeat(np.arange(90), weights)

    def work(block):
        return shares[block.codes("at")]

    for at, own in ((np.arange(90), weights), (again, None)):
        block = Block(len(at), {"at": at}, truth[at], weights=own)
        judged = JudgedSums(work, None)
        losses = LossSums((work,))
        told = judged.add(judged.zero(), block)
        each = nearest(losses.add(losses.zero(), block)[0])
        found.append((told.weight, told.error, told.mean_loss, each))
    assert found[0] == found[1]


def test_classes_are_counted_where_the_rows_are():
    table = ts.NaiveBayes()._read(mixed_rows(30), "y")
    table.engine = ts.Local(1)
    assert class_rows(table).tolist() == np.bincount(table.classes, minlength=2).tolist()


def test_losses_of_several_ways_to_answer_are_exact_and_equal_ways_are_asked_once():
    rng = np.random.default_rng(5)
    shares, truth, asked = rng.dirichlet([1, 2, 1], (2, 60)), rng.integers(0, 3, 60).astype(np.uint8), []

    def way(which):
        def work(block):
            asked.append(which)
            return shares[which][block.codes("at")]

        return work

    one, other = way(0), way(1)
    question = LossSums((one, other, one))
    blocks = [Block(20, {"at": np.arange(s, s + 20)}, truth[s : s + 20]) for s in (0, 20, 40)]
    parts = [question.add(question.zero(), block) for block in blocks]
    found = [nearest(d) for d in question.merge(parts[1], question.merge(parts[2], parts[0]))]
    each = [exact_total(log_losses(truth.astype(np.int64), own)) for own in shares]
    assert found == [each[0], each[1], each[0]]
    assert sorted(asked) == [0] * 3 + [1] * 3


def test_sums_of_numbers_of_rows_are_exact():
    values = np.random.default_rng(3).normal(size=90) * 10.0 ** np.arange(-45, 45)
    asked = RowSums(lambda block: values[block.codes("at")])
    parts = [asked.add(asked.zero(), Block(30, {"at": np.arange(s, s + 30)})) for s in (0, 30, 60)]
    assert nearest(asked.merge(parts[1], asked.merge(parts[2], parts[0]))) == exact_total(values)
