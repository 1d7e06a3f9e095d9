"""The options of a logistic regression, and what they mean.

Knows names and numbers. Law: an option that makes no sense is an error that names it, before any row is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tallystick.data.text import label_text
from tallystick.errors import OptionError, nearest, shown
from tallystick.models.plain import is_number, is_whole, make_plain

SOLVERS = ("auto", "newton", "lbfgs", "conjugate-gradient", "gradient")
WORDS = ("tf-idf", "counts")
CHOSEN = ("auto", "cv")
DEFAULT_L2 = 1.0
PLAIN_ASCENT = ("eta", "tolerance")  # options of the solver "gradient" alone; in a file where they are given
ERRORS = 2_000  # weights beyond which standard errors are not given


@dataclass(frozen=True, slots=True)
class LogisticOptions:
    """Learning parameters: all of them are in the model file. `LogisticRegression` has their defaults.

    l2: λ of the Gaussian prior, 1/κ²; 0 is maximum likelihood; "auto" takes the one under which the rows
    are most probable, "cv" chooses by cross-validation. l1: λ of the Laplace prior (then "auto" is 0). Both
    act on standardised columns unless `standardize` is off, never on the constant. reference: the class the
    others are compared with. words: how text counts; min_letters: characters that a known word has at least.
    eta, tolerance: the step of plain gradient ascent, and the gradient per row where it ends.
    """

    l2: float | str
    l1: float
    standardize: bool
    solver: str
    interactions: int
    polynomial: int
    class_weight: str | Mapping[str, float] | None
    reference: str | None
    words: str
    min_letters: int
    max_iter: int | None
    eta: float | None
    tolerance: float | None

    @classmethod
    def of(cls, holder: Any) -> LogisticOptions:
        """Return the options an estimator holds; labels become text."""
        values = {name: getattr(holder, name) for name in cls.__slots__}
        if values["reference"] is not None:
            values["reference"] = label_text(values["reference"])
        if isinstance(values["class_weight"], Mapping):
            values["class_weight"] = {label_text(k): v for k, v in values["class_weight"].items()}
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain data for the model file."""
        out = {name: getattr(self, name) for name in self.__slots__}
        for name in ("l2", "l1"):
            out[name] = out[name] if isinstance(out[name], str) else float(out[name])
        if isinstance(out["class_weight"], Mapping):
            out["class_weight"] = {k: float(v) for k, v in out["class_weight"].items()}
        if out["min_letters"] == 1:  # written only where it says something
            del out["min_letters"]
        for name in PLAIN_ASCENT:
            if out[name] is None:
                del out[name]
            else:
                out[name] = float(out[name])
        return out | {"standardize": bool(self.standardize)}

    def __post_init__(self) -> None:
        make_plain(self, tuple(self.__slots__))
        chosen = isinstance(self.l2, str) and self.l2 in CHOSEN
        if not (chosen or (is_number(self.l2) and 0 <= float(self.l2) < math.inf)):
            raise OptionError(f"l2 must be a number of at least 0, 'auto' or 'cv', not {shown(self.l2)}.")
        if not (is_number(self.l1) and 0 <= self.l1 < math.inf):
            raise OptionError(f"l1 must be a number of at least 0, not {shown(self.l1)}.")
        _one_of("solver", self.solver, SOLVERS)
        _one_of("words", self.words, WORDS)
        for name, value in (("interactions", self.interactions), ("polynomial", self.polynomial)):
            if not is_whole(value) or value not in (1, 2):
                raise OptionError(f"{name} must be 1 or 2, not {shown(value)}.")
        if not isinstance(self.standardize, bool):
            raise OptionError(f"standardize must be True or False, not {shown(self.standardize)}.")
        check_weights(self.class_weight)
        if not is_whole(self.min_letters) or self.min_letters < 1:
            raise OptionError(
                f"min_letters must be a whole number of at least 1, not {shown(self.min_letters)}."
            )
        if self.max_iter is not None and (not is_whole(self.max_iter) or self.max_iter < 1):
            raise OptionError(f"max_iter must be a whole number of at least 1, not {shown(self.max_iter)}.")
        for name in PLAIN_ASCENT:
            value = getattr(self, name)
            if value is None:
                continue
            if not (is_number(value) and 0 < value < math.inf):
                raise OptionError(f"{name} must be a number above 0, not {shown(value)}.")
            if self.solver != "gradient":
                raise OptionError(f"{name} is for plain gradient ascent. Use it with solver='gradient'.")
        if self.l1 and self.solver in ("conjugate-gradient", "gradient"):
            raise OptionError(
                f"solver {shown(self.solver)} cannot hold weights at 0. Leave solver out with l1."
            )


def check_weights(given: Any) -> None:
    """Raise unless these are weights by class."""
    if given is None:
        return
    if isinstance(given, str):
        return _one_of("class_weight", given, ("balanced",))
    if not isinstance(given, Mapping):
        raise OptionError(
            f"class_weight must be None, 'balanced' or weights by class ({{'yes': 2}}), not {shown(given)}."
        )
    for label, weight in given.items():
        if not (is_number(weight) and 0 < weight < math.inf):
            raise OptionError(f"class_weight of {shown(label)} must be above 0, not {shown(weight)}.")


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(f"'{a}'" for a in allowed)
        raise OptionError(f"{name} must be one of {words}, not {shown(value)}.{nearest(value, allowed)}")
