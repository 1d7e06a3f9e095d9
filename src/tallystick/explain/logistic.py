"""The statistician's table of a logistic regression: estimates, standard errors, odds ratios, marginal
effects, fit.

Knows models and the normal distribution. Knows no row. Law: every figure follows from the numbers in the
model file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallystick.contracts import Block
from tallystick.data.schema import Column, Schema
from tallystick.data.text import quantity
from tallystick.draw.notebook import framed, html_lines
from tallystick.draw.svg import around
from tallystick.draw.text import Line, Span, between, clean, plain, table, wrapped
from tallystick.errors import OptionError, counted, some
from tallystick.explain.logistic_words import (
    coding_words,
    effect_words,
    error_words,
    has_prior,
    prior_words,
    rows_words,
    title,
)
from tallystick.explain.naive_bayes import Explanation, Reason
from tallystick.explain.tails import NormalEstimate
from tallystick.models.additive import LevelTerm, LinearTerm
from tallystick.models.logistic.coefficients import Coefficient, compared
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.parts import (
    Cells,
    Part,
    Product,
    Slope,
    TextTerm,
    WordWeights,
    product_values,
)


@dataclass(frozen=True)
class Figure(NormalEstimate):
    """One coefficient of one class: its weight in the user's units and what follows from its standard
    error.
    """

    name: str
    of: str  # the class whose odds it changes
    estimate: float
    error: float | None
    effect: float | None  # average marginal effect on the class's probability
    level: float = 0.95

    @property
    def value(self) -> float:
        """The estimate."""
        return self.estimate

    @property
    def odds_ratio(self) -> float:
        """By what the odds are multiplied when the column grows by one unit, or the level holds."""
        return _exp(self.estimate)

    @property
    def odds_interval(self) -> tuple[float, float] | None:
        """The interval of the odds ratio."""
        return None if self.interval is None else (_exp(self.interval[0]), _exp(self.interval[1]))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "name": self.name,
            "class": self.of,
            "estimate": self.estimate,
            "std_error": self.error,
            "z": self.z,
            "p": self.p,
            "interval": self.interval,
            "odds_ratio": self.odds_ratio,
            "odds_interval": self.odds_interval,
            "marginal_effect": self.effect,
        }


@dataclass(frozen=True)
class Summary:
    """The whole table; prints well, and `.to_dict()` is plain data."""

    model: LogisticModel

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood at the weights, without the prior."""
        return self.model.fit.log_likelihood

    @property
    def pseudo_r2(self) -> float:
        """McFadden's: 1 - log-likelihood / null log-likelihood."""
        null = self.model.fit.null
        return 1.0 - self.log_likelihood / null if null else 0.0

    @property
    def degrees(self) -> float:
        """How many numbers the weights amount to: those that the rows determine. Without a prior all of them;
        a prior holds the others. A model file from before this was kept says the number of weights.
        """
        fit = self.model.fit
        return float(fit.weights) if fit.degrees is None else fit.degrees

    @property
    def aic(self) -> float:
        """Akaike's criterion: 2 degrees - 2 log-likelihood."""
        return 2.0 * self.degrees - 2.0 * self.log_likelihood

    @property
    def bic(self) -> float:
        """The Bayesian criterion: degrees ln(rows) - 2 log-likelihood."""
        return self.degrees * math.log(self.model.fit.rows) - 2.0 * self.log_likelihood

    @property
    def figures(self) -> list[Figure]:
        """All figures, class by class."""
        lines = [c for c in compared(self.model) if c.free]
        return [_figure(self.model, c, link) for link in shown_links(self.model) for c in lines]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        fit = self.model.fit
        return {
            "target": self.model.schema.predicted.name,
            "reference": self.model.labels[self.model.reference],
            "prior": prior_words(self.model),
            "errors": error_words(self.model),
            "rows": fit.rows,
            "weights": fit.weights,
            "degrees": self.degrees,
            "iterations": fit.iterations,
            "log_likelihood": fit.log_likelihood,
            "null": fit.null,
            "pseudo_r2": self.pseudo_r2,
            "aic": self.aic,
            "bic": self.bic,
            "condition": fit.condition,
            "separation": fit.separation,
            "coefficients": [f.to_dict() for f in self.figures],
        }

    def lines(self, cells: int = 80) -> list[Line]:
        """Return the table as lines."""
        fit, model = self.model.fit, self.model
        out: list[Line] = [(Span(title(model), "strong"),)]
        facts = (
            f"{rows_words(model)}, {counted(fit.weights, 'weight')}{self._determined()}, "
            f"{counted(fit.iterations, 'iteration')}. Log-likelihood "
            f"{fit.log_likelihood:.6g}, without any column {fit.null:.6g}, "
            f"pseudo R² {self.pseudo_r2:.4f}, "
            f"AIC {self.aic:.6g}, BIC {self.bic:.6g}."
        )
        if fit.condition is not None:
            facts += f" Condition number of the columns {fit.condition:.3g}."
        for text in (facts, prior_words(model), coding_words(model), error_words(model), effect_words(model)):
            out += wrapped(text, cells) if text else []
        figures = self.figures
        for of in dict.fromkeys(f.of for f in figures):
            out += [(), *figure_table([f for f in figures if f.of == of], of, len(shown_links(model)) > 1)]
        for part in (p for p in model.parts if isinstance(p, WordWeights)):
            out += [(), *_words(model, part, cells)]
        return out

    def _determined(self) -> str:
        """Say how many of the weights the rows determine, where a prior holds the others."""
        if self.degrees == self.model.fit.weights:
            return ""
        return f" ({self.degrees:.4g} determined by the rows)"

    def _repr_html_(self) -> str:
        return framed(html_lines(self.lines()))

    def __str__(self) -> str:
        return plain(self.lines())

    __repr__ = __str__


