"""Look over a list of rules once more: what would another rule, or none, make of the rows that a rule takes?

Knows totals of a list. Never sees a row. Law: a change is made only if the list then tells more, conditions
paid for (as much, where they cost nothing); the best change first, of equals the first.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from tallystick.learners.rules.grow import FoundRule, RuleGrower
from tallystick.stats.rule_tables import ListCounts, Taken

LEAST = 1e-9  # nats: what is less is rounding


def reviewed(grower: RuleGrower, found: list[FoundRule]) -> Generator[Any, Any, list[FoundRule]]:
    """Return the list without the rules whose rows are told as well by the rules behind them."""
    while found:
        taken: Taken = yield ListCounts(grower.form, tuple(r.picks for r in found), grower.classes)
        worth = [_without(grower, taken, i) + rule.cost for i, rule in enumerate(found)]
        worst = int(np.argmax(worth))
        if worth[worst] <= (-LEAST if grower.telling.exact else LEAST):
            break
        found = found[:worst] + found[worst + 1 :]
    return found


def _without(grower: RuleGrower, taken: Taken, rule: int) -> float:
    """Return by how much more the list tells without a rule, whose rows go to the next rules that hold."""
    moved = taken.first + taken.second[rule]
    before = grower.telling.evidence(taken.first)
    after = grower.telling.evidence(moved)
    changed = np.flatnonzero(taken.second[rule].any(axis=1))
    return float((after[changed] - before[changed]).sum() - before[rule])
