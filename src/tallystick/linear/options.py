"""Options of logistic and of linear regression: `LogisticOptions`, `LinearOptions`, checked.

Law: an option that makes no sense is an error that names it, before any row is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tallystick.errors import OptionError, nearest, shown
from tallystick.model.decision import check_weights
from tallystick.model.file import checked, is_number, is_whole, make_plain
from tallystick.text import label_text

SOLVERS = ("auto", "newton", "lbfgs", "conjugate-gradient", "gradient")
WORDS = ("tf-idf", "counts")
CHOSEN = ("auto", "cv")
DEFAULT_L2 = 1.0
PLAIN_ASCENT = ("eta", "tolerance")  # options of the solver "gradient" alone; in a file only if given
OPTIONS_UNTOLD = {
    "fit_intercept": True,
    "base_levels": None,
    "offset": None,
    "firth": False,
}  # defaults that a file leaves out
ERRORS = 2_000  # weights beyond which standard errors are not given


@dataclass(frozen=True, slots=True)
class LogisticOptions:
    """Learning parameters: all of them are in the model file. `LogisticRegression` has their defaults.

    l2: λ of the Gaussian prior, 1/κ²; 0 is maximum likelihood; "auto" takes the one under which the rows
    are most probable, "cv" chooses by cross-validation. l1: λ of the Laplace prior (then "auto" is 0). Both
    act on standardised columns unless `standardize` is off, never on the constant. reference: the class the
    others are compared with. words: how text counts; min_letters: characters that a known word has at least.
    eta, tolerance: the step of plain gradient ascent, and the gradient per row where it ends. interactions: 2
    for the products of all pairs of columns, or the pairs. base_levels: by column, the level that others are
    compared with. offset: the numeric column that is added as it is. firth: Jeffreys'
    prior in place of another.
    """

    l2: float | str
    l1: float
    standardize: bool
    solver: str
    interactions: int | tuple[tuple[str, str], ...]
    polynomial: int
    class_weight: str | Mapping[str, float] | None
    reference: str | None
    words: str
    min_letters: int
    max_iter: int | None
    eta: float | None
    tolerance: float | None
    fit_intercept: bool
    base_levels: Mapping[str, str] | None
    offset: str | None
    firth: bool

    @classmethod
    def of(cls, holder: Any) -> LogisticOptions:
        """Return the options an estimator holds; labels become text."""
        values = {name: getattr(holder, name) for name in cls.__slots__}
        if values["reference"] is not None:
            values["reference"] = label_text(values["reference"])
        if isinstance(values["class_weight"], Mapping):
            values["class_weight"] = {label_text(k): v for k, v in values["class_weight"].items()}
        if isinstance(values["base_levels"], Mapping):
            values["base_levels"] = {k: label_text(v) for k, v in values["base_levels"].items()}
        return checked(cls, values)

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
        for name, untold in OPTIONS_UNTOLD.items():
            if out[name] == untold:
                del out[name]
        if not isinstance(out["interactions"], int):
            out["interactions"] = [list(pair) for pair in out["interactions"]]
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
        if not is_whole(self.polynomial) or self.polynomial not in (1, 2):
            raise OptionError(f"polynomial must be 1 or 2, not {shown(self.polynomial)}.")
        object.__setattr__(self, "interactions", checked_pairs(self.interactions))
        for name in ("standardize", "fit_intercept", "firth"):
            if not isinstance(getattr(self, name), bool):
                raise OptionError(f"{name} must be True or False, not {shown(getattr(self, name))}.")
        self._check_design()
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

    def _check_design(self) -> None:
        """Refuse what does not go together."""
        if self.offset is not None and not isinstance(self.offset, str):
            raise OptionError(f"offset must be the name of a numeric column, not {shown(self.offset)}.")
        given = self.base_levels
        texts = isinstance(given, Mapping) and all(isinstance(k, str) for k in given)
        if given is not None and not texts:
            raise OptionError(f"base_levels must be levels by column ({{'sky': 'sun'}}), not {shown(given)}.")
        held = is_number(self.l2) and float(self.l2) > 0
        if self.firth and (self.l1 or held or self.l2 == "cv"):
            raise OptionError("firth=True is a prior by itself. Leave out l1 and l2.")
        if self.firth and self.solver not in ("auto", "newton"):
            raise OptionError("firth=True is solved by Newton's method. Leave out solver.")


def checked_pairs(given: Any) -> int | tuple[tuple[str, str], ...]:
    """Return which products of columns are wanted: 1 for none, 2 for all, or pairs, each once and in the
    order of their names.
    """
    if is_whole(given):
        if given not in (1, 2):
            raise OptionError(f"interactions must be 1, 2 or pairs of columns, not {shown(given)}.")
        return int(given)
    wrong = OptionError(
        f"interactions must be 1, 2 or pairs of columns such as [('age', 'region')], not {shown(given)}."
    )
    if not isinstance(given, list | tuple):
        raise wrong
    for pair in given:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(isinstance(n, str) for n in pair):
            raise wrong
    made = {(min(a, b), max(a, b)) for a, b in given}
    return tuple(sorted(made)) if made else 1


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(f"'{a}'" for a in allowed)
        raise OptionError(f"{name} must be one of {words}, not {shown(value)}.{nearest(value, allowed)}")


# Linear regression.

UNTOLD = {"fit_intercept": True, "base_levels": None}  # defaults that a file leaves out


@dataclass(frozen=True, slots=True)
class LinearOptions:
    """Learning parameters: all of them are in the model file. `LinearRegression` has their defaults.

    l2: λ of the penalty λ Σ w² beside the squared errors (scikit-learn's alpha); 0 is least squares; "auto"
    takes the one under which the rows are most probable, "cv" chooses by cross-validation. It acts on
    standardised columns unless `standardize` is off, never on the constant. interactions: 2 for the products
    of all pairs of columns, or the pairs. base_levels: by column, the level that others are compared with
    where there is no penalty.
    """

    l2: float | str
    standardize: bool
    interactions: int | tuple[tuple[str, str], ...]
    polynomial: int
    fit_intercept: bool
    base_levels: Mapping[str, str] | None

    # what logistic regression has beyond: a known part of a number is subtracted from it before
    offset: ClassVar[str | None] = None
    l1: ClassVar[float] = 0.0
    words: ClassVar[str] = ""

    @classmethod
    def of(cls, holder: Any) -> LinearOptions:
        """Return the options an estimator holds; levels become text."""
        values = {name: getattr(holder, name) for name in cls.__slots__}
        if isinstance(values["base_levels"], Mapping):
            values["base_levels"] = {k: label_text(v) for k, v in values["base_levels"].items()}
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain data for the model file."""
        out = {name: getattr(self, name) for name in self.__slots__}
        out["l2"] = self.l2 if isinstance(self.l2, str) else float(self.l2)
        for name, untold in UNTOLD.items():
            if out[name] == untold:
                del out[name]
        if not isinstance(self.interactions, int):
            out["interactions"] = [list(pair) for pair in self.interactions]
        return out

    def __post_init__(self) -> None:
        make_plain(self, tuple(self.__slots__))
        chosen = isinstance(self.l2, str) and self.l2 in CHOSEN
        if not (chosen or (is_number(self.l2) and 0 <= float(self.l2) < math.inf)):
            raise OptionError(f"l2 must be a number of at least 0, 'auto' or 'cv', not {shown(self.l2)}.")
        if not is_whole(self.polynomial) or self.polynomial not in (1, 2):
            raise OptionError(f"polynomial must be 1 or 2, not {shown(self.polynomial)}.")
        object.__setattr__(self, "interactions", checked_pairs(self.interactions))
        for name in ("standardize", "fit_intercept"):
            if not isinstance(getattr(self, name), bool):
                raise OptionError(f"{name} must be True or False, not {shown(getattr(self, name))}.")
        given = self.base_levels
        if given is not None and not (isinstance(given, Mapping) and all(isinstance(k, str) for k in given)):
            raise OptionError(f"base_levels must be levels by column ({{'sky': 'sun'}}), not {shown(given)}.")
