"""Target and weights: which rows count and how much; the labels or numbers to be predicted.

- Weights as whole multiples of a unit: `RowSelection`, `WeightScale`, `WeightSurvey`.
- The target, from labels to classes. Entry: `TargetSurvey`; `hit()` reads a batch, `labels_of()`,
  `rare_note()`.

unit = the integer that stands for a weight of 1; measure: see `column_survey.py`; absent = rows without a
label. Laws: where all weights are whole, a weight w is w copies of the row; a row of weight 0 does not count.
Where some are not, all are scaled to sum to the number of rows, in multiples of 2^-32 that are never 0, so
only their ratios matter. Any partition of the rows and any order of merging give the same weights, target and
notes.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.errors import (
    Argument,
    ContinuousTarget,
    DataError,
    Message,
    TargetError,
    counted,
    nearest,
    shown,
    some,
)
from tallystick.kernels.text import CellKind, Parsed
from tallystick.schema import LabelType, Note, Target
from tallystick.table import strings
from tallystick.table.block import class_type
from tallystick.table.cells import Coded, Floats, SmallIntegers, among, read_cells
from tallystick.table.kinds import number_cure, number_marks
from tallystick.table.merging import kept, merged
from tallystick.table.strings import Distinct, TextCounts
from tallystick.table.suspicious_values import merging, say_variants, variants
from tallystick.table.wishes import ReadingPlan
from tallystick.text import is_missing, label_form

UNIT = 1 << 32  # a weight of 1, where some weight is not whole
LARGEST = 2.0**62  # largest weight that counts as copies of a row
SCALED, PARTS = "weights-relative", "weights-not-whole"  # codes of notes on weights that are not whole
NEAR = 1 << 14  # weights per step, so that intermediate arrays stay in the cache


@dataclass(frozen=True)
class RowSelection:
    """The rows of one batch that count, where not all rows are known yet and so not the unit of weights.

    keep: the numbers of the rows, None means all. copies[kept row]: whole weights, None means 1 each. Counts
    have two measures where there are weights: rows, and copies of rows; which of them counts is known at the
    end. start: the number of the first row, None where rows have no numbers. whole: all weights so far are
    whole; once some are not, copies will not count, so they need not be looked for.
    """

    rows: int
    keep: NDArray[np.int64] | None = None
    copies: NDArray[np.int64] | None = None
    start: int | None = None
    whole: bool = True

    @cached_property
    def every(self) -> NDArray[np.int64]:
        """counts[measure] of all kept rows; shared, never written to."""
        return self.count(None)

    def cut(self, array: Any) -> Any:
        """Return the kept rows of an array."""
        return array if self.keep is None else array[self.keep]

    @property
    def kept(self) -> int:
        """How many rows count."""
        return self.rows if self.keep is None else len(self.keep)

    def row_numbers(self, kept: NDArray[np.int64]) -> list[int]:
        """Return positions among kept rows as rows of the source; none where those have no numbers."""
        if self.start is None:
            return []
        return [self.start + int(row) for row in (kept if self.keep is None else self.keep[kept])]

    def count(self, chosen: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """Return counts[measure] of chosen kept rows; None: all."""
        rows = self.kept if chosen is None else int(np.count_nonzero(chosen))
        if self.copies is None:
            return np.array([rows])
        return np.array([rows, int((self.copies if chosen is None else self.copies[chosen]).sum())])

    def filled(self, values: NDArray[np.float64], missing: int) -> NDArray[np.int64]:
        """Return counts[measure] of kept rows that have a value; missing: rows that have none."""
        if missing == 0:
            return self.every
        if self.copies is None:
            return np.array([len(values) - missing])
        gone = int(self.copies[np.isnan(values)].sum()) if self.whole else missing  # mostly few
        rest: NDArray[np.int64] = self.every - np.array([missing, gone])
        return rest

    def weights(self, chosen: NDArray[np.bool_] | None) -> NDArray[np.int64] | None:
        """Return counts[kept row, measure] of chosen rows; None: 1 each."""
        if self.copies is None:
            return None
        copies = self.copies if chosen is None else self.copies[chosen]
        return np.stack([np.ones_like(copies), copies], axis=1)

    def counts(self, found: Distinct) -> NDArray[np.int64]:
        """Return counts[text, measure] of the kept rows, those without a text last."""
        if self.keep is None and self.copies is None:
            return found.counts()[:, None]
        codes, size = np.ascontiguousarray(self.cut(found.codes)), len(found.values) + 1
        weights = [None] if self.copies is None else [None, self.copies]
        return np.stack([kernels.count_classes(codes, size, w) for w in weights], axis=1)


def kept_rows(absent: NDArray[np.bool_] | None, real: NDArray[np.float64] | None) -> NDArray[np.int64] | None:
    """Return the rows that count; None: all."""
    gone = absent
    if real is not None:
        gone = real == 0 if absent is None else (real == 0) | absent
    return None if gone is None or not gone.any() else np.flatnonzero(~gone)


def weight_numbers(cells: Any) -> NDArray[np.float64]:
    """Return weights as numbers, not yet checked."""
    part = read_cells(cells, "sample_weight", (), ".")
    if isinstance(part, Coded) and pa.types.is_integer(cells.type):
        raise DataError(
            "sample_weight holds whole numbers beyond 2^53, not all of which are exact as numbers here. "
            "Pass smaller ones."
        )
    if isinstance(part, Coded) or (isinstance(part, Floats) and (part.dated or part.spans)):
        raise DataError("sample_weight holds something that is not a number. Pass one number per row.")
    return part.values if isinstance(part, Floats) else part.values()


def refuse_no_weights(real: NDArray[np.float64], start: int | None = 0) -> None:
    """Refuse numbers that are not weights. start: the number of the first row, None where rows have none."""
    for bad, what in ((np.isnan(real), "missing"), (np.isinf(real), "infinite"), (real < 0, "negative")):
        if bad.any():
            at = int(bad.argmax())
            count = int(bad.sum())
            where = "" if start is None else f", first in row {start + at + 1:,}"
            raise DataError(
                f"sample_weight is {what} in {count:,} row{'s' * (count > 1)}{where} "
                f"({real[at]}). Weights are numbers from 0 up."
            )


class WeightScale(NamedTuple):
    """How weights that are not whole become units of a table: times 2^-power, then times `factor`. In two
    steps neither very large nor very small weights leave what doubles can hold.
    """

    power: int = 0
    factor: float = float(UNIT)

    def units(self, real: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return weights[row] in units of the table."""
        units = np.ldexp(real, -self.power) if self.power else real
        units = units * self.factor
        return np.maximum(np.rint(units, out=units), 1, out=units).astype(np.int64)


