"""Where a model's answer can change along a column of numbers: its cuts, if it answers in steps.

Knows trees, rules and additive forms. Law: between two neighbouring cuts every value of the column gets the
same answer; where that is not so, there are none (`None`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.models.additive import BinTerm
from tallystick.models.logistic.parts import ProductTerm
from tallystick.models.scorecard.axes import RangeAxis
from tallystick.models.scorecard.parts import PairTerm

Floats = NDArray[np.float64]
LARGEST = 1e300  # no cut of the rows: a test of whether there is a number


def no_steps(model: Any, column: str) -> None:
    """Return None: the answer may change with every value."""


def tree_steps(tree: Any, column: str) -> Floats:
    """Return the cuts of a tree's tests of the column."""
    names = [c.name for c in tree.schema.used]
    return _cuts(tree.nodes.cut[tree.nodes.column == names.index(column)])


def rule_steps(model: Any, column: str) -> Floats:
    """Return the ends of all conditions on the column."""
    own = [c for rule in model.rules for c in rule.conditions if c.column.name == column]
    return _cuts([end for c in own for end in (c.low, c.high)])


def additive_steps(model: Any, column: str) -> Floats | None:
    """Return the cuts of all bins and ranges of the column; None where some term is a line or a curve."""
    found: list[float] = []
    for term in model.additive.terms:
        if isinstance(term, PairTerm):
            for axis in (term.axis.first, term.axis.second):
                if isinstance(axis, RangeAxis) and axis.name == column:
                    found += axis.cuts
        elif isinstance(term, BinTerm):
            found += term.cuts.tolist() if term.column == column else []
        elif isinstance(term, ProductTerm):
            if column in (f.column for f in term.part.factors):
                return None
        elif term.column == column:
            return None
    return _cuts(found)


def _cuts(values: Any) -> Floats:
    cuts = np.unique(np.asarray(values, np.float64))
    return cuts[np.abs(cuts) < LARGEST]
