"""One question for a small logistic regression; the learner's tests hold it to the bytes of the long way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tallystick as ts
from tallystick.engine.local import Local
from tallystick.stats.design_sums import SmallFit, SmallWeights


class Kept:
    """An engine that keeps the first small question with its table."""

    def total(self, table, question):
        if isinstance(question, SmallFit):
            self.asked = table, question
        return Local(1).total(table, question)


@pytest.fixture(scope="module")
def asked():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)) * [1.0, 100.0, 0.01]
    engine = Kept()
    ts.LogisticRegression(l2=1.0, engine=engine).fit(X, (X[:, 0] + rng.normal(size=80) > 0).astype(int))
    return *engine.asked, X


def test_the_answer_is_where_the_gradient_ends(asked):
    table, question, X = asked
    found = Local(1).total(table, question)
    assert isinstance(found, SmallWeights)
    np.testing.assert_allclose(found.centre, X.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.scale, X.std(axis=0), rtol=1e-12)
    Z = np.column_stack([np.ones(len(X)), (X - found.centre) / found.scale])
    gap = table.classes - 1 / (1 + np.exp(-Z @ found.w))
    prior = np.append(0.0, found.w[1:])  # l2 = 1 on standardised weights, none on the constant
    np.testing.assert_allclose(Z.T @ gap, prior, atol=1e-6)


def test_weights_of_rows_and_several_blocks_have_no_quick_answer(asked):
    table, question, _ = asked
    heavier = replace(table, weights=np.full(table.rows, 2))
    assert Local(1).total(heavier, question) is None
    assert question.merge(question.zero(), question.zero()) is None
