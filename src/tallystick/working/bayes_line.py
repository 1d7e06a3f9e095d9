"""The line that Gaussian naive Bayes is where classes share the variance of each column: its weights, worked
out from the means.

Knows fitted models and the parts of a document. Knows no format.
Law: the weights are those of `to_logistic()`.
"""

from __future__ import annotations

import math

from tallystick.models.naive_bayes import Counted, NaiveBayesModel, Summed
from tallystick.models.naive_bayes.distributions import of_part
from tallystick.working.bayes_shares import CountedShare, priors_of
from tallystick.working.document import Formula, Headline, Listing, Part, Sentence
from tallystick.working.pieces import (
    Line,
    Lowered,
    Over,
    Piece,
    Raised,
    Value,
    bracketed,
    line,
    said,
    summed,
)

W0: Line = ("w", Lowered(("0",)))
VARIANCE: Line = ("σ", Lowered(("i",)), "²")
SHARED = ("classes", "both")


def line_parts(model: NaiveBayesModel) -> list[Part]:
    """Return the line of each class against the last; nothing where the model is none."""
    numbers = [part for part in model.parts if isinstance(part, Summed) and of_part(part).squares]
    others = [part for part in model.parts if not (isinstance(part, Summed) and of_part(part).squares)]
    labels = model.schema.predicted.labels
    if model.options.share not in SHARED or not numbers or len(labels) < 2:
        return []
    if not all(isinstance(part, Counted) for part in others):
        return []
    parts: list[Part] = [Headline(("The line",))]
    parts.append(Sentence(("All classes share one variance, so the squares of x cancel in the log-odds.",)))
    for k in range(len(labels) - 1):
        parts += _against_the_last(model, numbers, [part.name for part in others], k)
    return parts


def _against_the_last(model: NaiveBayesModel, numbers: list[Summed], others: list[str], k: int) -> list[Part]:
    """Return the log-odds of class k against the last as a line, its weights written out."""
    labels, last = model.schema.predicted.labels, len(model.classes) - 1
    here, there = _mean(k), _mean(last)
    rows: list[tuple[Line, ...]] = []
    weights, constants = [], []
    for part in numbers:
        own, other = float(part.means()[k]), float(part.means()[last])
        variance = model.variances[part.name][k]
        weights.append((own - other) / variance)
        constants.append((other - own) * (other + own) / (2 * variance))
        a, b, v = (_number(x) for x in (own, other, variance))
        weight = line(Over(line(a, " − ", _number(other, True)), v), " = ", Value(weights[-1]))
        squares = line(_squared(b, other), " − ", _squared(a, own))
        rows.append(
            ((said(part.name),), weight, line(Over(squares, line("2·", v)), " = ", Value(constants[-1])))
        )
    prior, w0 = _prior(model, k)
    weight_of: Line = ("w", Lowered(("i",)))
    odds = line("ln P(", said(labels[k]), " | x)/P(", said(labels[last]), " | x)")
    more = line(*(_other(name, labels[k], labels[last]) for name in others))
    sum_of_all = line(W0, " + Σ ", weight_of, "·x", Lowered(("i",)), more)
    part_of_w0 = Over(line(there, "² − ", here, "²"), line("2·", VARIANCE))
    is_weight = line(weight_of, " = ", Over(line(here, " − ", there), VARIANCE))
    is_w0 = line(W0, " = ", line(prior[0], " + ") if prior else (), "Σ ", part_of_w0)
    means = line(
        here, " is the mean of column i in ", said(labels[k]), ", ", there, " in ", said(labels[last])
    )
    told = line(
        odds, " = ", sum_of_all, ", with ", is_weight, " and ", is_w0, "; ", means, said(labels[last]), "."
    )
    head: tuple[Line, ...] = (("column i",), ("w", Lowered(("i",))), line("its part of ", W0))
    parts: list[Part] = [Sentence(told), Listing(head, tuple(rows), frozenset({1, 2}))]
    total = w0 + math.fsum(constants)
    steps: tuple[Line, ...] = (summed([*([w0] if prior else []), *constants]), (Value(total),))
    if prior:
        each = [line(" − " if c < 0 else " + ", Value(abs(c))) for c in constants]
        steps = (line(prior[1], *each), *steps)
    parts.append(Formula(W0, steps))
    score: list[Piece | Line] = [Value(total)]
    for part, w in zip(numbers, weights, strict=True):
        score += [" − " if w < 0 else " + ", Value(abs(w)), "·", said(part.name)]
    parts.append(Formula(odds, (line(*score, more),)))
    if last == 1:
        below = line("1 + e", Raised(line(*score, more)))
        parts.append(Formula(line("P(", said(labels[1]), " | x)"), ((Over(("1",), below),),)))
    return parts


def _mean(c: int) -> Line:
    return ("μ", Lowered((f"i{c}",)))


def _number(x: float, follows: bool = False) -> Line:
    return bracketed(x, 4, 6) if follows else (Value(x, 4, 6),)


def _squared(written: Line, x: float) -> Line:
    return line("(", written, ")²") if x < 0 else line(written, "²")


def _other(name: str, own: str, last: str) -> Line:
    """Return what a column that is counted adds to the line."""
    r: Line = ("R", Lowered((said(name),)))
    return line(" + ln ", Over(line(r, "(a,", said(own), ")"), line(r, "(a,", said(last), ")")))


def _prior(model: NaiveBayesModel, k: int) -> tuple[tuple[Line, Line] | None, float]:
    """Return ln P(k)/P(last), as letters and as numbers, and its value; nothing without priors."""
    priors, labels = priors_of(model), model.schema.predicted.labels
    if priors is None:
        return None, 0.0
    pair = [priors[k], priors[-1]]
    values = [p.value if isinstance(p, CountedShare) else p for p in pair]
    if not all(values):
        return None, 0.0
    written = [p.written if isinstance(p, CountedShare) else (Value(p),) for p in pair]
    letters = line("ln ", Over(line("P(", said(labels[k]), ")"), line("P(", said(labels[-1]), ")")))
    return (letters, line("ln ", Over(*written))), math.log(values[0] / values[1])
