"""How people write numbers, dates and times: 1.234,50 €, (12), 10.9%, 12 kg, 31.12.2020, 8:30; and the plain
way of each.

Knows Arrow texts. Knows nothing of columns or rules.
Laws: a way is found from the distinct texts alone; texts that two ways read as different numbers have two,
and nobody chooses; only a text that is written in a way is changed by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

CURRENCIES = ("€", "$", "£", "¥", "₹", "EUR", "USD", "GBP", "CHF", "JPY", "SEK", "NOK", "DKK", "PLN", "CZK")
UNITS = (
    *("%", "‰", "°", "°C", "°F", "K", "kg", "g", "mg", "µg", "t", "lb", "lbs", "oz"),
    *("km", "m", "cm", "mm", "mi", "ft", "in", "yd", "m²", "m2", "km²", "ha"),
    *("m³", "m3", "l", "L", "ml", "cl"),
    *("s", "sec", "ms", "min", "h", "hrs", "hours", "d", "days", "weeks", "months", "yrs", "years"),
    *("W", "kW", "MW", "kWh", "V", "A", "Hz", "MHz", "GHz", "B", "KB", "kB", "MB", "GB", "TB"),
    *("km/h", "mph", "bpm", "mmHg", "mg/dl", "mmol/l", "kcal", "kJ", "bar", "hPa", "px", "pts"),
    *("k€", "Mio", "Mrd", "Tsd"),
)
THOUSANDS = ("", ",", ".", " ", "\u00a0", "\u202f", "'", "’")
SAMPLE = 50  # texts looked at before all are
_GAP = "[ \u00a0\u202f]?"
_DAY, _MONTH = "(0?[1-9]|[12][0-9]|3[01])", "(0?[1-9]|1[0-2])"
_TIME = r"([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?)?"
_HALF_END = r" ?[aApP]\.?[mM]\.?"  # AM, p.m.
_NOON = rf"([ T](0?[1-9]|1[0-2]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?{_HALF_END})?"
_SPLIT = re.compile(
    "^\\(?[-+]?(?P<before>[^\\d\\s.,'’+(-]*)\\s?[-+]?"
    "(?P<body>\\d[\\d.,'’ \u00a0\u202f]*?)[ \u00a0\u202f]?(?P<after>[^\\d\\s.,'’)][^)]*)?\\)?$"
)
_NUMBER = re.compile(r"^(\(?)([^\d(]*?)1([^\d]?)234([.,])5( ?)([^)]*?)\)?$")
_DATE = re.compile(r"^(31|12|20|2020)([./-])(31|12)\2(31|20|2020)( 11:59 PM)?$")
_HALF = r"(^|[ T])0?{}(:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]+)?)?) ?[{}]\.?[mM]\.?$"
_HALF_DAYS = tuple(  # an hour of a clock of twelve, and of one of twenty-four: 12 AM is 0
    (_HALF.format(hour, half), rf"\g{hour % 12 + 12 * (half == 'pP'):02d}\2")
    for hour in range(12, 0, -1)
    for half in ("aA", "pP")
)


@dataclass(frozen=True)
class NumberWay:
    """A number: what stands before and after it, its marks, and whether brackets mean a minus."""

    before: str = ""
    thousands: str = ""
    decimal: str = "."
    after: str = ""
    brackets: bool = False

    dated = False
    into = "numbers"

    @property
    def example(self) -> str:
        """The number 1234.5, written so: this is what a model file keeps."""
        gap = " " if self.after and self.after != "%" else ""
        plain = f"{self.before}1{self.thousands}234{self.decimal}5{gap}{self.after}"
        return f"({plain})" if self.brackets else plain

    @property
    def words(self) -> str:
        """What the numbers are, for a note."""
        if self.after == "%":
            return "percentages"
        if self.before or self.after in CURRENCIES:
            return f"amounts in {self.before or self.after}"
        return f"numbers of {self.after}" if self.after else "numbers"

    def pattern(self, bare: bool) -> str:
        """Return what a text written so matches. bare: also without what stands before and after it."""
        maybe = "?" if bare else ""
        before = f"(?:{re.escape(self.before)}{_GAP}){maybe}" if self.before else ""
        after = f"(?:{_GAP}{re.escape(self.after)}){maybe}" if self.after else ""
        mark = re.escape(self.thousands)
        whole = rf"(?:[0-9]{{1,3}}(?:{mark}[0-9]{{3}})+|[0-9]+)" if mark else "[0-9]+"
        number = rf"[-+]?{before}[-+]?{whole}(?:{re.escape(self.decimal)}[0-9]+)?{after}"
        return rf"^(?:{number}|\({number}\))$" if self.brackets else f"^{number}$"

    def rewrite(self, texts: Any) -> Any:
        """Return texts that are written so in the plain way."""
        import pyarrow.compute as pc

        if self.brackets:
            texts = pc.replace_substring_regex(texts, r"^\((.*)\)$", r"-\1")
        for gone in (self.before, self.after, self.thousands, " ", "\u00a0", "\u202f"):
            texts = pc.replace_substring(texts, gone, "") if gone else texts
        return pc.replace_substring(texts, self.decimal, ".") if self.decimal != "." else texts


def in_steps(texts: Any, steps: Iterable[tuple[str, str]]) -> Any:
    """Return texts after replacements, one after the other; \\g is the first group before a figure."""
    import pyarrow.compute as pc

    for pattern, into in steps:
        texts = pc.replace_substring_regex(texts, pattern, into.replace(r"\g", r"\1"))
    return texts


@dataclass(frozen=True)
class DateWay:
    """A date in figures: the mark between them, their order, whether years have two figures, and whether its
    times are of a clock of twelve hours. Years of two figures are 1970 to 2029.
    """

    mark: str
    day_first: bool = True
    year_first: bool = False
    short: bool = False
    noon: bool = False

    dated = True
    words = into = "dates"

    @property
    def is_other(self) -> bool:
        """Whether this is not the plain way, year, month and day with hyphens."""
        return not self.year_first or self.short or self.noon or self.mark != "-"

    @property
    def example(self) -> str:
        """The last day of 2020, written so, and its last minute where that tells of the clock."""
        year = "20" if self.short else "2020"
        figures = (year, "12", "31") if self.year_first else ("31", "12", year)
        if not self.day_first:
            figures = ("12", "31", year)
        return self.mark.join(figures) + (" 11:59 PM" if self.noon else "")

    def pattern(self, bare: bool) -> str:
        """Return what a text written so matches."""
        year = "[0-9]{2}" if self.short else "[0-9]{4}"
        figures = (year, _MONTH, _DAY) if self.year_first else (_DAY, _MONTH, year)
        if not self.day_first:
            figures = (_MONTH, _DAY, year)
        return f"^{re.escape(self.mark).join(figures)}{_NOON if self.noon else _TIME}$"

    def rewrite(self, texts: Any) -> Any:
        """Return texts that are written so as year, month and day."""
        mark, year = re.escape(self.mark), "[0-9]{2}" if self.short else "[0-9]{4}"
        first = f"({year}){mark}" if self.year_first else f"(..){mark}"
        steps = list(_HALF_DAYS) if self.noon else []
        steps += [] if self.year_first else [(rf"^([0-9]){mark}", rf"0\1{self.mark}")]
        steps.append((rf"^{first}([0-9]){mark}", rf"\1{self.mark}0\2{self.mark}"))
        if self.year_first:
            steps.append((rf"^({year}{mark}..{mark})([0-9])([ T]|$)", r"\g0\2\3"))
            steps.append((rf"^({year}){mark}(..){mark}", r"\1-\2-"))
        else:
            turned = r"\3-\2-\1" if self.day_first else r"\3-\1-\2"
            steps.append((rf"^(..){mark}(..){mark}({year})", turned))
        if self.short:
            steps += [("^([0-2][0-9]-)", r"20\1"), ("^([7-9][0-9]-)", r"19\1")]
        steps.append((r"^(.{10}[ T])([0-9]):", r"\g0\2:"))
        return in_steps(texts, steps)


@dataclass(frozen=True)
class TimeWay:
    """A time of day: hours and minutes, perhaps seconds. It is read as hours since midnight. noon: of a clock
    of twelve hours.
    """

    noon: bool = False

    dated = False
    words, into = "times of day", "hours"

    @property
    def example(self) -> str:
        """The last minute of a day, written so."""
        return "11:59 PM" if self.noon else "23:59"

    def pattern(self, bare: bool) -> str:
        """Return what a text written so matches."""
        hours, end = ("0?[1-9]|1[0-2]", _HALF_END) if self.noon else ("[01]?[0-9]|2[0-3]", "")
        return rf"^(?P<h>{hours}):(?P<m>[0-5][0-9])(?::(?P<s>[0-5][0-9](?:\.[0-9]+)?))?{end}$"

    def rewrite(self, texts: Any) -> Any:
        """Return texts that are written so as hours; others as nothing."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.noon:
            fits = pc.match_substring_regex(texts, self.pattern(bare=True))
            return pc.if_else(fits, TimeWay().rewrite(in_steps(texts, _HALF_DAYS)), texts)
        parts = pc.extract_regex(texts, self.pattern(bare=True))
        h, m, s = (pc.struct_field(parts, [i]) for i in range(3))
        s = pc.if_else(pc.equal(s, ""), "0", s)
        hours, minutes, seconds = (part.cast(pa.float64()) for part in (h, m, s))
        whole = pc.add(pc.multiply(pc.add(pc.multiply(hours, 60.0), minutes), 60.0), seconds)
        return pc.divide(whole, 3600.0).cast(pa.large_string())


