"""What L-BFGS remembers of its last steps."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.linear.solvers import Memory


@given(seed=st.integers(0, 10_000), steps=st.integers(1, 20))
@settings(max_examples=25, deadline=None)
def test_the_memory_of_steps_is_the_two_loop_recursion(seed, steps):
    rng = np.random.default_rng(seed)
    n = 8
    root = rng.normal(size=(n, n))
    a, inverse = root @ root.T + np.eye(n), rng.random(n) + 0.5
    memory, pairs = Memory(lambda q: q * inverse), []
    for _ in range(steps):
        s = rng.normal(size=n)
        memory.learn(s, a @ s, s)
        pairs = [*pairs[-11:], (s, a @ s)]
    g = rng.normal(size=n)
    q, alphas = g.copy(), []
    for s, y in reversed(pairs):
        alphas.append(s @ q / (s @ y))
        q -= alphas[-1] * y
    s, y = pairs[-1]
    q *= inverse * (s @ y) / (y @ (inverse * y))
    for (s, y), alpha in zip(pairs, reversed(alphas), strict=True):
        q += s * (alpha - y @ q / (s @ y))
    np.testing.assert_allclose(memory.direction(g, scaled=True), -q, rtol=1e-5, atol=1e-8)
