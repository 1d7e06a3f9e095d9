"""All rows of a source to a table: survey its batches, decide what the columns are, encode what was seen.

Knows sources, surveys and tables, in memory and on disk. Knows nothing of learners.
Laws: rows, codes and notes are the same wherever the table lies; a source is read once, and once more only
where texts were read as numbers and turn out to be none; what a table on disk holds in memory depends on its
budget and its schema, not on the rows, and nothing depends on how much memory is free.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.contracts import InMemory, Load, Source
from tallystick.data.read.batches import View, loaded
from tallystick.data.read.cells import Floats, SmallIntegers
from tallystick.data.read.encode import Encoder
from tallystick.data.read.small import small_table
from tallystick.data.read.strings import Distinct
from tallystick.data.read.survey import Decision, Looked, Question, Survey
from tallystick.data.read.survey_column import BatchWords
from tallystick.data.read.survey_target import TargetCells, flat_target
from tallystick.data.schema import NO_WISHES, Wishes
from tallystick.data.source import scratch
from tallystick.data.source.base import Given
from tallystick.data.source.frames import as_column
from tallystick.data.source.scratch import ScratchFile
from tallystick.data.source.size import refuse_too_large, refuse_too_wide, within
from tallystick.data.table.block import Block, WordCounts
from tallystick.data.table.disk import DiskTable, TableFile, mapped
from tallystick.data.table.table import Table
from tallystick.data.threads import FEW_ROWS, in_order, thread_count
from tallystick.errors import DataError, TargetError, counted, shown
from tallystick.files.stamp import unchanged
from tallystick.files.system import return_freed_memory

PIECE = 3  # numbers that tell of a piece: its form, its texts, the bytes of its texts
NOTHING, NUMBERS, DATES, SPANS, WORDS, TEXTS = -1, 0, 1, 2, 3, 4
WIDTHS: tuple[type[np.unsignedinteger[Any]], ...] = (np.uint8, np.uint16, np.uint32)

Piece = Floats | SmallIntegers | Distinct | BatchWords | None


class KeptInMemory:
    """Batches in memory."""

    takes_views = True  # a source in memory is one batch, by view

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.batches = list[Looked]()

    def __len__(self) -> int:
        return len(self.batches)

    def add(self, taken: Looked) -> None:
        """Keep a batch."""
        self.batches.append(taken)

    def read(self, i: int) -> Looked:
        """Return a batch."""
        return self.batches[i]

    def close(self) -> None:
        """Let go of them."""
        self.batches.clear()


class KeptOnDisk:
    """Batches on disk. names: of the columns, in the order of their pieces."""

    takes_views = False  # a batch is written before the next is read: few are in memory at once

    def __init__(self, names: Sequence[str], regression: bool) -> None:
        self.names, self.regression = list(names), regression
        self.file = ScratchFile()
        self.starts, self.rows = array("q"), array("q")
        self.told = array("q")  # [batch, piece, PIECE]: columns, target, weights

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, taken: Looked) -> None:
        """Keep a batch."""
        self.starts.append(self.file.size)
        self.rows.append(taken.rows)
        for name in self.names:
            self._write(taken.columns.get(name))
        if self.regression:
            self._write(None if taken.hit.response is None else Floats(taken.hit.response))
        else:
            self._write(taken.hit.labels)
        self._write(None if taken.weights is None else Floats(taken.weights))

    def _write(self, piece: Piece) -> None:
        if piece is None:
            self.told.extend((NOTHING, 0, 0))
        elif isinstance(piece, Distinct):
            lengths, data = _bytes_of(piece.values)
            width = piece.codes.dtype.itemsize.bit_length() - 1
            self.told.extend((TEXTS + width, len(piece.values), len(data)))
            self.file.append(piece.codes, lengths, data)
        elif isinstance(piece, BatchWords):
            lengths, data = _bytes_of(piece.words)
            self.told.extend((WORDS, len(piece.words), len(data)))
            self.file.append(*map(np.ascontiguousarray, piece.rows), lengths, data)
        else:
            self.told.extend((_form(piece), 0, 0))
            values = piece.values if isinstance(piece, Floats) else piece.values()
            self.file.append(np.ascontiguousarray(values))

    def read(self, i: int) -> Looked:
        """Return a batch; which rows count is found again from its target and weights."""
        end = self.starts[i + 1] if i + 1 < len(self) else self.file.size
        data = self.file.read(self.starts[i], end - self.starts[i])
        pieces, at = list[Piece](), 0
        width = len(self.names) + 2
        for j in range(width):
            place = (i * width + j) * PIECE
            piece, at = _read(data, at, self.rows[i], tuple(self.told[place : place + PIECE]))
            pieces.append(piece)
        *columns, target, weights = pieces
        hit = TargetCells()
        if isinstance(target, Distinct):
            hit = TargetCells(target)
        elif isinstance(target, Floats):
            hit = TargetCells(response=target.values)
        real = weights.values if isinstance(weights, Floats) else None
        known = {name: c for name, c in zip(self.names, columns, strict=True) if c is not None}
        return Looked(self.rows[i], hit, real, known)

    def close(self) -> None:
        """Give the room on disk back."""
        self.file.close()


def _form(piece: Floats | SmallIntegers) -> int:
    """Return what kind of numbers these are."""
    if not isinstance(piece, Floats):
        return NUMBERS
    return DATES if piece.dated else SPANS if piece.spans else NUMBERS


def _bytes_of(texts: pa.LargeStringArray) -> tuple[NDArray[np.int64], bytes]:
    """Return offsets[text + 1] from 0 and the bytes of texts."""
    _, offsets, data = texts.buffers()
    places = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset) if len(texts) else np.zeros(1)
    low, high = int(places[0]), int(places[-1])
    return places.astype(np.int64) - low, bytes(memoryview(data or b"")[low:high])


def _read(data: bytes, at: int, rows: int, told: tuple[int, ...]) -> tuple[Piece, int]:
    """Return a piece and where the next one begins."""
    form, texts, size = told
    if form == NOTHING:
        return None, at
    if form < WORDS:
        values = _numbers(data, at, rows, np.float64)
        return Floats(values, form == DATES, True, spans=form == SPANS), at + 8 * rows
    if form == WORDS:
        starts = _numbers(data, at, rows + 1, np.int64)
        at, entries = at + starts.nbytes, int(starts[-1])
        words, counts = (_numbers(data, at + 4 * entries * i, entries, np.uint32) for i in range(2))
        known, at = _texts(data, at + 8 * entries, texts, size)
        return BatchWords(known, WordCounts(starts, words, counts)), at
    codes = _numbers(data, at, rows, WIDTHS[form - TEXTS])
    found, at = _texts(data, at + codes.nbytes, texts, size)
    return Distinct(found, codes), at


def _texts(data: bytes, at: int, count: int, size: int) -> tuple[pa.LargeStringArray, int]:
    """Return so many texts of so many bytes, and where they end."""
    offsets = _numbers(data, at, count + 1, np.int64)
    at += offsets.nbytes
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(memoryview(data)[at : at + size])]
    return pa.Array.from_buffers(pa.large_string(), count, buffers), at + size


def _numbers(data: bytes, at: int, count: int, kind: Any) -> NDArray[Any]:
    """Return numbers that may begin anywhere, in a place of their own where kernels need them aligned."""
    found = np.frombuffer(data, kind, count, at)
    return found if found.flags.aligned else found.copy()


# ---- from a source to a table ----


TEXT_SHARE = 32  # distinct texts of all columns take this part of the budget, before they go to disk

Progress = Callable[[int, int, str], None]


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
    """Read all rows of a source into memory, decide what the columns are, and encode them once.

    target: the name of a column, or one label (number, with regression) per row. weights: one number per row.
    progress(done, total, what) is called as columns are finished.
    """
    refuse_too_large(source)
    threads = thread_count(threads)
    if weights is None and not regression and inf == "error" and progress is None:
        table = small_table(source, wishes or NO_WISHES, target, threads)
        if table is not None:
            return table
    question = Question.about(source, wishes, target, weights=weights, regression=regression, inf=inf)
    reader = _Reader(source, question, _apart(question, target, weights), threads)
    with unchanged(source.stamps):
        survey = reader.survey(KeptInMemory)
    decision = survey.decide(source.notes)
    del survey
    return _joined(decision, reader.batches(), threads, progress, source.files)


def read_to_disk(
    source: Source,
    budget: int,
    wishes: Wishes | None = None,
    target: Any = None,
    weights: Any = None,
    threads: int | None = None,
    *,
    regression: bool = False,
    progress: Progress | None = None,
) -> DiskTable:
    """Read all rows of a source within a budget of memory, and encode them on disk."""
    refuse_too_wide(source, budget)
    return_freed_memory()
    question = Question.about(source, wishes, target, weights=weights, regression=regression)
    question = replace(question, text_bytes=max(budget // TEXT_SHARE // max(len(source.columns), 1), 1 << 18))
    beside = _apart(question, target, weights)
    reader = _Reader(within(source, budget), question, beside, thread_count(threads), progress)
    try:
        with unchanged(source.stamps):
            survey = reader.survey(partial(KeptOnDisk, regression=regression))
        decision = survey.decide(source.notes)
        del survey
        file = _written(decision, reader, thread_count(threads))
    finally:
        reader.close()
    table = mapped(file, budget, decision.unit or 1)
    scratch.give_back()
    notes, told = decision.notes, decision.source_notes
    return replace(table, notes=notes, source_notes=told, files=source.files, threads=threads)


def _apart(question: Question, target: Any, weights: Any) -> dict[str, pa.ChunkedArray]:
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
    question: Question
    apart: dict[str, pa.ChunkedArray]
    threads: int
    progress: Progress | None = None
    layers: list[KeptInMemory | KeptOnDisk] = field(default_factory=list)

    def survey(self, room: Callable[[Sequence[str]], KeptInMemory | KeptOnDisk]) -> Survey:
        """Return the survey of all batches; what was taken of them is kept in rooms."""
        survey = self._walk(Survey(self.question), room)
        while (more := survey.again()) is not None:
            survey.complete(self._walk(more, room) if more.needs_source else self._again(more, room))
        return survey

    def batches(self) -> list[Looked]:
        """Return what was taken of all batches."""
        return [self.taken(i) for i in range(len(self.layers[0]))]

    def taken(self, i: int) -> Looked:
        """Return a batch as it was seen last."""
        first, *later = self.layers
        taken = first.read(i)
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
        rows = 0
        for looked in self._looked(survey, self.source.held if layer.takes_views else None):
            survey.see(looked, rows)
            layer.add(looked)
            rows += looked.rows
            if self.progress is not None:
                self.progress(rows, 0, "rows")
        self._check(rows)
        self.layers.append(layer)
        return survey

    def _looked(self, survey: Survey, held: InMemory | None) -> Iterator[Looked]:
        """Yield each batch as it was looked at."""
        every = self.source.pieces() if held is None else iter([Given(View(self.source.columns, held))])
        begin = list(islice(every, 2))
        if len(begin) == 1:  # one batch: threads share its columns
            batch = begin[0]()
            threads = 1 if batch.num_rows < FEW_ROWS else self.threads
            self._check(batch.num_rows)
            yield survey.look(batch, **self._beside(0, batch.num_rows), alone=True, threads=threads)
            return

        def look(load: Load, start: int | None) -> Looked:
            batch = loaded(load, self.question.columns)
            return survey.look(batch, **({} if start is None else self._beside(start, batch.num_rows)))

        every = chain(begin, every)
        del begin  # what was read is let go once it is looked at
        jobs = (partial(look, *job) for job in self._placed(every))
        yield from in_order(jobs, self.threads)

    def _placed(self, every: Iterator[Load]) -> Iterator[tuple[Load, int | None]]:
        """Yield what loads a batch; where cells come beside it, with the number of its first row."""
        if not self.apart:
            yield from ((load, None) for load in every)
            return
        rows = 0
        for load in every:
            batch = loaded(load, self.question.columns)
            yield Given(batch), rows
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
            again = survey.look_again(self.taken(i))
            survey.see(again, rows)
            rows += again.rows
            if words:
                layer.add(replace(again, columns={name: again.columns[name] for name in words}))
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
    batches: list[Looked],
    threads: int,
    progress: Progress | None,
    files: tuple[str, ...],
) -> Table:
    """Return the table in memory: every column encoded, its batches one after the other."""
    encoder = Encoder(decision)
    jobs = (partial(encoder.column, matcher, batches) for matcher in encoder.matchers)
    columns = {}
    light = all(isinstance(piece, Floats) for taken in batches[:1] for piece in taken.columns.values())
    few = decision.rows < FEW_ROWS or (light and len(batches) == 1)
    for matcher, data in zip(encoder.matchers, in_order(jobs, 1 if few else threads), strict=True):
        columns[matcher.column.name] = data
        if progress is not None:
            progress(len(columns), len(encoder.matchers), matcher.column.name)
    rest = [encoder.rest(taken) for taken in batches]
    classes, response, weights = (_together([part[i] for part in rest]) for i in range(3))
    return Table(
        decision.schema,
        columns,
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
    )


def _together(parts: list[Any]) -> Any:
    if any(part is None for part in parts):
        return None
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _kept(batches: list[Looked]) -> NDArray[np.int64] | None:
    """Return the row of the source of each row; None: all, in their order."""
    if all(taken.keep is None for taken in batches):
        return None
    kept, start = [], 0
    for taken in batches:
        kept.append(start + (np.arange(taken.rows) if taken.keep is None else taken.keep))
        start += taken.rows
    return np.concatenate(kept)


def _written(decision: Decision, reader: _Reader, threads: int) -> TableFile:
    """Write the table: each batch as it was seen last, encoded by the decision."""
    encoder = Encoder(decision)
    file = TableFile(decision.schema, decision.rows, decision.unit)

    def job(i: int) -> tuple[Block, int, NDArray[np.int64] | None]:
        taken = reader.taken(i)
        return encoder.taken(taken), taken.rows, taken.keep

    rows = 0
    for block, count, keep in in_order((partial(job, i) for i in range(len(reader.layers[0]))), threads):
        file.add(block, rows, keep)
        rows += count
    return file
