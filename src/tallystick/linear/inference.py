"""Inference from a logistic regression and its training rows: tests, intervals, effects, residuals.

1. The training rows under the model: `FittedRows`; intervals of probabilities: `share_interval()`.
2. Average marginal effects: `Effects`. 3. `Residuals`, `HosmerLemeshow`.
4. Entry: `infer()`, which returns an `Inference`: covariance, tests of columns, profile intervals.

link = one class's score; free = weights that are not 0 by definition; copies = the whole weight of a row;
share = P(class | row); slope = derivative by a number; base = the level that others are compared with.
Laws: other rows than those of the fit are an error; a row of whole weight w is w copies, and its figures are
those of one copy; with the plain errors the table is that of the summary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.draw.svg import Line, Span, as_html, plain, table, wrapped
from tallystick.errors import Argument, DataError, OptionError, clean, counted, nearest, shown
from tallystick.estimator.base import Estimator
from tallystick.io.containers import as_column
from tallystick.io.open import is_spark, open_source, opened
from tallystick.linear.file import compared
from tallystick.linear.learner import ordered
from tallystick.linear.model import Cells, LogisticModel, Product, uncompared
from tallystick.linear.path import FoundOptimum, drive, found_again, found_held
from tallystick.linear.prepare import Mask, Problem
from tallystick.linear.summary import (
    Figure,
    compared_words,
    error_words,
    figure_table,
    p_words,
    pair_words,
    rows_words,
    shown_links,
    title,
)
from tallystick.model.file import is_whole
from tallystick.predict.row import as_given
from tallystick.schema import CODED, Column
from tallystick.stats.design_sums import Dense
from tallystick.stats.distributions import NormalEstimate, check_level, chi_square_tail, normal_point
from tallystick.table.block import RowBlock as Rows
from tallystick.table.cells import distinct_texts

if TYPE_CHECKING:
    from tallystick.linear.estimator import LogisticRegression


# The training rows under the model: fitted probabilities, residuals, leverage.

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class SomeRows:
    """Rows of one block: z[row, free] in standardised columns, shares[row, class], classes[row]; copies[row]
    and factor[row]: how many copies a row is, and what the terms of each are multiplied by.
    """

    z: Array
    shares: Array
    classes: Whole
    copies: Array
    factor: Array


@dataclass(frozen=True)
class FittedRows:
    """All training rows of an optimum; table: those rows."""

    found: FoundOptimum
    table: Table

    def each(self) -> Iterator[SomeRows]:
        """Yield the rows, block by block."""
        known = self.found.known
        for block in self.table.blocks():
            assert block.classes is not None
            z = columns_of(self.found.problem, block)
            classes = np.asarray(block.classes).astype(np.int64)
            weights = np.ones(block.rows) if block.weights is None else block.weights / known.unit
            factor = known.class_weights[classes]
            copies = weights if known.unit == 1 else np.ones(block.rows)
            factor = factor if known.unit == 1 else factor * weights
            yield SomeRows(z, self.shares(block, z), classes, copies, factor)

    def shares(self, block: Block, z: Array | None = None) -> Array:
        """Return P(class) [row, class] of a block; z: its free columns, where they are known."""
        problem = self.found.problem
        theta = problem.theta(self.found.point.w)[0]
        scores = (columns_of(problem, block) if z is None else z) @ theta[problem.free]
        if problem.fixed is not None:
            held = ~problem.free & problem.fixed.any(axis=1)
            scores = scores + columns_of(problem, block, held) @ theta[held]
        if scores.shape[1] == 1:
            scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
        elif problem.absent.any():
            scores = scores + np.where(problem.absent, theta[0], 0.0)
        return kernels.softmax(np.ascontiguousarray(scores))

    @property
    def links(self) -> Whole:
        """The classes that have weights; of two classes the second."""
        return (
            np.array([1]) if len(self.found.problem.links) == 1 else np.flatnonzero(self.found.problem.links)
        )

    def scores(self, some: SomeRows) -> Array:
        """Return what each row adds to the gradient of the log-likelihood [row, free * link], one copy."""
        own = (some.classes[:, None] == self.links[None, :]) - some.shares[:, self.links]
        own = own * some.factor[:, None]
        out: Array = (some.z[:, :, None] * own[:, None, :]).reshape(len(own), -1)
        return out

    def meat(self) -> Array:
        """Return the sum of the outer products of the rows' scores [weight, weight]."""
        out = np.zeros((self.found.problem.weights,) * 2)
        for some in self.each():
            scores = self.scores(some)
            out += (scores * some.copies[:, None]).T @ scores
        return out

    def meat_of_groups(self, groups: Whole) -> Array:
        """Return the same with the scores of each group added up first; groups[row]."""
        sums, at = np.zeros((int(groups.max()) + 1, self.found.problem.weights)), 0
        for some in self.each():
            own = groups[at : at + len(some.classes)]
            np.add.at(sums, own, self.scores(some) * some.copies[:, None])
            at += len(own)
        return sums.T @ sums

    @cached_property
    def counted(self) -> float:
        """How many rows there are, copies counted."""
        return float(sum(some.copies.sum() for some in self.each()))

    @cached_property
    def second(self) -> tuple[Array, Whole, Array]:
        """Of two classes: the second's share, whether it is the row's own, and copies [row]."""
        parts = [(s.shares[:, 1], s.classes, s.copies) for s in self.each()]
        shares, classes, copies = (np.concatenate(p) for p in zip(*parts, strict=True))
        return shares, classes, copies

    @cached_property
    def leverage(self) -> Array:
        """The leverage of each row [row], one copy: how far its own class draws its share."""
        parts, c = [], self.found.covariance
        for some in self.each():
            share = some.shares[:, 1]
            parts.append(some.factor * share * (1 - share) * ((some.z @ c) * some.z).sum(axis=1))
        return np.concatenate(parts)