AS_GIVEN = WeightScale()


def exact_sum(real: NDArray[np.float64]) -> Fraction:
    """Return the sum of numbers, exactly: no cut of the rows may change it."""
    none, sums = np.zeros((1, 1), np.int64), np.zeros((1, 1, kernels.SUM_DIGITS), np.int64)
    squares = np.zeros((1, 1, kernels.SQUARE_DIGITS), np.int64)
    kernels.add_moments([np.ascontiguousarray(real)], np.zeros(len(real), np.uint8), none, sums, squares)
    return kernels.exact_sum(sums[0, 0])


def weights_overflow(total: Fraction, unit: int) -> DataError:
    """Return the error of weights whose sum cannot be counted."""
    return DataError(
        f"the sample weights sum to {Decimal(int(total)):.3g}, beyond exact counting (2^63 / {unit}). "
        "Whole weights are copies of rows: divide all of them by one number."
    )


def no_weight() -> DataError:
    """Return the error of weights that are all 0."""
    return DataError("all sample weights are zero, so no row is left. Give some row a weight above 0.")


# ---- what has been seen so far ----


@dataclass
class WeightSurvey:
    """The weights: sums over the rows that count. fixed: rows were learned before, so 1 is one row, whole or
    not. total: their exact sum; least, most: the ends.
    """

    given: bool
    fixed: bool = False
    rows: int = 0
    total_weight: Fraction = Fraction(0)
    whole: bool = True
    least: float = math.inf
    most: float = 0.0

    def add(self, real: NDArray[np.float64] | None, rows: int) -> NDArray[np.int64] | None:
        """Add the weights of kept rows, None: 1 each; return them as copies."""
        self.rows += rows
        if real is None:
            return None
        copies = np.empty(len(real), np.int64)
        for start in range(0, len(real), NEAR):
            self._add(real[start : start + NEAR], copies[start : start + NEAR])
        return copies

    def _add(self, real: NDArray[np.float64], copies: NDArray[np.int64]) -> None:
        """Add some weights, and say how many copies they are."""
        if not len(real):
            return
        floor, most = np.floor(real), float(real.max())
        whole = bool((real == floor).all())
        if whole and most * len(real) < 2.0**53:
            self.total_weight += int(real.sum())
        else:
            self.total_weight += exact_sum(real)
        self.whole = self.whole and whole
        self.least, self.most = min(self.least, float(real.min())), max(self.most, most)
        copies[:] = np.clip(floor, 1, LARGEST)

    def merge(self, other: WeightSurvey) -> None:
        """Take in other batches."""
        self.rows, self.total_weight = self.rows + other.rows, self.total_weight + other.total_weight
        self.whole = self.whole and other.whole
        self.least, self.most = min(self.least, other.least), max(self.most, other.most)

    def check(self) -> None:
        """Refuse weights that leave no row, or more than can be counted."""
        if self.given and not self.rows:
            raise no_weight()
        total = Fraction(self.rows) if self.scaled else self.total_weight
        if self.given and total * self.unit >= 2**63:
            raise weights_overflow(total, self.unit)

    @property
    def unit(self) -> int:
        """A weight of 1 is this many."""
        return 1 if self.whole else UNIT

    @property
    def plain(self) -> bool:
        """Do all rows weigh one row each?"""
        return not self.given or (self.least == self.most and (self.scaled or self.least == 1))

    @property
    def scaled(self) -> bool:
        """Do weights only say how rows compare?"""
        return not (self.whole or self.fixed)

    @property
    def scale(self) -> WeightScale:
        """What brings weights that are not whole to as much as there are rows."""
        if not self.scaled:
            return AS_GIVEN
        top = self.total_weight
        power = top.numerator.bit_length() - top.denominator.bit_length()
        return WeightScale(power, float(self.rows * UNIT / (top / Fraction(2) ** power)))

    @property
    def notes(self) -> tuple[Note, ...]:
        """Say what weights that are not whole mean."""
        if not self.given or self.whole:
            return ()
        rows = f"{self.rows:,} row{'s' * (self.rows != 1)}"
        if self.fixed:
            text = "some sample weights are not whole: here a weight of 1 is one row."
            return (Note(PARTS, text),)
        text = (
            "some sample weights are not whole, so weights say how rows compare, not how many copies there "
            f"are: they were scaled to sum to {rows}, and a row of the mean weight counts as one."
        )
        return (Note(SCALED, text, count=self.rows),)

    @property
    def measure(self) -> int:
        """What counts: 0 rows, 1 copies."""
        return 1 if self.given and self.whole else 0

    @property
    def total(self) -> int:
        """Rows that count, copies counted where they are whole."""
        return int(self.total_weight) if self.measure else self.rows


