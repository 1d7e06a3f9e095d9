"""What is believed of points: a mean of 0 and a variance of 1 over the rows, on the axis of values."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.scorecard.model import LevelAxis, PairAxis, RangeAxis, WordAxis
from tallystick.scorecard.quadratic import middles, pair_piece, piece_of, words_piece

RANGES, LEVELS = RangeAxis("x", (1.0, 2.0, 4.0)), LevelAxis("a", (0, 1, 2))
ROWS, COUNTS = np.array([5.0, 9.0, 4.0, 2.0, 3.0]), np.array([8.0, 10.0, 5.0, 2.0, 0.0])


@pytest.mark.parametrize(("axis", "rows"), [(RANGES, ROWS), (LEVELS, COUNTS)])
def test_the_average_row_has_mean_0_and_variance_1(axis, rows):
    piece = piece_of(axis, rows, False)
    for kind, covariance in zip(piece.kinds, piece.covariances, strict=True):
        weight = rows.copy()
        if kind in ("trend", "steps"):
            weight[-1] = 0
        share = weight / weight.sum()
        np.testing.assert_allclose(covariance @ share, 0, atol=1e-12)
        assert share @ np.diag(covariance) == pytest.approx(1)


def test_directions_give_the_covariances_back():
    piece = piece_of(RANGES, ROWS, False)
    assert piece.kinds == ("trend", "steps", "missing")
    factor, of = piece.directions
    for c, covariance in enumerate(piece.covariances):
        own = factor[:, of == c]
        np.testing.assert_allclose(own @ own.T, covariance, atol=1e-8)


def test_ranges_lie_at_their_middles_and_no_end_is_stretched():
    np.testing.assert_allclose(middles([1.5, 2.5, 3.5]), [-1.5, -0.5, 0.5, 1.5])
    assert middles([3.0]).tolist() == [-1, 1]
    assert np.isfinite(middles([-1.7e308, 0.0, 1.7e308])).all()


def test_nothing_to_tell_rows_apart_by_is_no_piece():
    assert piece_of(RANGES, np.array([5.0, 0, 0, 0, 0]), False) is None


def test_a_pair_holds_what_its_columns_cannot():
    piece = pair_piece(PairAxis(RANGES, LEVELS), ROWS, COUNTS)
    assert piece.kinds == ("pair steps", "pair cells")
    first, second = ROWS / ROWS.sum(), COUNTS / COUNTS.sum()
    for covariance in piece.covariances:
        np.testing.assert_allclose(covariance @ np.kron(first, second), 0, atol=1e-12)


def test_words_share_a_strength_and_absence_has_no_points():
    piece = words_piece("t", [WordAxis("t", 0), WordAxis("t", 1)], np.array([6.0, 4.0, 9.0, 1.0]))
    assert np.diag(piece.covariances[0]).tolist() == pytest.approx([0, 2, 0, 2])