def columns_of(problem: Problem, block: Block, which: Mask | None = None) -> Array:
    """Return the free standardised columns of a block, or others [row, column]; a missing number is at its
    centre.
    """
    d, scales = problem.design, problem.scales
    columns = []
    for parameter in np.flatnonzero(problem.free if which is None else which).tolist():
        if parameter == 0:
            columns.append(np.ones(block.rows))
        elif parameter <= len(d.dense):
            j = parameter - 1
            z = (d.dense[j].values(block) - scales.centre[j]) / scales.scale[j]
            columns.append(np.nan_to_num(z, nan=0.0))
        else:
            coded = next(c for c in reversed(d.coded) if d.cell(c) <= parameter)
            codes = block.codes(coded.column.name)
            columns.append((codes == parameter - d.cell(coded)).astype(np.float64))
    return np.stack(columns, axis=1) if columns else np.zeros((block.rows, 0))


def share_interval(rows: FittedRows, spread: Array, block: Block, z: float) -> Array:
    """Return the ends [row, class, 2] of each share: log-odds of the class against all others, plus and minus
    z standard errors by the covariance of the free weights.
    """
    problem = rows.found.problem
    columns = columns_of(problem, block)
    shares = rows.shares(block, columns)
    at, k = rows.links, problem.free_links
    ends = []
    for c in range(shares.shape[1]):
        rest = np.maximum(1.0 - shares[:, c], 1e-300)
        # d log(p / (1 - p)) by the score of link x: 1 for its own, else minus its part of the others
        slope = np.where(at[None, :] == c, 1.0, -shares[:, at] / rest[:, None])
        if shares.shape[1] == 2:
            slope = np.full((len(shares), 1), 1.0 if c == 1 else -1.0)
        by = (columns[:, :, None] * slope[:, None, :]).reshape(len(columns), columns.shape[1] * k)
        error = np.sqrt(np.maximum(((by @ spread) * by).sum(axis=1), 0.0))
        odds = kernels.log(np.maximum(shares[:, c], 1e-300)) - kernels.log(rest)
        ends.append(np.stack([_share(odds - z * error), _share(odds + z * error)], axis=1))
    return np.stack(ends, axis=1)


