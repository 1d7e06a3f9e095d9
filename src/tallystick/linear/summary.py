"""Summary tables and explanations of logistic and linear regressions: one row, nomogram scales, intervals.

1. Sentences on prior, coding, base levels and errors: `title()`, `prior_words()`, `coding_words()`.
2. Logistic: entry `Summary` (of `Figure`s), `explain()` (one row), `scales()` (nomogram).
3. Linear: entry `LinearSummary` (of `LinearFigure`s), `explain_linear()` (one row), `interval_at()`.

figure = one coefficient with its error, test and effect; link = one class's score; base = the level that
others are compared with; reason = what a column adds beside what it adds to the average training row.
Laws: every figure follows from the numbers in the model file; a row's parts, added in order, are its answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.bayes.explain import Explanation, Reason
from tallystick.contracts import Block
from tallystick.draw.charts import bar_chart
from tallystick.draw.svg import (
    Line,
    Picture,
    Span,
    around,
    bar_line,
    between,
    framed,
    html_lines,
    padded,
    plain,
    table,
    wrapped,
)
from tallystick.errors import OptionError, clean, counted, some
from tallystick.linear.file import Coefficient, compared
from tallystick.linear.model import (
    Cells,
    LinearModel,
    LogisticModel,
    Part,
    Product,
    Slope,
    TextTerm,
    WordWeights,
    coefficients_of,
    dense_values,
    product_values,
    uncompared,
)
from tallystick.linear.options import DEFAULT_L2, ERRORS
from tallystick.model.additive import LevelTerm, LinearTerm
from tallystick.schema import CODED, Column, Schema
from tallystick.stats.distributions import NormalEstimate, beta_cdf, student
from tallystick.text import quantity

BEFORE_BASES = "the model file is from before levels were compared with a base level; fit again"


def title(model: LogisticModel) -> str:
    """Say what the weights are of."""
    target = clean(model.schema.predicted.name)
    if model.links == 1:
        own, other = clean(model.labels[1 - model.reference]), clean(model.labels[model.reference])
        return f"Logistic regression: log-odds of {target} = {own} against {other}"
    if has_prior(model):
        return f"Logistic regression of {target}: a score per class, {len(model.labels)} classes"
    return f"Logistic regression: log-odds of each {target} against {clean(model.labels[model.reference])}"


def rows_words(model: LogisticModel) -> str:
    """Say how many rows were fitted; where classes weigh or weights have fractions, what they weigh."""
    rows = float(f"{model.fit.rows:.10g}")  # weights that are not whole sum to the rows but for rounding
    if model.options.class_weight is not None or not rows.is_integer():
        return f"Rows with a total weight of {rows:,.10g}"
    return counted(int(rows), "row")


def prior_words(model: LogisticModel) -> str:
    """Say which prior holds."""
    l1, l2 = model.options.l1, model.fit.l2
    parts = [f"Gaussian prior, l2 = {l2:.4g}"] if l2 else []
    parts += [f"Laplace prior, l1 = {l1:g}"] if l1 else []
    if model.options.firth:
        firth = "Firth's correction: Jeffreys' prior, finite where classes are separated."
        return f"{firth}{reference_words(model)}"
    if not parts:
        return f"No prior: maximum likelihood.{reference_words(model)}"
    on = penalty_place(model)
    abound = " (the default where there are many rows or weights)"
    auto = abound if l2 == DEFAULT_L2 else " (chosen by the evidence of the rows)"
    how = {"cv": " (chosen by cross-validation)", "auto": auto}
    chosen = how.get(str(model.options.l2), "") if l2 else ""
    words = f"{' and '.join(parts)}{chosen}, {on}, not on the constant; weights are in your units."
    return f"{words}{compared_words(model)}"


def compared_words(model: LogisticModel) -> str:
    """Say what the classes, under a prior, and the levels are compared with."""
    several = model.links > 1 and has_prior(model)
    return (" Each class is compared with the mean of all classes." if several else "") + reference_words(
        model
    )


def penalty_place(model: LogisticModel | LinearModel) -> str:
    """Say what a prior or penalty acts on."""
    if not model.options.standardize:
        return "on columns as they are"
    kinds = kinds_of(model)
    scaled = [w for k, w in (("numeric", "numbers"), ("boolean", "booleans")) if k in kinds]
    plainly = [w for w, own in (("levels", CODED - {"boolean"}), ("words", {"text"})) if kinds & own]
    parts = [f"standardised {' and '.join(scaled)}"] if scaled else []
    parts += [f"{' and '.join(plainly)} as they are"] if plainly else []
    return f"on {' and on '.join(parts)}"


def kinds_of(model: LogisticModel | LinearModel) -> set[str]:
    """Return the kinds of the columns that have a part."""
    own = {part.name for part in model.parts}
    return {c.kind for c in model.schema.used if c.name in own}


def reference_words(model: LogisticModel | LinearModel) -> str:
    """Say which level of each column the others are compared with: without a prior the first that training
    rows had, under one the most frequent.
    """
    named = []
    for part in (p for p in model.parts if isinstance(p, Cells)):
        column = model.schema[part.name]
        if part.base is not None:
            named.append(f"{clean(part.name)} = {clean(column.levels[part.base])}")
            continue
        held = [t for t, free in zip(column.levels, part.free, strict=False) if not free]
        if column.kind != "boolean" and held:  # several: levels without rows are among them
            asked = (model.options.base_levels or {}).get(part.name)
            first = held[0] if len(held) == 1 else "its first level with rows"
            level = clean(first if asked is None else asked)
            named.append(f"{clean(part.name)} = {level}")
    more = f" and {len(named) - 5} more" if len(named) > 5 else ""
    return f" Levels are compared with {', '.join(named[:5])}{more}." if named else ""


def has_prior(model: LogisticModel | LinearModel) -> bool:
    """Say whether a prior holds the weights."""
    return model.fit.l2 > 0 or model.options.l1 > 0


def coding_words(model: LogisticModel | LinearModel) -> str:
    """Say how columns are coded."""
    words = []
    if not model.options.fit_intercept:
        words.append("There is no constant.")
    if model.options.offset is not None:
        words.append(f"{clean(model.options.offset)} is an offset: it is added with weight 1.")
    kinds = kinds_of(model)
    if "boolean" in kinds:
        words.append(
            "Booleans are coded 0/1"
            + (
                ", and standardised like numbers for the prior."
                if has_prior(model) and model.options.standardize
                else "."
            )
        )
    if kinds & (CODED - {"boolean"}):
        middle = any(isinstance(p, Cells) and p.base is not None for p in model.parts)
        unseen = "lies in the middle, where the prior holds it" if middle else "has weight 0"
        words.append(f"Each level is 0/1; a level not seen in training {unseen}.")
    if any(c.kind == "numeric" and c.missing for c in model.schema.used):
        words.append("A missing number counts as the mean, plus the weight of 'is missing'.")
    if "text" in kinds:
        words.append(
            "Words count by tf-idf, each row of length 1."
            if model.options.words == "tf-idf"
            else "A word counts as often as it occurs in a row."
        )
    return " ".join(words)


def error_words(model: LogisticModel) -> str:
    """Say where the standard errors come from, or why there are none."""
    if model.fit.separation:
        return f"The classes are separated ({model.fit.separation}): standard errors are withheld."
    if uncompared(model.parts, model.options.fit_intercept):
        return f"Standard errors are not given: {BEFORE_BASES}."
    if not model.errors:
        return f"Standard errors are not given: {_no_errors(model)}."
    if model.options.firth:
        return "Standard errors are from the curvature of the likelihood at these weights."
    if model.fit.l2:
        return "Standard errors are those of the Laplace approximation under the prior."
    return "Standard errors are from the curvature of the likelihood."


def _no_errors(model: LogisticModel) -> str:
    if model.options.l1:
        return "under an L1 prior weights are held at 0"
    if any(isinstance(p, WordWeights) for p in model.parts):
        return "the model has words"
    if model.fit.weights > ERRORS:
        return f"there are more than {ERRORS:,} weights"
    if model.options.max_iter is not None and model.fit.iterations >= model.options.max_iter:
        return f"{counted(model.options.max_iter, 'step')} did not reach the optimum"
    return "the likelihood is too flat at these weights to find them"


def effect_words(model: LogisticModel) -> str:
    """Say what the effects are."""
    if not model.fit.spread:
        return ""
    own = clean(model.labels[1 - model.reference]) if model.links == 1 else "class"
    return f"Effect: by how much P({own}) changes for one unit more, on average over the rows."


# Logistic regression: estimates, standard errors, odds ratios, marginal effects, fit.


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
    """Return the figures of a class as lines; named: with the class."""
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
            listed = ", ".join(f"{clean(words[w])} {own[w]:+.3g}" for w in order) or "no word"
            out += wrapped(listed, cells, f"for {clean(model.labels[of])}: ")
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


# Linear regression: the table, the explanation of a row, and intervals.

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LinearFigure:
    """One coefficient: its weight in the user's units and what follows from its standard error. freedom: the
    degrees that Student's distribution has.
    """

    name: str
    estimate: float
    error: float | None
    freedom: float
    level: float = 0.95

    @property
    def t(self) -> float | None:
        """The estimate in standard errors."""
        return None if not self.error else self.estimate / self.error

    @property
    def p(self) -> float | None:
        """The probability of a t this far from 0, if the weight were 0."""
        return None if self.t is None else student_tail(self.t, self.freedom)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval at the level, 95 % unless another was asked for."""
        if self.error is None:
            return None
        half = student(self.freedom, self.level) * self.error
        return self.estimate - half, self.estimate + half

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "name": self.name,
            "estimate": self.estimate,
            "std_error": self.error,
            "t": self.t,
            "p": self.p,
            "interval": self.interval,
        }


