"""Naive Bayes as a logistic model: log-odds that are sums of weights, where such a form exists exactly.

Knows fitted naive Bayes models. Levels, booleans and words are sums of weights as they are; a Gaussian column
is a line when its variance is the same in every class, because the squares cancel; a Poisson column is a
line. Law: the shares are those of the naive Bayes model to 1e-12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.draw.svg import as_html
from tallystick.draw.text import clean, cut, padded
from tallystick.errors import OptionError, page_limit, shown
from tallystick.explain.naive_bayes import value_names
from tallystick.models.additive import Additive, BinTerm, LevelTerm, LinearTerm, NormalTerm, Term, WordTerm
from tallystick.models.naive_bayes import NaiveBayesModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Weight:
    """What one unit of a number, one word, or having a level adds to the log-odds of each class against the
    last.
    """

    column: str
    value: str
    weights: tuple[float, ...]


@dataclass(frozen=True)
class LogisticForm:
    """intercepts[class], weights: log-odds of each class against the last one, as logistic regression writes
    them.
    """

    classes: tuple[str, ...]
    intercepts: tuple[float, ...]
    weights: tuple[Weight, ...]
    additive: Additive

    def shares(self, block: Block) -> Array:
        """Return P(class | row) [row, class]."""
        return self.additive.shares(self.additive.scores(block))[0]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        weights = [{"column": w.column, "value": w.value, "weights": list(w.weights)} for w in self.weights]
        return {"classes": list(self.classes), "intercepts": list(self.intercepts), "weights": weights}

    _repr_html_ = as_html

    def __str__(self) -> str:
        lines = [f"log-odds against {clean(self.classes[-1])}: intercept, then what each value adds"]
        lines.append(f"{padded('intercept', 40)}" + "".join(f"{b:10.4f}" for b in self.intercepts[:-1]))
        for w in self.weights[: page_limit(60)]:
            name = w.column if not w.value else f"{w.column} = {w.value}"
            lines.append(
                f"{padded(cut(clean(name), 38), 40)}" + "".join(f"{v:10.4f}" for v in w.weights[:-1])
            )
        if (more := len(self.weights) - page_limit(60)) > 0:
            lines.append(f"and {more:,} more")
        return "\n".join(lines)

    __repr__ = __str__


def logistic_form(model: NaiveBayesModel) -> LogisticForm:
    """Return the equivalent logistic form, or say which column has none."""
    base = model.calibrated.base.copy()
    slope = 1.0 if model.calibration is None else model.calibration.slope
    terms: list[Term] = []
    for term in model.additive.terms:
        line, shift = _line(term, slope)
        base = base + shift
        terms.append(line)
    weights = [w for term, part in zip(terms, model.parts, strict=True) for w in _weights(model, term, part)]
    odds = base - base[-1]
    return LogisticForm(
        model.schema.predicted.labels, tuple(odds.tolist()), tuple(weights), Additive(base, terms)
    )


def _line(term: Term, slope: float) -> tuple[Term, Array]:
    """Return the term as a line or table times the slope, and what moves into the intercept."""
    if isinstance(term, LevelTerm):
        return LevelTerm(term.column, slope * term.table), np.zeros(term.table.shape[1])
    if isinstance(term, BinTerm):
        return BinTerm(term.column, term.cuts, slope * term.table), np.zeros(term.table.shape[1])
    if isinstance(term, WordTerm):
        out = WordTerm(term.column, slope * term.table, slope * term.present, term.counts, term.idf)
        return out, np.zeros(term.table.shape[1])
    if isinstance(term, LinearTerm):
        zero = np.zeros(len(term.slope))
        return LinearTerm(term.column, slope * term.slope, slope * term.at_zero, zero), zero
    assert isinstance(term, NormalTerm)
    if not (term.half == term.half[0]).all():
        raise OptionError(
            f"column {shown(term.column)} is Gaussian with a variance per class: its log-odds are not "
            "linear. Fit with share='classes' for a logistic form."
        )
    # constant - half (x - mean)^2 = 2 half mean x - half mean^2 + what is the same for every class
    at_zero = slope * (term.constant - term.half * term.mean * term.mean)
    return LinearTerm(
        term.column, slope * 2 * term.half * term.mean, at_zero, np.zeros(len(at_zero))
    ), np.zeros(len(at_zero))


def _weights(model: NaiveBayesModel, term: Term, part: Any) -> list[Weight]:
    if isinstance(term, LinearTerm):
        slopes = term.slope - term.slope[-1]
        here = term.at_zero - term.at_zero[-1]
        return [
            Weight(term.column, "", tuple(slopes.tolist())),
            Weight(term.column, "there", tuple(here.tolist())),
        ]
    assert isinstance(term, LevelTerm | BinTerm | WordTerm)
    names = value_names(model, part)
    rows = term.table[: len(names)]
    with np.errstate(invalid="ignore"):
        against = rows - rows[:, -1:]
    return [Weight(term.column, n, tuple(w.tolist())) for n, w in zip(names, against, strict=True)]
