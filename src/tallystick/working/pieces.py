"""What lines of a working are made of: words, names, numbers and a little algebra.

Knows what is written, not how: a number keeps its exact value, a name is text of the user, algebra is nested
lines. How many digits a number has is a matter of the number, not of a format.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tallystick.models.tree.sentences import plain

Number = int | float | Fraction
FINEST = 100  # a fraction is written as a decimal when so many parts hold it exactly: 0.4, 0.25


@dataclass(frozen=True)
class Quoted:
    """Text of the user: a column, a level, a class, a condition on them."""

    text: str


@dataclass(frozen=True)
class Value:
    """A number that was worked out, kept in full. digits: decimals that are shown; significant: digits that
    matter instead, for products that can be small.
    """

    number: Number
    digits: int = 4
    significant: int = 0

    @property
    def written(self) -> str:
        """The number as a person writes it, with a minus sign."""
        return written(self.number, self.digits, self.significant)


@dataclass(frozen=True)
class Ratio:
    """A fraction of counts as they are, never reduced: 4/14. decimal: written as 0.4 where that is exact."""

    top: int
    bottom: int
    decimal: bool = False

    @property
    def value(self) -> Fraction:
        """The exact value."""
        return Fraction(self.top, self.bottom)

    @property
    def short(self) -> str | None:
        """The decimal to be written, where it is wanted and exact."""
        if not self.decimal or FINEST % self.value.denominator:
            return None
        return f"{float(self.value):g}"


@dataclass(frozen=True)
class Over:
    """One line over another."""

    top: Line
    bottom: Line


@dataclass(frozen=True)
class Raised:
    """An exponent."""

    of: Line


@dataclass(frozen=True)
class Lowered:
    """An index."""

    of: Line


@dataclass(frozen=True)
class Root:
    """A square root."""

    of: Line


Piece = str | Quoted | Value | Ratio | Over | Raised | Lowered | Root
Line = tuple[Piece, ...]


def line(*pieces: Piece | Line) -> Line:
    """Return pieces and lines as one line."""
    out: list[Piece] = []
    for piece in pieces:
        out += piece if isinstance(piece, tuple) else [piece]
    return tuple(out)


def summed(numbers: Sequence[float]) -> Line:
    """Return numbers with plus and minus signs between them."""
    out: list[Piece] = []
    for k, x in enumerate(numbers):
        out += [*([" − " if x < 0 else " + "] if k else []), Value(abs(x) if k else x)]
    return tuple(out)


def bracketed(number: Number, digits: int = 4, significant: int = 0) -> Line:
    """Return a number that follows a sign: in brackets where it has one of its own."""
    value = Value(number, digits, significant)
    return (value,) if number >= 0 else ("(", value, ")")


def joined(lines: Sequence[Line], between: str) -> Line:
    """Return lines with a sign between them."""
    out: list[Piece] = []
    for k, each in enumerate(lines):
        out += [*([between] if k else []), *each]
    return tuple(out)


def written(number: Number, digits: int = 4, significant: int = 0) -> str:
    """Return a number with so many decimals, or digits that matter; whole numbers as they are, small ones
    with a power of ten, and an exact 0 as 0.
    """
    if isinstance(number, int) or number == int(number if math.isfinite(number) else 0):
        return f"{int(number):,}".replace("-", "−")
    x = float(number)
    if not math.isfinite(x):
        return "undefined" if x != x else "∞" if x > 0 else "−∞"
    matter = significant or 4
    if abs(x) < 1e-4:
        return _with_power(number, matter).replace("-", "−")
    if significant or abs(x) < 10 ** (1 - digits):
        return _fixed(x, matter).replace("-", "−")
    return f"{x:,.{digits}f}".replace("-", "−")


def _with_power(number: float | Fraction, matter: int) -> str:
    """Return a small number with its power of ten; an exact one also where no double is so small."""
    if float(number) == 0 and isinstance(number, Fraction):
        log = math.log10(abs(number.numerator)) - math.log10(number.denominator)
        power = math.floor(log)
        return f"{10 ** (log - power):.{matter - 1}f}·10{superscript(power)}"
    mantissa, _, text = f"{float(number):.{matter - 1}e}".partition("e")
    return f"{mantissa}·10{superscript(int(text))}"


def _fixed(x: float, matter: int) -> str:
    """Return digits that matter without a power of ten, and without zeros at the end."""
    decimals = max(0, matter - 1 - math.floor(math.log10(abs(x))))
    text = f"{x:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def superscript(number: int) -> str:
    """Return a whole number in raised digits."""
    return str(number).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def rational(x: float) -> Fraction | None:
    """Return the decimal that a person reads in a number of the table, exactly; None where there is none."""
    return Fraction(repr(float(x))) if math.isfinite(x) else None


def said(text: object) -> Quoted:
    """Return text of the user with control and direction characters escaped."""
    return Quoted(plain(text))
