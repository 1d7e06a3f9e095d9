"""Weights of classes, as the options of several methods have them.

Knows numbers that users give. Law: what makes no sense is an error that names it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tallystick.errors import OptionError, nearest, shown
from tallystick.models.plain import is_number


def check_weights(given: Any) -> None:
    """Raise unless these are weights by class."""
    if given is None:
        return
    if isinstance(given, str):
        if given != "balanced":
            near = nearest(given, ("balanced",))
            raise OptionError(f"class_weight must be one of 'balanced', not {shown(given)}.{near}")
        return
    if not isinstance(given, Mapping):
        raise OptionError(
            f"class_weight must be None, 'balanced' or weights by class ({{'yes': 2}}), not {shown(given)}."
        )
    for label, weight in given.items():
        if not (is_number(weight) and 0 < weight < math.inf):
            raise OptionError(f"class_weight of {shown(label)} must be above 0, not {shown(weight)}.")
