"""What changed since a model was fitted: new rows beside what the model file keeps of the training rows.

Knows a model's profile (models/profile.py), or where its file has none what its document happens to keep
(counts, ranges, moments), and new rows encoded by its schema. Knows nothing of the training rows themselves:
where the file keeps too little of a column to tell a shift, that is said.
Law: the findings depend on the multiset of new rows and on the model file alone.

Measures and limits, n new rows and m training rows:
  missing   the share of rows without a value; a change beyond 0.05 and twice its standard error
  counts    total variation: half the sum of the absolute differences of shares, "so many values moved";
            beyond 0.10 and what chance alone would give, the sum of sqrt(p (1 - p) (1/n + 1/m) / (2 pi))
            the population stability index stands beside it, as many know it: the sum over the counts of
            (after - before) ln(after / before) in shares, half a row added to each count; it judges nothing
  words     where rows with each word are counted: the word whose share of rows moved most; beyond 0.10 and
            three standard errors
  range     rows outside the range of training, on either side: a change of the column beyond 0.01 of the rows
            and beyond chance, which puts k of n new rows there with probability (n / (n + m))^k, if that is
            0.01 or less; fewer are rows to look at, and named as such
  moments   the mean's move in standard deviations of the training rows; beyond 0.25 and twice sqrt(1/n + 1/m)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import methods
from tallystick.contracts import Source
from tallystick.data.read.cells import distinct_texts
from tallystick.data.read.match import match
from tallystick.data.schema import CODED, Column, Schema, spelt
from tallystick.data.text import quantity
from tallystick.description.answers import AnswerTally, in_bins
from tallystick.description.known import Known, of_profile
from tallystick.errors import OptionError, counted, no_rows, shown, some

MISSING_LIMIT, COUNTS_LIMIT, MEAN_LIMIT = 0.05, 0.10, 0.25
OUTSIDE_LIMIT, CHANCE = 0.01, 0.01  # of the rows that lie outside the range; that so many do by chance
COUNTS, MOMENTS, WORDS = "total variation", "mean in standard deviations", "share of rows with a word"
NAMED = 5  # unseen levels given by name


@dataclass(frozen=True, slots=True)
class Shift:
    """How far a distribution moved, by which measure, and from where on that is a change."""

    measure: str
    value: float
    limit: float
    word: str = ""  # that it is about
    rose: bool = False  # whether more rows have the word
    psi: float | None = None  # the population stability index, of counts

    @property
    def beyond(self) -> bool:
        """Whether it moved further than the limit."""
        return self.value > self.limit

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out: dict[str, Any] = {"measure": self.measure, "value": self.value, "limit": self.limit}
        return out if self.psi is None else out | {"psi": self.psi}


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """One column: `findings` are sentences about what changed; `strays` about rows outside the range, too few
    to call the column changed; `shift` is None where the file keeps too little; `untold` says what cannot be
    judged, and why. Shares are of rows.
    """

    name: str
    kind: str
    findings: tuple[str, ...]
    missing: tuple[float, float] | None = None  # before, after
    unseen: Mapping[str, int] = field(default_factory=dict)
    outside: tuple[int, int] | None = None  # rows below the lowest and above the highest training value
    shift: Shift | None = None
    untold: str = ""
    parts: tuple[tuple[str, float, float], ...] = ()  # levels or bins: name, share before, share after
    strays: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[bool, bool, float, str]:
        """What sorts columns, the most changed first; of the others those with rows outside the range."""
        moved = 0.0 if self.shift is None else self.shift.value / self.shift.limit
        return not self.findings, not (self.findings or self.strays), -moved, self.name

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        moved = self.shift
        return {
            "name": self.name,
            "kind": self.kind,
            "changed": bool(self.findings),
            "findings": list(self.findings),
            "strays": list(self.strays),
            "missing": None
            if self.missing is None
            else dict(zip(("before", "after"), self.missing, strict=True)),
            "unseen": dict(self.unseen),
            "outside": None
            if self.outside is None
            else dict(zip(("below", "above"), self.outside, strict=True)),
            "shift": None if moved is None else moved.to_dict(),
            "untold": self.untold,
            "parts": [dict(zip(("part", "before", "after"), part, strict=True)) for part in self.parts],
        }


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed since training, a column each. Prints one line per column."""

    name: str
    rows: int
    kind: str
    trained: float
    columns: tuple[ColumnChange, ...]
    ignored: tuple[str, ...] = ()  # columns the model does not know
    answers: ColumnChange | None = None  # what the model answers, then and now; None without a target

    def __getitem__(self, name: str) -> ColumnChange:
        return next(c for c in self.columns if c.name == name)

    @property
    def changed(self) -> tuple[ColumnChange, ...]:
        """The columns that changed."""
        return tuple(c for c in self.columns if c.findings)

    @property
    def stray(self) -> tuple[ColumnChange, ...]:
        """The columns that did not change, but have rows outside the range of training."""
        return tuple(c for c in self.columns if c.strays and not c.findings)

    @property
    def unjudged(self) -> tuple[ColumnChange, ...]:
        """The columns in which no change was found, but of which the file keeps too little to be sure."""
        return tuple(c for c in self.columns if c.untold and not c.findings)

    def __bool__(self) -> bool:
        """Whether anything changed: a column, or the answers."""
        return bool(self.changed) or (self.answers is not None and bool(self.answers.findings))

    @property
    def ranked(self) -> tuple[ColumnChange, ...]:
        """The columns, the most changed first."""
        return tuple(sorted(self.columns, key=lambda c: c.rank))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "name": self.name,
            "rows": self.rows,
            "model": self.kind,
            "training_rows": self.trained,
            "changed": len(self.changed),
            "unjudged": len(self.unjudged),
            "columns": [c.to_dict() for c in self.columns],
            "ignored": list(self.ignored),
            "answers": None if self.answers is None else self.answers.to_dict(),
        }

    def __str__(self) -> str:
        from tallystick.description.show_changes import page
        from tallystick.draw.text import plain

        return plain(page(self))

    __repr__ = __str__


