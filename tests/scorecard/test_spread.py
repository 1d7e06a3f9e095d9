"""How sure the points are: the covariance of the card's lines, and as much of it as a file has room for."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.scorecard import pairs as spread
from tallystick.scorecard.pairs import base_root, base_spread, leading, mean_root, rounded
from tallystick.scorecard.quadratic import QuadraticPoint


def roots(lines=7, directions=4, seed=0):
    return np.random.default_rng(seed).normal(size=(lines, directions))


def test_all_directions_together_are_the_covariance():
    given = roots()
    found = leading(given, np.ones(7), 100)
    assert len(found) == 4
    np.testing.assert_allclose(found.T @ found, given @ given.T, atol=1e-9)


def test_fewer_directions_never_tell_more_than_there_is():
    given = roots(9, 6)
    for most in (1, 2, 4):
        found = leading(given, np.ones(9), most)
        assert len(found) == most
        assert ((found**2).sum(axis=0) <= (given**2).sum(axis=1) + 1e-9).all()


def test_lines_that_rows_meet_most_come_first():
    given = roots(6, 6, 3)
    weights = np.array([1e-3, 1e-3, 1e-3, 1.0, 1e-3, 1e-3])
    found = leading(given, weights, 1)
    assert found[0, 3] ** 2 == pytest.approx(given[3] @ given[3])


def test_the_base_follows_the_lines_and_has_a_spread_of_its_own():
    given = roots(2, 3)
    spot = QuadraticPoint(
        np.zeros((2, 1)), np.zeros(1), (np.eye(2),), np.array([25.0]), np.array([[0.25, 0.75]])
    )
    found = base_root(given, spot, 0)
    # an average row: what the lines are off by, the base takes back
    np.testing.assert_allclose(found[:-1], -(0.25 * given[0] + 0.75 * given[1]))
    assert found[-1] == pytest.approx(0.2)


def test_a_line_of_several_is_their_mean_over_the_rows():
    given, shares = roots(3, 2), np.array([0.1, 0.3, 0.0])
    np.testing.assert_allclose(mean_root(given, [0, 1], shares), 0.25 * given[0] + 0.75 * given[1])
    np.testing.assert_allclose(mean_root(given, [2], shares), given[2])
    np.testing.assert_allclose(mean_root(given, [1, 2], 0 * shares), (given[1] + given[2]) / 2)


def test_numbers_have_few_digits():
    assert rounded(np.array([123456.0, 0.00123456, -1e-9, 0.0]), 4).tolist() == [123500.0, 0.001235, -1e-9, 0]


def test_a_card_without_lines_is_as_sure_as_its_rows_are_many():
    rows = [{"x": i % 7, "y": "pq"[i % 2]} for i in range(400)]
    model = ts.Scorecard(max_lines=1).fit(rows, "y").model_
    assert model.parts == ()
    assert model.spread.base[0] * model.slope == pytest.approx(1 / np.sqrt(400 / 4), rel=1e-3)
    assert base_spread(np.array([4.0, 9.0]), 20).base.tolist() == pytest.approx([14.43, 9.618])


def test_of_a_large_card_the_file_keeps_a_part(monkeypatch):
    rng = np.random.default_rng(0)
    rows = [{"a": float(rng.normal()), "b": float(rng.normal())} for _ in range(300)]
    y = ["pq"[int(r["a"] + r["b"] + rng.normal() > 0)] for r in rows]
    full = ts.Scorecard(pairs=0).fit(rows, y)
    monkeypatch.setattr(spread, "NUMBERS", 50)
    lean = ts.Scorecard(pairs=0).fit(rows, y)
    lines = sum(len(p.points) for p in full.model_.parts) + 1
    assert 1 <= len(lean.model_.spread.factors[0]) < len(full.model_.spread.factors[0])
    assert lean.model_.spread.factors[0].size <= max(50, lines)
    for one, two in zip(full.model_.errors, lean.model_.errors, strict=True):
        assert (one == two).all()
    assert lean.predict_interval(rows) == pytest.approx(full.predict_interval(rows), abs=0.15)
