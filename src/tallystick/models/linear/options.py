"""The options of a linear regression, and what they mean.

Knows names and numbers. Law: an option that makes no sense is an error that names it, before any row is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tallystick.data.text import label_text
from tallystick.errors import OptionError, shown
from tallystick.models.logistic.options import CHOSEN, checked_pairs
from tallystick.models.plain import is_number, is_whole, make_plain

UNTOLD = {"fit_intercept": True, "base_levels": None}  # not in a file then


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
