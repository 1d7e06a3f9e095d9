"""What a section of a model file may hold, described as data: a shape is a small object that checks a value.

Law: a value that passed its shape holds no surprise: finite numbers, known keys, agreed lengths.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tallystick.errors import ModelFileError, shown
from tallystick.schema import Schema

Sizes = dict[str, int]  # lengths by name, such as "classes", met so far in the file
MAX_COUNT = 2**63 - 1


class Shape(Protocol):
    """Law: `check` raises ModelFileError, one line that names the place, or returns nothing."""

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise when the value does not have this shape."""
        ...


def wrong(place: str, expected: str, found: Any) -> ModelFileError:
    """Return the error for a value of another shape than expected."""
    if isinstance(found, list | dict):
        found = f"{'a list' if isinstance(found, list) else 'an object'} of {len(found):,}"
    elif isinstance(found, str):
        found = shown(found)
    return ModelFileError(
        f"model file: {place} must be {expected}, found {str(found)[:80]}. The file was edited or damaged."
    )


@dataclass(frozen=True, slots=True)
class Text:
    """A string; `options` lists the allowed ones, `test` with `words` narrows it further."""

    options: Collection[str] = ()
    test: Callable[[str], bool] | None = None
    words: str = "text"

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value fits."""
        if not isinstance(value, str):
            raise wrong(place, self.words, value)
        if self.options and value not in self.options:
            raise wrong(place, "one of " + ", ".join(self.options), value)
        if self.test is not None and not self.test(value):
            raise wrong(place, self.words, value)


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from `low` to `high`."""

    low: int = 0
    high: int = MAX_COUNT

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value fits."""
        if type(value) is not int or not self.low <= value <= self.high:
            raise wrong(place, f"a whole number from {self.low:,} to {self.high:,}", value)


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number from `low` to `high`."""

    low: float = -math.inf
    high: float = math.inf

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value fits."""
        if type(value) not in (int, float) or not math.isfinite(_double(value)):
            raise wrong(place, "a finite number", value)
        if not self.low <= value <= self.high:
            raise wrong(place, f"a number from {self.low:g} to {self.high:g}", value)


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false; `only` narrows it to one of them."""

    only: bool | None = None

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value fits."""
        if type(value) is not bool or (self.only is not None and value is not self.only):
            raise wrong(place, "true or false" if self.only is None else str(self.only).lower(), value)


@dataclass(frozen=True, slots=True)
class Maybe:
    """Null, or the inner shape."""

    inner: Shape

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value fits."""
        if value is not None:
            self.inner.check(value, place, sizes)


@dataclass(frozen=True, slots=True)
class Either:
    """One of several shapes; the message of the last one is shown."""

    inner: tuple[Shape, ...]

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value fits."""
        for shape in self.inner[:-1]:
            try:
                return shape.check(value, place, sizes)
            except ModelFileError:
                continue
        self.inner[-1].check(value, place, sizes)


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of one shape. `size` names its length: the first list of that name sets it, later ones must
    agree.
    """

    of: Shape
    size: str = ""
    least: int = 0
    distinct: bool = False

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value fits."""
        check_list(value, place, self.size, sizes, self.least)
        for i, item in enumerate(value):
            self.of.check(item, f"{place}[{i}]", sizes)
        if self.distinct and len(set(value)) != len(value):
            raise wrong(place, "without repetition", value)


@dataclass(frozen=True, slots=True)
class LongList:
    """A list whose entries are checked where they are read, all at once."""

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value is a list."""
        check_list(value, place, "", sizes, 0)