def _share(odds: Array) -> Array:
    both: Array = kernels.softmax(np.stack([np.zeros(len(odds)), odds], axis=1))[:, 1]
    return both


def with_code(problem: Problem, block: Block, column: str, code: int) -> Block:
    """Return the block with one code in every row of a column of levels."""
    read = problem.design.columns
    columns = {name: block.values(name) if number else block.codes(name) for name, number in read}
    return Rows(block.rows, columns | {column: np.full_like(block.codes(column), code)})


def slopes_of(problem: Problem, block: Block, column: str, which: Mask | None = None) -> Array:
    """Return the derivative of the free standardised columns, or of others, by a number [row, column]."""
    at = np.flatnonzero(problem.free if which is None else which).tolist()
    out = np.zeros((block.rows, len(at)))
    for i, parameter in enumerate(at):
        if not 1 <= parameter <= len(problem.design.dense):
            continue
        dense = problem.design.dense[parameter - 1]
        if not dense.missing:
            out[:, i] = np.nan_to_num(slope_of(dense, block, column)) / problem.scales.scale[parameter - 1]
    return out


def slope_of(dense: Dense, block: Block, column: str) -> Array:
    """Return the derivative of a dense column by a number [row]."""
    out = np.zeros(block.rows)
    for i, factor in enumerate(dense.factors):
        if factor.column == column and factor.code is None:
            rest = np.ones(block.rows)
            for j, other in enumerate(dense.factors):
                if j != i:
                    rest = rest * other.values(block)
            out += rest
    return out


# Average marginal effects over the training rows: of a level, the mean difference between all rows with it
# and the same rows with the base level; of a number, the mean slope.


