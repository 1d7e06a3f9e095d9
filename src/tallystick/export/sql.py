"""Export of a model as one SQL SELECT: kept columns, the prediction, and a probability for each class.

Parts: cells of the table; names; terms of additive models; reason codes of scorecards; trees; rule lists; the
SELECT. Entry: `sql()`; dialects are in `sql_dialects.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallystick.errors import OptionError, shown, some
from tallystick.export.form import Form, best, number_levels
from tallystick.export.heading import LanguageLimits, heading
from tallystick.export.sql_dialects import (
    LARGEST,
    Dialect,
    dialect_of,
)
from tallystick.model.conditions import bound
from tallystick.model.file import is_whole
from tallystick.schema import ABSENT, CODED, NUMBER_MARKS, Column, meanings, spelt
from tallystick.table.cells import mark_numbers
from tallystick.text import WEEKDAYS

# ---- cells: a column as a number (NULL is missing) or as the text of a level ----
#
# Law: what the model takes for missing is NULL, what it takes for a level is that level's text, and anything
# else is a text that is not a level.


def raw(form: Form, column: Column, sql: Dialect, name: str) -> str:
    """Return a column of the table, called `name`, as a number, or as text without white space around it.

    A number or a date that the table holds as text is read as the model reads it: a mark is missing, and what
    is not a number is an error of the database.
    """
    text = sql.strip.format((sql.written or f"CAST({{}} AS {sql.text})").format(name))
    if column.kind != "numeric" and not column.part:
        return text
    dated = column.unit == "date" or bool(column.part)
    words = sql.literal(f"column {column.cells} needs a {'date' if dated else 'number'}, found: ")
    wrong = sql.fail.format(sql.joined(words, text))
    read = [sql.days.format(text) if dated else (sql.reading or f"CAST({{}} AS {sql.real})").format(text)]
    marks = (*form.marks, *column.marks)
    if not sql.is_text:  # the text of a number may be rounded: marks that are numbers go by their value
        read.insert(0, (sql.days if dated else sql.reading).format(name))
        marks = (*(m for m in marks if not len(mark_numbers((m,)))), *sql.endless)
    if dated:  # some databases give NULL for what reads as a date and is none
        read.append(wrong)
    known = read[0] if len(read) == 1 else f"coalesce({', '.join(read)})"
    missing = f"WHEN {text} IN {sql.texts(marks)} THEN NULL " if marks else ""
    missing += f"WHEN lower({text}) IN {sql.texts(sorted(NUMBER_MARKS))} THEN NULL "
    wanted = (sql.dated if dated else sql.reads).format(text)
    written = f"CASE {missing}WHEN {text} IS NULL THEN NULL WHEN {wanted} THEN {known} ELSE {wrong} END"
    if not sql.is_text:
        return written
    typed = sql.days.format(name) if dated and sql.name != "sqlite" else f"CAST({name} AS {sql.real})"
    return f"CASE WHEN {sql.is_text.format(name)} THEN {written} ELSE {typed} END"


def cell(form: Form, column: Column, sql: Dialect) -> str:
    """Return what the model reads, from what `raw` made of the column."""
    name = sql.name_of(column.name)  # of ours
    if column.kind == "numeric" or column.part:  # NaN counts as greater than any number
        gone = "".join(f" AND {name} <> {sql.number(s)}" for s in form.sentinels)
        known = f"{name} BETWEEN -{LARGEST} AND {LARGEST}{gone}"
        return f"CASE WHEN {known} THEN {_part(column, name, sql)} END"
    other = _alias(column, name, sql)
    known = f"WHEN {name} IN {sql.texts(column.levels)} THEN {name} " if other != name else ""
    marks = (*form.marks, *column.marks)
    missing = f"WHEN {name} IN {sql.texts(marks)} THEN NULL " if marks else ""
    read = f"CASE {missing}{known}ELSE {other} END" if missing or known else name
    return f"COALESCE({read}, {sql.literal(ABSENT)})" if ABSENT in column.levels else read


def _part(column: Column, days: str, sql: Dialect) -> str:
    """Return a part of days since 1970-01-01 (see text.py), a weekday by its name; or the days."""
    if not column.part:
        return days
    clock = sql.floor.format(f"({days} * 86400000e0 + 0.5e0)")
    day = sql.floor.format(f"({clock} / 86400000e0)")
    if column.part == "hour":
        return sql.floor.format(f"(({clock} - {day} * 86400000e0) / 3600000e0)")
    if column.part != "weekday":
        return (sql.year if column.part == "year" else sql.month).format(day)
    week = sql.floor.format(f"(({day} + 3) / 7e0)")
    arms = "".join(f" WHEN {i} THEN {sql.literal(name)}" for i, name in enumerate(WEEKDAYS))
    return f"CASE CAST({day} + 3 - 7 * {week} AS INTEGER){arms} END"


def _alias(column: Column, text: str, sql: Dialect) -> str:
    """Return the level that a text means which is none itself: 1.0 is "1", TRUE is "true"."""
    known = spelt(column)
    words: dict[str, str] = {t: known[t] for t in ("false", "true") if t in known}
    numbers = {v: column.levels[code] for v, code in number_levels(column)}
    if said := meanings(column):  # letter case means nothing where levels are yes and no
        words |= {level.lower(): level for level in column.levels} | said
        words |= {text: level for text, level in column.merged if text == text.lower()}
        numbers = {float(w): level for w, level in said.items() if w in ("0", "1")} | numbers
    out = text
    if numbers:
        arms = "".join(f" WHEN {sql.number(v)} THEN {sql.literal(t)}" for v, t in numbers.items())
        number = f"CASE WHEN {sql.is_number.format(text)} THEN CAST({text} AS {sql.real}) END"
        out = f"CASE {number}{arms} ELSE {out} END"
    if words:
        arms = "".join(f" WHEN {sql.literal(w)} THEN {sql.literal(t)}" for w, t in words.items())
        out = f"CASE lower({text}){arms} ELSE {out} END"
    if column.merged:
        arms = "".join(f" WHEN {sql.literal(w)} THEN {sql.literal(t)}" for w, t in column.merged)
        out = f"CASE {text}{arms} ELSE {out} END"
    return out


def unseen_count(form: Form, sql: Dialect) -> str:
    """Return how many cells of a row hold a level that no training row held."""
    coded = [c for c in form.columns if c.kind in CODED]
    parts = [
        f"CASE WHEN {sql.name_of(c.name)} NOT IN {sql.texts(c.levels)} THEN 1 ELSE 0 END"
        for c in coded
        if c.levels
    ]
    return " + ".join(parts) or "0"


# ---- names: which ones a database distinguishes, our aliases, and the names of the answers ----
#
# Law: inside the SELECT every column has a name of ours, numbered, so that no two meet and none is a word of
# the database; the table's own names stand in the first part only, after its name.


LONGEST = 24  # characters of a column's name inside a name of ours


def own_word(names: Sequence[str]) -> str:
    """Return the word that our names begin with and no other name does."""
    word = "tally"
    while any(name.lower().startswith(word) for name in names):
        word += "_"
    return word


def alias(own: str, number: int, name: str) -> str:
    """Return our name for a column, which still tells the reader which one it is."""
    rest = re.sub("[^0-9A-Za-z]+", "_", name)[:LONGEST].strip("_")
    return f"{own}_{number}_{rest}" if rest else f"{own}_{number}"


def refuse_alike(names: Sequence[str], sql: Dialect) -> None:
    """Refuse a model with two columns that a table of this database cannot hold side by side."""
    known: dict[object, str] = {}
    for name in names:
        other = known.setdefault(sql.fold(name), name)
        if other != name:
            raise OptionError(
                f"{sql.title} cannot tell the columns {shown(other)} and {shown(name)} apart. "
                "Rename one of them and fit again, or export to python or js."
            )


def refuse_hidden(names: Sequence[str], sql: Dialect) -> None:
    """Refuse what SQLite takes for the number of a row where the table lacks it, even behind a subquery."""
    for name in names:
        if sql.name == "sqlite" and sql.hides(name):
            raise OptionError(
                f"SQLite takes the column {shown(name)} for the number of a row where the table lacks it. "
                "Rename it and fit again, or export to python or js."
            )


def answer_names(labels: Sequence[object], sql: Dialect) -> list[str]:
    """Return P(label) for each class; those that the database takes for one name get their number."""
    out: list[str] = []
    taken: set[object] = set()
    for number, label in enumerate(labels, 1):
        name = f"P({str(label).lower() if isinstance(label, bool) else label})"
        if sql.name == "bigquery":  # its columns have no brackets in their names
            name = re.sub(r"\W+", "_", name).strip("_")
        if sql.fold(name) in taken:
            name = f"{sql.cut(name, f'_{number}')}_{number}"
        taken.add(sql.fold(name))
        out.append(name)
    return out


def refuse_double(kept: Sequence[str], answers: Sequence[str], sql: Dialect) -> None:
    """Refuse kept columns that share a name with each other or with an answer."""
    known = {sql.fold(name) for name in answers}
    for name in kept:
        if sql.fold(name) in known:
            raise OptionError(
                f"the answer would have two columns called {shown(name)}: it brings {some(answers, 3)}. "
                "Say which columns to keep: keep=['id']."
            )
        known.add(sql.fold(name))


# ---- terms of additive models: what each column adds to the score of a class ----
#
# Whole points stay whole, a line of the card on a line of text. Law: parts are added in the order of the
# terms, as the model adds them.


LONGEST_TERM = 100  # additions in one bracket, as databases nest a sum as deep as it is long


def score(form: Form, label: int, sql: Dialect) -> str:
    """Return the score of a class, calibrated if the model is."""
    parts = [
        f"CAST({_number(form.base[label], sql)} AS {sql.real})",
        *(_term_part(form, term, label, sql) for term in form.terms if not _is_nothing(term, label)),
    ]
    some = list(parts)
    while len(some) > LONGEST_TERM:
        groups = [some[i : i + LONGEST_TERM] for i in range(0, len(some), LONGEST_TERM)]
        some = ["(" + "\n      + ".join(group) + ")" for group in groups]
    total = "\n      + ".join(some)
    if not form.shift:
        return total
    return f"{sql.double(form.slope)} * (\n      {total}) + {sql.double(form.shift[label])}"


def prior(form: Form, label: int, sql: Dialect) -> str:
    """Return the score of a class that answers when every class is impossible."""
    scaled = form.slope * form.base[label] + form.shift[label] if form.shift else form.base[label]
    return sql.double(scaled)


def _is_nothing(term: dict[str, Any], label: int) -> bool:
    """Say whether a term of whole points has none for a class, as for the first of two."""
    rows = term.get("table", ())
    return bool(rows) and all(type(row[label]) is int and row[label] == 0 for row in rows)


def points(form: Form, term: dict[str, Any], label: int, sql: Dialect) -> str:
    """Return the whole points of a term of a card for a class."""
    return _term_part(form, term, label, sql) if not _is_nothing(term, label) else "0"


def _number(value: float | None, sql: Dialect) -> str:
    """Return a point as it stands on a card, or a double."""
    return str(value) if type(value) is int else sql.double(value)


def _term_part(form: Form, term: dict[str, Any], label: int, sql: Dialect) -> str:
    if "factors" in term:
        if not term["slope"][label]:
            return "0e0"  # 0 times a product beyond all doubles is no number
        factors = []
        for column, code in term["factors"]:
            factor_name = sql.name_of(form.columns[column].name)
            if code is not None:
                level = sql.literal(form.columns[column].levels[code])
                factor_name = f"CASE WHEN {factor_name} = {level} THEN 1e0 ELSE 0e0 END"
            factors.append(factor_name)
        product = " * ".join(factors)
        known = f"coalesce({product}, {sql.double(term['centre'])})"
        return sql.bound.format(f"{known} * {_signed(sql.double(term['slope'][label]))}")
    if "pair" in term:
        first, second = term["pair"]
        points, wide = [str(row[label]) for row in term["table"]], second["size"]
        rows = [points[i * wide : (i + 1) * wide] for i in range(first["size"])]
        return by_line(form, first, [by_line(form, second, row, sql, 8) for row in rows], sql)
    if "table" in term and type(term["table"][0][label]) is int:
        return by_line(form, term, [str(row[label]) for row in term["table"]], sql)
    name = sql.name_of(form.columns[term["column"]].name)
    if "cuts" in term:
        parts = [sql.double(row[label]) for row in term["table"]]
        bins = zip(term["cuts"], parts, strict=False)
        arms = [f"WHEN {name} < {sql.number(cut)} THEN {part}" for cut, part in bins]
        last = parts[len(term["cuts"])]
        return f"CASE WHEN {name} IS NULL THEN {parts[-1]} {' '.join(arms)} ELSE {last} END"
    if "table" in term:
        return _levels(form, term, name, label, sql)
    if "mean" in term:
        mean, half, constant = (sql.double(term[k][label]) for k in ("mean", "half", "constant"))
        away = f"({name} - {_signed(mean)})"
        return f"CASE WHEN {name} IS NULL THEN 0e0 ELSE {constant} - {away} * {away} * {half} END"
    slope, at_zero, missing = (sql.double(term[k][label]) for k in ("slope", "at_zero", "missing"))
    line = f"{name} * {_signed(slope)}" + (f" + {_signed(at_zero)}" if term["at_zero"][label] else "")
    line = sql.bound.format(line)
    return f"CASE WHEN {name} IS NULL THEN {missing} ELSE {line} END"


def _signed(number: str) -> str:
    return f"({number})" if number.startswith("-") else number


def _levels(form: Form, term: dict[str, Any], name: str, label: int, sql: Dialect) -> str:
    levels = form.columns[term["column"]].levels
    parts = [sql.double(row[label]) for row in term["table"]]
    arms = [f"WHEN {sql.literal(t)} THEN {p}" for t, p in zip(levels, parts, strict=False)]
    other = f"CASE WHEN {name} IS NULL THEN {parts[-2]} ELSE {parts[-1]} END"
    if parts[-1] == parts[-2]:
        other = parts[-1]
    return f"CASE {name} {' '.join(arms)} ELSE {other} END"


def by_line(form: Form, side: dict[str, Any], values: Sequence[str], sql: Dialect, deep: int = 6) -> str:
    """Return one of values[line] by the line that a cell is on: a range, a level, missing or unseen. Ranges
    side by side and levels that have the same value stand together.
    """
    column = form.columns[side["column"]]
    name = sql.name_of(column.name)
    if len(set(values)) == 1:
        return values[0]
    if "cuts" in side:
        steps = list(zip([*side["cuts"], None], values, strict=False))
        kept = [
            step for step, after in zip(steps, [*steps[1:], (None, "")], strict=True) if step[1] != after[1]
        ]
        arms = [f"WHEN {name} < {sql.number(cut)} THEN {value}" for cut, value in kept[:-1]]
        return _case([f"WHEN {name} IS NULL THEN {values[-1]}", *arms], kept[-1][1], deep)
    lines = side.get("lines", range(len(values)))
    missing, unseen = values[lines[-2]], values[lines[-1]]
    together: dict[str, list[str]] = {}
    for level, line in zip(column.levels, lines, strict=False):
        together.setdefault(values[line], []).append(level)
    arms = [
        f"WHEN {name} IN {sql.texts(on)} THEN {value}" for value, on in together.items() if value != unseen
    ]
    if missing != unseen:
        arms.append(f"WHEN {name} IS NULL THEN {missing}")
    return _case(arms, unseen, deep)


def _case(arms: Sequence[str], other: str, deep: int) -> str:
    """Return a case with a line of text for each line of the card."""
    listed = "".join(f"\n{' ' * (deep + 2)}{arm}" for arm in [*arms, f"ELSE {other}"])
    return f"CASE{listed}\n{' ' * deep}END"


# Reason codes of scorecards: the sections that cost a row most points against their best line, in words.
#
# Law: every section has a number of its own, its lost points and its place, so that the greatest numbers, one
# after the other, are the reasons in their order; no window and no key is needed.


MOST = 50


def refuse_reasons(form: Form, most: Any) -> None:
    """Refuse reasons of a model that is not a scorecard, and numbers of them that make no sense."""
    if not is_whole(most) or not 0 <= most <= MOST:
        raise OptionError(f"reasons must be a whole number from 0 to {MOST}, not {shown(most)}.")
    if most and not form.has_reasons:
        raise OptionError("reasons are for a scorecard: other models have no lines to lose points on.")


class Reasons:
    """The steps of a SELECT that find the reasons of a row. worth: where it stands what the answer has most
    of.
    """

    def __init__(
        self, form: Form, sql: Dialect, own: str, names: Sequence[str], worth: Sequence[str]
    ) -> None:
        self.form, self.sql, self.own, self.worth = form, sql, own, worth
        self.names = names  # of the columns, as the table calls them
        self.count = len(form.terms)

    def steps(self, most: int) -> list[tuple[str, list[str]]]:
        """Return (name of a step, its columns): lost points, numbers, words, then a reason each."""
        own, count = self.own, self.count
        lost = [f"{self.lost(i)} AS {own}_lost_{i}" for i in range(count)]
        order = [f"{own}_lost_{i} * {count} + {count - 1 - i} AS {own}_order_{i}" for i in range(count)]
        out = [("lost", lost), ("order", order)]
        if len(self.form.labels) > 2:
            out.insert(0, ("answer", [f"{self.answered()} AS {own}_answer"]))
        for k in range(most):
            out.append((f"reason_{k + 1}", [f"{self.next(k)} AS {own}_reason_{k + 1}"]))
        return out

    def lost(self, i: int) -> str:
        """Return how many points a section has cost a row."""
        term, labels = self.form.terms[i], range(len(self.form.labels))
        lost = [f"{term['best'][k]} - ({points(self.form, term, k, self.sql)})" for k in labels]
        if len(labels) == 2:
            return lost[1]
        arms = " ".join(f"WHEN {k} THEN {lost[k]}" for k in labels)
        return f"CASE {self.own}_answer {arms} END"

    def answered(self) -> str:
        """Return the number of the class that is answered."""
        arms = " ".join(f"WHEN {share} THEN {k}" for k, share in enumerate(self.worth))
        return f"CASE {self.sql.top(self.worth)} {arms} END"

    def next(self, k: int) -> str:
        """Return the greatest number below that of the reason before."""
        own, all_of = self.own, [f"{self.own}_order_{i}" for i in range(self.count)]
        if k:
            all_of = [f"CASE WHEN {n} < {own}_reason_{k} THEN {n} ELSE -1 END" for n in all_of]
        return self.sql.top(all_of)

    def text(self, k: int) -> str:
        """Return a reason in words, NULL where there are no more."""
        own = self.own
        arms = "".join(f"\n    WHEN {own}_order_{i} THEN {self.said(i)}" for i in range(self.count))
        return f"CASE WHEN {own}_reason_{k} >= {self.count} THEN CASE {own}_reason_{k}{arms}\n  END END"

    def said(self, i: int) -> str:
        """Return what a section says of a row, and what it cost."""
        term, sql, lost = self.form.terms[i], self.sql, f"{self.own}_lost_{i}"
        sides = [self.side(side) for side in term.get("pair", [term])]
        words = [sides[0], *(part for side in sides[1:] for part in (sql.literal(", "), side))]
        unit = f"CASE {lost} WHEN 1 THEN {sql.literal(' point')} ELSE {sql.literal(' points')} END"
        counted = [sql.literal(": "), f"CAST({lost} AS {sql.text})", unit]
        return sql.joined(*words, *counted, sql.literal(" less than the best"))

    def side(self, side: dict[str, Any]) -> str:
        """Return a column and what a row has there."""
        column, sql = self.form.columns[side["column"]], self.sql
        name, cell = self.names[side["column"]], sql.name_of(column.name)
        if "cuts" in side:
            return by_line(self.form, side, [sql.literal(f"{name} {t}") for t in side["said"]], sql)
        missing, new = (sql.literal(f"{name} {t}") for t in ("is missing", "is a new level"))
        level = sql.joined(sql.literal(f"{name} = "), cell)
        known = f"WHEN {cell} IN {sql.texts(column.levels)} THEN {level} "
        known = known if column.levels else ""
        return f"CASE WHEN {cell} IS NULL THEN {missing} {known}ELSE {new} END"


# Trees: nested CASE of a few levels at a time, then a small table of the nodes where paths end.
#
# Law: no expression is nested deeper than DEEP tests however deep the tree is, because databases limit it:
# each further stage goes on from the nodes where the one before stopped. Ends are numbered from 1 on, nodes
# that wait for the next stage are negative.


DEEP = 6  # tests in one expression


class Tests:
    """The tests of a tree as CASE expressions."""

    def __init__(self, form: Form, sql: Dialect) -> None:
        self.form, self.sql = form, sql
        self.ends = {node: number for number, node in enumerate(ends(form), 1)}

    def stages(self, at: Callable[[int], str]) -> list[str]:
        """Return the expressions of all stages; at(i) is the column that holds where stage i has come to."""
        out: list[str] = []
        roots = [0]
        while roots:
            after: list[int] = []
            pieces = {root: self._case(root, DEEP, after, 1 if root else 0) for root in roots}
            if not out:
                out.append(pieces[0])
            else:
                arms = "".join(f"\n      WHEN -{root} THEN {text}" for root, text in pieces.items())
                before = at(len(out) - 1)
                out.append(f"CASE {before}{arms}\n      ELSE {before} END")
            roots = after
        return out

    def _case(self, node: int, deep: int, after: list[int], indent: int) -> str:
        """Return the expression below a node; nodes that are left for the next stage are added to `after`."""
        test = self.form.nodes[node]
        if len(test) == 1:
            return str(self.ends[node])
        if deep == 0:
            after.append(node)
            return str(-node)
        column = self.form.columns[test[0]]
        inside = "\n" + "  " * (DEEP - deep + 3 + indent)

        def to(below: int) -> str:
            return str(self.ends[node]) if below == node else self._case(below, deep - 1, after, indent)

        arms = self._levels(column, test, to) if test[1] is None else self._cut(column, test, to)
        lines = [
            f"{inside}WHEN {when} THEN {then}" if when else f"{inside}ELSE {then}" for when, then in arms
        ]
        return "CASE" + "".join(lines) + f"{inside[:-2]}END"

    def _cut(self, column: Column, test: list[Any], to: Callable[[int], str]) -> list[tuple[str, str]]:
        _, cut, (low, high), missing, _ = test
        name = self.sql.name_of(column.name)
        under, over = below(cut, self.sql)
        if missing == high:
            return [(f"{name} {under}", to(low)), ("", to(high))]
        if missing == low:
            return [(f"{name} {over}", to(high)), ("", to(low))]
        return [(f"{name} {under}", to(low)), (f"{name} {over}", to(high)), ("", to(missing))]

    def _levels(self, column: Column, test: list[Any], to: Callable[[int], str]) -> list[tuple[str, str]]:
        _, _, ways, missing, _ = test
        name = self.sql.name_of(column.name)
        arms = []
        for below in dict.fromkeys(ways):
            levels = [column.levels[code] for code, way in enumerate(ways) if way == below]
            if below != missing:
                single = len(levels) == 1
                among = f"= {self.sql.literal(levels[0])}" if single else f"IN {self.sql.texts(levels)}"
                arms.append((f"{name} {among}", to(below)))
        return [*arms, ("", to(missing))]


def below(cut: float, sql: Dialect) -> tuple[str, str]:
    """Return the comparisons of values below a cut and of the others: x < cut, or x <= the double before."""
    if bound(cut)[0] == "≤":
        before = sql.number(float(np.nextafter(cut, -np.inf)))
        return f"<= {before}", f"> {before}"
    return f"< {sql.number(cut)}", f">= {sql.number(cut)}"


def ends(form: Form) -> list[int]:
    """Return the nodes where ways end: leaves, and tests where some value stays."""
    return [node for node, test in enumerate(form.nodes) if test[-1] is not None]


# Rule lists: one CASE, an arm for each rule, that gives the number of the first that holds.
#
# Law: no expression is nested deeper than a condition, however many rules there are.


def first_rule(form: Form, sql: Dialect) -> str:
    """Return the expression of the first rule that holds, counted from 1 on; the last is where none does."""
    if len(form.rules) == 1:
        return "1"
    arms = [
        f"\n      WHEN {' AND '.join(_condition(form, c, sql) for c in conditions)} THEN {number}"
        for number, (conditions, _) in enumerate(form.rules[:-1], 1)
    ]
    return "CASE" + "".join(arms) + f"\n      ELSE {len(form.rules)} END"


def _condition(form: Form, condition: list[Any], sql: Dialect) -> str:
    place, between, codes, missing = condition
    column = form.columns[place]
    name = sql.name_of(column.name)
    if codes is not None:
        others = [level for code, level in enumerate(column.levels) if code not in codes]
        if missing:
            return f"({name} IS NULL OR {name} NOT IN {sql.texts(others)})" if others else "1 = 1"
        levels = [column.levels[code] for code in codes]
        if not levels:
            return "1 = 0"
        if len(levels) == 1:
            return f"{name} = {sql.literal(levels[0])}"
        return f"{name} IN {sql.texts(levels)}"
    if between is None:
        return f"{name} IS NULL"
    low, high = between
    tests = [] if low is None else [f"{name} {below(low, sql)[1]}"]
    tests += [] if high is None else [f"{name} {below(high, sql)[0]}"]
    text = " AND ".join(tests) or f"{name} IS NOT NULL"
    return f"({name} IS NULL OR {text})" if missing else text


# ---- the whole SELECT ----
#
# Law: the SELECT reads the table once, changes nothing and needs no function of its own.


USE = (
    "Numbers must be SQL numbers, dates SQL dates, or text that reads as such. Infinite numbers are missing.",
    "Levels are compared as text, without white space around it. No order of rows is promised: keep a key.",
    "The last column, unseen, counts the levels of a row that no training row held: look at its sum.",
)
LIMITS = LanguageLimits("SQL", "databases cut text into words in other ways", "one row takes many paths")


def sql(
    form: Form,
    dialect: str = "duckdb",
    table: str = "data",
    keep: Sequence[str] = (),
    unseen: bool = True,
    reasons: int = 0,
) -> str:
    """Return the SELECT. table: where the rows are; keep: columns to carry along, else those of the model;
    unseen: whether a last column counts the levels of a row that were never seen; reasons: how many columns
    say what cost a row most points of a card.
    """
    LIMITS.refuse(form)
    refuse_reasons(form, reasons)
    given = [keep] if isinstance(keep, str) else list(keep)
    writer = _Writer(form, dialect_of(dialect), table, given or list(form.given), unseen, reasons)
    lines = [*heading(form), f"SQL for {writer.sql.title}.", *(USE if unseen else USE[:-1])]
    body = writer.tree() if form.is_tree else writer.rules() if form.rules else writer.terms()
    return "".join(f"-- {line}\n" for line in lines) + body + "\n"


class _Writer:
    """The pieces of one SELECT; names of ours begin with a word that no name of the table begins with.

    given: the columns as the model calls them; those of `form` have names of ours.
    """

    def __init__(
        self, form: Form, sql: Dialect, table: str, keep: list[str], unseen: bool, reasons: int = 0
    ) -> None:
        parts = table.split(".")
        if not all(parts):
            raise OptionError(f"table={shown(table)} is not a table name. Use for example table='data'.")
        names = list(form.given)
        refuse_alike(names, sql)
        refuse_hidden(names, sql)
        self.shares = answer_names(form.labels, sql)
        reason_names = [f"reason_{k}" for k in range(1, reasons + 1)]
        refuse_double(keep, ["prediction", *self.shares, *reason_names, *["unseen"] * unseen], sql)
        self.reasons = reasons
        self.sql, self.keep, self.unseen, self.given = sql, keep, unseen, form.columns
        self.own = own_word([*parts, *keep, *names])
        columns = (replace(c, name=alias(self.own, i, c.name)) for i, c in enumerate(form.columns))
        self.form = replace(form, columns=tuple(columns))
        self.table = ".".join(sql.name_of(part) for part in parts)
        if any(sql.hides(name) for name in names):  # a column of the table's own, or an error
            self.table = f"(SELECT * FROM {self.table})"
        self.table += f" AS {self.own}_data"

    def cells(self) -> str:
        """Return the first parts: kept columns as they are, and the model's columns as it reads them."""
        kept = [f"{self.own}_kept_{i}" for i in range(len(self.keep))]
        first = [f"{self._of_table(n)} AS {k}" for n, k in zip(self.keep, kept, strict=True)]
        names = [self.sql.name_of(c.name) for c in self.form.columns]
        read = [raw(self.form, c, self.sql, self._of_table(c.cells)) for c in self.given]
        first += [f"{r} AS {n}" for r, n in zip(read, names, strict=True)]
        then = [
            f"{cell(self.form, c, self.sql)} AS {n}" for c, n in zip(self.form.columns, names, strict=True)
        ]
        nothing = [f"1 AS {self.own}_one"]
        return f"WITH {self._part('rows', first or nothing, self.table)}, " + self._part(
            "cells", [", ".join(kept), *then] if kept else then or nothing, f"{self.own}_rows"
        )

    def _of_table(self, name: str) -> str:
        """Return a column of the table: after the table's name SQLite takes it for no text. PostgreSQL would
        take it for a function of the row: x.count is count(x).
        """
        column = self.sql.name_of(name)
        return column if self.sql.name == "postgres" else f"{self.own}_data.{column}"

    def _part(self, name: str, columns: Sequence[str], source: str) -> str:
        listed = ",\n    ".join(columns)
        return f"{self.own}_{name} AS {self.sql.once}(\n  SELECT\n    {listed}\n  FROM {source}\n)"

    def step(self, name: str, before: str, columns: Sequence[str]) -> str:
        """Return a further part: everything before, and some columns more."""
        return ", " + self._part(name, ["*", *columns], f"{self.own}_{before}")

    def last(self, prediction: str, shares: Sequence[str], source: str, reasons: Sequence[str] = ()) -> str:
        """Return the outermost SELECT."""
        kept = [f"{self.own}_kept_{i} AS {self.sql.name_of(n)}" for i, n in enumerate(self.keep)]
        own = [f"{s} AS {self.sql.name_of(n)}" for s, n in zip(shares, self.shares, strict=True)]
        strange = [f"{unseen_count(self.form, self.sql)} AS unseen"] if self.unseen else []
        listed = ",\n  ".join([*kept, f"{prediction} AS prediction", *own, *reasons, *strange])
        return f"\nSELECT\n  {listed}\nFROM {source}"

    def tree(self) -> str:
        """Return the SELECT of a tree: where a row ends, and the answers of the ends."""
        own, form = self.own, self.form
        parts, before = [self.cells()], "cells"
        for i, stage in enumerate(Tests(form, self.sql).stages(lambda i: f"{own}_at_{i}")):
            parts.append(self.step(f"step_{i}", before, [f"{stage} AS {own}_at_{i}"]))
            before = f"step_{i}"
        at = f"{own}_at_{before.removeprefix('step_')}"
        return "".join(parts) + (
            self._array(before, at) if self.sql.name == "spark" else self._join(before, at)
        )

    def rules(self) -> str:
        """Return the SELECT of rules: the number of the first that holds, and the answers of all."""
        at = f"{self.own}_at"
        found = self.step("rule", "cells", [f"{first_rule(self.form, self.sql)} AS {at}"])
        last = self._array("rule", at) if self.sql.name == "spark" else self._join("rule", at)
        return self.cells() + found + last

    def _ends(self) -> list[list[str]]:
        """Return the answer and the shares of each end, as literals."""
        form, out = self.form, []
        for found in form.ends:
            answer = form.labels[best(form, found)] if form.labels else found[0]
            out.append([self.sql.literal(answer), *(self.sql.double(p) for p in found if form.labels)])
        return out

    def _join(self, before: str, at: str) -> str:
        """Return the end of a tree's SELECT: the ends as a small table, joined by number."""
        own, sql = self.own, self.sql
        shares = [f"{own}_share_{k}" for k in range(len(self.form.labels))]
        rows = [[str(n), *cells] for n, cells in enumerate(self._ends(), 1)]
        kinds = {bool: "BOOL", int: "INT64", float: "FLOAT64", str: "STRING"}
        kind = kinds[type(self.form.labels[0])] if self.form.labels else "FLOAT64"
        types = ["INT64", kind, *["FLOAT64"] * len(self.form.labels)]
        table = small_table(f"{own}_ends", [f"{own}_end", f"{own}_answer", *shares], rows, types, sql)
        answer = f"{own}_answer" if self.form.labels else f"CAST({own}_answer AS {sql.real})"
        real = [f"CAST({s} AS {sql.real})" for s in shares]
        source = f"{own}_{before} JOIN {own}_ends ON {own}_end = {at}"
        return f", {table}" + self.last(answer, real, source)

    def _array(self, before: str, at: str) -> str:
        """Return the same for Spark: an array of the ends. From a join Spark infers constraints, and copies
        the expressions of all stages into each other.
        """
        own = self.own
        names = ["answer", *(f"share_{k}" for k in range(len(self.form.labels)))]
        rows = []
        for cells in self._ends():
            pairs = ", ".join(f"'{n}', {c}" for n, c in zip(names, cells, strict=True))
            rows.append(f"named_struct({pairs})")
        listed = ",\n      ".join(rows)
        found = self.step("ends", before, [f"element_at(array(\n      {listed}), {at}) AS {own}_end"])
        fields = [f"{own}_end.{n}" for n in names]
        return found + self.last(fields[0], fields[1:], f"{own}_ends")

    def terms(self) -> str:
        """Return the SELECT of base and terms: scores, the greatest, powers, shares; of a number the sum."""
        own, form, sql = self.own, self.form, self.sql
        if not form.labels:
            found = self.step("scores", "cells", [f"{score(form, 0, sql)} AS {own}_score_0"])
            return self.cells() + found + self.last(f"{own}_score_0", [], f"{own}_scores")
        labels = range(len(form.labels))
        scores, powers, shares = ([f"{own}_{n}_{k}" for k in labels] for n in ("score", "power", "share"))
        top, lost = f"{own}_top", sql.is_lowest(f"{own}_top")
        away = [
            f"(CASE WHEN {lost} THEN {prior(form, k, sql)} ELSE {scores[k]} END)"
            f" - (CASE WHEN {lost} THEN {sql.double(self._prior())} ELSE {top} END)"
            for k in labels
        ]
        if not self._may_be_lost():
            away = [f"{scores[k]} - {top}" for k in labels]
        total = " + ".join(powers)
        worth = [f"{own}_worth_{k}" for k in labels] if form.costs else shares
        found = f"CASE {sql.top(worth)}"
        found += "".join(f" WHEN {worth[k]} THEN {sql.literal(form.labels[k])}" for k in labels) + " END"
        return (
            self.cells()
            + self.step("scores", "cells", [f"{score(form, k, sql)} AS {scores[k]}" for k in labels])
            + self.step("top", "scores", [f"{sql.top(scores)} AS {top}"])
            + self.step("away", "top", [f"{away[k]} AS {own}_away_{k}" for k in labels])
            + self.step("powers", "away", [f"{_power(f'{own}_away_{k}')} AS {powers[k]}" for k in labels])
            + self.step("shares", "powers", [f"{powers[k]} / ({total}) AS {shares[k]}" for k in labels])
            + self._answers(found, shares, worth)
        )

    def _answers(self, found: str, shares: Sequence[str], worth: Sequence[str]) -> str:
        """Return the end of the SELECT of base and terms, with the reasons where they are wanted. worth: what
        the answer has most of: shares, or with costs the expected cost below 0.
        """
        asked = Reasons(self.form, self.sql, self.own, [c.name for c in self.given], worth)
        out, before = "", "shares"
        if self.form.costs:
            spent = [self._spent(k, shares) for k in range(len(worth))]
            columns = [f"0e0 - ({s}) AS {w}" for s, w in zip(spent, worth, strict=True)]
            out, before = self.step("worth", "shares", columns), "worth"
        for name, columns in asked.steps(self.reasons) if self.reasons else ():
            out += self.step(name, before, columns)
            before = name
        reasons = [f"{asked.text(k)} AS reason_{k}" for k in range(1, self.reasons + 1)]
        return out + self.last(found, shares, f"{self.own}_{before}", reasons)

    def _spent(self, answer: int, shares: Sequence[str]) -> str:
        """Return the expected cost of an answer."""
        prices = [self.sql.double(row[answer]) for row in self.form.costs]
        return " + ".join(f"{share} * {price}" for share, price in zip(shares, prices, strict=True))

    def _prior(self) -> float:
        scaled = self.form.base
        if self.form.shift:
            scaled = tuple(self.form.slope * b + s for b, s in zip(scaled, self.form.shift, strict=True))
        return max(scaled)

    def _may_be_lost(self) -> bool:
        """Say whether some part is -infinity, so that every class may be impossible."""
        tables = [row for term in self.form.terms for row in term.get("table", ())]
        if any("mean" in term for term in self.form.terms):  # a square may overflow
            return True
        slopes = [term["slope"] for term in self.form.terms if "slope" in term]
        return any(None in row or float("-inf") in row for row in [*tables, *slopes])


def small_table(
    name: str, columns: Sequence[str], rows: Sequence[Sequence[str]], types: Sequence[str], sql: Dialect
) -> str:
    """Return a table of literals as a part of a SELECT."""
    listed = ",\n    ".join(f"({', '.join(row)})" for row in rows)
    names = ", ".join(columns)
    if sql.name == "bigquery":
        fields = ", ".join(f"{c} {t}" for c, t in zip(columns, types, strict=True))
        return f"{name} AS (\n  SELECT * FROM UNNEST(ARRAY<STRUCT<{fields}>>[\n    {listed}\n  ])\n)"
    if sql.name in ("tsql", "snowflake"):
        return f"{name} AS (\n  SELECT * FROM (VALUES\n    {listed}\n  ) AS {name}_rows ({names})\n)"
    return f"{name} ({names}) AS (\n  VALUES\n    {listed}\n)"


def _power(away: str) -> str:
    """Return e^x for x <= 0; what is below 1e-304 is 0, because some databases take it for an error."""
    return f"CASE WHEN {away} < -700 THEN 0e0 ELSE exp({away}) END"
