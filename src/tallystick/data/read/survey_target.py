"""The column to be predicted, its labels or numbers: what has been seen of it so far.

Knows labels and responses. Knows nothing of the other columns.
Laws: labels are canonical texts with a type, the same in any container; any cut of the rows and any order of
merging give the same target and notes.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.read import strings
from tallystick.data.read.cells import Coded, Floats, SmallIntegers, among, read_cells
from tallystick.data.read.judge import number_cure, number_marks
from tallystick.data.read.merging import kept, merged
from tallystick.data.read.plan import ReadingPlan
from tallystick.data.read.slips import merging, say_variants, variants
from tallystick.data.read.strings import Distinct
from tallystick.data.read.texts import TextCounts
from tallystick.data.read.weights import Chosen
from tallystick.data.schema import LabelType, Note, Target
from tallystick.data.table.block import class_type
from tallystick.data.text import is_missing, label_form
from tallystick.errors import (
    Argument,
    ContinuousTarget,
    Message,
    TargetError,
    counted,
    nearest,
    shown,
    some,
)
from tallystick.kernels import CellKind, Parsed

MANY_CLASSES = 100  # whole numbers: more than this and more than half of the rows is not a set of classes
FARTHEST = 1e140  # of a response: sums of squares stay numbers
UNBALANCED = 1_000  # a class of fewer rows than one in so many gets a note
RESPONSES = (
    CellKind.NUMBER,
    CellKind.INTEGER,
    CellKind.INFINITE,
    CellKind.LEADING_ZEROS,
    CellKind.INEXACT,
)  # texts that a numeric target may be
TOTALS = (
    *(CellKind.NUMBER, CellKind.INTEGER, CellKind.INEXACT, CellKind.OTHER_DECIMAL),
    *(CellKind.THOUSANDS, CellKind.PERCENT, CellKind.CURRENCY),
)  # texts that may be a total
LABEL_NUMBERS = {CellKind.NUMBER, CellKind.INTEGER, CellKind.INEXACT}  # texts that are labels of numbers
BOOLEANS = {CellKind.BOOLEAN}
FEW_NUMBERS = 20  # numbers that are not whole: more than this, or more than half of the rows, is none either


def no_target(target: str, where: str, columns: Sequence[str]) -> TargetError:
    """Return the error of a target that is not a column."""
    if not columns:
        return TargetError(f"{where} has no columns, so there is no {shown(target)} to predict.")
    return TargetError(
        f"there is no column {shown(target)} in {where}.{nearest(target, columns)} "
        f"Columns: {some(columns, 10)}."
    )


def target_name(target: Any) -> str:
    """Return what to call a target that came as an array."""
    name = getattr(target, "name", None)
    return name if isinstance(name, str) and name else "y"


def mixed_labels(target: Any) -> tuple[Note, ...]:
    """Return a note when labels of several types come together."""
    cells = target if isinstance(target, list | tuple) else _objects(target)
    every = {kind: _type_name(kind) for kind in set(map(type, cells))}
    if len(set(every.values())) < 2:  # missing cells among them
        return ()
    types = {every[type(c)] for c in cells if not is_missing(c)}
    if len(types) < 2:
        return ()
    text = (
        f"the target mixes labels of different types ({', '.join(sorted(types))}); equal texts are one class."
    )
    return (Note("mixed-labels", text),)


def _type_name(kind: type) -> str:
    return {bool: "boolean", int: "number", float: "number", str: "text"}.get(kind, kind.__name__)


def _objects(target: Any) -> list[Any]:
    """Return labels that may be of several types, of categories each once; texts of Arrow are texts."""
    kind = getattr(target, "dtype", None)
    if getattr(kind, "kind", "") != "O" or getattr(kind, "storage", "") == "pyarrow":
        return []
    several = target.unique() if getattr(kind, "name", "") == "category" else target
    found: list[Any] = several.tolist() if hasattr(several, "tolist") else []
    return found


def _conversion_warning() -> type[Warning]:
    """Return the class scikit-learn's callers expect, when it is loaded."""
    loaded = sys.modules.get("sklearn.exceptions")
    found: type[Warning] = UserWarning if loaded is None else loaded.DataConversionWarning
    return found


def flat_target(target: Any) -> Any:
    """Return labels as one value per row; anything else is an error."""
    if isinstance(target, type):
        raise TargetError(f"{shown(target.__name__)} is a type, not labels. Pass the labels.")
    shape = getattr(target, "shape", None)
    sparse = hasattr(target, "nnz")  # which NumPy takes for one object
    if shape is not None and len(shape) == 2 and shape[1] == 1 and not sparse:
        import warnings

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected.", _conversion_warning(), stacklevel=5
        )
        return (target if isinstance(target, np.ma.MaskedArray) else np.asarray(target)).ravel()
    lists = isinstance(target, list | tuple) and len(target) > 0 and isinstance(target[0], list | tuple)
    several = len(target[0]) if lists else shape[1] if shape is not None and len(shape) == 2 else 0
    if several > 1:
        raise TargetError(
            f"target has {several} columns, and a model predicts one. Fit one model for each of them."
        )
    if shape is not None and len(shape) != 1:
        raise TargetError(
            f"target has shape {tuple(shape)}, but it needs one value per row. Pass a 1-D array."
        )
    return target