@dataclass(frozen=True)
class AverageEffect(NormalEstimate):
    """By how much a class's probability changes, on average over the rows: for one unit more of a number, or
    for a level in place of the base level. error: of two classes, by the delta method.
    """

    name: str
    of: str
    effect: float
    error: float | None
    level: float = 0.95

    @property
    def value(self) -> float:
        """The effect."""
        return self.effect

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        names = ("name", "of", "effect", "error", "z", "p", "interval")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Effects:
    """The effects of all columns; prints well, and `to_dict` is plain data."""

    effects: tuple[AverageEffect, ...]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return plain data."""
        return [effect.to_dict() for effect in self.effects]

    def lines(self) -> list[Line]:
        """Return the effects as lines."""
        sure = all(e.error is not None for e in self.effects)
        level = self.effects[0].level if self.effects else 0.95
        header = ["", "class", "effect"]
        header += ["std. error", "z", "p", f"{100 * level:g} % interval"] if sure else []
        rows = []
        for e in self.effects:
            row = [clean(e.name), clean(e.of), f"{e.effect:+.6f}"]
            if sure and e.error is not None and e.interval is not None:
                row += [
                    f"{e.error:.6f}",
                    "" if e.z is None else f"{e.z:.3f}",
                    p_words(e.p),
                    pair_words(e.interval),
                ]
            rows.append([Span(text) for text in row])
        return table(header, rows, frozenset(range(2, len(header))), 10_000)

    _repr_html_ = as_html

    def __str__(self) -> str:
        return plain(self.lines())

    __repr__ = __str__


def changes_of(
    model: LogisticModel, rows: FittedRows, column: Column
) -> Iterator[tuple[str, tuple[Array, Array]]]:
    """Yield the effects of a column: a name, the mean change of each class's share, and its derivative by
    the free weights (of two classes).
    """
    if column.kind == "numeric":
        yield column.name, averaged_over(rows, lambda block, some: _by_slope(rows, block, some, column.name))
    elif column.kind in CODED:
        counts = np.zeros(len(column.levels) + 2, np.int64)
        for block in rows.table.blocks():
            counts += np.bincount(block.codes(column.name), minlength=len(counts))
        seen = [code for code in range(len(column.levels) + 1) if counts[code] > 0]
        base = base_of(model, column, seen)
        for code in seen:
            if code == base:
                continue
            own = (
                f"{column.name} is missing"
                if code == len(column.levels)
                else f"{column.name} = {column.levels[code]}"
            )
            yield (
                own,
                averaged_over(
                    rows, lambda block, some, code=code: _by_level(rows, block, column.name, base, code)
                ),
            )


def base_of(model: LogisticModel, column: Column, seen: list[int]) -> int:
    """Return the level that others are compared with, as in the table; else the first with rows."""
    part = next(p for p in model.parts if isinstance(p, Cells) and p.name == column.name)
    if part.base is not None:
        return part.base
    held = [code for code in seen if not part.free[code]]
    return held[0] if held else seen[0]


def averaged_over(rows: FittedRows, change: Any) -> tuple[Array, Array]:
    """Return the mean over rows, by copies, of a change [class] and of its derivative [weight]."""
    total, slope, weight = 0.0, 0.0, 0.0
    for block, some in zip(rows.table.blocks(), rows.each(), strict=True):
        own, derivative = change(block, some)
        counts = some.copies * some.factor
        total = total + counts @ own
        slope = slope + counts @ derivative
        weight += float(counts.sum())
    return total / weight, slope / weight  # type: ignore[return-value]


def _by_slope(rows: FittedRows, block: Block, some: SomeRows, column: str) -> tuple[Array, Array]:
    """Return the slope of each class's share by a number [row, class], and its derivative [row, weight]."""
    problem = rows.found.problem
    dz = slopes_of(problem, block, column)
    theta = problem.theta(rows.found.point.w)[0][problem.free]
    d = dz @ theta
    if problem.fixed is not None:
        held = ~problem.free & problem.fixed.any(axis=1)
        d = d + slopes_of(problem, block, column, held) @ problem.fixed[held]
    if d.shape[1] == 1:
        d = np.concatenate([np.zeros_like(d), d], axis=1)
    p = some.shares
    own = p * (d - (p * d).sum(axis=1, keepdims=True))
    if p.shape[1] > 2:
        return own, np.zeros((len(p), 0))
    share, slope = p[:, 1:], d[:, 1:]
    v = share * (1.0 - share)
    return own, v * (dz + (1.0 - 2.0 * share) * slope * some.z)


def _by_level(rows: FittedRows, block: Block, column: str, base: int, code: int) -> tuple[Array, Array]:
    """Return what a level in place of the base changes in each class's share [row, class], and its
    derivative [row, weight].
    """
    problem, sides = rows.found.problem, []
    for c in (code, base):
        other = with_code(problem, block, column, c)
        z = columns_of(problem, other)
        sides.append((rows.shares(other, z), z))
    (with_p, _), (base_p, _) = sides
    if with_p.shape[1] > 2:
        return with_p - base_p, np.zeros((len(with_p), 0))
    slopes = [p[:, 1:] * (1.0 - p[:, 1:]) * z for p, z in sides]
    return with_p - base_p, slopes[0] - slopes[1]


# Residuals, leverage, influence, and the groups of Hosmer and Lemeshow.
# Law: the squares of the deviance residuals add up to minus twice the log-likelihood.

SHOWN = 10  # rows listed


