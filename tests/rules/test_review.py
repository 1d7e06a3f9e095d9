"""Looking a list over: rules whose rows are told as well by those behind them go."""

import numpy as np

from tallystick.rules.learner import FoundRule, Pick, RuleGrower, RuleScore, reviewed
from tallystick.table.block import RowBlock as Block
from tallystick.tree.tables import CodedColumn, Coding

FORM = CodedColumn((Coding("a", "levels", 3),))


def rule(*codes, cost=3.0):
    picks = (Pick(0, tuple(k in codes for k in range(4))),)
    return FoundRule(picks, np.zeros(2, np.int64), cost, 1.0, 1.0)


def run(found, y):
    a = np.arange(len(y)) % 3
    block = Block(len(y), {"a": a.astype(np.uint8)}, np.asarray(y(a), np.uint8) if callable(y) else y)
    telling = RuleScore(np.ones(2), np.bincount(block.classes, minlength=2), 2.0)
    stages = reviewed(RuleGrower(FORM, telling, 2, None), found)
    try:
        question = next(stages)
        while True:
            question = stages.send(question.add(question.zero(), block))
    except StopIteration as end:
        return end.value


def test_a_rule_that_a_later_one_covers_goes():
    y = (np.arange(300) % 3 < 2).astype(np.uint8)
    kept = run([rule(0), rule(0, 1)], y)
    assert [r.picks[0].allowed[:3] for r in kept] == [(True, True, False)]


def test_rules_that_tell_stay():
    y = (np.arange(300) % 3 == 1).astype(np.uint8)
    assert len(run([rule(1)], y)) == 1


def test_a_rule_that_tells_nothing_goes():
    y = (np.arange(300) // 3 % 2).astype(np.uint8)
    assert run([rule(0), rule(1)], y) == []
