"""Tables in memory: every column encoded once, handed out in blocks; private copies; exact sums.

- Entry: `LocalTable`. Law: codes depend on its rows alone; blocks are views of about 65,536 rows.
- `owned()`, `held()`: rows that later work can rely on, since no one else can write to them.
- `ClassSums`, `known_moments()`: exact sums by class, as far as known from reading the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Engine
from tallystick.contracts import Table as Tabular
from tallystick.parallel import FEW_ROWS, each_in_order, in_order, thread_count
from tallystick.schema import Note, Schema
from tallystick.table.block import (
    Hasher,
    RowBlock,
    WordCounts,
    classes_of,
    equal_together,
    row_unit,
    rows_counted,
)
from tallystick.table.hash_sample import least_limit
from tallystick.table.lazy_columns import LaterColumn, LaterColumns
from tallystick.table.ranks import GROUP, codes_within, few_or_cuts, rank, rank_group
from tallystick.table.subset import Within, recode_block, schema_within, take_block

if TYPE_CHECKING:
    from tallystick.table.hash_sample import PickedNumbers


T = TypeVar("T")
BLOCK = 65_536
UNBOUNDED = 1 << 40  # bytes: no limit in practice


@dataclass
class LocalTable:
    """All rows, encoded. Arrays are shared and never written to.

    columns[name]: codes[row], values[row] or (starts[row + 1], word[entry], count[entry]) by kind.
    `source_notes` tell how a file was read, `files` which; they are not part of what the rows mean.
    """

    budget = 0  # bytes of memory to work in; 0: no bound
    engine: ClassVar[Engine | None] = None  # whoever is asked to
    room: ClassVar[Callable[..., NDArray[Any]]] = staticmethod(np.empty)

    schema: Schema
    columns: Mapping[str, Any]
    rows: int
    notes: tuple[Note, ...] = ()
    source_notes: tuple[Note, ...] = ()
    classes: NDArray[Any] | None = None
    response: NDArray[np.float64] | None = None
    weights: NDArray[np.int64] | None = None
    unit: int = 1
    kept: NDArray[np.int64] | None = None  # row of the source of each row; None: all, in their order
    files: tuple[str, ...] = ()
    threads: int | None = None  # that may look at its rows; None: one for each core
    own: bool = False  # its arrays are shared with no one who might write to them
    _ranks: dict[str, Any] = field(default_factory=dict, repr=False)
    _fingerprint: str | None = field(default=None, repr=False)
    _moments: ClassSums | None = field(default=None, init=False, repr=False, compare=False)
    _picked: PickedNumbers | None = field(default=None, init=False, repr=False, compare=False)
    _least: tuple[NDArray[np.uint64], NDArray[np.int64]] | None = field(
        default=None, init=False, repr=False, compare=False
    )
    _blocks: dict[tuple[int, int], RowBlock] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    on_release: list[Callable[[], object]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @property
    def weight(self) -> int:
        """The weights of all rows together, in units of the table."""
        return self.rows if self.weights is None else int(self.weights.sum())

    @property
    def row_unit(self) -> int:
        """What one row weighs where rows are counted, in units of the table."""
        return row_unit(self.weight, rows_counted(self.weights, self.rows, self.unit), self.unit)

    def holds(self, row_bytes: int) -> bool:
        """Is there memory for so many bytes a row? The rows are in memory, without a budget."""
        return True

    def local(self) -> LocalTable:
        """Return this table."""
        return self

    def near(self) -> LocalTable:
        """Return this table: it is here."""
        return self

    def ranker(self) -> None:
        """Whole columns are here."""

    def release(self) -> None:
        """Let go what others keep for this table: whoever does says in `on_release` how."""
        while self.on_release:
            self.on_release.pop()()

    def column(self, name: str) -> Any:
        """Return the whole column: codes, values or words."""
        return self.columns[name]

    def ranks(self, name: str) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return codes[row] and distinct[code] of a numeric column; missing has the code len(distinct)."""
        if name not in self._ranks:
            self._ranks[name] = rank(self.columns[name])
        return self._ranks[name]  # type: ignore[no-any-return]

    def rank_all(self, threads: int | None = None) -> None:
        """Find the ranks of every numeric column now, over threads."""
        names = [c.name for c in self.schema.used if c.kind == "numeric" and c.name not in self._ranks]
        count = 1 if self.rows < FEW_ROWS else thread_count(threads)
        size = min(GROUP, -(-len(names) // count)) or 1  # so that no thread waits where columns are few
        groups = [names[i : i + size] for i in range(0, len(names), size)]

        def one(group: list[str]) -> list[Any]:
            return rank_group([self.columns[name] for name in group])

        for group, ranked in zip(groups, each_in_order(one, groups, count), strict=True):
            self._ranks.update(zip(group, ranked, strict=True))

    def number_codes(self, name: str, most: int, bins: int) -> tuple[NDArray[Any], NDArray[np.float64], bool]:
        """Return codes[row] of a numeric column, missing last, and what they stand for: its distinct values
        if those are at most `most`, else (True) the cuts of so many bins.
        """
        room = self.budget or UNBOUNDED
        found, binned = few_or_cuts(self.columns[name], self.weights, most, bins, room)
        return codes_within(self.columns[name], found, binned, room), found, binned

    def answers(self, work: Callable[[RowBlock], NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
        """Yield work(block) of all rows, some at a time, in the order of the rows."""
        return map(work, self.blocks())

    def blocks(self) -> Iterator[RowBlock]:
        """Yield all rows in slices of about 65,536, the same blocks every time, each cut by whoever takes it
        first.
        """
        for start in range(0, self.rows, BLOCK):
            own = start, min(start + BLOCK, self.rows)
            if own not in self._blocks:
                self._blocks[own] = self.slice(*own)
            yield self._blocks[own]

    @property
    def _threads(self) -> int | None:
        return 1 if self.rows <= BLOCK else self.threads

    def row_hashes(self) -> NDArray[np.uint64]:
        """Return hashes[row] of the rows' content, target included, weights not."""
        hasher = Hasher(self.schema)
        return self._hashes(partial(hasher.rows, block) for block in self.blocks())

    def unlabelled(self, work: Callable[..., T]) -> list[T]:
        """Return work(hashes[row] of the rows without their target, classes[row], weights[row]) of parts of
        the rows; equal rows are in one part, where one may stand for all by its weight.
        """
        hasher = Hasher(replace(self.schema, target=None))
        bare = (replace(block, classes=None, response=None) for block in self.blocks())
        hashes = self._hashes(partial(hasher.rows, block) for block in bare)
        parts = equal_together(hashes, classes_of(self), self.weights, self.unit, self.budget)
        return [work(*part) for part in parts]

    def _hashes(self, jobs: Iterator[Callable[[], NDArray[np.uint64]]]) -> NDArray[np.uint64]:
        out, at = self.room(self.rows, np.uint64), 0
        for part in in_order(jobs, self._threads):
            out[at : at + len(part)] = part
            at += len(part)
        return out

    def know(
        self,
        hashes: int,
        moments: ClassSums | None,
        picked: PickedNumbers | None,
        least: tuple[NDArray[np.uint64], NDArray[np.int64]],
    ) -> None:
        """Keep the results of reading the rows: the sum of their hashes, the sums of all numbers, those
        numbers that have the least hashes, and the rows that have, with their hashes.
        """
        self._fingerprint = f"{hashes % 2**128:032x}"
        self._moments, self._picked, self._least = moments, picked, least

    @property
    def fingerprint(self) -> str:
        """128 bits of the multiset of rows, in hex: the same for any order, container or cut."""
        if self._fingerprint is None:
            hasher, limit = Hasher(self.schema), least_limit(self.rows)

            def walk(block: RowBlock) -> tuple[int, int, NDArray[np.int64], NDArray[np.uint64]]:
                return block.rows, *hasher.total_and_least(block, limit)

            parts = each_in_order(walk, self.blocks(), self._threads)
            self._fingerprint = f"{sum(total for _, total, _, _ in parts) % 2**128:032x}"
            if parts:  # blocks on disk may be smaller than here
                ends = accumulate(size for size, _, _, _ in parts)
                at = [rows + (end - size) for end, (size, _, rows, _) in zip(ends, parts, strict=True)]
                self._least = np.concatenate([found for _, _, _, found in parts]), np.concatenate(at)
        return self._fingerprint

    def take(self, rows: NDArray[np.int64], schema: Schema | None = None) -> LocalTable:
        """Return some rows as a table that knows nothing of the others: levels, words and labels that none of
        them has are dropped and codes remade, ranges and missing counts found again.

        With the schema of another part the rows are coded by that one instead, and what it lacks is unseen;
        classes are kept only if the labels are the same.
        """
        block = take_block(self, rows)
        if schema is not None and schema.target != self.schema.target:
            block = replace(block, classes=None)
        if schema is None:
            within = Within(self.schema, self.unit == 1)
            schema = schema_within(self.schema, within.add(within.zero(), block))
        block = recode_block(block, self.schema, schema)
        kept = rows if self.kept is None else self.kept[rows]
        return LocalTable(
            schema,
            block.columns,
            len(rows),
            self.notes,
            self.source_notes,
            block.classes,
            block.response,
            block.weights,
            self.unit,
            kept,
            self.files,
            self.threads,
        )

    def split(self, rows: NDArray[np.int64], weights: NDArray[np.int64]) -> LocalTable:
        """Return rows in pieces: some of them more than once, each time with a part of its weight."""
        return replace(self.take(rows, self.schema), weights=weights)

    def without(self, names: Sequence[str]) -> LocalTable:
        """Return the table as if some columns were not there."""
        schema = replace(self.schema, columns=tuple(c for c in self.schema.columns if c.name not in names))
        columns = {name: data for name, data in self.columns.items() if name not in names}
        return replace(self, schema=schema, columns=columns, _ranks={}, _fingerprint=None)

    def with_classes(self, classes: NDArray[Any]) -> LocalTable:
        """Return the same rows, each with the class given for it."""
        return replace(self, classes=classes, _fingerprint=None, own=False)

    def with_weights(self, weights: NDArray[np.int64]) -> LocalTable:
        """Return the same rows, each with the weight given for it."""
        return replace(self, weights=weights, _fingerprint=None, own=False)

    def with_values(self, name: str, values: NDArray[np.float64]) -> LocalTable:
        """Return the same rows, each with the number given for it in one column."""
        return replace(self, columns={**self.columns, name: values}, _ranks={}, _fingerprint=None, own=False)

    def slice(self, start: int, stop: int) -> RowBlock:
        """Return rows start to stop as a block of views."""

        def cut(array: Any) -> Any:
            return None if array is None else array[start:stop]

        given = self.columns.given if isinstance(self.columns, LaterColumns) else self.columns
        columns: Mapping[str, Any] = {n: _cut(d, start, stop) for n, d in given.items()}
        if given is not self.columns:
            columns = LaterColumns(columns)
        return RowBlock(stop - start, columns, cut(self.classes), cut(self.response), cut(self.weights))


def _cut(data: Any, start: int, stop: int) -> Any:
    """Return some rows of a column as views; words begin at 0 again."""
    if isinstance(data, LaterColumn):
        return replace(data, start=start, stop=stop)
    if not isinstance(data, WordCounts):
        return data[start:stop]
    starts, word, count = data
    low, high = starts[start], starts[stop]
    return WordCounts(starts[start : stop + 1] - low, word[low:high], count[low:high])


# ---- rows that no one else can write to, for work that is done later ----

FEW_CELLS = 1 << 17  # cells up to which a table is copied


def is_own(table: Tabular) -> bool:
    """Say whether only the table itself can write to its arrays."""
    return isinstance(table, LocalTable) and table.own


def held(table: Tabular) -> Tabular | None:
    """Return the rows of a small table in memory as nobody can write over them: a copy where arrays are not
    its own. None of other tables.
    """
    if not isinstance(table, LocalTable) or table.budget:
        return None
    if table.rows * len(table.columns) > FEW_CELLS or any(c.kind == "text" for c in table.schema.used):
        return None
    return owned(table)


def owned(table: LocalTable) -> LocalTable:
    """Return a table in memory that no one else can write to: with copies of what is not its own."""
    if table.own:
        return table
    columns = {  # words of texts were made for the table already
        name: data if isinstance(data, tuple) else data.copy() for name, data in table.columns.items()
    }
    classes, weights = (None if a is None else a.copy() for a in (table.classes, table.weights))
    response = None if table.response is None else table.response.copy()
    return replace(table, columns=columns, classes=classes, response=response, weights=weights, own=True)


# ---- exact sums of the numbers by class, as far as known from reading the table ----
# Law: what is known is what a pass over the rows would give, bit for bit.

Counts = NDArray[np.int64]


class ClassSums(NamedTuple):
    """rows[class], missing[column, class], sums[column, class, digit] and squares[column, class, digit]."""

    rows: Counts
    missing: Counts
    sums: Counts
    squares: Counts

    def of_classes(self, into: NDArray[Any], classes: int) -> Self:
        """Return the same by class: into[code] of each code there is; each class has at most one."""
        out = no_moments(len(self.missing), classes)
        codes = into[: len(self.rows)]
        out.rows[codes] = self.rows
        for table, found in zip(out[1:], self[1:], strict=True):
            table[:, codes] = found
        return type(self)(*out)


def no_moments(columns: int, classes: int) -> ClassSums:
    """Return the sums of no rows."""
    shape = columns, classes
    return ClassSums(
        np.zeros(classes, np.int64),
        np.zeros(shape, np.int64),
        np.zeros((*shape, kernels.SUM_DIGITS), np.int64),
        np.zeros((*shape, kernels.SQUARE_DIGITS), np.int64),
    )


def known_moments(table: Tabular) -> ClassSums | None:
    """Return the sums of all numbers by class that are known from reading a table; None: not known."""
    return table._moments if isinstance(table, LocalTable) else None
