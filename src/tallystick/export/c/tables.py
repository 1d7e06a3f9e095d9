"""The tables of a model as C: sizes, columns, then a tree, rules or terms.

Knows forms. The types are those of `code/c/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from tallystick.data.dates import WEEKDAYS
from tallystick.data.schema import ABSENT, NUMBER_MARKS, Column, meanings, spelt
from tallystick.export.c.letters import around_sigma, capitals, word_characters
from tallystick.export.c.literals import Pool, array, double, identifier, text
from tallystick.export.form import Data, Form, number_levels

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
        return [*lines, "", *self._places()]

    def _places(self) -> list[str]:
        """Return a constant for the place of each column of a row; names that meet get their number."""
        taken: set[str] = set()
        lines = []
        for place, given in enumerate(self.form.given):
            name = f"{self.name.upper()}_AT_{identifier(given)}".rstrip("_")
            if name in taken or not identifier(given):
                name += f"_{place}"
            taken.add(name)
            lines.append(f"#define {name} {place}")
        return lines

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
        told = [text(level) for level in levels] if form.has_reasons else []
        cells = [
            *start, "2", part, str(len(levels)), str(code.get(ABSENT, len(levels))),
            str(len(spelling)), self.spellings.add(f"{{{text(w)}, {c}}}" for _, w, c in spelling),
            str(len(numbers)), self.numerals.add(numbers),
            str(len(meant)), self.spellings.add(f"{{{text(w)}, {c}}}" for _, w, c in meant),
            self.texts.add(told), self.integers.add(weekday), *marks,
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
