"""Reading the schema of a table in a database: the survey of its rows as queries.

    columns of texts, truths and labels --GROUP BY--> distinct values with counts --> Survey
    columns of numbers --COUNT, MIN, MAX--> Survey --> Decision --> each column as an expression of SQL

Entry: `read_there()`. Law: schema, notes and codes are those of `read_table` on the same rows; where queries
cannot find them, `RowsNeededError` is raised and the rows are fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.errors import OptionError, TallyError, TargetError, shown
from tallystick.io.database import DatabaseTable, QueryError, is_opaque, quoted
from tallystick.io.source import clean_names
from tallystick.schema import CODED, ColumnOptions
from tallystick.sql import Sql
from tallystick.sql.prints import SqlWords, code_of, literal
from tallystick.sql.table import SqlTable, numbers
from tallystick.table.cells import EXACT, mark_numbers, read_cells
from tallystick.table.column_survey import NumbersSeen, few_values
from tallystick.table.encode import Encoder
from tallystick.table.kinds import FEW_VALUES
from tallystick.table.strings import Distinct, is_text
from tallystick.table.survey import Decision, Survey, SurveyRequest
from tallystick.table.target import RowSelection, hit

DIGITS = 15  # digits of a decimal that is exact as a quotient of two doubles
LARGEST = 1 << 20  # largest weight for which hashes times weights fit
MOST_LEVELS = 4_096  # values of a column that a query writes out

Counts = NDArray[np.int64]


class RowsNeededError(Exception):
    """Why the rows must be fetched, in words that follow "because"."""


@dataclass(frozen=True)
class GroupedRows(RowSelection):
    """Rows that each stand for several: heavy[row, measure]."""

    heavy: Counts = field(default_factory=lambda: np.zeros((0, 1), np.int64))

    def count(self, chosen: NDArray[np.bool_] | None) -> Counts:
        """Return counts[measure] of chosen rows; None: all."""
        own: Counts = self.heavy if chosen is None else self.heavy[chosen]
        return own.sum(axis=0)  # type: ignore[no-any-return]

    def counts(self, found: Distinct) -> Counts:
        """Return counts[text, measure], those without a text last."""
        out = np.zeros((len(found.values) + 1, self.heavy.shape[1]), np.int64)
        np.add.at(out, found.codes.astype(np.int64), self.heavy)
        return out


def read_there(
    table: DatabaseTable,
    wishes: ColumnOptions | None,
    target: Any,
    weights: Any,
    fetch: Callable[[], Table],
    engine: Any = None,
) -> SqlTable:
    """Return the table of a database. target, weights: names of columns; fetch: brings all rows here; engine:
    who sums.
    """
    for what, value, error in (("y", target, TargetError), ("sample_weight", weights, OptionError)):
        if value is not None and not isinstance(value, str):
            raise error(
                f"{what} of a table in a database is the name of one of its columns, not "
                f"{type(value).__name__}: rows there have no order. Pass {what}='name'."
            )
    names, _ = clean_names(table.kinds.names, table.where)
    question = SurveyRequest.about(table.source(), wishes, target, weights=weights)
    try:
        found = _Reading(
            table, question, question.target or "", dict(zip(names, table.kinds, strict=True))
        ).table(fetch)
    except QueryError as error:
        raise RowsNeededError(f"the database says {error}") from None
    except TallyError:
        raise RowsNeededError("something is wrong with them") from None  # which is said of the fetched rows
    found.engine = engine or Sql()
    return found


@dataclass
class _Reading:
    """A survey under way. target: its column; fields[name]: the column as the database has it."""

    source: DatabaseTable
    question: SurveyRequest
    target: str
    fields: dict[str, pa.Field]
    counting: str = ""
    weighed: str | None = None
    values: dict[str, pa.Array] = field(default_factory=dict)  # distinct ones, of columns grouped by

    @property
    def words(self) -> SqlWords:
        return SqlWords(self.source.database.kind)

    def table(self, fetch: Callable[[], Table]) -> SqlTable:
        """Return the table, or say why it must be fetched."""
        q = self.question
        if not self.target or q.regression:
            raise RowsNeededError("only classes are counted there")
        for name in (*q.looked, self.target):
            if q.plan.of(name).kind != "out":
                self._check(name)
        survey = Survey(q)
        self._see_target(survey)
        for name, seen in survey.seen.items():
            if seen.asked.kind == "out":
                continue
            if q.as_words(name):
                raise RowsNeededError(f"column {shown(name)} is read word by word")
            as_text = name in q.texts or seen.asked.wants_text
            if self._is_moment(name) and as_text:
                raise RowsNeededError(f"column {shown(name)} holds dates that are read as texts")
            if (self._is_number(name) or self._is_moment(name)) and not as_text:
                continue
            self._see_texts(survey, name)
        self._see_numbers(survey)
        while (more := survey.again()) is not None:
            for name, look in more.question.again.items():
                if look.ends is None:
                    raise RowsNeededError(f"column {shown(name)} is read word by word")
                self._numbers(survey, name).distinct = self._distinct(name)
        decision = survey.decide(self.source.source().notes)
        return self._grouped_table(decision, fetch)

    # -- what the database holds --

    def _check(self, name: str) -> None:
        kind = self.fields[name].type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        is_known = (
            is_text(kind) or pa.types.is_boolean(kind) or self._is_number(name) or self._is_decimal(name)
        )
        if not is_known and (name == self.target or not self._is_moment(name)):
            raise RowsNeededError(f"column {shown(name)} holds cells of type {kind}")

    def _is_number(self, name: str) -> bool:
        return pa.types.is_integer(self.fields[name].type) or self._is_double(name)

    def _is_double(self, name: str) -> bool:
        """May the cells be NaN? PostgreSQL's numeric comes as doubles wherever it comes."""
        kind = self.fields[name].type
        return (pa.types.is_floating(kind) and not pa.types.is_float16(kind)) or is_opaque(kind)

    def _is_decimal(self, name: str) -> bool:
        """Are the cells decimals of so few digits that the nearest double is found by one division?"""
        kind = self.fields[name].type
        return bool(pa.types.is_decimal(kind) and kind.precision <= DIGITS and kind.scale >= 0)

    def _is_moment(self, name: str) -> bool:
        """Are the cells dates or times of a day of which whole microseconds are known?"""
        kind = self.fields[name].type
        return bool(pa.types.is_date32(kind) or (pa.types.is_timestamp(kind) and kind.unit != "ns"))

    def _cell(self, name: str) -> str:
        """Return a cell as queries group by it."""
        cell, kind = quoted(self.fields[name].name), self.fields[name].type
        if self._is_double(name):
            return f"CAST({cell} AS FLOAT8)"
        plain = self._is_number(name) or self._is_decimal(name) or pa.types.is_boolean(kind)
        return cell if plain else f"CAST({cell} AS TEXT)"

    def _double(self, name: str) -> str:
        """Return a number as a double, a moment as days since 1970."""
        cell = quoted(self.fields[name].name)
        return self.words.days(cell) if self._is_moment(name) else f"CAST({cell} AS FLOAT8)"

    def _numbers(self, survey: Survey, name: str) -> NumbersSeen:
        """Return what is known of the numbers of a column, or of its dates."""
        seen = survey.seen[name]
        return seen.dates if self._is_moment(name) else seen.numbers

    def _where(self) -> str:
        return f" WHERE {self.counting}" if self.counting else ""

    def _grouped(self, name: str) -> tuple[pa.Array, Counts]:
        """Return the distinct cells of a column, and counts[cell, measure]."""
        found = self.source.database.query(
            f"SELECT v, COUNT(*) AS n, CAST(SUM(w) AS BIGINT) AS w FROM (SELECT {self._cell(name)} AS v, "
            f"{self.weighed or 1} AS w FROM {self.source.sql}{self._where()}) AS r GROUP BY v"
        )
        measures = [numbers(found["n"])] + ([] if self.weighed is None else [numbers(found["w"])])
        return found["v"].combine_chunks(), np.stack(measures, axis=1).astype(np.int64)

    # -- the survey --

    def _see_target(self, survey: Survey) -> None:
        """See the labels, and say which rows count."""
        q = self.question
        every, rows = self._grouped(self.target)
        found = hit(every, self.target, q.plan, False)
        assert found.labels is not None
        gone = np.zeros(len(every), bool) if found.absent is None else found.absent
        cell, absent = self._cell(self.target), [v for v, g in zip(every.to_pylist(), gone, strict=True) if g]
        says = [f"{cell} IS NOT NULL"]
        if some := [literal(v) for v in absent if v is not None]:
            says.append(f"{cell} NOT IN ({', '.join(some)})")
        self.counting = " AND ".join(says)
        if q.weights is not None:
            self._see_weights(survey, q.weights)
        kept = dict(zip(*self._listed(self.target), strict=True))
        measures = np.array([kept.get(v, [0] * q.measures) for v in every.to_pylist()], np.int64)
        heavy = np.concatenate([rows[:, :1], measures.reshape(len(every), -1)], axis=1)
        survey.aim.rows, survey.aim.absent = int(rows[:, 0].sum()), int(rows[gone, 0].sum())
        survey.aim.written = found.written
        chosen = GroupedRows(len(every), heavy=heavy)
        survey.aim.labels.add(found.labels.values, chosen.counts(found.labels)[:-1])
        total = measures.sum(axis=0)
        survey.weighed.rows = int(total[0])
        if q.weights is not None:
            survey.weighed.total_weight = Fraction(int(total[1]))
        self.values[self.target] = every
        if survey.without_total() is not None:
            raise RowsNeededError("a row of a total is among them")

    def _listed(self, name: str) -> tuple[list[Any], list[list[int]]]:
        cells, counts = self._grouped(name)
        return cells.to_pylist(), counts.tolist()

    def _see_weights(self, survey: Survey, name: str) -> None:
        """Take the weights as copies of rows; any other are summed here."""
        if not self._is_number(name):
            raise RowsNeededError("weights are numbers")
        cell = f"CAST({quoted(self.fields[name].name)} AS FLOAT8)"
        bad = f"{cell} IS NULL OR {cell} < 0 OR {cell} > {LARGEST} OR {cell} <> FLOOR({cell})"
        other = f"COUNT(CASE WHEN {cell} NOT IN (0, 1) THEN 1 END)"
        found = self.source.database.query(
            f"SELECT COUNT(CASE WHEN {bad} THEN 1 END) AS bad, {other} AS other "
            f"FROM {self.source.sql}{self._where()}"
        ).to_pylist()[0]
        if found["bad"]:
            raise RowsNeededError(f"weights are not whole numbers up to {LARGEST:,}")
        survey.weighed.least, survey.weighed.most = 1.0, 2.0 if found["other"] else 1.0
        self.counting += f" AND {cell} <> 0"
        self.weighed = f"CAST({cell} AS BIGINT)"

    def _see_texts(self, survey: Survey, name: str) -> None:
        q, seen = self.question, survey.seen[name]
        cells, heavy = self._grouped(name)
        as_text = name in q.texts or seen.asked.wants_text
        part = read_cells(cells, name, q.plan.marks, q.plan.decimal, as_text)
        seen.add(survey._piece(name, part, as_text, 1), GroupedRows(len(cells), heavy=heavy))
        self.values[name] = cells

    def _see_numbers(self, survey: Survey) -> None:
        names = [n for n, seen in survey.seen.items() if seen.asked.kind != "out" and n not in self.values]
        for start in range(0, len(names), 64):
            some = names[start : start + 64]
            cells = [self._facts_of(survey, name, j) for j, name in enumerate(some)]
            row = self.source.database.query(
                f"SELECT {', '.join(cells)} FROM {self.source.sql}{self._where()}"
            ).to_pylist()[0]
            for j, name in enumerate(some):
                self._take(survey, name, {n: row[f"{n}_{j}"] for n in FACTS} | _heavy(row, j))

    def _facts_of(self, survey: Survey, name: str, j: int) -> str:
        """Return what is asked of a column of numbers."""
        x = self._double(name)
        endless = f"{x} IN (CAST('Infinity' AS FLOAT8), CAST('-Infinity' AS FLOAT8))"
        there = f"{x} IS NOT NULL AND {x} <> CAST('NaN' AS FLOAT8)"
        marks = mark_numbers(survey.seen[name].asked.marks)
        marked = f"{there} AND {x} IN ({', '.join(map(literal, marks))})" if len(marks) else "FALSE"
        good = f"{there} AND NOT ({endless}) AND NOT ({marked})"
        wanted = {
            "finite": f"COUNT(CASE WHEN {good} THEN 1 END)",
            "endless": f"COUNT(CASE WHEN {endless} AND NOT ({marked}) THEN 1 END)",
            "marked": f"COUNT(CASE WHEN {marked} THEN 1 END)",
            "low": f"MIN(CASE WHEN {good} THEN {x} END)",
            "high": f"MAX(CASE WHEN {good} THEN {x} END)",
            "broken": f"COUNT(CASE WHEN {good} AND {x} <> FLOOR({x}) THEN 1 END)",
            "other": f"COUNT(CASE WHEN {good} AND {x} NOT IN (0, 1) THEN 1 END)",
        }
        if self.weighed is not None:
            wanted["finite_w"] = f"CAST(SUM(CASE WHEN {good} THEN {self.weighed} END) AS BIGINT)"
            wanted["marked_w"] = f"CAST(SUM(CASE WHEN {marked} THEN {self.weighed} END) AS BIGINT)"
        return ", ".join(f"{sql} AS {n}_{j}" for n, sql in wanted.items())

    def _take(self, survey: Survey, name: str, facts: dict[str, Any]) -> None:
        seen = self._numbers(survey, name)
        if facts["endless"]:
            raise RowsNeededError(f"column {shown(name)} holds infinite numbers")
        whole = pa.types.is_integer(self.fields[name].type)
        if facts["finite"] and whole and max(-facts["low"], facts["high"]) > EXACT:
            raise RowsNeededError(f"column {shown(name)} holds whole numbers beyond 2^53")
        seen.rows = max(survey.weighed.rows, 1)
        seen.prints = None
        measures = ["", "_w"][: self.question.measures]
        seen.finite = np.array([facts[f"finite{m}"] or 0 for m in measures], np.int64)
        seen.marked = np.array([facts[f"marked{m}"] or 0 for m in measures], np.int64)
        seen.infinite = np.zeros(len(measures), np.int64)
        if facts["finite"]:
            seen.low, seen.high = float(facts["low"]) + 0.0, float(facts["high"]) + 0.0
            seen.whole, seen.binary = not facts["broken"], not facts["other"]
            seen.few = self._few(name) if seen.whole and not seen.binary else None

    def _distinct(self, name: str) -> int:
        """Return how many different numbers a column has that may number the rows."""
        cell = self._number(name, self.question.plan.of(name).marks)
        found = self.source.database.query(
            f"SELECT COUNT(DISTINCT {cell}) AS n FROM {self.source.sql}{self._where()}"
        )
        return int(found["n"][0].as_py())

    def _few(self, name: str) -> frozenset[float] | None:
        """Return the different numbers of a column; None: they are more than a few."""
        cell = self._number(name, self.question.plan.of(name).marks)
        found = self.source.database.query(
            f"SELECT v FROM (SELECT {cell} AS v FROM {self.source.sql}{self._where()}) AS r "
            f"WHERE v IS NOT NULL GROUP BY v LIMIT {FEW_VALUES + 1}"
        )
        return few_values(numbers(found["v"]).astype(np.float64))

    # -- what the columns are in SQL --

    def _number(self, name: str, marks: Sequence[str]) -> str:
        """Return a number as a double, NULL where it is missing, never -0.0."""
        x = self._double(name)
        nothing = [literal(m) for m in mark_numbers(tuple(marks))]
        if self._is_double(name):
            nothing.append("CAST('NaN' AS FLOAT8)")
        return f"(CASE WHEN {x} IN ({', '.join(nothing)}) THEN NULL ELSE {x} + 0 END)" if nothing else x

    def _grouped_table(self, decision: Decision, fetch: Callable[[], Table]) -> SqlTable:
        q, encoder = self.question, Encoder(decision)
        cells = {}
        for column in decision.schema.used:
            if column.part or column.kind == "text":
                raise RowsNeededError(f"column {shown(column.cells)} is read in parts")
            if column.kind in CODED and self._is_moment(column.name):
                raise RowsNeededError(f"column {shown(column.name)} holds dates that are read as texts")
            if column.kind in CODED:
                cells[column.name] = self._coded(column.name, encoder)
            elif any(fits(column.name) for fits in (self._is_number, self._is_decimal, self._is_moment)):
                cells[column.name] = self._number(column.name, decision.schema.marks)
            else:
                raise RowsNeededError(f"column {shown(column.name)} holds numbers as texts")
        labels = self.values[self.target]
        codes = encoder.classes(hit(labels, self.target, q.plan, False))
        assert codes is not None
        known = [(v, int(c)) for v, c in zip(labels.to_pylist(), codes, strict=True) if v is not None]
        target = self._written(self.target, known, 0)
        weighed = None if decision.unit is None else self.weighed
        return SqlTable(
            self.source,
            decision.schema,
            decision.rows,
            decision.notes,
            decision.source_notes,
            cells,
            target,
            self.counting,
            fetch,
            weighed,
        )

    def _coded(self, name: str, encoder: Encoder) -> str:
        values = self.values[name] if name in self.values else self._grouped(name)[0]
        if len(values) > MOST_LEVELS:
            raise RowsNeededError(f"column {shown(name)} has {len(values):,} different values")
        codes = encoder.cells(name, values)
        column = next(c for c in encoder.decision.schema.used if c.name == name)
        known = [(v, int(c)) for v, c in zip(values.to_pylist(), codes, strict=True) if v is not None]
        missing = [int(c) for v, c in zip(values.to_pylist(), codes, strict=True) if v is None or v != v]
        return self._written(name, known, missing[0] if missing else len(column.levels))

    def _written(self, name: str, known: list[tuple[Any, int]], missing: int) -> str:
        if any(isinstance(v, str) and "\0" in v for v, _ in known):
            raise RowsNeededError(f"column {shown(name)} has a text that SQL cannot write")
        known = [(v, c) for v, c in known if v == v]  # NaN is compared with nothing
        cell = self._cell(name)
        if self._is_double(name):
            cell = f"NULLIF({cell}, CAST('NaN' AS FLOAT8))"
        return f"({code_of(cell, known, missing, self.words.bytewise)})"


FACTS = ("finite", "endless", "marked", "low", "high", "broken", "other")


def _heavy(row: dict[str, Any], j: int) -> dict[str, Any]:
    return {n: row[f"{n}_{j}"] for n in ("finite_w", "marked_w") if f"{n}_{j}" in row}
