"""The logistic learner: fits by asking for sums, chooses the prior, looks for separation, builds the model.

1. Weights of levels compared with a base level, and their curvature: `compare()`, `Comparison`.
2. From the optimum to the model: `build()`, `errors_of()`. 3. The prior's strength by evidence: `evident()`.
4. Entry: `LogisticLearner`: class counts, then moments of columns, then one question per step: `fit_once()`.

question = a Statistic; total = the sums that answer it; point = loss, gradient, curvature at some weights;
link = one class's score; parameter = a column, level or product of a link; free = not 0 by definition;
theta[parameter, link] = standardised weights; strength = λ of the l2 prior.
Laws: no row is seen, only totals; the same totals give the same model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Statistic
from tallystick.errors import OptionError, shown
from tallystick.linear import solvers
from tallystick.linear.file import coefficients
from tallystick.linear.model import (
    Cells,
    Fit,
    Key,
    KnownFit,
    LogisticModel,
    Part,
    Product,
    Slope,
    Terms,
    WordWeights,
    against_bases,
    key_of,
)
from tallystick.linear.options import DEFAULT_L2, ERRORS, LogisticOptions
from tallystick.linear.prepare import (
    MATRIX,
    Basis,
    KnownRows,
    Mask,
    Moments,
    Point,
    Prepared,
    Problem,
    Start,
    averaged,
    first_question,
    known_rows,
    prepare,
    reference_class,
    repeat_notes,
    row_shares,
    word_means,
)
from tallystick.linear.separation import SeparationVerdict, ahead, lacking, look
from tallystick.linear.solvers import SolverRun, ascent, refuse_firth
from tallystick.schema import Note, Schema
from tallystick.stats.design_sums import design_of

# Curvature of the differences between levels, and between classes.
# Under a prior every level has a weight, whose variance is mostly the prior's: no row determines a number
# that all levels of a column have in common. Tables show a level less the base level; here the curvature
# becomes that of these differences, the rest marginalised. What several classes have in common is taken out
# too.
# Law: as the prior goes to 0, the curvature goes to that of a fit without one whose reference levels are the
# bases.

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
ROUNDING = 1e-12  # relative to the terms of a sum: less is 0


def with_rows(problem: Problem, counts: Array) -> Mask:
    """Return which parameters of a link some row has: levels without rows are left out."""
    out = counts > 0
    out[: 1 + len(problem.design.dense)] = True
    return out


def bases_of(problem: Problem, counts: Array) -> dict[str, int]:
    """Return the level that the others are compared with, of columns all of whose levels have a weight: the
    one asked for, else the most frequent; of equals the first. Without a constant the first column of levels
    stands in its place and has none.
    """
    d, out = problem.design, dict[str, int]()
    asked, whole = dict(d.bases), not d.constant
    for coded in d.coded:
        at, missing = d.cell(coded), d.cell(coded, coded.levels)
        if coded.column.kind == "boolean":
            continue
        if whole:
            whole = False
            continue
        rows, free = counts[at : missing + 1] > 0, problem.free[at : missing + 1]
        if (free | ~rows).all() and rows[:-1].any():
            base = asked.get(coded.column.name, -1)
            most = int(np.argmax(counts[at:missing]))
            out[coded.column.name] = base if base >= 0 and rows[base] else most
    return out


@dataclass(frozen=True)
class ComparedCurvature:
    """at[i]: the parameters that are shown. curvature[i link, j link] of them. common: of several classes,
    the factor of the curvature of what all classes have in common, times their number: its variance is to be
    taken out.
    """

    at: Whole
    curvature: Array
    common: Array | None


@dataclass(frozen=True)
class Comparison:
    """shown, others: places among the free parameters; terms[i]: what a weight at others[i] adds to weights
    at the places of those shown, standardised.
    """

    problem: Problem
    shown: Whole
    others: Whole
    terms: tuple[Terms, ...]

    @cached_property
    def at(self) -> Whole:
        """The parameters that are shown."""
        return np.flatnonzero(self.problem.free)[self.shown]

    @property
    def alike(self) -> bool:
        """Has every class weights of its own, so that only differences between classes mean something?"""
        problem = self.problem
        return len(problem.links) > 1 and bool((problem.links | problem.absent).all())

    @cached_property
    def matrix(self) -> Array:
        """What turns the free weights of one link into those shown [shown, free]."""
        out = np.zeros((len(self.shown) + len(self.others), len(self.shown) + len(self.others)))
        out[self.shown, self.shown] = 1.0
        for at, terms in zip(self.others.tolist(), self.terms, strict=True):
            for place, factor in terms:
                out[place, at] = factor
        return out[self.shown]

    def of(self, curvature: Array) -> ComparedCurvature | None:
        """Return the curvature of what is shown; None where it is not known."""
        problem, k, alike = self.problem, self.problem.free_links, self.alike
        if not len(self.others) and not alike:
            return ComparedCurvature(self.at, curvature, None)
        rows = curvature.copy()
        rows.reshape(-1)[:: len(rows) + 1] -= problem.l2
        if problem.symmetric:
            rows[:k, :k] -= problem.shift
        # what rows say of weights that are not shown is 0 but for rounding, or that of rows with gaps
        whole = self._followed(rows, k, ROUNDING) + self._followed(np.diag(problem.l2), k, 0.0)
        common = None
        if alike:
            wide = np.zeros(len(self.shown) + len(self.others))
            own = np.diag(rows).reshape(-1, k).max(axis=1) / k
            wide[self.shown] = np.where(own[self.shown] > 0, own[self.shown], problem.rows)
            for i, width in enumerate(wide.tolist()):  # a curvature of its own for what classes share
                whole[i * k : (i + 1) * k, i * k : (i + 1) * k] += width
            prior = self._followed(np.diag(problem.l2[::k]), 1, 0.0) + np.diag(wide * k)
            left = self._averaged(prior, 1)
            factor, done = (None, 0) if left is None else kernels.cholesky(left, 1e-14)
            if left is None or done < len(left):
                return None
            common = factor
        found = self._averaged(whole, k)
        return None if found is None else ComparedCurvature(self.at, found, common)

    def _followed(self, matrix: Array, k: int, least: float) -> Array:
        """Return a curvature where the weights shown follow the others, so that no answer changes."""
        for side in (matrix, matrix.T):  # columns, then rows
            for at, terms in zip(self.others.tolist(), self.terms, strict=True):
                for link in range(k):
                    own = side[:, at * k + link].copy()
                    size = np.abs(own)
                    for place, factor in terms:
                        part = factor * side[:, place * k + link]
                        own -= part
                        size += np.abs(part)
                    side[:, at * k + link] = np.where(np.abs(own) <= least * size, 0.0, own)
        return matrix

    def _averaged(self, matrix: Array, k: int) -> Array | None:
        """Return a curvature with the weights that are not shown averaged out."""
        for at in self.others.tolist():
            for link in range(k):
                own = matrix[:, at * k + link].copy()
                pivot = float(own[at * k + link])
                if not pivot > 0.0:
                    return None
                matrix -= own[:, None] * (own / pivot)[None, :]
        keep = (self.shown[:, None] * k + np.arange(k)).ravel()
        return np.ascontiguousarray(matrix[np.ix_(keep, keep)])


def compare(problem: Problem, counts: Array) -> Comparison:
    """Return which weights are shown, and what the others add to them. counts[parameter]: what the rows of a
    cell count for.
    """
    at = np.flatnonzero(problem.free)
    bases = bases_of(problem, counts)
    adds: dict[int, Terms] = {}
    if bases:
        keys, d = keys_of(problem), problem.design
        whole = "" if d.constant else next(c.column.name for c in d.coded if c.column.kind != "boolean")
        adds = against_bases([keys[i] for i in at.tolist()], bases, whole)
    scale, centre = np.ones(problem.design.size), np.zeros(problem.design.size)
    dense = slice(1, 1 + len(problem.design.dense))
    scale[dense], centre[dense] = problem.scales.scale, problem.scales.centre
    scale, centre = scale[at], centre[at]
    out: list[Terms] = []
    for own, terms in adds.items():
        found = {place: float(factor * scale[place] / scale[own]) for place, factor in terms}
        if problem.design.constant:  # weights are of columns about their centres
            parts = [factor * float(centre[place]) for place, factor in terms]
            moved = math.fsum([*parts, -float(centre[own])])
            found[0] = found.get(0, 0.0) + moved / float(scale[own])
        out.append(sorted(found.items()))
    others = np.array(list(adds), np.int64)
    shown = np.setdiff1d(np.arange(len(at)), others)
    return Comparison(problem, shown, others, tuple(out))


def keys_of(problem: Problem) -> list[Key]:
    """Return what each parameter of a link is multiplied with, as `coefficients` has it."""
    d = problem.design
    out: list[Key] = [frozenset()]
    for column in d.dense:
        name = column.factors[0].column
        single: Key = frozenset({(f"{name} is missing" if column.missing else name, None)})
        out.append(key_of(column.factors) if len(column.factors) > 1 else single)
    for coded in d.coded:
        out += [frozenset({(coded.column.name, code)}) for code in range(coded.levels + 2)]
    return out


# From the optimum to the model: weights in the user's units, standard errors, statistics of the fit.


@dataclass(frozen=True)
class LogisticOptimum:
    """Where a fit ended. strength: of its l2 prior; null: the loss without any column, where it is not that
    of the class shares.
    """

    known: KnownRows
    ready: Prepared
    point: Point
    run: SolverRun
    strength: float = 0.0
    null: float | None = None


@dataclass
class LazyFitStats:
    """Statistics of a fit, computed on first use: most models only predict.

    look: says whether the classes are separated, which may need the rows.
    """

    optimum: LogisticOptimum
    l1: float
    parts: tuple[Part, ...]
    look: Callable[[], SeparationVerdict] = SeparationVerdict

    @cached_property
    def verdict(self) -> SeparationVerdict:
        """Whether the classes are separated."""
        found = self.look()
        self.look = lambda: found  # releases the rows; another thread may ask meanwhile
        return found

    @cached_property
    def fit(self) -> Fit:
        """How the fit went."""
        known, ready, point = self.optimum.known, self.optimum.ready, self.optimum.point
        problem, null = ready.problem, self.optimum.null
        return Fit(
            self.optimum.strength,
            -point.loss,
            null_likelihood(known) if null is None else -null,
            len(self.optimum.run.trace) - 1,
            problem.rows,
            count_weights(problem, point),
            self.verdict.kind,
            condition_of(ready),
            spread_of(problem, point),
            degrees_of(known, ready, point),
        )

    @cached_property
    def errors(self) -> tuple[tuple[float, ...], ...]:
        """Standard errors, in the order of the model's coefficients; none where they mean nothing."""
        if self.optimum.point.curvature is None or self.optimum.run.spent or self.verdict.kind:
            return ()
        ready = self.optimum.ready
        if ready.basis is None:
            return ()
        return errors_of(ready.problem, self.optimum.point.curvature, ready.basis.moments.squares, self.parts)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What has to be said of separated classes."""
        return (self.verdict.note(self.optimum.strength, self.l1),) if self.verdict.kind else ()


def build(
    schema: Schema,
    options: LogisticOptions,
    optimum: LogisticOptimum,
    look: Callable[[], SeparationVerdict] = SeparationVerdict,
) -> LogisticModel:
    """Return the model at the optimum. look: says whether the classes are separated, which is asked later."""
    problem = optimum.ready.problem
    theta, words = problem.theta(optimum.point.w)
    basis = optimum.ready.basis
    counts = None if basis is None else basis.moments.squares
    constant, parts = parts_of(schema, problem, theta, words, counts)
    stats = LazyFitStats(optimum, options.l1, parts, look)
    return LogisticModel(schema, options, constant, parts, stats, reference_class(options, schema.predicted))


def in_units(theta: Array, centre: Array, scale: Array) -> tuple[Array, Array, Array]:
    """Return constant[link] and slopes[dense, link] in the user's units, and what each slope adds at its
    centre.
    """
    slopes = theta[1 : 1 + len(scale)] / scale[:, None]
    averages = slopes * centre[:, None]
    shifts, constant = averages.tolist(), theta[0].copy()
    for link in range(len(constant)):
        rest = float(constant[link])
        for shift in shifts:
            rest -= shift[link]
        constant[link] = rest
    return constant, slopes, averages


def parts_of(
    schema: Schema, problem: Problem, theta: Array, words: Sequence[Array], counts: Array | None = None
) -> tuple[Array, tuple[Part, ...]]:
    """Return constant[link] and the parts, in the user's units. counts[parameter]: what the rows of a cell
    count for; None where nobody compares levels.
    """
    d, scales = problem.design, problem.scales
    constant, slopes, averages = in_units(theta, scales.centre, scales.scale)
    dense: dict[str, Part] = {}
    products: list[Part] = []
    each = zip(d.dense, slopes, averages, scales.centre.tolist(), scales.scale.tolist(), strict=True)
    for j, (column, slope, average, centre, scale) in enumerate(each):
        if len(column.factors) > 1:
            if problem.free[1 + j]:  # without a prior not with a reference level
                products.append(Product(column.name, column.factors, slope, centre, scale, average))
        elif column.missing:
            known = dense[column.column]
            assert isinstance(known, Slope)
            dense[column.column] = Slope(known.name, known.slope, known.centre, known.scale, slope)
        else:
            name = column.factors[0].column
            dense[name] = Slope(name, slope, centre, scale, None, average)
    bases = {} if counts is None else bases_of(problem, counts)
    free = (problem.free if counts is None else problem.free & with_rows(problem, counts)).tolist()
    for coded in d.coded:
        at, name = d.cell(coded), coded.column.name
        end = at + coded.levels + 1
        dense[name] = Cells(name, theta[at:end].copy(), tuple(free[at:end]), base=bases.get(name))
    for written, table, text in zip(d.texts, words, problem.texts, strict=True):
        idf = text.idf[:-1].copy() if text.unit else np.zeros(0)
        dense[written.name] = WordWeights(written.name, table.copy(), idf)
    return constant, (*(dense[c.name] for c in schema.used if c.name in dense), *products)


def errors_of(
    problem: Problem, curvature: Array, counts: Array, parts: Sequence[Part]
) -> tuple[tuple[float, ...], ...]:
    """Return standard errors of the model's coefficients as tables show them, in their order
    [coefficient][link]: those of levels are of the difference from the base level; 0 for what is not free.
    """
    found = compare(problem, counts).of(curvature)
    if found is None:
        return ()
    factor, at = kernels.cholesky(found.curvature, 1e-14)
    if at < len(found.curvature):
        return ()
    k, n = problem.free_links, len(found.at)
    variances = kernels.inverse_diagonal(factor).reshape(n, k)
    if found.common is not None:
        variances = variances - kernels.inverse_diagonal(found.common)[:, None] / k
    table = np.zeros((problem.design.size, len(problem.links)))
    table[np.ix_(found.at, np.flatnonzero(problem.links))] = np.sqrt(np.maximum(variances, 0.0))
    scales = problem.scales
    dense = len(problem.design.dense)
    table[1 : 1 + dense] /= scales.scale[:, None]
    shift = np.zeros(problem.design.size)
    shift[0] = 1.0
    shift[1 : 1 + dense] = -scales.centre / scales.scale
    for i, link in enumerate(np.flatnonzero(problem.links)):
        c = np.zeros((n, k))
        c[:, i] = own = np.ascontiguousarray(shift[found.at])
        flat = c.ravel()
        variance = kernels.dot(flat, kernels.cholesky_solve(factor, flat))
        if found.common is not None:
            variance -= kernels.dot(own, kernels.cholesky_solve(found.common, own)) / k
        table[0, link] = math.sqrt(max(variance, 0.0))
    return tuple(tuple(float(v) for v in row) for row in ordered(problem, table, parts))


def ordered(problem: Problem, table: Array, parts: Sequence[Part]) -> list[Array]:
    """Return rows of table[parameter, link] in the order of coefficients: constant, then part by part."""
    d = problem.design
    by_name: dict[str, list[Array]] = {}
    for j, column in enumerate(d.dense):
        by_name.setdefault(column.name if len(column.factors) > 1 else column.column, []).append(table[1 + j])
    for coded in d.coded:
        at = d.cell(coded)
        by_name[coded.column.name] = list(table[at : at + coded.levels + 1])
    return [table[0], *(row for part in parts for row in by_name.get(part.name, []))]


def count_weights(problem: Problem, point: Point) -> int:
    """Return how many weights were free to be chosen; with an L1 prior, those that are not 0."""
    return int(np.count_nonzero(point.w)) if problem.l1.any() else problem.weights


def degrees_of(known: KnownRows, ready: Prepared, point: Point) -> float:
    """Return how many numbers the weights amount to, for AIC and BIC: those that the rows determine, the sum
    of 1 - l2 * (inverse curvature) over weights. Without a prior that is all that are free. With an L1 prior:
    those that are not 0. Where there is no curvature: as many as would be free without a prior.
    """
    problem = ready.problem
    if problem.l1.any() or not problem.l2.any():
        return float(count_weights(problem, point))
    if point.curvature is not None:
        factor, at = kernels.cholesky(point.curvature, 1e-14)
        if at == len(point.curvature):
            parts = 1.0 - problem.l2 * kernels.inverse_diagonal(factor)
            # the common shift of constants is not a number of its own
            return max(math.fsum(parts.tolist()) - problem.symmetric, 0.0)
    words = sum(len(t.idf) - 1 for t in problem.texts)
    links = len(problem.links) - 1 if len(problem.links) > 1 else 1
    return float((ready.identified + words) * links)


def null_likelihood(known: KnownRows) -> float:
    """Return the log-likelihood of the class shares."""
    rows = known.classes * known.class_weights
    rows = rows[rows > 0]
    logs = kernels.log(rows / math.fsum(rows.tolist()))
    return math.fsum((rows * logs).tolist())


def spread_of(problem: Problem, point: Point) -> tuple[tuple[float, ...], ...]:
    """Return the mean over rows of p_a (1[a = b] - p_b) [link, link], from the curvature of the constants."""
    if point.curvature is None or not problem.design.constant:
        return ()
    k, links = problem.free_links, np.flatnonzero(problem.links)
    block = point.curvature[:k, :k] - (problem.rows / k if problem.symmetric else 0.0)
    out = np.zeros((len(problem.links), len(problem.links)))
    out[np.ix_(links, links)] = block / problem.rows
    if k < len(problem.links) and not problem.symmetric:  # the reference is minus the sum of the others
        ref = int(np.flatnonzero(~problem.links & ~problem.absent)[0])
        for a in links:
            out[a, ref] = out[ref, a] = -math.fsum(out[a, links].tolist())
        out[ref, ref] = -math.fsum(out[ref, links].tolist())
    return tuple(tuple(float(v) for v in row) for row in out)


def condition_of(ready: Prepared) -> float | None:
    """Return the condition number of the correlations among columns (constant aside): largest over smallest
    eigenvalue.
    """
    if ready.gram is None:
        return None
    at = np.flatnonzero(ready.problem.free)
    at = at[(at > 0) & (at <= len(ready.problem.design.dense))]
    if len(at) == 0 or len(at) > 500:
        return None
    own = np.sqrt(np.maximum(np.diag(ready.gram)[at], 1e-300))
    matrix = np.ascontiguousarray(ready.gram[np.ix_(at, at)] / (own[:, None] * own[None, :]))
    factor, done = kernels.cholesky(matrix, 1e-12)
    if done < len(matrix):
        return None
    largest, smallest = kernels.eigen_ends(matrix, factor)
    return largest / smallest


# The strength of the prior by evidence: the λ under which the rows are most probable.
# MacKay's rule: λ = (weights the rows determine) / (sum of their squares), the weights solved again for each
# λ. PSEUDO weights in favour of λ = 1 keep few weights or few rows from driving it far. With PLENTY of rows
# per weight the prior hardly matters, and beyond COSTLY it costs too much: λ = 1 stays.

PSEUDO = 5.0  # weights that are counted in favour of λ = 1
PLENTY = 100  # rows per weight from which λ = 1 stays
COSTLY = 2e7  # rows times weights times classes beyond which λ = 1 stays too
LEAST, MOST = 0.05, 50.0  # bounds of λ
ROUNDS = 6  # values of λ tried at most
ROUGH = 1e-3  # longest step still to go, in standardised weights, when a λ is judged


def evident(
    known: KnownRows, basis: Basis, options: LogisticOptions, schema: Schema, solve: Any
) -> Generator[Any, Any, tuple[float, Prepared]]:
    """Return the strength, and the problem prepared for it, started from the last weights."""
    strength = DEFAULT_L2
    ready = prepare(known, basis, options, schema, strength)
    weights = ready.problem.weights
    costly = weights > MATRIX or known.rows * weights * known.links > COSTLY
    if costly or ready.start.curvature is None or known.rows >= PLENTY * weights:
        return strength, ready
    plain = replace(options, solver="newton", eta=None, tolerance=None)
    for _ in range(ROUNDS):
        point, _run = yield from solve(ready, plain, True, fine=ROUGH)
        before, strength = strength, next_strength(ready, point, strength)
        again = prepare(known, basis, options, schema, strength)
        seen = again.problem.reread(point, ready.problem)  # saves a pass over the rows
        ready = replace(again, start=replace(again.start, w=point.w, point=seen))
        if abs(strength - before) <= 0.05 * before:
            break
    return strength, ready


def next_strength(ready: Prepared, point: Point, strength: float) -> float:
    """Return the strength under which the rows are more probable than under this one."""
    assert point.curvature is not None
    factor, at = kernels.cholesky(point.curvature, 1e-14)
    if at < len(point.curvature):
        return strength
    l2 = ready.problem.l2
    held = l2 > 0
    determined = math.fsum((1.0 - l2 * kernels.inverse_diagonal(factor))[held].tolist())
    squares = math.fsum((l2 / strength * point.w * point.w).tolist())
    return min(max((determined + PSEUDO) / (squares + PSEUDO), LEAST), MOST)


Look = Callable[[], Generator[Any, Any, SeparationVerdict]]
Later = Callable[[Generator[Any, Any, Any]], Any]
MOST_STEPS = 1 << 62  # larger budgets of steps are cut to this: kernels count in 64 bits
LIMITS = {"newton": 200, "lbfgs": 5_000, "conjugate-gradient": 20_000, "gradient": 1_000_000}
CORNERS = 1_000  # steps of any solver under an L1 prior
GRAM = 1e10  # rows times pairs of columns up to which products are summed even if no solver needs them
ENOUGH = 0.1  # change of scores by a Newton step, below which an optimum is taken to exist
PROBE = (
    300  # weights up to which separation is looked for under a prior, and what is said of the fit may wait
)
MANY, EVERY = 100_000, 16  # rows from which a sample of one row in EVERY gives the first weights
WEAK = (1e-8, 1e-11)  # priors too weak to keep weights from diverging under separation
LASTING = 10  # steps that use the curvature of an earlier point, before a new one is asked for
USUAL = 1e100  # bound on centres and scales of columns that keeps standard errors below 1e300
CHEAP = 2_000_000  # rows times weights below which the curvature is asked for at every step


@dataclass(frozen=True)
class LogisticLearner:
    """unit: a weight of 1 is this many; probes: classes that only a prior keeps from being separated are
    looked for, which is noted and changes no weight; trace and notes are filled on the way. later: answers
    further questions of the same rows, for statistics of the fit that are computed on first use.
    """

    options: LogisticOptions
    unit: int = 1
    probes: bool = True
    chosen: float = DEFAULT_L2  # the strength in force when l2 is "cv"
    trace: list[solvers.SolverStep] | None = None
    keep_weights: bool = False  # whether the trace has them
    notes: list[Note] | None = None
    later: Later | None = None

    def learn(self, schema: Schema) -> Generator[Statistic[Any], Any, LogisticModel]:
        """Ask for what is known of rows and columns, then for gradients until the optimum is reached."""
        options = self.options
        known, basis = yield from prepared(options, schema, self.unit)
        ready = None
        if options.firth:
            refuse_firth(known, schema.predicted.name)
            strength = 0.0
        elif options.l2 == "auto" and not options.l1:
            strength, ready = yield from evident(known, basis, options, schema, solve)
        else:
            strength = (
                self.chosen if options.l2 == "cv" else 0.0 if options.l2 == "auto" else float(options.l2)
            )
        given = ready or prepare(known, basis, options, schema, strength)
        wanted: dict[int, Array] | None = {} if self.keep_weights else None
        fitted = yield from fit_once(known, basis, options, schema, strength, given, wanted)
        if not self.probes:
            fitted = replace(fitted, look=None)
        elif fitted.look is not None and self.later is None:
            fitted = replace(fitted, verdict=(yield from fitted.look()), look=None)
        if self.trace is not None:
            self.trace.extend(fitted.steps())
        if self.notes is not None:
            self.notes.extend(fitted.notes())
        return fitted.model(self.later, forgotten=not self.probes)


def prepared(
    options: LogisticOptions, schema: Schema, unit: int
) -> Generator[Any, Any, tuple[KnownRows, Basis]]:
    """Ask what every fit needs: rows per class and word, then the moments of columns."""
    design = design_of(schema, options)
    if options.solver == "newton" and design.texts:
        raise OptionError(
            f"solver 'newton' needs a matrix of weights, and text column {shown(design.texts[0].name)} has "
            "one for every word; take 'auto' or 'lbfgs'."
        )
    known = yield from known_rows(design, options.class_weight, schema.predicted, unit)
    size = design.size * known.links
    if not design.texts and size <= MATRIX and many(known.rows, size):
        found = Moments.of((yield first_question(known, False)), known)
        part = Moments.of((yield first_question(known, True, EVERY)), known)
        basis = Basis(known, found, part.times(EVERY))
        fair = abs(part.squares[0] * EVERY / found.squares[0] - 1.0) <= 0.5  # few distinct rows: all or none
        if fair and not basis.repeats:  # columns apart in a part of the rows are apart in all
            return known, basis
    cheap = design.size <= MATRIX and known.rows * (1 + len(design.dense)) ** 2 <= GRAM
    total = yield first_question(known, size <= MATRIX or cheap)
    return known, Basis(known, Moments.of(total, known))


def many(rows: float, weights: int) -> bool:
    """Are there so many rows that a sample of them gives good first weights?"""
    return rows >= MANY and rows >= 1_000 * weights


@dataclass(frozen=True)
class FittedLogistic:
    """One fit, before it becomes a model."""

    schema: Schema
    options: LogisticOptions
    known: KnownRows
    ready: Prepared
    point: Point
    run: solvers.SolverRun
    strength: float
    verdict: SeparationVerdict
    shares: Array  # [parameter]
    words: list[Array]  # [text][word]: mean values
    null: float | None = None  # the loss without any column, if not that of the class shares
    look: Look | None = None  # asks for the verdict on separation, where it is still open

    def notes(self) -> list[Note]:
        """Return what has to be said; separated classes are noted by the model itself."""
        out = repeat_notes(self.known.design, self.ready.repeats, self.strength > 0 or self.options.l1 > 0)
        return [*out, Note("not-converged", self.run.spent)] if self.run.spent else out

    def steps(self) -> list[solvers.SolverStep]:
        """Return the trace, with weights in the user's units where they were kept; the last are the
        model's.
        """
        trace, kept, problem = self.run.trace, self.run.kept, self.ready.problem
        if kept is None or not trace:
            return trace
        model, out = self.model(None), list(trace)
        for at, w in (kept | {len(trace) - 1: self.point.w}).items():
            constant, parts = parts_of(self.schema, problem, *problem.theta(problem.centred(w)))
            found = coefficients(replace(model, constant=constant, parts=parts))
            out[at] = replace(trace[at], weights=tuple(tuple(c.weights.tolist()) for c in found))
        return out

    def model(self, later: Later | None, forgotten: bool = False) -> LogisticModel:
        """Return the model; how the fit went is found now unless it may be later. forgotten: the
        model only answers and does not keep its matrices for long, so what nobody is likely to ask for may
        wait, and what its columns add on average is not found.
        """
        ready = self.ready
        optimum = LogisticOptimum(self.known, ready, self.point, self.run, self.strength, self.null)
        model = build(self.schema, self.options, optimum, self._verdict(later))
        scales, waits = ready.problem.scales, forgotten or ready.problem.weights <= PROBE
        if later is None or not waits or not measured(scales.centre, scales.scale):
            model = replace(model, fit_stats=KnownFit.of(model.fit_stats))
        return model if forgotten else averaged(model, self.known.design, self.shares, self.words)

    def _verdict(self, later: Later | None) -> Callable[[], SeparationVerdict]:
        look, verdict = self.look, self.verdict
        return (lambda: verdict) if look is None or later is None else (lambda: later(look()))


def fit_once(
    known: KnownRows,
    basis: Basis,
    options: LogisticOptions,
    schema: Schema,
    strength: float,
    ready: Prepared,
    kept: dict[int, Array] | None = None,
) -> Generator[Any, Any, FittedLogistic]:
    """Return the fit for one strength of the prior; separated classes without a prior get the default one.

    kept: filled with the weights of some steps.
    """
    prior = strength > 0 or options.l1 > 0 or options.firth
    verdict, look = SeparationVerdict(), None
    try:
        point, run = yield from solve(ready, options, True, watch=not prior, kept=kept)
    except Separated as found:
        verdict, strength, prior = found.verdict, DEFAULT_L2, True
        ready = prepare(known, basis, options, schema, strength)
        try:
            point, run = yield from solve(ready, options, False, kept=kept)
        except solvers.NoConvergence as error:
            raise solvers.NoConvergence(error.message, " ", verdict.text) from None
    else:
        if prior and not options.firth:
            look = partial(probe, known, basis, options, schema, ready, point)
    words = yield from word_means(ready.problem)
    null = yield from null_loss(ready, options)
    return FittedLogistic(
        schema, options, known, ready, point, run, strength, verdict, row_shares(basis), words, null, look
    )


def measured(centre: Array, scale: Array) -> bool:
    """Are all columns of a size that leaves no standard error beyond what a model file holds?"""
    sound = (scale >= 1.0 / USUAL) & (np.abs(centre) / USUAL <= scale)  # no product that could overflow
    return int(np.count_nonzero(sound)) == len(scale)


def null_loss(ready: Prepared, options: LogisticOptions) -> Generator[Any, Any, float | None]:
    """Return the loss of an offset and the constant alone; None where there is no offset: shares give it."""
    problem = ready.problem
    if problem.fixed is None:
        return None
    if not problem.design.constant:
        nothing = np.zeros(problem.weights)
        return problem.read(nothing, (yield problem.ask(nothing))).loss
    free = np.arange(len(problem.free)) == 0
    alone = replace(problem, free=free, l2=np.zeros(1), l1=np.zeros(1))
    one = np.ones((1, 1))
    start = Start(np.zeros(1), one * problem.rows / 4, np.ones(1), np.ones(1), one * problem.rows)
    plain = replace(options, l1=0.0, firth=False, solver="newton", max_iter=None, eta=None, tolerance=None)
    point, _ = yield from solve(replace(ready, problem=alone, start=start, part=False), plain, False)
    return point.loss


class Separated(Exception):  # noqa: N818
    """The classes are separated: there is no optimum without a prior."""

    def __init__(self, verdict: SeparationVerdict) -> None:
        super().__init__(verdict.kind)
        self.verdict = verdict


def probe(
    known: KnownRows, basis: Basis, options: LogisticOptions, schema: Schema, ready: Prepared, point: Point
) -> Generator[Any, Any, SeparationVerdict]:
    """Return whether the classes are separated although a prior holds the weights. In a small table that is
    the verdict of the fit without one, found in the same way, so that it does not depend on the prior.
    """
    small = ready.problem.weights <= PROBE and known.rows * ready.problem.weights * known.links <= CHEAP
    if known.design.texts or not small:
        return (yield from separation_along(ready, [point.w])) if point.wrong == 0 else SeparationVerdict()
    plain = replace(options, l1=0.0, solver="auto", max_iter=None, eta=None, tolerance=None)
    bare = prepare(known, basis, plain, schema, 0.0)
    try:
        yield from solve(bare, plain, False, watch=True, reach=ENOUGH)
    except Separated as found:
        return found.verdict
    except solvers.NoConvergence:
        pass
    return SeparationVerdict()


def solve(
    ready: Prepared,
    options: LogisticOptions,
    errors: bool,
    watch: bool = False,
    reach: float = 0.0,
    fine: float = solvers.FINE,
    kept: dict[int, Array] | None = None,
) -> Generator[Any, Any, tuple[Point, solvers.SolverRun]]:
    """Return the optimum by the solver asked for, and how it went.

    watch: look out for separated classes. reach, fine: when a Newton step is short enough to stop, in scores
    and in weights.
    """
    problem, start = ready.problem, ready.start
    best = "newton" if start.curvature is not None else "lbfgs"
    name = best if options.solver == "auto" else options.solver
    wanted = errors and problem.weights <= ERRORS and not problem.texts and not options.l1
    limit = max(LIMITS[name], CORNERS) if options.l1 else LIMITS[name]
    most = min(options.max_iter or limit, MOST_STEPS)
    run = solvers.SolverRun(problem, most, wanted, reach=reach, fine=fine)
    run.kept, run.eta, run.tolerance = kept, options.eta, options.tolerance
    if kept is not None:
        kept.clear()  # the weights of a fit that began again
    if watch and name != best:  # the verdict is that of the best solver, whichever does the steps
        with suppress(solvers.NoConvergence):
            yield from watched(solvers.SolverRun(problem, LIMITS[best]), ready, best)
    try:
        point = yield from steps(run, ready, options, name, watch and name == best)
    except solvers.BudgetSpent as spent:
        if options.max_iter is None:  # no budget was set: reaching the solver's own limit is an error
            raise
        point, run.spent = spent.point, str(spent)
    if options.l1:
        point = replace(point, curvature=None)
    if run.errors and point.curvature is None:
        point = yield from run.ask(point.w, True)
    return replace(point, w=problem.centred(point.w)), run


def steps(
    run: solvers.SolverRun, ready: Prepared, options: LogisticOptions, name: str, watch: bool
) -> solvers.Steps:
    """Take the steps of a solver to the optimum."""
    start = ready.start
    if options.firth:
        return (yield from ascent(run, start))
    if options.l1:
        if name != "newton":
            try:
                return (yield from solvers.orthant(run, start))
            except solvers.NoConvergence:  # collinear weights hold it up at corners
                if start.curvature is None or options.max_iter is not None:
                    raise
                run.trace.clear()
        return (yield from solvers.lasso(run, start))
    if watch:
        return (yield from watched(run, ready, name))
    if name == "newton":
        return (yield from newton(run, ready, *(yield from starting_point(ready))))
    if name == "lbfgs":
        return (yield from solvers.lbfgs(run, start))
    if name == "conjugate-gradient":
        return (yield from solvers.conjugate_gradient(run, start))
    return (yield from solvers.gradient_ascent(run, start))


def separation_along(ready: Prepared, directions: list[Array]) -> Generator[Any, Any, SeparationVerdict]:
    """Return the verdict along directions; words are only asked where every row's own class is ahead, and no
    smallest set of them is looked for.
    """
    texts = ready.problem.design.texts
    if texts:
        return SeparationVerdict("complete", tuple(t.name for t in texts))
    return (yield from look(ready.problem, directions))


def watched(run: solvers.SolverRun, ready: Prepared, name: str) -> solvers.Steps:
    """Run Newton's method or L-BFGS without a prior; raise Separated where the classes are."""
    many_weights = doubt = name == "lbfgs"
    run.alarm = 1.0 if many_weights else 1e-3
    start, period = (ready.start, 0) if many_weights else (yield from starting_point(ready))
    while True:
        try:
            way = solvers.lbfgs(run, start) if many_weights else newton(run, ready, start, period)
            point = yield from way
        except solvers.Diverging as signal:
            at, doubt = signal.point, True
            directions = [at.w] if many_weights else [at.w, signal.direction]
            verdict = yield from separation_along(ready, directions)
            if verdict.kind:
                raise Separated((yield from settled(ready, verdict))) from None
            # all rows are ahead, but by very little: more steps would show no more
            run.ahead = run.ahead and at.wrong > 0
            run.alarm = 0.0 if many_weights else run.alarm / 10
            start = replace(start, w=at.w, curvature=None, point=at)
        except solvers.NoConvergence:
            verdict = yield from settled(ready, (yield from lacking(ready.problem)))
            if verdict.kind:
                raise Separated(verdict) from None
            raise
        else:
            verdict = (yield from lacking(ready.problem)) if doubt else SeparationVerdict()
            if many_weights and not verdict.kind:
                verdict = yield from runaway(ready, point, run.needed)
            if verdict.kind:
                raise Separated((yield from settled(ready, verdict)))
            return point


