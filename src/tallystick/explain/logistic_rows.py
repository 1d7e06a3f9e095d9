"""The training rows under a fitted logistic regression: what each is expected to be, how far it lies off, how
much it decides.

Knows an optimum and blocks of rows. Knows nothing of tables of text. Law: a row with a whole weight is so
many copies; figures of a row are those of one copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block, Table
from tallystick.data.table.block import Block as Rows
from tallystick.learners.logistic.again import FoundOptimum
from tallystick.learners.logistic.problem import Mask, Problem
from tallystick.models.logistic.design import Dense

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class SomeRows:
    """Rows of one block: z[row, free] in standardised columns, shares[row, class], classes[row]; copies[row]
    and factor[row]: how often a row counts, and what its terms are multiplied by.
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
    """Return by how much the free standardised columns, or others, change for one unit more of a number
    [row, column].
    """
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
