"""The terms of additive models in SQL: what each column adds to the score of a class.

Knows forms of additive models. Whole points stay whole, a line of the card on a line of text. Law: parts are
added in the order of the terms, as the model adds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallystick.export.form import Form
from tallystick.export.sql.dialect import Dialect

LONGEST = 100  # additions in one bracket: a sum of thousands in a row would be nested as deep


def score(form: Form, label: int, sql: Dialect) -> str:
    """Return the score of a class, calibrated if the model is."""
    parts = [
        f"CAST({_number(form.base[label], sql)} AS {sql.real})",
        *(_part(form, term, label, sql) for term in form.terms if not _is_nothing(term, label)),
    ]
    total = _sum(parts)
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
    return _part(form, term, label, sql) if not _is_nothing(term, label) else "0"


def _number(value: float | None, sql: Dialect) -> str:
    """Return a point as it stands on a card, or a double."""
    return str(value) if type(value) is int else sql.double(value)


def _sum(parts: Sequence[str]) -> str:
    some = list(parts)
    while len(some) > LONGEST:
        groups = [some[i : i + LONGEST] for i in range(0, len(some), LONGEST)]
        some = ["(" + "\n      + ".join(group) + ")" for group in groups]
    return "\n      + ".join(some)


def _part(form: Form, term: dict[str, Any], label: int, sql: Dialect) -> str:
    if "factors" in term:
        return _product(form, term, label, sql)
    if "pair" in term:
        return _pair(form, term, label, sql)
    if "table" in term and type(term["table"][0][label]) is int:
        return by_line(form, term, [str(row[label]) for row in term["table"]], sql)
    name = sql.name_of(form.columns[term["column"]].name)
    if "cuts" in term:
        return _bins(term, name, label, sql)
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


def _bins(term: dict[str, Any], name: str, label: int, sql: Dialect) -> str:
    parts = [sql.double(row[label]) for row in term["table"]]
    arms = [f"WHEN {name} < {sql.number(cut)} THEN {p}" for cut, p in zip(term["cuts"], parts, strict=False)]
    last = parts[len(term["cuts"])]
    return f"CASE WHEN {name} IS NULL THEN {parts[-1]} {' '.join(arms)} ELSE {last} END"


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


def _pair(form: Form, term: dict[str, Any], label: int, sql: Dialect) -> str:
    """Return the points of two columns at once: for each line of the first, those by line of the second."""
    first, second = term["pair"]
    points, wide = [str(row[label]) for row in term["table"]], second["size"]
    rows = [points[i * wide : (i + 1) * wide] for i in range(first["size"])]
    return by_line(form, first, [by_line(form, second, row, sql, 8) for row in rows], sql)


def _product(form: Form, term: dict[str, Any], label: int, sql: Dialect) -> str:
    """A level that is not held makes a product 0, unless the other factor is missing."""
    if not term["slope"][label]:
        return "0e0"  # 0 times a product beyond all doubles is no number
    factors = []
    for column, code in term["factors"]:
        name = sql.name_of(form.columns[column].name)
        level = "" if code is None else sql.literal(form.columns[column].levels[code])
        factors.append(name if code is None else f"CASE WHEN {name} = {level} THEN 1e0 ELSE 0e0 END")
    product = " * ".join(factors)
    known = f"coalesce({product}, {sql.double(term['centre'])})"
    return sql.bound.format(f"{known} * {_signed(sql.double(term['slope'][label]))}")
