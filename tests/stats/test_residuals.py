"""Sums of columns by residuals: what NumPy adds up, in any order and any cut of the rows."""

from __future__ import annotations

import numpy as np

from tallystick.stats.design_sums import (
    Copies,
    Dense,
    Design,
    Factor,
    ResidualSums,
    ResponseFacts,
    with_response,
)
from tallystick.table.block import RowBlock as Block

R = np.random.default_rng(4)
X, Y, W = R.uniform(-1, 1, (500, 2)), R.uniform(-1, 1, 500), R.integers(0, 4, 500)
DESIGN = Design(tuple(Dense(n, (Factor(n, n, None, -1.0, 1.0),)) for n in "ab"), (), ())


def block(rows, weights=True):
    own = {"a": X[rows, 0].copy(), "b": X[rows, 1].copy()}
    return Block(len(rows), own, None, Y[rows].copy(), W[rows].copy() if weights else None)


def total(question, cuts, weights=True):
    parts = [question.add(question.zero(), block(np.array(rows), weights)) for rows in cuts]
    out = parts[0]
    for part in parts[1:]:
        out = question.merge(out, part)
    return out


def test_the_sums_are_those_of_numpy_in_any_cut():
    theta = np.array([[0.2], [0.5], [-0.3]])
    question = ResidualSums(
        with_response(DESIGN, -1.0, 1.0), np.array([[0.0] * 3, [1.0] * 3]), theta, 1.0, 2.0, 45, Copies()
    )
    order = R.permutation(500)
    found = total(question, [range(500)])
    again = total(question, [order[:7], order[7:200], order[200:]])
    assert (found.squares == again.squares).all()
    residual = (Y - (theta[0] + X @ theta[1:, 0])) / 2
    wanted = [
        (W * residual).sum(),
        *(W[:, None] * X * residual[:, None]).sum(axis=0),
        (W * residual**2).sum(),
    ]
    np.testing.assert_allclose(found.squares[0] * 2.0**-45, wanted, atol=1e-9)
    scores = question.at(theta, 3.0)
    assert (scores.bound, question.bound) == (3.0, 2.0)


def test_the_ends_of_the_response_are_those_of_rows_that_count():
    found = total(ResponseFacts(), [range(250), range(250, 500)])
    assert int(found.weight[0]) == W.sum()
    assert int(found.heaviest[0]) == 3
    assert found.ends.tolist() == [Y[W > 0].min(), Y[W > 0].max()]
    assert int(total(ResponseFacts(), [range(500)], weights=False).weight[0]) == 500
