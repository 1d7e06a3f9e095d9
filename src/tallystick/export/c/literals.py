"""Values as C: literals, names, and tables that many places point into.

Knows C. Knows nothing of models. Law: no text from a user can leave its quotes, and a number reads back as
the same bits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from tallystick.errors import OptionError, shown

WIDE = 110  # characters of a line


def text(value: str) -> str:
    """Return a text as a literal: ASCII, with the bytes of other characters in octal."""
    if "\0" in value:
        raise OptionError(f"{shown(value)} holds the character NUL, which no C text can hold.")
    return '"' + "".join(_byte(b) for b in value.encode()) + '"'


def _byte(b: int) -> str:
    if chr(b) in '"\\?':  # ? because ??/ and its like are other characters in C
        return "\\" + chr(b)
    return chr(b) if 32 <= b < 127 else f"\\{b:03o}"


def double(value: float | None) -> str:
    """Return a number as a literal that reads back as the same bits; None is -infinity."""
    if value is None or value == -math.inf:
        return "-INFINITY"
    return "INFINITY" if value == math.inf else repr(float(value))


def identifier(name: str) -> str:
    """Return what is left of a name in capitals, digits and underscores."""
    return re.sub("[^0-9A-Z]+", "_", name.upper()).strip("_")


class Pool:
    """Lists of one type in one array; who needs a list points to where it begins. Equal lists are one."""

    def __init__(self, type: str, name: str) -> None:
        self.type, self.name = type, name
        self.lists: dict[tuple[str, ...], int] = {}
        self.size = 0

    def add(self, items: Iterable[str]) -> str:
        """Return where the list begins, as an expression; 0 for an empty list."""
        listed = tuple(items)
        if not listed:
            return "0"
        if listed not in self.lists:
            self.lists[listed] = self.size
            self.size += len(listed)
        return f"{self.name} + {self.lists[listed]}"

    def lines(self, empty: str = "0") -> list[str]:
        """Return the array; where no list was added, nothing."""
        if not self.lists:
            return []
        return array(self.type, self.name, [", ".join(items) for items in self.lists], empty)


def array(type: str, name: str, items: Sequence[str], empty: str = "0", size: str = "[]") -> list[str]:
    """Return an array of constants, as many a line as there is room for; C has no array of no items."""
    out, line = [f"static const {type} {name}{size} = {{"], "   "
    for item in items or [empty]:
        if len(line) > 4 and len(line) + len(item) > WIDE:
            out.append(line)
            line = "   "
        line += f" {item},"
    return [*out, line, "};"]
