"""From probabilities to an answer: class weights, costs, thresholds, and the one rule of every label.

Parts: class weights as an option; costs as users write them; the decision, entry `decide()`.
shares = probabilities [row, class]; costs[class, answer] = the loss of an answer to a row of a class.
Laws: the exports decide by the same sums, in the same order; a decision changes labels, never shares.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import OptionError, nearest, shown, some
from tallystick.model.file import is_number, plain
from tallystick.schema import Target

# Class weights as an option of several methods.
# Law: what makes no sense is an error that names it.


def check_weights(given: Any) -> None:
    """Raise unless these are weights by class."""
    if given is None:
        return
    if isinstance(given, str):
        if given != "balanced":
            near = nearest(given, ("balanced",))
            raise OptionError(f"class_weight must be one of 'balanced', not {shown(given)}.{near}")
        return
    if not isinstance(given, Mapping):
        raise OptionError(
            f"class_weight must be None, 'balanced' or weights by class ({{'yes': 2}}), not {shown(given)}."
        )
    for label, weight in given.items():
        if not (is_number(weight) and 0 < weight < math.inf):
            raise OptionError(f"class_weight of {shown(label)} must be above 0, not {shown(weight)}.")


# Costs of answers as users write them: {class: {answer: cost}}, or a table of numbers.
# Law: an answer without a cost costs 1 if wrong, 0 if right.


def cost_table(given: Any, target: Target) -> tuple[tuple[float, ...], ...]:
    """Return costs[class][answer] as numbers; nothing for None."""
    if given is None:
        return ()
    size = len(target.labels)
    rows = by_answer(given, target) if isinstance(given, Mapping) else given
    try:
        table = np.array(rows, np.float64)
    except (TypeError, ValueError, OverflowError):
        table = np.empty(0)
    if table.shape != (size, size) or not bool(np.all((table >= 0) & np.isfinite(table))) or not table.any():
        raise OptionError(
            f"costs must be numbers from 0 up: {{class: {{answer: cost}}}}, or {size} rows of {size}, the "
            f"cost of each answer (column) for each class (row) in the order of classes_; "
            f"found {shown(given)}."
        )
    return tuple(tuple(row) for row in table.tolist())


def by_answer(given: Mapping[Any, Any], target: Target) -> Any:
    """Return costs[class][answer] of {class: {answer: cost}}; not named: 1 for a wrong answer, else 0."""
    if not all(isinstance(row, Mapping) for row in given.values()):
        return None
    known = {target.label_of(truth): row for truth, row in given.items()}
    named = {t: {target.label_of(answer): c for answer, c in row.items()} for t, row in known.items()}

    def cost(truth: str, answer: str) -> Any:
        return named.get(truth, {}).get(answer, float(truth != answer))

    return [[cost(truth, answer) for answer in target.labels] for truth in target.labels]


def refuse_unknown(costs: Any, target: Target, name: str = "costs") -> None:
    """Refuse costs by name that name what is not a class."""
    if not isinstance(costs, Mapping):
        return
    inner = [answer for row in costs.values() if isinstance(row, Mapping) for answer in row]
    unknown = [str(k) for k in (*costs, *inner) if target.label_of(k) not in target.labels]
    if unknown:
        names = "names" if name == "cost" else "name"
        raise OptionError(
            f"{name} {names} {some(unknown)}, which is not a class.{nearest(unknown[0], target.labels)} "
            f"The classes are {some(target.labels)}."
        )


Floats = NDArray[np.float64]

MOST_SAID = 6  # costs that a sentence names


def decide(shares: Floats, costs: Floats | None = None) -> NDArray[np.int64]:
    """Return the class answered for shares[row, class]: the largest share, or with costs[class, answer] the
    answer of least expected cost; of equals the first.
    """
    if costs is not None:
        return cheapest(shares, costs)
    if shares.shape[1] == 2:  # a comparison is ten times as fast as a search for the largest
        return np.greater(shares[:, 1], shares[:, 0]).astype(np.int64)
    return kernels.best_class(np.ascontiguousarray(shares)).astype(np.int64)


def cheapest(shares: Floats, costs: Floats) -> NDArray[np.int64]:
    """Return the answer of least expected cost for shares[row, class]; costs[class, answer]. Of equals the
    first. Summed class by class, as every export sums.
    """
    total = np.zeros_like(shares)
    for share, row in zip(shares.T, costs, strict=True):
        total += share[:, None] * row
    return np.asarray(total.argmin(axis=1), np.int64)


@dataclass(frozen=True)
class AnswerDecision:
    """How the probabilities of a fitted model become its answer, where that is not the largest.

    costs[class][answer]: the answer of least expected cost. threshold: the class `of`, one of two, is
    answered where its probability is above it; that is costs too, of `threshold` for a false alarm and the
    rest of 1 for a miss, so that 0.5 answers as no decision does. At exactly the threshold the first of the
    two classes is answered, as everywhere.
    """

    labels: tuple[str, ...] = field(repr=False)
    costs: tuple[tuple[float, ...], ...]
    threshold: float | None = None
    of: str = ""

    @cached_property
    def table(self) -> Floats:
        """costs[class, answer] that decide."""
        return np.array(self.costs, np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as plain data, as the model file has it."""
        if self.threshold is not None:
            return {"of": self.of, "threshold": self.threshold}
        return {"costs": [list(row) for row in self.costs]}

    @property
    def why(self) -> str:
        """What made the answer, after the answer and the shares."""
        if self.threshold is not None:
            return f"{self.of} is answered above {self.threshold:.6g}"
        return "the least expected cost"

    def __str__(self) -> str:
        if self.threshold is not None:
            other = next(label for label in self.labels if label != self.of)
            return f"{self.of} where its probability is above {self.threshold:.6g}, else {other}"
        return f"the class of least expected cost ({costs_text(self.costs, self.labels)})"


