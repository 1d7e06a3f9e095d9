"""What has been seen of the target and of the weights so far: which rows count, labels, and sums that merge.

Knows labels, responses and weights. Knows nothing of the other columns.
Law: any cut of the rows and any order of merging give the target, the unit and the notes of `target.py` and
`weights.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.data.encode import strings
from tallystick.data.encode.cells import Floats, among, read_cells
from tallystick.data.encode.infer import Plan, number_marks
from tallystick.data.encode.strings import Distinct
from tallystick.data.encode.target import (
    RESPONSES,
    absent_notes,
    infinite_response,
    label_kind,
    labels_of,
    no_number,
    rare_note,
)
from tallystick.data.encode.text_counts import TextCounts
from tallystick.data.encode.weights import (
    UNIT,
    Chosen,
    kept_rows,
    no_weight,
    refuse_no_weights,
    weights_overflow,
)
from tallystick.data.encode.wholes import Wholes
from tallystick.data.schema import Note, Target

Counts = NDArray[np.int64]
LARGEST = 2.0**62  # of a weight that is counted by rows


@dataclass(frozen=True)
class Hit:
    """The target of a batch: labels[row] as codes among texts, or response[row]."""

    labels: Distinct | None = None
    response: NDArray[np.float64] | None = None
    written: bool = False
    bad: str | None = None  # the first text that is no number, where numbers are needed

    @cached_property
    def absent(self) -> NDArray[np.bool_] | None:
        """Which rows have no target; None: all have one."""
        gone: NDArray[np.bool_] | None = None
        if self.labels is not None:
            gone = self.labels.codes == len(self.labels.values)
        elif self.response is not None:
            gone = np.isnan(self.response)
        return gone if gone is not None and gone.any() else None


def hit(cells: Any, name: str, plan: Plan, regression: bool) -> Hit:
    """Return the target of a batch; None: there is none."""
    if cells is None:
        return Hit()
    part = read_cells(cells, name, plan.marks, plan.decimal, not regression)
    if isinstance(part, Wholes):
        return Hit(response=part.values()) if regression else Hit(part.distinct())
    if isinstance(part, Floats):
        return Hit(response=part.values)
    found = strings.distinct(part.arrays, plan.marks)
    if not regression:
        return Hit(found, written=part.written and len(part) > 0)
    parsed = strings.numbers(found.values, (), plan.decimal, dates=True)
    fine = among(parsed.kinds, RESPONSES)
    values = np.append(np.where(fine, parsed.values, np.nan), np.nan)[found.codes]
    fine |= number_marks(found.values, parsed.kinds)
    return Hit(response=values, bad=None if fine.all() else found.values[int(fine.argmin())].as_py())


@dataclass
class Aim:
    """The target: texts of labels with counts[text, all rows | kept rows | kept copies]."""

    measures: int
    labels: TextCounts = field(init=False)
    rows: int = 0
    absent: int = 0
    written: bool = False
    bad: str | None = None
    infinite: tuple[int, int | None] = (0, None)  # responses, and the first row

    def __post_init__(self) -> None:
        self.labels = TextCounts(1 + self.measures)

    def add(self, found: Hit, absent: int, chosen: Chosen) -> None:
        """Add the target of a batch, of which `absent` rows have none."""
        self.rows += chosen.rows
        self.absent += absent
        self.written = self.written or found.written
        if found.labels is not None:
            size = len(found.labels.values)
            kept = every = chosen.counts(found.labels.codes, size + 1)[:size]
            if chosen.keep is not None or chosen.copies is not None:
                every = kernels.count_classes(found.labels.codes, size + 1)[:size, None]
            self.labels.add(found.labels.values, np.concatenate([every, kept], axis=1))
        elif found.response is not None:
            rows = np.flatnonzero(np.isinf(found.response))
            first = chosen.start + int(rows[0]) if len(rows) and chosen.start is not None else None
            self._take(found.bad, (len(rows), first))

    def _take(self, bad: str | None, infinite: tuple[int, int | None]) -> None:
        texts = [t for t in (self.bad, bad) if t is not None]
        self.bad = min(texts) if texts else None
        rows = [r for r in (self.infinite[1], infinite[1]) if r is not None]
        self.infinite = self.infinite[0] + infinite[0], min(rows) if rows else None

    def shift(self, start: int) -> None:
        """Say that rows, counted from 0, begin at another number."""
        if self.infinite[1] is not None:
            self.infinite = self.infinite[0], self.infinite[1] + start

    def merge(self, other: Aim) -> None:
        """Take in other batches."""
        self.rows += other.rows
        self.absent += other.absent
        self.written = self.written or other.written
        self.labels.merge(other.labels)
        self._take(other.bad, other.infinite)

    def decide(
        self, name: str, plan: Plan, typed: bool, m: int, mixed: tuple[Note, ...] = ()
    ) -> tuple[Target, tuple[Note, ...], tuple[Note, ...]]:
        """Return the target of a classifier, its notes, and notes that are no part of the model.

        mixed: what is said of labels of several types.
        """
        texts, counts = self.labels.sorted()
        parsed = strings.numbers_of(texts, plan.decimal)
        notes = (*mixed, *absent_notes(name, self.absent, self.rows))
        label_type = label_kind(parsed, typed and self.written and not mixed)
        target, into, spelt = labels_of(name, texts, parsed, label_type, self.rows - self.absent, plan)
        sizes = np.zeros(len(target.labels), np.int64)
        np.add.at(sizes, into[:-1], counts[:, 1 + m])
        return target, (*notes, *rare_note(target, sizes)), spelt

    def decide_response(self, name: str) -> tuple[Target, tuple[Note, ...]]:
        """Return the target of a regression and its notes."""
        if self.bad is not None:
            raise no_number(name, self.bad)
        if self.infinite[0]:
            raise infinite_response(name, self.infinite[1])
        return Target(name, (), "number"), absent_notes(name, self.absent, self.rows)


@dataclass
class Weighed:
    """The weights: sums over the rows that count. heavy: in units of 2^-32; tops: all are 1."""

    given: bool
    rows: int = 0
    copies: int = 0
    heavy: int = 0
    whole: bool = True
    ones: bool = True

    def add(self, real: NDArray[np.float64] | None, rows: int) -> NDArray[np.int64] | None:
        """Add the weights of kept rows, None: 1 each; return them as copies."""
        self.rows += rows
        if real is None:
            return None
        floor = np.floor(np.minimum(real, LARGEST))
        rest = np.maximum(np.rint((real - floor) * UNIT), floor == 0).astype(np.int64)
        full = sum(map(int, floor.tolist())) if float(floor.sum()) > 2.0**52 else int(floor.sum())
        self.whole = self.whole and bool((real == floor).all())
        self.ones = self.ones and bool((real == 1).all())
        self.heavy += (full << 32) + int(rest.sum())
        self.copies += full
        return np.maximum(floor, 1).astype(np.int64)

    def merge(self, other: Weighed) -> None:
        """Take in other batches."""
        self.rows, self.copies, self.heavy = (
            self.rows + other.rows,
            self.copies + other.copies,
            self.heavy + other.heavy,
        )
        self.whole, self.ones = self.whole and other.whole, self.ones and other.ones

    def check(self) -> None:
        """Refuse weights that leave no row, or more than can be counted."""
        if self.given and not self.rows:
            raise no_weight()
        if self.given and self.heavy * self.unit >= 2**63 * UNIT:
            raise weights_overflow(self.heavy / UNIT, self.unit)

    @property
    def unit(self) -> int:
        """A weight of 1 is this many."""
        return 1 if self.whole else UNIT

    @property
    def measure(self) -> int:
        """What counts: 0 rows, 1 copies."""
        return 1 if self.given and self.whole else 0

    @property
    def total(self) -> int:
        """Rows that count, copies counted where they are whole."""
        return self.copies if self.measure else self.rows


def choose(
    absent: NDArray[np.bool_] | None,
    real: NDArray[np.float64] | None,
    rows: int,
    start: int | None,
    weighed: Weighed,
) -> Chosen:
    """Return which rows of a batch count; their weights are added to what was weighed before."""
    if real is not None:
        refuse_no_weights(real, start)
    keep = kept_rows(absent, real)
    counted = real if real is None or keep is None else real[keep]
    return Chosen(rows, keep, weighed.add(counted, rows if keep is None else len(keep)), start)
