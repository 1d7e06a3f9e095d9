"""Answers in blocks and in the order of shares: however they are cut, all of them together tell the same."""

from __future__ import annotations

import json

import numpy as np
import pytest
from same_scores import same_scores

from tallystick.judge import answers as answers_room
from tallystick.judge import folds as large
from tallystick.judge.answers import Answers, ShareOrder
from tallystick.judge.result import CrossValidation, FoldAnswers


@pytest.mark.slow
@pytest.mark.parametrize("classes", ["pq", "pqr"])
@pytest.mark.parametrize("values", [3, 50, 1_000])
@pytest.mark.parametrize("priced", [False, True])
@pytest.mark.parametrize("unit", [None, 1, 1 << 32])
def test_answers_that_memory_does_not_hold_are_scored_as_those_that_it_holds(
    monkeypatch, classes, values, priced, unit
):
    rng = np.random.default_rng(values)
    truth, fold = rng.integers(0, len(classes), 2_000), rng.integers(-1, 4, 2_000)
    shares = rng.integers(1, values, (2_000, len(classes))) + 3.0 * np.eye(len(classes))[truth]
    shares /= shares.sum(axis=1, keepdims=True)
    shares[0] = 1 - np.eye(len(classes))[truth[0]]  # a share of 0 for the true class
    cost = np.arange(1.0, len(classes) ** 2 + 1).reshape(len(classes), -1) if priced else None
    weights = None if unit is None else rng.integers(1, 4 * unit, 2_000) / unit
    monkeypatch.setattr(large, "STEP", 300)
    monkeypatch.setattr(large, "SORTED_BYTES", 1 << 14)
    monkeypatch.setattr(answers_room, "PIECE", 70)
    one, other = (
        CrossValidation(tuple(classes), truth, (FoldAnswers(shares, fold, budget=budget),), weights, cost)
        for budget in (1 << 25, 0)
    )
    same_scores(one.scores, other.scores)
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())
    assert one.loss_error == other.loss_error


def order_of(piece, monkeypatch):
    rng = np.random.default_rng(1)
    truth, fold, value = rng.integers(0, 2, 300), rng.integers(0, 2, 300), np.round(rng.random(300), 2)
    monkeypatch.setattr(answers_room, "PIECE", piece)
    answers = Answers(truth, np.stack([1 - value, value], axis=1), fold, budget=1 << 25)
    return ShareOrder(answers, 1), truth, fold, value


def test_pairs_are_those_counted_one_by_one(monkeypatch):
    order, truth, fold, value = order_of(40, monkeypatch)
    assert len(list(order.pieces)) > 5
    won = pairs = 0.0
    for f in (0, 1):
        ups, downs = (value[(fold == f) & (truth == side)] for side in (1, 0))
        above = np.subtract.outer(ups, downs)
        won, pairs = won + (above > 0).sum() + (above == 0).sum() / 2, pairs + above.size
    assert order.area()[0] == won / pairs


def test_pieces_tell_together_what_the_whole_tells(monkeypatch):
    whole, *_ = order_of(1_000, monkeypatch)
    told = whole.area(), whole.curves(), [each.tolist() for each in whole.by_share()]
    for piece in (1, 2, 70, 299):
        cut, *_ = order_of(piece, monkeypatch)
        assert (cut.area(), cut.curves(), [each.tolist() for each in cut.by_share()]) == told


def test_a_weight_counts_as_so_many_rows_to_the_last_bit():
    rng = np.random.default_rng(1)
    truth, fold, many = rng.integers(0, 2, 300), rng.integers(0, 3, 300), rng.integers(1, 5, 300)
    shares = np.round(rng.dirichlet([1, 2], 300), 1)
    parts = FoldAnswers(shares, fold), FoldAnswers(np.repeat(shares, many, axis=0), np.repeat(fold, many))
    weighed = CrossValidation(("a", "b"), truth, parts[:1], many.astype(float))
    written_out = CrossValidation(("a", "b"), np.repeat(truth, many), parts[1:])
    assert json.dumps(weighed.to_dict()) == json.dumps(written_out.to_dict())