def costs_text(costs: Sequence[Sequence[float]], labels: Sequence[str]) -> str:
    """Return what answers cost, in words: those that do not cost 1 if wrong and 0 if right, or all of few."""
    every = [
        (truth, answer, cost)
        for truth, row in zip(labels, costs, strict=True)
        for answer, cost in zip(labels, row, strict=True)
        if truth != answer or cost
    ]
    named = every if len(every) <= 2 else [(t, a, c) for t, a, c in every if c != float(t != a)]
    words = [f"{t} answered {a} costs {c:.6g}" for t, a, c in named[:MOST_SAID]]
    rest = len(named) - MOST_SAID
    if rest > 0:
        words.append(f"{rest} more")
    elif len(named) < len(every):
        words.append("every other error 1")
    return ", ".join(words)


def decision_of(
    target: Target, costs: Any = None, threshold: Any = None, of: Any = None, *, rarer: str | None = None
) -> AnswerDecision:
    """Return the decision that a user means, checked. rarer: the class of a threshold where none is named."""
    if (costs is None) == (threshold is None):
        raise OptionError("a decision is made of costs or of a threshold. Pass one of them.")
    if threshold is None:
        if of is not None:
            raise OptionError("of= names the class of a threshold, and costs are given. Leave it out.")
        refuse_unknown(costs, target)
        return AnswerDecision(target.labels, cost_table(costs, target))
    return of_threshold(target, threshold, of if of is not None else rarer)


def of_threshold(target: Target, threshold: Any, of: Any) -> AnswerDecision:
    """Return the decision that answers a class where its probability is above a threshold."""
    labels, threshold = target.labels, plain(threshold)
    if len(labels) != 2:
        raise OptionError(
            f"a threshold is for two classes, and {shown(target.name)} has {len(labels):,}. Pass costs: the "
            "answer is then the one of least expected cost."
        )
    if not is_number(threshold) or not 0 < threshold < 1:
        raise OptionError(f"a threshold is a probability between 0 and 1, not {shown(threshold)}.")
    if of is None:
        raise OptionError(
            f"a threshold of {threshold:.6g}, but of which class? Pass of={labels[0]!r} or of={labels[1]!r}."
        )
    label = target.label_of(of)
    if label not in labels:
        raise OptionError(
            f"there is no class {shown(of)}.{nearest(str(of), labels)} Classes: {some(labels)}."
        )
    false, missed = float(threshold), 1.0 - float(threshold)
    costs = ((0.0, missed), (false, 0.0)) if label == labels[0] else ((0.0, false), (missed, 0.0))
    return AnswerDecision(labels, costs, float(threshold), label)


def from_dict(data: Mapping[str, Any] | None, target: Target) -> AnswerDecision | None:
    """Return the decision of a checked document; None where it has none."""
    return None if data is None else decision_of(target, **data)


def why_answered(decision: AnswerDecision | None, own: Sequence[Sequence[float]] = ()) -> str:
    """Return what makes the answer if not the largest share; nothing where that does."""
    return decision.why if decision is not None else "the least expected cost" if own else ""


def in_force(decision: AnswerDecision | None, own: Sequence[Sequence[float]] = ()) -> Floats | None:
    """Return costs[class, answer] that decide: those of the decision, else a method's own; None: the largest
    share does.
    """
    if decision is not None:
        return decision.table
    return np.array(own, np.float64) if own else None


def class_number(target: Target, label: Any) -> int:
    """Return the number of the class that a user means."""
    text = target.label_of(label)
    if text not in target.labels:
        raise OptionError(f"there is no class {shown(label)}.{nearest(text, target.labels)}")
    return target.labels.index(text)
