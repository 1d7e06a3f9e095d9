"""A model as one SQL SELECT: the kept columns, the prediction and a probability for each class.

Knows forms and dialects. Law: the SELECT reads the table once, changes nothing and needs no function of its
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tallystick.errors import OptionError, shown
from tallystick.export.form import Form, best
from tallystick.export.heading import heading
from tallystick.export.limits import LanguageLimits
from tallystick.export.sql.cells import cell, raw, unseen_count
from tallystick.export.sql.dialect import Dialect, dialect_of
from tallystick.export.sql.names import (
    alias,
    answer_names,
    own_word,
    refuse_alike,
    refuse_double,
    refuse_hidden,
)
from tallystick.export.sql.reasons import Reasons, refuse_reasons
from tallystick.export.sql.rules import first_rule
from tallystick.export.sql.terms import prior, score
from tallystick.export.sql.tree import Tests

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
        told = [f"reason_{k}" for k in range(1, reasons + 1)]
        refuse_double(keep, ["prediction", *self.shares, *told, *["unseen"] * unseen], sql)
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

    def last(self, prediction: str, shares: Sequence[str], source: str, told: Sequence[str] = ()) -> str:
        """Return the outermost SELECT; told: the reasons."""
        kept = [f"{self.own}_kept_{i} AS {self.sql.name_of(n)}" for i, n in enumerate(self.keep)]
        own = [f"{s} AS {self.sql.name_of(n)}" for s, n in zip(shares, self.shares, strict=True)]
        strange = [f"{unseen_count(self.form, self.sql)} AS unseen"] if self.unseen else []
        listed = ",\n  ".join([*kept, f"{prediction} AS prediction", *own, *told, *strange])
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
        table = small_table(f"{own}_ends", [f"{own}_end", f"{own}_answer", *shares], rows, self._types(), sql)
        answer = f"{own}_answer" if self.form.labels else f"CAST({own}_answer AS {sql.real})"
        real = [f"CAST({s} AS {sql.real})" for s in shares]
        source = f"{own}_{before} JOIN {own}_ends ON {own}_end = {at}"
        return f", {table}" + self.last(answer, real, source)

    def _types(self) -> list[str]:
        """Return the types of an end's number, answer and shares, as BigQuery calls them."""
        kinds = {bool: "BOOL", int: "INT64", float: "FLOAT64", str: "STRING"}
        answer = kinds[type(self.form.labels[0])] if self.form.labels else "FLOAT64"
        return ["INT64", answer, *["FLOAT64"] * len(self.form.labels)]

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
            + self.told(found, shares, worth)
        )

    def told(self, found: str, shares: Sequence[str], worth: Sequence[str]) -> str:
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
        told = [f"{asked.text(k)} AS reason_{k}" for k in range(1, self.reasons + 1)]
        return out + self.last(found, shares, f"{self.own}_{before}", told)

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
