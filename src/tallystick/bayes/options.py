"""Options of naive Bayes: the distributions that a column may have, and the checked learning parameters.

1. `DISTRIBUTIONS`: one `Distribution` for each way to read a column. 2. Entry: `BayesOptions`.
part = what a model keeps of a column (`model.py`); term = what the column adds to the log score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import Argument, OptionError, nearest, shown, some
from tallystick.model.additive import LinearTerm, Term
from tallystick.model.decision import check_weights
from tallystick.model.file import is_number, is_whole, make_plain
from tallystick.schema import CODED
from tallystick.stats import exact

if TYPE_CHECKING:
    from tallystick.bayes.model import Summed


# Distributions of columns.

Array = NDArray[np.float64]
AUTO = "auto"  # for numbers: binned or Gaussian, by cross-validation


@dataclass(frozen=True)
class Distribution:
    """One way to read a column.

    name: what `distributions=` and the model file call it. kinds: of the columns that it fits. words: its
    name in reports. keeps: which class of `model.py` holds its sums: "counts" (Counted), "sums" (Summed) or
    "words" (Worded).
    For sums only: squares, whether sums of squares are kept for a variance; counts, whether values must be 0
    or more; without squares, variance: from the means of the classes to their variances, and term: (part,
    options, unit of the weights) -> what the column adds to the score; together: the same for all columns of
    this distribution, by name, where they share one total.
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


PRIORS = ("data", "uniform", "none")
VARIANCES = ("ml", "unbiased", "smoothed")
SHARES = ("none", "classes", "columns", "both")
WEIGHTS = ("counts", "tf-idf")


