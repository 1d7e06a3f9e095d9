"""Reason codes in SQL: the sections of a card that cost a row most points against their best line, in words.

Knows forms of cards. Law: every section has a number of its own, its lost points and its place, so that the
greatest numbers, one after the other, are the reasons in their order; no window and no key is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallystick.errors import OptionError, shown
from tallystick.export.form import Form
from tallystick.export.sql.dialect import Dialect
from tallystick.export.sql.terms import by_line, points
from tallystick.models.plain import is_whole

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
        told = [sides[0], *(part for side in sides[1:] for part in (sql.literal(", "), side))]
        unit = f"CASE {lost} WHEN 1 THEN {sql.literal(' point')} ELSE {sql.literal(' points')} END"
        counted = [sql.literal(": "), f"CAST({lost} AS {sql.text})", unit]
        return sql.joined(*told, *counted, sql.literal(" less than the best"))

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
