"""The statistician's table of a linear regression, why it answers a row as it does, and how sure it is.

Knows models, blocks and Student's distribution. Law: every figure follows from the numbers in the model file;
a row's parts, added in order, are its answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.draw.charts import bar_chart
from tallystick.draw.notebook import framed, html_lines
from tallystick.draw.svg import Picture
from tallystick.draw.text import Line, Span, bar_line, clean, padded, plain, table, wrapped
from tallystick.errors import OptionError, counted
from tallystick.explain.interval import beta_cdf, student
from tallystick.explain.logistic import cell_words, p_words, pair_words
from tallystick.explain.logistic_words import BEFORE_BASES, coding_words, penalty_place, reference_words
from tallystick.models.linear.model import LinearModel
from tallystick.models.logistic.coefficients import compared
from tallystick.models.logistic.model import dense_values
from tallystick.models.logistic.parts import Cells, Part, Product, Slope, coefficients_of, uncompared

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
        """The probability of such an F if no column told anything."""
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
        told = counted(int(rows), "row") if rows.is_integer() else f"Rows with a total weight of {rows:,.10g}"
        some = f" ({fit.degrees:.4g} determined by the rows)" if fit.l2 else ""
        out = f"{told}, {counted(fit.weights, 'weight')}{some}. R² {self.r2:.4f}"
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

    interval: of the mean of new rows like this one, 95 %; None where the model cannot tell.
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


def explain(model: LinearModel, block: Block, row: int = 0) -> LinearExplanation:
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


# -- how sure it is --


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
        else:  # surely 0, so it adds no doubt, and rows need not have its column
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
