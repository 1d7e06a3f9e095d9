"""Costs and thresholds on the command line: how they are typed, and `tally decide`, which keeps them with a
model or removes them.

Knows words and decisions. Knows nothing of how rows are answered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from tallystick.cli import options, screen
from tallystick.draw.text import Line, Span, clean, wrapped
from tallystick.errors import OptionError, shown

if TYPE_CHECKING:
    from tallystick.data.schema import Target
    from tallystick.estimators import Classifier
    from tallystick.models.decision import AnswerDecision

F = TypeVar("F", bound=Callable[..., Any])

CHEAPEST = "cheapest"
ARROWS = ("→", "->")

_COSTS = click.option(
    "--costs",
    multiple=True,
    metavar="'TRUTH→ANSWER: COST'",
    help="What an error costs, e.g. 'bad→good: 5' (or 'bad->good: 5'): a row that is bad and is answered "
    "good costs 5; may be repeated. Errors not named cost 1, right answers 0. The answer is then the one of "
    "least expected cost; no probability changes.",
)
_THRESHOLDS = {
    "fit": "Answer CLASS, one of two, where its probability is above this number, e.g. 'bad: 0.3'; without a "
    "name the rarer class is meant. With 'cheapest' the number is chosen by --costs on the cross-validated "
    "answers. It is kept with the model.",
    "compare": "Answer CLASS, one of two, where its probability is above this number, e.g. 'bad: 0.3'; "
    "without a name the rarer class is meant.",
    "predict": "Answer CLASS, one of two, where its probability is above this number, e.g. 'bad: 0.3', "
    "instead of what is kept with the model.",
    "decide": "Answer CLASS, one of two, where its probability is above this number, e.g. 'bad: 0.3'.",
}


def decisions(command: str) -> Callable[[F], F]:
    """Return the options --costs and --threshold of a command."""
    threshold = click.option("--threshold", metavar="'CLASS: NUMBER'", help=_THRESHOLDS[command])
    return lambda function: _COSTS(threshold(function))


@dataclass(frozen=True)
class WishedDecision:
    """What was typed: costs {class: {answer: cost}}, or a threshold of a class ("" where none is named)."""

    costs: dict[str, dict[str, float]] | None = None
    threshold: float | str | None = None
    of: str = ""

    @property
    def any(self) -> bool:
        """Whether anything was typed."""
        return self.costs is not None or self.threshold is not None

    @property
    def cheapest(self) -> bool:
        """Whether the threshold is to be chosen."""
        return self.threshold == CHEAPEST

    @property
    def judged(self) -> dict[str, Any]:
        """The arguments `cost` and `threshold` of judging."""
        if self.threshold is None:
            return {"cost": self.costs}
        return {"threshold": {self.of: self.threshold} if self.of else self.threshold}

    def decision(self, target: Target, rarer: str | None = None) -> AnswerDecision:
        """Return the decision that was typed, for a target. rarer: the class meant where none is named."""
        from tallystick.models.decision import decision_of

        if self.threshold is None:
            return decision_of(target, self.costs)
        if not self.of and rarer is None and len(target.labels) == 2:
            a, b = (shown(label)[1:-1] for label in target.labels)
            raise OptionError(
                f"--threshold {self.threshold} of which class? Write --threshold '{a}: {self.threshold}' or "
                f"'{b}: {self.threshold}'."
            )
        return decision_of(target, None, self.threshold, self.of or rarer)


def wished(given: dict[str, Any], chooses: bool = False) -> WishedDecision:
    """Return what was typed as --costs and --threshold. chooses: the command has answers to choose by."""
    costs, (of, threshold) = read_costs(given["costs"]), read_threshold(given["threshold"])
    if threshold == CHEAPEST:
        if not chooses:
            raise OptionError("--threshold cheapest chooses on cross-validated answers: it is for tally fit.")
        return WishedDecision(costs, threshold, of)
    if costs is not None and threshold is not None:
        raise OptionError(
            "--costs and --threshold both decide the answers. Give one of them, or --threshold cheapest."
        )
    return WishedDecision(costs, threshold, of)


def read_costs(texts: Sequence[str]) -> dict[str, dict[str, float]] | None:
    """Return {class: {answer: cost}} of texts such as 'bad→good: 5'; None of none."""
    out: dict[str, dict[str, float]] = {}
    for text in (part for given in texts for part in given.split(";") if part.strip()):
        pair, colon, number = text.rpartition(":")
        arrow = next((a for a in ARROWS if a in pair), "")
        truth, _, answer = pair.partition(arrow) if arrow else ("", "", "")
        try:
            cost = float(number)
        except ValueError:
            cost = float("nan")
        if not colon or not truth.strip() or not answer.strip() or not 0 <= cost < float("inf"):
            raise OptionError(
                f"--costs {shown(text.strip())} is not 'TRUTH→ANSWER: COST'. Write for example "
                "--costs 'bad→good: 5', or with -> for the arrow."
            )
        out.setdefault(truth.strip(), {})[answer.strip()] = cost
    return out or None


def read_threshold(text: str | None) -> tuple[str, float | str | None]:
    """Return class and number of 'bad: 0.3', '0.3', 'cheapest' or 'bad: cheapest'."""
    if text is None:
        return "", None
    of, _, number = text.rpartition(":")
    if number.strip() == CHEAPEST:
        return of.strip(), CHEAPEST
    try:
        return of.strip(), float(number)
    except ValueError:
        raise OptionError(
            f"--threshold {shown(text)} is not 'CLASS: NUMBER'. Write for example --threshold 'bad: 0.3'."
        ) from None


# -- what a decision does to answers of folds --


@dataclass(frozen=True)
class DecidedAnswers:
    """A decision, and what it makes of answers to rows that the models had not seen. result: judged by it;
    None: not judged. own: the same answers as the method gives them.
    """

    decision: AnswerDecision
    wish: WishedDecision
    result: Any = None
    own: Any = None

    @property
    def thresholds(self) -> Any:
        """What thresholds do, of two classes."""
        if self.result is None or self.result.scores.ranked is None:
            return None
        from tallystick.evaluate.thresholds import SHOWN

        own = self.decision.threshold
        at = sorted({*SHOWN, *([] if own is None else [own])})
        return self.result.scores.thresholds(self.wish.costs, self.decision.of or None, at)

    @property
    def spent(self) -> tuple[float, float] | None:
        """The mean cost of the answers as decided, and as the method gives them; None without costs."""
        if self.result is None or self.result.cost is None:
            return None
        plain = replace(self.own, cost=self.result.cost, own_costs=self.own.own_costs or _equal(self.own))
        return self.result.measure("cost").value, plain.measure("cost").value

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out = {**self.decision.to_dict(), "told": str(self.decision)}
        if (spent := self.spent) is not None:
            out |= {"cost": spent[0], "cost_by_largest": spent[1]}
        return out if self.thresholds is None else out | {"thresholds": self.thresholds.to_dict()}

    def lines(self) -> list[Line]:
        """Return what the decision is and does, for people."""
        out = wrapped(clean(str(self.decision)), screen.cells(), "answers: ")
        if (spent := self.spent) is not None:
            saved = f", {1 - spent[0] / spent[1]:.0%} saved" if spent[1] > 0 else ""
            told = f"{spent[0]:.4f} a row, against {spent[1]:.4f} by the largest probability{saved}"
            out += wrapped(told, screen.cells(), "cost: ")
        if self.thresholds is not None:
            out += [(), *((Span(line),) for line in str(self.thresholds).split("\n"))]
        return [*out, ()]


def _equal(result: Any) -> Any:
    """Return costs by which the largest share is answered."""
    import numpy as np

    return 1.0 - np.eye(len(result.classes))


def decided(wish: WishedDecision, target: Target, rarer: str | None, own: Any) -> DecidedAnswers:
    """Return the decision, chosen on answers of folds where it has to be, and what it makes of them. own: a
    cross-validation, or None.
    """
    from tallystick.evaluate.costs import cost_matrix
    from tallystick.models.decision import decision_of

    if wish.cheapest:
        if own is None:
            raise OptionError(
                "--threshold cheapest is chosen on cross-validated answers, and there are none."
            )
        found = own.scores.thresholds(wish.costs, wish.of or rarer)
        decision = decision_of(target, None, found.best.threshold, found.of)
    else:
        decision = wish.decision(target, rarer)
    if own is None or tuple(own.classes) != target.labels:
        return DecidedAnswers(decision, wish)
    prices = cost_matrix(wish.costs, target, target.labels)
    return DecidedAnswers(decision, wish, replace(own, cost=prices, own_costs=decision.table), own)


@click.command()
@click.argument("model", metavar="MODEL", type=click.Path())
@decisions("decide")
@click.option("--clear", is_flag=True, help="Answer by the largest probability again.")
@click.option("--output", "-o", type=click.Path(), help="Where to save the model with its new decision.")
@options.common
def decide(model: str, clear: bool, output: str | None, as_json: bool, **given: Any) -> None:
    """Show how MODEL turns probabilities into answers; with --costs, --threshold or --clear save a copy that
    answers so.

    Probabilities stay as they are. Whatever reads the model file answers by it: predict, serve, exports.
    """
    import tallystick as ts

    wish = wished(given)
    if wish.any and clear:
        raise OptionError("--clear removes a decision; leave out --costs and --threshold.")
    if (wish.any or clear) != (output is not None):
        raise OptionError(
            "a new decision is saved with the model: give --costs, --threshold or --clear, and -o FILE."
        )
    options.keep_apart([model], {"-o": output})
    estimator = classifier(ts.load(model), model)
    if output is not None:
        estimator = estimator.clear_decision() if clear else set_wished(estimator, wish)
        estimator.save(output)
    found = estimator.decision_
    if as_json:
        kept = None if found is None else found.to_dict() | {"told": str(found)}
        screen.show_json({"decision": kept, "saved": output})
        return
    own = (
        "the largest probability"
        if not estimator._own_costs(estimator.schema_.predicted)
        else "its own costs"
    )
    words = f"the class of {own}" if found is None else str(found)
    screen.show(wrapped(clean(words), screen.cells(), "answers: "))
    if output is not None:
        screen.show([(Span("saved ", "good"), Span(clean(output)))])


def set_wished(estimator: Classifier, wish: WishedDecision) -> Classifier:
    """Have a model answer as was typed; a threshold without a name is of the class of the one before."""
    before = estimator.decision_
    estimator._decide_by(
        wish.decision(estimator.schema_.predicted, None if before is None else before.of or None)
    )
    return estimator


def classifier(estimator: Any, name: str) -> Classifier:
    """Return a loaded model that answers classes; refuse any other."""
    if not estimator._predicts or estimator._regression:
        raise OptionError(
            f"{shown(name)} is a {estimator.model_.kind}, which answers no classes to decide on."
        )
    return cast("Classifier", estimator)