def choose(
    keep: NDArray[np.int64] | None,
    real: NDArray[np.float64] | None,
    rows: int,
    start: int | None,
    weighed: WeightSurvey,
) -> RowSelection:
    """Return how much the rows of a batch count; their weights are added to what was weighed before."""
    if real is not None:
        refuse_no_weights(real, start)
    counted = real if real is None or keep is None else real[keep]
    copies = weighed.add(counted, rows if keep is None else len(keep))
    return RowSelection(rows, keep, copies, start, weighed.whole)


# ---- the column to be predicted: its labels or numbers ----
# Law: labels are canonical texts with a type, the same in any container.

MANY_CLASSES = 100  # whole numbers: more than this and more than half of the rows is not a set of classes
FARTHEST = 1e140  # largest absolute response, whose sums of squares stay finite
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
LABEL_NUMBERS = {CellKind.NUMBER, CellKind.INTEGER, CellKind.INEXACT}  # cell kinds of labels that are numbers
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
    order: Any = {"integer": int, "number": float}.get(label_type, str)
    labels = tuple(sorted(found | declared, key=order))
    at = {label: code for code, label in enumerate(labels)}
    into = np.array([at[c] for c in canonical] + [0], dtype=class_type(len(labels)))
    notes: tuple[Note, ...] = ()
    if len(found) < len(canonical):  # a file writes one label in several ways, such as 1 and 1.0
        ways: dict[str, list[str]] = {}
        for text, label in zip(texts.to_pylist(), canonical, strict=True):
            ways.setdefault(label, []).append(text)
        several = [text for way in ways.values() if len(way) > 1 for text in way]
        said = (
            f"target {shown(name)} writes equal labels in several ways; they are one class: {some(several)}."
        )
        notes = (Note("labels-spelt", said, name, len(several)),)
    return Target(name, labels, label_type), into, notes


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
    """Return notes on a class that is alone, on rare classes, on classes that may be one, spelt in two ways,
    and on very many numbers; counts[class], perhaps with more behind them.
    """
    counts = counts[: len(target.labels)]
    if len(target.labels) == 1:
        only = f"has one class ({shown(target.labels[0])})"
        text = f"target {shown(target.name)} {only}: there is nothing to tell apart."
        return (Note("one-class", text, target.name),)
    name, labels, each, notes = target.name, target.labels, counts.tolist(), list[Note]()
    total, least = sum(each), min(filter(None, each), default=2**63 - 1)
    if rare := [label for label, count in zip(labels, each, strict=True) if count == 1]:
        verb = "has one row" if len(rare) == 1 else "have one row each"
        text = f"class{'es' * (len(rare) > 1)} {some(rare)} {verb}: too few to learn from or to judge by."
        notes.append(Note("rare-classes", text, name, len(rare)))
    elif least * UNBALANCED <= total:  # so rare that accuracy says nothing about it
        label = labels[each.index(least)]
        often = 1 - least / total if len(each) == 2 else max(each) / total
        text = (
            f"class {shown(label)} is {least:,} of {total:,} rows, so {often:.4%} are right by always "
            "answering the most frequent class. Judge by balanced accuracy and average precision, not by "
            "accuracy."
        )
        notes.append(Note("imbalance", text, name, least))
    if found := variants(labels, each) if target.type == "text" else []:
        alike = Message(
            f"target {shown(name)} has classes that may be one: {say_variants(found)}. They are learned "
            "and judged as different classes; if they are one, pass ",
            merging(found),
            ".",
        )
        notes.append(Note("labels-alike", alike, name, len(found)))
    if target.type == "integer" and len(labels) > FEW_NUMBERS:  # a quantity perhaps, and not classes
        many = Message(
            f"target {shown(name)} has {len(labels):,} different whole numbers, and each is a class of its "
            "own. Regression? Then use ",
            Argument("RegressionTree"),
            ".",
        )
        notes.append(Note("many-numbers", many, name, len(labels)))
    return tuple(notes)


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
    if isinstance(cells, strings.Distinct):  # texts of a file, already distinct
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

    def add(self, found: TargetCells, chosen: RowSelection) -> None:
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
        became = {spelling: target.label_of(text) for spelling, text in merge.items()}
        target = replace(target, merged=kept(became, target.labels))
        return target, (*notes, *rare_note(target, sizes)), spelt

    def decide_response(self, name: str) -> tuple[Target, tuple[Note, ...]]:
        """Return the target of a regression and its notes."""
        if self.bad is not None:
            raise no_number(name, self.bad)
        if self.infinite[0]:
            raise infinite_response(name, self.infinite[1])
        return Target(name, (), "number"), absent_notes(name, self.absent, self.rows)
