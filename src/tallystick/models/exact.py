"""Exact sums of doubles as plain integers and as plain text.

Every double is a whole multiple of 2^-1074 and every square of 2^-2148, so sums of them are integers in those
units. Knows integers only. Law: `read(write(n, unit), unit) == n`; the text is the exact decimal value,
nothing rounded.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import NamedTuple

SUM_UNIT = 1074  # a sum is a whole multiple of 2^-1074
SQUARE_UNIT = 2148
MAX_TEXT = 3_000
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?")


class Unreduced(NamedTuple):
    """A whole number over another above 0, not in lowest terms: these take most of a Fraction's time."""

    over: int
    under: int

    def plus(self, other: Unreduced) -> Unreduced:
        """Return the sum of both, over the least number that both may stand over."""
        under = math.lcm(self.under, other.under)
        over = self.over * (under // self.under) + other.over * (under // other.under)
        return Unreduced(over, under)

    def times(self, over: int, under: int = 1) -> Unreduced:
        """Return the product with over / under."""
        return Unreduced(self.over * over, self.under * under)

    def below(self, other: Unreduced) -> bool:
        """Say whether this is less than another."""
        return self.over * other.under < other.over * self.under


def write(units: int, unit: int) -> str:
    """Return units * 2^-unit as exact decimal text."""
    if units == 0:
        return "0"
    zeros = (units & -units).bit_length() - 1
    places = max(unit - zeros, 0)
    whole = abs(units) >> unit - places
    digits = str(whole * 5**places).rjust(places + 1, "0")
    text = digits[: len(digits) - places] + ("." + digits[len(digits) - places :] if places else "")
    return "-" + text if units < 0 else text


def reads(text: str, unit: int) -> bool:
    """Say whether the text is what `write` writes for some whole number of units."""
    if len(text) > MAX_TEXT or not _DECIMAL.fullmatch(text) or text == "-0":
        return False
    return len(text.partition(".")[2]) <= unit and (Fraction(text) * 2**unit).denominator == 1


def read(text: str, unit: int) -> int:
    """Return the whole number of units of 2^-unit that the text says."""
    return int(Fraction(text) * 2**unit)
