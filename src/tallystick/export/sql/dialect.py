"""What differs between databases: quotes, literals, casts, reading text, and what a CTE promises.

Knows SQL texts. Knows nothing of models. Law: no name and no text from a user can leave its quotes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tallystick.errors import OptionError, nearest, shown

WIDEST = 50  # arguments of one call; SQLite takes at most 100
LARGEST = "1.7976931348623157e308"
# A number as people write one; whole numbers with leading zeros are names, not numbers.
ANY_NUMBER = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
DAY = "[0-9]" * 4 + "-[0-9][0-9]" * 2
CLOCK = r"[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{{1,6}})?)?"  # braces wait for `format`
DATE = f"^{DAY}({CLOCK})?$"
PLAIN_NUMBER = r"^[+-]?(0|[1-9][0-9]*|[0-9]+[.][0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"


@dataclass(frozen=True, slots=True)
class Dialect:
    """One database's ways; {} in a pattern stands for the argument.

    once: how a CTE is told to be computed once, so that no planner copies it into every place that uses it.
    """

    name: str
    title: str
    mark: str = '"'  # around names
    real: str = "DOUBLE"
    text: str = "VARCHAR"
    once: str = ""
    greatest: str = "greatest"
    least: str = "least"
    strip: str = r"trim({}, E' \t\n\x0B\f\r')"
    is_number: str = ""  # whether a text is a plain number
    is_text: str = ""  # whether a column holds text (or truth values, which are not numbers)
    reads: str = ""  # whether a text is a number, leading zeros or not
    dated: str = ""  # whether a text is a date or a time, as ISO writes it
    days: str = ""  # a date or time as days since 1970-01-01
    floor: str = "floor({})"
    year: str = ""  # of whole days since 1970-01-01
    month: str = ""
    fail: str = ""  # an error that shows a text
    same_case: bool = False  # whether names that differ in letter case alone are one name
    longest: int = 0  # bytes of a name that count; 0: all
    hidden: tuple[str, ...] = ()  # columns that a table has unseen: SELECT * leaves them out

    def name_of(self, name: str) -> str:
        """Return a quoted name."""
        return self.mark + name.replace(self.mark, self.mark * 2) + self.mark

    def fold(self, name: str) -> object:
        """Return what two names share that are one to the database: letters A to Z, or their first bytes."""
        if self.longest:
            return name.encode()[: self.longest]
        if not self.same_case:
            return name
        return name.lower() if self.name == "spark" else name.encode().lower()  # bytes: A to Z alone

    def hides(self, name: str) -> bool:
        """Say whether a table has a column of this name unseen, of the database's own."""
        return self.fold(name) in {self.fold(own) for own in self.hidden}

    def cut(self, name: str, ending: str) -> str:
        """Return a name that still counts as a whole with an ending after it."""
        room = self.longest - len(ending.encode()) if self.longest else None
        return name.encode()[:room].decode(errors="ignore")

    def literal(self, value: object) -> str:
        """Return a text, number or truth value as a literal."""
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, int):
            return str(value)
        if isinstance(value, float):
            return self.double(value)
        text = str(value)
        if "\0" in text:
            raise OptionError(f"{shown(text)} holds the character NUL, which no SQL text can hold.")
        if self.name == "spark":  # there a backslash escapes, and ${name} is replaced even inside quotes
            return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("$", "\\u0024") + "'"
        return "'" + text.replace("'", "''") + "'"

    def texts(self, values: Sequence[str]) -> str:
        """Return texts in brackets."""
        return "(" + ", ".join(self.literal(v) for v in values) + ")"

    def double(self, value: float | None) -> str:
        """Return a number as a double that reads back as the same bits; None is -infinity."""
        if value is None or value == -math.inf:
            return "-9e999" if self.name == "sqlite" else f"CAST('-Infinity' AS {self.real})"
        text = repr(float(value))
        return text if "e" in text else text + "e0"

    def number(self, value: float) -> str:
        """Return a number to compare with: plain where every database reads it as the nearest double."""
        text = repr(float(value))
        plain = "e" not in text and len(text.strip("-").replace(".", "").strip("0")) <= 15
        return text.removesuffix(".0") if plain else self.double(value)

    def top(self, expressions: Sequence[str]) -> str:
        """Return the greatest of some expressions."""
        some = list(expressions)
        while len(some) > WIDEST:
            parts = [some[i : i + WIDEST] for i in range(0, len(some), WIDEST)]
            some = [self.top(part) for part in parts]
        return some[0] if len(some) == 1 else f"{self.greatest}({', '.join(some)})"