def absent_notes(name: str, count: int, rows: int) -> tuple[Note, ...]:
    """Return a note on rows without a target; most of them without one is an error."""
    if count == 0:
        return ()
    if 2 * count > rows:
        raise TargetError(
            f"target {shown(name)} is missing in {count:,} of {rows:,} rows. "
            "Drop these rows first if that is intended, or check the missing marks."
        )
    text = f"target {shown(name)} is missing in {count:,} of {rows:,} rows; they are left out."
    return (Note("rows-left-out", text, name, count),)


def total_notes(name: str, plan: ReadingPlan) -> tuple[Note, ...]:
    """Return a note on the row of a total."""
    if plan.total is None:
        return ()
    text = Message(
        f"1 row is left out: it has {shown(plan.total)} for {shown(name)}, a number among words, and so is "
        "taken for a total. If it is a class, declare all of them: ",
        Argument("levels", {name: [...]}),
        ".",
    )
    return (Note("total-left-out", text, name, 1),)


def no_number(name: str, text: Any) -> TargetError:
    """Return the error of a response that is not a number."""
    return TargetError(
        f"target {shown(name)} holds {shown(text)}, which is not a number. Use a classifier for classes. ",
        number_cure(str(text)),
    )


def infinite_response(name: str, row: int | None) -> TargetError:
    """Return the error of a response whose square is not a number; row: the first, if rows have numbers."""
    where = "" if row is None else f" in row {row + 1:,}"
    return TargetError(f"target {shown(name)} is infinite or beyond 1e140{where}. Correct it.")


def labels_of(
    name: str, texts: Any, parsed: Parsed, label_type: LabelType, rows: int, plan: ReadingPlan
) -> tuple[Target, NDArray[Any], tuple[Note, ...]]:
    """Return the target, class[text], 0 behind the last for rows without a label, and a note on spellings."""
    canonical = [
        label_form(t, v, label_type) for t, v in zip(texts.to_pylist(), parsed.values.tolist(), strict=True)
    ]
    found = set(canonical)
    label_type, declared = declared_labels(name, label_type, plan)
    check_labels(name, found, declared, label_type, rows, plan.trivial)
    labels = tuple(sorted(found | declared, key=_label_order(label_type)))
    at = {label: code for code, label in enumerate(labels)}
    into = np.array([at[c] for c in canonical] + [0], dtype=class_type(len(labels)))
    return Target(name, labels, label_type), into, spelt(name, texts.to_pylist(), canonical)


def spelt(name: str, texts: list[str], labels: list[str]) -> tuple[Note, ...]:
    """Return a note when a file writes one label in several ways, such as 1 and 1.0."""
    if len(set(labels)) == len(texts):
        return ()
    ways: dict[str, list[str]] = {}
    for text, label in zip(texts, labels, strict=True):
        ways.setdefault(label, []).append(text)
    several = [text for way in ways.values() if len(way) > 1 for text in way]
    said = f"target {shown(name)} writes equal labels in several ways; they are one class: {some(several)}."
    return (Note("labels-spelt", said, name, len(several)),)


def declared_labels(name: str, label_type: LabelType, plan: ReadingPlan) -> tuple[LabelType, set[str]]:
    """Return the labels that the user declared, as texts of the type that was found, and the type of all."""
    target = Target(name, (), label_type)
    declared = {target.label_of(text) for text in plan.levels.get(name, ())}
    if label_type == "text":
        return "text", declared
    strange = [text for text in sorted(declared) if not target.may_hold(text)]
    if strange:
        kind = "true and false" if label_type == "boolean" else "numbers"
        raise TargetError(
            f"target {shown(name)} holds {kind}, but levels declares {some(strange)}. Leave it out, or make "
            "all labels text."
        )
    whole = label_type == "integer" and all(text.lstrip("-").isdigit() for text in declared)
    return "number" if label_type == "integer" and not whole else label_type, declared


def label_kind(parsed: Parsed, written: bool) -> LabelType:
    """Labels that came as text stay text; in a file, where all is text, numbers and booleans are seen."""
    kinds = set(parsed.kinds.tolist())
    if written or not kinds:
        return "text"
    if kinds == BOOLEANS:
        return "boolean"
    if not kinds <= LABEL_NUMBERS:
        return "text"
    return "integer" if (parsed.values == np.floor(parsed.values)).all() else "number"


