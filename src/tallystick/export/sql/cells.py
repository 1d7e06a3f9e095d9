"""Cells in SQL: a column of the table as a number (NULL is missing) or as the text of a level.

Knows columns and dialects. Law: what the model takes for missing is NULL, what it takes for a level is that
level's text, and anything else is a text that is no level.
"""

from __future__ import annotations

from tallystick.data.schema import Column
from tallystick.export.form import Form, number_levels
from tallystick.export.sql.dialect import LARGEST, Dialect


def raw(form: Form, column: Column, sql: Dialect) -> str:
    """Return a column of the table as a number, or as text without white space around it."""
    name = sql.name_of(column.name)
    if column.kind != "numeric":
        return sql.strip.format(f"CAST({name} AS {sql.text})")
    if column.unit == "date":
        return sql.days.format(name)
    if sql.name != "sqlite":
        return f"CAST({name} AS {sql.real})"
    text = sql.strip.format(name)  # any cell of SQLite may hold text; what is no number is an error
    read = f"CASE WHEN {text} IN {sql.texts(form.marks)} THEN NULL ELSE json_extract({text}, '$') + 0.0 END"
    return f"CASE typeof({name}) WHEN 'text' THEN {read} ELSE CAST({name} AS REAL) END"


def cell(form: Form, column: Column, sql: Dialect) -> str:
    """Return what the model reads, from what `raw` made of the column."""
    name = sql.name_of(column.name)
    if column.kind == "numeric":  # NaN counts as greater than any number
        gone = "".join(f" AND {name} <> {sql.number(s)}" for s in form.sentinels)
        return f"CASE WHEN {name} BETWEEN -{LARGEST} AND {LARGEST}{gone} THEN {name} END"
    other = _alias(column, name, sql)
    known = f"WHEN {name} IN {sql.texts(column.levels)} THEN {name} " if other != name else ""
    missing = f"WHEN {name} IN {sql.texts(form.marks)} THEN NULL " if form.marks else ""
    return f"CASE {missing}{known}ELSE {other} END" if missing or known else name


def _alias(column: Column, text: str, sql: Dialect) -> str:
    """Return the level that a text means which is none itself: 1.0 is "1", TRUE is "true"."""
    words: dict[str, str] = {t: t for t in ("false", "true") if t in column.levels}
    numbers = {v: column.levels[code] for v, code in number_levels(column)}
    if column.kind == "boolean":
        words = dict(zip(("false", "true"), column.levels, strict=True)) | words
        numbers = {0.0: column.levels[0], 1.0: column.levels[1]} | numbers
    out = text
    if numbers:
        arms = "".join(f" WHEN {sql.number(v)} THEN {sql.literal(t)}" for v, t in numbers.items())
        number = f"CASE WHEN {sql.is_number.format(text)} THEN CAST({text} AS {sql.real}) END"
        out = f"CASE {number}{arms} ELSE {out} END"
    if words:
        arms = "".join(f" WHEN {sql.literal(w)} THEN {sql.literal(t)}" for w, t in words.items())
        out = f"CASE lower({text}){arms} ELSE {out} END"
    return out
