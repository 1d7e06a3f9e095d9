"""A table whose rows lie on disk: the table of table.py over mapped files, for any source within a budget.

Knows surveys, spools and tables. Knows nothing of learners.
Laws: the rows, codes and notes are those of `read_table`; what is held in memory is some batches, blocks and
what the schema itself needs, so it depends on the budget and the schema, not on the rows; nothing depends on
how much memory is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.contracts import Source
from tallystick.data.encode.encoder import Encoder
from tallystick.data.encode.gather import pieces
from tallystick.data.encode.mapped_file import TableFile
from tallystick.data.encode.plain import loaded
from tallystick.data.encode.ranks import rank_within
from tallystick.data.encode.runs import codes_within, few_or_cuts
from tallystick.data.encode.spool import Spool
from tallystick.data.encode.subset import match_column
from tallystick.data.encode.survey import Decision, Looked, Question, Survey
from tallystick.data.encode.table import BLOCK, Block, Progress, Table
from tallystick.data.encode.taking import taken_schema
from tallystick.data.encode.target import flat_target
from tallystick.data.encode.work import in_order
from tallystick.data.schema import Schema, Wishes
from tallystick.data.source import scratch
from tallystick.data.source.frames import as_column
from tallystick.data.source.size import refuse_too_wide, within
from tallystick.data.source.stamp import unchanged
from tallystick.errors import DataError, TargetError, counted, shown
from tallystick.files.apart import files_of

TEXTS = 32  # distinct texts of all columns take this part of the budget, before they go to disk


@dataclass
class MappedTable(Table):
    """A table over mapped files. budget: bytes of memory to work in."""

    budget: int = 0
    _last: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def holds(self, row_bytes: int) -> bool:
        """Is there memory for so many bytes a row?"""
        return 2 * row_bytes * self.rows <= self.budget

    @property
    def block_rows(self) -> int:
        """How many rows a block has, so that those in hand fit the budget."""
        width = 8 * max(1, len(self.schema.used))
        return max(256, min(BLOCK, self.budget // 32 // width // 256 * 256))

    def ranks(self, name: str) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return codes[row] and distinct[code] of a numeric column; only the last column's are kept."""
        if name not in self._last:
            self._last = {name: rank_within(self.columns[name], self.budget)}
        return self._last[name]  # type: ignore[no-any-return]

    def number_codes(self, name: str, most: int, bins: int) -> tuple[NDArray[Any], NDArray[np.float64], bool]:
        """Return codes[row] of a numeric column, missing last, and what they stand for: its distinct values
        if those are at most `most`, else (True) the cuts of so many bins.
        """
        found, binned = few_or_cuts(self.columns[name], self.weights, most, bins, self.budget)
        return codes_within(self.columns[name], found, binned, self.budget), found, binned

    def rank_all(self, threads: int | None = None) -> None:
        """Do nothing: ranks of all columns would be a table in memory."""

    def blocks(self) -> Iterator[Block]:
        """Yield all rows in blocks that are made anew each time: what is kept with a block goes with it."""
        size = self.block_rows
        return (self.slice(s, min(s + size, self.rows)) for s in range(0, self.rows, size))

    def row_hashes(self) -> NDArray[np.uint64]:
        """Return hashes[row] of the rows' content, target included, weights not."""
        from tallystick.data.encode.hashes import Hasher

        hasher, at = Hasher(self.schema), 0
        out = scratch.empty(self.rows, np.uint64)
        for part in in_order((partial(hasher.rows, block) for block in self.blocks()), self._threads):
            out[at : at + len(part)] = part
            at += len(part)
        return out

    def take(self, rows: NDArray[np.int64], schema: Schema | None = None) -> Table:
        """Return some rows as a table on disk; see Table.take."""
        known = taken_schema(self, rows, self.block_rows) if schema is None else schema
        classes = self.classes
        if schema is not None and self.schema.target != schema.target:
            classes = None
        into = None if classes is None else _labels_into(self.schema, known, classes)
        file = TableFile(
            known, len(rows), self.unit if self.weights is not None else None, classes is not None
        )
        size = self.block_rows
        for start in range(0, len(rows), size):
            some = rows[start : start + size]
            columns = {
                c.name: match_column(self.schema[c.name], self.columns[c.name], some, c) for c in known.used
            }
            file.add(
                Block(
                    len(some),
                    columns,
                    None if classes is None or into is None else into[classes[some]],
                    None if self.response is None else self.response[some],
                    None if self.weights is None else self.weights[some],
                )
            )
        made = mapped(file, self.budget, self.unit)
        kept = rows
        if self.kept is not None:
            kept = scratch.empty(len(rows), np.int64)
            for start in range(0, len(rows), size):
                kept[start : start + size] = self.kept[rows[start : start + size]]
        return replace(made, notes=self.notes, source_notes=self.source_notes, kept=kept)