@dataclass(frozen=True, slots=True)
class BayesOptions:
    """What the user chose; the same words as the parameters of `NaiveBayes`, which has their defaults.

    distributions: one name for all columns it fits, or a name per column. alpha: cases added per value (m =
    alpha * k); m, p: the m-estimate (count + m * p) / (rows + m), which go before alpha; each may be given
    per column. priors: "data", "uniform", "none" (no prior factor), or a number per class.
    variance of Gaussian columns: "ml" divides by n, "unbiased" by n - 1, "smoothed" adds 2 cases with the
    variance of the whole column; None: "smoothed" where auto chose Gaussian, else "ml". min_count: rows that
    a word must be in to be known; min_letters: characters it must have. class_weight: what a row of each
    class counts in the prior, {label: weight} or "balanced".
    """

    distributions: str | Mapping[str, str]
    alpha: float | Mapping[str, float]
    m: float | Mapping[str, float] | None
    p: float | Mapping[str, Any] | None
    priors: str | Sequence[float] | Mapping[str, float]
    variance: str | None
    share: str
    words: str
    min_count: int
    min_letters: int
    calibrate: bool
    class_weight: str | Mapping[str, float] | None

    def __post_init__(self) -> None:
        make_plain(self, tuple(self.__slots__))
        if self.variance is not None:
            _one_of("variance", self.variance, VARIANCES)
        _one_of("share", self.share, SHARES)
        _one_of("words", self.words, WEIGHTS)
        for name, what in (("min_count", "rows"), ("min_letters", "characters")):
            if not is_whole(value := getattr(self, name)) or value < 1:
                found = f"a whole number of {what} of at least 1, not {shown(value)}"
                raise OptionError(f"{name} must be {found}.")
        if type(self.calibrate) is not bool:
            raise OptionError(f"calibrate must be True or False, not {shown(self.calibrate)}.")
        check_weights(self.class_weight)
        if isinstance(self.priors, str):
            _one_of("priors", self.priors, PRIORS)
        else:
            _numbers("priors", self.priors)
        for name in ("alpha", "m", "p"):
            _not_negative(name, getattr(self, name))
        given = self.distributions
        for name in given.values() if isinstance(given, Mapping) else [given]:
            _one_of("distributions", name, every_name())

    @property
    def alike(self) -> bool:
        """Are all columns of as many levels smoothed alike?"""
        return not any(isinstance(given, Mapping) for given in (self.alpha, self.m, self.p))

    def smoothing(self, column: str, levels: Sequence[str] | int) -> tuple[float, Any]:
        """Return (m, p) of a column: p is one share for every value, or a list with one for each."""
        names = levels if not isinstance(levels, int) else ()
        k = levels if isinstance(levels, int) else len(levels)
        m, p = _of(self.m, column, None), _of(self.p, column, None)
        if m is None:
            m = float(_of(self.alpha, column, 1.0)) * k
        if p is None:
            p = 1.0 / k if k else 1.0
        elif isinstance(p, Mapping):
            if lacking := [n for n in names if n not in p]:
                raise OptionError(
                    f"p for column {shown(column)} has no share for {some(lacking)}. Give one per level."
                )
            p = [float(p[n]) for n in names]
        return float(m), p

    def unseen(self, column: str, k: int) -> tuple[float, float]:
        """Return (m, p) of one further, unseen value beside the k known ones."""
        m, p = _of(self.m, column, None), _of(self.p, column, None)
        if m is None:
            m = float(_of(self.alpha, column, 1.0)) * (k + 1)
        return float(m), 1.0 / (k + 1) if p is None or isinstance(p, Mapping) else float(p)

    def distribution(self, column: str, kind: str) -> str:
        """Return the name wished for a column of this kind, or the default of the kind."""
        names, wished = fitting(kind), self.distributions
        if isinstance(wished, Mapping):
            name = wished.get(column, names[0])
            if name not in names and not (kind == "boolean" and name == "bernoulli"):
                raise OptionError(
                    f"distribution {shown(name)} does not fit column {shown(column)}, which is {kind}. "
                    f"Use one of {', '.join(names)}, or give the column another kind."
                )
        else:
            if wished == "frequencies" and kind in CODED:
                raise OptionError(
                    f"distributions='frequencies' reads numbers, and column {shown(column)} is {kind}. Pass ",
                    Argument("kinds", {column: "numeric"}),
                    ", or frequencies for some columns: distributions={name: 'frequencies'}.",
                )
            name = wished if wished in names else names[0]
        if kind in ("numeric", "text"):
            return name
        return "bernoulli" if kind == "boolean" else "levels"

    def check_columns(self, columns: Sequence[str]) -> None:
        """Raise when a parameter names a column that is not used."""
        for parameter in ("distributions", "alpha", "m", "p"):
            given = getattr(self, parameter)
            for name in given if isinstance(given, Mapping) else ():
                if name not in columns:
                    raise OptionError(
                        f"{parameter} names the column {shown(name)}, which is not used."
                        f"{nearest(name, columns)}"
                    )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for the model file."""
        rare = {n: getattr(self, n) for n in ("min_count", "min_letters") if getattr(self, n) > 1}
        if self.class_weight is not None:
            rare["class_weight"] = _plain(self.class_weight)
        return rare | {
            name: _plain(getattr(self, name))
            for name in (
                "alpha",
                "calibrate",
                "distributions",
                "m",
                "p",
                "priors",
                "share",
                "variance",
                "words",
            )
        }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, str | bool) or value is None:
        return value
    if hasattr(value, "__len__"):
        return [_plain(v) for v in value]
    return float(value)


def _of(given: Any, column: str, default: Any) -> Any:
    if given is None:
        return default
    return given.get(column, default) if isinstance(given, Mapping) else given


def _one_of(parameter: str, value: Any, options: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in options:
        raise OptionError(
            f"{parameter}={shown(value)} is unknown. Use one of {', '.join(options)}."
            f"{nearest(value, options)}"
        )


def _numbers(parameter: str, given: Any) -> None:
    """Refuse what is not a number for each of some names, or a list of numbers."""
    listed = given.values() if isinstance(given, Mapping) else given
    if not (isinstance(listed, Iterable) and all(is_number(value) for value in listed)):
        raise OptionError(f"{parameter} must be a number for each class, not {shown(given)}.")


def _not_negative(parameter: str, given: Any) -> None:
    if isinstance(given, Mapping):
        for value in given.values():
            _not_negative(parameter, value)
    elif given is not None and (not is_number(given) or not 0 <= given < math.inf):
        raise OptionError(f"{parameter} must be a number of at least 0, not {shown(given)}.")
    elif parameter == "p" and given is not None and float(given) > 1:
        raise OptionError(f"p is a share and at most 1, not {shown(given)}.")
