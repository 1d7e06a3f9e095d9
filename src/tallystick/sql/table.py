"""A table whose rows stay in a database: its columns as SQL expressions, and what is known of its rows.

Entry: `SqlTable`; `here` is the table of fetched rows. Laws: the database computes what it can; for the rest
the rows are fetched through Arrow, once. Both see one snapshot.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.contracts import Block, Table
from tallystick.errors import OptionError
from tallystick.io.database import DatabaseTable, QueryError
from tallystick.io.source import clean_names
from tallystick.schema import Note, Schema
from tallystick.sql.prints import SqlWords, sum_of_hashes
from tallystick.stats.exact import ALL, Printed
from tallystick.table.block import Hasher, class_type, code_type

if TYPE_CHECKING:
    from tallystick.sql.answers import LineRows


SETS = 16  # columns that one query groups by, each by itself
Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
T = TypeVar("T")


@dataclass(frozen=True)
class RowGroups:
    """Rows of a table that are alike, counted: keys[key][group], classes[group] and weights[group]."""

    keys: tuple[NDArray[Any], ...]
    classes: NDArray[Any]
    weights: Counts


@dataclass(eq=False)
class SqlTable:
    """Rows in a database; see contracts.Table. cells[column]: what SQL calls it, a double or NULL of a
    number, a code of any other column; target and weighed likewise; counting: which rows count; fetch:
    brings all rows; engine: who sums.
    """

    budget: ClassVar[int] = 0  # what comes here is little
    unit: ClassVar[int] = 1  # weights that are not whole are summed here

    source: DatabaseTable
    schema: Schema
    rows: int
    notes: tuple[Note, ...]
    source_notes: tuple[Note, ...]
    cells: dict[str, str]
    target: str
    counting: str
    fetch: Callable[[], Table]
    weighed: str | None = None
    engine: Any = None
    fetched: bool = field(default=False, init=False)
    by_lines: LineRows | None = field(default=None, init=False)  # what a scorecard asks again and again

    @property
    def words(self) -> SqlWords:
        """How the database says things."""
        return SqlWords(self.source.database.kind)

    @property
    def files(self) -> tuple[str, ...]:
        """The file of the database, where it has one."""
        return self.source.database.files

    @property
    def here(self) -> Table:
        """The same rows, fetched."""
        if not self.fetched:
            self.fetched = True
            self.source_notes += (fetched_note(self.source, "not all that is asked can be summed there"),)
        return self._here

    @cached_property
    def _here(self) -> Table:
        return self.fetch()

    # -- queries --

    def query(self, sql: str) -> pa.Table:
        """Return the rows of a query."""
        return self.source.database.query(sql)

    def rows_of(self, names: Sequence[str], more: Sequence[str] = ()) -> str:
        """Return the query for the rows that count: class y, weight w, and columns c0, c1, ... in the order
        of the names.
        """
        cells = [f"{self.cells[name]} AS c{i}" for i, name in enumerate(names)]
        own = [f"{self.target} AS y", f"{self.weighed or 1} AS w"]
        where = f" WHERE {self.counting}" if self.counting else ""
        return f"SELECT {', '.join([*own, *cells, *more])} FROM {self.source.sql}{where}{self.words.fence}"

    def groups(self, inner: str, keys: Sequence[Sequence[str]], where: str = "") -> list[RowGroups]:
        """Return, for each list of keys, the rows of a query grouped by them and by y. A key is the name of a
        cell; all lists have the same length.
        """
        out: list[RowGroups] = []
        for start in range(0, len(keys), SETS):
            some = keys[start : start + SETS]
            every = list(dict.fromkeys(k for own in some for k in own))
            sets = ", ".join(f"({', '.join(['y', *own])})" for own in some)
            number = [
                f"WHEN {' + '.join(f'GROUPING({k})' for k in own)} = 0 THEN {i}" for i, own in enumerate(some)
            ]
            which = f"CASE {' '.join(number)} END AS part, " if len(some) > 1 else ""
            found = self.query(
                f"SELECT {which}y, CAST(SUM(w) AS BIGINT) AS w, {', '.join(every)} "
                f"FROM ({inner}) AS r{where} GROUP BY GROUPING SETS ({sets})"
            )
            part = numbers(found["part"]) if len(some) > 1 else np.zeros(len(found), np.int64)
            y, w = numbers(found["y"]), numbers(found["w"]).astype(np.int64)
            cells = {k: numbers(found[k]) for k in every}
            for i, own in enumerate(some):
                here = np.flatnonzero(part == i)
                out.append(RowGroups(tuple(cells[k][here] for k in own), self.classes_from(y[here]), w[here]))
        return out

    def classes_from(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return classes in the narrowest type that holds them all."""
        return y.astype(class_type(max(len(self.schema.predicted.labels), 1)))

    def block_of(self, group: RowGroups, names: Sequence[str]) -> Any:
        """Return groups as rows with weights, whose keys are columns."""
        from tallystick.table.block import RowBlock as Rows

        columns = {}
        for name, cells in zip(names, group.keys, strict=True):
            coded = self.schema[name].kind != "numeric"
            columns[name] = cells.astype(code_type(len(self.schema[name].levels))) if coded else cells
        return Rows(len(group.weights), columns, group.classes, None, group.weights)

    def single(self, name: str) -> bool:
        """Are the numbers of a column of single precision?"""
        kinds = dict(zip(clean_names(self.source.kinds.names, "")[0], self.source.kinds.types, strict=True))
        return bool(pa.types.is_float32(kinds[name]))

    # -- all rows at once --

    @cached_property
    def printed(self) -> Printed:
        """Rows, weight and fingerprint."""
        if not self.fetched:
            with contextlib.suppress(QueryError):
                return self._printed()
        here = self.here
        return Printed(self.rows, here.weight, int(here.fingerprint, 16), here.weight)

    def _printed(self) -> Printed:
        hasher, names = Hasher(self.schema), [c.name for c in self.schema.used]
        sums = self.query(sum_of_hashes(self.words, self.rows_of(names), hasher)).to_pylist()[0]
        lanes = [int(sums[f"sum_{k}_low"]) + (int(sums[f"sum_{k}_high"]) << 32) for k in (0, 1)]
        weight = self.rows
        if self.weighed is not None:
            heavy = self.query(f"SELECT CAST(SUM(w) AS BIGINT) AS w FROM ({self.rows_of([])}) AS r")
            weight = int(heavy["w"][0].as_py())
        return Printed(self.rows, weight, (lanes[0] + (lanes[1] << 64)) % ALL, weight)

    @property
    def fingerprint(self) -> str:
        """128 bits of the multiset of rows, in hex."""
        return self.printed.fingerprint

    @property
    def weight(self) -> int:
        """The weights of all rows together."""
        return self.printed.weight

    @property
    def row_unit(self) -> int:
        """What one row weighs where rows are counted: weights are copies."""
        return 1

    # -- rows one by one: they are fetched --

    def blocks(self) -> Iterator[Block]:
        """Yield all rows, fetched."""
        return self.here.blocks()

    def answers(self, work: Callable[[Block], Floats]) -> Iterator[Floats]:
        """Yield work(block) of all rows, fetched."""
        return self.here.answers(work)

    def row_hashes(self) -> NDArray[np.uint64]:
        """Return hashes[row] of the fetched rows."""
        return self.here.row_hashes()

    def unlabelled(self, work: Callable[..., T]) -> list[T]:
        """Return work(hashes[row] of fetched rows without their target, classes[row], weights[row])."""
        return list(self.here.unlabelled(work))

    @property
    def classes(self) -> NDArray[Any] | None:
        """The target's codes of the fetched rows."""
        return self.here.classes

    @property
    def response(self) -> None:
        """There is none: regressions are summed here."""

    @property
    def weights(self) -> Counts | None:
        """The weights of the fetched rows."""
        return self.here.weights

    def take(self, rows: NDArray[np.int64], schema: Schema | None = None) -> Table:
        """Return some of the fetched rows."""
        return self.here.take(rows, schema)

    def split(self, rows: NDArray[np.int64], weights: Counts) -> Table:
        """Return fetched rows in pieces."""
        return self.here.split(rows, weights)

    def holds(self, row_bytes: int) -> bool:
        """Say that there is room: rows are not here."""
        return True

    def near(self) -> SqlTable:
        """Return this table: what needs rows fetches them."""
        return self

    def ranker(self) -> None:
        """Whole columns are asked for."""

    def local(self) -> NoReturn:
        """Rows have no numbers."""
        raise OptionError(
            "this needs all rows in one place, and they are in a database. Read them here: leave engine= out."
        )

    def without(self, names: Sequence[str]) -> Any:
        """Columns are not taken out."""
        self.local()

    def with_weights(self, weights: Counts) -> Any:
        """Rows have no numbers."""
        self.local()

    def column(self, name: str) -> Any:
        """Whole columns are not available."""
        self.local()

    def release(self) -> None:
        """End the snapshot."""
        with contextlib.suppress(Exception):  # the connection may be gone
            self.source.database.close()


def fetched_note(table: DatabaseTable, why: str) -> Note:
    """Return the note on rows that had to come."""
    text = f"the rows of {table.where} were fetched and summed here, because {why}."
    return Note("rows-fetched", text)


def class_counts(table: SqlTable) -> tuple[Counts, Counts]:
    """Return the classes there are, and their rows."""
    found = table.query(f"SELECT y, CAST(SUM(w) AS BIGINT) AS w FROM ({table.rows_of([])}) AS r GROUP BY y")
    return numbers(found["y"]).astype(np.int64), numbers(found["w"]).astype(np.int64)


def numbers(cells: Any) -> NDArray[Any]:
    """Return a column of an answer: whole numbers as they are, doubles with NaN where there is no value."""
    whole = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    if pa.types.is_floating(whole.type):
        return np.asarray(whole.to_numpy(zero_copy_only=False), np.float64)
    if whole.null_count:
        whole = whole.fill_null(0)
    return np.asarray(whole.to_numpy(zero_copy_only=False))
