"""Where rows stand is kept from level to level, and tells what summing all blocks tells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tallystick.engine import Local
from tallystick.schema import Column, Schema, Target
from tallystick.table.table import LocalTable as Table
from tallystick.tree.growth import ValueScale
from tallystick.tree.tables import CodedColumn, Coding, LevelCounts
from tallystick.tree.tables import Test as MadeTest

SCHEMA = Schema((Column("a", "levels", ("r", "s", "t")),), Target("y", ("no", "yes")))
CODES, CLASSES = np.array([0, 1, 2, 3, 0], np.uint8), np.array([0, 1, 1, 0, 1], np.uint8)
WHOLE = MadeTest(0, 0, np.array([1, 2, 2, 1]))
SHARED = MadeTest(0, 0, np.array([1, 2, 2]), np.array([1, 2]), np.array([2, 1]))


def table(weights=None):
    return Table(SCHEMA, {"a": CODES}, 5, classes=CLASSES, weights=weights)


def asked(tests=(), open_=(0,), parts=1):
    form = CodedColumn((Coding("a", "levels", 3),))
    return LevelCounts(form, tests, open_, 3, 2, ValueScale(), parts)


def facts(answer, nodes):
    return [(answer.counts(i).tolist(), [t.table.tolist() for t in answer.node(i)[0]]) for i in range(nodes)]


@pytest.mark.parametrize("weights", [None, np.array([1, 2, 0, 3, 1])])
@pytest.mark.parametrize(("test", "parts"), [(WHOLE, 1), (SHARED, 1), (SHARED, 60)])
def test_the_tables_are_those_of_summing_all_rows(test, parts, weights):
    rows, root = table(weights), asked(parts=parts)
    below = replace(root, tests=(test,), open=(1, 2))
    root.solve(rows, Local(1))
    (block,) = rows.blocks()
    assert facts(below.solve(rows, Local(1)), 2) == facts(below.add(below.zero(), block), 2)


@pytest.mark.parametrize(("test", "parts"), [(WHOLE, 1), (SHARED, 60)])
def test_an_answer_stays_true_after_the_questions_that_follow_it(test, parts):
    rows, root = table(), asked(parts=parts)
    below = replace(root, tests=(test,), open=(1, 2))
    end = MadeTest(1, 0, np.array([3, 4, 4, 3]))
    last = replace(below, tests=(test, end), open=(3, 4), nodes=5)
    (block,) = rows.blocks()
    questions = (root, below, last)
    answers = [q.solve(rows, Local(1)) for q in questions]
    for question, answer in zip(questions, answers, strict=True):
        n = len(question.open)
        assert facts(answer, n) == facts(question.add(question.zero(), block), n)


def test_a_question_of_other_rows_begins_at_the_root():
    root = asked()
    root.solve(table(), Local(1))
    doubled = table(np.full(5, 2))
    below = replace(root, tests=(WHOLE,), open=(1, 2))
    assert below.solve(doubled, Local(1)).counts(0).tolist() == [4, 2]


def test_a_test_that_was_not_made_before_is_not_gone_on_from():
    root, rows = asked(), table()
    replace(root, tests=(WHOLE,), open=(1, 2)).solve(rows, Local(1))
    other = MadeTest(0, 0, np.array([2, 1, 1, 2]))
    found = replace(root, tests=(other,), open=(1, 2)).solve(rows, Local(1))
    assert found.counts(0).tolist() == [0, 2]
