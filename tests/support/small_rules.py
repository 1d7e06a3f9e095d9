"""Small rules made by hand: every number can be followed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick.model.conditions import Condition
from tallystick.rules.model import LIST, RuleCounts, RuleModel, RuleOptions
from tallystick.schema import Column, Schema, Target
from tallystick.table.block import RowBlock as Block

X = Column("x", "numeric", low=0.0, high=9.0, missing=1)
A = Column("a", "levels", ("p", "q", "r"), missing=1)
SCHEMA = Schema((X, A), Target("y", ("no", "yes")))
OPTIONS: dict[str, Any] = {
    "max_rules": None,
    "max_conditions": None,
    "smoothing": None,
    "class_weight": None,
    "costs": None,
    "max_bins": 255,
}


def rules(kind: str = LIST, **options: Any) -> RuleModel:
    """x < 3 and a is p or missing: yes (1 of 10 wrong); x ≥ 6 or missing: no (none of 8); otherwise yes
    (4 of 6). The imagined rows have the shares 13.5/25 and 11.5/25.
    """
    first = RuleCounts((Condition(X, high=3.0), Condition(A, levels=(0,), missing=True)), (1, 9), 2.0)
    second = RuleCounts((Condition(X, low=6.0, missing=True),), (8, 0), 1.0)
    rest = RuleCounts((), (4, 2), 4.0)
    totals = (13, 11)
    return RuleModel(SCHEMA, RuleOptions(**OPTIONS | options), kind, (first, second), rest, totals)


def block(x: list[float], a: list[int]) -> Block:
    """Encoded rows: 0 to 2 are the levels, 3 is missing, 4 is unseen."""
    return Block(len(x), {"x": np.array(x, float), "a": np.array(a, np.uint8)})
