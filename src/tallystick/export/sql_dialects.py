"""The SQL dialects: quotes, literals, casts, reading text, and whether a CTE is computed once.

Entry: `dialect_of()`. Law: no name and no text from a user can leave its quotes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tallystick.errors import OptionError, nearest, shown

WIDEST = 50  # arguments of one call; SQLite takes at most 100
LARGEST = "1.7976931348623157e308"
# Numbers as people write them; whole numbers with leading zeros are identifiers, not numbers.
ANY_NUMBER = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
DAY = "[0-9]" * 4 + "-[0-9][0-9]" * 2
CLOCK = r"[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{{1,6}})?)?"  # braces wait for `format`
DATE = f"^{DAY}({CLOCK})?$"
PLAIN_NUMBER = r"^[+-]?(0|[1-9][0-9]*|[0-9]+[.][0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"


@dataclass(frozen=True, slots=True)
class Dialect:
    """One database's ways; {} in a pattern stands for the argument.

    once: how a CTE is asked to be computed once, so that no planner copies it into every place that uses it.
    is_text: empty where a column's type is not for asking; then `reading` and `days` give NULL for what they
    cannot read, and are asked for the column itself before its text.
    """

    name: str
    title: str
    mark: str = '"'  # around names
    closing: str = ""  # the other one, where it differs
    before: str = ""  # what a text begins with, before its quote
    slashes: bool = False  # whether a backslash escapes
    quote: str = "''"  # a quote inside a text
    real: str = "DOUBLE"
    text: str = "VARCHAR"
    written: str = ""  # a column as text, where a cast is not all
    reading: str = ""  # a text as a number, where a cast is not all
    lowest: str = "CAST('-Infinity' AS {})"
    endless: tuple[str, ...] = ()  # how infinite numbers are written, where types are not for asking
    plus: str = "{} || {}"  # two texts side by side
    bound: str = "greatest(-1e300, least(1e300, {}))"  # beyond all doubles, as the model bounds it
    once: str = ""
    greatest: str = "greatest"
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
        end = self.closing or self.mark
        if self.name == "bigquery":
            return self.mark + _slashed(name).replace(end, "\\" + end) + end
        return self.mark + name.replace(end, end * 2) + end

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
            return f"CAST({int(value)} AS BIT)" if self.name == "tsql" else "TRUE" if value else "FALSE"
        if isinstance(value, int):
            return str(value)
        if isinstance(value, float):
            return self.double(value)
        text = str(value)
        if "\0" in text:
            raise OptionError(f"{shown(text)} holds the character NUL, which no SQL text can hold.")
        text = (_slashed(text) if self.slashes else text).replace("'", self.quote)
        if self.name == "spark":  # there ${name} is replaced even inside quotes
            text = text.replace("$", "\\u0024")
        return f"{self.before}'{text}'"

    def texts(self, values: Sequence[str]) -> str:
        """Return texts in brackets."""
        return "(" + ", ".join(self.literal(v) for v in values) + ")"

    def double(self, value: float | None) -> str:
        """Return a number as a double that reads back as the same bits; None is -infinity."""
        if value is None or value == -math.inf:
            return self.lowest.format(self.real)
        text = repr(float(value))
        if self.name == "snowflake":  # its literals are decimal numbers of at most 38 digits
            small = "e" not in text and len(text) < 25
            return f"{text}::DOUBLE" if small else f"'{text}'::DOUBLE"
        return text if "e" in text else text + "e0"

    def number(self, value: float) -> str:
        """Return a number to compare with: plain where every database reads it as the nearest double."""
        text = repr(float(value))
        plain = "e" not in text and len(text.strip("-").replace(".", "").strip("0")) <= 15
        return text.removesuffix(".0") if plain and self.name != "tsql" else self.double(value)

    def joined(self, *texts: str) -> str:
        """Return texts side by side."""
        out = texts[0]
        for text in texts[1:]:
            out = self.plus.format(out, text)
        return out

    def is_lowest(self, score: str) -> str:
        """Return whether a score is -infinity, or what stands for it."""
        return f"{score} < -1e289" if self.name == "tsql" else f"{score} = {self.double(None)}"

    def top(self, expressions: Sequence[str]) -> str:
        """Return the greatest of some expressions."""
        some = list(expressions)
        if self.name == "tsql" and len(some) > 1:  # GREATEST came in 2022
            return f"(SELECT MAX(v) FROM (VALUES {', '.join(f'({one})' for one in some)}) AS o (v))"
        while len(some) > WIDEST:
            parts = [some[i : i + WIDEST] for i in range(0, len(some), WIDEST)]
            some = [self.top(part) for part in parts]
        return some[0] if len(some) == 1 else f"{self.greatest}({', '.join(some)})"


def _slashed(text: str) -> str:
    """Return a text with backslashes and ends of lines escaped."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


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
    slashes=True,
    quote="\\'",
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
    bound="max(-1e300, min(1e300, {}))",
    lowest="-9e999",
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
_TSQL_READS = (
    "TRY_CAST({0} AS DOUBLE PRECISION) IS NOT NULL AND {0} LIKE '%[0-9]%' AND {0} NOT LIKE '%[^0-9eE.+-]%'"
)
TSQL = Dialect(
    "tsql",
    "SQL Server (T-SQL)",
    mark="[",
    closing="]",
    before="N",
    real="DOUBLE PRECISION",
    text="NVARCHAR(4000)",
    written="(CAST({} AS NVARCHAR(4000)) COLLATE Latin1_General_100_BIN2)",  # A is not a
    reading="TRY_CAST({} AS DOUBLE PRECISION)",
    lowest="-1e290",  # it has no infinity
    plus="CONCAT({}, {})",
    bound="{}",  # what is beyond all doubles is an error there
    strip="TRIM(CONCAT(' ', CHAR(9), CHAR(10), CHAR(11), CHAR(12), CHAR(13)) FROM {})",
    is_number=f"{_TSQL_READS} AND ({{0}} LIKE '%[.]%'"
    " OR {0} NOT LIKE '0[0-9]%' AND {0} NOT LIKE '[+-]0[0-9]%')",
    reads=_TSQL_READS,
    # a DATETIME is written as Dec 31 2020 11:59PM
    dated="TRY_CAST({0} AS DATETIME2) IS NOT NULL AND ({0} LIKE '[A-Z]%[AP]M'"
    f" OR {{0}} LIKE '{DAY}%' AND {{0}} NOT LIKE '%[+Z]%' AND {{0}} NOT LIKE '%:%-%'"
    " AND {0} NOT LIKE '%[T ]24:%')",
    days="CAST(DATEDIFF_BIG(MICROSECOND, CAST('1970-01-01' AS DATETIME2), TRY_CAST({} AS DATETIME2))"
    " AS DOUBLE PRECISION) / 86400e6",
    year="YEAR(DATEADD(DAY, CAST({} AS INT), CAST('1970-01-01' AS DATE)))",
    month="MONTH(DATEADD(DAY, CAST({} AS INT), CAST('1970-01-01' AS DATE)))",
    fail="CAST({} AS INT)",
    same_case=True,
)
BIGQUERY = Dialect(
    "bigquery",
    "BigQuery",
    mark="`",
    slashes=True,
    quote="\\'",
    real="FLOAT64",
    text="STRING",
    reading="SAFE_CAST({} AS FLOAT64)",
    endless=("inf", "-inf"),
    strip=r"TRIM({}, ' \t\n\x0b\f\r')",
    is_number=f"REGEXP_CONTAINS({{}}, r'{PLAIN_NUMBER}')",
    reads=f"REGEXP_CONTAINS({{}}, r'{ANY_NUMBER}')",
    dated=f"REGEXP_CONTAINS({{}}, r'{DATE[:-1]}([+]00)?$')",
    days="UNIX_MICROS(SAFE_CAST({} AS TIMESTAMP)) / 86400e6",
    year="EXTRACT(YEAR FROM DATE_ADD(DATE '1970-01-01', INTERVAL CAST({} AS INT64) DAY))",
    month="EXTRACT(MONTH FROM DATE_ADD(DATE '1970-01-01', INTERVAL CAST({} AS INT64) DAY))",
    fail="CAST(ERROR({}) AS FLOAT64)",
    same_case=True,
)
SNOWFLAKE = Dialect(
    "snowflake",
    "Snowflake",
    slashes=True,
    lowest="'-inf'::DOUBLE",
    strip=r"TRIM({}, ' \t\n\x0B\f\r')",
    is_number=f"REGEXP_LIKE({{}}, '{PLAIN_NUMBER}')",
    is_text="TYPEOF(TO_VARIANT({})) IN ('VARCHAR', 'BOOLEAN')",
    reads=f"REGEXP_LIKE({{}}, '{ANY_NUMBER}')",
    dated=f"REGEXP_LIKE({{}}, '{DATE}')",
    days="CAST(DATEDIFF(MICROSECOND, CAST('1970-01-01' AS TIMESTAMP_NTZ), CAST({} AS TIMESTAMP_NTZ))"
    " AS DOUBLE) / 86400e6",
    year="YEAR(DATEADD(DAY, CAST({} AS INTEGER), DATE '1970-01-01'))",
    month="MONTH(DATEADD(DAY, CAST({} AS INTEGER), DATE '1970-01-01'))",
    fail="CAST({} AS DOUBLE)",
)
DIALECTS = {d.name: d for d in (DUCKDB, SQLITE, POSTGRES, SPARK, TSQL, BIGQUERY, SNOWFLAKE)}


def dialect_of(name: str) -> Dialect:
    """Return a dialect by its name."""
    found = DIALECTS.get(str(name).lower())
    if found is None:
        raise OptionError(
            f"there is no SQL dialect {shown(name)}.{nearest(name, list(DIALECTS))} "
            f"Use one of {', '.join(DIALECTS)}."
        )
    return found
