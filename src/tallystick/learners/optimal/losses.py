"""What each answer costs each distinct row, in whole numbers, so that equal trees tie exactly.

Knows weights, class weights, costs and the price of a leaf. Knows nothing of columns or of the search.
Law: with whole costs and class weights the numbers are exact, whatever the weights; others are rounded to
2^-20 of the largest. Rows too heavy for 62 bits are rounded up in a coarser unit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tallystick.kernels.optimal import MOST_KEY
from tallystick.models.tree.weights import ClassWeights

__all__ = ["Losses", "price_table"]

Ints = NDArray[np.int64]
FINE = 2**20  # the largest cost in units of itself, where costs are not whole
EXACT = 1000  # denominators of costs that are kept exactly
PRICE = 10**6  # the finest denominator of leaf_price


@dataclass(frozen=True, eq=False)
class Losses:
    """loss[row, answer] and the price of a leaf. A key is loss * worth + leaves * leaf; key // fold is what a
    tree loses, in 1/unit.
    """

    form: str
    loss: Ints
    worth: int
    leaf: int
    fold: int
    unit: Fraction

    @classmethod
    def of(
        cls,
        classes: Ints,
        weights: Ints,
        costs: NDArray[np.float64],
        leaf_price: float,
        leaves: int,
        row_unit: int,
    ) -> Losses:
        """Return the losses of rows. costs[class, answer] of a row of weight 1, which is `row_unit`; leaves:
        the most of a tree.
        """
        whole, scale = _whole(costs)
        price = Fraction(leaf_price).limit_denominator(PRICE) * scale * row_unit
        fold = leaves + 1
        total = int(weights.sum()) * int(whole.max(initial=0)) * price.denominator  # beyond 64 bits
        most = (total + price.numerator * leaves + 1) * fold
        drop = max(0, most.bit_length() - MOST_KEY.bit_length() + 1)
        loss = _shifted(weights, whole, classes, drop)
        common = int(np.gcd.reduce(loss.ravel(), initial=0)) or 1
        unit = Fraction(row_unit) * scale * price.denominator / 2**drop
        each = round(Fraction(price.numerator, 2**drop))
        worth = common * price.denominator * fold
        return cls(_form(whole), loss // common, worth, each * fold + 1, fold, unit)

    def told(self, key: int) -> float:
        """Return what a tree of this key loses, its leaves priced: as weight 1 is 1 error."""
        return float(Fraction(key // self.fold) / self.unit)


def price_table(
    weights: ClassWeights | None, costs: tuple[tuple[float, ...], ...], counts: Ints
) -> NDArray[np.float64]:
    """Return the cost of each answer for a row of each class; counts[class] of the table."""
    table = np.array(costs) if costs else 1.0 - np.eye(len(counts))
    return table if weights is None else table * weights.of_mean_one(counts)[:, None]


def _form(whole: Ints) -> str:
    """Return the kernels' word for how losses are made."""
    if len(whole) == 2:
        return "two"
    wrong = whole.max(axis=1, initial=0)
    plain = bool((whole == wrong[:, None] * (1 - np.eye(len(whole), dtype=np.int64))).all())
    return "classes" if plain and len(whole) > 2 else "any"


def _whole(costs: NDArray[np.float64]) -> tuple[Ints, Fraction]:
    """Return costs as whole numbers, and what 1 is among them."""
    near = [Fraction(c).limit_denominator(EXACT) for c in costs.ravel().tolist()]
    if all(float(f) == c for f, c in zip(near, costs.ravel().tolist(), strict=True)):
        scale = math.lcm(*(f.denominator for f in near))
        if scale * max(near, default=Fraction(1)) < 2**40:
            return np.array([int(f * scale) for f in near], np.int64).reshape(costs.shape), Fraction(scale)
    fine = Fraction(FINE) / Fraction(float(costs.max()))
    return np.array([round(Fraction(c) * fine) for c in costs.ravel().tolist()]).reshape(costs.shape), fine


def _shifted(weights: Ints, whole: Ints, classes: Ints, drop: int) -> Ints:
    """Return weights times costs [row, answer], rounded up to units of 2^drop."""
    if not drop:
        return weights[:, None] * whole[classes]
    each = weights.astype(object)[:, None] * whole[classes].astype(object)
    out: Ints = ((each + ((1 << drop) - 1)) >> drop).astype(np.int64)
    return out