def settled(ready: Prepared, verdict: SeparationVerdict) -> Generator[Any, Any, SeparationVerdict]:
    """Return the verdict, or that of priors so weak that weights run where they can: a level that lacks a
    class, or a first step that no row is behind, may be a part of what separates. All rows are ahead along
    the weights under the weaker prior if they can be; what still grows between the two separates some.
    """
    problem, start = ready.problem, ready.start
    if verdict.kind == "complete" or start.curvature is None or problem.texts:
        return verdict
    k, found = problem.free_links, list[Array]()
    for strength in WEAK:
        l2 = np.full(problem.weights, strength)
        l2[: k * problem.design.constant] = 0.0
        curvature = start.curvature.copy()
        curvature.reshape(-1)[:: len(curvature) + 1] += l2
        held = replace(problem, l2=l2)
        begun_at = replace(start, curvature=curvature, point=None, w=found[-1] if found else start.w)
        run = solvers.SolverRun(held, LIMITS["newton"])
        try:
            found.append((yield from solvers.newton(run, begun_at, 1)).w)
        except solvers.NoConvergence:
            return verdict
    wide = yield from separation_along(ready, [found[1], found[1] - found[0]])
    return wide if wide.kind == "complete" or not verdict.kind else verdict


def runaway(ready: Prepared, point: Point, needed: float) -> Generator[Any, Any, SeparationVerdict]:
    """Return whether weights that seem to be an optimum only ran until the gradient was gone: an optimum is
    found again from twice its weights, but weights that run away stay as far as they are.
    """
    problem = ready.problem
    if problem.texts or not (yield from ahead(problem, point.w, needed)):
        return SeparationVerdict()
    run = solvers.SolverRun(problem, LIMITS["lbfgs"], fine=solvers.FINE / 100)
    try:
        near = yield from solvers.lbfgs(run, replace(ready.start, w=point.w))
        far = yield from solvers.lbfgs(run, replace(ready.start, w=2.0 * near.w))
    except solvers.NoConvergence:
        return SeparationVerdict()
    return (yield from look(problem, [far.w - near.w]))