@dataclass(frozen=True, slots=True)
class Counts:
    """A flat list of counts, checked at once because it may be long."""

    size: str = ""
    low: int = 0
    high: int = MAX_COUNT

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value fits."""
        check_list(value, place, self.size, sizes, 0)
        if not all(type(v) is int for v in value):
            bad = next(i for i, v in enumerate(value) if type(v) is not int)
            raise wrong(f"{place}[{bad}]", "a whole number", value[bad])
        if value and not (self.low <= min(value) and max(value) <= self.high):
            raise wrong(
                place, f"whole numbers from {self.low:,} to {self.high:,}", f"{min(value)} to {max(value)}"
            )


@dataclass(frozen=True, slots=True)
class Numbers:
    """A flat list of finite numbers."""

    size: str = ""
    low: float = -math.inf
    high: float = math.inf
    rising: bool = False

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value fits."""
        check_list(value, place, self.size, sizes, 0)
        for i, v in enumerate(value):
            Number(self.low, self.high).check(v, f"{place}[{i}]", sizes)
        if self.rising and any(a >= b for a, b in itertools.pairwise(value)):
            raise wrong(place, "in rising order", value)


@dataclass(frozen=True, slots=True)
class Rows:
    """A table: a list of rows of one flat shape."""

    of: Shape
    size: str = ""

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value fits."""
        check_list(value, place, self.size, sizes, 0)
        for i, row in enumerate(value):
            self.of.check(row, f"{place}[{i}]", sizes)


@dataclass(frozen=True, slots=True)
class Record:
    """An object with exactly these keys; `optional` ones may be absent."""

    keys: Mapping[str, Shape]
    optional: Mapping[str, Shape] = field(default_factory=dict)

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value fits."""
        if not isinstance(value, dict):
            raise wrong(place, "an object", value)
        for key in self.keys:
            if key not in value:
                raise ModelFileError(
                    f"model file: {place} lacks the key {shown(key)}. The file was edited or damaged."
                )
        for key, item in value.items():
            shape = self.keys.get(key) or self.optional.get(key)
            if shape is None:
                raise ModelFileError(
                    f"model file: {place} has the unknown key {shown(key)}. Is it from a newer version?"
                )
            shape.check(item, f"{place}.{key}", sizes)


@dataclass(frozen=True, slots=True)
class Named:
    """An object from any names to one shape."""

    of: Shape

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value fits."""
        if not isinstance(value, dict):
            raise wrong(place, "an object", value)
        for key, item in value.items():
            self.of.check(item, f"{place}[{shown(key)}]", sizes)


@dataclass(frozen=True, slots=True)
class Variant:
    """An object whose `key` says which record it is."""

    key: str
    records: Mapping[str, Record]

    def check(self, value: Any, place: str, sizes: Sizes) -> None:
        """Raise unless the value fits."""
        if not isinstance(value, dict):
            raise wrong(place, "an object", value)
        Text(tuple(self.records)).check(value.get(self.key), f"{place}.{self.key}", sizes)
        self.records[value[self.key]].check(value, place, sizes)


def check_list(value: Any, place: str, size: str, sizes: Sizes, least: int) -> None:
    """Raise unless the value is a list of the agreed length."""
    if not isinstance(value, list) or len(value) < least:
        raise wrong(place, f"a list of at least {least}" if least else "a list", value)
    if size and sizes.setdefault(size, len(value)) != len(value):
        raise wrong(place, f"a list of {sizes[size]:,} ({size})", value)


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


# The parameters that every kind of model has: how the table is to be read.
WISHES: dict[str, Shape] = {
    "keep": Listed(Text()),
    "kinds": Named(Text()),
    "levels": Named(Listed(Text())),
    "missing": Maybe(Listed(Text())),
}
_SPELLINGS = Named(Listed(Text()))
MAY_WISH: dict[str, Shape] = {"merge": Named(Either((Listed(Text()), _SPELLINGS)))}


def wished(own: Mapping[str, Shape], optional: Mapping[str, Shape] | None = None) -> Record:
    """Return the shape of a method's parameters, with how the table was asked to be read."""
    return Record({**own, **WISHES}, {**(optional or {}), **MAY_WISH})


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a kind of model adds to the model file: the shapes of its model and parameters, and what must hold
    between sections: check(document, schema).
    """

    model: Shape
    parameters: Shape
    check: Callable[[dict[str, Any], Schema], None]