Way = NumberWay | DateWay | TimeWay


def way_of(example: str) -> Way | None:
    """Return the way that a model file keeps as an example; None of a text that is none."""
    if not example:
        return None
    if example in ("23:59", "11:59 PM"):
        return TimeWay(example == "11:59 PM")
    if found := _DATE.match(example):
        year_first, day_first = found[1].startswith("20"), not (found[1] == "12" and found[3] == "31")
        short = len(found[1] if year_first else found[4]) == 2
        date = DateWay(found[2], day_first, year_first, short, bool(found[5]))
        return date if date.example == example and date.is_other else None
    if found := _NUMBER.match(example):
        way = NumberWay(found[2], found[3], found[4], found[6], bool(found[1]))
        known = way.before in ("", *CURRENCIES) and way.after in ("", *CURRENCIES, *UNITS)
        return way if known and way.thousands in THOUSANDS and way.example == example else None
    return None


def plain(texts: Any, way: Way) -> Any:
    """Return texts in the plain way, as far as they are written in this one."""
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(texts)
    fits = pc.match_substring_regex(trimmed, way.pattern(bare=True))
    return pc.if_else(fits, way.rewrite(trimmed), texts)


@dataclass(frozen=True)
class Ways:
    """The ways in which all of some distinct texts are written; more than one: who brought them must say."""

    texts: Any  # Arrow large_string
    decimal: str | None = None  # as the user said, or None
    day_first: bool | None = None

    @cached_property
    def found(self) -> tuple[Way, ...]:
        """The ways that fit every text and are not the plain one; of those that read alike one."""
        out: dict[tuple[str, ...], Way] = {}
        for way in self._candidates():
            if self._fits(way):
                read = way.rewrite(self.texts)
                if not read.equals(self.texts):
                    out.setdefault(tuple(read.to_pylist()), way)
        return tuple(out.values())

    def _fits(self, way: Way) -> bool:
        import pyarrow.compute as pc

        pattern = way.pattern(bare=False)
        some = pc.all(pc.match_substring_regex(self.texts[:SAMPLE], pattern)).as_py()
        return bool(some and pc.all(pc.match_substring_regex(self.texts, pattern)).as_py())

    def _candidates(self) -> Iterator[Way]:
        first = self.texts[0].as_py()
        if ":" in first[:3]:
            yield TimeWay(self._noon)
        yield from self._dates(first)
        split = _SPLIT.match(first)
        if split is None:
            return
        before, after = split["before"] or "", split["after"] or ""
        if before not in ("", *CURRENCIES) or after not in ("", *CURRENCIES, *UNITS):
            return
        money = bool(before) or after in CURRENCIES
        for thousands, decimal in product(THOUSANDS, ".,"):
            if thousands != decimal and self.decimal in (None, decimal):
                way = NumberWay(before, thousands, decimal, after, self._brackets)
                if not (money and self._grouped(decimal)) and way != NumberWay():
                    yield way

    def _dates(self, first: str) -> Iterator[Way]:
        for mark, short in product("./-", (False, True)):
            if mark not in first:
                continue
            for day_first in (True, False):
                if self.day_first in (None, day_first) and (day_first or mark != "."):
                    yield DateWay(mark, day_first, False, short, self._noon)
            if (other := DateWay(mark, True, True, short, self._noon)).is_other:
                yield other

    @cached_property
    def _noon(self) -> bool:
        import pyarrow.compute as pc

        return bool(pc.any(pc.match_substring_regex(self.texts, f":[0-9]{{2}}{_HALF_END}$")).as_py())

    @cached_property
    def _brackets(self) -> bool:
        import pyarrow.compute as pc

        return bool(pc.any(pc.starts_with(self.texts, "(")).as_py())

    def _grouped(self, decimal: str) -> bool:
        """Would every decimal of amounts of money be three figures? Then they are thousands."""
        import pyarrow.compute as pc

        with_mark = self.texts.filter(pc.match_substring(self.texts, decimal))
        three = rf"{re.escape(decimal)}[0-9]{{3}}([^0-9]|$)"
        return bool(len(with_mark)) and bool(pc.all(pc.match_substring_regex(with_mark, three)).as_py())
