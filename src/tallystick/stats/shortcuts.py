"""Every faster way to a statistic's total, by the statistic it answers; and the questions asked in a form.

An engine that has all rows at hand looks here before it sums. Knows which statistics there are. Law: what a
learner makes of a shortcut's answer is what it makes of zero, add and merge, bit for bit; each is compared in
`tests/engine/test_engine_contract.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallystick.contracts import InForm, Shortcut, Statistic
from tallystick.density.learner import PairTables
from tallystick.rules.learner import ActiveRows, ListCounts, RuleTables
from tallystick.stats.class_counts import BayesSums, ByRanks, ClassValues, KnownSums
from tallystick.stats.design_sums import (
    InOneCall,
    LogisticSums,
    LongRows,
    NewtonSums,
    NewtonToTheEnd,
    SmallFit,
)
from tallystick.stats.quantiles import Spreads
from tallystick.stats.values import ByGuess, ValueSample
from tallystick.tree.growth import GrowingTree, WholeTree
from tallystick.tree.off_memory import NodeRowCache
from tallystick.tree.tables import LevelCounts

SHORTCUTS: Mapping[type[Any], Shortcut[Any]] = {
    BayesSums: KnownSums(),
    ClassValues: ByRanks(),
    LevelCounts: NodeRowCache(),
    GrowingTree: WholeTree(),
    LogisticSums: LongRows(),
    NewtonSums: NewtonToTheEnd(),
    RuleTables: ActiveRows(),
    SmallFit: InOneCall(),
    ValueSample: ByGuess(),
}


def in_a_form(question: Statistic[Any]) -> InForm[Any] | None:
    """Return the question if it is asked in a form of the rows that is worth keeping, None of any other."""
    if isinstance(question, LevelCounts | PairTables | RuleTables | ListCounts) or (
        isinstance(question, LogisticSums) and question.every > 1
    ):
        return question
    return None


def of_open_nodes(question: Statistic[Any]) -> LevelCounts | None:
    """Return the question if an engine may answer it in a way of its own, node by node; None of any other."""
    return question if isinstance(question, LevelCounts) and question.more is not None else None


def spreads_in(question: Statistic[Any]) -> Spreads | None:
    """Return the question for the spread of values that is part of another, in whose total they are `values`;
    None of any other.
    """
    return question.spreads if isinstance(question, GrowingTree) else None