@dataclass
class _Seen:
    """What the new rows hold in a column, added up batch by batch."""

    missing: int = 0
    unreadable: int = 0
    below: int = 0
    above: int = 0
    values: int = 0
    sum: float = 0.0
    counts: Any = 0
    unseen: int = 0
    low: float = math.inf
    high: float = -math.inf


def changes(source: Source, model: Any, threads: int | None = None) -> Changes:
    """Return what changed from the training rows of a fitted model to the rows of a source."""
    if not hasattr(model, "to_dict") or not hasattr(model, "schema_"):
        raise OptionError(f"against must be a fitted model, not {shown(model)}. Pass ts.load(path).")
    schema, size, kind = model._asked, model.rows_, model._kind  # columns that it does not ask for may change
    trained = size["count"] / size["unit"]
    known, told = _known(model), AnswerTally.of(model)
    seen = {c.name: _Seen() for c in schema.used}
    rows = 0
    reading: dict[str, Any] = {"lenient": True, "missing_columns": "as-missing", "warn": False}
    for part in match(source, schema, threads=threads, **reading):
        rows += part.block.rows
        told.add(part.block)
        for column in schema.used:
            _add(seen[column.name], part, column, known[column.name])
    if not rows:
        raise no_rows(source.name, len(source.columns))
    names = _unseen_names(source, schema, seen)
    there = set(source.columns)
    views = tuple(
        _change(c, known[c.name], seen[c.name], names.get(c.name, Counter()), (rows, trained))
        if c.cells in there
        else ColumnChange(c.name, c.kind, ("is not in the rows: the model takes it as missing",))
        for c in schema.used
    )
    target = schema.target.name if schema.target else ""
    ignored = tuple(n for n in source.columns if n not in seen and n != target)
    answers = None if schema.target is None else _about_answers(told, schema.target.name, (rows, trained))
    return Changes(source.name, rows, kind, trained, views, ignored, answers)


