"""Export of a model as one C99 header: its tables as constants, and fixed code from `code/c/`.

Parts: characters of words, as ranges; literals and pooled arrays; the tables of a model; the header.
Entry: `header()`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.errors import OptionError, shown
from tallystick.export.form import Data, Form, number_levels
from tallystick.export.heading import heading
from tallystick.schema import ABSENT, NUMBER_MARKS, Column, meanings, spelt
from tallystick.table.strings import Vocabulary, match_words
from tallystick.text import WEEKDAYS

# ---- characters that make words, as ranges for C, found by asking the kernels that count words ----
#
# Law: the exported code finds the words that the model finds, whichever Unicode Python knows.


Range = tuple[int, int]
POINTS = (*range(1, 0xD800), *range(0xE000, 0x110000))  # code points of Unicode, without surrogates


@lru_cache(maxsize=1)
def word_characters() -> tuple[Range, ...]:
    """Return the ranges of letters, digits and the underscore: what stands between x and y in one word."""
    return _ranges(~_found("x{}y", "x"))


@lru_cache(maxsize=1)
def around_sigma() -> tuple[tuple[Range, ...], tuple[Range, ...]]:
    """Return the characters that a capital sigma takes for letters with a case, and those it looks past, as
    it does past the apostrophe: with a cased letter behind it, a sigma is not the last one.
    """
    cased = _found("αΣ'{}", "ασ")
    past = _found("αΣ'{}'α", "ασ") & ~cased
    return _ranges(cased), _ranges(past)


def capitals(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return (capital, small) of the letters beyond ASCII that some word has."""
    known = {c for word in words for c in word if ord(c) >= 128} - {"ς"}
    able = [(point, small) for point, small in _lowered() if small in known]
    return [(point, ord(small)) for point, small in able if _has([chr(point)], small)[0]]


@lru_cache(maxsize=1)
def _lowered() -> list[tuple[int, str]]:
    """Return the characters beyond ASCII that Python writes as another in lower case, and that one."""
    pairs = ((point, chr(point).lower()) for point in POINTS if point >= 128)
    return [(point, small) for point, small in pairs if small != chr(point)]


def _found(pattern: str, word: str) -> NDArray[np.bool_]:
    """Say for every character whether the pattern with it holds a word."""
    return _has([pattern.format(chr(point)) for point in POINTS], word)


def _has(texts: Sequence[str], word: str) -> NDArray[np.bool_]:
    found = match_words(pa.array(texts, pa.large_string()), Vocabulary([word]))
    row = np.repeat(np.arange(len(texts)), np.diff(found.starts))
    return np.bincount(row[found.words == 0], minlength=len(texts)) > 0


def _ranges(wanted: NDArray[np.bool_]) -> tuple[Range, ...]:
    points = np.array(POINTS)[wanted]
    if not len(points):
        return ()
    cuts = np.flatnonzero(np.diff(points) != 1)
    lows, highs = points[np.r_[0, cuts + 1]], points[np.r_[cuts, len(points) - 1]]
    return tuple(zip(lows.tolist(), highs.tolist(), strict=True))


# ---- C literals, names, and arrays that several tables share ----
#
# Law: no text from a user can leave its quotes, and a number reads back as the same bits.


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


# ---- the tables of a model as C: sizes, columns, then a tree, rules or terms ----
#
# The types are those of `code/c/`.


PARTS = ("", "year", "month", "hour", "weekday")
VALUES = ("all", "once", "tf-idf", "log-tf-idf")


