"""How sure the rows make one of the differences between levels, and between classes.

The curvature under a prior is of a weight for every level, and the variance of such a weight is mostly the
prior's: no row can tell a number that all levels of a column have in common. What tables show is a level less
the base level; here the curvature becomes that of these differences, the rest averaged out. Of several
classes a number that all have in common means nothing either: it is taken out.

Knows problems and curvatures. Knows nothing of rows. Law: as the prior goes to 0, the curvature goes to that
of a fit without one whose reference levels are the bases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.learners.logistic.problem import Mask, Problem
from tallystick.models.logistic.differences import Key, Terms, against_bases, key_of

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
ROUNDING = 1e-12  # of the terms of a sum: less is 0


def with_rows(problem: Problem, counts: Array) -> Mask:
    """Return which parameters of a link rows can say something of: levels without rows are none."""
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
        """Return the curvature of what is shown; None where it cannot be told."""
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