def _known(model: Any) -> dict[str, Known]:
    """Return what is known of each column: from the profile, or from what the method itself keeps."""
    schema, profile, rows = model.schema_, model.profile_, model.rows_["count"]
    if profile is not None:
        both = zip(schema.used, profile.columns, strict=True)
        return {c.name: of_profile(own, c.kind, c.levels or c.words, rows, c.unit) for c, own in both}
    document = model.to_dict()
    tell = methods.of_kind(document["kind"]).load("known")
    return {c.name: tell(document, c) for c in schema.used}


def _add(seen: _Seen, part: Any, column: Column, known: Known) -> None:
    """Add the rows of one batch."""
    name, block = column.name, part.block
    seen.missing += part.missing[name]
    seen.unreadable += part.unreadable[name]
    seen.unseen += part.unseen[name]
    if column.kind in CODED:
        k = len(column.levels)
        own = np.bincount(block.codes(name), minlength=k + 2)[:k]
        if known.line is not None and known.counts is not None:
            own = np.bincount(known.line, own, len(known.counts))
        seen.counts = seen.counts + own
    elif column.kind == "numeric":
        values = block.values(name)
        values = values[~np.isnan(values)]
        seen.values += len(values)
        if not len(values):
            return
        seen.low, seen.high = min(seen.low, float(values.min())), max(seen.high, float(values.max()))
        seen.sum = math.fsum([seen.sum, *np.sort(values).tolist()])
        if (ends := _ends(column, known)) is not None:
            seen.below += int((values < ends[0]).sum())
            seen.above += int((values > ends[1]).sum())
        if known.values is not None and known.counts is not None:
            seen.counts = seen.counts + in_bins(known, values)
        elif known.cuts is not None:
            bins = np.searchsorted(known.cuts, values, side="right")
            seen.counts = seen.counts + np.bincount(bins, minlength=len(known.cuts) + 1)
    elif column.kind == "text":
        _, words, counts = block.words(name)
        k = len(column.words)
        found = np.bincount(words, None if known.words is not None else counts, minlength=k + 1)
        seen.counts = seen.counts + (found[:k] if known.words is None else found[known.words])
        seen.values += int(found.sum())
        seen.unseen += int(found[k])


def _ends(column: Column, known: Known) -> tuple[float, float] | None:
    """Return the lowest and the highest training value, where they are known."""
    if known.values is not None:
        return float(known.values[0]), float(known.values[-1])
    return None if column.low is None or column.high is None else (column.low, column.high)


def _unseen_names(source: Source, schema: Schema, seen: Mapping[str, _Seen]) -> dict[str, Counter[str]]:
    """Return the unseen levels with their rows, for the columns that have some."""
    wanted = [c for c in schema.used if c.kind in CODED and seen[c.name].unseen]
    if not wanted:
        return {}
    out: dict[str, Counter[str]] = {c.name: Counter() for c in wanted}
    for batch in source.batches():
        for column in wanted:
            found = distinct_texts(batch.column(column.name), column.name, (*schema.marks, *column.marks))
            rows = found.counts()[:-1].tolist()  # without those that have none
            for text, count in zip(found.values.to_pylist(), rows, strict=True):
                if text not in spelt(column):
                    out[column.name][text] += count
    return out


def _change(
    column: Column, known: Known, seen: _Seen, unseen: Counter[str], sizes: tuple[int, float]
) -> ColumnChange:
    """Return one column's findings."""
    rows, trained = sizes
    before = known.missing if known.missing is not None else column.missing / trained if trained else 0.0
    missing = (before, seen.missing / rows if rows else 0.0)
    ends = _ends(column, known) if column.kind == "numeric" else None
    outside = None if ends is None else (seen.below, seen.above)
    shift, untold = _shift(column, known, seen, sizes), known.untold
    if not untold:
        untold = (
            "there is too little to compare"
            if shift is None
            else "only its mean and range are kept, so another shape with the same mean is not noticed"
            if shift.measure == MOMENTS
            else ""
        )
    new, strays = _about_values(column, seen, unseen, ends, (1 - before) * trained)
    findings = [
        *_about_missing(missing, seen.unreadable, rows, trained),
        *new,
        *([_about_shift(shift)] if shift is not None and shift.beyond else []),
    ]
    named = dict(unseen.most_common())
    parts = _parts(column, known, seen, shift)
    return ColumnChange(
        column.name, column.kind, tuple(findings), missing, named, outside, shift, untold, parts, strays
    )


