"""A row {column: value} to its answer, for the data of one model. Needs the standard library only.

    model = Model(data)
    model.predict(row)   {"label": ..., "probabilities": {label: share}}; regression: {"value": ...}
    model.explain(row)   the same, and why: "base" and "parts" per column, or the "path" through the tree

None, NaN and the model's marks (such as "?") are missing. Levels that were never seen are known as such. A
number may be given as text. What cannot be read is a ValueError that says which column.
"""

from __future__ import annotations

import csv
import datetime
import json
import math
import os
import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
CLOCK = r"[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?(?:Z|([+-])([0-9]{2})(:?[0-9]{2})?)?"
DATE = re.compile(rf"([0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}})(?:{CLOCK})?")
WORD = re.compile(r"(?u)\b\w+\b")
FORMULA = re.compile(r"[\t\r\n]|[\s\x00-\x1f\u200b-\u200f\u2060\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]")
SPACES = " \t\n\v\f\r"
ABSENT = "(missing)"  # the level of a missing cell, in a column of one value or nothing
SERIES = [1.0 / math.factorial(n) for n in range(13, 2, -1)]
LN2_HIGH, LN2_LOW = float.fromhex("0x1.62e42fee00000p-1"), float.fromhex("0x1.a39ef35793c76p-33")
ROUNDER = 6755399441055744.0
Row = Mapping[str, Any]
USAGE = """usage: python model.py [FILE.csv]

Write a CSV of answers to the rows of a CSV file, or of the standard input (-)."""


def days(text: str) -> float:
    """Return days since 1970-01-01, as float(microseconds) / 86,400,000,000; NaN when it is not a date."""
    found = DATE.fullmatch(text)
    if not found:
        return math.nan
    year, month, day, hour, minute, second = (int(t or 0) for t in found.groups()[:6])
    fraction, sign, ahead, past = found.groups()[6:]
    late, more = int(ahead or 0), int((past or "0").lstrip(":"))
    if hour > 23 or minute > 59 or second > 59 or late > 23 or more > 59:
        return math.nan
    try:
        date = datetime.date(year, month, day).toordinal() - 719163
    except ValueError:
        return math.nan
    zone = (1 if sign == "-" else -1) * (late * 60 + more)
    minutes = date * 1440 + hour * 60 + minute + zone
    return float(minutes * 60_000_000 + second * 1_000_000 + int(((fraction or "") + "000000")[:6])) / 86400e6


def moment(value: datetime.date) -> float:
    """Return days since 1970-01-01 of a date or a time."""
    if not isinstance(value, datetime.datetime):
        return float(value.toordinal() - 719163)
    if value.tzinfo is not None:
        value = (value - (value.utcoffset() or datetime.timedelta())).replace(tzinfo=None)
    return float((value - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)) / 86400e6


def written(value: Any) -> str:
    """Return a value as text: 1.0 is "1", True is "true"."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if abs(value) < 2.0**64 and value == int(value) else repr(value)
    return clock(value) if isinstance(value, datetime.datetime) else str(value)


def clock(value: datetime.datetime) -> str:
    """Return a moment as text: the date, and the time where there is one; in UTC where its zone is known."""
    zone = value.utcoffset()
    plain = value.replace(tzinfo=None) - (zone or datetime.timedelta())
    text = plain.isoformat(" ")
    text = text.rstrip("0") if plain.microsecond else text
    return text + "Z" if zone is not None else text.removesuffix(" 00:00:00")


def gone(value: Any) -> bool:
    """Say whether a value is missing."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def low(value: float | None) -> float:
    """Return a number of a table, where None stands for -infinity."""
    return -math.inf if value is None else value


def exp(x: float) -> float:
    """Return e^x with the same bits on every machine, which math.exp does not promise."""
    t = max(min(x, 710.0), -746.0)
    n = (t * 1.4426950408889634 + ROUNDER) - ROUNDER
    high, under = t - n * LN2_HIGH, n * LN2_LOW
    r = high - under
    tail = (high - r) - under
    p = reduce(lambda total, f: total * r + f, SERIES) * r + 0.5
    half = (n * 0.5 + ROUNDER) - ROUNDER
    return (1.0 + (r + (p * (r * r) + tail))) * math.ldexp(1.0, int(half)) * math.ldexp(1.0, int(n - half))


