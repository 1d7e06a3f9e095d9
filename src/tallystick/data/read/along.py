"""What goes along with the first look at a matrix of numbers: the fingerprint of its rows and, where they
may be asked for, exact sums by class and a sample of the values.

Threads that only read rows wait for one memory, so each walk over a large matrix costs the same time again.
Here rows are looked at, printed, summed and picked while they are near, in one walk. That is done before
the columns are decided, so it is a guess: that all of them are numbers and all rows have a label. Where it
turns out wrong, nothing that was told is used, and whoever needs it walks again.
Knows matrices, labels and what a survey decides. Knows nothing of learners.
Law: what a table is told here is what it would find by itself, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.read.cells import Floats
from tallystick.data.read.strings import Distinct
from tallystick.data.schema import Column, Schema, Target
from tallystick.data.table.hashes import Hasher
from tallystick.data.table.moments import ClassSums, no_moments
from tallystick.data.table.picked import MOST, PickedNumbers, PickedPart, first_share, limit_of
from tallystick.data.table.table import Table
from tallystick.data.threads import FEW_ROWS
from tallystick.kernels import Scan
from tallystick.kernels.moments import MOST_CLASSES
from tallystick.kernels.ranks import FEW_COLUMNS

SAMPLE = 16  # rows by which it is guessed that columns are numbers
LOOKED = 64  # rows by which it is guessed how many cells of a column are missing
FEW_GAPS = 0.3  # of a column: where more are missing, it is picked from later, alone
WIDE = 64  # columns beyond which a sample of all would fill too much memory


@dataclass(frozen=True)
class ToldAlong:
    """What went along with the look at all rows: texts[code] of the labels, the total of the rows' hashes,
    the sums by code and the values of least hashes, None where they were not asked for.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    hashes: int
    moments: ClassSums | None
    picked: PickedNumbers | None


@dataclass
class LookAlong:
    """What goes along with the look at some rows after the others. share: of the hashes, those of the
    values that are picked; 0: none are. gaps: the share of missing cells for which there is room.
    """

    names: tuple[str, ...]
    labels: Distinct
    target: str
    sums: bool
    share: float
    gaps: float = 0.0
    parts: list[tuple[int, ClassSums | None, PickedPart | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.texts = tuple(self.labels.values.to_pylist())
        columns = tuple(Column(name, "numeric") for name in self.names)
        self.hasher = Hasher(Schema(columns, Target(self.target, self.texts, "text")))
        self.keys = [key for _, key, _ in self.hasher.columns]

    def look(self, columns: Sequence[NDArray[Any]], start: int) -> list[Scan]:
        """Return one look at each column of some rows, those from `start` on, as doubles, and take in what
        goes along.
        """
        rows = len(columns[0])
        classes = self.labels.codes[start : start + rows]
        sums = no_moments(len(columns), len(self.texts)) if self.sums else None
        tables = None if sums is None else sums[1:]
        picks = PickedPart.empty(start, len(columns), rows, self.share, self.gaps) if self.share else None
        limited = None if picks is None else picks[1:]
        hashes, seen = kernels.walk_rows(columns, self.keys, classes, self.hasher.labels, tables, limited)
        self.parts.append((hashes, sums, picks))
        return kernels.scan_columns(columns, seen)

    def told(self) -> ToldAlong:
        """Return what went along with all rows."""
        sums = self.parts[0][1]
        if sums is not None:
            for _, other, _ in self.parts[1:]:
                for table, more in zip(sums, other or (), strict=True):
                    table += more
            kernels.carry(sums.sums)
            kernels.carry(sums.squares)
            sums.rows[:] = self.labels.counts()[:-1]
        parts = tuple(picks for _, _, picks in self.parts if picks is not None)
        picked = PickedNumbers(limit_of(self.share), self.names, parts) if parts else None
        return ToldAlong(self.names, self.texts, sum(hashes for hashes, _, _ in self.parts), sums, picked)


def along_with(
    columns: Sequence[NDArray[Any]],
    names: Sequence[str],
    labels: Distinct | None,
    target: str | None,
    sums: bool,
    sample: int,
) -> LookAlong | None:
    """Return what goes along with the look at columns, as they lie, that all may stay numbers; None: nothing.
    labels: of all rows; sums: by class may be asked for; sample: and so many values of a column.
    """
    rows, width = len(columns[0]) if columns else 0, len(columns)
    if labels is None or target is None or rows < FEW_ROWS or width < FEW_COLUMNS:
        return None
    if labels.codes.dtype != np.uint8 or labels.counts()[-1] or not len(labels.values):
        return None
    some = np.stack([column[:: -(-rows // SAMPLE)] for column in columns], axis=1)
    if not ((some != 0) & (some != 1)).any(axis=0).all() or (some == some[0]).all(axis=0).any():
        return None  # levels perhaps, or one value
    share = first_share(sample, rows) if len(names) <= WIDE else 0.0
    share = share if share < MOST else 0.0
    few = len(labels.values) <= MOST_CLASSES
    needed = bool(share) or not sample  # else a sample comes later, and tells of which columns
    gaps = _gaps(columns) if share else 0.0
    return LookAlong(tuple(names), labels, target, sums and few and needed, share, gaps)


def _gaps(columns: Sequence[NDArray[Any]]) -> float:
    """Return the share of missing cells in the column that has the most, but for those that have many: a
    guess by some rows.
    """
    step = -(-len(columns[0]) // LOOKED)
    shares = [float(np.isnan(column[::step]).mean()) for column in columns]
    return max((share for share in shares if share <= FEW_GAPS), default=0.0)


def tell(table: Table, told: ToldAlong, columns: Sequence[Any], into: NDArray[Any]) -> Table:
    """Return the table, knowing what was told of its rows, if they are those that were looked at. columns: as
    they were seen; into[code]: the class of each label.
    """
    used, labels = table.schema.used, table.schema.predicted.labels
    numbers = all(c.kind == "numeric" and not c.part and not c.unit for c in used)
    finite = all(isinstance(c, Floats) and c.scan is not None and c.scan.first_infinity < 0 for c in columns)
    if not numbers or not finite or told.names != tuple(c.name for c in used) or table.weights is not None:
        return table
    if table.kept is not None or told.texts != tuple(labels[c] for c in into[: len(told.texts)]):
        return table
    moments = None if told.moments is None else told.moments.of_classes(into, len(labels))
    table.know(told.hashes, moments, told.picked)
    return table
