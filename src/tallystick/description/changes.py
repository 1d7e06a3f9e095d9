"""What changed between the training rows of a model and new rows: known counts, measures, findings, lines.

Parts: what a model file keeps of each training column; answers to new rows; the comparison, entry
`changes()`; the result as lines, entry `page()`.
known = the counts that the file keeps of a column; stray = a row outside the range of training.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import methods
from tallystick.contracts import Source
from tallystick.draw.svg import Line, Span, Style, wrapped
from tallystick.errors import OptionError, clean, counted, no_rows, shown, some, with_article
from tallystick.model.profile import STEPS, ColumnProfile
from tallystick.schema import CODED, Column, Schema, spelt
from tallystick.table.cells import distinct_texts
from tallystick.table.new_rows import match
from tallystick.text import quantity

SPIKE = 0.05  # share of rows: a value that so many have is a bin by itself


@dataclass(frozen=True, slots=True)
class Known:
    """What the file keeps of a column's training values: counts by level, bin or word, or mean and standard
    deviation; or why there is nothing. line[level]: where levels are counted together; words: the places in
    the vocabulary of those whose rows are counted. Of a profile, numbers are counted at and between `values`,
    line[place] of 2 * i + 1 at the i-th value and 2 * i below it; labels[bin]: what a bin is called.
    """

    counts: NDArray[np.float64] | None = None
    cuts: NDArray[np.float64] | None = None
    line: NDArray[np.int64] | None = None
    words: NDArray[np.int64] | None = None
    mean: float = math.nan
    deviation: float = math.nan
    untold: str = ""
    values: NDArray[np.float64] | None = None
    labels: tuple[str, ...] = ()
    missing: float | None = None  # the share of rows without a value


def of_profile(own: ColumnProfile, kind: str, names: Sequence[str], rows: int, unit: str = "") -> Known:
    """Return what a profile keeps of a column: of levels and words counts by name, of numbers counts in bins
    between some of their values; a value that many rows have is a bin of its own.

    rows: those of the table, in its units. unit: "date" where numbers are days.
    """
    missing = own.missing / rows if rows else 0.0
    counts = own.counts.astype(np.float64)
    if own.values is None:
        words = np.arange(len(counts)) if kind == "text" else None
        return Known(counts, words=words, labels=tuple(names), missing=missing)
    if not len(own.values):
        return Known(untold="it was always missing", missing=missing)
    line, labels = _bins(own, unit)
    held = np.bincount(line[1:-1], counts, len(labels)).astype(np.float64)
    return Known(held, line=line, values=own.values, labels=labels, missing=missing)


def _bins(own: ColumnProfile, unit: str) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the bin of each place and what the bins are called. The first is below all training values, the
    last above; a value of few rows belongs to what follows it, the highest to what goes before.
    """
    assert own.values is not None
    texts = [quantity(v, unit) for v in own.values.tolist()]
    full, last = own.counts.sum(), len(texts) - 1
    line, labels = [0], [f"below {texts[0]}"]
    for i, text in enumerate(texts):
        alone = own.counts[2 * i] >= SPIKE * full or last == 0
        if alone or i < last:
            labels.append(text if alone else f"{text} to {texts[i + 1]}")
        line.append(len(labels) - 1)
        if i < last:
            if alone:
                labels.append(f"{text} to {texts[i + 1]}")
            line.append(len(labels) - 1)
    return np.array([*line, len(labels)]), (*labels, f"above {texts[-1]}")


def nothing(document: Mapping[str, Any], column: Column) -> Known:
    """Return that the file keeps nothing of a column."""
    kind = document["kind"]
    who = {"decision-tree": "a tree keeps", "rule-list": "rules keep"}.get(kind, "the model keeps")
    return Known(untold=f"{who} no counts of a column")


