"""What a column is, decided from all of its values at once.

Knows distinct texts with counts, and a few facts about numbers. Knows nothing of rows, files or containers.
Law: the verdict depends on the multiset of values alone, not on their order or on the type that held them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tallystick.data.schema import KINDS, MISSING_MARKS, Kind, Note, Reading, Wishes
from tallystick.kernels import CellKind as Cell
from tallystick.data.source.frames import cell_text
from tallystick.errors import DataError, OptionError, nearest, shown, some

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANY_ROWS = 20  # the identifier rule needs this many rows
NEARLY_ALL = 0.99  # of the cells must be numbers for the others to be taken as missing
FEW_TOKENS = 10  # other texts at most, for the same
DISTINCT_SHARE = 0.9  # of distinct values make an identifier
TEXT_WORDS = 5  # words per distinct value make a text column
TEXT_SHARE = 0.3  # of the rows must differ
TEXT_VALUES = 10


@dataclass(frozen=True)
class Asked:
    """What the user said about one column."""

    kind: str | None = None
    levels: tuple[str, ...] | None = None
    keep: bool = False
    marks: tuple[str, ...] = MISSING_MARKS
    decimal: str = "."
    inf: str = "error"


@dataclass(frozen=True)
class Verdict:
    """A kind, why, and what has to be said about it. `dropped`: texts that count as missing from now on."""

    kind: Kind | Literal["numbers", "dates"]
    why: str
    notes: tuple[Note, ...] = ()
    levels: tuple[str, ...] = ()
    dropped: frozenset[str] = frozenset()


@dataclass(frozen=True)
class TextFacts:
    """The distinct texts of a column: counts[text] of rows, kinds[text] as the parser saw them; total rows."""

    texts: tuple[str, ...]
    counts: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    total: int
    missing: int
    order: tuple[str, ...] | None = None


@dataclass(frozen=True)
class NumberFacts:
    """What is known of a column of numbers. `run`: whole numbers without a gap or a repeat."""

    total: int
    missing: int
    low: float = float("nan")
    high: float = float("nan")
    whole: bool = True
    binary: bool = False  # no value but 0 and 1
    run: bool = False
    dated: bool = False


@dataclass(frozen=True)
class Plan:
    """The wishes, checked against the names of a table."""

    kinds: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    keep: frozenset[str] = frozenset()
    marks: tuple[str, ...] = MISSING_MARKS
    decimal: str = "."
    inf: str = "error"

    def of(self, name: str) -> Asked:
        """Return what was said about one column."""
        return Asked(self.kinds.get(name), self.levels.get(name), name in self.keep, self.marks, self.decimal, self.inf)


def check_wishes(wishes: Wishes, names: Iterable[str], reading: Reading, inf: str) -> Plan:
    """Return the wishes as a plan; a wish for an unknown column or kind is an error."""
    known = list(names)
    for option, asked in (("kinds", wishes.kinds), ("levels", wishes.levels), ("keep", wishes.keep)):
        for name in asked:
            if name not in known:
                raise OptionError(f"{option} names column {shown(name)}, which is not there.{nearest(str(name), known)}")
    for name, kind in wishes.kinds.items():
        if kind not in KINDS:
            raise OptionError(
                f"kinds gives column {shown(name)} the kind {shown(kind)}. Use one of: {', '.join(KINDS)}."
            )
    marks = wishes.missing if wishes.missing is not None else reading.missing
    levels = {name: _level_texts(name, values) for name, values in wishes.levels.items()}
    return Plan(
        dict(wishes.kinds),
        levels,
        frozenset(wishes.keep),
        MISSING_MARKS if marks is None else tuple(sorted({"", *map(_mark_text, marks)})),
        reading.decimal,
        "missing" if "missing" in (inf, reading.inf) else "error",
    )


def _mark_text(mark: Any) -> str:
    return cell_text(mark, "missing") or ""


def _level_texts(name: str, values: Iterable[Any]) -> tuple[str, ...]:
    texts = [cell_text(value, name) for value in values]
    if None in texts or len(set(texts)) != len(texts) or not texts:
        raise OptionError(f"levels of column {shown(name)} must be different values, none missing: {some(texts)}.")
    return tuple(t.strip() for t in texts if t is not None)


def out(name: str, why: str, count: int = 0) -> Verdict:
    """Return the verdict that a column is left out, with its note."""
    return Verdict("out", why, (Note("column-left-out", f"column {shown(name)} is left out: {why}.", name, count),))


def judge_numbers(name: str, facts: NumberFacts, asked: Asked) -> Verdict:
    """Return the kind of a column whose every cell is a number or missing."""
    present = facts.total - facts.missing
    if asked.kind == "out":
        return Verdict("out", "as asked")
    if asked.kind in ("levels", "ordered", "boolean", "text") or (asked.levels and asked.kind is None):
        return Verdict("levels", "as asked")  # the texts of the numbers are judged instead
    if asked.kind == "numeric":
        return Verdict("numeric", "as asked")
    if present == 0:
        return out(name, f"all {facts.total:,} values are missing", facts.total)
    if facts.low == facts.high and not asked.keep:
        return out(name, f"it has one value ({shown(_plain(facts.low))}) in {present:,} rows", present)
    if facts.run and not asked.keep and not facts.dated and is_row_index(name, facts):
        return out(name, "it is a saved row index")
    if facts.run and facts.whole and not asked.keep and not facts.dated and present >= MANY_ROWS:
        return out(name, f"it looks like an identifier ({present:,} whole numbers without a gap; keep={name!r} uses it)")
    if facts.binary:
        return Verdict("boolean", "no value but 0 and 1", levels=("0", "1"))
    if facts.dated:
        note = Note("dates", f"column {shown(name)} holds dates; they are used as days since 1970-01-01.", name)
        return Verdict("numeric", "dates, as days since 1970-01-01", (note,))
    return Verdict("numeric", "whole numbers" if facts.whole else "real numbers")


def is_row_index(name: str, facts: NumberFacts) -> bool:
    """Is this the index a frame was saved with?"""
    known = name.startswith(("Unnamed: 0", "column_1")) or name in ("index", "level_0", "__index_level_0__")
    return known and facts.low in (0, 1) and facts.missing == 0


def _plain(value: float) -> str:
    return cell_text(value, "") or "missing"


def judge_texts(name: str, facts: TextFacts, asked: Asked) -> Verdict:
    """Return the kind of a column of texts: perhaps they are numbers, dates, booleans, names or sentences."""
    if asked.kind == "out":
        return Verdict("out", "as asked")
    if asked.kind in ("levels", "ordered", "boolean") or (asked.levels and asked.kind in (None, "levels", "ordered")):
        return _judge_declared(name, facts, asked)
    if asked.kind == "text":
        return Verdict("text", "as asked")
    if asked.kind == "numeric":
        return Verdict("numbers", "as asked")
    if not facts.texts:
        return out(name, f"all {facts.total:,} values are missing", facts.total)
    if facts.order is not None:
        return Verdict("ordered", "the column came with an order", levels=facts.order)
    numbers = _judge_as_numbers(name, facts)
    if numbers is not None:
        return numbers
    if len(facts.texts) == 1 and not asked.keep:
        present = facts.total - facts.missing
        return out(name, f"it has one value ({shown(facts.texts[0])}) in {present:,} rows", present)
    if (facts.kinds == Cell.BOOLEAN).all():
        return Verdict("boolean", "no value but true and false", levels=("false", "true"))
    return _judge_words(name, facts, asked)


def _judge_as_numbers(name: str, facts: TextFacts) -> Verdict | None:
    """Return "numbers" or "dates" when nearly all cells are; the rule for the few others is in the note."""
    by_kind = np.bincount(facts.kinds, weights=facts.counts, minlength=len(Cell))
    present = facts.total - facts.missing
    if by_kind[Cell.LEADING_ZEROS] or by_kind[Cell.INEXACT]:
        return None
    families: tuple[tuple[Literal["numbers", "dates"], tuple[Cell, ...]], ...] = (
        ("numbers", (Cell.NUMBER, Cell.INTEGER, Cell.INFINITE)),
        ("dates", (Cell.DATE,)),
    )
    for what, family in families:
        inside = np.isin(facts.kinds, family)
        if not inside.any() or sum(by_kind[k] for k in family) < NEARLY_ALL * present:
            continue
        others = [facts.texts[i] for i in np.flatnonzero(~inside)]
        if not others:
            return Verdict(what, f"all values read as {what}")
        if len(others) <= FEW_TOKENS:
            cells = int(facts.counts[~inside].sum())
            text = f"column {shown(name)} holds {what}, but for {some(sorted(others), FEW_TOKENS)}: taken as missing."
            note = Note("texts-as-missing", text, name, cells)
            return Verdict(what, f"nearly all values read as {what}", (note,), dropped=frozenset(others))
    return None


def _judge_words(name: str, facts: TextFacts, asked: Asked) -> Verdict:
    """Return levels, text or out for a column of words."""
    distinct, notes = len(facts.texts), list(_form_notes(name, facts))
    if distinct >= max(TEXT_VALUES, TEXT_SHARE * facts.total):
        words = sum(len(text.split()) for text in facts.texts)
        if words >= TEXT_WORDS * distinct:
            why = f"{distinct:,} different texts of {words / distinct:.0f} words"
            note = Note("read-as-text", f"column {shown(name)} is read as text, word by word ({why}).", name)
            return Verdict("text", why, (note,))
    if facts.total >= MANY_ROWS and distinct >= DISTINCT_SHARE * facts.total and not asked.keep:
        why = f"it looks like an identifier ({distinct:,} different values in {facts.total:,} rows; keep={name!r} uses it)"
        return out(name, why)
    return Verdict("levels", f"{distinct:,} different texts", tuple(notes), levels=tuple(sorted(facts.texts)))


def _form_notes(name: str, facts: TextFacts) -> Iterable[Note]:
    """Yield notes on texts that look like numbers but are not taken for them."""
    forms = (
        (Cell.LEADING_ZEROS, "leading-zeros", "holds numbers with leading zeros, e.g. {}; they are kept as levels."),
        (Cell.INEXACT, "large-integers", "holds whole numbers too large for exact arithmetic, e.g. {}; kept as levels."),
        (Cell.OTHER_DECIMAL, "decimal-comma", "holds numbers with another decimal mark, e.g. {}: pass decimal=','."),
        (Cell.THOUSANDS, "thousands", "holds numbers with a thousands mark or a decimal comma, e.g. {}; not guessed."),
        (Cell.PERCENT, "percent", "holds percentages, e.g. {}; they are kept as levels. Remove the sign to use numbers."),
        (Cell.CURRENCY, "currency", "holds amounts of money, e.g. {}; kept as levels. Remove the sign to use numbers."),
    )
    for kind, code, text in forms:
        found = facts.kinds == kind
        if found.any():
            example = min(facts.texts[i] for i in np.flatnonzero(found))
            told = f"column {shown(name)} " + text.format(shown(example))
            yield Note(code, told, name, int(facts.counts[found].sum()))


def _judge_declared(name: str, facts: TextFacts, asked: Asked) -> Verdict:
    """Return levels, ordered or boolean as asked, with the declared levels if any."""
    kind = asked.kind or "levels"
    if asked.levels is None:
        if kind == "ordered" and facts.order is None:
            raise OptionError(f"column {shown(name)} is to be ordered, but no order is known. Pass levels={{{name!r}: [...]}}.")
        levels = facts.order if kind == "ordered" and facts.order else tuple(sorted(facts.texts))
    else:
        strange = sorted(set(facts.texts) - set(asked.levels))
        if strange:
            raise DataError(
                f"column {shown(name)} holds {some(strange)}, which the declared levels do not list. "
                f"Add to levels={{{name!r}: [...]}}, or name as missing=[...]."
            )
        levels = asked.levels if kind == "ordered" else tuple(sorted(asked.levels))
    if kind == "boolean" and len(levels) != 2:
        raise DataError(f"column {shown(name)} is to be boolean, but has {len(levels)} values: {some(levels)}.")
    return Verdict(kind, "as asked", levels=levels)  # type: ignore[arg-type]