def _labels_into(schema: Schema, known: Schema, classes: Any) -> NDArray[Any]:
    """Return the class code in a schema of fewer labels of each class code."""
    assert schema.target is not None
    assert known.target is not None
    at = {label: code for code, label in enumerate(known.target.labels)}
    return np.array([at.get(label, 0) for label in schema.target.labels], classes.dtype)


def mapped(file: TableFile, budget: int, unit: int) -> MappedTable:
    """Return the table of a file that is written."""
    columns, rest = file.columns()
    table = MappedTable(file.schema, columns, file.rows, unit=unit, budget=budget)
    table.classes, table.response = rest.get("classes"), rest.get("response")
    table.weights, table.kept = rest.get("weights"), rest.get("kept")
    return table


def read_mapped(
    source: Source,
    budget: int,
    wishes: Wishes | None = None,
    target: Any = None,
    weights: Any = None,
    threads: int | None = None,
    *,
    regression: bool = False,
    progress: Progress | None = None,
) -> MappedTable:
    """Read all rows of a source once, decide what the columns are, and encode them on disk.

    Where a column was read as numbers in some batches and turns out to be texts, the source is read again.
    """
    refuse_too_wide(source, budget)
    question = Question.about(source, wishes, target, weights=weights, regression=regression)
    question = replace(question, text_bytes=max(budget // TEXTS // max(len(source.columns), 1), 1 << 18))
    reader = _Reader(within(source, budget), question, _apart(question, target, weights), threads, progress)
    spools: list[Spool] = []
    try:
        with unchanged(source):
            survey = reader.walk(Survey(question), spools)
            while (more := survey.again()) is not None:
                survey.complete(reader.walk(more, spools))
        decision = survey.decide(source.notes)
        del survey
        file = _written(decision, spools, threads)
    finally:
        for spool in spools:
            spool.close()
    table = mapped(file, budget, decision.unit or 1)
    scratch.give_back()
    files = tuple(files_of(source))
    return replace(table, notes=decision.notes, source_notes=decision.source_notes, files=files)


def _apart(question: Question, target: Any, weights: Any) -> dict[str, pa.ChunkedArray]:
    """Return the target and the weights that come as arrays, by name."""
    out = {}
    if question.target in question.apart and question.target is not None:
        out["target"] = as_column(flat_target(target), question.target)
    if "sample_weight" in question.apart:
        out["weights"] = as_column(weights, "sample_weight")
    return out


@dataclass(frozen=True)
class _Reader:
    """A source and what comes beside it, walked through over threads."""

    source: Source
    question: Question
    apart: dict[str, pa.ChunkedArray]
    threads: int | None
    progress: Progress | None

    def walk(self, survey: Survey, spools: list[Spool]) -> Survey:
        """Survey all batches and spool what was seen."""
        names = [n for n in survey.seen if survey.question.plan.of(n).kind != "out"]
        spool = Spool(names, self.question.regression)
        spools.append(spool)

        def look(load: Callable[[], Any], start: int | None) -> Looked:
            batch = loaded(load, self.question.columns)
            beside = {} if start is None else self._beside(start, batch.num_rows)
            return survey.look(batch, **beside)

        rows = 0
        for looked in in_order((partial(look, *job) for job in self._jobs()), self.threads):
            spool.add(survey.take(looked, rows))
            rows += looked.rows
            if self.progress is not None:
                self.progress(rows, 0, "rows")
        self._check(rows)
        return survey

    def _jobs(self) -> Iterator[tuple[Callable[[], Any], int | None]]:
        """Yield what loads a batch; where cells come beside it, with the number of its first row."""
        if not self.apart:
            yield from ((load, None) for load in pieces(self.source))
            return
        rows = 0
        for load in pieces(self.source):
            batch = loaded(load, self.question.columns)
            yield partial(_same, batch), rows
            rows += batch.num_rows

    def _beside(self, start: int, rows: int) -> dict[str, Any]:
        parts = {n: cells.slice(start, rows).combine_chunks() for n, cells in self.apart.items()}
        for part in parts.values():
            if len(part) < rows:
                self._check(start + rows)
        return {n: p.chunk(0) if isinstance(p, pa.ChunkedArray) else p for n, p in parts.items()}

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


def _same(batch: Any) -> Any:
    return batch


def _written(decision: Decision, spools: list[Spool], threads: int | None) -> TableFile:
    """Write the table: each batch as it was seen last, encoded by the decision."""
    encoder = Encoder(decision)
    file = TableFile(decision.schema, decision.rows, decision.unit)

    def job(i: int) -> tuple[Block, NDArray[np.int64] | None]:
        taken = spools[0].read(i)
        for spool in spools[1:]:
            taken = replace(taken, columns={**taken.columns, **spool.read(i).columns})
        return encoder.taken(taken), taken.chosen.keep

    rows = 0
    for i, (block, keep) in enumerate(in_order((partial(job, i) for i in range(len(spools[0]))), threads)):
        file.add(block, rows, keep)
        rows += spools[0].rows[i]
    return file