def of_bayes(document: Mapping[str, Any], column: Column) -> Known:
    """Return what naive Bayes keeps: counts by level, bin or word, or exact sums."""
    model, unit = document["model"], document["rows"]["unit"]
    own = next((c for c in model["columns"] if c["name"] == column.name), None)
    if own is None:
        return Known(untold="the model does not use it")
    if "counts" in own:
        counts = np.array(own["counts"], dtype=np.float64).reshape(len(own["counts"]), -1).sum(axis=1)
        if own.get("cuts") == []:
            return Known(untold="the model keeps it as one bin")
        return Known(counts, np.array(own["cuts"]) if "cuts" in own else None)
    rows = sum(n - m for n, m in zip(model["classes"], own["missing"], strict=True)) / unit
    if rows <= 0:
        return Known(untold="it was always missing")
    mean = sum(Fraction(s) for s in own["sums"]) / unit / Fraction(rows)  # over all classes, exactly
    if "squares" not in own:  # Poisson: the variance is the mean
        return Known(mean=float(mean), deviation=math.sqrt(max(float(mean), 0.0)))
    spread = sum(Fraction(s) for s in own["squares"]) / unit / Fraction(rows) - mean * mean
    return Known(mean=float(mean), deviation=math.sqrt(max(float(spread), 0.0)))


def of_slopes(document: Mapping[str, Any], column: Column) -> Known:
    """Return what a logistic or linear regression keeps: the centre and scale of a number."""
    part = next((p for p in document["model"]["parts"] if p["name"] == column.name), None)
    if part is not None and part["part"] == "slope" and part["scale"] > 0:
        return Known(mean=float(part["centre"]), deviation=float(part["scale"]))
    words = document["kind"].replace("-", " ")
    return Known(untold=f"a {words} keeps no counts of levels or words")


def of_card(document: Mapping[str, Any], column: Column) -> Known:
    """Return what a scorecard keeps: the training rows on each line of a column, its own or those of a pair;
    of a text how many rows have each word that has points.
    """
    for part in document["model"]["parts"]:
        if part.get("name") == column.name:
            rows = np.array(part["rows"], dtype=np.float64).sum(axis=1)
            if part["part"] != "words":
                return _lines(part, rows)
            few = "a card keeps counts of the words with points only"
            return Known(rows, words=np.array(part["words"]), untold=few)
    for part in document["model"]["parts"]:
        if part["part"] == "pair":
            first, second = (_size(part[side]) for side in ("first", "second"))
            table = np.array(part["rows"], dtype=np.float64).sum(axis=1).reshape(first, second)
            for axis, side in ((1, "first"), (0, "second")):
                if part[side]["name"] == column.name:
                    return _lines(part[side], table.sum(axis=axis))
    return Known(untold="it has no line on the card")


def _lines(axis: Mapping[str, Any], rows: NDArray[np.float64]) -> Known:
    """Return the rows on the known lines of an axis."""
    if axis["part"] == "levels":
        lines = np.array(axis["line"], np.int64)
        return Known(rows[: _size(axis) - 2], line=lines)
    if not axis["cuts"]:
        return Known(untold="the card has one line for all its numbers")
    return Known(rows[:-1], np.array(axis["cuts"]))


def _size(axis: Mapping[str, Any]) -> int:
    return len(axis["cuts"]) + 2 if axis["part"] == "ranges" else max(axis["line"], default=-1) + 3


# A model's answers to new rows, counted as its profile counts its answers to the training rows.
# Law: they are counts, so they do not depend on the order of rows.


@dataclass
class AnswerTally:
    """known: what was answered in training, a count for each class or bin; given: the same of new rows.
    steps[class], seen[class]: rows in tenths of the share, then and now. untold: why nothing is known.
    """

    model: Any
    known: Known | None = None
    untold: str = ""
    labels: Sequence[str] = ()
    steps: Sequence[NDArray[np.int64]] = ()
    given: Any = 0
    seen: Any = field(default=0)

    @classmethod
    def of(cls, estimator: Any) -> AnswerTally:
        """Return what a fitted model's profile has of its answers."""
        profile, target = estimator.profile_, estimator.schema_.target
        if target is None:
            return cls(None)
        if profile is None or profile.answers is None:
            old = estimator._version == 1
            kept = "its file is of version 1 and keeps" if old else "its file keeps"
            return cls(None, untold=f"{kept} no answers to the training rows; fit again to have them")
        own, model = profile.answers, estimator.model_
        if target.labels:
            model = replace(model, decision=None)  # as the training rows were counted
            known = Known(own.given.astype(np.float64), labels=target.labels)
            return cls(model, known, "", target.labels, list(own.shares))
        return cls(model, of_profile(own, "numeric", (), estimator.rows_["count"]))

    def add(self, block: Any) -> None:
        """Add what is answered to the rows of a block."""
        if self.known is None or not block.rows:
            return
        shares = self.model.shares(block)
        if self.known.values is not None:
            self.given = self.given + in_bins(self.known, shares[:, 0])
            return
        k = len(self.labels)
        self.given = self.given + np.bincount(self.model.decide(shares), minlength=k)
        places = np.arange(k) * STEPS + np.minimum((shares * STEPS).astype(np.int64), STEPS - 1)
        self.seen = self.seen + np.bincount(places.ravel(), minlength=k * STEPS).reshape(k, STEPS)


