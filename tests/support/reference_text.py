"""Twins of the text kernels in plain Python: slow, short, and right by reading.

The truth for words is Python's re on the lower-cased text, for numbers Python's float() and int().
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

SPACES = " \t\n\v\f\r"
NUMBER = r"[+-]?(?:[0-9]+{p}?[0-9]*|{p}[0-9]+)(?:[eE][+-]?[0-9]+)?"
GROUPED = r"[+-]?[0-9]{{1,3}}(?:{s}[0-9]{{3}})+(?:{p}[0-9]*)?"
DATE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?"
    r"(?:Z|([+-])([0-9]{2})(?::?([0-9]{2}))?)?)?"
)
MONEY = "[$£¥€]"


def words_of(text: str) -> list[str]:
    """Return the words of a text in their order."""
    return re.findall(r"(?u)\b\w+\b", text.lower())


def word_counts(
    texts: Sequence[str | None],
    marks: Iterable[str] = (),
    min_documents: int = 1,
    max_words: int | None = None,
) -> tuple[tuple[str, ...], list[dict[int, int]]]:
    """Return the vocabulary and, per row, {word number: count}; the number after the last is "unseen"."""
    missing = set(marks)
    rows = [Counter(words_of(t) if t is not None and t.strip(SPACES) not in missing else []) for t in texts]
    documents = Counter(word for row in rows for word in row)
    kept = [w for w in documents if documents[w] >= min_documents]
    if max_words is not None:
        kept = sorted(kept, key=lambda w: (-documents[w], w.encode()))[:max_words]
    vocabulary = tuple(sorted(kept, key=str.encode))
    return vocabulary, matched(rows, vocabulary)


def matched(rows: Iterable[Counter[str]], vocabulary: Sequence[str]) -> list[dict[int, int]]:
    """Return {word number: count} per row for a given vocabulary."""
    number = {word: i for i, word in enumerate(vocabulary)}
    out = []
    for row in rows:
        found: Counter[int] = Counter()
        for word, count in row.items():
            found[number.get(word, len(number))] += count
        out.append(dict(sorted(found.items())))
    return out


def days(text: str) -> float | None:
    """Return an ISO date as days since 1970, None if it is none."""
    match = DATE.fullmatch(text)
    if not match:
        return None
    y, m, d, hours, minutes, seconds, fraction, sign, zone_hours, zone_minutes = match.groups()
    try:
        moment = dt.datetime(int(y), int(m), int(d), int(hours or 0), int(minutes or 0), int(seconds or 0))
    except ValueError:
        return None
    if int(zone_hours or 0) > 23 or int(zone_minutes or 0) > 59:
        return None
    micros = (moment - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1) + int(
        (fraction or "0")[:6].ljust(6, "0")
    )
    offset = int(zone_hours or 0) * 60 + int(zone_minutes or 0)
    return float(micros - (-offset if sign == "-" else offset) * 60_000_000) / 86_400e6


def cell(
    text: str | None, marks: Iterable[str] = (), decimal: str = ".", dates: bool = False
) -> tuple[str, float]:
    """Return (name of the CellKind, value) of one cell."""
    if text is None or text.strip(SPACES) in set(marks):
        return "MISSING", math.nan
    text = text.strip(SPACES)
    other = "," if decimal == "." else "."
    p, s = re.escape(decimal), re.escape(other)
    number, other_number = NUMBER.format(p=p), NUMBER.format(p=s)
    if re.fullmatch(number, text) and len(text.encode()) <= 1000:
        return _number(text, float(text.replace(decimal, ".")) + 0.0)
    if len(text.encode()) > 100:
        return "OTHER", math.nan
    if re.fullmatch("[+-]?(inf|infinity)", text, re.I | re.A):
        return "INFINITE", -math.inf if text[0] == "-" else math.inf
    if text.isascii() and text.lower() in ("true", "false"):
        return "BOOLEAN", math.nan
    if (moment := days(text)) is not None:
        return "DATE", moment if dates else math.nan
    grouped, other_grouped = GROUPED.format(s=s, p=p), GROUPED.format(s=p, p=s)
    amount = rf"[{SPACES}]*(?:{number}|{other_number}|{grouped}|{other_grouped})[{SPACES}]*"
    for kind, pattern in (
        ("THOUSANDS", grouped),
        ("OTHER_DECIMAL", other_number),
        ("PERCENT", f"{amount}%"),
        ("CURRENCY", f"[+-]?{MONEY}{amount}|{amount}{MONEY}"),
    ):
        if re.fullmatch(pattern, text):
            return kind, math.nan
    return "OTHER", math.nan


def _number(text: str, value: float) -> tuple[str, float]:
    digits = text.lstrip("+-")
    if not digits.isdigit():
        return "INFINITE" if math.isinf(value) else "NUMBER", value
    if len(digits) > 1 and digits[0] == "0":
        return "LEADING_ZEROS", value
    exact = not math.isinf(value) and int(value) == int(text)
    return "INTEGER" if exact else "INEXACT", value


def distinct(cells: Iterable[str | None], marks: Iterable[str] = ()) -> tuple[list[str], list[int]]:
    """Return the stripped values sorted by UTF-8 bytes and each cell's place; "missing" is the last place."""
    missing = set(marks)
    stripped = [None if c is None or c.strip(SPACES) in missing else c.strip(SPACES) for c in cells]
    values = sorted({c for c in stripped if c is not None}, key=str.encode)
    place = {v: i for i, v in enumerate(values)}
    return values, [len(values) if c is None else place[c] for c in stripped]