def _parts(
    column: Column, known: Known, seen: _Seen, shift: Shift | None
) -> tuple[tuple[str, float, float], ...]:
    """Return levels or bins with their shares of the rows that have a value, before and after."""
    if shift is None or shift.measure != COUNTS or not known.labels or known.counts is None:
        return ()
    after = np.append(np.asarray(seen.counts, np.float64), 0.0 if column.kind == "numeric" else seen.unseen)
    shares = np.append(known.counts, 0.0) / known.counts.sum(), after / after.sum()
    names = (*known.labels, "never seen")
    return tuple(
        (name, float(a), float(b)) for name, a, b in zip(names, *shares, strict=True) if a > 0 or b > 0
    )


def _about_answers(told: AnswerTally, name: str, sizes: tuple[int, float]) -> ColumnChange:
    """Return what the model answers to new rows beside what it answered to its training rows."""
    if told.known is None or told.known.counts is None or not sizes[0] or not sizes[1]:
        return ColumnChange(name, "answers", (), untold=told.untold or "there is too little to compare")
    known, before, after = told.known, told.known.counts, np.asarray(told.given, np.float64)
    shift = _variation(before, after)
    shares = before / before.sum(), after / after.sum()
    at = int(np.argmax(np.abs(shares[1] - shares[0])))
    findings = []
    if shift.beyond:
        label = shown(known.labels[at])
        findings.append(f"{label} is answered to {shares[1][at]:.1%} of the rows, was {shares[0][at]:.1%}")
    for label, steps, new in zip(told.labels, told.steps, told.seen if told.labels else (), strict=True):
        moved = _variation(steps.astype(np.float64), new.astype(np.float64))
        if moved.beyond and not findings:
            words = f"the shares of {shown(label)} moved: {moved.value:.0%} of the rows lie in other tenths"
            findings.append(f"{words} (limit {moved.limit:.0%})")
    parts = tuple((n, float(a), float(b)) for n, a, b in zip(known.labels, *shares, strict=True) if a or b)
    return ColumnChange(name, "answers", tuple(findings), shift=shift, parts=parts)


def _about_missing(shares: tuple[float, float], unreadable: int, rows: int, trained: float) -> list[str]:
    out = []
    if unreadable:
        out.append(f"{counted(unreadable, 'row')} with values that are not numbers")
    if rows and trained:
        before, after = shares
        both = (before * trained + after * rows) / (trained + rows)
        chance = 2 * math.sqrt(both * (1 - both) * (1 / rows + 1 / trained))
        if abs(after - before) > max(MISSING_LIMIT, chance):
            out.append(f"missing in {after:.1%} of the rows, was {before:.1%}")
    return out


def _about_values(
    column: Column,
    seen: _Seen,
    unseen: Counter[str],
    ends: tuple[float, float] | None,
    trained: float,
) -> tuple[list[str], tuple[str, ...]]:
    """Return what is new among the values, and of rows outside the range those that are too few for that."""
    out: list[str] = []
    strays: list[str] = []
    if column.kind in CODED and seen.unseen:
        names = some(list(unseen), NAMED)
        out.append(f"{counted(seen.unseen, 'row')} with levels never seen{': ' if names else ''}{names}")
    if ends is not None and seen.below:
        low, least = (quantity(v, column.unit, 6) for v in (ends[0], seen.low))
        new = out if is_outside(seen.below, seen.values, trained) else strays
        new.append(f"{counted(seen.below, 'row')} below {low}, down to {least}")
    if ends is not None and seen.above:
        high, most = (quantity(v, column.unit, 6) for v in (ends[1], seen.high))
        new = out if is_outside(seen.above, seen.values, trained) else strays
        new.append(f"{counted(seen.above, 'row')} above {high}, up to {most}")
    return out, tuple(strays)


