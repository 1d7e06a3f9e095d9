"""The learning parameters of naive Bayes, checked once: smoothing, priors, variances, calibration.

Knows names and numbers given by the user. Knows nothing of counts or rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tallystick.data.schema import CODED
from tallystick.errors import Argument, OptionError, nearest, shown, some
from tallystick.models.classes import check_weights
from tallystick.models.naive_bayes.distributions import every_name, fitting
from tallystick.models.plain import is_number, is_whole, make_plain

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
    variance of
    the whole column; None: "smoothed" where auto chose Gaussian, else "ml". min_count: rows that a word must
    be in to be known; min_letters: characters it must have. class_weight: what a row of each class counts in
    the prior, {label: weight} or "balanced".
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
