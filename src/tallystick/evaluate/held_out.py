"""Rows of another source that test a model: encoded by the training schema, with the true answers.

Knows tables, sources and hashes of rows. Knows nothing of methods. Law: what the held-out rows hold changes
nothing of the training; rows without a target are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.read.match import match
from tallystick.data.schema import Schema
from tallystick.data.source import open_source
from tallystick.data.source.door import opened
from tallystick.data.table.block import Block
from tallystick.data.table.hashes import Hasher
from tallystick.errors import DataError
from tallystick.evaluate.labels import MISSING, UNKNOWN, labels_of
from tallystick.evaluate.result import FoldAnswers

NOT_IN_TRAINING = "(not in training)"


@dataclass(frozen=True)
class HeldOut:
    """Rows to be answered, and their truth: the class in `labels`, or of a regression the number.

    labels: those of the training rows, and one more when the target of some rows is none of them. known[row]
    of the source: has a target. copies: how many rows are, with the same target, among the training rows.
    """

    data: Any
    parts: tuple[Block, ...]
    truth: NDArray[Any]
    known: NDArray[np.bool_]
    labels: tuple[str, ...]
    copies: int

    @property
    def rows(self) -> int:
        """How many rows are to be answered, those without a target among them."""
        return len(self.known)

    def blocks(self) -> Iterator[Block]:
        """Yield the rows."""
        return iter(self.parts)

    def answers(self, work: Callable[[Block], NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
        """Yield work(block) of all rows."""
        return map(work, self.parts)

    def judged(self, shares: NDArray[np.float64]) -> FoldAnswers:
        """Return the answers of the rows with a target; a class that was not in training has the share 0."""
        more = max(len(self.labels), 1) - shares.shape[1]
        whole = np.hstack([shares, np.zeros((len(shares), more))])[self.known]
        return FoldAnswers(whole, np.zeros(len(whole), np.int64))


def hold(given: Any, table: Table, reader: Any) -> HeldOut:
    """Return held-out rows for a training table. given: rows with their target as a column, or (X, y)."""
    X, y = given if isinstance(given, tuple) and len(given) == 2 else (given, table.schema.predicted.name)
    X = opened(X)  # once: it may be a pipe
    source = open_source(X)
    parts = tuple(matched.block for matched in match(source, table.schema, unread="leave out"))
    truth: NDArray[Any]
    labels: tuple[str, ...] = ()
    if table.schema.regression:
        truth, known = _responses(reader._read(X, y), sum(part.rows for part in parts))
    else:
        labels = table.schema.predicted.labels
        truth = labels_of(X, y, table.schema)
        known = truth != MISSING
        if (truth == UNKNOWN).any():
            truth, labels = np.where(truth == UNKNOWN, len(labels), truth), (*labels, NOT_IN_TRAINING)
    if not known.any():
        raise DataError(f"no row of {source.name} has a target. Held-out rows need one to be judged.")
    return HeldOut(X, parts, truth[known], known, labels, _copies(table, parts, truth, known))


def _responses(read: Table, rows: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    assert read.response is not None
    kept = np.arange(rows) if read.kept is None else read.kept
    truth, known = np.full(rows, np.nan), np.zeros(rows, bool)
    truth[kept], known[kept] = read.response, True
    return truth, known


def _copies(table: Table, parts: tuple[Block, ...], truth: NDArray[Any], known: NDArray[np.bool_]) -> int:
    """Return how many held-out rows are equal to a training row, target included."""
    hasher, start = Hasher(table.schema), 0
    hashes = []
    for part in parts:
        here = slice(start, start + part.rows)
        if table.schema.regression:
            whole = replace(part, response=np.ascontiguousarray(truth[here]))
        else:
            own = np.clip(truth[here], 0, len(table.schema.predicted.labels)).astype(np.uint32)
            whole = replace(part, classes=own)  # a class not in training: like no row of it
        hashes.append(hasher.rows(whole))
        start += part.rows
    asked = np.concatenate(hashes) if hashes else np.zeros(0, np.uint64)
    return int((_among(table, asked) & known).sum())


def _among(table: Table, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which hashes are those of rows of a table, looked for where its rows are."""
    if table.place != "far" or table.engine is None:
        return np.isin(hashes, table.row_hashes())
    keys, place = np.unique(hashes, return_inverse=True)
    found: NDArray[np.bool_] = table.engine.total(table, RowsThere(table.schema, keys))
    return np.asarray(found[place])


@dataclass(frozen=True)
class RowsThere:
    """Ask which of some hashes, rising, are those of rows."""

    schema: Schema
    hashes: NDArray[np.uint64]

    def zero(self) -> NDArray[np.bool_]:
        """Return the total of no rows."""
        return np.zeros(len(self.hashes), bool)

    def add(self, total: NDArray[np.bool_], block: Any) -> NDArray[np.bool_]:
        """Add the rows of one block."""
        return self.merge(total, np.isin(self.hashes, Hasher(self.schema).rows(block)))

    def merge(self, total: NDArray[np.bool_], other: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Add two totals."""
        return total | other
