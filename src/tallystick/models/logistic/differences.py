"""Levels compared with a base level: what the rows determine of their weights.

Under a prior every level has a weight of its own, but a number added to all levels of a column and taken from
the constant changes no answer: rows say nothing of a weight by itself, only of differences. Knows factors and
bases. Knows no row. Law: the constant and the differences answer every known level as the weights do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tallystick.models.logistic.design import Factor

Key = frozenset[tuple[str, int | None]]  # what a weight is multiplied with: columns, with a code where coded
Terms = list[tuple[int, float]]
SQUARED = -2  # in place of the code of a column that is multiplied with itself


def key_of(factors: Sequence[Factor]) -> Key:
    """Return what a product is multiplied with."""
    if len(factors) == 2 and factors[0] == factors[1]:
        return frozenset({(factors[0].column, None), (factors[0].column, SQUARED)})
    return frozenset((f.column, f.code) for f in factors)


def against_bases(keys: Sequence[Key | None], bases: Mapping[str, int], whole: str = "") -> dict[int, Terms]:
    """Return for each weight of a base level (or of a product with one) what it adds to the other weights:
    their places and factors. keys: of each weight, None for one that is 0 by definition. whole: the column
    whose levels stand in place of a constant.

    A base level is 1 less all other levels of its column, in products too.
    """
    place = {key: at for at, key in enumerate(keys) if key is not None}
    codes: dict[str, list[int]] = {}
    for key in place:
        if len(key) == 1:
            ((column, code),) = key
            if code is not None:
                codes.setdefault(column, []).append(code)
    out: dict[int, Terms] = {}
    for key, at in place.items():
        if not any(bases.get(column, -1) == code for column, code in key):
            continue
        terms: list[tuple[Key, float]] = [(frozenset(), 1.0)]
        for column, code in sorted(key, key=str):
            if bases.get(column, -1) != code:
                terms = [(own | {(column, code)}, f) for own, f in terms]
                continue
            others = [c for c in codes[column] if c != code]
            terms += [(own | {(column, c)}, -f) for own, f in terms for c in others]
        found: dict[int, float] = {}
        for own, f in terms:
            same = [own] if own or own in place else [frozenset({(whole, c)}) for c in codes.get(whole, [])]
            for term in same:
                if term in place:  # rows that miss a column have none of its products
                    found[place[term]] = found.get(place[term], 0.0) + f
        out[at] = sorted(found.items())
    return out