@dataclass(frozen=True)
class Residuals:
    """By row: its number in the data (from 0), the class, the share of the class that the odds are of,
    residuals of both kinds, leverage and Cook's distance. A row with a whole weight stands for its copies;
    its figures are those of one.
    """

    of: str
    row: Whole
    label: tuple[str, ...] = field(repr=False)
    share: Array
    deviance: Array
    pearson: Array
    leverage: Array
    cooks_distance: Array

    def largest(self, most: int = SHOWN, by: str = "cooks_distance") -> list[dict[str, Any]]:
        """Return the rows that stand out, the largest first.

        Parameters
        ----------
        most : int, default 10
            How many rows.
        by : {"cooks_distance", "leverage", "deviance", "pearson"}, default "cooks_distance"
            What they are ordered by; residuals by their size.

        Returns
        -------
        list of dict
            Row, class and figures of each.
        """
        figures = ("cooks_distance", "leverage", "deviance", "pearson")
        if by not in figures:
            raise OptionError(f"by must be one of {', '.join(figures)}, not {shown(by)}.")
        size = np.abs(getattr(self, by))
        order = np.lexsort((self.row, -size))[:most]
        return [
            {
                "row": int(self.row[i]),
                "class": self.label[i],
                "share": float(self.share[i]),
                **{name: float(getattr(self, name)[i]) for name in figures},
            }
            for i in order.tolist()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        names = ("row", "share", "deviance", "pearson", "leverage", "cooks_distance")
        return {"class": list(self.label)} | {name: getattr(self, name).tolist() for name in names}

    def lines(self) -> list[Line]:
        """Return the rows of most influence as lines."""
        header = [
            "row",
            "class",
            f"P({clean(self.of)})",
            "deviance residual",
            "Pearson",
            "leverage",
            "Cook's distance",
        ]
        rows = [
            [
                Span(text)
                for text in (
                    f"{row['row']:,}",
                    clean(row["class"]),
                    f"{row['share']:.4f}",
                    f"{row['deviance']:+.4f}",
                    f"{row['pearson']:+.4f}",
                    f"{row['leverage']:.4f}",
                    f"{row['cooks_distance']:.4f}",
                )
            ]
            for row in self.largest()
        ]
        head = f"The {counted(len(rows), 'row')} of most influence, of {len(self.row):,}; counted from 0."
        return [(Span(head),), *table(header, rows, frozenset({0, 2, 3, 4, 5, 6}), 10_000)]

    _repr_html_ = as_html

    def __str__(self) -> str:
        return plain(self.lines())

    __repr__ = __str__


@dataclass(frozen=True)
class HosmerLemeshow:
    """groups: low and high share, rows, rows of the class, and how many the shares expect."""

    of: str
    groups: tuple[tuple[float, float, float, float, float], ...]

    @property
    def statistic(self) -> float:
        """Chi-square over the groups."""
        return sum((o - e) ** 2 / (e * (1.0 - e / n)) for _, _, n, o, e in self.groups if 0 < e < n)

    @property
    def freedom(self) -> int:
        """Groups less 2."""
        return max(len(self.groups) - 2, 0)

    @property
    def p(self) -> float:
        """The probability of such a statistic if the shares are right."""
        return chi_square_tail(self.statistic, self.freedom) if self.freedom else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        names = ("low", "high", "rows", "observed", "expected")
        groups = [dict(zip(names, group, strict=True)) for group in self.groups]
        return {"groups": groups, "statistic": self.statistic, "freedom": self.freedom, "p": self.p}

    def lines(self, cells: int = 80) -> list[Line]:
        """Return the groups as lines, with the caveat below."""
        header = [f"P({clean(self.of)})", "rows", "observed", "expected"]
        rows = [
            [Span(t) for t in (f"{low:.4f} .. {high:.4f}", f"{n:,.10g}", f"{o:,.10g}", f"{e:,.2f}")]
            for low, high, n, o, e in self.groups
        ]
        text = (
            f"χ² {self.statistic:.4f} with {counted(self.freedom, 'degree')} of freedom, p {p_words(self.p)}."
        )
        caveat = (
            "A small p says that the shares are off somewhere. The test depends on the number of groups, "
            "sees little in few rows and everything in many, and these are the rows of the fit: look at the "
            "calibration of rows held out (cross_validate) before you trust it."
        )
        return [
            *table(header, rows, frozenset({1, 2, 3}), 10_000),
            *wrapped(text, cells),
            *wrapped(caveat, cells),
        ]

    _repr_html_ = as_html

    def __str__(self) -> str:
        return plain(self.lines())

    __repr__ = __str__


def hosmer_lemeshow(model: LogisticModel, rows: FittedRows, groups: int) -> HosmerLemeshow:
    """Return the groups, cut at the quantiles of the shares as R's hoslem.test does."""
    if not is_whole(groups) or groups < 3:
        raise OptionError(f"groups must be a whole number of at least 3, not {shown(groups)}.")
    share, own, copies = rows.second
    toward = model.reference == 0
    p, hit = (share, own == 1) if toward else (1.0 - share, own == 0)
    cuts = np.unique(quantiles(p, copies, np.arange(groups + 1) / groups))
    if len(cuts) < 4:
        raise OptionError(
            f"the model gives {counted(len(np.unique(p)), 'distinct share')}: too few to cut into groups."
        )
    at = np.maximum(np.searchsorted(cuts, p, "left") - 1, 0)  # (low, high], the first with its low end
    sums = [np.bincount(at, w, len(cuts) - 1) for w in (copies, copies * hit, copies * p)]
    found = zip(cuts[:-1], cuts[1:], *sums, strict=True)
    return HosmerLemeshow(
        model.labels[1 if toward else 0],
        tuple(tuple(float(v) for v in group) for group in found),  # type: ignore[misc]
    )


def quantiles(values: Array, copies: Array, at: Array) -> Array:
    """Return the quantiles of values, each so many times, between neighbours as a line (R's type 7)."""
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(copies[order])
    place = at * (ends[-1] - 1.0)
    low = np.floor(place + 1e-9)
    below = values[order][np.searchsorted(ends, low, "right").clip(max=len(order) - 1)]
    above = values[order][np.searchsorted(ends, low + 1.0, "right").clip(max=len(order) - 1)]
    out: Array = below + np.maximum(place - low, 0.0) * (above - below)
    return out


# Inference: covariance, tests of columns, profile intervals, and all of the above.

ERRORS = ("curvature", "HC0", "HC1")
STEPS = 60  # fits at most that look for one end of a profile interval


@dataclass(frozen=True)
class TableEntry:
    """A coefficient: its name, class and column, its estimate in the user's units, and the index of its
    weight among those shown.
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
    places: Whole | None = field(default=None, repr=False)  # the row number in the source of each row

    # -- estimates --

    @cached_property
    def _entries(self) -> list[TableEntry]:
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
                    out.append(TableEntry(c.name, of, c.column, sign * float(c.weights[link]), at, i))
        return out

    @property
    def names(self) -> list[str]:
        """The names of the coefficients, in the order of `covariance`; with several classes also theirs."""
        several = len({entry.of for entry in self._entries}) > 1
        return [f"{entry.name} ({entry.of})" if several else entry.name for entry in self._entries]

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
        k, entries = self.found.problem.free_links, self._entries
        whole = np.kron(self.found.in_units, np.eye(k))
        at = [t.parameter * k + t.link for t in entries]
        spread = self._covariance(self.found.shown, self.found.gain)
        out: Array = (whole @ spread @ whole.T)[np.ix_(at, at)]
        return out

    @cached_property
    def figures(self) -> list[Figure]:
        """The estimates with their standard errors, z, p and intervals."""
        errors = np.sqrt(np.maximum(np.diag(self.covariance), 0.0)).tolist()
        return [
            Figure(t.name, t.of, t.estimate, error, None, self.level)
            for t, error in zip(self._entries, errors, strict=True)
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
                held = [i for i in held if self._entries[i].link != self._entries[-1].link]
            if not held:
                continue
            free = sorted({self._entries[i].parameter for i in held})
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
        within = [pairs.get(entry.column, (entry.column,)) for entry in self._entries]
        for column in self.model.schema.used:
            yield column.name, [i for i, names in enumerate(within) if column.name in names]
        for pair in dict.fromkeys(pairs.values()):
            name = " × ".join(pair if len(pair) > 1 else pair * 2)
            yield name, [i for i, t in enumerate(self._entries) if pairs.get(t.column) == pair]

    def _wald(self, held: Sequence[int]) -> float:
        estimates = np.array([self._entries[i].estimate for i in held])
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
        entry, error = self._entries[i], math.sqrt(self.found_variance(i))
        return self._end(entry, error, -1), self._end(entry, error, 1)

    def found_variance(self, i: int) -> float:
        """Return the variance of a coefficient from the curvature, whatever errors are shown."""
        return float(replace(self, kind="curvature", groups=None).covariance[i, i])

    def _end(self, entry: TableEntry, error: float, side: int) -> float:
        """Return where the root of the likelihood ratio is the normal point, on one side: by regula falsi on
        the root, which is nearly a line.
        """
        wanted, low, high = normal_point(self.level), (0.0, 0.0), (math.inf, math.inf)
        t = wanted
        for _ in range(STEPS):
            root = self._root(entry, entry.estimate + side * t * error)
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
        return entry.estimate + side * t * error

    def _root(self, entry: TableEntry, value: float) -> float:
        """Return the root of the likelihood ratio where one coefficient is held at a value."""
        problem = self.found.problem
        held = np.zeros(int(problem.free.sum()), bool)
        held[entry.parameter] = True
        sign = -1.0 if self.model.reference == 1 else 1.0
        values = np.zeros(len(held))
        values[entry.parameter] = sign * value / self.found.in_units[entry.parameter, entry.parameter]
        ratio = 2.0 * (self.drive(found_held(self.found, held, values)).loss - self.found.point.loss)
        return math.sqrt(max(ratio, 0.0))

    # -- rows --

    def residuals(self) -> Residuals:
        """Return how each row bears on the fit: its share, deviance and Pearson residuals, leverage and
        Cook's distance, by row of the data. For two classes.

        Returns
        -------
        Residuals
            Arrays; prints the rows that weigh most.
        """
        self._refuse_classes("residuals")
        model, rows, places = self.model, self.rows, self.places
        share, own, _ = rows.second
        toward = model.reference == 0  # the odds are those of the second class
        p = share if toward else 1.0 - share
        hit = own == (1 if toward else 0)
        right = np.maximum(np.where(hit, p, 1.0 - p), 1e-300)
        deviance = np.where(hit, 1.0, -1.0) * np.sqrt(-2.0 * kernels.log(right))
        pearson = np.where(hit, 1.0, -1.0) * np.sqrt((1.0 - right) / right)
        h, k = rows.leverage, rows.found.problem.weights
        cooks = pearson**2 * h / (k * (1.0 - h) ** 2)
        labels = tuple(model.labels[c] for c in own.tolist())
        at = np.arange(len(p)) if places is None else places
        return Residuals(model.labels[1 if toward else 0], at, labels, p, deviance, pearson, h, cooks)

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
        model, rows, spread, level = self.model, self.rows, self._spread, self.level
        classes = [1 - model.reference] if model.links == 1 else list(range(len(model.labels)))
        out = []
        for column in model.schema.used:
            for name, change in changes_of(model, rows, column):
                mean, slope = change
                for c in classes:
                    error = None
                    if model.links == 1:
                        error = math.sqrt(max(float(slope @ spread @ slope), 0.0))
                    out.append(AverageEffect(name, model.labels[c], float(mean[c]), error, level))
        return Effects(tuple(out))

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
        measures = ", ".join(f"{name} {value:.4f}" for name, value in self.pseudo_r2.items())
        out += wrapped(f"{rows_words(self.model)}. Pseudo R²: {measures}.", cells)
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


def infer(
    estimator: LogisticRegression,
    X: Any,
    y: Any,
    sample_weight: Any,
    errors: str,
    groups: Any,
    level: float,
) -> Inference:
    """Return what the fit lets one conclude; its training rows are given again."""
    model = estimator.model_
    if errors not in ERRORS:
        raise OptionError(f"errors must be one of {', '.join(ERRORS)}, not {shown(errors)}.")
    if groups is not None and errors != "curvature":
        raise OptionError("groups= gives clustered errors. Leave out errors=.")
    if not model.errors or uncompared(model.parts, model.options.fit_intercept):
        reason = "there is nothing to infer from this model. "
        if not model.fit.separation:
            raise OptionError(reason + error_words(model))
        reason += next((n.text for n in estimator.notes_ if n.code == "separation"), error_words(model))
        cure = " Leave such columns out, or merge their levels"
        firth = (", or pass ", Argument("firth", True)) if model.links == 1 else ()
        raise OptionError(reason, cure, *firth, ".")
    if is_spark(X):
        raise DataError("inference looks at single rows, which lie on Spark. Collect them: frame.toArrow().")
    X = opened(X)
    table = estimator._read(X, estimator.schema_.predicted.name if y is None else y, sample_weight)
    refuse_others(estimator, table)
    engine = estimator._engine(table)
    found = drive(found_again(estimator._options(), table.schema, table.unit, model.fit.l2), table, engine)
    places = table.local().kept
    many = None if groups is None else groups_of(X, groups, places, table.rows)
    return Inference(
        model,
        found,
        FittedRows(found, table),
        lambda stages: drive(stages, table, engine),
        lambda new: (matched.block for matched in estimator._blocks(new)),
        check_level(level),
        errors,
        many,
        places,
    )


def refuse_others(estimator: Estimator, table: Table) -> None:
    """Refuse other rows than those of the fit."""
    known = estimator.rows_
    if (table.fingerprint, table.weight) != (known["fingerprint"], known["count"]):
        raise DataError(
            f"these are not the rows of the fit: {counted(table.rows, 'row')} with another fingerprint. Pass "
            "the data that the model was fitted on, with its target and weights."
        )


def groups_of(X: Any, given: Any, places: Whole | None, rows: int) -> Whole:
    """Return the number of each row's group. given: an array with one for each row of X, or the name of a
    column of X.
    """
    if isinstance(given, str):
        source = open_source(as_given(X))
        if given not in source.columns:
            raise OptionError(
                f"there is no column {shown(given)} in {source.name}.{nearest(given, source.columns)}"
            )
        parts = [batch.column(given) for batch in source.batches()]
        name = given
    else:
        parts, name = [as_column(as_given(given), "groups").combine_chunks()], "groups"
    known: dict[str, int] = {}
    found = []
    for cells in parts:
        distinct = distinct_texts(cells, name, ())
        numbers = [known.setdefault(text, len(known)) for text in distinct.values.to_pylist()]
        found.append(np.array([*numbers, -1], np.int64)[distinct.codes])
    out = np.concatenate(found) if found else np.zeros(0, np.int64)
    if places is not None and len(out) > (int(places.max()) if len(places) else 0):
        out = out[places]
    if len(out) != rows:
        raise OptionError(f"groups has {len(out):,} values for {counted(rows, 'row')}. Pass one per row.")
    if (out < 0).any():
        row = int(np.flatnonzero(out < 0)[0])
        raise OptionError(f"groups is missing in row {row} (counted from 0). Give every row a group.")
    out = np.unique(out, return_inverse=True)[1].astype(np.int64)
    if len(out) == 0 or int(out.max()) < 1:
        raise OptionError("groups has one group only: clustered errors need at least two.")
    return out
