"""Values as text: parts of dates, canonical text, labels, merged spellings, formats of numbers and dates.

Entry: `part_values()`; `cell_text()`, `number_text()`; `label_text()`; `merges()`; `Ways`.
way = a format in which people write numbers, dates or times.
Imports nothing heavy. Laws of canonical text: 1, 1.0, Decimal("1.00") and "1" are "1"; True is "true"; None,
NaN, NA and NaT are missing (None); one moment is one text in any container and unit, a duration is its
seconds; the text of a number reads back as that number.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from tallystick.errors import DataError, OptionError, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# Parts of dates: year, month, weekday and hour of days since 1970-01-01.
# Laws: a moment is rounded to the millisecond; the parts are whole numbers, found by exact arithmetic of
# doubles alone, so that an export in any language finds the same.

PARTS = ("year", "month", "weekday", "hour")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEKDAY_LEVELS = tuple(sorted(WEEKDAYS))
RANGES = {"month": (1.0, 12.0), "hour": (0.0, 23.0)}
MILLISECONDS = 86_400_000.0  # in a day


def part_values(days: NDArray[np.float64], part: str) -> NDArray[np.float64]:
    """Return a part of each moment; of a weekday its number from Monday on, 0 to 6. NaN stays NaN."""
    import numpy as np

    clock = np.floor(days * MILLISECONDS + 0.5)
    day = np.floor(clock / MILLISECONDS)
    if part == "hour":
        return np.floor((clock - day * MILLISECONDS) / 3_600_000.0)
    if part == "weekday":
        since = day + 3.0  # 1970-01-01 was a Thursday
        return since - 7.0 * np.floor(since / 7.0)
    found: NDArray[np.float64] = civil(day, np)[0 if part == "year" else 1]
    return found


def civil(day: Any, np: Any) -> tuple[Any, Any]:
    """Return year and month of whole days since 1970-01-01, counted in eras of 400 years from March 0000."""
    z = day + 719_468.0
    era = np.floor(z / 146_097.0)
    left = z - era * 146_097.0  # day of the era
    of_era = np.floor(
        (left - np.floor(left / 1_460.0) + np.floor(left / 36_524.0) - np.floor(left / 146_096.0)) / 365.0
    )
    of_year = left - (365.0 * of_era + np.floor(of_era / 4.0) - np.floor(of_era / 100.0))
    march = np.floor((5.0 * of_year + 2.0) / 153.0)  # months since March
    late = np.floor(march / 10.0)  # 1 in January and February
    return of_era + era * 400.0 + late, march + 3.0 - 12.0 * late


def weekday_codes(numbers: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the codes of weekdays among WEEKDAY_LEVELS; missing is behind the last."""
    import numpy as np

    into = np.array([*(WEEKDAY_LEVELS.index(day) for day in WEEKDAYS), len(WEEKDAYS)], np.uint8)
    gone = np.isnan(numbers)
    return into[np.where(gone, len(WEEKDAYS), numbers).astype(np.int64)]


def informative_parts(low: float, high: float, whole: bool) -> tuple[str, ...]:
    """Return the parts that may differ among moments from low to high; whole: there is no time of day."""
    import numpy as np

    ends = np.array([low, high])
    year, month = (part_values(ends, part) for part in ("year", "month"))
    out = ["year"] if year[0] != year[1] else []
    out += ["month"] if year[0] != year[1] or month[0] != month[1] else []
    out += ["weekday"] if low != high else []
    return (*out, *(() if whole else ("hour",)))


