"""Which questions a device answers, and how: a list.

Knows the names of statistics and of their ways. Law: an answer is the total of zero, add and merge over all
rows, or what a shortcut says in its place, bit for bit; None: this question is summed on the processor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tallystick.engines.gpu.cards import card_sums, line_counts
from tallystick.engines.gpu.levels import frontier, look
from tallystick.engines.gpu.points import logistic_sums, newton_sums, row_facts, sides
from tallystick.engines.gpu.rows import DeviceRows
from tallystick.engines.gpu.sums import bayes_sums
from tallystick.stats.bayes import BayesSums
from tallystick.stats.cards import CardSums, LineCounts
from tallystick.stats.gradients import LogisticSums, NewtonSums, RowFacts, Sides
from tallystick.stats.level_tables import Frontier
from tallystick.stats.split_search import GrowingTree

ANSWERS: Mapping[type[Any], Callable[[DeviceRows, Any], Any]] = {
    BayesSums: bayes_sums,
    CardSums: card_sums,
    Frontier: frontier,
    GrowingTree: look,
    LineCounts: line_counts,
    LogisticSums: logistic_sums,
    NewtonSums: newton_sums,
    RowFacts: row_facts,
    Sides: sides,
}