def log(x: float) -> float:
    """Return the natural logarithm of a whole number from 1 up, as the model counts."""
    k, m = 0, float(x)
    while m >= math.sqrt(2):
        m, k = m / 2, k + 1
    f = m - 1.0
    s, half = f / (2.0 + f), 0.5 * f * f
    p = reduce(lambda total, d: total * (s * s) + d, [2.0 / d for d in range(23, 2, -2)])
    return k * LN2_HIGH - ((half - s * (half + (s * s) * p)) - k * LN2_LOW - f)


WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def calendar(x: float, part: str) -> float:
    """Return a part of days since 1970-01-01, NaN of NaN; a weekday is counted from Monday, 0."""
    if math.isnan(x):
        return x
    day, clock = divmod(math.floor(x * 86400000.0 + 0.5), 86400000)
    if part in ("hour", "weekday"):
        return float(clock // 3600000 if part == "hour" else (day + 3) % 7)
    era, left = divmod(day + 719468, 146097)
    year = (left - left // 1460 + left // 36524 - left // 146096) // 365
    march = (5 * (left - (365 * year + year // 4 - year // 100)) + 2) // 153
    return float(year + era * 400 + march // 10 if part == "year" else march + 3 - 12 * (march // 10))


class Column:
    """How the cells of one column are read."""

    def __init__(self, data: Mapping[str, Any], model: Mapping[str, Any]) -> None:
        self.name, self.kind, self.levels = data["name"], data["kind"], data.get("levels")
        self.source, self.part = data.get("of", self.name), data.get("part")
        self.marks = frozenset([*model["marks"], *data.get("marks", ())])
        self.sentinels = frozenset(model["sentinels"])
        self.number_marks = frozenset(model["number_marks"])
        self.codes: dict[str, int] = {text: code for code, text in enumerate(self.levels or ())}
        self.absent: int = self.codes.get(ABSENT, len(self.codes))
        self.codes |= data.get("merged", {})
        self.by_number: dict[float, int] = dict(data.get("numbers", ()))
        self.meant: dict[str, int] = data.get("meant", {})
        self.words = data.get("words", ())
        self.by_word = {word: number for number, word in enumerate(self.words)}

    def cell(self, row: Row) -> Any:
        """Return the value (NaN is missing), the code, or the words of a row."""
        if self.source not in row:
            raise ValueError(f"the row lacks the column {self.source!r}. Add it, or give None.")
        if self.part is not None:
            return self.part_of(row[self.source])
        read = self.found if self.kind == "text" else self.number if self.levels is None else self.code
        return read(row[self.source])

    def part_of(self, value: Any) -> Any:
        """Return the year, month or hour of a date, or the number of its weekday."""
        x = calendar(self.number(value), str(self.part))
        if self.levels is None:
            return x
        return len(self.levels) if math.isnan(x) else self.levels.index(WEEKDAYS[int(x)])

    def number(self, value: Any) -> float:
        """Return a number, NaN when it is missing."""
        if gone(value):
            return math.nan
        x, kind = math.nan, "date" if self.part else self.kind
        if isinstance(value, datetime.date) and kind == "date":
            x = moment(value)
        elif isinstance(value, str):
            text = value.strip(SPACES)
            if text in self.marks or text.lower() in self.number_marks:
                return math.nan
            x = days(text) if kind == "date" else float(text) if NUMBER.fullmatch(text) else math.nan
        elif not isinstance(value, bool | datetime.date):
            x = float(value)
        if math.isnan(x) or (math.isinf(x) and x not in self.sentinels):
            form = "date such as 2020-12-31" if kind == "date" else "number such as 1771.55"
            raise ValueError(
                f"column {self.source!r} needs a {form}, found {value!r}. Correct it or give None."
            )
        return math.nan if x in self.sentinels else x + 0.0

    def code(self, value: Any) -> int:
        """Return the number of a level; then missing, then unseen."""
        assert self.levels is not None
        text = "" if gone(value) else written(value).strip(SPACES)
        if gone(value) or text in self.marks:
            return self.absent
        if text in self.codes:
            return self.codes[text]
        whole = re.fullmatch("[+-]?[0-9]+", text)
        exact = not whole or (not re.match("[+-]?0[0-9]", text) and int(float(text)) == int(text))
        if NUMBER.fullmatch(text) and exact:
            x = float(text)
            if x in self.by_number:
                return self.by_number[x]
            text = "01"[int(x)] if x in (0.0, 1.0) else ""
        elif (self.meant or text.lower() in ("true", "false")) and text.lower() in self.codes:
            return self.codes[text.lower()]
        return self.meant.get(text.lower(), len(self.levels) + 1)

    def found(self, value: Any) -> tuple[list[tuple[int, int]], bool]:
        """Return (word number, count) by number, and whether there is any word."""
        text = "" if gone(value) else written(value)
        if gone(value) or text.strip(SPACES) in self.marks:
            return [], False
        words = WORD.findall(text.lower())
        counts: dict[int, int] = {}
        for word in words:
            if word in self.by_word:
                counts[self.by_word[word]] = counts.get(self.by_word[word], 0) + 1
        return sorted(counts.items()), bool(words)


class Model:
    """One model: a tree of tests, a list of rules, or a base and a part per column."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data, self.labels = data, data["labels"]
        self.columns = [Column(c, data) for c in data["columns"]]
        self.base = [low(b) for b in data.get("base", ())]

    def predict(self, row: Row) -> dict[str, Any]:
        """Return the label and the probabilities of a row; regression: the value."""
        if "rules" in self.data:
            return self.answer(self.first(row)[1])
        return self.answer(self.down(row) if "nodes" in self.data else self.shares(self.parts(row)))

    def explain(self, row: Row) -> dict[str, Any]:
        """Return the answer and why."""
        if "nodes" in self.data:
            return {**self.answer(self.down(row)), "path": self.path(row)}
        if "rules" in self.data:
            number, shares = self.first(row)
            return {**self.answer(shares), "rule": number, "conditions": self.told(number, row)}
        parts, base, told = self.parts(row), self.base, []
        for term, part in zip(self.data["terms"], parts, strict=True):
            own, usual = part, term.get("average")
            if usual:  # of the average training row, which the base then has
                base = [b + u for b, u in zip(base, usual, strict=True)]
                own = [p - u for p, u in zip(part, usual, strict=True)]
            of = self.columns[term["column"]].source if "column" in term else term["name"]
            told.append({"column": term["name"], "value": row.get(of), "parts": own})
        return {**self.answer(self.shares(parts)), "base": base, "parts": told}

    def answer(self, shares: list[float]) -> dict[str, Any]:
        """Return the most probable label, or the cheapest; of equals the first."""
        if not self.labels:
            return {"value": shares[0]}
        score = shares
        if costs := self.data.get("costs"):
            score = [0.0] * len(shares)
            for share, row in zip(shares, costs, strict=True):
                score = [total - share * cost for total, cost in zip(score, row, strict=True)]
        best = self.labels[score.index(max(score))]
        return {"label": best, "probabilities": dict(zip(self.labels, shares, strict=True))}

    # -- trees --

    def branch(self, node: int, cell: Any) -> Any:
        """Return where a cell goes: a node, or [[node, part], ...]."""
        _, cut, to, missing, _ = self.data["nodes"][node]
        if cut is None:
            return to[cell] if cell < len(to) else missing
        return to[0] if cell < cut else to[1] if cell == cell else missing

    def down(self, row: Row) -> list[float]:
        """Return the shares at the end of the row's way; in regression the mean."""
        out, waiting = [0.0] * max(len(self.labels), 1), [(0, 1.0)]
        while waiting:
            node, part = waiting.pop()
            test = self.data["nodes"][node]
            to = node if len(test) == 1 else self.branch(node, self.columns[test[0]].cell(row))
            if to == node:
                out = [o + part * share for o, share in zip(out, test[-1], strict=True)]
            elif isinstance(to, int):
                waiting.append((to, part))
            else:
                waiting += [(below, part * share) for below, share in to]
        return out

    def path(self, row: Row) -> list[dict[str, Any]]:
        """Return the tests on the row's way, until it ends or goes several ways."""
        out, node = [], 0
        while len(test := self.data["nodes"][node]) > 1:
            column, cut, to = self.columns[test[0]], test[1], test[2]
            cell = column.cell(row)
            after = self.branch(node, cell)
            missing = cell >= len(to) if cut is None else cell != cell
            levels = (
                None if cut is not None else [t for t, b in zip(column.levels, to, strict=True) if b == after]
            )
            step = {"node": node, "column": column.name, "value": row[column.source], "missing": missing}
            out.append({**step, "cut": cut, "levels": levels, "next": after})
            if not isinstance(after, int) or after == node:
                break
            node = after
        return out

    # -- rules --

    def first(self, row: Row) -> tuple[int | None, list[float]]:
        """Return the number of the first rule that holds, from 1 on (None: no rule), and its shares."""
        cells = [column.cell(row) for column in self.columns]
        rules = self.data["rules"]
        for number, (conditions, shares) in enumerate(rules, 1):
            if all(self.holds(condition, cells) for condition in conditions):
                return (number if number < len(rules) else None), shares
        raise AssertionError("the last rule has no conditions")

    def holds(self, condition: Sequence[Any], cells: Sequence[Any]) -> bool:
        """Say whether a row fulfils a condition of a rule."""
        column, between, codes, missing = condition
        x = cells[column]
        if codes is not None:
            return x in codes if x < len(self.columns[column].levels or ()) else bool(missing)
        if x != x:
            return bool(missing)
        return between is not None and all(
            end is None or (x >= end if side == 0 else x < end) for side, end in enumerate(between)
        )

    def told(self, number: int | None, row: Row) -> list[dict[str, Any]]:
        """Return the conditions of a rule, with the values of a row."""
        out = []
        for i, between, codes, missing in self.data["rules"][number - 1][0] if number else ():
            column = self.columns[i]
            levels = None if codes is None else [(column.levels or [])[k] for k in codes]
            value = {"column": column.name, "value": row[column.source], "missing": missing}
            out.append({**value, "range": between, "levels": levels})
        return out

    # -- base and terms --

    def parts(self, row: Row) -> list[list[float]]:
        """Return what each term adds to the score of each class."""
        cells = [column.cell(row) for column in self.columns]
        return [self.part(term, cells) for term in self.data["terms"]]

    def part(self, term: Mapping[str, Any], cells: Sequence[Any]) -> list[float]:
        """Return one term's part per class."""
        if "factors" in term:
            product = 1.0
            for column, code in term["factors"]:
                product *= cells[column] if code is None else float(cells[column] == code)
            return [(product if product == product else term["centre"]) * s for s in term["slope"]]
        if "pair" in term:
            first, second = (line(side, cells) for side in term["pair"])
            return [float(p) for p in term["table"][first * term["pair"][1]["size"] + second]]
        x = cells[term["column"]]
        if "words" in term:
            return self.worded(term, *x)
        if "cuts" in term:
            x = bisect_right(term["cuts"], x) if x == x else -1
        if "table" in term:
            return [low(p) for p in term["table"][x]]
        if x != x:
            return term.get("missing") or [0.0] * len(self.base)
        if "mean" in term:
            lines = zip(term["constant"], term["mean"], term["half"], strict=True)
            return [c - (x - m) * (x - m) * h for c, m, h in lines]
        return [x * s + a for s, a in zip(term["slope"], term["at_zero"], strict=True)]

    def worded(self, term: Mapping[str, Any], words: list[tuple[int, int]], some: bool) -> list[float]:
        """Return the part of a row's words."""
        out = [0.0] * len(self.base)
        for word, value in weighted(term, words):
            if value:
                out = [o + value * low(p) for o, p in zip(out, term["words"][word], strict=True)]
        if some and "present" in term:
            out = [o + low(p) for o, p in zip(out, term["present"], strict=True)]
        return out

    def shares(self, parts: list[list[float]]) -> list[float]:
        """Return the probability of each class; in regression the value."""
        scores = self.base
        for part in parts:
            scores = [s + p for s, p in zip(scores, part, strict=True)]
        if any("slope" in term for term in self.data["terms"]) and not all(map(math.isfinite, scores)):
            scores = self.base  # beyond all doubles: each part is at most 1e300
            for part in parts:
                near = [max(min(p, 1e300), -1e300) if p == p else 0.0 for p in part]
                scores = [s + p for s, p in zip(scores, near, strict=True)]
        if not self.labels:
            return scores
        scores = self.scaled(scores)
        if max(scores) == -math.inf:
            scores = self.scaled(self.base)  # every class is impossible: the prior answers
        top = max(scores)
        powers = [exp(s - top) for s in scores]
        total = reduce(lambda a, b: a + b, powers, 0.0)
        return [p / total for p in powers]

    def scaled(self, scores: list[float]) -> list[float]:
        """Return the scores after calibration, if there is any."""
        if "shift" not in self.data:
            return scores
        return [self.data["slope"] * s + b for s, b in zip(scores, self.data["shift"], strict=True)]


def weighted(term: Mapping[str, Any], words: list[tuple[int, int]]) -> list[tuple[int, float]]:
    """Return the value of each word: its count, 1, or tf-idf over the row's length."""
    if term["value"] == "once":
        return [(word, 1.0) for word, _ in words]
    if term["value"] == "all":
        return [(word, float(count)) for word, count in words]
    idf, fixed = term["idf"], term["value"] == "tf-idf"
    if fixed:  # naive Bayes: whole multiples of 2**-20, idf of 2**-16
        raw = [(word, count * idf[word] / 65536) for word, count in words]
    else:
        raw = [(word, (1.0 + log(min(count, 4096))) * idf[word]) for word, count in words]
    squares = reduce(lambda total, pair: total + pair[1] * pair[1], raw, 0.0)
    if fixed:
        return [(w, (v / math.sqrt(squares or 1.0) * 1048576 + ROUNDER) - ROUNDER) for w, v in raw]
    scale = 1.0 / math.sqrt(squares) if squares > 0 else 0.0
    return [(word, value * scale) for word, value in raw]


def line(side: Mapping[str, Any], cells: Sequence[Any]) -> int:
    """Return the line of a cell on one side of a pair."""
    x = cells[side["column"]]
    if "cuts" in side:
        return bisect_right(side["cuts"], x) if x == x else len(side["cuts"]) + 1
    found: int = side["lines"][x]
    return found


def main(model: Model, arguments: Sequence[str]) -> None:
    """Read rows from a CSV file, or from the standard input, and write a CSV of answers."""
    if len(arguments) > 1 or re.match("-.", "".join(arguments)):
        asked = list(arguments) in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if asked else sys.stderr)
        sys.exit(0 if asked else 2)
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed.")
        csv.field_size_limit(1 << 26)
        answer(model, arguments[0] if arguments and arguments[0] != "-" else None)
        sys.stdout.flush()
    except BrokenPipeError:
        leave(141)
    except (OSError, ValueError, csv.Error) as error:
        print(f"error: {error}", file=sys.stderr)
        leave(2)


def leave(status: int) -> None:
    """End; what still waits for an output that takes no more is dropped, or Python would end otherwise."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def answer(model: Model, path: str | None) -> None:
    """Write the answers to the rows of a file, or of the standard input."""
    with open(path or 0, encoding="utf-8-sig", newline="", closefd=bool(path)) as file:
        head = [f"P({label})" for label in model.labels]
        out = csv.writer(sys.stdout, lineterminator="\n")
        out.writerow([harmless(name) for name in ("prediction", *head)])
        for row in records(csv.reader(file, strict=True)):
            found = model.predict(row)
            out.writerow(
                [harmless(found.get("label", found.get("value"))), *found.get("probabilities", {}).values()]
            )


def records(lines: Any) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV reader, by the names of its first line; refuse what no table holds."""
    names = [name.strip(SPACES) for name in next(lines, [])]
    if not names:
        raise ValueError("the file is empty. Give it a line of names, and rows.")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the column {name[:60]!r} is there twice. Rename one of them.")
    for cells in lines:
        if any("\0" in cell for cell in cells):
            raise ValueError(f"line {lines.line_num} holds a NUL byte. Clean the file first.")
        if cells and len(cells) != len(names):
            found = f"line {lines.line_num} has {len(cells)} cells, but there are {len(names)} names."
            raise ValueError(f"{found} Correct it.")
        if cells:
            yield dict(zip(names, cells, strict=True))


def harmless(value: Any) -> Any:
    """Return a cell for a CSV file; text that a spreadsheet would run as a formula gets an apostrophe."""
    if isinstance(value, str) and FORMULA.match(value) and not NUMBER.fullmatch(value.strip()):
        return "'" + value
    return value


def from_json(text: str) -> Model:
    """Return the model of data as JSON."""
    return Model(json.loads(text))


# -- reasons --


def reasons(
    model: Model, row: Row, most: int = 4, against: str | Row = "best", label: Any = None
) -> list[dict[str, Any]]:
    """Return what cost a row most points, in order and in words.

    against: the "best" line of each section, the "average" training row, or a row: columns that it lacks are
    held against their best line. label: the class that points count towards; else the second of two, and of
    more the one that is answered.
    """
    cells, parts = [column.cell(row) for column in model.columns], model.parts(row)
    shares = model.shares(parts)
    answered = 1 if len(model.labels) == 2 else shares.index(max(shares))
    c = answered if label is None else model.labels.index(label)
    out = []
    for term, part, (name, points) in zip(model.data["terms"], parts, held(model, against, c), strict=True):
        lost = words_lost(term, cells, c) if points is None else points - towards(part, c)
        shown = math.floor(lost * 10 + 0.5) / 10
        if shown > 0:
            line, exact = said(model, term, cells, c), int(lost) if lost == int(lost) else lost
            text = f"{line}: {written(shown)} {'point' if shown == 1 else 'points'} less than {name}"
            out.append({"section": term["name"], "line": line, "points": exact, "text": text})
    return sorted(out, key=lambda reason: -reason["points"])[:most]


def held(model: Model, against: str | Row, c: int) -> list[tuple[str, float | None]]:
    """Return what each section is held against: its name, and its points; None: a text without the words
    that cost it points.
    """
    terms = model.data["terms"]
    if against == "average":
        return [("the average row", term["usual"][c]) for term in terms]
    best = [("the best", term["best"][c]) if "best" in term else ("without", None) for term in terms]
    if not isinstance(against, Mapping):
        if against != "best":
            raise ValueError(f"against must be 'best', 'average' or a row, not {against!r}.")
        return best
    parts = model.parts({column.name: against.get(column.name) for column in model.columns})
    for i, term in enumerate(terms):
        if all(model.columns[place].name in against for place in places(term)):
            best[i] = ("the given row", towards(parts[i], c))
    return best


def places(term: Mapping[str, Any]) -> list[int]:
    """Return the columns of a section: one, or the two of a pair."""
    return [side["column"] for side in term.get("pair", [term])]


def towards(part: Sequence[float], c: int) -> float:
    """Return points towards a class: of two classes what is for the second is against the first."""
    return part[c] - part[1 - c] if len(part) == 2 else part[c]


def words_lost(term: Mapping[str, Any], cells: Sequence[Any], c: int) -> float:
    """Return the points that the words of a text cost it."""
    words, _ = cells[term["column"]]
    return sum(max(-towards(term["words"][word], c), 0) for word, _ in words)


def said(model: Model, term: Mapping[str, Any], cells: Sequence[Any], c: int) -> str:
    """Return what a row has in the columns of a section."""
    if "words" in term:
        return said_words(model, term, cells, c)
    out = []
    for side in term.get("pair", [term]):
        column, x = model.columns[side["column"]], cells[side["column"]]
        if "cuts" in side:
            at = sum(cut <= x for cut in side["cuts"]) if x == x else -1
            out.append(f"{column.name} {side['said'][at]}")
        else:
            texts = [*(f"= {level}" for level in column.levels), "is missing", "is a new level"]
            out.append(f"{column.name} {texts[x]}")
    return ", ".join(out)


def said_words(model: Model, term: Mapping[str, Any], cells: Sequence[Any], c: int) -> str:
    """Return the words that speak against a class, those that cost most first; else all that the card has."""
    column, points = model.columns[term["column"]], term["words"]
    known = [word for word, _ in cells[term["column"]][0] if any(points[word])]
    known.sort(key=lambda word: (towards(points[word], c), word))
    told = [word for word in known if towards(points[word], c) < 0] or known
    names = ", ".join(column.words[word] for word in told[:8])
    more = f" and {len(told) - 8:,} more" if len(told) > 8 else ""
    return f"{column.name} contains {names}{more}" if told else f"{column.name} contains no word of the card"
