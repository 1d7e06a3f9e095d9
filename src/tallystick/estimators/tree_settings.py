"""What the parameters of a tree may be beyond growing (pruning, answering, numbers per class), and notes on a
fit.

Knows names, numbers and labels. Knows nothing of rows. Law: a wrong value is an error that names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tallystick.data.schema import Note, Schema, Target
from tallystick.errors import OptionError, shown, some
from tallystick.estimators.classes import refuse_unknown
from tallystick.learners.prune.methods import between
from tallystick.models.costs import cost_table
from tallystick.models.plain import PLAIN, is_number, is_whole, plain
from tallystick.models.tree.weights import class_weights

SUM = 1e-6  # how far shares may sum from 1

BY_HAND = "by-hand"  # the note of a tree that a person grew, so that no refit gives it


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
