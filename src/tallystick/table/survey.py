"""Survey of a source: mergeable facts from which the schema of a table is decided; the fused first pass.

Entry: `Survey`, in one process or many:

    survey = Survey.of(question)                  nothing is known
    survey.add(batch, start)                      one Arrow batch more; start: its first row's number or None
    survey.merge(other)                           two surveys of different batches become one
    while (more := survey.again()) is not None:   rare: texts read as numbers; numbers that may be identifiers
        survey.complete(more.add(batch) ...)      look at all batches once more, at those columns only
    decision = survey.decide()                    schema, notes, unit
    Encoder(decision).block(batch)                the rows of a batch as codes, see encode.py

A survey can be pickled and holds no rows: counts, ranges, and the distinct texts of columns of texts. Law:
any partition of the rows and any order of merging give the same decision, and errors name the same rows,
where batches know their first row's number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import groupby
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Heading
from tallystick.errors import DataError, no_rows, shown
from tallystick.kernels.numbers import FEW_COLUMNS, MOST_CLASSES, Scan
from tallystick.parallel import FEW_ROWS, checkpoint, each_in_order
from tallystick.schema import Column, ColumnOptions, Note, Schema, Target
from tallystick.table.batches import Plain, View, parts_together
from tallystick.table.block import Hasher
from tallystick.table.cells import Floats, Part, SmallIntegers, as_utf8, mark_numbers, read_cells
from tallystick.table.column_survey import BatchWords, ColumnSurvey, Piece, SecondLook
from tallystick.table.hash_sample import MOST, PickedNumbers, PickedPart, first_share, least_limit, limit_of
from tallystick.table.kinds import ONE_VALUE, Decided, hints
from tallystick.table.merging import unused_merges
from tallystick.table.strings import Distinct
from tallystick.table.table import ClassSums, LocalTable, no_moments
from tallystick.table.target import (
    AS_GIVEN,
    TargetCells,
    TargetSurvey,
    WeightScale,
    WeightSurvey,
    choose,
    hit,
    kept_rows,
    mixed_labels,
    no_target,
    target_name,
    weight_numbers,
)
from tallystick.table.wishes import ReadingPlan, check_wishes

# ---- the fused first pass over a matrix: scan, row fingerprint, exact sums by class, sample of values ----
# Each pass over a large matrix costs as much as reading its memory, so all of this is done in one. The
# columns are not decided yet, so it is done on the guess that all are numbers and all rows have a label. If
# that is wrong the results are discarded, and computed by another pass when needed. Law: they are what that
# pass would find, bit for bit.

SAMPLE = 16  # rows from which it is guessed that columns are numbers
LOOKED = 64  # rows from which the share of missing cells is guessed
FEW_GAPS = 0.3  # share of missing cells beyond which a column is sampled later, alone
WIDE = 64  # columns beyond which samples of all would take too much memory


@dataclass(frozen=True)
class PassResult:
    """Results of the fused pass over all rows: texts[code] of the labels, the total of the rows' hashes,
    the sums by code and the values of least hashes, None where they were not asked for; and the hashes and
    the numbers of rows that have the least.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    hashes: int
    moments: ClassSums | None
    picked: PickedNumbers | None
    least: tuple[NDArray[np.uint64], NDArray[np.int64]]


