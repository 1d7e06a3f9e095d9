"""How a tree is grown: the parameters, what they may be, and the three classical settings.

Knows names and numbers. Knows nothing of rows or totals.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from tallystick.data.schema import Schema, Target
from tallystick.errors import OptionError, shown
from tallystick.kernels.trees import GrowRules
from tallystick.learners.criteria import CRITERIA
from tallystick.models.costs import cost_table
from tallystick.models.plain import is_number, is_whole, make_plain
from tallystick.models.tree.weights import ClassWeights, class_weights, criterion_weights

PARTS = 2**20  # the finest part of a row of weight 1


@dataclass(frozen=True)
class TreeOptions:
    """Parameters of growing; `DecisionTree` says what they mean and has their defaults."""

    criterion: str
    level_splits: str
    missing_values: str
    max_depth: int | None
    min_samples_leaf: float  # a whole number of rows, or a part of all of them
    min_samples_split: float
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    min_entropy: float
    stop_at_zero_gain: bool
    cuts: str
    cut_price: float
    cut_rows: bool
    class_weight: Any
    priors: Any
    costs: Any
    max_bins: int | None

    def __post_init__(self) -> None:
        make_plain(self, NAMES)
        check_one_of("criterion", self.criterion, tuple(CRITERIA))
        check_one_of("level_splits", self.level_splits, ("groups", "each"))
        check_one_of("missing_values", self.missing_values, ("learned", "fractions"))
        check_one_of("cuts", self.cuts, ("midpoint", "observed"))
        check_whole_option("max_depth", self.max_depth, 1, optional=True)
        check_rows_option("min_samples_leaf", self.min_samples_leaf, 1)
        check_rows_option("min_samples_split", self.min_samples_split, 2)
        check_whole_option("max_leaf_nodes", self.max_leaf_nodes, 2, optional=True)
        check_whole_option("max_bins", self.max_bins, 2, optional=True)
        for name in ("stop_at_zero_gain", "cut_rows"):
            if not isinstance(getattr(self, name), bool):
                raise OptionError(f"{name} must be True or False, not {shown(getattr(self, name))}.")
        if isinstance(self.class_weight, str):
            check_one_of("class_weight", self.class_weight, ("balanced",))
        if not (is_number(self.cut_price) and 0 <= self.cut_price < 1e6):
            raise OptionError(f"cut_price must be a number from 0 up, not {shown(self.cut_price)}.")
        for name in ("min_impurity_decrease", "min_entropy"):
            if not (is_number(value := getattr(self, name)) and value >= 0):
                raise OptionError(f"{name} must be a number from 0 up, not {shown(value)}.")

    @property
    def in_parts(self) -> bool:
        """Are there parts of all rows in the place of numbers of rows?"""
        return not (is_whole(self.min_samples_leaf) and is_whole(self.min_samples_split))

    def counted(self, rows: int) -> TreeOptions:
        """Return the options with numbers of rows where parts of all rows were given, rounded up."""
        found = {
            name: max(least, math.ceil(value * rows))
            for name, least in (("min_samples_leaf", 1), ("min_samples_split", 2))
            if not is_whole(value := getattr(self, name))
        }
        return replace(self, **found) if found else self

    def rules(self, unit: int, classes: bool, row_unit: int | None = None) -> GrowRules:
        """Return the kernels' rules for a table with this unit of weights.

        row_unit: what one row weighs where rows are counted, if that is not the unit. Then `n` rows are more
        weight than n - 1 rows of it, so that 1 row is any row.
        """
        row, more = (unit, 0) if row_unit is None else (row_unit, row_unit - 1)
        return GrowRules(
            criterion=CRITERIA[self.criterion].kernel if classes else "variance",
            groups=self.level_splits == "groups",
            penalty=float(self.cut_price),
            cut_rows=self.cut_rows,
            stop_at_zero=self.stop_at_zero_gain,
            fractions=self.missing_values == "fractions",
            max_depth=2**31 - 1 if self.max_depth is None else self.max_depth,
            min_leaf=int(self.min_samples_leaf) * row - more,
            min_split=int(self.min_samples_split) * row - more,
            unit=row,
            min_decrease=float(self.min_impurity_decrease),
            min_entropy=float(self.min_entropy),
        )

    def weights_of(self, target: Target) -> ClassWeights | None:
        """Return what a row of each class counts in the criterion, None for 1 each."""
        if not target.labels:
            return None
        weights = class_weights(self.class_weight, self.priors, target)
        return criterion_weights(weights, cost_table(self.costs, target))

    def parts(self, schema: Schema, unit: int) -> int:
        """Return into how many parts a row can be shared out: more than 1 where missing values go in
        fractions.
        """
        lost = any(c.missing for c in schema.used if c.kind != "text")
        return PARTS if self.missing_values == "fractions" and lost and unit == 1 else 1

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


NAMES = tuple(f.name for f in fields(TreeOptions))


def check_one_of(name: str, value: Any, known: tuple[str, ...]) -> None:
    """Refuse a text that is not one of those known."""
    if not isinstance(value, str) or value not in known:
        raise OptionError(f"{name} must be one of {', '.join(known)}, not {shown(value)}.")


def check_rows_option(name: str, value: Any, low: int) -> None:
    """Refuse what is neither a whole number of rows nor a part of all of them."""
    if is_number(value) and not is_whole(value) and 0 < value < 1:
        return
    if not is_whole(value):
        raise OptionError(
            f"{name} must be a whole number of at least {low}, or a part of the rows between 0 and 1, "
            f"not {shown(value)}."
        )
    check_whole_option(name, value, low)


def check_whole_option(name: str, value: Any, low: int, optional: bool = False) -> None:
    """Refuse what is not a whole number of at least `low`, or None where that is allowed."""
    if optional and value is None:
        return
    if not is_whole(value) or not low <= value < 2**31:
        none = " or None" if optional else ""
        most = " and below 2^31" if is_whole(value) and value > 0 else ""
        raise OptionError(f"{name} must be a whole number of at least {low}{most}{none}, not {shown(value)}.")
