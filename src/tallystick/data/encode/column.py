"""One column from cells to codes or values: look, judge, encode. And the same for new cells of a known column.

Knows one column at a time. Knows nothing of the table around it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.data.encode.cells import Numbers, Texts, look_at, number_text, parse
from tallystick.data.encode.codes import code_map
from tallystick.data.encode.infer import Asked, NumberFacts, TextFacts, Verdict, judge_numbers, judge_texts
from tallystick.data.encode.ranks import code_type
from tallystick.data.schema import CODED, Column, Note
from tallystick.errors import DataError, shown
from tallystick.kernels import CellKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tallystick.data.encode.target import Scale


@dataclass(frozen=True)
class Done:
    """A column, decided and encoded."""

    column: Column
    data: Any
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class Job:
    """All that is needed to decide and encode one column."""

    name: str
    cells: Any
    asked: Asked
    scale: Scale

    def run(self) -> Done:
        """Look at the cells, judge the column, encode it."""
        if self.asked.kind == "out":
            return self._out(Verdict("out", "as asked"), 0)
        seen = self._seen()
        if isinstance(seen, Numbers):
            return self._numbers(seen, Verdict("numbers", ""))
        return self._texts(seen)

    def _seen(self) -> Numbers | Texts:
        if isinstance(self.cells, np.ndarray):
            seen: Numbers | Texts = Numbers(self.cells)
        else:
            seen = look_at(self.cells, self.name)
        keep = self.scale.keep
        if isinstance(seen, Numbers):
            values = seen.values if keep is None else seen.values[keep]
            return Numbers(_marked(values, self.asked.marks), seen.dated)
        return seen if keep is None else Texts(seen.codes[keep], seen.texts, seen.order)

    def _out(self, verdict: Verdict, missing: int) -> Done:
        column = Column(self.name, "out", missing=missing, declared=self.asked.kind == "out", why=verdict.why)
        return Done(column, None, verdict.notes)

    def _numbers(self, seen: Numbers, before: Verdict) -> Done:
        values, notes = self._finite(seen.values)
        facts = number_facts(values, self.scale, seen.dated)
        verdict = judge_numbers(self.name, facts, self.asked)
        notes = (*before.notes, *notes, *verdict.notes)
        if verdict.kind == "out":
            return self._out(replace(verdict, notes=notes), facts.missing)
        declared = self.asked.kind is not None or self.asked.levels is not None
        if verdict.kind == "boolean":
            codes = np.where(np.isnan(values), 2, values).astype(np.uint8)
            column = Column(self.name, "boolean", verdict.levels, missing=facts.missing, why=verdict.why)
            return Done(column, codes, notes)
        if verdict.kind == "levels":
            distinct, codes = np.unique(values, return_inverse=True)
            texts = tuple("" if np.isnan(v) else number_text(v) for v in distinct.tolist())
            order = tuple(t for t in texts if t) if self.asked.kind == "ordered" else None
            return self._texts(Texts(codes.astype(np.int32), texts, order))
        low, high = (None, None) if facts.missing == facts.total else (facts.low, facts.high)
        column = Column(
            self.name, "numeric", low=low, high=high, unit="date" if seen.dated else "", missing=facts.missing,
            declared=declared, why=verdict.why,
        )
        return Done(column, values, notes)

    def _finite(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], tuple[Note, ...]]:
        infinite = np.isinf(values)
        if not infinite.any():
            return values, ()
        rows = self.scale.row_numbers(np.flatnonzero(infinite))
        if self.asked.inf != "missing":
            raise DataError(
                f"column {shown(self.name)} holds {len(rows):,} infinite values, first in row {rows[0] + 1:,}. "
                "Pass inf='missing' to count them as missing."
            )
        note = Note("infinite-as-missing", f"column {shown(self.name)}: infinite values count as missing.", self.name, self.scale.count(infinite))
        return np.where(infinite, np.nan, values), (note,)

    def _texts(self, seen: Texts) -> Done:
        values, kinds = parse(seen.texts, self.asked.marks, self.asked.decimal)
        counts = self.scale.counts(seen.codes, len(seen.texts))  # the last entry counts missing
        here = (kinds != CellKind.MISSING) & (counts[:-1] > 0)
        texts = np.array(seen.texts, dtype=object)
        facts = TextFacts(
            tuple(texts[here]), counts[:-1][here], kinds[here], self.scale.total,
            self.scale.total - int(counts[:-1][here].sum()), seen.order,
        )
        verdict = judge_texts(self.name, facts, self.asked)
        if verdict.kind in ("numbers", "dates"):
            return self._as_numbers(seen, values, kinds, verdict)
        if verdict.kind == "out":
            return self._out(verdict, facts.missing)
        if verdict.kind == "text":
            raise DataError(f"column {shown(self.name)} is text; text columns are not read yet.")
        declared = self.asked.kind is not None or self.asked.levels is not None
        lookup = [t.lower() for t in seen.texts] if verdict.kind == "boolean" and not declared else seen.texts
        into = code_map(lookup, verdict.levels)
        column = Column(
            self.name, verdict.kind, verdict.levels, missing=facts.missing, declared=declared, why=verdict.why
        )
        return Done(column, into[seen.codes], verdict.notes)

    def _as_numbers(self, seen: Texts, values: NDArray[np.float64], kinds: NDArray[np.uint8], verdict: Verdict) -> Done:
        wanted = [CellKind.DATE] if verdict.kind == "dates" else [CellKind.NUMBER, CellKind.INTEGER, CellKind.INFINITE]
        if self.asked.kind == "numeric":
            wanted += [CellKind.LEADING_ZEROS, CellKind.INEXACT]
            self._refuse_unreadable(seen, kinds, wanted)
        readable = np.append(np.where(np.isin(kinds, wanted), values, np.nan), np.nan)
        return self._numbers(Numbers(readable[seen.codes], verdict.kind == "dates"), verdict)

    def _refuse_unreadable(self, seen: Texts, kinds: NDArray[np.uint8], wanted: list[CellKind]) -> None:
        bad = np.append(~np.isin(kinds, [*wanted, CellKind.MISSING]), False)[seen.codes]
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            row = self.scale.row_numbers(np.array([at]))[0] + 1
            example = seen.texts[seen.codes[at]]
            raise DataError(
                f"column {shown(self.name)} is to be numeric, but {int(bad.sum()):,} cells are no numbers, "
                f"e.g. {shown(example)} in row {row:,}. Pass missing=[{example!r}]."
            )


def _marked(values: NDArray[np.float64], marks: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the values with -0.0 as 0.0 and those that equal a numeric mark missing."""
    numbers, kinds = parse(marks, (), ".")
    sentinels = numbers[np.isin(kinds, [CellKind.NUMBER, CellKind.INTEGER])]
    negative_zero = (values == 0) & np.signbit(values)
    if negative_zero.any():
        values = np.where(negative_zero, 0.0, values)
    if len(sentinels):
        values = np.where(np.isin(values, sentinels), np.nan, values)
    return values


