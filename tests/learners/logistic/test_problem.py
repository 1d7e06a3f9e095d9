"""The function that is minimised: its gradient and curvature are its differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logistic_tables import made, problem_of

from tallystick.engines.local import Local
from tallystick.kernels import Curvature


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
