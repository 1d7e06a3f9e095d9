"""Scores of answers that stay where the rows are: the bits of those of all answers at once."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tallystick.errors import OptionError
from tallystick.judge.answers import SummedAnswers
from tallystick.judge.result import CrossValidation, FoldAnswers
from tallystick.spark.judging import RankedColumn, ValuesSent, held
from tallystick.spark.levels import joined_pieces
from tallystick.table.block import RowBlock as Block

FOLDS = 3


class InPieces:
    """Elements in one place, with the verbs that ranks use."""

    def __init__(self, elements):
        self.elements = list(elements)

    def mapPartitions(self, work):  # noqa: N802
        return InPieces(work(self.elements))

    def collect(self):
        return self.elements


class Blockwise:
    """Answers in blocks, summed one after the other and merged; ranked in pieces that begin at `ends`."""

    fold = "fold"

    def __init__(self, blocks, ends):
        self.blocks, self.ends = blocks, ends

    def total(self, question):
        found = question.zero()
        for block in self.blocks:
            found = question.merge(question.add(question.zero(), block), found)
        return found

    def by_share(self, order):
        return None

    def ranked(self, name, labels, width):
        work = ValuesSent(name, labels, width, self.ends, weighed=True)
        pieces = InPieces(joined_pieces([one for block in self.blocks for one in work([block])]))
        told = dict(held(pieces.elements))
        parts = len(self.ends) + 1
        none = np.zeros(width, np.int64), 0
        counts = np.stack([told.get(r, none)[0] for r in range(parts)])
        many = np.array([told.get(r, none)[1] for r in range(parts)])
        before, first = np.cumsum(counts, axis=0) - counts, np.cumsum(many) - many
        return RankedColumn(pieces, before, first, counts.sum(axis=0), int(many.sum()))


def answers(rows, k, rounded, seed):
    rng = np.random.default_rng(seed)
    truth = rng.choice(k, rows, p=[0.7, 0.3] if k == 2 else None)
    raw = rng.gamma(0.4 + 0.8 * np.eye(k)[truth])
    shares = raw / raw.sum(axis=1, keepdims=True)
    if rounded:
        shares = np.round(shares, 1)
        shares[0] = 1 - np.eye(k)[truth[0]]  # a share of 0 for the true class
    return truth, shares, rng.integers(0, FOLDS, rows)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("ends", [[], [0.05, 0.5, 0.51, 2.0]])
@pytest.mark.parametrize("priced", [False, True])
@pytest.mark.parametrize("unit", [None, 1, 1 << 32])
def test_scores_from_sums_and_ranks_are_those_of_all_answers(k, rounded, ends, priced, unit):
    truth, shares, fold = answers(700, k, rounded, seed=k)
    weights = None if unit is None else np.random.default_rng(5).integers(1, 4 * unit, 700)
    weight = None if unit is None else weights / unit
    labels = tuple("abcd"[:k])
    cost = (1 - np.eye(k)) * 0.1 * (1 + np.arange(k)) if priced else None
    here = CrossValidation(labels, truth, (FoldAnswers(shares, fold),), weight, cost=cost)
    blocks = [
        Block(
            len(some),
            {**{str(c): shares[some, c] for c in range(k)}, "fold": fold[some].astype(np.uint8)},
            truth[some].astype(np.uint8),
            weights=None if unit is None else weights[some],
        )
        for some in np.array_split(np.random.default_rng(0).permutation(700), 5)
    ]
    far = Blockwise(blocks, np.array(ends))
    given = SummedAnswers.of(far, k, FOLDS, cost, cost, None, unit or 1)
    there = given.scores(labels)
    assert json.dumps(there.to_dict()) == json.dumps(here.scores.to_dict())
    lost = shares[np.arange(700), truth] <= 0
    assert given.totals.impossible == (int(weights[lost].sum()) if unit == 1 else int(lost.sum()))
    assert lost.any() == rounded
    assert given.loss_error == here.loss_error
    for name, means in given.fold_means.items():
        assert means.tolist() == here.fold_means(name).tolist()


def test_a_score_of_single_rows_says_that_they_are_not_here():
    truth, shares, fold = answers(20, 2, False, 0)
    block = Block(20, {"0": shares[:, 0], "1": shares[:, 1], "fold": fold.astype(np.uint8)}, truth)
    far = Blockwise([block], np.zeros(0))
    given = SummedAnswers.of(far, 2, FOLDS, None, None, 1)
    with pytest.raises(OptionError, match="answers to them stay with Spark"):
        _ = given.shares


def test_a_weight_counts_as_so_many_rows_to_the_last_bit():
    truth, shares, fold = answers(300, 2, True, 1)
    many = np.random.default_rng(2).integers(1, 5, 300)
    parts = FoldAnswers(shares, fold), FoldAnswers(np.repeat(shares, many, axis=0), np.repeat(fold, many))
    weighed = CrossValidation(("a", "b"), truth, parts[:1], many.astype(float))
    written_out = CrossValidation(("a", "b"), np.repeat(truth, many), parts[1:])
    assert json.dumps(weighed.to_dict()) == json.dumps(written_out.to_dict())