def shown_links(model: LogisticModel) -> list[int]:
    """Return the links to show: without a prior not the reference's, which is 0."""
    if model.links == 1:
        return [0]
    return [i for i in range(model.links) if has_prior(model) or i != model.reference]


def _figure(model: LogisticModel, c: Coefficient, link: int) -> Figure:
    sign = -1.0 if model.links == 1 and model.reference == 1 else 1.0
    of = model.labels[1 - model.reference] if model.links == 1 else model.labels[link]
    effect = None
    if model.fit.spread and c.column:
        effect = sign * math.fsum(
            s * float(w) for s, w in zip(model.fit.spread[link], c.weights, strict=True)
        )
    error = c.errors[link] if c.errors is not None else None
    return Figure(c.name, of, sign * float(c.weights[link]), error, effect)


def figure_table(figures: Sequence[Figure], of: str, named: bool) -> list[Line]:
    """Return the figures of a class as lines; named: the class is told."""
    with_errors = figures[0].error is not None
    interval = f"{100 * figures[0].level:g} % interval"
    header = [f"class {clean(of)}" if named else "", "estimate"]
    header += ["std. error", "z", "p", interval] if with_errors else []
    header += ["odds ratio"] + ([interval] if with_errors else [])
    header += ["effect"] if any(f.effect is not None for f in figures) else []
    rows = []
    for f in figures:
        row = [clean(f.name), f"{f.estimate:.6g}"]
        if with_errors:
            assert f.error is not None
            assert f.interval is not None
            assert f.odds_interval is not None
            row += [
                f"{f.error:.6g}",
                f"{f.z:.3f}" if f.z is not None else "",
                p_words(f.p),
                pair_words(f.interval),
            ]
        row.append(f"{f.odds_ratio:.4g}")
        if with_errors and f.odds_interval is not None:
            row.append(pair_words(f.odds_interval))
        if header[-1] == "effect":
            row.append("" if f.effect is None else f"{f.effect:+.4f}")
        rows.append([Span(t) for t in row])
    return table(header, rows, frozenset(range(1, len(header))), 10_000)  # names are never cut


def _words(model: LogisticModel, part: WordWeights, cells: int) -> list[Line]:
    """Return the words of a text column that speak most for each class."""
    words = model.schema[part.name].words
    out: list[Line] = [(Span(f"words of {clean(part.name)}", "strong"),)]
    for link in shown_links(model):
        for sign, of in ((1, link), (-1, None)) if model.links > 1 else ((1, 1), (-1, 0)):
            if of is None:
                continue
            own = (sign * part.weights[:, link]).tolist()
            order = sorted((w for w in range(len(words)) if own[w] > 0), key=lambda w: (-own[w], w))[:8]
            told = ", ".join(f"{clean(words[w])} {own[w]:+.3g}" for w in order) or "no word"
            out += wrapped(told, cells, f"for {clean(model.labels[of])}: ")
    return out


def pair_words(ends: tuple[float, float]) -> str:
    """Return an interval as tables show it."""
    return between(*ends, ".4g").replace(" to ", " .. ")


def p_words(p: float | None) -> str:
    """Return a p as tables show it."""
    return "" if p is None else "<0.0001" if p < 1e-4 else f"{p:.4f}"


def _exp(x: float) -> float:
    return math.exp(x) if x < 709.0 else math.inf


