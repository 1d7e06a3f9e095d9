"""A table in memory: every column encoded once, handed out in blocks; and new rows matched to a known schema.

Knows sources, schemas and encoded arrays. Knows nothing of learners.
Law: the table's codes depend on its rows alone; blocks are views of about 65,536 rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.data.encode import column as one
from tallystick.data.encode.infer import Plan, check_wishes
from tallystick.data.encode.ranks import rank
from tallystick.data.encode.target import Goal, read_target, read_weights
from tallystick.data.encode.work import run_all
from tallystick.data.schema import CODED, Note, Reading, Schema, Wishes
from tallystick.errors import DataError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tallystick.contracts import Source

BLOCK = 65_536
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Block:
    """Some rows of a table as views; see contracts.Block."""

    rows: int
    columns: Mapping[str, Any]
    classes: NDArray[Any] | None = None
    response: NDArray[np.float64] | None = None
    weights: NDArray[np.int64] | None = None

    def codes(self, column: str) -> NDArray[Any]:
        """Return the codes of a levels, ordered or boolean column."""
        return self.columns[column]  # type: ignore[no-any-return]

    def values(self, column: str) -> NDArray[np.float64]:
        """Return the values of a numeric column."""
        return self.columns[column]  # type: ignore[no-any-return]

    def words(self, column: str) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32]]:
        """Return the word counts of a text column as (starts, word, count)."""
        return self.columns[column]  # type: ignore[no-any-return]


@dataclass
class Table:
    """All rows, encoded. Arrays are shared: nobody writes to them.

    columns[name]: codes[row], values[row] or (starts[row + 1], word[entry], count[entry]) by the column's kind.
    `source_notes` tell how a file was read; they are no part of what the rows mean.
    """

    schema: Schema
    columns: Mapping[str, Any]
    rows: int
    notes: tuple[Note, ...] = ()
    source_notes: tuple[Note, ...] = ()
    classes: NDArray[Any] | None = None
    response: NDArray[np.float64] | None = None
    weights: NDArray[np.int64] | None = None
    unit: int = 1
    _ranks: dict[str, Any] = field(default_factory=dict, repr=False)

    def column(self, name: str) -> Any:
        """Return the whole column: codes, values or words."""
        return self.columns[name]

    def ranks(self, name: str) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return codes[row] and distinct[code] of a numeric column; missing has the code len(distinct)."""
        if name not in self._ranks:
            self._ranks[name] = rank(self.columns[name])
        return self._ranks[name]  # type: ignore[no-any-return]

    def blocks(self) -> Iterator[Block]:
        """Yield all rows in slices of about 65,536."""
        for start in range(0, self.rows, BLOCK):
            yield self.slice(start, min(start + BLOCK, self.rows))

    def slice(self, start: int, stop: int) -> Block:
        """Return rows start to stop as a block of views."""

        def cut(array: Any) -> Any:
            return None if array is None else array[start:stop]

        columns = {n: one.cut_words(d, start, stop) if isinstance(d, tuple) else d[start:stop] for n, d in self.columns.items()}
        return Block(stop - start, columns, cut(self.classes), cut(self.response), cut(self.weights))


def read_table(
    source: Source,
    wishes: Wishes | None = None,
    target: Any = None,
    weights: Any = None,
    threads: int | None = None,
    regression: bool = False,
    inf: str = "error",
    progress: Progress | None = None,
) -> Table:
    """Read all rows of a source, decide what the columns are, and encode them."""
    from tallystick.data.encode.gather import gather

    wishes = wishes or Wishes()
    rows, columns = gather(source)
    if rows == 0:
        raise DataError(f"{source.name} has a header ({len(source.columns)} columns) but no rows. Give it rows.")
    plan = check_wishes(wishes, _known(source, target), getattr(source, "reading", Reading()), inf)
    goal = read_target(source, columns, rows, target, regression, plan)
    if isinstance(target, str):
        columns = {n: c for n, c in columns.items() if n != target}
    scale = read_weights(weights, rows, goal)
    return _encode(source, columns, plan, goal, scale, threads, progress)


def _known(source: Source, target: Any) -> list[str]:
    return [*source.columns, "y"] if target is not None and not isinstance(target, str) else list(source.columns)


def _encode(
    source: Source, columns: Mapping[str, Any], plan: Plan, goal: Goal, scale: Any, threads: int | None, progress: Any
) -> Table:
    rows = scale.rows
    jobs = {name: one.Job(name, cells, plan.of(name), scale) for name, cells in columns.items()}
    done = run_all({n: job.run for n, job in jobs.items()}, threads, progress)
    schema = Schema(tuple(d.column for d in done.values()), goal.target, plan.marks)
    notes = (*goal.notes, *scale.notes, *(note for d in done.values() for note in d.notes))
    if not schema.used:
        reasons = " ".join(n.text for n in notes if n.code == "column-left-out") or "There is none beside the target."
        raise DataError(f"{source.name} has no usable column. {reasons}")
    data = {name: d.data for name, d in done.items() if d.data is not None}
    return Table(schema, data, rows, notes, tuple(source.notes), scale.cut(goal.classes), scale.cut(goal.response),
                 scale.weights, scale.unit)


@dataclass(frozen=True)
class Matched:
    """A block of new rows, and what was met on the way: cells per column that are missing, or of an unseen level."""

    block: Block
    start: int
    missing: Mapping[str, int]
    unseen: Mapping[str, int]
    notes: tuple[Note, ...] = ()


def match(
    source: Source,
    schema: Schema,
    *,
    lenient: bool = False,
    missing_columns: str = "error",
    threads: int | None = None,
) -> Iterator[Matched]:
    """Encode new rows by a known schema, batch by batch: columns by name, others ignored."""
    from tallystick.data.encode.gather import batch_columns

    absent = [c.name for c in schema.used if c.name not in source.columns]
    if absent and missing_columns != "as-missing":
        from tallystick.errors import nearest, some

        raise DataError(
            f"{source.name} lacks {len(absent)} column{'s' * (len(absent) > 1)} the model needs: {some(absent)}."
            f"{nearest(absent[0], source.columns)} Add them, or pass missing_columns='as-missing'."
        )
    start = 0
    reading = getattr(source, "reading", Reading())
    for rows, cells in batch_columns(source, [c.name for c in schema.used if c.name not in absent]):
        matchers = {
            c.name: one.Matcher(c, schema.marks, reading.decimal, lenient, start).run for c in schema.used
        }
        done = run_all({n: _bind(run, cells.get(n), rows) for n, run in matchers.items()}, threads, None)
        block = Block(rows, {n: d[0] for n, d in done.items()})
        yield Matched(block, start, {n: d[1] for n, d in done.items()}, {n: d[2] for n, d in done.items()})
        start += rows


def _bind(run: Callable[..., Any], cells: Any, rows: int) -> Callable[[], Any]:
    return lambda: run(cells, rows)