DOUBLES = 400  # decimal places beyond which no double reaches
DAY, SECOND = 86_400_000_000, 1_000_000  # microseconds of each
YEARS = 8_000  # years before and after 1970 that a moment may be
EXACT = 2.0**53  # whole numbers from here on are no longer exact as doubles
WRITTEN_OUT = 2.0**64  # whole numbers from here on are written as powers of ten
MICROSECOND = datetime.timedelta(microseconds=1)
EPOCH = datetime.datetime(1970, 1, 1)
OF_PANDAS = ("NAType", "NaTType")  # types of its missing values, recognised by name without importing pandas
TRUTH_LABELS = {"1": "true", "0": "false", "1.0": "true", "0.0": "false", "true": "true", "false": "false"}


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the number; whole numbers without a point."""
    whole = abs(value) < WRITTEN_OUT and value == int(value)
    return str(int(value)) if whole else repr(float(value))


def quantity(value: float, unit: str, digits: int | None = None) -> str:
    """Return a number of a column as people write it, in some digits or in all that tell it apart; where the
    unit is "date" the moment that these days since 1970 stand for, to the second or to the microsecond.
    """
    if unit == "date" and abs(value) < 365 * YEARS:
        return moment_text(round(value * DAY) if digits is None else round(value * DAY / SECOND) * SECOND)
    return number_text(value) if digits is None else f"{value:.{digits}g}"


def figure(value: float, unit: str, digits: int = 5) -> str:
    """Return a number of a column in some digits; a large one whole, as people write it."""
    whole = not unit and 1e5 <= abs(value) < 1e12
    return f"{value:,.0f}" if whole else quantity(value, unit, digits)


def moment_text(micros: int, zoned: bool = False) -> str:
    """Return a moment, in microseconds since 1970, as people write it: the date, and the time where there is
    one. zoned: it is known when that was anywhere on Earth; the text is UTC's and says so.
    """
    import numpy as np

    date, _, time = str(np.datetime64(micros, "us")).partition("T")
    time = time.rstrip("0").rstrip(".") if not time.endswith(".000000") else time[:8]
    return f"{date} {time}Z" if zoned else date if time == "00:00:00" else f"{date} {time}"


def is_missing(cell: Any) -> bool:
    """Say whether one value is none: None, NaN, or NA and NaT of pandas."""
    return cell is None or (isinstance(cell, float) and cell != cell) or type(cell).__name__ in OF_PANDAS


def cell_text(cell: Any, name: str) -> str | None:
    """Return one value as canonical text, None for a missing one; what is not a cell is an error."""
    if isinstance(cell, str):
        return cell if type(cell) is str else str.__str__(cell)
    if is_missing(cell):
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int):
        whole = int(cell)
        try:
            return str(whole)
        except ValueError:
            raise DataError(
                f"column {shown(name)} holds a whole number of {whole.bit_length() * 3 // 10:,} digits or "
                "so, more than Python writes out. Write it as text."
            ) from None
    if isinstance(cell, float):
        return number_text(float(cell))
    reason: Exception | None = None
    try:
        if (text := _rare_text(cell, name)) != "":
            return text
    except DataError:
        raise
    except Exception as error:  # of an object that is not ours: it cannot say what it is
        reason = error
    raise DataError(
        f"column {shown(name)} holds {shown(type(cell).__name__)} objects, which are not cells. "
        "Turn them into numbers or text first, for example with .astype(str)."
    ) from reason


def _rare_text(cell: Any, name: str) -> str | None:
    """Return the text of what is not one of Python's own numbers and texts; "" of what is not a cell."""
    if type(cell).__name__ == "Decimal":
        if cell.is_nan():
            return None
        if cell.is_finite() and abs(cell.adjusted()) > DOUBLES:  # to be read as a file would be
            return str(cell)
        whole = cell.is_finite() and cell == cell.to_integral_value()
        return str(int(cell)) if whole else number_text(float(cell))
    if isinstance(cell, datetime.datetime):
        zone = cell.utcoffset()
        plain = cell.replace(tzinfo=None) - (zone or datetime.timedelta())
        return moment_text((plain - EPOCH) // MICROSECOND, zone is not None)
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    if isinstance(cell, datetime.timedelta):
        return number_text((cell // MICROSECOND) / 1e6)
    library, of = type(cell).__module__.partition(".")[0], type(cell).__name__
    if (library, of) in (("uuid", "UUID"), ("pandas", "Interval")):
        return str(cell)
    if (library, of) == ("pandas", "Period"):
        return cell_text(cell.to_timestamp(), name)
    if library == "fractions":
        return number_text(float(cell))
    if library == "pyarrow":
        return cell_text(cell.as_py(), name)
    import numpy as np

    if isinstance(cell, np.datetime64):
        return None if np.isnat(cell) else _numpy_moment(cell, name)
    if isinstance(cell, np.timedelta64):
        return None if np.isnat(cell) else number_text(int(cell.astype("m8[us]").astype("i8")) / 1e6)
    if isinstance(cell, np.bool_):
        return cell_text(bool(cell), name)
    if isinstance(cell, np.integer):
        return str(int(cell))
    return cell_text(float(cell), name) if isinstance(cell, np.floating) else ""


def _numpy_moment(cell: Any, name: str) -> str:
    if abs(int(cell.astype("M8[Y]").astype("i8"))) > YEARS:
        raise DataError(
            f"column {shown(name)} holds the date {shown(cell)}, beyond the year 9999. Correct it."
        )
    return moment_text(int(cell.astype("M8[us]").astype("i8")))


# ---- labels ----


def label_text(given: Any) -> str:
    """Return the label that a user gives as text: that of a cell; what is not a cell as Python prints it."""
    try:
        text = cell_text(given, "target")
    except DataError:
        if isinstance(given, int):  # of more digits than Python writes out
            raise
        text = None
    return str(given) if text is None else text


def label_number(text: str) -> str | None:
    """Return a number as the text its label has, None for what is not a finite number: "1.0" is "1"."""
    try:
        value = float(text)
    except ValueError:
        return None
    if value - value != 0 or "_" in text or not text.isascii():
        return None
    try:
        return str(int(text))  # whole numbers of any size, to the last digit
    except ValueError:
        return number_text(value)


def label_form(text: str, value: float, label_type: str) -> str:
    """Return the one text of a label that was read; value: the number it is; label_type: see schema."""
    if label_type == "boolean":
        return text.lower()
    if label_type == "integer" and abs(value) >= EXACT:
        return label_number(text) or text  # to the last digit
    return number_text(value) if label_type in ("integer", "number") else text


# Merged spellings, as the user gives them: `merge={"yes": ["Yes", "YES", "Y"]}`, for all columns or for one.
# Laws: a spelling is merged into one text, which is not merged any further; the order of the list has no
# effect.

Merge = Mapping[str, Any]  # {text: (spellings)}, or {column: {text: (spellings)}}
SPACES = " \t\n\v\f\r"
EXAMPLE = "merge={'yes': ['Yes', 'YES']}, or of one column merge={'answer': {'yes': ['Yes', 'YES']}}"


def merges(given: Any) -> dict[str, Any]:
    """Return what was given in one form: spellings are texts, sorted, without the text that they become."""
    if not given:
        return {}
    if not isinstance(given, Mapping):
        raise OptionError(f"merge must say which spellings are one: {EXAMPLE}, not {shown(given)}.")
    out: dict[str, Any] = {}
    for key in sorted(given, key=str):
        value = given[key]
        if isinstance(value, Mapping):
            out[str(key)] = {_text(t): _spellings(t, value[t]) for t in sorted(value, key=str)}
        else:
            out[_text(key)] = _spellings(key, value)
    for name in (None, *(key for key, value in out.items() if isinstance(value, dict))):
        spellings(out, name)  # refuse what contradicts itself
    return out


def _spellings(text: Any, given: Any) -> tuple[str, ...]:
    try:
        listed = [given] if isinstance(given, str | bytes) else list(given)
    except TypeError:
        raise OptionError(
            f"merge lists the spellings of {shown(text)}: {EXAMPLE}, not {shown(given)}."
        ) from None
    return tuple(sorted({_text(one) for one in listed} - {_text(text)}))


def _text(given: Any) -> str:
    text = (cell_text(given, "merge") or "").strip(SPACES)
    if not text:
        raise OptionError(
            f"merge joins spellings that are there, and {shown(given)} is none. What stands for missing is "
            "said by missing=."
        )
    return text


def of_all(merge: Merge) -> dict[str, tuple[str, ...]]:
    """Return what is merged in every column."""
    return {text: spelt for text, spelt in merge.items() if not isinstance(spelt, Mapping)}


def spellings(merge: Merge, name: str | None) -> dict[str, str]:
    """Return the text that each spelling becomes in a column; None: in all of them."""
    own = merge.get(name) if name is not None else None
    out: dict[str, str] = {}
    for text, spelt in (*of_all(merge).items(), *(own.items() if isinstance(own, Mapping) else ())):
        for one in spelt:
            if out.setdefault(one, text) != text:
                raise OptionError(
                    f"merge makes {shown(one)} both {shown(out[one])} and {shown(text)}. Name it once."
                )
    for text in sorted(set(out.values())):
        if text in out:
            raise OptionError(
                f"merge makes {shown(text)} {shown(out[text])}, but makes others {shown(text)}. Merge all of "
                f"them into {shown(out[text])}."
            )
    return out


def plain_merges(merge: Merge) -> dict[str, Any]:
    """Return it as plain data."""
    return {k: plain_merges(v) if isinstance(v, Mapping) else list(v) for k, v in merge.items()}


def typed_merges(merge: Merge) -> list[str]:
    """Return what the command line takes for it: `yes=YES,Yes`, `answer: yes=YES,Yes`."""
    out = [f"{text}={','.join(spelt)}" for text, spelt in of_all(merge).items()]
    for name, own in merge.items():
        if isinstance(own, Mapping):
            out += [f"{name}: {text}={','.join(spelt)}" for text, spelt in own.items()]
    return out


def read_merges(given: tuple[str, ...]) -> dict[str, Any]:
    """Return what the command line was given, as Python takes it."""
    out: dict[str, Any] = {}
    for line in given:
        left, equals, right = line.partition("=")
        column, colon, text = left.rpartition(": ")
        spelt = [one for one in right.split(",") if one.strip()]
        if not equals or not text.strip() or not spelt or (colon and not column):
            raise OptionError(
                f"--merge {shown(line)} is not TEXT=SPELLING,... Write for example --merge 'yes=Yes,YES', or "
                "of one column --merge 'answer: yes=Yes,YES'."
            )
        place = out.setdefault(column, {}) if colon else out
        if not isinstance(place, dict) or isinstance(place.get(text), Mapping):
            raise OptionError(f"--merge names {shown(column or text)} as a column and as a text.")
        place[text] = [*place.get(text, ()), *spelt]
    return out


# Ways of writing numbers, dates and times (1.234,50 €, (12), 10.9%, 12 kg, 31.12.2020, 8:30), and their
# conversion to the plain one.
# Laws: a way is found from the distinct texts alone; where two ways read the texts as different numbers both
# are returned, and none is chosen; a way changes only the texts that are written in it.

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
SAMPLE = 50  # texts that are tried before all are
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
        import pyarrow.compute as pc

        for way in self._candidates():
            pattern = way.pattern(bare=False)
            some = pc.all(pc.match_substring_regex(self.texts[:SAMPLE], pattern)).as_py()
            if some and pc.all(pc.match_substring_regex(self.texts, pattern)).as_py():
                read = way.rewrite(self.texts)
                if not read.equals(self.texts):
                    out.setdefault(tuple(read.to_pylist()), way)
        return tuple(out.values())

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
