"""Options as plain Python: numbers and flags may be given as NumPy's, and a search over an array does so.

Knows types only. Law: what an option means, and the file it gives, does not depend on whose number it is.
"""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from tallystick.errors import Argument, OptionError, shown

LARGEST = sys.float_info.max
PLAIN = frozenset({type(None), bool, int, float, str})  # seen first: a small fit asks of some fifty values

T = TypeVar("T")

# Options by their kind and what was given: 1, 1.0, True and -0.0 differ.
_checked: dict[tuple[Any, ...], Any] = {}
MOST_CHECKED = 256


def checked(kind: Callable[..., T], given: Mapping[str, Any]) -> T:
    """Return the options of a kind. They never change: where all that is given is plain, those that were
    found good before are given again; a small fit asks for the same ones twice.
    """
    types = [type(value) for value in given.values()]
    if not PLAIN.issuperset(types):
        return kind(**given)
    key = kind, *given, *types, *[v.hex() if type(v) is float else v for v in given.values()]
    found = _checked.get(key)
    if found is None:
        found = kind(**given)
        if len(_checked) >= MOST_CHECKED:
            _checked.clear()
        _checked[key] = found
    return found


def plain(value: Any) -> Any:
    """Return a value with NumPy's numbers, flags and arrays as Python's, also inside mappings and lists."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, numbers.Real):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    if isinstance(value, Mapping):
        return {plain(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value] if isinstance(value, list) else tuple(plain(v) for v in value)
    return value


def make_plain(options: Any, names: tuple[str, ...]) -> None:
    """Put plain values in the place of those that frozen options were given."""
    for name in names:
        value = getattr(options, name)
        if type(value) not in PLAIN:
            object.__setattr__(options, name, plain(value))


def is_number(value: Any) -> bool:
    """Say whether a value is a number: neither a flag nor NaN, nor beyond what a double holds."""
    if type(value) is float or type(value) is int:
        return value == value and (type(value) is float or -LARGEST <= value <= LARGEST)
    return (
        isinstance(value, numbers.Real)
        and not isinstance(value, bool | np.bool_)
        and not math.isnan(value)
        and (math.isinf(value) or -LARGEST <= float(value) <= LARGEST)
    )


def is_whole(value: Any) -> bool:
    """Say whether a value is a whole number and no flag."""
    return type(value) is int or (
        isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)
    )


def check_whole(name: str, value: Any, low: int, high: int) -> None:
    """Raise unless an option is a whole number within a range."""
    if not is_whole(value) or not low <= value <= high:
        raise OptionError(
            Argument(name), f" must be a whole number from {low:,} to {high:,}, not {shown(value)}."
        )
