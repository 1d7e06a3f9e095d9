"""What each answer costs each distinct row, in whole numbers, so that equal trees tie exactly.

Knows weights, class weights, costs and the price of a leaf. Knows nothing of columns or of the search.
Law: short fractions are exact while all rows together stay below 62 bits. Others are rounded to 2^-44 of
the largest or less, and rows too heavy for 62 bits are rounded up in a coarser unit. Refused is what would
then keep less than four digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import OptionError
from tallystick.kernels.optimal import MOST_KEY
from tallystick.models.tree.weights import ClassWeights

__all__ = ["Losses", "price_table"]

Ints = NDArray[np.int64]
FINE = 2**44  # the largest cost in units of itself, where costs are not short fractions
MOST_FINER = 17  # bits finer where there is room: whole costs stay below 2^62
EXACT = 1000  # denominators of costs that are kept exactly
PRICE = 10**6  # the finest denominator of a leaf_price that is kept exactly
FEWEST = 2**14  # units of the smallest cost and of the price, where they are rounded: four digits


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
        fold = leaves + 1
        heavy, largest = int(weights.sum()), Fraction(float(costs.max(initial=0)))
        all_priced = heavy * largest + Fraction(leaf_price) * row_unit * leaves  # no tree loses more
        exact = _exact(costs, leaf_price, row_unit)
        if exact is not None and _bits(all_priced * exact[2], len(weights), fold) <= 0:
            (whole, each, scale), drop = exact, 0
        else:
            scale = FINE / (largest or Fraction(1))
            scale *= 2 ** min(max(0, -_bits(all_priced * scale, len(weights), fold)), MOST_FINER)
            whole = np.array([round(Fraction(c) * scale) for c in costs.ravel().tolist()], np.int64)
            whole = whole.reshape(costs.shape)
            drop = max(0, _bits(all_priced * scale, len(weights), fold))
            each = round(Fraction(leaf_price) * row_unit * scale / 2**drop)
            heaviest = int(weights.max()) * int(whole.max()) >> drop
            lost = min(int(whole[costs > 0].min(initial=FINE)), heaviest) < FEWEST
            if lost or (leaf_price > 0 and each < FEWEST):
                raise OptionError(
                    f"leaf_price, class weights and costs are too far apart for a proof: an error costs from "
                    f"{costs[costs > 0].min(initial=math.inf):g} to {float(largest):g}, a leaf "
                    f"{leaf_price:g}. Bring them closer together, or use 0."
                )
        loss = _shifted(weights, whole, classes, drop)
        common = int(np.gcd.reduce(loss.ravel(), initial=0)) or 1
        unit = row_unit * scale / 2**drop
        return cls(_form(whole), loss // common, common * fold, each * fold + 1, fold, unit)

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


def _exact(costs: NDArray[np.float64], leaf_price: float, row_unit: int) -> tuple[Ints, int, Fraction] | None:
    """Return costs and the price of a leaf as whole numbers, and what 1 is among them; None where they are
    not short fractions.
    """
    near = [Fraction(c).limit_denominator(EXACT) for c in costs.ravel().tolist()]
    price = Fraction(leaf_price).limit_denominator(PRICE)
    given = [*costs.ravel().tolist(), leaf_price]
    if any(float(f) != c for f, c in zip([*near, price], given, strict=True)):
        return None
    scale = math.lcm((price * row_unit).denominator, *(f.denominator for f in near))
    if scale * max(near, default=Fraction(0)) >= 2**62:
        return None
    whole = np.array([int(f * scale) for f in near], np.int64).reshape(costs.shape)
    return whole, int(price * row_unit * scale), Fraction(scale)


def _bits(total: Fraction, rows: int, fold: int) -> int:
    """Return how many bits must go so that keys of trees that lose `total` fit, a unit more in each row."""
    return (int(total + rows + 1) * fold).bit_length() - MOST_KEY.bit_length() + 1


def _shifted(weights: Ints, whole: Ints, classes: Ints, drop: int) -> Ints:
    """Return weights times costs [row, answer], rounded up to units of 2^drop."""
    if not drop:
        return weights[:, None] * whole[classes]
    each = weights.astype(object)[:, None] * whole[classes].astype(object)
    out: Ints = ((each + ((1 << drop) - 1)) >> drop).astype(np.int64)
    return out
