"""Points that only rise or fall: the best of those, exact as whole numbers, for one class of several."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.scorecard.model import LevelAxis, RangeAxis
from tallystick.scorecard.quadratic import Directions, LinkSystem, desks_of, piece_of
from tallystick.scorecard.rounds import OneWay, held, multipliers

ROWS = (np.array([5.0, 9.0, 4.0, 2.0, 3.0]), np.array([8.0, 10.0, 5.0, 0.0, 0.0]))
PIECES = (
    piece_of(RangeAxis("x", (1.0, 2.0, 4.0)), ROWS[0], False, 1),
    piece_of(LevelAxis("a", (0, 1, 2)), ROWS[1], False),
)
STRENGTHS = np.array([0.5, 0.7, 1.1, 2.0])


def links(count, seed=6):
    """Free optima of some links, and what each costs elsewhere."""
    rng, directions = np.random.default_rng(seed), Directions.of(PIECES)
    found, problems = [], []
    for _ in range(count):
        half = rng.normal(size=(30, 10))
        matrix, right = half.T @ half, rng.normal(size=10) * 20
        [desk] = desks_of(directions, 1, np.empty)
        found.append(LinkSystem.of(directions, matrix, right, STRENGTHS, None, desk).optimum(STRENGTHS, None))
        problems.append((matrix, right))
    return found, problems


def covariance():
    out, line, at = np.zeros((10, 10)), 0, 0
    for piece in PIECES:
        for one in piece.covariances:
            out[line : line + piece.lines, line : line + piece.lines] += STRENGTHS[at] * one
            at += 1
        line += piece.lines
    return out


@pytest.mark.slow
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("count", [1, 3])
def test_they_are_the_best_of_those_that_are_allowed(count, sign):
    found, problems = links(count)
    way = OneWay(slice(0, 4), sign, count // 2)
    best = np.stack([o.f for o in held(found, [way])], axis=1)
    k = covariance()
    inverse = np.linalg.pinv(k, rcond=1e-8)

    def broken(f):
        ahead = f if count == 1 else f[:, [way.link]] - f
        return (sign * np.diff(ahead[:4], axis=0)).min() < 0

    def cost(f):
        return sum(0.5 * f[:, i] @ (m + inverse) @ f[:, i] - r @ f[:, i] for i, (m, r) in enumerate(problems))

    assert broken(np.stack([o.f for o in found], axis=1))  # or there were nothing to hold
    assert not broken(best)
    rng = np.random.default_rng(3)
    tried = 0
    for _ in range(2_000):
        f = best + k @ rng.normal(size=(10, count)) * 10.0 ** rng.uniform(-6, -1)
        if not broken(f):
            tried += 1
            assert cost(f) >= cost(best) - 1e-8
    assert tried > 20


def test_without_a_wish_nothing_changes():
    found, _ = links(2)
    assert held(found, []) == found


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(1, 12))
def test_pulls_are_those_of_least_squares(seed, size):
    """min |A pull + b| over pulls of at least 0 has gram A'A and slack A'b."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(size + 3, size)), rng.normal(size=size + 3)
    want, _ = nnls(a, -b)
    np.testing.assert_allclose(multipliers(np.ascontiguousarray(a.T @ a), a.T @ b), want, atol=1e-7)


def test_a_step_held_by_others_already_is_not_held_again():
    gram = np.array([[1.0, 1.0], [1.0, 1.0]])  # twice the same step
    found = multipliers(gram, np.array([-2.0, -2.0]))
    assert found.sum() == pytest.approx(2.0)


# ---- several classes ----


def table(seed, rows=400):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=rows), rng.normal(size=rows)
    eta = np.stack([x, np.sin(3 * x) + z, -x * x], axis=1) + rng.gumbel(size=(rows, 3))
    x[rng.random(rows) < 0.1] = np.nan
    return pd.DataFrame({"x": x, "z": z}), np.array(["low", "mid", "top"])[eta.argmax(axis=1)]


