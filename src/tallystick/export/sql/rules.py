"""A list of rules in SQL: one CASE, an arm for each rule, that gives the number of the first that holds.

Knows forms of rules. Law: no expression is nested deeper than a condition, however many rules there are.
"""

from __future__ import annotations

from typing import Any

from tallystick.data.schema import Column
from tallystick.export.form import Form
from tallystick.export.sql.dialect import Dialect
from tallystick.export.sql.tree import below


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
        return _levels(column, codes, missing, sql)
    if between is None:
        return f"{name} IS NULL"
    low, high = between
    tests = [] if low is None else [f"{name} {below(low, sql)[1]}"]
    tests += [] if high is None else [f"{name} {below(high, sql)[0]}"]
    text = " AND ".join(tests) or f"{name} IS NOT NULL"
    return f"({name} IS NULL OR {text})" if missing else text


def _levels(column: Column, codes: list[int], missing: bool, sql: Dialect) -> str:
    """Return a test of levels; a level that is not among those of the model goes with missing ones."""
    name = sql.name_of(column.name)
    others = [level for code, level in enumerate(column.levels) if code not in codes]
    if missing:
        return f"({name} IS NULL OR {name} NOT IN {sql.texts(others)})" if others else "1 = 1"
    levels = [column.levels[code] for code in codes]
    if not levels:
        return "1 = 0"
    return f"{name} = {sql.literal(levels[0])}" if len(levels) == 1 else f"{name} IN {sql.texts(levels)}"