def in_bins(known: Known, values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many numbers lie in each bin of a profile."""
    assert known.values is not None
    assert known.line is not None
    at = np.searchsorted(known.values, values, side="left")
    there = known.values[np.minimum(at, len(known.values) - 1)] == values
    return np.bincount(known.line[2 * at + there], minlength=len(known.labels))


# The comparison of new rows with what the model file keeps of the training rows.
#
# Law: the findings depend on the multiset of new rows and on the model file alone.
#
# Measures and limits, n new rows and m training rows:
#   missing   the share of rows without a value; a change beyond 0.05 and twice its standard error
#   counts    total variation: half the sum of the absolute differences of shares, "so many values moved";
#             beyond 0.10 and what chance alone would give, the sum of sqrt(p (1 - p) (1/n + 1/m) / (2 pi)).
#             The population stability index stands beside it, as many know it, and judges nothing: the sum
#             over the counts of (after - before) ln(after / before) in shares, half a row added to each count
#   words     where rows with each word are counted: the word whose share of rows moved most; beyond 0.10 and
#             three standard errors
#   range     rows outside the range of training, on either side: a change of the column beyond 0.01 of the
#             rows and beyond chance, which puts k of n new rows there with probability (n / (n + m))^k, if
#             that is 0.01 or less; fewer are rows to look at, and named as such
#   moments   the mean's move in standard deviations of the training rows; beyond 0.25 and twice
#             sqrt(1/n + 1/m)


MISSING_LIMIT, COUNTS_LIMIT, MEAN_LIMIT = 0.05, 0.10, 0.25
OUTSIDE_LIMIT, CHANCE = 0.01, 0.01  # share of rows outside the range; probability of as many by chance
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
    ignored: tuple[str, ...] = ()  # columns the model does not know or ask for
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
        from tallystick.draw.svg import plain

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
    known, tally = _known(model), AnswerTally.of(model)
    seen = {c.name: _Seen() for c in schema.used}
    rows = 0
    reading: dict[str, Any] = {"lenient": True, "missing_columns": "as-missing", "warn": False}
    for part in match(source, schema, threads=threads, **reading):
        rows += part.block.rows
        tally.add(part.block)
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
    answers = None if schema.target is None else _about_answers(tally, schema.target.name, (rows, trained))
    return Changes(source.name, rows, kind, trained, views, ignored, answers)


def _known(model: Any) -> dict[str, Known]:
    """Return what is known of each column: from the profile, or from what the method itself keeps."""
    schema, profile, rows = model.schema_, model.profile_, model.rows_["count"]
    if profile is not None:
        both = zip(schema.used, profile.columns, strict=True)
        return {c.name: of_profile(own, c.kind, c.levels or c.words, rows, c.unit) for c, own in both}
    document = model.to_dict()
    known = methods.of_kind(document["kind"]).load("known")
    return {c.name: known(document, c) for c in schema.used}


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
    findings = []
    if seen.unreadable:
        findings.append(f"{counted(seen.unreadable, 'row')} with values that are not numbers")
    if rows and trained:
        both = (before * trained + missing[1] * rows) / (trained + rows)
        chance = 2 * math.sqrt(both * (1 - both) * (1 / rows + 1 / trained))
        if abs(missing[1] - before) > max(MISSING_LIMIT, chance):
            findings.append(f"missing in {missing[1]:.1%} of the rows, was {before:.1%}")
    findings += new
    if shift is not None and shift.beyond:
        findings.append(_about_shift(shift))
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


def _about_answers(answers: AnswerTally, name: str, sizes: tuple[int, float]) -> ColumnChange:
    """Return what the model answers to new rows beside what it answered to its training rows."""
    if answers.known is None or answers.known.counts is None or not sizes[0] or not sizes[1]:
        return ColumnChange(name, "answers", (), untold=answers.untold or "there is too little to compare")
    known, before, after = answers.known, answers.known.counts, np.asarray(answers.given, np.float64)
    shift = _variation(before, after)
    shares = before / before.sum(), after / after.sum()
    at = int(np.argmax(np.abs(shares[1] - shares[0])))
    findings = []
    if shift.beyond:
        label = shown(known.labels[at])
        findings.append(f"{label} is answered to {shares[1][at]:.1%} of the rows, was {shares[0][at]:.1%}")
    for label, steps, new in zip(
        answers.labels, answers.steps, answers.seen if answers.labels else (), strict=True
    ):
        moved = _variation(steps.astype(np.float64), new.astype(np.float64))
        if moved.beyond and not findings:
            words = f"the shares of {shown(label)} moved: {moved.value:.0%} of the rows lie in other tenths"
            findings.append(f"{words} (limit {moved.limit:.0%})")
    parts = tuple((n, float(a), float(b)) for n, a, b in zip(known.labels, *shares, strict=True) if a or b)
    return ColumnChange(name, "answers", tuple(findings), shift=shift, parts=parts)


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
    """Return how far the values moved, where the file keeps enough to say."""
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


# The result as lines: the answers, then one per column, the most changed first.


def page(found: Changes, cells: int = 80) -> list[Line]:
    """Return all lines, at most `cells` wide."""
    trained = f"the {counted(found.trained, 'training row')} of {with_article(found.kind)}"
    head = f"{clean(found.name)}: {counted(found.rows, 'row')} beside {trained}"
    style: Style = "bad" if found else "note" if found.unjudged else "good"
    lines: list[Line] = [*wrapped(clean(head), cells), *wrapped(verdict(found), cells, "", style), ()]
    if found.answers is not None:
        lines += [*_answers(found.answers, cells), ()]
    for column in found.ranked:
        lines += _column(column, cells)
    if found.ignored:
        lines += [(), *wrapped(clean(f"not in the model, ignored: {some(found.ignored)}"), cells)]
    return lines


def verdict(found: Changes) -> str:
    """Return what is known in a line: how many columns changed, and how many cannot be judged."""
    many, open_, every = len(found.changed), len(found.unjudged), counted(len(found.columns), "column")
    kept = f"the file of {with_article(found.kind)} keeps too little of the training rows"
    stray = len(found.stray)
    apart = f"; rows outside the range of training in {counted(stray, 'column')}" if stray else ""
    if many:
        rest = f"; of the others {open_} cannot be judged in full: {kept}" if open_ else ""
        return f"{many} of {every} changed{apart}{rest}"
    if open_:
        return f"no change found, but {open_} of {every} cannot be judged in full: {kept}{apart}"
    return f"no column changed{apart}"


def _answers(answers: ColumnChange, cells: int) -> list[Line]:
    """Return what the model answers now beside what it answered to its training rows."""
    first = "  the answers: "
    if answers.findings:
        lines = wrapped(clean("; ".join(answers.findings)), cells, first)
        return [(Span(first, "strong"), Span(lines[0][1].text, "bad")), *lines[1:]]
    if answers.shift is None:
        return wrapped(clean(f"not judged: {answers.untold}"), cells, first)
    moved, limit = answers.shift.value, answers.shift.limit
    return wrapped(f"as in training (moved by {moved:.0%}, limit {limit:.0%})", cells, first)


def _column(column: ColumnChange, cells: int) -> list[Line]:
    """Return one column: what changed, or how little."""
    name = f"{clean(column.name)}: "
    strays = "; ".join(column.strays)
    caveat = f"; not judged in full: {column.untold}" if column.untold else ""
    if column.findings:
        text = "; ".join((*column.findings, *column.strays)) + caveat
        lines = wrapped(clean(text), cells, f"  {name}")
        return [(Span(f"  {name}", "strong"), Span(lines[0][1].text, "bad")), *lines[1:]]
    if column.shift is None:
        new = f"no level is new; {strays}" if strays else "no level or range is new"
        return wrapped(clean(f"not judged: {column.untold}; {new}"), cells, f"  {name}")
    size, limit = f"{column.shift.value:.0%}", f"{column.shift.limit:.0%}"
    if column.shift.measure == MOMENTS:
        size, limit = f"{column.shift.value:.2f} deviations", f"{column.shift.limit:.2f}"
    new = f"not changed, but {strays}" if strays else "nothing new"
    words = f"{new} (moved by {size}, limit {limit}){caveat}"
    return wrapped(clean(words), cells, f"  {name}")
