"""The function that is minimised: its gradient and curvature are its differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logistic_tables import made, problem_of

from tallystick.engine import Local
from tallystick.kernels.linear import Curvature
from tallystick.linear.prepare import unit_bits


@pytest.mark.slow
@given(seed=st.integers(0, 10_000), classes=st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_gradient_and_curvature_are_the_differences_of_the_value(seed, classes):
    table, problem = problem_of(*made(seed, classes=classes))
    rng = np.random.default_rng(seed)
    w = rng.normal(0, 0.5, problem.weights)
    engine = Local(1)

    def at(v, curvature=Curvature.NONE):
        return problem.read(v, engine.total(table, problem.ask(v, curvature)))

    here = at(w, Curvature.PAIRS)
    d = rng.normal(size=problem.weights)
    h = 1e-4
    ahead, behind = at(w + h * d), at(w - h * d)
    assert (ahead.value - behind.value) / (2 * h) == pytest.approx(
        float(here.gradient @ d), rel=1e-5, abs=1e-5
    )
    bend = (ahead.gradient - behind.gradient) / (2 * h)
    expected = here.curvature @ d
    if problem.symmetric:  # the common shift of constants was given a curvature of its own
        k = problem.free_links
        expected[:k] -= problem.rows / k * d[:k].sum()
    np.testing.assert_allclose(bend, expected, rtol=1e-4, atol=1e-4)


def test_bits_leave_room_for_all_rows():
    assert unit_bits(1.0) == 50
    assert unit_bits(2.0**40) + 41 == 61
    assert unit_bits(1e30) == 1


def test_a_point_seen_under_another_prior_needs_no_rows():
    X, y = made(4)
    table, strong = problem_of(X, y, l2=5.0)
    weak = replace(strong, l2=strong.l2 / 5)
    w = np.linspace(-1, 1, strong.weights)
    asked = weak.read(w, Local(1).total(table, weak.ask(w, Curvature.PAIRS)))
    seen = weak.reread(strong.read(w, Local(1).total(table, strong.ask(w, Curvature.PAIRS))), strong)
    assert seen.value == pytest.approx(asked.value)
    np.testing.assert_allclose(seen.gradient, asked.gradient, atol=1e-9)
    np.testing.assert_allclose(np.tril(seen.curvature), np.tril(asked.curvature), atol=1e-9)


def test_constants_of_several_classes_are_centred_and_weights_come_back_flat():
    _, problem = problem_of(*made(5, classes=3))
    w = np.arange(problem.weights, dtype=float)
    assert problem.symmetric
    assert problem.centred(w)[:3].tolist() == [-1.0, 0.0, 1.0]
    assert problem.flat(problem.theta(w)[0]).tolist() == w.tolist()
