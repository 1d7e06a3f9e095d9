"""Growing a rule: the best rule met is returned, a column is named once, limits hold."""

import numpy as np
import pytest

from tallystick.rules.learner import Pick, RuleGrower, RuleScore, RuleTables, with_pick
from tallystick.table.block import RowBlock as Block
from tallystick.tree.tables import CodedColumn, Coding

FORM = CodedColumn(tuple(Coding(n, "levels", 2) for n in "abc"))


def grown(truth, n=400, most=None, one=None, noise=0.0):
    rng = np.random.default_rng(0)
    columns = {c: rng.integers(0, 2, n).astype(np.uint8) for c in "abc"}
    y = truth(**{k: v == 1 for k, v in columns.items()})
    y ^= rng.random(n) < noise
    block = Block(n, columns, y.astype(np.uint8))
    telling = RuleScore(np.ones(2), np.bincount(y, minlength=2), 2.0, one)
    grower = RuleGrower(FORM, telling, 2, most)

    def answer(question):
        return question.add(question.zero(), block)

    (tables,) = answer(RuleTables(FORM, (), ((),), 2))
    stages = grower.best((), tables)
    try:
        question = next(stages)
        while True:
            question = stages.send(answer(question))
    except StopIteration as end:
        return end.value


def test_a_conjunction_is_found_whole():
    rule = grown(lambda a, b, c: a & b & c, one=1)
    assert sorted(rule.picks) == [Pick(k, (False, True, False)) for k in range(3)]
    assert rule.covered[0] == 0
    assert rule.worth > 0


def test_a_rule_has_at_most_so_many_conditions():
    assert len(grown(lambda a, b, c: a & b & c, most=1).picks) == 1


def test_no_rule_is_worth_its_conditions_where_nothing_is_told():
    rng = np.random.default_rng(3)
    assert grown(lambda a, b, c: rng.random(len(a)) < 0.5) is None


def test_noise_does_not_hide_a_condition():
    rule = grown(lambda a, b, c: a, noise=0.1)
    assert [p.column for p in rule.picks] == [0]


def test_a_column_is_named_once():
    both = with_pick((Pick(0, (True, True, False)),), Pick(0, (False, True, True)))
    assert both == (Pick(0, (False, True, False)),)


@pytest.mark.parametrize("one", [0, 1])
def test_a_rule_for_a_class_answers_it(one):
    rule = grown(lambda a, b, c: a | b, one=one)
    assert rule.covered[one] > rule.covered[1 - one]
