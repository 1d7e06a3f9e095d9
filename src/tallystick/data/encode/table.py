"""A table in memory: every column encoded once, handed out in blocks; and new rows matched to a known schema.

Knows sources, schemas and encoded arrays. Knows nothing of learners.
Law: the table's codes depend on its rows alone; blocks are views of about 65,536 rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.data.encode.column import Done, Job
from tallystick.data.encode.gather import gather
from tallystick.data.encode.hashes import Hasher
from tallystick.data.encode.infer import check_wishes
from tallystick.data.encode.ranks import GROUP, rank, rank_group
from tallystick.data.encode.subset import match_column, take_column, take_labels
from tallystick.data.encode.target import rare_classes, read_target, target_name
from tallystick.data.encode.weights import Scale, read_weights, row_unit, rows_counted
from tallystick.data.encode.work import in_order, thread_count
from tallystick.data.schema import Note, Reading, Schema, Wishes
from tallystick.data.source.size import refuse_too_large
from tallystick.data.source.stamp import unchanged
from tallystick.errors import DataError, counted
from tallystick.files.apart import files_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tallystick.contracts import Source

BLOCK = 65_536
FEW = 20_000  # rows below which a thread costs more than it gives
ROWS_SKIPPED = "rows-skipped"  # the one note of a source that tells of rows the model has not seen
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Block:
    """Some rows of a table as views; see contracts.Block.

    memo: what a statistic that asks the same rows many times keeps of them.
    """

    rows: int
    columns: Mapping[str, Any]
    classes: NDArray[Any] | None = None
    response: NDArray[np.float64] | None = None
    weights: NDArray[np.int64] | None = None
    memo: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

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

    columns[name]: codes[row], values[row] or (starts[row + 1], word[entry], count[entry]) by kind.
    `source_notes` tell how a file was read, `files` which; they are no part of what the rows mean.
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
    kept: NDArray[np.int64] | None = None  # row of the source of each row; None: all, in their order
    files: tuple[str, ...] = ()
    _ranks: dict[str, Any] = field(default_factory=dict, repr=False)
    _fingerprint: str | None = field(default=None, repr=False)
    _blocks: list[Block] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def weight(self) -> int:
        """The weights of all rows together, in units of the table."""
        return self.rows if self.weights is None else int(self.weights.sum())

    @property
    def row_unit(self) -> int:
        """What one row weighs where rows are counted, in units of the table."""
        return row_unit(self.weight, rows_counted(self.weights, self.rows, self.unit), self.unit)

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
        groups = [names[i : i + GROUP] for i in range(0, len(names), GROUP)]
        jobs = (partial(rank_group, [self.columns[name] for name in group]) for group in groups)
        threads = 1 if self.rows < FEW else threads
        for group, ranked in zip(groups, in_order(jobs, threads), strict=True):
            self._ranks.update(zip(group, ranked, strict=True))

    def blocks(self) -> Iterator[Block]:
        """Yield all rows in slices of about 65,536, the same blocks every time."""
        if not self._blocks:
            starts = range(0, self.rows, BLOCK)
            self._blocks = [self.slice(start, min(start + BLOCK, self.rows)) for start in starts]
        return iter(self._blocks)

    @property
    def _threads(self) -> int | None:
        return 1 if self.rows <= BLOCK else None

    def row_hashes(self) -> NDArray[np.uint64]:
        """Return hashes[row] of the rows' content, target included, weights not."""
        hasher = Hasher(self.schema)
        jobs = (partial(hasher.rows, block) for block in self.blocks())
        return np.concatenate(list(in_order(jobs, self._threads)) or [np.empty(0, np.uint64)])

    @property
    def fingerprint(self) -> str:
        """128 bits of the multiset of rows, in hex: the same for any order, container or cut."""
        if self._fingerprint is None:
            hasher = Hasher(self.schema)
            jobs = (partial(hasher.total, block) for block in self.blocks())
            self._fingerprint = f"{sum(in_order(jobs, self._threads)) % 2**128:032x}"
        return self._fingerprint

    def take(self, rows: NDArray[np.int64], schema: Schema | None = None) -> Table:
        """Return some rows as a table that knows nothing of the others: levels, words and labels that none of
        them has are dropped and codes made anew, ranges and missing counts found again.

        With the schema of another part the rows are coded by that one instead, and what it lacks is unseen;
        classes are kept only if the labels are the same.
        """
        weights = None if self.weights is None else self.weights[rows]
        if schema is not None:
            columns = {
                known.name: match_column(self.schema[known.name], self.columns[known.name], rows, known)
                for known in schema.used
            }
            same = self.schema.target == schema.target and self.classes is not None
            classes = self.classes[rows] if same else None  # type: ignore[index]
        else:
            scale = Scale(len(rows), len(rows), weights=weights, unit=self.unit)
            some = [take_column(c, self.columns.get(c.name), rows, scale) for c in self.schema.columns]
            columns = {c.name: data for c, data in some if data is not None}
            target, classes = take_labels(self.schema.target, self.classes, rows)
            schema = Schema(tuple(c for c, _ in some), target, self.schema.marks)
        response = None if self.response is None else self.response[rows]
        kept = rows if self.kept is None else self.kept[rows]
        return Table(
            schema,
            columns,
            len(rows),
            self.notes,
            self.source_notes,
            classes,
            response,
            weights,
            self.unit,
            kept,
        )

    def split(self, rows: NDArray[np.int64], weights: NDArray[np.int64]) -> Table:
        """Return rows in pieces: some of them more than once, each time with a part of its weight."""
        return replace(self.take(rows, self.schema), weights=weights)

    def slice(self, start: int, stop: int) -> Block:
        """Return rows start to stop as a block of views."""

        def cut(array: Any) -> Any:
            return None if array is None else array[start:stop]

        columns = {n: _cut(d, start, stop) for n, d in self.columns.items()}
        return Block(stop - start, columns, cut(self.classes), cut(self.response), cut(self.weights))