def student_tail(t: float, freedom: float) -> float:
    """Return P(|T| > |t|) under Student's distribution."""
    # freedom / (freedom + t²) has the beta distribution of freedom/2 and 1/2
    return beta_cdf(freedom / (freedom + t * t), freedom / 2, 0.5)


def fisher_tail(f: float, first: float, second: float) -> float:
    """Return P(X > f) under Fisher's distribution of variance ratios."""
    return beta_cdf(second / (second + first * f), second / 2, first / 2)


@dataclass(frozen=True)
class LinearSummary:
    """The whole table; prints well, and `.to_dict()` is plain data."""

    model: LinearModel
    level: float = 0.95

    @property
    def r2(self) -> float:
        """The share of the response's squares about its mean that the columns explain."""
        fit = self.model.fit
        return 1.0 - fit.error / fit.null if fit.null else 0.0

    @property
    def adjusted_r2(self) -> float:
        """The same of variances: squares over their degrees of freedom."""
        fit = self.model.fit
        rest = fit.rows - self.model.options.fit_intercept
        return 1.0 - fit.variance / (fit.null / rest) if fit.null and rest > 0 else math.nan

    @property
    def noise(self) -> float:
        """The standard deviation of the noise, in the unit of the response."""
        return math.sqrt(self.model.fit.variance)

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood of normal noise, of the variance that makes the rows most probable."""
        fit = self.model.fit
        if not fit.error:
            return math.inf
        return -0.5 * fit.rows * (math.log(2.0 * math.pi * fit.error / fit.rows) + 1.0)

    @property
    def aic(self) -> float:
        """Akaike's criterion: 2 degrees - 2 log-likelihood."""
        return 2.0 * self.model.fit.degrees - 2.0 * self.log_likelihood

    @property
    def bic(self) -> float:
        """The Bayesian criterion: degrees ln(rows) - 2 log-likelihood."""
        return self.model.fit.degrees * math.log(self.model.fit.rows) - 2.0 * self.log_likelihood

    @property
    def f(self) -> float | None:
        """Fisher's F of all columns together; None under a penalty, and where nothing is left to compare."""
        fit = self.model.fit
        own = fit.degrees - self.model.options.fit_intercept
        if fit.l2 or own <= 0 or not fit.variance > 0:
            return None
        return (fit.null - fit.error) / own / fit.variance

    @property
    def f_p(self) -> float | None:
        """The probability of such an F if no column mattered."""
        own = self.model.fit.degrees - self.model.options.fit_intercept
        return None if self.f is None else fisher_tail(self.f, own, self.model.fit.freedom)

    @property
    def figures(self) -> list[LinearFigure]:
        """All coefficients that were free."""
        freedom = self.model.fit.freedom
        return [
            LinearFigure(
                c.name, float(c.weights[0]), None if c.errors is None else c.errors[0], freedom, self.level
            )
            for c in compared(self.model)
            if c.free
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; what is not a number is None."""
        fit = self.model.fit
        figures = {
            "r2": self.r2,
            "adjusted_r2": self.adjusted_r2,
            "noise": self.noise,
            "log_likelihood": self.log_likelihood,
            "aic": self.aic,
            "bic": self.bic,
            "f": self.f,
            "f_p": self.f_p,
        }
        return {
            "target": self.model.schema.predicted.name,
            "penalty": penalty_words(self.model),
            "rows": fit.rows,
            "weights": fit.weights,
            "degrees": fit.degrees,
            "squared_error": fit.error,
            "null": fit.null,
            "condition": fit.condition,
            **{k: v if v is not None and math.isfinite(v) else None for k, v in figures.items()},
            "coefficients": [f.to_dict() for f in self.figures],
        }

    def lines(self, cells: int = 80) -> list[Line]:
        """Return the table as lines."""
        model = self.model
        out: list[Line] = [(Span(f"Linear regression of {clean(model.schema.predicted.name)}", "strong"),)]
        texts = self._facts(), penalty_words(model), coding_words(model), _error_words(model)
        for text in texts:
            out += wrapped(text, cells) if text else []
        figures = self.figures
        with_errors = figures[0].error is not None
        header = ["", "estimate"]
        header += ["std. error", "t", "p", f"{100 * self.level:g} % interval"] if with_errors else []
        rows = []
        for f in figures:
            row = [clean(f.name), f"{f.estimate:.6g}"]
            if f.error is not None and f.interval is not None:
                t = "" if f.t is None else f"{f.t:.3f}"
                row += [f"{f.error:.6g}", t, p_words(f.p), pair_words(f.interval)]
            rows.append([Span(text) for text in row])
        return [*out, (), *table(header, rows, frozenset(range(1, len(header))), 10_000)]

    def _facts(self) -> str:
        fit = self.model.fit
        rows = float(f"{fit.rows:.10g}")  # weights that are not whole sum to the rows but for rounding
        rows_text = (
            counted(int(rows), "row") if rows.is_integer() else f"Rows with a total weight of {rows:,.10g}"
        )
        some = f" ({fit.degrees:.4g} determined by the rows)" if fit.l2 else ""
        out = f"{rows_text}, {counted(fit.weights, 'weight')}{some}. R² {self.r2:.4f}"
        if fit.variance > 0:
            out += f", adjusted {self.adjusted_r2:.4f}, noise ± {self.noise:.6g}, AIC {self.aic:.6g}, "
            out += f"BIC {self.bic:.6g}"
        if self.f is not None:
            own = fit.degrees - self.model.options.fit_intercept
            out += f"; F {self.f:.4g} on {own:.6g} and {fit.freedom:.6g} degrees of freedom, "
            out += f"p {p_words(self.f_p)}"
        more = f" Condition number of the columns {fit.condition:.3g}." if fit.condition is not None else ""
        return f"{out}.{more}"

    def _repr_html_(self) -> str:
        return framed(html_lines(self.lines()))

    def __str__(self) -> str:
        return plain(self.lines())

    __repr__ = __str__


def penalty_words(model: LinearModel) -> str:
    """Say which penalty holds."""
    if not model.fit.l2:
        return f"No penalty: least squares.{reference_words(model)}"
    how = {"cv": " (chosen by cross-validation)", "auto": " (chosen by the evidence of the rows)"}
    chosen = how.get(str(model.options.l2), "")
    place = penalty_place(model)
    return (
        f"Ridge: l2 = {model.fit.l2:.4g}{chosen}, {place}, not on the constant; weights are in your units."
        + (reference_words(model))
    )


def _error_words(model: LinearModel) -> str:
    if uncompared(model.parts, model.options.fit_intercept):
        return f"Standard errors are not given: {BEFORE_BASES}."
    if not model.errors:
        few = (
            "the rows are no more than the weights"
            if not model.fit.variance > 0
            else "there are too many weights"
        )
        exact = (
            "the rows are answered without any error"
            if model.fit.freedom > 1e-9 and not model.fit.error
            else few
        )
        return f"Standard errors are not given: {exact}."
    if model.fit.l2:
        return "Standard errors are those under the penalty as a prior: how sure the weights are given both."
    return "Standard errors take the noise to be the same in all rows."


# -- one row --


@dataclass(frozen=True)
class LinearReason:
    """What a column adds to a row's answer, beside what it adds to the average training row."""

    column: str
    value: str
    part: float


@dataclass(frozen=True)
class LinearExplanation:
    """Why a row gets its number: that of the average training row, then what each column adds or takes away.

    interval: of the mean of new rows like this one, 95 %; None where the model has none.
    """

    target: str
    base: float
    reasons: tuple[LinearReason, ...]
    answer: float
    interval: tuple[float, float] | None = None

    def ranked(self) -> list[LinearReason]:
        """Return the reasons, the strongest first."""
        return sorted(self.reasons, key=lambda r: (-abs(r.part), r.column))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "answer": self.answer,
            "begins": "average row",
            "base": self.base,
            "interval": None if self.interval is None else list(self.interval),
            "reasons": [{"column": r.column, "value": r.value, "part": r.part} for r in self.reasons],
        }

    def picture(self, most: int = 20) -> Picture:
        """Return the parts of the answer as bars, the strongest first."""
        bars = [(f"{r.column} = {r.value}", r.part) for r in self.ranked()[:most]]
        words = f"{self.target}: {self.base:.6g} for the average row, {self.answer:.6g} for this one"
        return Picture(bar_chart(bars, words, "why this answer"))

    def _repr_html_(self) -> str:
        return framed(self.picture(), text=str(self))

    def __str__(self) -> str:
        between = " (no interval: the model file does not say how its errors go together)"
        if self.interval is not None:
            low, high = (f"{end:.6g}" for end in self.interval)
            between = f" (95 % between {low} and {high}, for the mean of new rows like this one)"
        most = max((abs(r.part) for r in self.reasons), default=1.0) or 1.0
        lines = [f"{clean(self.target)} {self.answer:.6g}{between}"]
        lines.append(f"{padded('average row', 44)} {self.base:+8.4g}")
        lines += [bar_line(f"{r.column} = {r.value}", r.part, most, "+8.4g") for r in self.ranked()]
        return "\n".join([*lines, f"{padded('sum', 44)} {self.answer:+8.4g}"])

    __repr__ = __str__


