"""A slope and shifts that make shares honest, whatever the order of the rows."""

from __future__ import annotations

import numpy as np

from tallystick.bayes.folds import LEAST_SLOPE, calibrate, solve


def made(rows=4_000, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=rows)
    truth = (rng.random(rows) < 1 / (1 + np.exp(-z))).astype(np.int64)
    return np.column_stack([np.zeros(rows), z]), truth


def test_honest_scores_are_left_nearly_alone_and_boastful_ones_are_shrunk():
    scores, truth = made()
    slope, _ = calibrate(scores, truth, np.ones(len(truth)))
    assert abs(slope - 1) < 0.15
    boastful, _ = calibrate(3 * scores, truth, np.ones(len(truth)))
    assert abs(boastful - slope / 3) < 0.01


def test_a_class_that_scores_too_low_is_lifted():
    scores, truth = made()
    _, shift = calibrate(scores - np.array([0.0, 2.0]), truth, np.ones(len(truth)))
    assert 1.5 < shift[1] - shift[0] < 2.5


def test_order_means_nothing_and_a_whole_weight_is_so_many_copies():
    scores, truth = made(300)
    weights = np.random.default_rng(1).integers(0, 4, 300).astype(float)
    found = calibrate(scores, truth, weights)
    order = np.random.default_rng(2).permutation(300)
    assert calibrate(scores[order], truth[order], weights[order]) == found
    copies = np.repeat(np.arange(300), weights.astype(int))
    assert calibrate(scores[copies], truth[copies], np.ones(len(copies))) == found


def test_scores_that_are_wrong_throughout_do_not_turn_the_slope_round():
    scores, truth = made(400)
    assert calibrate(scores, 1 - truth, np.ones(400))[0] >= LEAST_SLOPE


def test_a_class_found_impossible_is_no_end():
    scores = np.array([[0.0, -np.inf], [-np.inf, 0.0], [0.0, 0.0]])
    slope, shift = calibrate(scores, np.array([0, 0, 1]), np.ones(3))
    assert np.isfinite([slope, *shift]).all()


def test_a_positive_matrix_is_solved():
    assert solve(np.array([[4.0, 2.0], [2.0, 5.0]]), np.array([8.0, 8.0])).tolist() == [1.5, 1.0]