DUCKDB = Dialect(
    "duckdb",
    "DuckDB",
    is_number=f"regexp_full_match({{}}, '{PLAIN_NUMBER}')",
    is_text="(typeof({0}) IN ('VARCHAR', 'BOOLEAN') OR typeof({0}) LIKE 'ENUM%')",
    reads=f"regexp_full_match({{}}, '{ANY_NUMBER}')",
    dated=f"regexp_full_match({{}}, '{DATE}')",
    days="epoch_us(CAST({} AS TIMESTAMP)) / 86400e6",
    year="year(DATE '1970-01-01' + CAST({} AS INTEGER))",
    month="month(DATE '1970-01-01' + CAST({} AS INTEGER))",
    fail="CAST({} AS DOUBLE)",
    same_case=True,
    hidden=("rowid", "filename", "file_index", "file_row_number"),
)
POSTGRES = Dialect(
    "postgres",
    "PostgreSQL",
    real="DOUBLE PRECISION",
    text="TEXT",
    once="MATERIALIZED ",
    strip=r"btrim({}, E' \t\n\x0B\f\r')",
    is_number=f"{{}} ~ '{PLAIN_NUMBER}'",
    is_text="CAST(pg_typeof({}) AS TEXT) IN ('text', 'character varying', 'character')",
    reads=f"{{}} ~ '{ANY_NUMBER}'",
    dated=f"{{}} ~ '{DATE}'",
    year="EXTRACT(YEAR FROM DATE '1970-01-01' + CAST({} AS INTEGER))",
    month="EXTRACT(MONTH FROM DATE '1970-01-01' + CAST({} AS INTEGER))",
    fail="CAST({} AS DOUBLE PRECISION)",
    longest=63,
    hidden=("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"),
    days="CAST(EXTRACT(EPOCH FROM CAST({} AS TIMESTAMP)) * 1000000 AS DOUBLE PRECISION) / 86400e6",
)
SPARK = Dialect(
    "spark",
    "Spark SQL",
    mark="`",
    text="STRING",
    strip=r"trim(BOTH ' \t\n\u000b\u000c\r' FROM {})",
    is_number=f"{{}} RLIKE '{PLAIN_NUMBER}'",
    is_text="typeof({}) IN ('string', 'boolean')",
    reads=f"{{}} RLIKE '{ANY_NUMBER}'",
    dated=f"{{}} RLIKE '{DATE}'",
    year="year(date_add(DATE'1970-01-01', CAST({} AS INT)))",
    month="month(date_add(DATE'1970-01-01', CAST({} AS INT)))",
    fail="CAST(raise_error({}) AS DOUBLE)",
    same_case=True,
    hidden=("_metadata",),
    days="timestampdiff(MICROSECOND, TIMESTAMP_NTZ'1970-01-01', CAST({} AS TIMESTAMP_NTZ)) / 86400e6",
)
_MINUTE = DAY + "[T ][0-9][0-9]:[0-5][0-9]"
_SECOND = _MINUTE + ":[0-5][0-9]"
_CLOCKS = " OR ".join(  # SQLite counts thousandths of a second and has no regular expressions of its own
    f"{{0}} GLOB '{p}'" for p in (DAY, _MINUTE, _SECOND, *(_SECOND + "." + "[0-9]" * n for n in (1, 2, 3)))
)
# Beside a number, a text that is written as a number counts as one; any other is greater than all numbers.
_NUMBER = "{0} <= CAST(9e999 AS REAL)"
SQLITE = Dialect(
    "sqlite",
    "SQLite",
    real="REAL",
    text="TEXT",
    once="MATERIALIZED ",
    greatest="max",
    least="min",
    strip="trim({}, char(32, 9, 10, 11, 12, 13))",
    is_number=f"{_NUMBER} AND ({{0}} GLOB '*.*' OR ltrim({{0}}, '+-') NOT GLOB '0[0-9]*')",
    is_text="typeof({}) = 'text'",
    reads=_NUMBER,
    dated=f"({_CLOCKS}) AND date(julianday({{0}})) = substr({{0}}, 1, 10)",
    floor="(CAST({0} AS INTEGER) - ({0} < CAST({0} AS INTEGER)))",  # not every build has a floor of its own
    year="CAST(strftime('%Y', '1970-01-01', {} || ' days') AS INTEGER)",
    month="CAST(strftime('%m', '1970-01-01', {} || ' days') AS INTEGER)",
    fail="json({})",
    same_case=True,
    hidden=("rowid", "oid", "_rowid_"),
    days="(strftime('%s', {0}) * 1000000 + CAST(substr(strftime('%f', {0}), 4) AS INTEGER) * 1000) / 86400e6",
)
DIALECTS = {d.name: d for d in (DUCKDB, SQLITE, POSTGRES, SPARK)}


def dialect_of(name: str) -> Dialect:
    """Return a dialect by its name."""
    found = DIALECTS.get(str(name).lower())
    if found is None:
        raise OptionError(
            f"there is no SQL dialect {shown(name)}.{nearest(name, list(DIALECTS))} "
            f"Use one of {', '.join(DIALECTS)}."
        )
    return found
