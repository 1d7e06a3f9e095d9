"""Rules in memory: the tables are those of zero, add and merge, whatever was asked before."""

import numpy as np
import pytest

import tallystick as ts
from tallystick.engine import Local
from tallystick.rules.learner import Pick, RuleTables
from tallystick.tree.tables import CodedColumn, Coding

X = Pick(0, (True, True, False, False))
A = Pick(1, (False, True, False))
B = Pick(1, (True, False, True))


@pytest.mark.parametrize("weighted", [False, True])
def test_tables_are_those_of_all_blocks_in_any_order_of_questions(weighted):
    rng = np.random.default_rng(0)
    rows = [
        {"x": float(x), "a": "pq"[a], "y": ("no", "yes")[y]}
        for x, a, y in rng.integers(0, [9, 2, 2], (500, 3)).tolist()
    ]
    weights = rng.integers(0, 4, 500).tolist() if weighted else None
    table = ts.RuleList()._read(rows, "y", weights)
    form = CodedColumn((Coding("x", "numeric", 3, np.array([3.0, 6.0]), True), Coding("a", "levels", 2)))
    asked = [((), ((),)), ((), ((X,), (A,))), ((), ((X, A),)), (((X, A),), ((B,), ())), ((), ((B, X),))]
    for taken, picks in asked:
        question = RuleTables(form, taken, picks, 2)
        want = question.zero()
        for block in table.blocks():
            want = question.add(want, block)
        found = question.solve(table, Local(2))
        assert all(
            np.array_equal(a, b) for f, w in zip(found, want, strict=True) for a, b in zip(f, w, strict=True)
        )
        assert all(
            np.array_equal(a, b)
            for f, w in zip(Local(1).total(table, question), want, strict=True)
            for a, b in zip(f, w, strict=True)
        )
