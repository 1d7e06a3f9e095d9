"""Every faster way to a statistic's total, by the statistic it answers; and the questions asked in a form.

An engine that has all rows at hand looks here before it sums. Knows which statistics there are. Law: what a
learner makes of a shortcut's answer is what it makes of zero, add and merge, bit for bit; each is compared in
`tests/engines/test_engine_contract.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallystick.contracts import InForm, Shortcut, Statistic
from tallystick.stats.bayes import BayesSums, KnownSums
from tallystick.stats.class_values import ByRanks, ClassValues
from tallystick.stats.distribution import Spreads
from tallystick.stats.gradients import LogisticSums, NewtonSums, NewtonToTheEnd
from tallystick.stats.level_tables import Frontier
from tallystick.stats.long_rows import LongRows
from tallystick.stats.node_rows import WhereRowsStand
from tallystick.stats.pair_tables import PairTables
from tallystick.stats.rows_left import WhichRowsAreLeft
from tallystick.stats.rule_tables import ListCounts, RuleTables
from tallystick.stats.small_fit import InOneCall, SmallFit
from tallystick.stats.split_search import GrowingTree, WholeTree
from tallystick.stats.value_samples import ByGuess, ValueSample

SHORTCUTS: Mapping[type[Any], Shortcut[Any]] = {
    BayesSums: KnownSums(),
    ClassValues: ByRanks(),
    Frontier: WhereRowsStand(),
    GrowingTree: WholeTree(),
    LogisticSums: LongRows(),
    NewtonSums: NewtonToTheEnd(),
    RuleTables: WhichRowsAreLeft(),
    SmallFit: InOneCall(),
    ValueSample: ByGuess(),
}


def in_a_form(question: Statistic[Any]) -> InForm[Any] | None:
    """Return the question if it is asked in a form of the rows that is worth keeping, None of any other."""
    if isinstance(question, Frontier | PairTables | RuleTables | ListCounts) or (
        isinstance(question, LogisticSums) and question.every > 1
    ):
        return question
    return None


def of_open_nodes(question: Statistic[Any]) -> Frontier | None:
    """Return the question if an engine may answer it in a way of its own, node by node; None of any other."""
    return question if isinstance(question, Frontier) and question.more is not None else None


def spreads_in(question: Statistic[Any]) -> Spreads | None:
    """Return the question for the spread of values that is part of another, in whose total they are `values`;
    None of any other.
    """
    return question.spreads if isinstance(question, GrowingTree) else None