@dataclass
class FusedPass:
    """The fused pass, some rows after the others. share: of the hashes, those of the
    values that are picked; 0: none are. gaps: the share of missing cells for which there is room.
    """

    names: tuple[str, ...]
    labels: Distinct
    target: str
    sums: bool
    share: float
    gaps: float = 0.0
    parts: list[tuple[int, ClassSums | None, PickedPart | None]] = field(default_factory=list)
    least: list[tuple[NDArray[np.uint64], NDArray[np.int64]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.texts = tuple(self.labels.values.to_pylist())
        columns = tuple(Column(name, "numeric") for name in self.names)
        self.hasher = Hasher(Schema(columns, Target(self.target, self.texts, "text")))
        self.keys = [key for _, key, _ in self.hasher.columns]

    def look(self, columns: Sequence[NDArray[Any]], start: int) -> list[Scan]:
        """Return the scan of each column of some rows, those from `start` on, as doubles, and keep the other
        results.
        """
        rows = len(columns[0])
        classes = self.labels.codes[start : start + rows]
        sums = no_moments(len(columns), len(self.texts)) if self.sums else None
        tables = None if sums is None else sums[1:]
        picks = PickedPart.empty(start, len(columns), rows, self.share, self.gaps) if self.share else None
        limited = None if picks is None else picks[1:]
        limit = least_limit(len(self.labels.codes))
        hashes, seen, at, least = kernels.walk_rows(
            columns, self.keys, classes, self.hasher.labels, tables, limited, limit
        )
        self.parts.append((hashes, sums, picks))
        self.least.append((np.array(least, np.uint64), np.array(at, np.int64) + start))
        return kernels.scan_columns(columns, seen)

    def result(self) -> PassResult:
        """Return the results over all rows."""
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
        hashes, rows = (np.concatenate(part) for part in zip(*self.least, strict=True))
        total = sum(hashes for hashes, _, _ in self.parts)
        return PassResult(self.names, self.texts, total, sums, picked, (hashes, rows))


def along_with(
    columns: Sequence[NDArray[Any]],
    names: Sequence[str],
    labels: Distinct | None,
    target: str | None,
    sums: bool,
    sample: int,
) -> FusedPass | None:
    """Return the fused pass for columns that all may stay numbers, in their own type; None: none is made.
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
    return FusedPass(tuple(names), labels, target, sums and few and needed, share, gaps)


def _gaps(columns: Sequence[NDArray[Any]]) -> float:
    """Return the share of missing cells in the column that has the most, but for those that have many: a
    guess by some rows.
    """
    step = -(-len(columns[0]) // LOOKED)
    shares = [float(np.isnan(column[::step]).mean()) for column in columns]
    return max((share for share in shares if share <= FEW_GAPS), default=0.0)


def with_known(
    table: LocalTable, given: PassResult, columns: Sequence[Any], into: NDArray[Any]
) -> LocalTable:
    """Return the table with what a pass found of its rows, if they are those that were looked at. columns: as
    they were seen; into[code]: the class of each label.
    """
    used, labels = table.schema.used, table.schema.predicted.labels
    numbers = all(c.kind == "numeric" and not c.part and not c.unit for c in used)
    finite = all(isinstance(c, Floats) and c.scan is not None and c.scan.first_infinity < 0 for c in columns)
    if not numbers or not finite or given.names != tuple(c.name for c in used) or table.weights is not None:
        return table
    if table.kept is not None or given.texts != tuple(labels[c] for c in into[: len(given.texts)]):
        return table
    moments = None if given.moments is None else given.moments.of_classes(into, len(labels))
    table.know(given.hashes, moments, given.picked, given.least)
    return table


OF_ROWS = ("rows-skipped", "rows-repaired")  # notes of a source that a model keeps: rows not seen, or mended


@dataclass(frozen=True)
class SurveyRequest:
    """What is surveyed: the columns, what was wished for, and which column is the target or holds weights.

    apart: the target or the weights come beside the batches, as arrays of their own.
    """

    name: str
    columns: tuple[str, ...]
    plan: ReadingPlan
    target: str | None = None
    weights: str | None = None
    apart: frozenset[str] = frozenset()
    regression: bool = False
    typed: bool = True  # text in the source is text for sure; in a file it may be anything
    texts: frozenset[str] = frozenset()  # columns to be read as texts from the start
    again: Mapping[str, SecondLook] = field(default_factory=dict)  # of columns that need another pass
    mixed: tuple[Note, ...] = ()
    sums: bool = False  # exact sums of numbers by class may be asked for
    sample: int = 0  # and so many values of each column of numbers
    fixed_weights: bool = False  # a weight of 1 is one row, whole or not
    text_bytes: int = 0  # distinct texts of a column beyond so many bytes go to disk; 0: none do

    @classmethod
    def about(
        cls,
        source: Heading,
        wishes: ColumnOptions | None = None,
        target: Any = None,
        *,
        weights: Any = None,
        regression: bool = False,
        inf: str = "error",
    ) -> SurveyRequest:
        """Return the question about a source. target, weights: names of columns, or one value per row."""
        named = target if isinstance(target, str) else None
        apart = []
        if target is not None and named is None:
            apart.append(target_name(target))
        plan = check_wishes(wishes or ColumnOptions(), [*source.columns, *apart], source.reading, inf)
        for column in (named, weights if isinstance(weights, str) else None):
            if column is not None and column not in source.columns:
                raise no_target(column, source.name, source.columns)
        mixed = mixed_labels(target) if apart else ()
        if weights is not None and not isinstance(weights, str):
            apart.append("sample_weight")
        aside = {named, weights if isinstance(weights, str) else None}
        inputs = [n for n in source.columns if n not in aside and plan.of(n).kind != "out"]
        if len(inputs) > 1 and inputs[0] == source.columns[0]:
            plan = replace(plan, first=inputs[0])
        return cls(
            source.name,
            tuple(source.columns),
            plan,
            None if target is None else named or apart[0],
            None if weights is None else weights if isinstance(weights, str) else "sample_weight",
            frozenset(apart),
            regression,
            named is None or source.typed,
            texts=plan.merged_alone,
            mixed=mixed,
            sums=wishes is not None and wishes.sums,
            sample=0 if wishes is None else wishes.sample,
            fixed_weights=wishes is not None and wishes.fixed_weights,
        )

    @property
    def looked(self) -> tuple[str, ...]:
        """The columns that are neither target nor weights."""
        aside = {n for n in (self.target, self.weights) if n is not None and n not in self.apart}
        return tuple(n for n in self.columns if n not in aside)

    @property
    def measures(self) -> int:
        """Rows, and copies of rows where there are weights."""
        return 1 if self.weights is None else 2

    def as_words(self, name: str) -> bool:
        """Is this column read word by word from the start?"""
        look = self.again.get(name)
        return self.plan.of(name).kind == "text" or (look is not None and look.words)


@dataclass(frozen=True)
class ScannedBatch:
    """A batch as a survey sees it: numbers, texts and codes, or words, per column; target and weights."""

    rows: int
    hit: TargetCells
    weights: NDArray[np.float64] | None
    columns: Mapping[str, Piece]
    result: PassResult | None = None  # of the fused pass

    @cached_property
    def keep(self) -> NDArray[np.int64] | None:
        """The numbers of the rows that count; None: all."""
        return kept_rows(self.hit.absent, self.weights)


@dataclass(frozen=True)
class Decision:
    """What the table is: all that is needed to encode batches. unit: what a weight of 1 is, None without;
    scale: what others than whole weights are multiplied by.
    """

    question: SurveyRequest
    schema: Schema
    notes: tuple[Note, ...]
    rows: int
    unit: int | None = None
    source_notes: tuple[Note, ...] = ()  # how the rows were read: shown, but not part of the model
    scale: WeightScale = AS_GIVEN


@dataclass
class Survey:
    """What is known of the batches seen so far; see the module."""

    question: SurveyRequest
    seen: dict[str, ColumnSurvey] = field(default_factory=dict)
    aim: TargetSurvey = field(init=False)
    weighed: WeightSurvey = field(init=False)
    decided: dict[str, Decided] = field(default_factory=dict)
    goal: tuple[Target | None, tuple[Note, ...], tuple[Note, ...]] | None = None

    def __post_init__(self) -> None:
        measures, fixed = self.question.measures, self.question.fixed_weights
        self.aim, self.weighed = TargetSurvey(measures), WeightSurvey(measures > 1, fixed)
        if not self.seen:
            self.seen = {name: self._unseen(name) for name in self.question.looked}

    def _unseen(self, name: str) -> ColumnSurvey:
        q = self.question
        look = q.again.get(name)
        return ColumnSurvey(q.plan.of(name), q.measures, q.text_bytes, None if look is None else look.ends)

    @classmethod
    def of(cls, question: SurveyRequest) -> Self:
        """Return the survey of no rows."""
        return cls(question)

    def zero(self) -> Survey:
        """Return the survey of no rows about the same question."""
        fresh = Survey(self.question)
        fresh.seen = {name: self._unseen(name) for name in self.seen}
        return fresh

    def add(self, batch: Any, start: int | None = None, target: Any = None, weights: Any = None) -> Self:
        """Take in a batch; target, weights: Arrow arrays for its rows, where they are apart."""
        self.see(self.look(batch, target, weights), start)
        return self

    def look(
        self, batch: Any, target: Any = None, weights: Any = None, *, alone: bool = False, threads: int = 1
    ) -> ScannedBatch:
        """Return a batch as numbers, texts and words: the long part of the work, which changes nothing here.

        alone: there is no other batch; threads: how many may look at its columns, or share the words of one.
        """
        q, every = self.question, threads
        threads = 1 if batch.num_rows < FEW_ROWS else threads
        at = {name: j for j, name in enumerate(q.columns)}
        if q.target is not None and q.target not in q.apart:
            plain = isinstance(batch, Plain) and not q.regression
            target = batch.labels(at[q.target], q.plan.target_marks) if plain else batch.column(at[q.target])
        if q.weights is not None and q.weights not in q.apart:
            weights = batch.column(at[q.weights])
        names = [name for name, seen in self.seen.items() if seen.asked.kind != "out"]
        texts = {name for name in names if name in q.texts or self.seen[name].asked.wants_text}
        with as_utf8(q.target or ""):
            aim = hit(target, q.target or "", q.plan, q.regression, threads)
        along = None
        if alone and weights is None and not texts and tuple(names) == q.columns:
            along = self._along(batch, aim)
        known = parts_together(batch, names, texts, q.plan, alone, threads, along)
        found: dict[str, Piece] = {}
        waiting = []
        for name in names:
            part = known.get(name)
            if isinstance(part, Floats | Distinct) or (isinstance(part, SmallIntegers) and name not in texts):
                found[name] = part
            else:
                waiting.append(name)

        def one(name: str, each: int) -> Piece:
            checkpoint()
            part = known.get(name)
            if part is None:
                part = read_cells(batch.column(at[name]), name, q.plan.marks, q.plan.decimal, name in texts)
            with as_utf8(name):
                return self._piece(name, part, name in texts, each)

        for words, some in groupby(waiting, q.as_words):  # a column of texts may be most of the table
            several = list(some)
            read = partial(one, each=every if words else 1)
            found.update(zip(several, each_in_order(read, several, 1 if words else threads), strict=True))
        real = None if weights is None else weight_numbers(weights)
        result = None if along is None else along.result()
        return ScannedBatch(batch.num_rows, aim, real, scanned(found, threads), result)

    def _along(self, batch: Any, aim: TargetCells) -> FusedPass | None:
        """Return the fused pass over columns of numbers of which all rows and columns count."""
        q = self.question
        if not isinstance(batch, View) or len(mark_numbers(q.plan.marks)) or batch.num_rows < FEW_ROWS:
            return None
        if batch.numbers is None:
            return None
        return along_with(batch.numbers, q.columns, aim.labels, q.target, q.sums, q.sample)

    def _piece(self, name: str, part: Part | Distinct, as_text: bool, threads: int) -> Piece:
        if isinstance(part, Floats | Distinct) or (isinstance(part, SmallIntegers) and not as_text):
            return part
        if self.question.as_words(name):
            return BatchWords.of(part, self.seen[name].asked, threads)
        return part.distinct(self.question.plan.marks)

    def look_again(self, taken: ScannedBatch, threads: int = 1) -> ScannedBatch:
        """Return a batch that another survey saw, for this one's columns: which of their whole numbers are
        there, or their words, which threads share.
        """
        columns: dict[str, Piece] = {}
        for name, seen in self.seen.items():
            found = taken.columns[name]
            if isinstance(found, Distinct) and self.question.as_words(name):
                found = BatchWords.among(found, seen.asked, threads)
            columns[name] = found
        return replace(taken, columns=columns)

    @property
    def needs_source(self) -> bool:
        """Must the source be read again? Else the parts kept of its batches suffice."""
        return any(look.ends is None and not look.words for look in self.question.again.values())

    def see(self, batch: ScannedBatch, start: int | None = None, threads: int | None = 1) -> None:
        """Take in a batch that was looked at. start: its first row's number or None; threads: that may share
        its columns, of which cells are read again where rows have weights or do not count.
        """
        chosen = choose(batch.keep, batch.weights, batch.rows, start, self.weighed)
        self.aim.add(batch.hit, chosen)

        def one(name: str) -> None:
            checkpoint()
            self.seen[name].add(batch.columns[name], chosen)

        plain = batch.rows < FEW_ROWS or (chosen.keep is None and chosen.copies is None)
        each_in_order(one, batch.columns, 1 if plain else threads)

    def shift(self, start: int) -> Self:
        """Say that the rows seen, counted from 0, begin at another number."""
        for seen in self.seen.values():
            seen.shift(start)
        self.aim.shift(start)
        return self

    def merge(self, other: Survey) -> Self:
        """Take in what another survey saw of other batches."""
        for name, seen in self.seen.items():
            seen.merge(other.seen[name])
        self.aim.merge(other.aim)
        self.weighed.merge(other.weighed)
        return self

    # ---- the end ----

    def without_total(self) -> SurveyRequest | None:
        """Return the question to begin again with, where a row turned out to be a total, which no column is
        to be judged by; None where there is none.
        """
        q = self.question
        classes = q.target is not None and not q.regression
        label = self.aim.total(str(q.target), q.plan, self.weighed.measure) if classes else None
        return None if label is None else replace(q, plan=replace(q.plan, total=label))

    def again(self) -> Survey | None:
        """Return an empty survey of the columns that must be looked at once more; None: decide."""
        self.goal = self._target()  # what is wrong with it is said first
        looks: dict[str, SecondLook] = {}
        total, m = self.weighed.total, self.weighed.measure
        for name, seen in self.seen.items():
            if name not in self.decided:
                found = seen.decide(name, total, m)
                if isinstance(found, SecondLook):
                    looks[name] = found
                else:
                    self.decided[name] = found
        if not looks:
            return None
        q = self.question
        texts = q.texts | {n for n, look in looks.items() if look.ends is None}
        fresh = Survey(replace(q, texts=texts, again=looks))
        fresh.seen = {name: fresh._unseen(name) for name in looks}
        return fresh

    def complete(self, second: Survey) -> None:
        """Take in what a second look at some columns found."""
        self.question = second.question
        for name, look in second.question.again.items():
            self.seen[name] = self.seen[name].complete(second.seen[name], look)

    def _target(self) -> tuple[Target | None, tuple[Note, ...], tuple[Note, ...]]:
        """Return the target, its notes, and those that are not part of the model; refuse a table without
        rows, and weights that are not weights.
        """
        q, target, said, spelt = self.question, None, tuple[Note, ...](), tuple[Note, ...]()
        if self.aim.rows == 0:
            raise no_rows(q.name, len(q.columns))
        if self.weighed.rows:
            self.weighed.check()  # before classes are counted: what cannot be counted has no sum
        if q.target is not None and q.regression:
            target, said = self.aim.decide_response(q.target)
        elif q.target is not None:
            target, said, spelt = self.aim.decide(q.target, q.plan, q.typed, self.weighed.measure, q.mixed)
        self.weighed.check()
        return target, said, spelt

    def _all_the_same(self, found: Decided) -> Decided:
        """Return a column of one value as if it were asked for; others as they were found."""
        name, column = found.column.name, found.column
        if not str(column.why).startswith(ONE_VALUE.format("")):
            return found
        seen = self.seen[name]
        seen.asked = replace(seen.asked, keep=True)
        kept = seen.decide(name, self.weighed.total, self.weighed.measure)
        if isinstance(kept, SecondLook):  # a text, which would be read once more to no end
            return found
        text = f"column {shown(name)} has one value: no test can be made of it."
        return kept._replace(notes=(Note("one-value", text, name),))

    def decide(self, notes: Sequence[Note] = ()) -> Decision:
        """Return what the table is. notes: those of the source; what it lost of its rows comes first."""
        target, said, spelt = self.goal or self._target()
        lost = tuple(n for n in notes if n.code in OF_ROWS)
        if self.decided.keys() != self.seen.keys() and self.again() is not None:
            raise RuntimeError("the survey needs another look: call again()")
        done = [self.decided[name] for name in self.seen]
        if self.question.plan.trivial and all(d.column.kind == "out" for d in done):
            done = [self._all_the_same(d) for d in done]
        columns = tuple(c for d in done for c in (d.column, *d.parts))
        schema = Schema(columns, target, self.question.plan.marks)
        every = (*lost, *self.weighed.notes, *said, *(note for d in done for note in d.notes), *hints(done))
        refuse_nothing(self.question.name, schema, every)
        unit = None if self.weighed.plain else self.weighed.unit
        became = self.aim.became.union(*(seen.became for seen in self.seen.values()))
        unused = unused_merges(self.question.plan.spelt, became)
        if self.question.plan.total is not None:  # the row that may be a total is one
            notes = [n for n in notes if n.code != "last-row-total"]
        others = (*(n for n in notes if n not in lost), *spelt, *unused)
        rows, scale = self.weighed.rows, self.weighed.scale
        return Decision(self.question, schema, every, rows, unit, others, scale)


def scanned(parts: Mapping[str, Piece], threads: int = 1) -> Mapping[str, Piece]:
    """Return the parts of a batch with one look at its numbers: columns are looked at together, threads share
    the rows.
    """
    plain = {n: p for n, p in parts.items() if isinstance(p, Floats) and p.scan is None}
    if not plain:
        return parts
    values = [p.values for p in plain.values()]
    if len(plain) < FEW_COLUMNS:
        scans = each_in_order(kernels.scan, values, threads)
    else:
        rows = len(values[0])
        step = max(FEW_ROWS, -(-rows // threads))
        pieces = [[v[a : a + step] for v in values] for a in range(0, max(rows, 1), step)]
        seen = each_in_order(kernels.scan_rows, pieces, threads)
        scans = kernels.scan_columns(values, kernels.joined_scans(seen))
    found = {n: replace(p, scan=s) for (n, p), s in zip(plain.items(), scans, strict=True)}
    return {n: found.get(n, p) for n, p in parts.items()}


def refuse_nothing(where: str, schema: Schema, notes: tuple[Note, ...]) -> None:
    """Refuse a table whose every column is left out."""
    if not schema.used:
        reasons = [n.text for n in notes if n.code == "column-left-out"]
        listed = [part for text in reasons[:5] for part in (" ", text)]
        more = f" And {len(reasons) - 5:,} more." if len(reasons) > 5 else ""
        alone = "" if reasons else " It has none besides the target."
        raise DataError(f"{where} has no usable column.", *listed, more, alone)