def _label_order(label_type: LabelType) -> Any:
    return {"integer": int, "number": float}.get(label_type, str)


def check_labels(
    name: str, found: set[str], declared: set[str], label_type: LabelType, rows: int, trivial: bool
) -> None:
    """Refuse a target of numbers that are not classes, or of one class unless that will do."""
    count = len(found)
    half = 2 * count > rows
    if (label_type == "number" and (count > FEW_NUMBERS or half)) or (
        label_type == "integer" and count > MANY_CLASSES and half
    ):
        raise ContinuousTarget(
            f"target {shown(name)} is continuous: {count:,} different numbers in {counted(rows, 'row')}, "
            f"e.g. {some(sorted(found), 3)}. Unknown label type for a classifier: regression? Then use ",
            Argument("RegressionTree"),
            ".",
        )
    if len(found | declared) < 2 and not (trivial and found - {"inf", "-inf"}):  # a slip, not a class
        which = f" ({shown(next(iter(found)))})" if found else ""
        raise TargetError(
            f"target {shown(name)} has one class{which} in {counted(rows, 'row')}; two are needed."
        )


def rare_note(target: Target, counts: NDArray[np.int64]) -> tuple[Note, ...]:
    """Return notes on a class that is alone, on classes of one row, and on classes that may be one, spelt in
    two ways; counts[class], perhaps with more behind them.
    """
    counts = counts[: len(target.labels)]
    if len(target.labels) == 1:
        only = f"has one class ({shown(target.labels[0])})"
        text = f"target {shown(target.name)} {only}: there is nothing to tell apart."
        return (Note("one-class", text, target.name),)
    return (*_few(target, counts), *_alike(target, counts), *_quantity(target))


def _quantity(target: Target) -> tuple[Note, ...]:
    """Return a note on whole numbers so many that they may be a quantity, and not classes."""
    if target.type != "integer" or len(target.labels) <= FEW_NUMBERS:
        return ()
    text = Message(
        f"target {shown(target.name)} has {len(target.labels):,} different whole numbers, and each is a "
        "class of its own. Regression? Then use ",
        Argument("RegressionTree"),
        ".",
    )
    return (Note("many-numbers", text, target.name, len(target.labels)),)


def _alike(target: Target, counts: NDArray[np.int64]) -> tuple[Note, ...]:
    """Return a note on labels that may mean the same."""
    found = variants(target.labels, counts.tolist()) if target.type == "text" else []
    if not found:
        return ()
    text = Message(
        f"target {shown(target.name)} has classes that may be one: {say_variants(found)}. They are learned "
        "and judged as different classes; if they are one, pass ",
        merging(found),
        ".",
    )
    return (Note("labels-alike", text, target.name, len(found)),)


def _few(target: Target, counts: NDArray[np.int64]) -> tuple[Note, ...]:
    """Return a note on classes that only one row has, or that are rare."""
    rare = [label for label, count in zip(target.labels, counts.tolist(), strict=True) if count == 1]
    if not rare:
        return _unbalanced(target, counts)
    verb = "has one row" if len(rare) == 1 else "have one row each"
    text = f"class{'es' * (len(rare) > 1)} {some(rare)} {verb}: too few to learn from or to judge by."
    return (Note("rare-classes", text, target.name, len(rare)),)


def _unbalanced(target: Target, counts: NDArray[np.int64]) -> tuple[Note, ...]:
    """Return a note on a class so rare that accuracy says nothing about it."""
    each = counts.tolist()
    total, least = sum(each), min(filter(None, each), default=2**63 - 1)
    if least * UNBALANCED > total:
        return ()
    label = target.labels[each.index(least)]
    often = 1 - least / total if len(each) == 2 else max(each) / total
    text = (
        f"class {shown(label)} is {least:,} of {total:,} rows, so {often:.4%} are right by always answering "
        "the most frequent class. Judge by balanced accuracy and average precision, not by accuracy."
    )
    return (Note("imbalance", text, target.name, least),)


def _labels_merged(merge: Mapping[str, str], target: Target) -> dict[str, str]:
    """Return the label that each spelling becomes."""
    return {spelling: target.label_of(text) for spelling, text in merge.items()}


# ---- what has been seen so far ----


@dataclass(frozen=True)
class TargetCells:
    """The target of a batch: labels[row] as codes among texts, or response[row]."""

    labels: Distinct | None = None
    response: NDArray[np.float64] | None = None
    written: bool = False
    bad: str | None = None  # the first text that is not a number, where numbers are needed

    @cached_property
    def absent(self) -> NDArray[np.bool_] | None:
        """Which rows have no target; None: all have one."""
        if self.labels is not None:
            none = len(self.labels.values)
            return self.labels.codes == none if self.labels.counts()[none] else None
        gone = None if self.response is None else np.isnan(self.response)
        return gone if gone is not None and gone.any() else None