def _cut(data: Any, start: int, stop: int) -> Any:
    """Return some rows of a column as views; words begin at 0 again."""
    if not isinstance(data, tuple):
        return data[start:stop]
    starts, word, count = data
    low, high = starts[start], starts[stop]
    return starts[start : stop + 1] - low, word[low:high], count[low:high]


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
    """Read all rows of a source, decide what the columns are, and encode them once.

    target: the name of a column, or one label (number, with regression) per row. weights: one number per row.
    progress(done, total, what) is called as columns are finished.
    """
    refuse_too_large(source)
    named = target if isinstance(target, str) else None
    extra = [] if target is None or named else [target_name(target)]
    plan = check_wishes(
        wishes or Wishes(), [*source.columns, *extra], getattr(source, "reading", Reading()), inf
    )
    as_texts = [name for name in source.columns if name == named or plan.of(name).wants_text]
    with unchanged(source):
        gathered = gather(source, plan.marks, plan.decimal, as_texts, threads)
    if gathered.rows == 0:
        width = counted(len(source.columns), "column")
        raise DataError(f"{source.name} has a header ({width}) but no rows.")
    goal = read_target(source, gathered, target, regression, plan)
    scale = read_weights(weights, gathered.rows, goal.absent)
    threads = 1 if gathered.rows < FEW else threads
    names = [n for n in gathered.columns if n != named]
    alone = thread_count(threads) if len(names) == 1 else 1
    jobs = [Job(n, gathered.columns[n], plan.of(n), scale, alone) for n in names]
    done = _run(jobs, threads, progress)
    schema = Schema(tuple(d.column for d in done), goal.target, plan.marks)
    lost = tuple(note for note in source.notes if note.code == ROWS_SKIPPED)  # fewer rows: the model says so
    notes = (*lost, *goal.notes, *rare_classes(goal, scale), *(note for d in done for note in d.notes))
    refuse_nothing(source.name, schema, notes)
    columns = {d.column.name: d.data for d in done if d.column.kind != "out"}
    classes, response = scale.cut(goal.classes), scale.cut(goal.response)
    return Table(
        schema,
        columns,
        scale.rows,
        notes,
        (*(note for note in source.notes if note not in lost), *goal.spelt),
        classes,
        response,
        scale.weights,
        scale.unit,
        scale.keep,
        tuple(files_of(source)),
    )


def _run(jobs: list[Job], threads: int | None, progress: Progress | None) -> list[Done]:
    done = []
    for job, answer in zip(jobs, in_order((job.run for job in jobs), threads), strict=True):
        done.append(answer)
        if progress:
            progress(len(done), len(jobs), job.name)
    return done


def refuse_nothing(where: str, schema: Schema, notes: tuple[Note, ...]) -> None:
    """Refuse a table whose every column is left out."""
    if not schema.used:
        reasons = [n.text for n in notes if n.code == "column-left-out"]
        listed = " ".join(reasons[:5]) + (f" And {len(reasons) - 5:,} more." if len(reasons) > 5 else "")
        raise DataError(f"{where} has no usable column. {listed or 'There is none beside the target.'}")