def explain_linear(model: LinearModel, block: Block, row: int = 0) -> LinearExplanation:
    """Return why one row of a block is answered as it is."""
    parts = model.additive.reasons(block)[row, :, 0]
    reasons = tuple(
        LinearReason(part.name, cell_words(model.schema, part, block, row), float(own))
        for part, own in zip(model.answering, parts[1:], strict=True)
    )
    answer = float(model.shares(block)[row, 0])
    interval = None
    if model.covariance:
        low, high = linear_interval(model, block)[row, 0].tolist()
        interval = (low, high)
    return LinearExplanation(model.schema.predicted.name, float(parts[0]), reasons, answer, interval)


# -- intervals --


def linear_interval(model: LinearModel, block: Block) -> Array:
    """Return low and high ends [row, 0, 2] of 95 % of the mean of rows like each."""
    return interval_at(model, block, 0.95, False)


def interval_at(model: LinearModel, block: Block, level: float, alone: bool) -> Array:
    """Return low and high ends [row, 0, 2]. alone: of a single new row, whose noise comes on top."""
    if not model.covariance:
        fit = model.fit
        why = "its rows leave no noise to measure" if not fit.variance > 0 else "it has too many weights"
        raise OptionError(f"this linear regression has no interval of an answer: {why}.")
    size = len(model.covariance)
    spread = np.zeros((size, size))
    spread[np.tril_indices(size)] = [v for row in model.covariance for v in row]
    spread += np.tril(spread, -1).T
    rows = np.stack(list(_standardised(model, block)))  # [coefficient, row]
    variance = np.maximum(np.einsum("ir,ij,jr->r", rows, spread, rows), 0.0)
    half = student(model.fit.freedom, level) * np.sqrt(variance + (model.fit.variance if alone else 0.0))
    middle = model.shares(block)[:, 0]
    return np.stack([middle - half, middle + half], axis=-1)[:, None, :]


def _standardised(model: LinearModel, block: Block) -> Iterator[Array]:
    """Yield what each coefficient is multiplied with [row]: columns about their centre, over their scale."""
    yield np.ones(block.rows)
    answering = {id(part) for part in model.answering}
    for part in model.parts:
        if id(part) in answering:
            yield from _of_part(part, block)
        else:  # 0 by definition: it adds no variance, and rows need not have its column
            yield from np.zeros((coefficients_of(part), block.rows))


def _of_part(part: Part, block: Block) -> Iterator[Array]:
    if isinstance(part, Slope | Product):
        values, *gone = dense_values(part, block)
        yield np.nan_to_num((values - part.centre) / part.scale, nan=0.0)
        yield from gone
    elif isinstance(part, Cells):
        codes = block.codes(part.name)
        for code in range(len(part.weights)):
            yield (codes == code).astype(np.float64)