def hit(cells: Any, name: str, plan: ReadingPlan, regression: bool, threads: int = 1) -> TargetCells:
    """Return the target of a batch; None: there is none."""
    if cells is None:
        return TargetCells()
    if isinstance(cells, strings.Distinct):  # texts of a file, told apart where they lie
        return TargetCells(cells, written=len(cells.codes) > 0)
    marks = plan.target_marks
    part = read_cells(cells, name, marks, plan.decimal, not regression, threads)
    if isinstance(part, Floats):
        return TargetCells(response=part.values)
    if isinstance(part, SmallIntegers) and regression:
        return TargetCells(response=part.values())
    found = part.distinct(marks)
    if not regression:
        return TargetCells(found, written=isinstance(part, Coded) and part.written and len(part) > 0)
    parsed = strings.numbers(found.values, (), plan.decimal, dates=True)
    fine = among(parsed.kinds, RESPONSES)
    values = np.append(np.where(fine, parsed.values, np.nan), np.nan)[found.codes]
    fine |= number_marks(found.values, parsed.kinds)
    return TargetCells(response=values, bad=None if fine.all() else found.values[int(fine.argmin())].as_py())


@dataclass
class TargetSurvey:
    """The target: texts of labels with counts[text, all rows | kept rows | kept copies]."""

    measures: int
    labels: TextCounts = field(init=False)
    rows: int = 0
    absent: int = 0
    written: bool = False
    bad: str | None = None
    became: frozenset[str] = frozenset()  # spellings that were there, and were merged
    infinite: tuple[int, int | None] = (0, None)  # responses, and the first row

    def __post_init__(self) -> None:
        self.labels = TextCounts(1 + self.measures)

    def add(self, found: TargetCells, chosen: Chosen) -> None:
        """Add the target of a batch."""
        self.rows += chosen.rows
        self.absent += 0 if found.absent is None else int(found.absent.sum())
        self.written = self.written or found.written
        if found.labels is not None:
            counts = found.labels.counts()[:, None], chosen.counts(found.labels)
            self.labels.add(found.labels.values, np.concatenate(counts, axis=1)[:-1])
        elif found.response is not None:
            rows = np.flatnonzero(np.abs(found.response) > FARTHEST)
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

    def merge(self, other: TargetSurvey) -> None:
        """Take in other batches."""
        self.rows += other.rows
        self.absent += other.absent
        self.written = self.written or other.written
        self.labels.merge(other.labels)
        self._take(other.bad, other.infinite)

    def total(self, name: str, plan: ReadingPlan, m: int) -> str | None:
        """Return the label of a row that is a total: of one row, and a number among words. m: the measure
        by which rows count.
        """
        texts, counts = self.labels.sorted()
        if plan.total is not None or name in plan.levels or len(texts) < 3:
            return None
        rows = counts[:, 1 + m]
        numbers = among(strings.numbers_of(texts, plan.decimal).kinds, TOTALS) & (rows > 0)
        words = rows[(rows > 0) & ~numbers]
        if rows[numbers].tolist() != [1] or len(words) < 2 or words.max() < 2:
            return None
        return str(texts[int(numbers.argmax())].as_py())

    def decide(
        self, name: str, plan: ReadingPlan, typed: bool, m: int, mixed: tuple[Note, ...] = ()
    ) -> tuple[Target, tuple[Note, ...], tuple[Note, ...]]:
        """Return the target of a classifier, its notes, and notes that are not part of the model.

        mixed: what is said of labels of several types.
        """
        merge, gone = plan.of(name).merge, int(plan.total is not None)
        joined = merged(*self.labels.sorted(), merge)
        self.became = frozenset(joined.became)
        texts, counts = joined.texts, joined.counts
        parsed = strings.numbers_of(texts, plan.decimal)
        notes = (*mixed, *total_notes(name, plan), *absent_notes(name, self.absent - gone, self.rows - gone))
        label_type = label_kind(parsed, typed and self.written and not mixed)
        target, into, spelt = labels_of(name, texts, parsed, label_type, self.rows - self.absent, plan)
        sizes = np.zeros(len(target.labels), np.int64)
        np.add.at(sizes, into[:-1], counts[:, 1 + m])
        notes = (*notes, *joined.note("target", name, 1 + m))
        target = replace(target, merged=kept(_labels_merged(merge, target), target.labels))
        return target, (*notes, *rare_note(target, sizes)), spelt

    def decide_response(self, name: str) -> tuple[Target, tuple[Note, ...]]:
        """Return the target of a regression and its notes."""
        if self.bad is not None:
            raise no_number(name, self.bad)
        if self.infinite[0]:
            raise infinite_response(name, self.infinite[1])
        return Target(name, (), "number"), absent_notes(name, self.absent, self.rows)
