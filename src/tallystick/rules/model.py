"""Fitted rules: conditions, the training rows behind each rule, and what they answer.

In this order: `RuleOptions`; the shape in a model file; `RuleCounts`, one rule; the model (entry
`RuleModel`).
Laws: `from_dict(to_dict())` is the same model and predicts the same bits; every share follows from the
counts beside it: (rows of the class + imagined rows of it) / (rows + imagined rows), the imagined rows
having the class shares of all rows; of no rows at all they are the shares.

A list answers by the first rule that holds, and a rule has the rows that no rule before it takes. A set
answers by the surest rule that holds, which is the first as well since the surest stands first; its rules
have all rows that they hold for. Either has an answer for the rows that no rule takes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.errors import ModelFileError, OptionError, shown
from tallystick.model.conditions import Condition
from tallystick.model.decision import AnswerDecision, check_weights, cost_table, decide, in_force
from tallystick.model.file import is_number, is_whole, make_plain
from tallystick.model.shapes import (
    MAX_COUNT,
    Either,
    FileKind,
    Flag,
    Listed,
    Maybe,
    Named,
    Number,
    Record,
    Shape,
    Text,
    Whole,
    wished,
)
from tallystick.predict.row import RowAnswer, RowCells, RowShares, row_reader
from tallystick.schema import CODED, Schema, Target
from tallystick.text import label_text
from tallystick.tree.model import ClassWeights, class_weights, criterion_weights
from tallystick.tree.rules import Rule, Rules, holds

# ---- options ----

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


# ---- the shape of the rules' part of the model file, and the check that it fits the schema ----

_CONDITION = Record(
    {"column": Text(), "missing": Flag()},
    {
        "high": Maybe(Number()),
        "known": Flag(only=False),
        "levels": Listed(Text(), distinct=True),
        "low": Maybe(Number()),
    },
)
_COUNTS = Listed(Whole(0, MAX_COUNT), "classes")
_RULE: dict[str, Shape] = {"counts": _COUNTS, "imagined": Number(0, 1e300)}
MODEL = Record(
    {
        "otherwise": Record(_RULE | {"conditions": Listed(_CONDITION)}),
        "rules": Listed(Record(_RULE | {"conditions": Listed(_CONDITION, least=1)})),
        "totals": _COUNTS,
    }
)
PARAMETERS: dict[str, Shape] = {
    "class_weight": Maybe(Either((Text(("balanced",)), Named(Number(0, 1e300))))),
    "costs": Maybe(Listed(Listed(Number(0, 1e300)))),
    "max_bins": Whole(2, MOST_BINS),
    "max_conditions": Maybe(Whole(1, MOST_RULES)),
    "max_rules": Maybe(Whole(1, MOST_RULES)),
    "smoothing": Maybe(Number(0, 1e9)),
}
_FORMS = ({"levels"}, {"known"}, {"high", "low"})


def check(document: dict[str, Any], schema: Schema) -> None:
    """Raise ModelFileError unless the rules fit the schema and their counts are possible."""
    model, labels = document["model"], schema.target.labels if schema.target else ()
    if len(labels) < 2 or len(model["totals"]) != len(labels):
        raise _edited("the counts are not those of the class labels")
    try:
        given = document["parameters"]
        options = RuleOptions(**{k: given[k] for k in PARAMETERS})
        options.growing_weights(schema.predicted)
    except OptionError as error:
        raise ModelFileError(f"model file: {error} The file was edited.") from None
    if model["otherwise"]["conditions"]:
        raise _edited("the answer where no rule holds has conditions")
    if not 0 < sum(model["totals"]) <= MAX_COUNT:
        raise _edited("there are no training rows, or too many to be counted")
    counts = [rule["counts"] for rule in (*model["rules"], model["otherwise"])]
    for c, total in enumerate(model["totals"]):
        own = [row[c] for row in counts]
        # in a list each row is in one rule
        if sum(own) != total if document["kind"] == LIST else max(own) > total:
            raise _edited("the rows of the rules are not those of the table")
    columns = {c.name: c for c in schema.used}
    for rule in model["rules"]:
        names = [condition["column"] for condition in rule["conditions"]]
        if len(set(names)) < len(names):
            raise _edited("a rule has two conditions of one column")
        for condition in rule["conditions"]:
            column, name = columns.get(condition["column"]), shown(condition["column"])
            keys = set(condition) - {"column", "missing"}
            if column is None or column.kind == "text":
                raise _edited(f"column {name} is not one that a rule can test")
            if keys not in _FORMS or (keys == {"levels"}) != (column.kind in CODED):
                raise _edited(f"a condition does not suit the kind of column {name}")
            if keys == {"levels"} and not set(condition["levels"]) <= set(column.levels):
                raise _edited(f"a condition names a level that column {name} does not have")
            low, high = condition.get("low"), condition.get("high")
            if low is not None and high is not None and low >= high:
                raise _edited(f"a condition of column {name} holds for no number")


def _edited(what: str) -> ModelFileError:
    return ModelFileError(f"model file: {what}. The file was edited.")


FILE = FileKind(MODEL, wished(PARAMETERS), check)

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

    @cached_property
    def shares_of_row(self) -> RowShares:
        """Answers rows given as dicts."""

        def answer_of(place: Mapping[str, int]) -> RowAnswer:
            shares, rules = self.rule_shares, []
            for rule in self.rules:
                tests = []
                for c in rule.conditions:
                    known = len(c.column.levels)
                    codes = (
                        None if c.levels is None else {*c.levels, *([known, known + 1] if c.missing else [])}
                    )
                    tests.append((place[c.column.name], codes, c.low, c.high, c.missing))
                rules.append(tests)

            def answer(cells: RowCells) -> Floats:
                for number, tests in enumerate(rules):
                    for at, codes, low, high, missing in tests:
                        x = cells[at]
                        if not (x in codes if codes is not None else low <= x < high if x == x else missing):
                            break
                    else:
                        return np.array(shares[number])
                return np.array(shares[-1])

            return answer

        return row_reader(self.schema, answer_of)

    def of_columns(
        self, columns: Sequence[NDArray[Any]], rows: int, best: bool = False
    ) -> NDArray[Any] | None:
        """Return None: rows given as columns of numbers are read as tables are."""
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
