"""The options of rules, and what they mean.

Knows names and numbers. Law: an option that makes no sense is an error that names it, before any row is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from tallystick.data.schema import Target
from tallystick.data.text import label_text
from tallystick.errors import OptionError, shown
from tallystick.models.classes import check_weights
from tallystick.models.costs import cost_table
from tallystick.models.plain import is_number, is_whole, make_plain
from tallystick.models.tree.weights import ClassWeights, class_weights, criterion_weights

MOST_BINS = 1_000
MOST_RULES = 10_000


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """Learning parameters: all of them are in the model file. `RuleList` has their defaults.

    max_rules, max_conditions: the most rules, and conditions of one rule; None leaves it to the rows.
    smoothing: imagined rows of each rule before the search for its conditions adds to them; None is
    sqrt(8 / classes), 0 asks for rules that are right on every row they take. max_bins: ranges of a number
    whose ends a condition may take.
    """

    max_rules: int | None
    max_conditions: int | None
    smoothing: float | None
    class_weight: Any
    costs: Any
    max_bins: int

    @classmethod
    def of(cls, holder: Any) -> RuleOptions:
        """Return the options an estimator holds; labels become text."""
        values = {f.name: getattr(holder, f.name) for f in fields(cls)}
        if isinstance(values["class_weight"], Mapping):
            values["class_weight"] = {label_text(k): v for k, v in values["class_weight"].items()}
        return cls(**values)

    def __post_init__(self) -> None:
        make_plain(self, tuple(f.name for f in fields(self)))
        for name in ("max_rules", "max_conditions"):
            value = getattr(self, name)
            if value is not None and not (is_whole(value) and 1 <= value <= MOST_RULES):
                raise OptionError(
                    f"{name} must be None or a whole number from 1 to {MOST_RULES:,}, not {shown(value)}."
                )
        if not (is_whole(self.max_bins) and 2 <= self.max_bins <= MOST_BINS):
            raise OptionError(
                f"max_bins must be a whole number from 2 to {MOST_BINS:,}, not {shown(self.max_bins)}."
            )
        if self.smoothing is not None and not (is_number(self.smoothing) and 0 <= self.smoothing <= 1e9):
            raise OptionError(f"smoothing must be None or a number from 0 up, not {shown(self.smoothing)}.")
        check_weights(self.class_weight)

    def imagined(self, classes: int) -> float:
        """Return how many rows are imagined where no condition was looked for."""
        return math.sqrt(8 / classes) if self.smoothing is None else float(self.smoothing)

    def answer_weights(self, target: Target) -> ClassWeights | None:
        """Return what a row of each class counts in answers, None for 1 each."""
        return class_weights(self.class_weight, None, target)

    def growing_weights(self, target: Target) -> ClassWeights | None:
        """Return what a row of each class counts where rules are compared, None for 1 each."""
        return criterion_weights(self.answer_weights(target), self.cost_table(target))

    def cost_table(self, target: Target) -> tuple[tuple[float, ...], ...]:
        """Return costs[class][answer]; nothing where the most probable class is answered."""
        return cost_table(self.costs, target)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain data for the model file."""
        out = {f.name: getattr(self, f.name) for f in fields(self)}
        out["smoothing"] = None if self.smoothing is None else float(self.smoothing)
        if isinstance(self.class_weight, Mapping):
            out["class_weight"] = {k: float(v) for k, v in self.class_weight.items()}
        return out