def is_outside(count: int, rows: int, trained: float) -> bool:
    """Say whether so many of the new rows lie beyond one end of the training rows that the column changed:
    by their share, and by the chance that the first so many in the order of all rows are all new ones.
    """
    return count > OUTSIDE_LIMIT * rows and (rows / (rows + trained)) ** count <= CHANCE


def _about_shift(shift: Shift) -> str:
    if shift.measure == WORDS:
        moved = f"{shift.value:.0%} {'more' if shift.rose else 'fewer'} of the rows"
        return f"word {shown(shift.word)} is in {moved} (limit {shift.limit:.0%})"
    if shift.measure == COUNTS:
        index = "" if shift.psi is None else f", PSI {shift.psi:.2f}"
        return f"{shift.value:.0%} of the values moved to other places (limit {shift.limit:.0%}{index})"
    return f"the mean moved by {shift.value:.2f} standard deviations (limit {shift.limit:.2f})"


def _shift(column: Column, known: Known, seen: _Seen, sizes: tuple[int, float]) -> Shift | None:
    """Return how far the values moved, where the file keeps enough to tell."""
    rows, trained = sizes
    if known.words is not None and known.counts is not None:
        return _words_moved(column, known.counts, known.words, seen, sizes) if rows and trained else None
    if known.counts is not None and known.counts.sum() > 0 and np.sum(seen.counts) > 0:
        extra = [0.0, seen.unseen] if column.kind != "numeric" else [0.0, 0]
        before = np.append(known.counts, extra[0])
        after = np.append(np.asarray(seen.counts, dtype=np.float64), extra[1])
        return _variation(before, after)
    if known.deviation > 0 and seen.values and trained:
        move = abs(seen.sum / seen.values - known.mean) / known.deviation
        limit = max(MEAN_LIMIT, 2 * math.sqrt(1 / seen.values + 1 / trained))
        return Shift(MOMENTS, move, limit)
    return None


def _words_moved(
    column: Column, counts: NDArray[np.float64], words: Any, seen: _Seen, sizes: tuple[int, float]
) -> Shift:
    """Return the word whose share of rows moved furthest beyond what chance leaves it."""
    rows, trained = sizes
    before, after = counts / trained, np.asarray(seen.counts, dtype=np.float64) / rows
    p = (counts + seen.counts) / (rows + trained)
    limit = COUNTS_LIMIT + 3 * np.sqrt(p * (1 - p) * (1 / rows + 1 / trained))
    move = np.abs(after - before)
    at = int(np.argmax(move - limit))
    word, rose = column.words[int(words[at])], bool(after[at] > before[at])
    return Shift(WORDS, float(move[at]), float(limit[at]), word, rose)


def _variation(before: NDArray[np.float64], after: NDArray[np.float64]) -> Shift:
    """Return the total variation of two lists of counts, and the limit that chance leaves."""
    m, n = float(before.sum()), float(after.sum())
    p = (before + after) / (m + n)
    chance = float(np.sqrt(p * (1 - p) * (1 / n + 1 / m) / (2 * math.pi)).sum())
    moved = float(np.abs(before / m - after / n).sum() / 2)
    return Shift(COUNTS, moved, COUNTS_LIMIT + chance, psi=stability(before, after))


def stability(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Return the population stability index of two lists of counts, half a row added to each that is not 0
    in both.
    """
    there = (before > 0) | (after > 0)
    a, b = before[there] + 0.5, after[there] + 0.5
    a, b = a / a.sum(), b / b.sum()
    return float(((b - a) * np.log(b / a)).sum())
