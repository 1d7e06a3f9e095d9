"""Columns that repeat others: found from the products of all of them, and named with those they follow from.

Knows products of columns and designs. Knows nothing of rows. Law: it follows from sums, so from no order of
rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.schema import Note, Schema
from tallystick.errors import shown, some
from tallystick.learners.logistic.problem import Mask
from tallystick.models.logistic.design import Design

Array = NDArray[np.float64]
MOST_NAMED = 30  # columns that one follows from, when they are looked for one by one
DEPENDENT = 1e-9  # a column of which less than this part is its own repeats others
NEARLY = 1e-12  # with more than this of its own, which rounding does not reach, it nearly does


class Repeat(NamedTuple):
    """A parameter that repeats others, in all but a trace if `nearly`."""

    at: int
    others: tuple[int, ...]
    nearly: bool


def repeated(gram: Array, free: Mask, late: Mask, constant: bool = True) -> tuple[Repeat, ...]:
    """Return the parameters that are sums of earlier ones, each with those it repeats. late: those that come
    after all others, so that a column is never said to follow from its products. constant: the first is one.
    """
    at = np.concatenate([np.flatnonzero(free & ~late), np.flatnonzero(free & late)])
    own = np.sqrt(np.maximum(np.diag(gram)[at], 1e-300))
    unit = gram[np.ix_(at, at)] / (own[:, None] * own[None, :])
    factor, skipped = kernels.cholesky_skip(unit, DEPENDENT)
    out = []
    for j in np.flatnonzero(skipped):
        weights = kernels.cholesky_solve(factor, np.where(skipped | (np.arange(len(at)) >= j), 0.0, unit[j]))
        own_part = float(unit[j, j] - kernels.dot(weights, np.ascontiguousarray(unit[j])))
        among = np.flatnonzero(np.abs(weights) > 1e-4)
        partners = at[few_enough(unit, int(j), among) if constant else among]
        out.append(Repeat(int(at[j]), tuple(int(p) for p in partners if p), own_part > NEARLY))
    return tuple(out)


def few_enough(unit: Array, j: int, among: NDArray[np.int64]) -> list[int]:
    """Return columns of the correlations `unit` that j follows from, as few as possible: the one that says
    most of what is left is taken until nothing is, then each that is not needed is left out again.
    """
    at = np.array([0, *(int(i) for i in among if i), j])  # the constant is always there
    left, chosen, rest = taken_out(unit[np.ix_(at, at)], 0), [0], list(range(1, len(at) - 1))
    while rest and left[-1, -1] > DEPENDENT:
        own = np.diag(left)[rest]
        says = np.where(own > DEPENDENT, left[-1, rest] ** 2 / np.maximum(own, DEPENDENT), 0.0)
        best = rest[int(np.argmax(says))]
        chosen.append(int(at[best]))
        rest.remove(best)
        left = taken_out(left, best)
        if len(chosen) > MOST_NAMED:
            return [int(i) for i in among]
    for i in chosen[1:]:
        without = [k for k in chosen if k != i]
        if left_of(unit, j, without) <= DEPENDENT:
            chosen = without
    return chosen


def taken_out(left: Array, i: int) -> Array:
    """Return what is left of all correlations once column i is known."""
    return np.asarray(left - left[:, i, None] * (left[i] / max(left[i, i], 1e-300)))


def left_of(unit: Array, j: int, chosen: Sequence[int]) -> float:
    """Return the part of column j that the chosen columns do not say, from correlations."""
    at = np.array([*chosen, j])
    factor, skipped = kernels.cholesky_skip(unit[np.ix_(at, at)], DEPENDENT)
    side = np.where(skipped[:-1], 0.0, unit[j, at[:-1]])
    small = np.ascontiguousarray(factor[:-1, :-1])
    return float(unit[j, j] - kernels.dot(kernels.cholesky_solve(small, side), side))


def repeat_notes(design: Design, repeats: tuple[Repeat, ...], prior: bool) -> list[Note]:
    """Return one note for columns that repeat others, naming them."""
    if not repeats:
        return []
    columns, terms = parameter_columns(design), parameter_terms(design)
    levels = {c.column.name: c.levels + (c.column.missing > 0) for c in design.coded}
    repeated_levels = Counter(columns[repeat.at] for repeat in repeats)

    def called(p: int) -> str:
        return columns[p] if columns[p] in levels else terms[p]

    pairs = []
    for repeat in repeats:
        column = columns[repeat.at]
        others = sorted({called(p) for p in repeat.others if columns[p] != column})
        alone = len(others) > 0 and not any(columns[p] == column for p in repeat.others)
        part = alone and repeated_levels[column] < levels.get(column, 0) - 1  # not the column, but this level
        own = terms[repeat.at] if part else called(repeat.at)
        how = (
            "never varies" if not others else "repeats " if len(others) == 1 and not part else "follows from "
        )
        nearly = "nearly " if repeat.nearly and others else ""
        pairs.append(f"{shown(own)} {nearly}{how}{some(others, 3)}")
    pairs = sorted(set(pairs))
    none = "its weight is 0" if len(pairs) == 1 else "their weights are 0"
    what = "the prior shares the weight among them" if prior else none
    more = f" and {len(pairs) - 5} more" if len(pairs) > 5 else ""
    text = f"Columns that follow from others: {'; '.join(pairs[:5])}{more}; {what}."
    return [Note("collinear", text, count=len(pairs))]


def unasked_notes(schema: Schema, asked: Schema) -> list[Note]:
    """Return one note for columns whose weights are all 0. asked: the schema of the others."""
    known = {c.name for c in asked.used}
    left = [c.name for c in schema.used if c.name not in known]
    if not left:
        return []
    them = "it" if len(left) == 1 else "them"
    text = f"all weights of {some(left, 5)} are 0: new rows need not have {them}."
    return [Note("columns-not-used", text, count=len(left))]


def parameter_columns(design: Design) -> list[str]:
    """Return the column or product each parameter of a link belongs to."""
    names = ["(constant)"] + [c.name if len(c.factors) > 1 else c.column for c in design.dense]
    for coded in design.coded:
        names += [coded.column.name] * (coded.levels + 2)
    return names


def parameter_terms(design: Design) -> list[str]:
    """Return what each parameter of a link is the weight of: a number, that it is missing, a level."""
    names = ["(constant)"] + [c.name for c in design.dense]
    for coded in design.coded:
        name = coded.column.name
        names += [f"{name} = {level}" for level in coded.column.levels]
        names += [f"{name} is missing", f"{name} is unseen"]
    return names
