"""Checks of arrays before a pointer to them leaves Python: type, shape, memory order (trees and texts).
For all other kernels the binding does the same: `src/bindings.hpp`. Entry: `array()`, `loose()`, `maybe()`.

A wrong argument is a fault of the caller in this package, so the errors are TypeError and ValueError, not
errors for users.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import files
from tallystick.errors import Argument, NoMemory

CODES = ("uint8", "uint16", "uint32")
Array = NDArray[Any]
Room = Callable[[Any, Any], Array]  # makes an array of a shape and a type, as numpy.empty does
_DTYPES: dict[str | tuple[str, ...], tuple[np.dtype[Any], ...]] = {}  # cache of dtype names to dtypes


def _known(dtypes: str | tuple[str, ...]) -> tuple[np.dtype[Any], ...]:
    names = (dtypes,) if isinstance(dtypes, str) else dtypes
    return _DTYPES.setdefault(dtypes, tuple(np.dtype(name) for name in names))


def array(name: str, value: Any, dtypes: str | tuple[str, ...], shape: tuple[int | None, ...]) -> Array:
    """Return `value`, an array of one of `dtypes` and of `shape` (None: any length), C-ordered."""
    known = _DTYPES.get(dtypes) or _known(dtypes)
    if type(value) is np.ndarray and value.dtype in known:
        flags, have = value.flags, value.shape
        same = have == shape or (len(shape) == len(have) and _open(shape, have))
        if same and flags.c_contiguous and flags.aligned:
            return value
    loose(name, value, dtypes, shape)
    if not value.flags.c_contiguous:
        raise ValueError(
            f"{name} must be C-contiguous; found strides {value.strides} for shape {value.shape}"
        )
    return value  # type: ignore[no-any-return]


def _open(shape: tuple[int | None, ...], have: tuple[int, ...]) -> bool:
    """Say whether a shape is met where its first length may be any, or its last, or all may."""
    if shape[0] is None:
        return have[1:] == shape[1:] or shape.count(None) == len(shape)
    return shape[-1] is None and have[:-1] == shape[:-1]


def loose(name: str, value: Any, dtypes: str | tuple[str, ...], shape: tuple[int | None, ...]) -> Array:
    """Return `value` as `array` does, but strides may be any multiple of the item size."""
    known = _DTYPES.get(dtypes) or _known(dtypes)
    if type(value) is np.ndarray and value.dtype in known and len(shape) == 1:  # a column: asked most often
        have = value.shape
        fits = have == shape or (len(have) == 1 and shape[0] is None)
        if fits and value.flags.aligned:  # which NumPy says of strides too, where they lead to another cell
            return value
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array; found {type(value).__name__}")
    allowed = (dtypes,) if isinstance(dtypes, str) else dtypes
    if _name(value.dtype) not in allowed or not value.dtype.isnative:
        raise TypeError(f"{name} must be {' or '.join(allowed)}; found {value.dtype}")
    found = value.shape
    if found != shape and (
        len(found) != len(shape)
        or not all(want is None or want == have for want, have in zip(shape, found, strict=True))
    ):
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise ValueError(f"{name} must have shape ({wanted}); found {found}")
    item = value.itemsize
    if not value.flags.aligned or any(s % item for s in value.strides):
        raise ValueError(
            f"{name} must be aligned; found strides {value.strides} of {value.itemsize}-byte items"
        )
    return value


@cache
def _name(dtype: np.dtype[Any]) -> str:
    """Return a dtype's name; NumPy makes a new one each time."""
    return dtype.name


def maybe(name: str, value: Any, dtype: str, shape: tuple[int | None, ...]) -> Array | None:
    """Return None as it is, anything else as `array` does."""
    return None if value is None else array(name, value, dtype, shape)


def check_size(name: str, value: int, low: int = 1) -> int:
    if not isinstance(value, (int, np.integer)) or value < low:
        raise ValueError(f"{name} must be a whole number of at least {low}; found {value!r}")
    return int(value)


def code_dtype(codes: int) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest unsigned type for codes 0..codes-1."""
    return np.uint8 if codes <= 1 << 8 else np.uint16 if codes <= 1 << 16 else np.uint32


def no_memory() -> NoMemory:
    """Return the error of a kernel that ran out of memory; the binding raises it for `std::bad_alloc`."""
    limit = files.address_limit()
    there = files.machine_memory() if limit < 0 else min(limit, files.machine_memory())
    return NoMemory(
        f"not enough memory: there are {there / 2**30:,.3g} GB. Take fewer rows or columns, join rare levels "
        "or classes, or keep the rows on disk: ",
        Argument("memory", "500MB"),
        ".",
    )