def starting_point(ready: Prepared) -> Generator[Any, Any, tuple[Start, int]]:
    """Return where Newton's method begins, and after how many steps it asks for a new curvature."""
    if ready.part and many(ready.problem.rows, ready.problem.weights):
        return (yield from solvers.sample(ready.problem, ready.start, EVERY)), 10
    return ready.start, refresh(ready)


def newton(run: solvers.SolverRun, ready: Prepared, start: Start, period: int) -> solvers.Steps:
    """Run Newton's method in the form that suits the number of rows and weights."""
    few = ready.problem.rows * ready.problem.weights <= CHEAP and not ready.problem.texts
    if (
        few and period == 1 and run.kept is None
    ):  # far_newton keeps no weights of its steps; its bits are the same
        return (yield from solvers.far_newton(run, start))
    return (yield from solvers.newton(run, start, period))


def refresh(ready: Prepared) -> int:
    """Return after how many steps a new curvature pays: at once when it costs little beside the step
    itself.
    """
    problem, start = ready.problem, ready.start
    if start.point is not None and start.point.curvature is None:
        return LASTING
    if start.curvature is None or problem.rows * problem.weights <= CHEAP:
        return 1
    pairs = max(len(problem.links) * (len(problem.links) - 1) // 2, 1)
    ratio = pairs * int(problem.free.sum()) / (4 * len(problem.links))
    return max(1, min(10, int(ratio)))
