"""How naive Bayes may read a column: one small object each, listed once.

Knows names, words and the terms of sums. Knows nothing of rows or other columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.schema import CODED
from tallystick.models import exact
from tallystick.models.additive import LinearTerm, Term

if TYPE_CHECKING:
    from tallystick.models.naive_bayes.columns import Summed
    from tallystick.models.naive_bayes.options import BayesOptions

Array = NDArray[np.float64]
AUTO = "auto"  # of numbers: binned or Gaussian, by cross-validation


@dataclass(frozen=True)
class Distribution:
    """One way to read a column.

    name: what `distributions=` and the model file call it. kinds: of the columns that it fits. words: what
    people read. keeps: which class of `columns.py` holds what is kept: "counts" (Counted), "sums" (Summed) or
    "words" (Worded).
    Of sums: squares, whether sums of squares are kept, for a variance; counts, whether values are 0 or more;
    without squares, variance: the means of the classes to their variances, and term: (part, options, unit of
    the weights) -> what the column adds to the score; together: the same of all its columns, by name, where
    they belong to one whole.
    """

    name: str
    kinds: frozenset[str]
    words: str
    keeps: str
    squares: bool = False
    counts: bool = False
    variance: Callable[[Array], Array] | None = None
    term: Callable[[Summed, BayesOptions, int], Term] | None = None
    together: Callable[[Sequence[Summed], BayesOptions, int], Mapping[str, Term]] | None = None


def smoothed_means(part: Summed, options: BayesOptions, unit: int) -> Array:
    """Return (sum + m * mean of all classes) / (rows + m) of each class, m = 1 unless given."""
    m = options.smoothing(part.name, 1)[0]
    n = part.rows / unit
    sums = np.array([float(Fraction(s, unit << exact.SUM_UNIT)) for s in part.sums])
    out: Array = (sums + m * sums.sum() / max(n.sum(), 1e-300)) / np.where(n + m == 0, 1, n + m)
    return out


def _poisson(part: Summed, options: BayesOptions, unit: int) -> Term:
    """x log(rate) - rate; what is the same for every class (log x!) is left out."""
    rate = smoothed_means(part, options, unit)
    return LinearTerm(part.name, kernels.log(rate), -rate, np.zeros(len(rate)))


def _frequencies(parts: Sequence[Summed], options: BayesOptions, unit: int) -> Mapping[str, Term]:
    """x log(share of the column in all that the class's rows counted), smoothed: the multinomial model of
    words, for columns that are the words already.
    """
    sums = np.array([[float(Fraction(s, unit << exact.SUM_UNIT)) for s in part.sums] for part in parts])
    added = np.array([options.smoothing(part.name, 1)[0] for part in parts])
    total = np.array([math.fsum([*own, *added.tolist()]) for own in sums.T.tolist()])
    logs = kernels.log(np.ascontiguousarray((sums + added[:, None]) / np.where(total == 0, 1, total)))
    none = np.zeros(sums.shape[1])
    return {part.name: LinearTerm(part.name, log, none, none) for part, log in zip(parts, logs, strict=True)}


_NUMERIC, _TEXT = frozenset({"numeric"}), frozenset({"text"})
DISTRIBUTIONS = {
    d.name: d
    for d in (
        Distribution("binned", _NUMERIC, "bins", "counts"),
        Distribution("gaussian", _NUMERIC, "Gaussian", "sums", squares=True),
        Distribution(
            "poisson", _NUMERIC, "Poisson", "sums", counts=True, variance=lambda means: means, term=_poisson
        ),
        Distribution(
            "frequencies",
            _NUMERIC,
            "frequencies",
            "sums",
            counts=True,
            variance=lambda means: means,
            together=_frequencies,
        ),
        Distribution("levels", frozenset(CODED), "levels", "counts"),
        Distribution("multinomial", _TEXT, "multinomial", "words"),
        Distribution("complement", _TEXT, "complement", "words"),
        Distribution("bernoulli", _TEXT | {"boolean"}, "bernoulli", "words"),
    )
}


def fitting(kind: str) -> tuple[str, ...]:
    """Return the names that may be asked for columns of a kind, the default first."""
    found = tuple(
        d.name for d in DISTRIBUTIONS.values() if kind in d.kinds and (kind == "text") == (d.keeps == "words")
    )
    return (AUTO, *found) if kind == "numeric" else found


def every_name() -> tuple[str, ...]:
    """Return all names that may be asked for."""
    return AUTO, *DISTRIBUTIONS


def of_part(part: Any) -> Distribution:
    """Return how a part of a model reads its column."""
    return DISTRIBUTIONS[part.distribution]