@pytest.mark.slow
@pytest.mark.parametrize("label", ["low", "mid", "top"])
@pytest.mark.parametrize("way", ["rising", "falling"])
def test_the_probability_of_a_class_only_rises_or_falls_whatever_else_is_there(label, way):
    X, y = table(5)
    sign = 1 if way == "rising" else -1
    for more in ({}, {"max_lines": 4}, {"points_to_double": 3}, {"cuts": {"x": [-1, 0, 1]}}):
        model = ts.Scorecard(monotone={"x": {label: way}}, **more).fit(X, y)
        number = model.classes_.tolist().index(label)
        for part in model.model_.parts:
            if part.columns == ("x",):
                ahead = part.points[:-1, [number]] - part.points[:-1]
                assert (sign * np.diff(ahead, axis=0) >= 0).all()
        grid = np.linspace(-3, 3, 61)
        for z in (-2.0, 0.1, np.nan):
            shares = model.predict_proba(pd.DataFrame({"x": grid, "z": z}))[:, number]
            assert (sign * np.diff(shares) >= -1e-15).all()


def test_the_wish_changes_what_is_learnt_and_only_that_column_is_held():
    X, y = table(5)
    model = ts.Scorecard(monotone={"x": {"mid": "rising"}}).fit(X, y)
    free = ts.Scorecard().fit(X, y)
    assert model.model_.fit.loss > free.model_.fit.loss
    assert any(part.name == "x" for part in model.model_.parts)
    assert model.model_.fit.loss < free.model_.fit.null


def test_of_two_classes_one_can_be_named_too():
    X, y = table(7)
    y = np.where(y == "top", "b", "a")
    plain = ts.Scorecard(monotone={"x": "falling"}).fit(X, y)
    assert ts.Scorecard(monotone={"x": {"b": "falling"}}).fit(X, y).card_ == plain.card_
    assert ts.Scorecard(monotone={"x": {"a": "rising"}}).fit(X, y).card_ == plain.card_


def test_a_wish_by_class_is_in_the_model_file(tmp_path):
    X, y = table(9, 120)
    model = ts.Scorecard(monotone={"x": {"top": "falling"}}).fit(X, y)
    model.save(tmp_path / "m.tally.json")
    assert ts.load(tmp_path / "m.tally.json").get_params()["monotone"] == {"x": {"top": "falling"}}


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("rising", "monotone of column 'x' must say of which class, since 'y' has 3, such as "
                   "{'x': {'low': 'rising'}}."),
        ({"tob": "rising"}, "monotone of column 'x' names class 'tob', which is not there. Did you mean "
                            "'top'? The classes are 'low', 'mid', 'top'."),
        ({"top": "up"}, "monotone of column 'x' must be 'rising' or 'falling', not 'up'."),
        ({"top": "rising", "low": "falling"}, "monotone of column 'x' must name one class, not 2: what rises "
                                              "for one falls for another."),
        ({}, "monotone of column 'x' must name one class, not 0: what rises for one falls for another."),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_line(wish, said):
    X, y = table(5, 60)
    with pytest.raises(OptionError) as caught:
        ts.Scorecard(monotone={"x": wish}).fit(X.assign(y=y), "y")
    assert str(caught.value) == said


@pytest.mark.slow
def test_levels_in_an_order_keep_theirs_where_they_are_very_many():
    rng = np.random.default_rng(1)
    names = [f"{i:03d}" for i in range(300)]
    at = rng.integers(0, 300, 3_000)
    at[:300] = np.arange(300)
    y = np.where(rng.random(3_000) < 0.2 + 0.6 * at / 300, "yes", "no")
    X = pd.DataFrame({"grade": np.array(names)[at]})
    wishes = ts.Columns(kinds={"grade": "ordered"}, levels={"grade": names})
    model = ts.Scorecard(monotone={"grade": "rising"}, columns=wishes).fit(X, y)
    shares = model.predict_proba(pd.DataFrame({"grade": names}))[:, 1]
    assert (np.diff(shares) >= 0).all()
    assert shares[-1] > shares[0] + 0.3
