"""What a logistic regression lets one conclude, with its training rows at hand: covariance, tests of columns,
profile intervals, effects, residuals, influence.

Knows an optimum and its rows. Law: with the plain errors the table is that of the summary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.draw.svg import as_html
from tallystick.draw.text import Line, Span, clean, plain, table, wrapped
from tallystick.errors import OptionError, counted, nearest, shown
from tallystick.explain.logistic import Figure, figure_table, p_words, shown_links
from tallystick.explain.logistic_effects import Effects, effects_of
from tallystick.explain.logistic_fit import HosmerLemeshow, Residuals, hosmer_lemeshow, residuals_of
from tallystick.explain.logistic_rows import FittedRows, share_interval
from tallystick.explain.logistic_words import compared_words, rows_words, title
from tallystick.explain.tails import chi_square_tail, normal_point
from tallystick.learners.logistic.again import FoundOptimum, found_held
from tallystick.learners.logistic.build import ordered
from tallystick.models.logistic.coefficients import compared
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.parts import Product

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
ERRORS = ("curvature", "HC0", "HC1")
STEPS = 60  # along a profile, at most


@dataclass(frozen=True)
class Told:
    """A coefficient: its name, class and column, its estimate in the user's units, and where its weight is
    among those shown.
    """

    name: str
    of: str
    column: str
    estimate: float
    parameter: int
    link: int


@dataclass(frozen=True)
class WholeColumnTest:
    """All weights of a column at once (products with it among them): could all of them be 0?

    wald: from the estimates and their covariance. likelihood_ratio: from a fit without them; None where it
    was not asked for. Both are chi-square with `freedom` degrees if the column says nothing.
    """

    name: str
    freedom: int
    wald: float
    likelihood_ratio: float | None = None

    @property
    def wald_p(self) -> float:
        """The probability of such a Wald statistic if the column says nothing."""
        return chi_square_tail(self.wald, self.freedom)

    @property
    def p(self) -> float | None:
        """The probability of such a likelihood ratio if the column says nothing."""
        if self.likelihood_ratio is None:
            return None
        return chi_square_tail(self.likelihood_ratio, self.freedom)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "column": self.name,
            "freedom": self.freedom,
            "wald": self.wald,
            "wald_p": self.wald_p,
            "likelihood_ratio": self.likelihood_ratio,
            "p": self.p,
        }


@dataclass(frozen=True)
class WholeColumnTests:
    """The tests of whole columns; prints well, and `to_dict` is plain data."""

    tests: tuple[WholeColumnTest, ...]

    def __getitem__(self, name: str) -> WholeColumnTest:
        for test in self.tests:
            if test.name == name:
                return test
        names = [test.name for test in self.tests]
        raise KeyError(f"there is no test of {shown(name)}.{nearest(name, names)}")

    def to_dict(self) -> list[dict[str, Any]]:
        """Return plain data."""
        return [test.to_dict() for test in self.tests]

    def lines(self) -> list[Line]:
        """Return the tests as lines."""
        both = all(test.likelihood_ratio is not None for test in self.tests)
        header = ["column", "degrees", "Wald χ²", "p", *(["likelihood ratio χ²", "p"] if both else [])]
        rows = []
        for test in self.tests:
            row = [clean(test.name), str(test.freedom), *number_words(test.wald, test.wald_p)]
            row += number_words(test.likelihood_ratio, test.p) if both else []
            rows.append([Span(text) for text in row])
        return table(header, rows, frozenset(range(1, len(header))), 10_000)

    _repr_html_ = as_html

    def __str__(self) -> str:
        return plain(self.lines())

    __repr__ = __str__


@dataclass(frozen=True)
class Inference:
    """What `LogisticRegression.inference` found; prints well, and `to_dict` is plain data.

    errors: how the standard errors were made, in words.
    """

    model: LogisticModel
    found: FoundOptimum
    rows: FittedRows
    drive: Callable[[Any], Any] = field(repr=False)
    read: Callable[[Any], Iterable[Block]] = field(repr=False)
    level: float = 0.95
    kind: str = "curvature"
    groups: Whole | None = field(default=None, repr=False)
    places: Whole | None = field(default=None, repr=False)  # of the source, of each row

    # -- estimates --

    @cached_property
    def _told(self) -> list[Told]:
        """All coefficients that are free, class by class as the summary has them."""
        problem, model = self.found.problem, self.model
        index = np.full((problem.design.size, len(problem.links)), -1)
        index[self.found.comparison.at] = np.arange(len(self.found.comparison.at))[:, None]
        places = [int(row[0]) for row in ordered(problem, index, model.parts)]
        sign = -1.0 if model.links == 1 and model.reference == 1 else 1.0
        out = []
        for i, link in enumerate(shown_links(model)):
            of = model.labels[1 - model.reference] if model.links == 1 else model.labels[link]
            for c, at in zip(compared(model), places, strict=True):
                if c.free and at >= 0:
                    out.append(Told(c.name, of, c.column, sign * float(c.weights[link]), at, i))
        return out

    @property
    def names(self) -> list[str]:
        """The names of the coefficients, in the order of `covariance`; with several classes also theirs."""
        several = len({told.of for told in self._told}) > 1
        return [f"{told.name} ({told.of})" if several else told.name for told in self._told]

    @cached_property
    def _spread(self) -> Array:
        """The covariance of the free weights, standardised [weight, weight]."""
        return self._covariance(self.found.covariance, self.found.covariance)

    def _covariance(self, plain: Array, bread: Array) -> Array:
        """Return the covariance of weights, standardised. plain: from the curvature alone; bread: how the
        score of each free weight moves them [weight, free weight].
        """
        if self.kind == "curvature" and self.groups is None:
            return plain
        degrees = self.model.fit.degrees
        n, k = self.rows.counted, self.found.problem.weights if degrees is None else degrees
        if self.groups is not None:
            many = int(self.groups.max()) + 1
            return (
                bread
                @ self.rows.meat_of_groups(self.groups)
                @ bread.T
                * (many / (many - 1) * (n - 1) / (n - k))
            )
        return bread @ self.rows.meat() @ bread.T * (n / (n - k) if self.kind == "HC1" else 1.0)

    @cached_property
    def covariance(self) -> Array:
        """The covariance of the estimates [coefficient, coefficient], in the order of `names`."""
        k, told = self.found.problem.free_links, self._told
        whole = np.kron(self.found.in_units, np.eye(k))
        at = [t.parameter * k + t.link for t in told]
        spread = self._covariance(self.found.shown, self.found.gain)
        out: Array = (whole @ spread @ whole.T)[np.ix_(at, at)]
        return out

    @cached_property
    def figures(self) -> list[Figure]:
        """The estimates with their standard errors, z, p and intervals."""
        errors = np.sqrt(np.maximum(np.diag(self.covariance), 0.0)).tolist()
        return [
            Figure(t.name, t.of, t.estimate, error, None, self.level)
            for t, error in zip(self._told, errors, strict=True)
        ]

    # -- tests of whole columns --

    def tests(self, *, likelihood_ratio: bool = True) -> WholeColumnTests:
        """Return the Wald and the likelihood ratio test of every column, and of every pair with products.

        A column is tested together with its products: the question is whether it matters at all. The
        likelihood ratio fits the rows again without it; under a prior there is none.

        Parameters
        ----------
        likelihood_ratio : bool, default True
            Whether the rows are fitted again; False gives the Wald tests alone.

        Returns
        -------
        WholeColumnTests
            Prints as a table; `tests()["age"]` is one of them.
        """
        if likelihood_ratio:
            self._refuse_prior(
                "a likelihood ratio test", "Use tests(likelihood_ratio=False), or fit with l2=0"
            )
        made = []
        for name, held in self._columns():
            if self.found.comparison.alike:  # of several classes the last follows from the others
                held = [i for i in held if self._told[i].link != self._told[-1].link]
            if not held:
                continue
            free = sorted({self._told[i].parameter for i in held})
            wald = self._wald(held)
            ratio = self._ratio(free) if likelihood_ratio else None
            made.append(WholeColumnTest(name, len(held), wald, ratio))
        return WholeColumnTests(tuple(made))

    def _columns(self) -> Iterable[tuple[str, list[int]]]:
        """Return what can be tested: columns with all that they are in, and pairs with products."""
        pairs = {
            part.name: tuple(dict.fromkeys(f.column for f in part.factors))
            for part in self.model.parts
            if isinstance(part, Product)
        }
        within = [pairs.get(told.column, (told.column,)) for told in self._told]
        for column in self.model.schema.used:
            yield column.name, [i for i, names in enumerate(within) if column.name in names]
        for pair in dict.fromkeys(pairs.values()):
            name = " × ".join(pair if len(pair) > 1 else pair * 2)
            yield name, [i for i, t in enumerate(self._told) if pairs.get(t.column) == pair]

    def _wald(self, held: Sequence[int]) -> float:
        estimates = np.array([self._told[i].estimate for i in held])
        part = self.covariance[np.ix_(held, held)]
        scale = np.sqrt(np.diag(part))
        if not scale.all() or np.linalg.matrix_rank(part / np.outer(scale, scale)) < len(held):
            return math.nan  # fewer groups than weights: no test of all of them at once
        unit = estimates / scale
        return float(unit @ np.linalg.solve(part / np.outer(scale, scale), unit))

    def _ratio(self, parameters: Sequence[int]) -> float:
        held = np.zeros(int(self.found.problem.free.sum()), bool)
        held[list(parameters)] = True
        return 2.0 * float(self.drive(found_held(self.found, held)).loss - self.found.point.loss)

    def _refuse_prior(self, what: str, do: str) -> None:
        if self.model.fit.l2 or self.model.options.l1 or self.model.options.firth:
            raise OptionError(
                f"{what} compares maxima of the likelihood, and a prior holds these weights. {do}."
            )

    def _refuse_classes(self, what: str) -> None:
        if self.model.links > 1:
            raise OptionError(
                f"{what} are for two classes, and {shown(self.model.schema.predicted.name)} has "
                f"{len(self.model.labels)}. Fit one class against the others."
            )

    # -- intervals by the likelihood --

    def profile(self, names: Sequence[str] | None = None) -> dict[str, tuple[float, float]]:
        """Return profile intervals: the values of a coefficient at which the likelihood, all others refitted,
        is not yet significantly lower. They need not lie evenly about the estimate.

        Parameters
        ----------
        names : list of str, default None
            The coefficients, as in `names`; None is all of them but the constant.

        Returns
        -------
        dict
            (low, high) by name.
        """
        self._refuse_classes("profile intervals")
        self._refuse_prior("a profile", "Fit with l2=0")
        known = self.names
        wanted = [n for n in known if n != "(constant)"] if names is None else list(names)
        for name in wanted:
            if name not in known or name == "(constant)":
                raise OptionError(f"there is no profile of {shown(name)}.{nearest(name, known)}")
        return {name: self._ends(known.index(name)) for name in wanted}

    def _ends(self, i: int) -> tuple[float, float]:
        told, error = self._told[i], math.sqrt(self.found_variance(i))
        return self._end(told, error, -1), self._end(told, error, 1)

    def found_variance(self, i: int) -> float:
        """Return the variance of a coefficient from the curvature, whatever errors are shown."""
        return float(replace(self, kind="curvature", groups=None).covariance[i, i])

    def _end(self, told: Told, error: float, side: int) -> float:
        """Return where the root of the likelihood ratio is the normal point, on one side: by regula falsi on
        the root, which is nearly a line.
        """
        wanted, low, high = normal_point(self.level), (0.0, 0.0), (math.inf, math.inf)
        t = wanted
        for _ in range(STEPS):
            root = self._root(told, told.estimate + side * t * error)
            if abs(root - wanted) <= 1e-9 * wanted:
                break
            low, high = ((t, root), high) if root < wanted else (low, (t, root))
            if math.isinf(high[0]):
                t = t * min(max(wanted / max(root, 1e-3), 1.05), 2.0)
                if t > 1e6:
                    return side * math.inf
                continue
            step = low[0] + (wanted - low[1]) * (high[0] - low[0]) / (high[1] - low[1])
            inner = 0.01 * (high[0] - low[0])
            t = min(max(step, low[0] + inner), high[0] - inner)
            if high[0] - low[0] <= 1e-12 * high[0]:
                break
        return told.estimate + side * t * error

    def _root(self, told: Told, value: float) -> float:
        """Return the root of the likelihood ratio where one coefficient is held at a value."""
        problem = self.found.problem
        held = np.zeros(int(problem.free.sum()), bool)
        held[told.parameter] = True
        sign = -1.0 if self.model.reference == 1 else 1.0
        values = np.zeros(len(held))
        values[told.parameter] = sign * value / self.found.in_units[told.parameter, told.parameter]
        ratio = 2.0 * (self.drive(found_held(self.found, held, values)).loss - self.found.point.loss)
        return math.sqrt(max(ratio, 0.0))

    # -- rows --

    def residuals(self) -> Residuals:
        """Return what each row tells of the fit: its share, deviance and Pearson residuals, leverage and
        Cook's distance, by row of the data. For two classes.

        Returns
        -------
        Residuals
            Arrays; prints the rows that weigh most.
        """
        self._refuse_classes("residuals")
        return residuals_of(self.model, self.rows, self.places)

    def hosmer_lemeshow(self, groups: int = 10) -> HosmerLemeshow:
        """Return the test of Hosmer and Lemeshow: are the shares right within groups of rows that were given
        similar ones? It depends on the number of groups, sees little in few rows and everything in many: read
        the calibration of rows that were not fitted (`cross_validate`) first.

        Parameters
        ----------
        groups : int, default 10
            How many groups, cut at the quantiles of the shares.

        Returns
        -------
        HosmerLemeshow
            The groups, the statistic and its p.
        """
        self._refuse_classes("the groups of Hosmer and Lemeshow")
        return hosmer_lemeshow(self.model, self.rows, groups)

    def predict_interval(self, X: Any) -> Array:
        """Return the interval of each probability of new rows: that of the log-odds, by the covariance,
        turned into shares. Of several classes each against all others.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit.

        Returns
        -------
        array [row, class, 2]
            The lower and the upper end; `predict_proba` lies between them.
        """
        z = normal_point(self.level)
        found = [share_interval(self.rows, self._spread, block, z) for block in self.read(X)]
        return np.concatenate([np.zeros((0, len(self.model.labels), 2)), *found])

    def effects(self) -> Effects:
        """Return average marginal effects over the rows: of a number, the slope of the probability; of a
        level, the difference that the level makes against the base level with everything else as it is.

        Returns
        -------
        Effects
            With standard errors (delta method) where there are two classes.
        """
        return effects_of(self.model, self.found, self.rows, self._spread, self.level)

    @cached_property
    def pseudo_r2(self) -> dict[str, float]:
        """How much better than the class shares the model is, by five definitions."""
        fit, n = self.model.fit, self.model.fit.rows
        degrees = float(fit.weights) if fit.degrees is None else fit.degrees
        cox = -math.expm1(2.0 * (fit.null - fit.log_likelihood) / n)
        out = {
            "McFadden": 1.0 - fit.log_likelihood / fit.null,
            "McFadden, adjusted": 1.0 - (fit.log_likelihood - degrees) / fit.null,
            "Cox and Snell": cox,
            "Nagelkerke": cox / -math.expm1(2.0 * fit.null / n),
        }
        if self.model.links == 1:
            share, own, copies = self.rows.second
            means = [float(np.average(share[own == c], weights=copies[own == c])) for c in (0, 1)]
            out["Tjur"] = means[1] - means[0]
        return out

    # -- the table --

    def error_words(self) -> str:
        """Say where the standard errors come from."""
        rows = f"{int(self.rows.counted):,} rows"
        if self.groups is not None:
            many = int(self.groups.max()) + 1
            return (
                f"Standard errors are clustered: {rows} in {counted(many, 'group')}, G/(G-1) · (n-1)/(n-k) "
                "for few groups."
            )
        if self.kind == "curvature":
            prior = (
                "Laplace approximation under the prior"
                if self.model.fit.l2
                else "curvature of the likelihood"
            )
            return f"Standard errors are from the {prior}."
        more = ", times n/(n-k)" if self.kind == "HC1" else ""
        return f"Standard errors are robust ({self.kind}: the sandwich of the rows' scores{more})."

    def lines(self, cells: int = 80) -> list[Line]:
        """Return the table as lines."""
        out: list[Line] = [(Span(title(self.model), "strong"),)]
        told = ", ".join(f"{name} {value:.4f}" for name, value in self.pseudo_r2.items())
        out += wrapped(f"{rows_words(self.model)}. Pseudo R²: {told}.", cells)
        out += wrapped(self.error_words() + compared_words(self.model), cells)
        figures = self.figures
        for of in dict.fromkeys(f.of for f in figures):
            out += [(), *figure_table([f for f in figures if f.of == of], of, self.model.links > 1)]
        return [*out, (), *self.tests(likelihood_ratio=False).lines()]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "errors": self.error_words(),
            "level": self.level,
            "coefficients": [f.to_dict() for f in self.figures],
            "names": self.names,
            "covariance": self.covariance.tolist(),
            "columns": self.tests(likelihood_ratio=False).to_dict(),
            "pseudo_r2": self.pseudo_r2,
        }

    _repr_html_ = as_html

    def __str__(self) -> str:
        return plain(self.lines())

    __repr__ = __str__


def number_words(statistic: float | None, p: float | None) -> list[str]:
    """Return a statistic and its p as tables show them; nothing where there is none."""
    return ["", ""] if statistic is None or math.isnan(statistic) else [f"{statistic:.4f}", p_words(p)]
