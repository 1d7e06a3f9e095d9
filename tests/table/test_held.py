"""Rows that nobody can write over."""

from __future__ import annotations

import numpy as np

import tallystick as ts
from tallystick.engine import Local
from tallystick.table import table as held


def table_of(X, y):
    kept = []

    class Engine:
        def total(self, table, question):
            kept.append(table)
            return Local(1).total(table, question)

    ts.DecisionTree(engine=Engine()).fit(X, y)
    return kept[0]


def test_a_small_matrix_is_its_own_and_a_large_one_is_watched():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    table = table_of(X, y)
    assert held.is_own(table)
    assert held.held(table) is table
    before = [table.columns[name].copy() for name in table.columns]
    X[:] = 0.0
    for name, values in zip(table.columns, before, strict=True):
        np.testing.assert_array_equal(table.columns[name], values)


def test_arrays_that_are_given_are_copied_before_they_are_held():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    other = table_of(X, y).with_weights(np.full(40, 2))
    assert not held.is_own(other)
    own = held.held(other)
    assert held.is_own(own)
    assert own.weights.tolist() == other.weights.tolist()
    assert not np.shares_memory(own.weights, other.weights)
    large = np.zeros((held.FEW_CELLS // 2 + 1, 2))
    large[:, 0] = np.arange(len(large)) % 5
    large[:, 1] = np.arange(len(large)) % 3
    assert held.held(table_of(large, np.arange(len(large)) % 2)) is None
