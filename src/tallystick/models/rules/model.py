"""Fitted rules: conditions, the training rows behind each rule, and what they answer.

Knows conditions, counts and the schema. Knows nothing of learners, sums or files. Laws:
`from_dict(to_dict())` is the same model and predicts the same bits; every share follows from the counts
beside it: (rows of the class + imagined rows of it) / (rows + imagined rows), the imagined rows having the
class shares of all rows; of no rows at all they are the shares.

A list answers by the first rule that holds, and a rule has the rows that no rule before it takes. A set
answers by the surest rule that holds, which is the first as well since the surest stands first; its rules
have all rows that they hold for. Either has an answer for the rows that no rule takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.schema import Schema
from tallystick.models.decision import AnswerDecision, decide, in_force
from tallystick.models.rules.one_row import RuleRow
from tallystick.models.rules.options import RuleOptions
from tallystick.models.tree.rules import Rule, Rules, holds
from tallystick.models.tree.sentences import Condition

Floats = NDArray[np.float64]
LIST, SET = "rule-list", "rule-set"


@dataclass(frozen=True)
class RuleCounts:
    """One rule: all conditions must hold. counts[class]: its training rows, in units of the table. imagined:
    rows with the class shares of all rows, more of them the longer its conditions were looked for.
    """

    conditions: tuple[Condition, ...]
    counts: tuple[int, ...]
    imagined: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "conditions": [c.to_dict() for c in self.conditions],
            "counts": list(self.counts),
            "imagined": self.imagined,
        }


@dataclass(frozen=True, eq=False)
class RuleModel:
    """Rules in the order in which they answer, and `otherwise`, which has no conditions.

    totals[class]: all training rows, in units of the table: a weight of 1 is `unit`, a row counts `row_unit`.
    """

    schema: Schema
    options: RuleOptions
    kind: str
    rules: tuple[RuleCounts, ...]
    otherwise: RuleCounts
    totals: tuple[int, ...]
    unit: int = 1
    row_unit: int = 0
    decision: AnswerDecision | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The class labels."""
        return self.schema.predicted.labels

    @property
    def ordered(self) -> bool:
        """Whether it is a list: a rule has the rows that no rule before it takes."""
        return self.kind == LIST

    @property
    def all_rules(self) -> tuple[RuleCounts, ...]:
        """The rules and the answer where none holds, in their order."""
        return (*self.rules, self.otherwise)

    @property
    def conditions(self) -> int:
        """How many conditions a reader looks at: what the razor counts."""
        return sum(len(rule.conditions) for rule in self.rules)

    @cached_property
    def rows(self) -> Floats:
        """rows[rule, class] by weight, the last those that no rule takes."""
        return np.array([rule.counts for rule in self.all_rules], np.float64) / self.unit

    @cached_property
    def base(self) -> Floats:
        """The class shares of imagined rows: those of all rows, every class with half a row more."""
        each = np.array(self.totals, np.float64) / (self.row_unit or self.unit) + 0.5
        out: Floats = each / each.sum()
        return out

    @cached_property
    def plain_shares(self) -> Floats:
        """shares[rule, class] before rows count by their class."""
        counts = self.rows * (self.unit / (self.row_unit or self.unit))
        imagined = np.array([[rule.imagined] for rule in self.all_rules])
        total = counts.sum(axis=1, keepdims=True) + imagined
        out: Floats = np.where(
            total > 0, (counts + imagined * self.base) / np.where(total > 0, total, 1.0), self.base
        )
        return out

    @cached_property
    def heavy(self) -> Floats | None:
        """What a row of each class counts in answers; None: 1 each."""
        weights = self.options.answer_weights(self.schema.predicted)
        return None if weights is None else weights.of(np.array(self.totals))

    @cached_property
    def rule_shares(self) -> Floats:
        """shares[rule, class] that a rule answers with."""
        if self.heavy is None:
            return self.plain_shares
        weighed = self.plain_shares * self.heavy
        total = weighed.sum(axis=1, keepdims=True)
        out: Floats = np.where(total > 0, weighed / np.where(total > 0, total, 1.0), self.plain_shares)
        return out

    @cached_property
    def answers(self) -> NDArray[np.int64]:
        """The class that each rule answers."""
        return self.decide(self.rule_shares)

    @cached_property
    def costs(self) -> tuple[tuple[float, ...], ...]:
        """costs[class][answer]; nothing where the most probable class is answered."""
        return self.options.cost_table(self.schema.predicted)

    def decide(self, shares: Floats) -> NDArray[np.int64]:
        """Return the class answered for shares[row, class]: the largest share, or the least expected cost."""
        return decide(shares, in_force(self.decision, self.costs))

    # -- answering --

    def first(self, block: Block) -> NDArray[np.int64]:
        """Return the number of the rule that answers each row; len(rules) where none holds."""
        out = np.full(block.rows, len(self.rules), np.int64)
        for i in range(len(self.rules) - 1, -1, -1):
            out[holds(self.rules[i].conditions, block)] = i
        return out

    def shares(self, block: Block) -> Floats:
        """Return P(class | row) [row, class]."""
        return self.rule_shares[self.first(block)]

    def log_shares(self, block: Block) -> Floats:
        """Return log P(class | row) [row, class]."""
        return kernels.log(self.shares(block))

    def record(self, row: Mapping[str, Any]) -> Floats | None:
        """Return the shares [class] of one record; None when a cell has to be read as tables are."""
        rule = self._one_row.first(row)
        return None if rule is None else self.rule_shares[rule].copy()

    @cached_property
    def _one_row(self) -> RuleRow:
        return RuleRow(self.schema, tuple(rule.conditions for rule in self.rules))

    def floats(self, columns: Sequence[NDArray[Any]], rows: int) -> Floats | None:
        """Rows given as floats are read as tables are."""
        return None

    def best_of_floats(self, columns: Sequence[NDArray[Any]], rows: int) -> NDArray[np.int64] | None:
        """Rows given as floats are read as tables are."""
        return None

    # -- showing and keeping --

    def as_rules(self) -> Rules:
        """Return the rules as those of a tree are shown."""
        total = float(sum(self.totals)) / self.unit
        prior = np.array(self.totals) / max(sum(self.totals), 1)
        found = []
        for rule, rows, answer in zip(self.rules, self.rows, self.answers.tolist(), strict=False):
            right, covers = float(rows[answer]), float(rows.sum())
            found.append(
                Rule(rule.conditions, self.labels[answer], covers, total, right, float(prior[answer]))
            )
        return Rules(self.schema, tuple(found), self.labels[int(self.answers[-1])], ordered=True)

    def to_dict(self) -> dict[str, Any]:
        """Return this model's own part of the model file."""
        return {
            "otherwise": self.otherwise.to_dict(),
            "rules": [rule.to_dict() for rule in self.rules],
            "totals": list(self.totals),
        }

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], schema: Schema, options: RuleOptions, kind: str, rows: Mapping[str, Any]
    ) -> RuleModel:
        """Build the model from `to_dict()`; the reader of model files has checked the shape."""
        return cls(
            schema,
            options,
            kind,
            tuple(_rule(rule, schema) for rule in data["rules"]),
            _rule(data["otherwise"], schema),
            tuple(data["totals"]),
            rows["unit"],
            rows.get("row", 0),
        )


def _rule(data: Mapping[str, Any], schema: Schema) -> RuleCounts:
    conditions = tuple(condition_of(c, schema) for c in data["conditions"])
    return RuleCounts(conditions, tuple(data["counts"]), float(data["imagined"]))


def condition_of(data: Mapping[str, Any], schema: Schema) -> Condition:
    """Return a condition from its `to_dict()`."""
    column = schema[data["column"]]
    if "levels" in data:
        codes = tuple(sorted(column.levels.index(level) for level in data["levels"]))
        return Condition(column, levels=codes, missing=data["missing"])
    if "known" in data:
        return Condition(column, np.inf, -np.inf, missing=data["missing"])
    low = -np.inf if data["low"] is None else float(data["low"])
    high = np.inf if data["high"] is None else float(data["high"])
    return Condition(column, low, high, missing=data["missing"])
