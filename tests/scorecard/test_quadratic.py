"""The optimum of a card's quadratic beside plain NumPy; the evidence beside brute force."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad

from tallystick.scorecard.model import LevelAxis, RangeAxis
from tallystick.scorecard.quadratic import (
    MANY,
    CardPiece,
    Directions,
    LinkSystem,
    QuadraticPoint,
    desks_of,
    over_links,
    piece_of,
)

RANGES = RangeAxis("x", (1.0, 2.0, 4.0))
LEVELS = LevelAxis("a", (0, 1, 2))
ROWS = (np.array([5.0, 9.0, 4.0, 2.0, 3.0]), np.array([8.0, 10.0, 5.0, 0.0, 0.0]))


def pieces():
    return (piece_of(RANGES, ROWS[0], False), piece_of(LEVELS, ROWS[1], False))


def problem(seed=0):
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(30, 10))
    return half.T @ half, rng.normal(size=10) * 3


def solved(parts, strengths, matrix, right):
    directions = Directions.of(parts)
    [desk] = desks_of(directions, 1, np.empty)
    return LinkSystem.of(directions, matrix, right, strengths, None, desk).optimum(strengths, None)


def covariance(parts, strengths):
    out, line, at = np.zeros((10, 10)), 0, 0
    for piece in parts:
        for one in piece.covariances:
            out[line : line + piece.lines, line : line + piece.lines] += strengths[at] * one
            at += 1
        line += piece.lines
    return out


def test_the_optimum_is_that_of_the_covariance():
    matrix, right = problem()
    strengths = np.array([0.5, 0.7, 1.1, 2.0])
    k = covariance(pieces(), strengths)
    want = k @ np.linalg.solve(np.eye(10) + matrix @ k, right)
    found = solved(pieces(), strengths, matrix, right)
    np.testing.assert_allclose(found.f, want, atol=1e-4)
    spread = k - k @ np.linalg.solve(np.eye(10) + matrix @ k, matrix @ k)
    roots = found.roots(np.empty)
    np.testing.assert_allclose(roots @ roots.T, spread, atol=1e-3)
    sign, logs = np.linalg.slogdet(np.eye(10) + matrix @ k)
    assert sign == 1
    assert found.log_determinant == pytest.approx(logs, abs=1e-2)


def test_optima_of_one_desk_are_those_of_several_and_one_at_a_time():
    directions, strengths = Directions.of(pieces()), np.array([0.5, 0.7, 1.1, 2.0])
    made = []

    def room(shape, dtype):
        made.append(np.full(shape, np.nan, dtype))
        return made[-1]

    desks = desks_of(directions, 3, room)
    for desk, seed, factor in ((1, 0, 1.0), (1, 1, 0.01), (2, 2, 3.0)):  # other directions are seen
        pull = LinkSystem.of(directions, *problem(seed), factor * strengths, None, desks[desk])
        found = pull.optimum(factor * strengths, None)
        alone = solved(pieces(), factor * strengths, *problem(seed))
        assert (found.f == alone.f).all()
        assert (found.root == alone.root).all()
    assert found.root.base is made[-1]
    assert len(made) == 1  # once and for all links: a file each would be too many


def test_what_a_piece_is_worth_is_the_evidence_without_it():
    matrix, right = problem(1)
    strengths = np.array([0.5, 0.7, 1.1, 2.0])

    def evidence(k):
        inner = np.linalg.solve(np.eye(10) + matrix @ k, right)
        return 0.5 * right @ k @ inner - 0.5 * np.linalg.slogdet(np.eye(10) + matrix @ k)[1]

    without = strengths * [1, 1, 1, 0]
    want = evidence(covariance(pieces(), strengths)) - evidence(covariance(pieces(), without))
    assert solved(pieces(), strengths, matrix, right).worth(1, 1.0) == pytest.approx(want, abs=1e-2)


def test_pieces_of_one_direction_are_worth_together_what_each_is_worth():
    rng = np.random.default_rng(3)
    two = [piece_of(LevelAxis(f"c{j}", (0, 1)), np.array([30.0, 20 + j, 0, 0]), False) for j in range(9)]
    parts = (*two, piece_of(RANGES, ROWS[0], False))
    lines = sum(piece.lines for piece in parts)
    half = rng.normal(size=(90, lines))
    strengths = np.concatenate([rng.random(8), [0.0], [0.5, 0.7, 1.1]])  # one piece has no direction left
    strengths = strengths[: sum(len(piece.covariances) for piece in parts)]
    found = solved(parts, strengths, half.T @ half, rng.normal(size=lines) * 3)
    together = found.worths(0.75, 2).tolist()
    assert together == [found.worth(j, 0.75) for j in range(10)]
    assert [worth == 0.0 for worth in together] == [False] * 8 + [True, False]


def test_the_evidence_of_one_number_is_the_integral():
    w, r, s = 3.0, 2.0, 0.8
    axis = RangeAxis("x", ())  # one line, and one for missing, which has no variance here
    piece = CardPiece("x", (axis,), (np.diag([1.0, 0.0]),), ("trend",))
    found = solved((piece,), np.array([s]), np.diag([w, 0.0]), np.array([r, 0.0]))
    f = float(found.f[0])
    ours = r * f - 0.5 * w * f * f - 0.5 * float(found.v @ found.v) - 0.5 * found.log_determinant

    def density(x):
        return math.exp(r * x - 0.5 * w * x * x - 0.5 * x * x / s) / math.sqrt(2 * math.pi * s)

    assert ours == pytest.approx(math.log(quad(density, -20, 20)[0]))


def test_a_spot_tells_gain_and_the_constant_that_follows():
    spot = QuadraticPoint(
        np.array([[1.0]]), np.array([2.0]), (np.array([[3.0]]),), np.array([4.0]), np.array([[0.5]])
    )
    rise, bend = spot.gain(np.array([[0.1]]), np.array([0.2]))
    assert rise == pytest.approx(0.5)
    assert bend == pytest.approx(0.5 * (3 * 0.01 + 4 * 0.25**2))
    assert spot.constant(np.array([1.0]), np.array([[0.1]]))[0] == pytest.approx(1 + 0.5 - 0.05)


def test_directions_of_which_rows_tell_nothing_are_left_out_but_not_where_rows_pull():
    parts = pieces()
    directions = Directions.of(parts)
    strengths = np.ones(4)
    nothing = np.zeros(len(directions.kind))
    assert len(directions.seen(strengths, nothing, nothing)) == 0
    one = nothing.copy()
    one[2] = 1.0
    assert directions.seen(strengths, one, nothing).tolist() == [2]
    assert directions.seen(strengths, nothing, -one).tolist() == [2]
    assert directions.seen(np.zeros(4), one, one).tolist() == []
    kept = Directions.of([replace(parts[0], monotone=1), parts[1]])
    first = kept.at[0]
    assert kept.seen(strengths, nothing, nothing).tolist() == list(range(first.start, first.stop))


def test_what_rows_do_not_tell_is_as_unsure_as_before():
    strengths = np.array([0.5, 0.7, 1.1, 2.0])
    found = solved(pieces(), strengths, np.zeros((10, 10)), np.zeros(10))
    roots = found.roots(np.empty)
    np.testing.assert_allclose(roots @ roots.T, covariance(pieces(), strengths), atol=1e-6)
    assert not found.f.any()


@pytest.mark.parametrize(("links", "directions", "threads", "alone"), [
    (1, MANY - 1, 2, True), (1, MANY, 1, True), (1, MANY, 2, False), (3, MANY, 2, True),
])  # fmt: skip
def test_threads_take_links_or_share_the_work_of_one(links, directions, threads, alone):
    with over_links(links, directions, threads) as every:
        found = every(lambda link, helpers: (link, helpers))
    assert [link for link, _ in found] == list(range(links))
    assert [helpers is None for _, helpers in found] == [alone] * links
    assert alone or found[0][1].threads == threads