class Tables:
    """The tables of one model; name: what all names begin with."""

    def __init__(self, form: Form, name: str) -> None:
        self.form, self.name = form, name
        self.doubles, self.integers = self._pool("double", "doubles"), self._pool("int", "integers")
        self.texts = self._pool("char *const", "texts")
        self.spellings = self._pool(f"{name}_spelling_", "spellings")
        self.numerals = self._pool(f"{name}_numeral_", "numerals")
        self.texted = [i for i, c in enumerate(form.columns) if c.kind == "text" and form.terms]
        self.words = [form.columns[i].words for i in self.texted]
        self.shares = max(len(form.labels), 1)

    def _pool(self, type: str, name: str) -> Pool:
        return Pool(type, f"{self.name}_{name}_")

    @property
    def total(self) -> int:
        """How many words all text columns have."""
        return sum(map(len, self.words))

    def words_used(self) -> dict[str, str]:
        """Return what stands in the code where words are read, or where they would be."""
        if not self.words:
            return {
                "TALLY_FIND_WORDS_": "0",
                "TALLY_WORDED_(term, value > 0, words, out)": "return",
                "TALLY_ANSWER_WORDS_": "0",
                "TALLY_COUNTS_": "0",
                "    TALLY_ROOM_\n": "",
                "    TALLY_WORDS_FOUND_\n": "",
                "TALLY_WORDS_LOST_(term, words, c)": "0",
                "        TALLY_SAY_WORDS_\n": "",
            }
        return {
            "TALLY_FIND_WORDS_": "tally_find_words_(&tally_vocabularies_[column->levels], cell, words)",
            "TALLY_WORDED_": "tally_worded_",
            "TALLY_ANSWER_WORDS_": "answer->words",
            "TALLY_COUNTS_": "counts",
            "TALLY_ROOM_": f"unsigned counts[{self.total}];",
            "TALLY_WORDS_FOUND_": f"unsigned words[{self.total}]; /* how often each is there */",
            "TALLY_WORDS_LOST_": "tally_words_lost_",
            "TALLY_SAY_WORDS_": "if (term->kind == TALLY_WORDS_) "
            "tally_say_words_(term, counts, c, reason->text);",
        }

    # -- sizes and names --

    def sizes(self) -> list[str]:
        """Return the numbers of things, and a name for the place of each column of a row."""
        form, own = self.form, self.name.upper()
        slopes = any("slope" in term for term in form.terms)
        sizes = {
            "COLUMNS": len(form.given),
            **({"CLASSES": len(form.labels)} if form.labels else {}),
            "SHARES_": self.shares,
            "READ_": len(form.columns),
            "MARKS_": len(form.marks),
            "NUMBER_MARKS_": len(NUMBER_MARKS),
            "SENTINELS_": len(form.sentinels),
            "COSTED_": int(bool(form.costs)),
            **({"TERMS_": len(form.terms), "SCALED_": int(bool(form.shift))} if form.base else {}),
            **({"BOUNDED_": int(slopes), "NUMBER_": int(not form.labels)} if form.base else {}),
            **({"REASON_SIZE": self._longest_reason()} if form.has_reasons else {}),
            **self._letter_sizes(),
        }
        lines = [f"#define {own}_{name} {size}" for name, size in sizes.items()]
        taken: set[str] = set()
        constants = []
        for place, given in enumerate(self.form.given):
            constant = f"{self.name.upper()}_AT_{identifier(given)}".rstrip("_")
            if constant in taken or not identifier(given):
                constant += f"_{place}"
            taken.add(constant)
            constants.append(f"#define {constant} {place}")
        return [*lines, "", *constants]

    def _longest_reason(self) -> int:
        """Return the bytes that the longest reason takes, at most."""
        longest = 0
        for term in self.form.terms:
            size = 60
            for side in term.get("pair", [term]):
                column = self.form.columns[side["column"]]
                said = [*column.levels, *side.get("said", ()), "is a new level"]
                size += len(column.name.encode()) + 8 + max(len(t.encode()) for t in said)
                size += sum(sorted((len(w.encode()) + 2 for w in column.words), reverse=True)[:8])
            longest = max(longest, size)
        return longest + 40

    def _letter_sizes(self) -> dict[str, int]:
        if not self.words:
            return {}
        return {f"{name.upper()}_": len(ranges) for name, ranges in self._letters.items()}

    @cached_property
    def _letters(self) -> dict[str, Sequence[tuple[int, int]]]:
        words = [word for listed in self.words for word in listed]
        cased, past = around_sigma() if any(c in word for word in words for c in "σς") else ((), ())
        return {
            "word_characters": word_characters(),
            "letters": capitals(words),
            "cased": cased,
            "ignorable": past,
        }

    # -- data --

    def lines(self) -> list[str]:
        """Return all tables, those that others point into first."""
        form, own = self.form, self.name
        columns = [self._column(c) for c in form.columns]
        body = self._tree() if form.is_tree else self._rules() if form.rules else self._terms()
        labels = [str(label).lower() if isinstance(label, bool) else str(label) for label in form.labels]
        words = self._vocabularies()
        names = array("char *const", f"{own}_columns", [text(n) for n in form.given], '""')
        if form.labels:
            names += array("char *const", f"{own}_labels", [text(label) for label in labels])
            costs = [f"{{{', '.join(map(double, row))}}}" for row in form.costs] or ["{0}"]
            names += array("double", f"{own}_costs_", costs, size=f"[][{own.upper()}_CLASSES]")
        if form.has_reasons:
            read = [text(c.name) for c in form.columns]
            names += array("char *const", f"{own}_columns_read_", read, '""')
        marks = array("char *const", f"{own}_marks_", [text(m) for m in form.marks], '""')
        marks += array("char *const", f"{own}_number_marks_", [text(m) for m in sorted(NUMBER_MARKS)], '""')
        marks += array("double", f"{own}_sentinels_", [double(s) for s in form.sentinels])
        pools = [
            line
            for pool in (self.doubles, self.integers, self.texts, self.spellings, self.numerals)
            for line in pool.lines()
        ]
        listed = array(f"{own}_column_", f"{own}_column_list_", columns, _NO_COLUMN)
        return [*names, *marks, *pools, *words, *listed, *body]

    def _column(self, column: Column) -> str:
        form = self.form
        start = [str(form.given.index(column.cells))]
        dated = column.unit == "date" or column.part
        if column.kind == "text":
            place = self.form.columns.index(column)
            number = self.texted.index(place) if place in self.texted else 0
            return "{" + ", ".join([*start, "3, 0", str(number), "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0"]) + "}"
        part = str(PARTS.index(column.part or ""))
        marks = [str(len(column.marks)), self.texts.add(text(mark) for mark in column.marks)]
        if column.kind == "numeric":
            return "{" + ", ".join([*start, str(int(bool(dated))), part, *["0"] * 10, *marks]) + "}"
        levels, code = column.levels, {level: i for i, level in enumerate(column.levels)}
        spelling = sorted((known.encode(), known, code[level]) for known, level in spelt(column).items())
        numbers = [f"{{{double(v)}, {c}}}" for v, c in number_levels(column)]
        meant = sorted((w.encode(), w, code[level]) for w, level in meanings(column).items())
        weekday = [str(code[day]) for day in WEEKDAYS] if column.part == "weekday" else []
        level_texts = [text(level) for level in levels] if form.has_reasons else []
        cells = [
            *start, "2", part, str(len(levels)), str(code.get(ABSENT, len(levels))),
            str(len(spelling)), self.spellings.add(f"{{{text(w)}, {c}}}" for _, w, c in spelling),
            str(len(numbers)), self.numerals.add(numbers),
            str(len(meant)), self.spellings.add(f"{{{text(w)}, {c}}}" for _, w, c in meant),
            self.texts.add(level_texts), self.integers.add(weekday), *marks,
        ]  # fmt: skip
        return "{" + ", ".join(cells) + "}"

    def _vocabularies(self) -> list[str]:
        if not self.words:
            return []
        own, first, rows = self.name, 0, []
        for words in self.words:
            listed = sorted((word.encode(), word, number) for number, word in enumerate(words))
            place = self.spellings.add(f"{{{text(word)}, {number}}}" for _, word, number in listed)
            rows.append(f"{{{len(words)}, {first}, {place}}}")
            first += len(words)
        out = array(f"{own}_vocabulary_", f"{own}_vocabularies_", rows)
        for name, ranges in self._letters.items():
            kind = "letter" if name == "letters" else "range"
            pairs = [f"{{0x{low:X}, 0x{high:X}}}" for low, high in ranges]
            out += array(f"{own}_{kind}_", f"{own}_{name}_", pairs, "{0, 0}")
        return out

    # -- trees and rules --

    def _share(self, shares: Sequence[float] | None) -> str:
        return "0" if shares is None else self.doubles.add(map(double, shares))

    def _tree(self) -> list[str]:
        rows = [self._node(node) for node in self.form.nodes]
        return array(f"{self.name}_node_", f"{self.name}_nodes_", rows)

    def _node(self, node: list[Any]) -> str:
        if len(node) == 1:
            return f"{{-1, 0, 0, 0, 0, 0, {self._share(node[0])}}}"
        column, cut, to, missing, shares = node
        ways, parts = len(to), list[str]()
        if isinstance(missing, list):  # down all branches, which stand behind the ways
            to, parts = [*to, *(below for below, _ in missing)], [double(part) for _, part in missing]
            missing = -len(missing)
        cells = [str(column), double(cut or 0.0), self.integers.add(map(str, to)), str(ways), str(missing)]
        return "{" + ", ".join([*cells, self.doubles.add(parts), self._share(shares)]) + "}"

    def _rules(self) -> list[str]:
        own = self.name
        conditions = self._pool(f"{own}_condition_", "conditions")
        rows = []
        for listed, shares in self.form.rules:
            place = conditions.add(self._condition(c) for c in listed)
            rows.append(f"{{{len(listed)}, {place}, {self._share(shares)}}}")
        return [*conditions.lines("{0, 0, 0, 0, 0, 0}"), *array(f"{own}_rule_", f"{own}_rules_", rows)]

    def _condition(self, condition: list[Any]) -> str:
        column, between, codes, missing = condition
        low, high = between or ((float("inf"),) * 2 if codes is None else (0.0, 0.0))
        ends = ["-INFINITY" if low is None else double(low), "INFINITY" if high is None else double(high)]
        listed = self.integers.add(map(str, codes or ()))
        return "{" + ", ".join([str(column), *ends, str(len(codes or ())), listed, str(int(missing))]) + "}"

    # -- terms --

    def _terms(self) -> list[str]:
        form, own = self.form, self.name
        rows = [self._term(term) for term in form.terms]
        shift = [double(s) for s in form.shift]
        return [
            *array("double", f"{own}_base_", [double(b) for b in form.base]),
            f"static const double {own}_slope_ = {double(form.slope)};",
            *array("double", f"{own}_shift_", shift or ["0"] * self.shares),
            *array(f"{own}_term_", f"{own}_terms_", rows, _NO_TERM),
        ]

    def _term(self, term: Data) -> str:
        own, words = self.name.upper(), -1
        numbers: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
        factors = list[str]()
        if "factors" in term:
            kind, numbers = "PRODUCT_", (term["slope"], [term["centre"]], [])
            factors = [str(-1 if i is None else i) for pair in term["factors"] for i in pair]
        elif "words" in term:
            flat = [p for row in term["words"] for p in row]
            kind, numbers = "WORDS_", (flat, term.get("present", []), term.get("idf", []))
            words = self.texted.index(term["column"])
        elif "table" in term:
            kind, numbers = "TABLE_", ([p for row in term["table"] for p in row], [], [])
        elif "mean" in term:
            kind, numbers = "NORMAL_", (term["constant"], term["mean"], term["half"])
        else:
            kind, numbers = "LINEAR_", (term["slope"], term["at_zero"], term["missing"])
        sides = [] if kind == "WORDS_" else term.get("pair", [term] if "column" in term else [])
        listed = [self._side(side, term) for side in sides] or [
            _NO_SIDE.replace("0", str(term.get("column", 0)), 1)
        ]
        cells = [
            f"{own}_{kind}", text(term["name"]), str(len(sides)),
            "{" + ", ".join((*listed, _NO_SIDE)[:2]) + "}",
            *(self.doubles.add(map(double, some)) for some in numbers),
            str(len(factors) // 2), self.integers.add(factors),
            str(VALUES.index(term.get("value", "all"))), str(words),
            self.doubles.add(map(double, term.get("best", ()))),
        ]  # fmt: skip
        return "{" + ", ".join(cells) + "}"

    def _side(self, side: Data, term: Data) -> str:
        cuts = side.get("cuts", [])
        lines = side.get("size", len(term.get("table", ())))
        cells = [
            str(side["column"]), str(lines), str(len(cuts)), self.doubles.add(map(double, cuts)),
            self.integers.add(map(str, side.get("lines", ()))),
            self.texts.add(map(text, side.get("said", ()))),
        ]  # fmt: skip
        return "{" + ", ".join(cells) + "}"


_NO_COLUMN = "{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}"
_NO_SIDE = "{0, 0, 0, 0, 0, 0}"
_NO_TERM = '{0, "", 0, {' + _NO_SIDE + ", " + _NO_SIDE + "}, 0, 0, 0, 0, 0, 0, 0, 0}"


# ---- a model as one C header: its tables as constant data beside a fixed piece of code, `code/c/` ----
#
# Law: the header is C99 without a library beside the standard one, allocates nothing and holds no state, so
# that any number of threads may ask; and it answers the bits that the model answers.


NAME = re.compile("[a-z][a-z0-9_]*")
DATA = "/* ---- data ---- */"  # types stand before it, functions after it
INCLUDES = ("float.h", "math.h", "stdint.h", "stdio.h", "stdlib.h", "string.h")


def header(form: Form, name: str = "model") -> str:
    """Return the header; name: what its names begin with, so that one program may hold several models."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise OptionError(
            f"name={shown(name)} is not a name for C. Use small letters, digits and _, "
            "for example name='model'."
        )
    tables = Tables(form, name)
    parts = [_read(file, tables).partition(DATA) for file in _files(form)]
    guard = f"{name.upper()}_H"
    pieces = [
        "".join(f"// {line}\n" for line in [*heading(form), *_use(form, name)]),
        f"#ifndef {guard}\n#define {guard}\n",
        "".join(f"#include <{file}>\n" for file in INCLUDES),
        "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n#endif\n",
        "\n".join(tables.sizes()) + "\n",
        *(types.strip() + "\n" for types, _, _ in parts if types.strip()),
        "/* ---- the model ---- */\n",
        "\n".join(tables.lines()) + "\n",
        *(code.strip() + "\n" for _, _, code in parts if code.strip()),
        "#endif\n",
    ]
    return "\n".join(pieces)


def _use(form: Form, name: str) -> list[str]:
    what = "answer.label and answer.probability" if form.labels else "answer.value"
    lines = [
        f"C99: {name}_cell row[{name.upper()}_COLUMNS] holds the cells of a row in the order of "
        f"{name}_columns, each",
        f'{name}_number(3.5), {name}_text("yes") or {name}_missing(); {name}_predict(row, &answer) gives',
        f"{what}. Nothing is allocated and nothing is kept: any number of threads may ask.",
    ]
    if form.has_reasons:
        lines.append(f"{name}_reasons(row, 4, reasons) says what cost a row most points.")
    if any("idf" in term for term in form.terms):
        lines.append("Link with -lm.")
    if not form.is_tree and not form.rules:
        lines.append("For the model's own bits compile with -ffp-contract=off where the machine has FMA.")
    return lines


def _files(form: Form) -> list[str]:
    """Return the pieces of code that a form needs, in the order in which they need each other."""
    way = ["tree"] if form.is_tree else ["rules"] if form.rules else ["terms"]
    words = bool(form.texts) and way == ["terms"]
    files = ["cells", "labels" if form.labels else "value"]
    if way == ["terms"]:
        files.append("powers")
    files += ["term_types"] * (way == ["terms"]) + ["words"] * words + way + ["answer"]
    if form.has_reasons:
        files += ["reason_texts", *["reason_words"] * words, "reasons"]
    return files


def _read(file: str, tables: Tables) -> str:
    code = resources.files("tallystick.export").joinpath(f"code/c/{file}.h").read_text(encoding="utf-8")
    for mark, own in tables.words_used().items():
        code = code.replace(mark, own)
    return code.replace("tally_", f"{tables.name}_").replace("TALLY_", f"{tables.name.upper()}_")