def number_facts(values: NDArray[np.float64], scale: Scale, dated: bool = False) -> NumberFacts:
    """Return what the judge wants to know of a column of numbers."""
    gone = np.isnan(values)
    missing = scale.count(gone)
    there = values[~gone] if gone.any() else values
    if len(there) == 0:
        return NumberFacts(scale.total, missing, dated=dated)
    low, high = float(there.min()), float(there.max())
    whole = bool((there == np.floor(there)).all())
    binary = low == 0 and high == 1 and whole
    run = whole and scale.total - missing == high - low + 1 and len(np.unique(there)) == high - low + 1
    return NumberFacts(scale.total, missing, low, high, whole, binary, run, dated)


def cut_words(words: Any, start: int, stop: int) -> Any:
    """Return the word counts of some rows."""
    starts, word, count = words
    low, high = starts[start], starts[stop]
    return starts[start : stop + 1] - low, word[low:high], count[low:high]


@dataclass(frozen=True)
class Matcher:
    """New cells of a known column: to its codes or values."""

    column: Column
    marks: tuple[str, ...]
    decimal: str
    lenient: bool
    start: int

    def run(self, cells: Any, rows: int) -> tuple[Any, int, int]:
        """Return data, missing cells, unseen (or unreadable) cells."""
        k = len(self.column.levels)
        coded = self.column.kind in CODED
        if cells is None:
            data: Any = np.full(rows, k, code_type(k + 2)) if coded else np.full(rows, np.nan)
            return data, rows, 0
        seen = Numbers(cells) if isinstance(cells, np.ndarray) else look_at(cells, self.column.name)
        if isinstance(seen, Numbers):
            seen = Numbers(_marked(seen.values, self.marks), seen.dated)
        return self._codes(seen) if coded else self._values(seen)

    def _codes(self, seen: Numbers | Texts) -> tuple[Any, int, int]:
        k = len(self.column.levels)
        if isinstance(seen, Numbers):
            distinct, codes = np.unique(seen.values, return_inverse=True)
            seen = Texts(codes.astype(np.int32), tuple("" if np.isnan(v) else number_text(v) for v in distinct.tolist()))
        values, kinds = parse(seen.texts, self.marks, self.decimal)
        into = code_map(self._aliases(seen.texts, values, kinds), self.column.levels, unseen=k + 1)
        into[:-1][kinds == CellKind.MISSING] = k
        data = into[seen.codes]
        return data, int((data == k).sum()), int((data == k + 1).sum())

    def _aliases(self, texts: tuple[str, ...], values: NDArray[np.float64], kinds: NDArray[np.uint8]) -> list[str]:
        """Return each text as the level it means: "1.0" is "1", TRUE is "true", true is "1" where levels are 0 and 1."""
        levels = set(self.column.levels)
        pair = {"false": self.column.levels[0], "true": self.column.levels[1]} if self.column.kind == "boolean" else {}
        back = {"0": "false", "1": "true"}
        found = []
        for text, value, kind in zip(texts, values.tolist(), kinds.tolist(), strict=True):
            if text not in levels:
                if kind in (CellKind.NUMBER, CellKind.INTEGER):
                    text = number_text(value)
                    text = back.get(text, text) if text not in levels and self.column.kind == "boolean" else text
                elif kind == CellKind.BOOLEAN:
                    text = text.lower() if text.lower() in levels else pair.get(text.lower(), text)
            found.append(text)
        return found

    def _values(self, seen: Numbers | Texts) -> tuple[Any, int, int]:
        bad = 0
        if isinstance(seen, Numbers):
            data = seen.values
        else:
            values, kinds = parse(seen.texts, self.marks, self.decimal)
            wrong = np.append(np.isnan(values) & (kinds != CellKind.MISSING), False)[seen.codes]
            bad = int(wrong.sum())
            if bad and not self.lenient:
                at = int(np.flatnonzero(wrong)[0])
                raise DataError(
                    f"column {shown(self.column.name)} was numeric when the model was fitted, but row "
                    f"{self.start + at + 1:,} holds {shown(seen.texts[seen.codes[at]])}. Correct it, or pass lenient=True."
                )
            data = np.append(values, np.nan)[seen.codes]
        return data, int(np.isnan(data).sum()), bad
