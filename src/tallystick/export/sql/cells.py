"""Cells in SQL: a column of the table as a number (NULL is missing) or as the text of a level.

Knows columns and dialects. Law: what the model takes for missing is NULL, what it takes for a level is that
level's text, and anything else is a text that is not a level.
"""

from __future__ import annotations

from tallystick.data.dates import WEEKDAYS
from tallystick.data.read.cells import mark_numbers
from tallystick.data.schema import ABSENT, CODED, NUMBER_MARKS, Column, meanings, spelt
from tallystick.export.form import Form, number_levels
from tallystick.export.sql.dialect import LARGEST, Dialect


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
    """Return a part of days since 1970-01-01 (see data/dates.py), a weekday by its name; or the days."""
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
