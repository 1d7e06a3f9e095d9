"""When a class is answered, as a Boolean expression: rules and trees to the least disjunction of
conjunctions.

Knows conditions and their columns. Law: the expression holds for every known value just where the rules
answer the class; conditions that exclude each other (x < 3 and x ≥ 5) are known to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Column
from tallystick.models.rules.minimal import MOST_VARIABLES, Cube, least
from tallystick.models.tree.sentences import Condition, plain

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class ColumnTests:
    """The variables of one column. of[value, variable]: what each kind of value of the column makes of them;
    numbers fall between cuts, levels have what they are.
    """

    column: Column
    tests: tuple[Condition, ...]  # true
    contrary: tuple[Condition, ...]  # false
    values: tuple[float, ...]  # a number of each stretch, or codes
    of: Bools


@dataclass(frozen=True)
class Disjunction:
    """Terms, each conditions that must all hold. proven: no disjunction has fewer terms, or as many and fewer
    literals; False also where there are too many conditions to tell.
    """

    terms: tuple[tuple[Condition, ...], ...]
    proven: bool

    @property
    def conditions(self) -> int:
        """How many conditions all terms have."""
        return sum(len(term) for term in self.terms)

    def __str__(self) -> str:
        if any(not term for term in self.terms):
            return "true"
        return " ∨ ".join("∧".join(map(literal, term)) for term in self.terms) or "false"


def literal(c: Condition) -> str:
    """Return a condition as it stands in an expression: a boolean column by its name, others in brackets."""
    if c.column.kind == "boolean" and c.levels is not None and len(c.levels) == 1:
        return ("" if c.levels[0] else "¬") + plain(c.column.name)
    return f"({c.sentence(missing=False)})"


def disjunction(
    rules: Sequence[tuple[tuple[Condition, ...], bool]], default: bool, columns: Sequence[str] = ()
) -> Disjunction | None:
    """Return the least disjunction of the first rule that holds, of (conditions, whether it says yes); None
    where there are more than MOST_VARIABLES distinct conditions. It speaks of known values. columns: names in
    the order in which a term has them.
    """
    place = {name: k for k, name in enumerate(columns)}
    named = sorted(_by_column(rules), key=lambda tests: place.get(tests[0].column.name, len(place)))
    axes = [_axis(tests) for tests in named]
    if sum(len(axis.tests) for axis in axes) > MOST_VARIABLES:
        return None
    n = sum(len(axis.tests) for axis in axes)
    true, free = np.zeros((2,) * n, bool), np.ones((2,) * n, bool)
    wanted = np.zeros([len(axis.values) for axis in axes], bool)  # wanted[value of each column]
    ranges = [range(len(axis.values)) for axis in axes]
    for values in product(*ranges):
        way = tuple(int(v) for axis, i in zip(axes, values, strict=True) for v in axis.of[i])
        if free[way]:
            free[way] = False
            cells = {axis.column.name: axis.values[i] for axis, i in zip(axes, values, strict=True)}
            true[way] = next((says for test, says in rules if _holds(test, cells)), default)
        wanted[values] = true[way]
    found = least(true, free)
    return Disjunction(
        _with_few_levels([_term(cube, axes) for cube in found.terms], axes, wanted), found.proven
    )


def _with_few_levels(
    terms: list[tuple[Condition, ...]], axes: Sequence[ColumnTests], wanted: Bools
) -> tuple[tuple[Condition, ...], ...]:
    """Return the terms without levels that other terms have already: in the least disjunction each term holds
    wherever it may, and a reader wants it where it must. wanted: where a term must hold.
    """
    names = [axis.column.name for axis in axes]

    def holds(term: tuple[Condition, ...]) -> Bools:
        out = np.ones(wanted.shape, bool)
        for c in term:
            at = names.index(c.column.name)
            mask = np.array([_holds((c,), {c.column.name: x}) for x in axes[at].values], bool)
            out &= mask.reshape([-1 if k == at else 1 for k in range(len(axes))])
        return out

    for k in range(len(terms)):
        elsewhere = np.zeros(wanted.shape, bool)
        for other in (*terms[:k], *terms[k + 1 :]):
            elsewhere |= holds(other)
        for j in range(len(terms[k])):
            for level in terms[k][j].levels or ():
                c = terms[k][j]
                fewer = tuple(x for x in c.levels or () if x != level)
                smaller = (*terms[k][:j], replace(c, levels=fewer), *terms[k][j + 1 :])
                if fewer and not (wanted & ~elsewhere & ~holds(smaller)).any():
                    terms[k] = smaller
    return tuple(terms)


def _by_column(rules: Sequence[tuple[tuple[Condition, ...], bool]]) -> list[list[Condition]]:
    """Return the conditions of each column, in the order in which columns are first named."""
    out: dict[str, list[Condition]] = {}
    for test, _ in rules:
        for condition in test:
            out.setdefault(condition.column.name, []).append(condition)
    return list(out.values())


def _axis(tests: list[Condition]) -> ColumnTests:
    column = tests[0].column
    if tests[0].levels is None:
        ends = {end for c in tests if not c.never for end in (c.low, c.high)}
        cuts = sorted(end for end in ends if np.isfinite(end))
        values = (-np.inf, *cuts)
        of = np.array([[x < cut for cut in cuts] for x in values], bool).reshape(len(values), len(cuts))
        low = tuple(Condition(column, high=cut) for cut in cuts)
        return ColumnTests(column, low, tuple(Condition(column, low=cut) for cut in cuts), values, of)
    groups: dict[tuple[int, ...], None] = {}
    every = tuple(range(len(column.levels)))
    for c in tests:
        own = tuple(c.levels or ())
        rest = tuple(k for k in every if k not in own)
        boolean = column.kind == "boolean" and (1,) in (own, rest)
        kept = (1,) if boolean else own if (len(own), own) <= (len(rest), rest) else rest
        if kept and len(kept) < len(every):
            groups.setdefault(kept)
    held = tuple(Condition(column, levels=g) for g in groups)
    rest_of = tuple(Condition(column, levels=tuple(k for k in every if k not in g)) for g in groups)
    of = np.array([[k in g for g in groups] for k in every], bool).reshape(len(every), len(groups))
    return ColumnTests(column, held, rest_of, tuple(map(float, every)), of)


def _holds(test: tuple[Condition, ...], cells: dict[str, float]) -> bool:
    for c in test:
        x = cells[c.column.name]
        if not (c.low <= x < c.high if c.levels is None else int(x) in c.levels):
            return False
    return True


def _term(cube: Cube, axes: Sequence[ColumnTests]) -> tuple[Condition, ...]:
    """Return a cube as conditions, one for each column."""
    out, values = [], iter(cube)
    for axis in axes:
        both: Condition | None = None
        for yes, no in zip(axis.tests, axis.contrary, strict=True):
            value = next(values)
            if value < 2:
                own = yes if value else no
                both = own if both is None else both.and_(own)
        if both is not None:
            out.append(both)
    return tuple(out)
