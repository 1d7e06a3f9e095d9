"""Options of trees: checks of parameters, notes on a fit, split criteria, model-file shapes, growing options.

In this order: checks of pruning, answering and per-class parameters (`check_settings`, `check_classes`);
notes; `CRITERIA`; the shapes of the parameters in a model file; `TreeOptions`, the parameters of growing.
Law: a wrong value is an error that names it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from tallystick.errors import ModelFileError, OptionError, shown, some, with_article
from tallystick.estimator.rows import refuse_unknown
from tallystick.kernels.trees import GrowRules
from tallystick.model.decision import cost_table
from tallystick.model.file import PLAIN, is_number, is_whole, make_plain, plain
from tallystick.model.shapes import (
    Either,
    FileKind,
    Flag,
    Listed,
    LongList,
    Maybe,
    Named,
    Number,
    Record,
    Shape,
    Text,
    Whole,
    wished,
)
from tallystick.schema import Note, Schema, Target
from tallystick.tree.model import ClassWeights, class_weights, criterion_weights
from tallystick.tree.prune import FILE_NAMES, between
from tallystick.tree.view import ENDS

SUM = 1e-6  # how far the sum of priors may be from 1

BY_HAND = "by-hand"  # kind of the note on a tree grown by a person, which no refit reproduces


def check_settings(estimator: Any) -> None:
    """Refuse parameters of answering that make no sense."""
    if not isinstance(plain(estimator.average), bool):
        raise OptionError(f"average must be True or False, not {shown(estimator.average)}.")
    if estimator.smoothing is not None and not (
        is_number(estimator.smoothing) and 0 <= estimator.smoothing <= 1e9
    ):
        raise OptionError(f"smoothing must be None or a number from 0 up, not {shown(estimator.smoothing)}.")
    if estimator.split_prior is not None and not between(estimator.split_prior):
        raise OptionError(
            f"split_prior must be None or a number above 0 and below 1, not {shown(estimator.split_prior)}."
        )


def check_price(name: str, value: Any) -> None:
    """Refuse what is not a price of a leaf."""
    if not (is_number(value) and 0 <= value < float("inf")):
        raise OptionError(f"{name} must be a number from 0 up, not {shown(value)}.")


def check_whole(name: str, value: Any, low: int, what: str = "") -> None:
    """Refuse what is not a whole number of at least `low`."""
    if not is_whole(value) or value < low:
        raise OptionError(f"{name} must be a whole number of at least {low}{what}, not {shown(value)}.")


def check_classes(class_weight: Any, priors: Any, costs: Any, target: Target) -> None:
    """Refuse numbers per class that name no class, and priors that are not shares of all classes."""
    for name, given in (("class_weight", class_weight), ("priors", priors), ("costs", costs)):
        if isinstance(given, Mapping):
            refuse_unknown(name, given, target)
    if isinstance(costs, Mapping):
        for row in costs.values():
            if isinstance(row, Mapping):
                refuse_unknown("costs", row, target)
    cost_table(costs, target)
    class_weights(class_weight, priors, target)
    if priors is None:
        return
    absent = [t for t in target.labels if isinstance(priors, Mapping) and t not in _names(priors, target)]
    if absent:
        raise OptionError(
            f"priors must give a share to every class; {some(absent)} has none. Shares sum to 1."
        )
    total = sum(float(v) for v in (priors.values() if isinstance(priors, Mapping) else priors))
    if abs(total - 1) > SUM:
        raise OptionError(f"priors must sum to 1, but they sum to {total:.6g}. Divide each by their sum.")


def _names(given: Mapping[Any, Any], target: Target) -> set[str]:
    """Return the labels that the keys of a mapping mean."""
    return {target.label_of(key) for key in given}


def named_by_label(given: dict[str, Any], names: Sequence[str], target: Target) -> dict[str, Any]:
    """Return parameters with those of some names, lists of numbers per class, by label; costs by class and
    answer.
    """
    out = dict(given)
    for name in names:
        if out.get(name) is not None and not isinstance(out[name], str | Mapping):
            out[name] = dict(zip(target.labels, plain(out[name]), strict=True))
    if isinstance(out["costs"], Mapping):
        table = cost_table(given["costs"], target)
        out["costs"] = {
            label: dict(zip(target.labels, row, strict=True))
            for label, row in zip(target.labels, table, strict=True)
        }
    return out


def text_notes(schema: Schema, method: str = "a tree does not test") -> tuple[Note, ...]:
    """Say which columns a method does not look at, a tree or another."""
    return tuple(
        Note(
            "text-not-used",
            f"column {c.name!r} holds text, which {method}; it was not used.",
            c.name,
        )
        for c in schema.used
        if c.kind == "text"
    )


def plain_value(name: str, value: Any) -> Any:
    """Return a parameter as plain data."""
    if type(value) in PLAIN:
        return value
    value = plain(value)
    try:
        if isinstance(value, Mapping):
            return {
                str(k): plain_value(name, v) if isinstance(v, Mapping) else float(v) for k, v in value.items()
            }
    except (TypeError, ValueError):
        raise OptionError(f"{name} must give numbers by class, not {shown(value)}.") from None
    return [plain_value(name, v) for v in value] if isinstance(value, (list, tuple)) else value


# ---- split criteria of classification trees: one object each ----

BITS = "the entropy of the node less the mean entropy of the branches, in bits"
VARIANCE = "the variance of the node's rows less the mean variance in the branches"  # of a regression tree


@dataclass(frozen=True)
class Criterion:
    """One way to score a split.

    name: what `criterion=` and the model file call it. kernel: its name in `kernels.trees.CRITERIA`. gain:
    what the gain of a split is, in words. by_ratio: whether the largest gain ratio is chosen, not the largest
    gain.
    """

    name: str
    kernel: str
    gain: str = BITS
    by_ratio: bool = False


CRITERIA = {
    criterion.name: criterion
    for criterion in (
        Criterion("entropy", "entropy"),
        Criterion("gain-ratio", "ratio", by_ratio=True),
        Criterion("gini", "gini", "the Gini impurity of the node less the mean impurity of the branches"),
    )
}


# ---- shapes of a tree's parts of the model file ----
#
# The nodes are long and are checked by `read_nodes` in `nodes.py`, all at once.

_LISTS: dict[str, Shape] = {"branches": LongList(), "candidates": LongList(), "nodes": LongList()}
MODEL = Record(_LISTS)

_SMALL = Whole(1, 2**31 - 1)
_PART = Number(1e-300, 1 - 2**-53)  # of all rows
_BOTH: dict[str, Shape] = {
    "confidence": Number(1e-9, 0.999999999),
    "cp": Maybe(Number(0, 1e300)),
    "level_splits": Text(("groups", "each")),
    "max_bins": Maybe(Whole(2, 2**31 - 1)),
    "max_depth": Maybe(_SMALL),
    "max_leaf_nodes": Maybe(Whole(2, 2**31 - 1)),
    "min_impurity_decrease": Number(0),
    "min_samples_leaf": Either((_SMALL, _PART)),
    "min_samples_split": Either((Whole(2, 2**31 - 1), _PART)),
    "missing_values": Text(("learned", "fractions")),
    "pruning": Maybe(Text(FILE_NAMES)),
    "stop_at_zero_gain": Flag(),
}
DECISION: dict[str, Shape] = _BOTH | {
    "average": Flag(),
    "class_weight": Maybe(Either((Text(("balanced",)), Named(Number(0)), Listed(Number(0))))),
    "criterion": Text(CRITERIA),
    "cut_price": Number(0, 1e6),
    "cut_rows": Flag(),
    "cuts": Text(("midpoint", "observed")),
    "smoothing": Maybe(Number(0, 1e9)),
    "split_prior": Maybe(Number(1e-9, 0.999999999)),
}
OPTIONAL: dict[str, Shape] = {
    "min_entropy": Number(1e-300, 1e300),
    "costs": Maybe(Listed(Listed(Number(0)))),
    "priors": Maybe(Either((Named(Number(0)), Listed(Number(0))))),
}
REGRESSION: dict[str, Shape] = _BOTH
OPTIMAL: dict[str, Shape] = {
    "class_weight": DECISION["class_weight"],
    "costs": OPTIONAL["costs"],
    "leaf_price": Number(0, 1e12),
    "max_depth": Maybe(_SMALL),
    "max_leaf_nodes": DECISION["max_leaf_nodes"],
    "max_work": Maybe(Whole(1, 2**62)),
}
_CERTIFICATE = Record(
    {
        "bound": Number(0),
        "ended": Text(ENDS),
        "found": Number(0),
        "leaf_price": OPTIMAL["leaf_price"],
        "leaves": _SMALL,
        "loss": Number(0),
        "max_depth": OPTIMAL["max_depth"],
        "max_leaf_nodes": OPTIMAL["max_leaf_nodes"],
        "measure": Text(("errors", "weighted errors", "cost")),
        "work": Whole(0, 2**62),
    }
)


def check(document: dict[str, Any], schema: Schema) -> None:
    """Raise ModelFileError unless the target is one for this kind of tree; building the tree checks its
    nodes against the schema.
    """
    labels = schema.target.labels if schema.target else ()
    if (document["kind"] == "regression-tree") == bool(labels):
        raise ModelFileError(
            f"model file: {with_article(document['kind'])} cannot have {len(labels):,} class labels. "
            "The file was edited."
        )


DECISION_FILE = FileKind(MODEL, wished(DECISION, OPTIONAL), check)
OPTIMAL_FILE = FileKind(Record(_LISTS | {"certificate": _CERTIFICATE}), wished(OPTIMAL), check)
REGRESSION_FILE = FileKind(MODEL, wished(REGRESSION), check)


# ---- options of growing: parameters and their checks ----

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
