"""Entry of table building: all rows of a source to a table. Survey its batches, decide, encode what was read.

`read_table()` for memory, `read_to_disk()` with a memory budget; `_Reader` makes the passes.

Laws: rows, codes and notes are the same wherever the table is; a source is read once, and once more only
where texts were read as numbers and turn out to be none, or a row is a total; memory of a table on disk
depends on its budget and its schema, not on the rows, and no result depends on how much memory is free.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, chain, islice
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.contracts import Load, Source
from tallystick.errors import DataError, TargetError, counted, no_whole_row, shown, warn
from tallystick.files import unchanged
from tallystick.io import scratch
from tallystick.io.containers import as_column
from tallystick.io.scratch import refuse_too_large, refuse_too_wide, within
from tallystick.io.source import Given
from tallystick.parallel import FEW_ROWS, each_in_order, in_order, thread_count
from tallystick.schema import NO_WISHES, ColumnOptions
from tallystick.table.batches import ThreadMemory, View, loaded
from tallystick.table.block import RowBlock
from tallystick.table.cells import Floats
from tallystick.table.disk import DiskTable, KeptInMemory, KeptOnDisk, TableFile, mapped
from tallystick.table.encode import Encoder, Matcher, class_table
from tallystick.table.lazy_columns import LaterColumn, LaterColumns
from tallystick.table.matrix import small_table
from tallystick.table.survey import Decision, ScannedBatch, Survey, SurveyRequest, with_known
from tallystick.table.table import LocalTable
from tallystick.table.target import flat_target

# ---- from a source to a table ----


NOT_READ = ("rows-skipped", "lines-after-table")  # codes of notes on lines that are no rows
MANY_COLUMNS = 20_000  # columns from which a warning says that a fit is slow: a tree of 100,000 took 15 s
TEXT_SHARE = 32  # distinct texts of all columns may take this part of the budget before they go to disk

Progress = Callable[[int, int, str], None]


def read_table(
    source: Source,
    wishes: ColumnOptions | None = None,
    target: Any = None,
    weights: Any = None,
    threads: int | None = None,
    regression: bool = False,
    inf: str = "error",
    progress: Progress | None = None,
) -> LocalTable:
    """Read all rows of a source into memory, decide what the columns are, and encode them once.

    target: the name of a column, or one label (number, with regression) per row. weights: one number per row.
    progress(done, total, what) is called as columns are finished.
    """
    refuse_too_large(source)
    warn_of_width(source)
    threads = thread_count(threads)
    if weights is None and not regression and inf == "error" and progress is None:
        table = small_table(source, wishes or NO_WISHES, target, threads)
        if table is not None:
            return table
    question = SurveyRequest.about(source, wishes, target, weights=weights, regression=regression, inf=inf)
    reader = _Reader(source, question, _apart(question, target, weights), threads)
    with unchanged(source.stamps):
        survey = reader.survey(KeptInMemory)
    decision = survey.decide(source.notes)
    del survey
    return _joined(decision, reader, threads, progress, source.files)


def read_to_disk(
    source: Source,
    budget: int,
    wishes: ColumnOptions | None = None,
    target: Any = None,
    weights: Any = None,
    threads: int | None = None,
    *,
    regression: bool = False,
    progress: Progress | None = None,
) -> DiskTable:
    """Read all rows of a source within a budget of memory, and encode them on disk."""
    refuse_too_wide(source, budget)
    warn_of_width(source)
    scratch.give_back_at_once()
    question = SurveyRequest.about(source, wishes, target, weights=weights, regression=regression)
    question = replace(question, text_bytes=max(budget // TEXT_SHARE // max(len(source.columns), 1), 1 << 18))
    beside = _apart(question, target, weights)
    reader = _Reader(within(source, budget), question, beside, thread_count(threads), progress)
    try:
        with unchanged(source.stamps):
            survey = reader.survey(partial(KeptOnDisk, regression=regression))
        decision = survey.decide(source.notes)
        del survey
        scratch.give_back()  # what the texts and words of all rows took: the writing begins without it
        table = mapped(_written(decision, reader, thread_count(threads)), budget, decision.unit or 1)
    finally:
        reader.close()
    scratch.give_back()
    notes, found = decision.notes, decision.source_notes
    return replace(table, notes=notes, source_notes=found, files=source.files, threads=threads, own=True)


def warn_of_width(source: Source) -> None:
    """Say before the work that a table of very many columns takes long."""
    if len(source.columns) >= MANY_COLUMNS:
        warn(
            f"the table has {len(source.columns):,} columns. Each is judged by itself, so this may take a "
            "minute or more. Leave out the columns that are not needed before reading."
        )


def _apart(question: SurveyRequest, target: Any, weights: Any) -> dict[str, pa.ChunkedArray]:
    """Return the target and the weights that come as arrays, by name."""
    out = {}
    if question.target in question.apart and question.target is not None:
        out["target"] = as_column(flat_target(target), question.target)
    if "sample_weight" in question.apart:
        out["weights"] = as_column(weights, "sample_weight")
    return out


@dataclass
class _Reader:
    """A source and what comes beside it, walked through over threads; and what was taken of its batches,
    where a later layer replaces some columns.
    """

    source: Source
    question: SurveyRequest
    apart: dict[str, pa.ChunkedArray]
    threads: int
    progress: Progress | None = None
    layers: list[KeptInMemory | KeptOnDisk] = field(default_factory=list)

    def survey(self, room: Callable[[Sequence[str]], KeptInMemory | KeptOnDisk]) -> Survey:
        """Return the survey of all batches; what was taken of them is kept in rooms."""
        survey = self._walk(Survey(self.question), room)
        if (question := survey.without_total()) is not None:
            self.close()
            self.layers.clear()
            self.question = question
            survey = self._walk(Survey(question), room)
        while (more := survey.again()) is not None:
            survey.complete(self._walk(more, room) if more.needs_source else self._again(more, room))
        return survey

    def batches(self) -> list[ScannedBatch]:
        """Return what was taken of all batches."""
        return [self.taken(i) for i in range(len(self.layers[0]))]

    def taken(self, i: int, but: Collection[str] = ()) -> ScannedBatch:
        """Return a batch as it was seen last; some columns may be left out."""
        first, *later = self.layers
        taken = first.read(i, but)
        for layer in later:
            taken = replace(taken, columns={**taken.columns, **layer.read(i).columns})
        return taken

    def close(self) -> None:
        """Give back the room of what was taken."""
        for layer in self.layers:
            layer.close()

    def _walk(self, survey: Survey, room: Callable[[Sequence[str]], KeptInMemory | KeptOnDisk]) -> Survey:
        """Survey all batches of the source, and keep what was seen."""
        layer = room([n for n in survey.seen if survey.question.plan.of(n).kind != "out"])
        self.layers.append(layer)  # which is closed too where the walk ends half way
        rows = 0
        for looked, kept, threads in self._looked(survey, layer):
            survey.see(looked, rows, threads)
            layer.add(kept)
            rows += looked.rows
            if self.progress is not None:
                self.progress(rows, 0, "rows")
        self._check(rows)
        damaged = sum(note.count for note in self.source.notes if note.code in NOT_READ)
        if not rows and damaged:
            raise no_whole_row(self.source.name, damaged)
        return survey

    def _looked(
        self, survey: Survey, layer: KeptInMemory | KeptOnDisk
    ) -> Iterator[tuple[ScannedBatch, Any, int | None]]:
        """Yield each batch as it was looked at, and as the layer keeps it; and how many threads have nothing
        else to do then (None: all that there are).
        """
        held = self.source.held if layer.takes_views else None
        every = self.source.pieces() if held is None else iter([Given(View(self.source.columns, held))])
        begin = list(islice(every, 2))
        if len(begin) == 1:  # one batch: threads share its columns
            batch = begin[0]()
            self._check(batch.num_rows)
            looked = survey.look(batch, **self._beside(0, batch.num_rows), alone=True, threads=self.threads)
            yield looked, layer.put(looked), self.threads
            return

        places = ThreadMemory(layer.places.of)

        def look(load: Load, start: int | None, row: int | None) -> tuple[ScannedBatch, Any]:
            batch = loaded(load, self.question.columns, places, row)
            looked = survey.look(batch, **({} if start is None else self._beside(start, batch.num_rows)))
            more = load.counted is not None and batch.num_rows > load.counted[0]  # rows than lines
            return looked, layer.put(looked, None if more else row)

        every = chain(begin, every)
        del begin  # the bytes read are released after the first look
        jobs = (partial(look, *job) for job in self._placed(every, layer))
        for looked, kept in in_order(jobs, self.threads):
            yield looked, kept, 1

    def _placed(
        self, every: Iterator[Load], layer: KeptInMemory | KeptOnDisk
    ) -> Iterator[tuple[Load, int | None, int | None]]:
        """Yield what loads a batch; where cells come beside it, the number of its first row; and that number,
        if it is known, should all lines before it be rows.
        """
        row: int | None = 0
        if not self.apart:
            for load in every:
                counted = load.counted
                if row == 0 and counted is not None:
                    layer.places.expect(counted[1])
                yield load, None, row
                row = None if row is None or counted is None else row + counted[0]
            return
        rows = 0
        for load in every:
            batch = loaded(load, self.question.columns)
            yield Given(batch), rows, None
            rows += batch.num_rows

    def _beside(self, start: int, rows: int) -> dict[str, Any]:
        """Return the target and the weights of some rows."""
        parts = {n: cells.slice(start, rows) for n, cells in self.apart.items()}
        if any(len(part) < rows for part in parts.values()):
            self._check(start + rows)
        return parts

    def _again(self, survey: Survey, room: Callable[[Sequence[str]], KeptInMemory | KeptOnDisk]) -> Survey:
        """Survey some columns of all batches again, by what was taken of them."""
        words = [name for name in survey.seen if survey.question.as_words(name)]
        layer, rows = room(words), 0
        for i in range(len(self.layers[0])):
            again = survey.look_again(self.taken(i), self.threads)
            survey.see(again, rows)
            rows += again.rows
            if words:
                kept: Any = layer.put(replace(again, columns={name: again.columns[name] for name in words}))
                layer.add(kept)
        if words:
            self.layers.append(layer)
        return survey

    def _check(self, rows: int) -> None:
        """Refuse a target or weights that are more or fewer than the rows."""
        for name, cells in self.apart.items():
            if len(cells) == rows:
                continue
            if name == "weights":
                raise DataError(
                    f"sample_weight has {counted(len(cells), 'weight')} for {counted(rows, 'row')}. "
                    "Pass one per row."
                )
            raise TargetError(
                f"target {shown(self.question.target)} has {counted(len(cells), 'value')} for "
                f"{counted(rows, 'row')}. Pass one per row."
            )


def _joined(
    decision: Decision,
    reader: _Reader,
    threads: int,
    progress: Progress | None,
    files: tuple[str, ...],
) -> LocalTable:
    """Return the table in memory: every column encoded, its batches one after the other."""
    encoder, batches, first = Encoder(decision), reader.batches(), reader.layers[0]
    assert isinstance(first, KeptInMemory)
    light = all(isinstance(piece, Floats) for taken in batches[:1] for piece in taken.columns.values())
    few = decision.rows < FEW_ROWS or (light and len(batches) == 1)
    names = [matcher.column.name for matcher in encoder.matchers]
    done, reporting = list[str](), Lock()

    def one(matcher: Matcher) -> Any:
        data = encoder.column(matcher, batches, first.places)
        if progress is not None:
            with reporting:
                done.append(matcher.column.name)
                progress(len(done), len(names), done[-1])
        return data

    every = each_in_order(one, encoder.matchers, 1 if few else threads)
    columns = dict(zip(names, every, strict=True))
    rest = [encoder.rest(taken) for taken in batches]
    classes, response, weights = (_together([part[i] for part in rest]) for i in range(3))
    table = LocalTable(
        decision.schema,
        LaterColumns(columns) if any(isinstance(c, LaterColumn) for c in columns.values()) else columns,
        decision.rows,
        decision.notes,
        decision.source_notes,
        classes,
        response,
        weights,
        decision.unit or 1,
        _kept(batches),
        files,
        threads,
        len(batches) > 1,  # they were joined, so that all arrays are the table's own
    )
    taken = batches[0]
    if taken.result is None or taken.hit.labels is None:
        return table
    return with_known(
        table, taken.result, list(taken.columns.values()), class_table(taken.hit.labels, decision)
    )


def _together(parts: list[Any]) -> Any:
    if any(part is None for part in parts):
        return None
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _kept(batches: list[ScannedBatch]) -> NDArray[np.int64] | None:
    """Return the row of the source of each row; None: all, in their order."""
    if all(taken.keep is None for taken in batches):
        return None
    kept, start = [], 0
    for taken in batches:
        kept.append(start + (np.arange(taken.rows) if taken.keep is None else taken.keep))
        start += taken.rows
    return np.concatenate(kept)


def _written(decision: Decision, reader: _Reader, threads: int) -> TableFile:
    """Write the table: each batch as it was seen last, encoded by the decision. Numbers that are what the
    table holds lie in their places, or go from file to file.
    """
    encoder = Encoder(decision)
    first, *later = reader.layers
    assert isinstance(first, KeptOnDisk)
    starts = [0, *accumulate(first.rows)]
    moved = encoder.unchanged() & first.tidy() if starts[-1] == decision.rows else set()
    moved.difference_update(*(layer.names for layer in later))
    placed = first.places.columns() if first.settled() else {}
    there = {name: at for name, at in placed.items() if name in moved}
    file = TableFile(decision.schema, decision.rows, decision.unit, there=there)

    def job(i: int) -> tuple[RowBlock, int, NDArray[np.int64] | None]:
        for name in moved:
            if name not in there or not first.in_place(i, name):
                file.put(name, first.numbers(i, name), starts[i])
        taken = reader.taken(i, moved)
        return encoder.taken(taken, moved), taken.rows, taken.keep

    rows = 0
    for block, count, keep in in_order((partial(job, i) for i in range(len(first))), threads):
        file.add(block, rows, keep, moved)
        rows += count
    first.places.give_back(decision.rows, there)
    return file
