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
    strip: str = r"trim({}, E' \t\n\x0B\f\r')"
    is_number: str = ""  # whether a text is a plain number
    days: str = ""  # a date or time as days since 1970-01-01

    def name_of(self, name: str) -> str:
        """Return a quoted name."""
        return self.mark + name.replace(self.mark, self.mark * 2) + self.mark

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
    days="epoch_us(CAST({} AS TIMESTAMP)) / 86400e6",
)
POSTGRES = Dialect(
    "postgres",
    "PostgreSQL",
    real="DOUBLE PRECISION",
    text="TEXT",
    once="MATERIALIZED ",
    strip=r"btrim({}, E' \t\n\x0B\f\r')",
    is_number=f"{{}} ~ '{PLAIN_NUMBER}'",
    days="CAST(EXTRACT(EPOCH FROM CAST({} AS TIMESTAMP)) * 1000000 AS DOUBLE PRECISION) / 86400e6",
)
SPARK = Dialect(
    "spark",
    "Spark SQL",
    mark="`",
    text="STRING",
    strip=r"trim(BOTH ' \t\n\u000b\u000c\r' FROM {})",
    is_number=f"{{}} RLIKE '{PLAIN_NUMBER}'",
    days="timestampdiff(MICROSECOND, TIMESTAMP_NTZ'1970-01-01', CAST({} AS TIMESTAMP_NTZ)) / 86400e6",
)
SQLITE = Dialect(
    "sqlite",
    "SQLite",
    real="REAL",
    text="TEXT",
    once="MATERIALIZED ",
    greatest="max",
    strip="trim({}, char(32, 9, 10, 11, 12, 13))",
    is_number="json_valid({0}) AND json_type({0}) IN ('integer', 'real')",
    days="(strftime('%s', {0}) * 1000000 + CAST(substr(strftime('%f', {0}), 4) AS INTEGER) * 1000) / 86400e6",
)
DIALECTS = {d.name: d for d in (DUCKDB, SQLITE, POSTGRES, SPARK)}


def dialect_of(name: str) -> Dialect:
    """Return a dialect by its name."""
    found = DIALECTS.get(str(name).lower())
    if found is None:
        raise OptionError(
            f"there is no SQL dialect {shown(name)}.{nearest(str(name), list(DIALECTS))} "
            f"Use one of {', '.join(DIALECTS)}."
        )
    return found