# -- one row --


def explain(model: LogisticModel, block: Block, row: int = 0) -> Explanation:
    """Return why one row of a block is answered as it is: the log-odds of the average training row, then what
    each column adds to them or takes away.
    """
    parts = model.additive.reasons(block)[row]
    scores = np.add.accumulate(parts, axis=0)[-1]
    shares = model.shares(block)[row]
    reasons = [
        Reason(
            part.name,
            cell_words(model.schema, part, block, row),
            tuple(own.tolist()),
            _row_words(model, part, block, row),
        )
        for part, own in zip(model.answering, parts[1:], strict=True)
    ]
    return Explanation(
        model.labels,
        tuple(parts[0].tolist()),
        tuple(reasons),
        tuple(scores.tolist()),
        tuple(shares.tolist()),
        False,
        "average row",
        decision=model.decision,
    )


def cell_words(schema: Schema, part: Part, block: Block, row: int) -> str:
    """Return what a row has in the column of a part."""
    if isinstance(part, WordWeights):
        starts, _, _ = block.words(part.name)
        return counted(int(starts[row + 1] - starts[row]), "word")
    if isinstance(part, Cells):
        return [*schema[part.name].levels, "missing", "a new level"][int(block.codes(part.name)[row])]
    x = float(
        product_values(part.factors, block)[row]
        if isinstance(part, Product)
        else block.values(part.name)[row]
    )
    if math.isnan(x):
        return "missing"
    return quantity(x, "" if isinstance(part, Product) else schema[part.name].unit, 6)


def _row_words(
    model: LogisticModel, part: Part, block: Block, row: int
) -> tuple[tuple[str, tuple[float, ...]], ...]:
    if not isinstance(part, WordWeights):
        return ()
    term = next(t for t in model.additive.terms if t.column == part.name)
    assert isinstance(term, TextTerm)
    names = model.schema[part.name].words
    return tuple((names[w], tuple(own.tolist())) for w, own in term.by_word(block)[row])


def no_scales(model: LogisticModel) -> str:
    """Say why a model has no nomogram, or nothing: a scale shows one value of one column."""
    products = [p.name for p in model.parts if isinstance(p, Product)]
    if products:
        return (
            f"a nomogram has a scale per column, and {some(products, 2)} "
            f"{'is a product' if len(products) == 1 else 'are products'} of columns"
        )
    texts = [p.name for p in model.parts if isinstance(p, WordWeights)]
    if texts:
        return f"a nomogram has a mark per value, and {some(texts, 2)} {_are(texts)} made of words"
    return ""


def _are(things: Sequence[object]) -> str:
    return "is" if len(things) == 1 else "are"


def scales(
    model: LogisticModel, c: int, d: int, usual_range: Mapping[str, tuple[float, float]]
) -> list[tuple[str, list[tuple[str, float]]]]:
    """Return lines of a nomogram: each column's values with what they add to the log-odds of class c
    against d, beside what the column adds to the average training row. All parts of the model are drawn, or
    it is an error. usual_range: of numbers, where most training rows lie; of others their whole range.
    """
    if why := no_scales(model):
        raise OptionError(
            f"there is no nomogram of this model: {why}. Use summary() or explain(row), "
            "or fit without interactions=2, polynomial=2 and text."
        )
    out: list[tuple[str, list[tuple[str, float]]]] = []
    additive = model.additive
    for part, term, average in zip(model.answering, additive.terms, additive.averages, strict=True):
        usual = float(average[c] - average[d])
        column = model.schema[part.name]
        if isinstance(term, LevelTerm) and isinstance(part, Cells):
            weights = (term.table[:, c] - term.table[:, d] - usual).tolist()
            marks = [(text, w) for text, w in zip((*column.levels, "missing"), weights, strict=False)]
            if not part.free[-1]:
                marks.pop()
            out.append((part.name, marks))
        elif isinstance(term, LinearTerm) and isinstance(part, Slope):
            ends = usual_range.get(part.name, (column.low, column.high))
            marks = _number_marks(column, ends, float(term.slope[c] - term.slope[d]), usual)
            if part.missing is not None:
                marks.append(("missing", float(term.missing[c] - term.missing[d]) - usual))
            out.append((part.name, marks))
    return [(name, marks) for name, marks in out if marks]


def _number_marks(
    column: Column, ends: tuple[float | None, float | None], slope: float, usual: float
) -> list[tuple[str, float]]:
    if ends[0] is None or ends[1] is None:
        return []
    return [(quantity(v, column.unit, 6), slope * v - usual) for v in around(ends[0], ends[1])]
