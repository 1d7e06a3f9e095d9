"""Type inference of columns: how numbers and dates are written, the kind of a column, its errors and notes.

- How texts are written, if numbers or dates: `way_written()`. Law: what two ways read as different numbers is
  a question to the user, never a guess.
- The kind, from all values at once. Entry: `judge_numbers()`, `judge_texts()`, which return a `KindVerdict`.
- The column once it is judged: `decide_numbers()`, `decide_levels()`, `decide_out()`, `hints()`.

way = a format of numbers or dates; hint = another kind that may be meant; fold = letter case is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tallystick import kernels
from tallystick.errors import (
    Argument,
    Count,
    DataError,
    Message,
    OptionError,
    counted,
    read_with,
    shown,
    some,
)
from tallystick.io.frames import from_numbers, from_texts
from tallystick.kernels.text import CellKind, Parsed
from tallystick.kernels.text import CellKind as Cell
from tallystick.schema import ABSENT, NUMBER_MARKS, TRUTHS, Column, Kind, Note
from tallystick.table import strings
from tallystick.table.cells import WRITTEN_NUMBERS, among
from tallystick.table.merging import Merged, kept
from tallystick.table.wishes import Asked
from tallystick.text import (
    RANGES,
    SAMPLE,
    WEEKDAY_LEVELS,
    DateWay,
    NumberWay,
    Way,
    Ways,
    informative_parts,
    label_number,
    number_text,
    part_values,
    plain,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


def way_written(
    name: str, texts: Any, marked: NDArray[np.bool_], decimal: str | None, day_first: bool | None
) -> Way | None:
    """Return the way of all texts but those marked; None: they are plain, or no numbers and no dates."""
    if marked.all():
        return None
    texts = texts.filter(from_numbers(~marked)) if marked.any() else texts
    ways = Ways(texts, decimal, day_first).found
    found = [way for way in ways if _reads(texts, way)]
    if len(found) > 1:  # nobody puts a year of two figures first where it may stand last
        found = [way for way in found if not (isinstance(way, DateWay) and way.year_first and way.short)]
    if not found:
        _refuse_centuries(name, texts, ways)
    if len(found) < 2:
        return found[0] if found else None
    example, first, second = shown(texts[0].as_py()), *(shown(_read_as(texts, w)) for w in found[:2])
    if isinstance(found[0], DateWay):
        one, other = read_with("day_first", True), read_with("day_first", False)
    else:
        one, other = (read_with("decimal", way.decimal) for way in found[:2] if isinstance(way, NumberWay))
    raise DataError(
        f"column {shown(name)} holds {example}, which may be {first} or {second}. Say which: ",
        one,
        " or ",
        other,
        "; or keep the texts: ",
        Argument("kinds", {name: "levels"}),
        ".",
    )


def _refuse_centuries(name: str, texts: Any, ways: tuple[Way, ...]) -> None:
    """Refuse dates whose years of two figures may be of this century or of the last."""
    for way in ways:
        if not isinstance(way, DateWay) or not way.short:
            continue
        for text in texts.to_pylist():
            year = plain(from_texts([text]), way)[0].as_py()[:2]
            if "30" <= year <= "69" and _reads(texts, way, century="19"):
                raise DataError(
                    f"column {shown(name)} holds {shown(text)}, whose year may be 19{year} or 20{year}. "
                    "Write years of four figures, or keep the texts: ",
                    Argument("kinds", {name: "levels"}),
                    ".",
                )


def may_be_written(some: Any, marked: NDArray[np.bool_], decimal: str | None, day_first: bool | None) -> bool:
    """May all texts be written in one way, as far as some of them tell? Marks tell nothing."""
    left = some.filter(from_numbers(~marked)) if marked.any() else some
    return not len(left) or bool(Ways(left, decimal, day_first).found)


def read_in(texts: Any, way: Way | None, decimal: str, marks: tuple[str, ...] = ()) -> Parsed:
    """Read texts as numbers or dates, written in a way or plainly."""
    if way is None:
        return strings.numbers(texts, marks, decimal, dates=True)
    return strings.numbers(plain(texts, way), marks, dates=True)


def _reads(texts: Any, way: Way, century: str = "") -> bool:
    """Is every text a number, or a day that there was? century: of years that do not tell it."""
    import pyarrow.compute as pc

    family = (CellKind.DATE,) if way.dated else (*WRITTEN_NUMBERS, CellKind.LEADING_ZEROS)
    texts = plain(texts, way)
    if century:
        texts = pc.replace_substring_regex(texts, "^([3-6][0-9]-)", rf"{century}\1")
    return bool(among(read_in(texts, None, ".").kinds, family).all())


def _read_as(texts: Any, way: Way) -> str:
    text: str = plain(texts[:1], way)[0].as_py()
    return text


# ---- the kind of a column, from all of its values at once ----
# Law: the verdict depends on the multiset of values alone, not on their order or on their type.

MANY_ROWS = 20  # the identifier rule needs this many filled cells
MOST_TRUTHS = 64  # spellings of yes and no in all letter cases, about
INDEX_NAMES = {  # names of columns that number or name the rows, in tables of any size
    *("id", "ids", "day", "example", "row", "no", "nr", "num", "idx", "index", "case", "instance", "record"),
    *("sample", "obs", "observation", "rowname", "rownames", "#"),
}
INDEX_ENDINGS = {"id", "nr", "no", "idx", "index"}  # last word of such a name: customer id, rowNo
NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|#")
NUMBERED = re.compile(r"([^0-9]+)([0-9]{1,9})")  # x1, Day 14
NAMED_ROWS = 3  # rows needed: of two, any column that differs would look like an identifier
NAME_WORDS = 3  # words from which a cell is a text and not the name of a row
RUN_SHARE = 6  # tenths of all whole numbers of the range, each once: row numbers with gaps
NEARLY_ALL = 99  # percent of the cells must be numbers for the others to be taken as missing
FEW_TOKENS = 10  # distinct other texts, at most, for the same
DISTINCT_SHARE = 9  # tenths of the filled cells that differ make an identifier
WHITE = np.isin(np.arange(256), [*b"\t\n\f\r "])  # byte -> is it white space
TEXT_WORDS = 5  # words per distinct value make a text column
TEXT_SHARE = 3  # tenths of the filled cells must differ for it
TEXT_VALUES = 10  # distinct texts, at least, for the same
SEVERAL = 2  # words in every cell, from which levels get the hint that text may be meant
FEW_VALUES = 5  # distinct whole numbers, up to which levels may be meant
OTHER_MARK = {  # by the decimal mark in force
    ".": Message("Write them with a point, or pass ", read_with("decimal", ","), "."),
    ",": Message("Write them with a comma, as the others."),
}
SIGNS = {
    Cell.PERCENT: Message("Remove the percent sign."),
    Cell.CURRENCY: Message("Remove the currency sign."),
    Cell.THOUSANDS: Message("Remove the thousands mark, or write a point for a decimal comma."),
    Cell.OTHER_DECIMAL: OTHER_MARK["."],
}
UNREAD_NUMBERS = (Cell.OTHER_DECIMAL, Cell.THOUSANDS, Cell.PERCENT, Cell.CURRENCY)


@dataclass(frozen=True)
class KindVerdict:
    """A kind, why, and what has to be said about it. `fold`: letter case means nothing."""

    kind: Kind | Literal["numbers", "dates"]
    why: str
    notes: tuple[Note, ...] = ()
    levels: tuple[str, ...] = ()
    fold: bool = False
    way: Way | None = None  # how numbers or dates are written, where it is not plainly
    marks: tuple[str, ...] = ()  # texts among the numbers or dates that count as missing
    hint: str = ""  # another kind that may be meant; said once for all columns


WHOLE, REAL = KindVerdict("numeric", "whole numbers"), KindVerdict("numeric", "real numbers")
FEW_WHOLE = replace(WHOLE, hint="levels")


@dataclass(frozen=True)
class TextFacts:
    """The distinct texts of a column, sorted: counts[text] of rows, kinds[text] as the parser saw them.

    numbers, dates: rows beside these whose texts were read as plain numbers or dates already; not listed.
    """

    texts: Any  # Arrow large_string
    counts: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    total: int
    missing: int
    order: tuple[str, ...] | None = None
    numbers: int = 0
    dates: int = 0

    @property
    def present(self) -> int:
        """Rows with a value."""
        return self.total - self.missing

    def some(self, which: NDArray[np.bool_], limit: int) -> list[str]:
        """Return the first texts of a choice, in the order of their bytes."""
        return [self.texts[int(i)].as_py() for i in np.flatnonzero(which)[:limit]]


class NumberFacts(NamedTuple):
    """What is known of a column of numbers. `run`: whole numbers, each once, that fill their range."""

    total: int
    missing: int
    low: float = float("nan")
    high: float = float("nan")
    whole: bool = True
    binary: bool = False  # no value but 0 and 1
    run: bool = False
    dated: bool = False
    spans: bool = False  # durations
    few: int = 0  # different whole numbers, up to FEW_VALUES; 0: more, or not whole

    @property
    def measured(self) -> bool:
        """Are they amounts of time? Those never number rows and are never truth values."""
        return self.dated or self.spans


# No value in it: notes are stored in model files, which hold nothing of columns left out.
ONE_VALUE = "it has one value in {}"


def out(name: str, why: str, count: int = 0) -> KindVerdict:
    """Return the verdict that a column is left out, with its note."""
    text = Message(f"column {shown(name)} is left out: ", why, ".")
    return KindVerdict("out", why, (Note("column-left-out", text, name, count),))


def one_value(name: str, rows: int) -> KindVerdict:
    """Return the verdict on a column that has one value in all of so many rows."""
    cure = Argument("keep", [name])
    return out(name, Message(ONE_VALUE.format(counted(rows, "row")), " (", cure, " uses it)"), rows)


def identifier(name: str, found: str) -> KindVerdict:
    """Return the verdict on a column that names its rows."""
    cure = Argument("keep", [name])
    return out(name, Message(f"it looks like an identifier ({found}; ", cure, " uses it)"))


def judge_numbers(name: str, facts: NumberFacts, asked: Asked) -> KindVerdict:
    """Return the kind of a column whose every cell is a number or missing."""
    present = facts.total - facts.missing
    if asked.kind == "out":
        return KindVerdict("out", "as asked")
    if asked.kind == "numeric":
        return KindVerdict("numeric", "as asked")
    if asked.kind == "date" and present:
        if not facts.dated:
            raise no_dates(name, f"holds {number_text(facts.low)}")
        return KindVerdict("numeric", "as asked")
    if present == 0:
        return out(name, f"all {facts.total:,} values are missing", facts.total)
    if facts.low == facts.high and facts.missing and not facts.measured:
        return present_or_missing(name, number_text(facts.low), present)
    if facts.low == facts.high and not facts.missing and not asked.keep:
        return one_value(name, present)
    if facts.run and not asked.keep and not facts.measured and is_row_index(name, facts):
        return out(name, "it is a saved row index")
    numbered = facts.run and facts.whole and not facts.measured
    if numbered and not asked.keep and present > 1 and (present >= MANY_ROWS or names_an_index(name)):
        return identifier(name, f"{present:,} whole numbers that number the rows")
    if facts.binary and not facts.measured:
        return KindVerdict("boolean", "no value but 0 and 1", levels=("0", "1"))
    if facts.dated:
        note = Note(
            "dates", f"column {shown(name)} holds dates; they are used as days since 1970-01-01.", name
        )
        return KindVerdict("numeric", "dates, as days since 1970-01-01", (note,))
    if facts.spans:
        note = Note("durations", f"column {shown(name)} holds durations; they are used as seconds.", name)
        return KindVerdict("numeric", "durations, as seconds", (note,))
    if facts.few > 2 and 2 * facts.few <= present:  # of two values, one cut says the same as levels
        return FEW_WHOLE
    return WHOLE if facts.whole else REAL


def no_dates(name: str, found: str) -> DataError:
    """Return the error of a column that is to hold dates and does not."""
    return DataError(
        f"column {shown(name)} should hold dates, but {found}. Correct it, or, if it means missing, pass ",
        Argument("missing", [...]),
        ".",
    )


def present_or_missing(name: str, value: str, present: int, fold: bool = False) -> KindVerdict:
    """Return the verdict on a column of one value and missing cells: being present or missing is its
    information.
    """
    text = f"column {shown(name)} has one value and missing cells; it is used as present or missing."
    note = Note("there-or-missing", text, name, present)
    return KindVerdict("boolean", "one value, or missing", (note,), levels=(ABSENT, value), fold=fold)


def fills_its_range(count: int, low: float, high: float) -> bool:
    """May so many whole numbers between low and high number the rows? Some rows may have gone."""
    size = high - low + 1
    return count <= size and 10 * count >= RUN_SHARE * size


def is_row_index(name: str, facts: NumberFacts) -> bool:
    """Is this the index a frame was saved with?"""
    known = name.startswith(("Unnamed: 0", "column_1")) or name in ("index", "level_0", "__index_level_0__")
    return known and facts.low in (0, 1) and facts.missing == 0


def names_an_index(name: str) -> bool:
    """Is this what people call a column that numbers or names the rows?"""
    words = [word.lower() for word in NAME_WORD.findall(name)]
    return words[-1:] != [] and (words[-1] in INDEX_ENDINGS or " ".join(words) in INDEX_NAMES)


def judge_texts(name: str, facts: TextFacts, asked: Asked) -> KindVerdict:
    """Return the kind of a column of texts: perhaps they are numbers, dates, booleans, names or sentences."""
    if asked.kind == "out":
        return KindVerdict("out", "as asked")
    if asked.kind == "text":
        return KindVerdict("text", "as asked")
    if asked.kind == "numeric":
        dates = bool((facts.kinds == Cell.DATE).any()) or facts.dates > 0
        plain = KindVerdict("dates" if dates else "numbers", "as asked")
        return (not dates and _judge_as_written(name, facts, asked)) or plain
    if asked.kind == "date":
        written = _judge_as_written(name, facts, asked)
        dated = written is not None and written.kind == "dates"
        return written if written is not None and dated else KindVerdict("dates", "as asked")
    if asked.wants_text:
        return _judge_declared(name, facts, asked)
    if facts.present == 0:
        return out(name, f"all {facts.total:,} values are missing", facts.total)
    if facts.order is not None and len(facts.texts) > 1:
        return KindVerdict("ordered", "the column came with an order", levels=facts.order)
    numbers = _judge_as_written(name, facts, asked) or _judge_as_numbers(name, facts)
    if numbers is not None:
        return numbers
    if facts.numbers + facts.dates == 0 and (facts.kinds == Cell.BOOLEAN).all():
        return _judge_boolean(name, facts, asked)
    if facts.numbers + facts.dates == 0 and (pair := _truths(facts)) is not None:
        return KindVerdict("boolean", f"no value but {pair[1]} and {pair[0]}", levels=pair)
    if len(facts.texts) == 1 and facts.numbers + facts.dates == 0:
        if facts.missing and facts.texts[0].as_py() != ABSENT:
            return present_or_missing(name, facts.texts[0].as_py(), facts.present)
        if not asked.keep:
            return one_value(name, facts.present)
    return _judge_words(name, facts, asked)


def _judge_boolean(name: str, facts: TextFacts, asked: Asked) -> KindVerdict:
    said = {text.as_py().lower() for text in facts.texts}
    if len(said) == 1 and facts.missing:
        return present_or_missing(name, said.pop(), facts.present, fold=True)
    if len(said) == 1 and not asked.keep:
        return one_value(name, facts.present)
    return KindVerdict("boolean", "no value but true and false", levels=("false", "true"), fold=True)


def _truths(facts: TextFacts) -> tuple[str, str] | None:
    """Return the words for no and yes, where there are no others and they come in several letter cases."""
    if not 2 < len(facts.texts) <= MOST_TRUTHS:
        return None
    said = {text.as_py().lower() for text in facts.texts}
    return next((pair for pair in TRUTHS if said == set(pair)), None)


def _judge_as_numbers(name: str, facts: TextFacts) -> KindVerdict | None:
    """Return "numbers" or "dates" when all cells are, but for marks that people use and a few other texts."""
    by_kind = kernels.count_classes(facts.kinds, len(Cell), np.ascontiguousarray(facts.counts))
    if by_kind[Cell.LEADING_ZEROS] or by_kind[Cell.INEXACT]:
        return None
    families: tuple[tuple[Literal["numbers", "dates"], tuple[Cell, ...], int], ...] = (
        ("numbers", (Cell.NUMBER, Cell.INTEGER, Cell.INFINITE), facts.numbers),
        ("dates", (Cell.DATE,), facts.dates),
    )
    marked: NDArray[np.bool_] | None = None
    for what, family, before in families:
        inside = among(facts.kinds, family)
        rows = int(by_kind[list(family)].sum()) + before
        if rows == 0:
            continue
        if inside.all():
            return KindVerdict(what, f"all values read as {what}")
        marked = number_marks(facts.texts, facts.kinds) if marked is None else marked
        strange = ~inside & ~marked
        others = facts.present - int(facts.counts[marked].sum())
        if int(strange.sum()) <= FEW_TOKENS and rows * 100 >= NEARLY_ALL * others:
            why, note = f"nearly all values read as {what}", _missing_note(name, what, facts, ~inside)
            return KindVerdict(what, why, (note,), marks=_texts_among(facts, ~inside))
    return None


def _judge_as_written(name: str, facts: TextFacts, asked: Asked) -> KindVerdict | None:
    """Return "numbers" or "dates" when all cells are, written in one way that is not the plain one."""
    known = among(facts.kinds, (Cell.NUMBER, Cell.INTEGER, Cell.INFINITE, Cell.DATE))
    few = number_marks(facts.texts[:SAMPLE], facts.kinds[:SAMPLE])  # there may be many texts, and on disk
    if known.all() or not may_be_written(facts.texts[:SAMPLE], few, asked.mark, asked.day_first):
        return None
    marked = number_marks(facts.texts, facts.kinds)
    if (known | marked).all():
        return None
    way = way_written(name, facts.texts, marked, asked.mark, asked.day_first)
    if way is None:
        return None
    what: Literal["numbers", "dates"] = "dates" if way.dated else "numbers"
    example = shown(facts.some(~marked, 1)[0])
    text = f"column {shown(name)} holds {way.words}, such as {example}: read as {way.into}."
    notes: tuple[Note, ...] = (Note("read-as-written", text, name),)
    if marked.any():
        notes += (_missing_note(name, what, facts, marked),)
    marks = _texts_among(facts, marked)
    return KindVerdict(what, f"{way.words}, such as {example}", notes, way=way, marks=marks)


def _texts_among(facts: TextFacts, which: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(facts.texts.filter(from_numbers(which)).to_pylist())


def number_marks(texts: Any, kinds: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which texts are marks that people use for "no number"; kinds: as the parser saw them."""
    marked: NDArray[np.bool_] = kinds == Cell.OTHER
    if marked.any():
        marked &= _few_marks(tuple(texts.to_pylist())) if len(texts) <= strings.FEW else _are_marks(texts)
    return marked


@lru_cache(maxsize=256)
def _few_marks(texts: tuple[str, ...]) -> NDArray[np.bool_]:
    """Wide tables have the same few levels in many columns. Cached, so never written to."""
    return _are_marks(from_texts(texts))


def _are_marks(texts: Any) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    return np.array(pc.is_in(pc.utf8_lower(texts), _marks()).to_pylist(), bool)


@lru_cache(maxsize=1)
def _marks() -> Any:
    return from_texts(sorted(NUMBER_MARKS))


def _missing_note(name: str, what: str, facts: TextFacts, gone: NDArray[np.bool_]) -> Note:
    """Return what is said of the texts among numbers: each, with how often it comes."""
    places = np.flatnonzero(gone)
    order = sorted(places.tolist(), key=lambda i: (-int(facts.counts[i]), i))
    said = ", ".join(
        f"{shown(facts.texts[i].as_py())} ({int(facts.counts[i]):,})" for i in order[:FEW_TOKENS]
    )
    more = f" and {len(order) - FEW_TOKENS:,} more" if len(order) > FEW_TOKENS else ""
    text = f"column {shown(name)} holds {what}, but for {said}{more}: taken as missing."
    return Note("texts-as-missing", text, name, int(facts.counts[places].sum()))


def _judge_words(name: str, facts: TextFacts, asked: Asked) -> KindVerdict:
    """Return levels, text or out for a column of words."""
    distinct = len(facts.texts)
    if distinct >= TEXT_VALUES and distinct * 10 >= TEXT_SHARE * facts.present:
        words = words_per_text(facts.texts)
        if words >= TEXT_WORDS:
            why = Message(Count(distinct), f" different texts of {words:.0f} words")
            note = Note("read-as-text", f"column {shown(name)} is read as text, word by word ({why}).", name)
            return KindVerdict("text", why, (note,))
    many = facts.present >= MANY_ROWS and distinct * 10 >= DISTINCT_SHARE * facts.present
    if not asked.keep and (many or _names_rows(name, facts, asked.first)):
        return _identifier(name, facts, asked.decimal)
    if facts.numbers + facts.dates:  # the levels are not all known yet; the caller looks again
        return KindVerdict("levels", "")
    levels = tuple(facts.texts.to_pylist())
    # several words in every cell, and as many that differ as in a column of text
    phrases = len(levels) * 10 >= TEXT_SHARE * facts.present and (facts.kinds == Cell.OTHER).all()
    phrases = phrases and all(len(text.split()) >= SEVERAL for text in levels)
    return KindVerdict(
        "levels",
        Message(Count(distinct), " different texts"),
        tuple(_form_notes(name, facts, asked.decimal)),
        levels=levels,
        hint="text" if phrases else "",
    )


def _names_rows(name: str, facts: TextFacts, first: bool) -> bool:
    """Do texts, all different, name the rows? By the column's name, since they are numbered, or as the first
    column; which texts of several words, and no and yes, do not.
    """
    distinct = len(facts.texts)
    if facts.numbers + facts.dates or distinct < max(facts.present, 2) or distinct >= MANY_ROWS:
        return False
    if 10 * facts.present < DISTINCT_SHARE * facts.total:  # most rows have no name
        return False
    if {text.as_py().lower() for text in facts.texts} in map(set, TRUTHS):
        return False
    if names_an_index(name):
        return True
    if distinct < NAMED_ROWS:
        return False
    return (first and words_per_text(facts.texts) < NAME_WORDS) or _are_numbered(facts.texts.to_pylist())


def _are_numbered(texts: list[str]) -> bool:
    """Are these x1, x2, x3?"""
    found = [NUMBERED.fullmatch(text) for text in texts]
    if len({part and part[1].strip() for part in found}) > 1 or found[0] is None:
        return False
    numbers = {int(part[2]) for part in found if part is not None}
    return len(numbers) == len(texts) and fills_its_range(len(texts), min(numbers), max(numbers))


def _identifier(name: str, facts: TextFacts, decimal: str) -> KindVerdict:
    """Leave out a column whose texts nearly all differ; numbers in an unread form are named as such."""
    distinct = len(facts.texts)
    verdict = identifier(name, f"{distinct:,} different values in {facts.present:,} cells")
    if 2 * int(among(facts.kinds, UNREAD_NUMBERS).sum()) < distinct:
        return verdict
    return replace(verdict, notes=(*verdict.notes, *_form_notes(name, facts, decimal, kept=False)))


def words_per_text(texts: Any) -> float:
    """Return the mean number of words, over all texts or some 10,000 evenly among the sorted ones: what white
    space parts, that of ASCII.
    """
    places, words = np.arange(0, len(texts), -(-len(texts) // 10_000)), 0
    for start in range(0, len(places), 100):  # texts may be long, and on disk
        data, ends, _, _ = strings.layout(texts.take(from_numbers(places[start : start + 100])))
        space = WHITE[data[ends[0] : ends[-1]]]
        before = np.empty_like(space)
        before[1:] = space[:-1]
        before[ends[:-1][ends[:-1] < ends[1:]] - ends[0]] = True  # a text begins as behind white space
        words += int(np.count_nonzero(before > space))
    return float(words) / len(places)


def number_cure(text: str) -> Message:
    """Return what to do about a text that should be a number and is not."""
    data, offsets = kernels.join_texts((text,))
    kind = Cell(int(kernels.parse_numbers(data, offsets, None, ()).kinds[0]))
    if kind in SIGNS:
        return SIGNS[kind]
    cure = Argument("missing", [text])
    return Message("Correct it, or, if it stands for missing, pass ", cure, ".")


FORMS = (  # texts that look like numbers but do not count as such: kind, note code, words
    (Cell.LEADING_ZEROS, "leading-zeros", "numbers with leading zeros"),
    (Cell.INEXACT, "large-integers", "whole numbers too large for exact arithmetic"),
    (Cell.OTHER_DECIMAL, "decimal-comma", "numbers with another decimal mark"),
    (Cell.THOUSANDS, "thousands", "numbers with a thousands mark or a decimal comma"),
    (Cell.PERCENT, "percent", "percentages"),
    (Cell.CURRENCY, "currency", "amounts of money"),
)


def _form_notes(name: str, facts: TextFacts, decimal: str, kept: bool = True) -> Iterable[Note]:
    """Yield notes on texts that look like numbers but are not taken for them; kept: as levels."""
    cures = SIGNS | {Cell.OTHER_DECIMAL: OTHER_MARK[decimal]}
    there = set(np.flatnonzero(np.bincount(facts.kinds)).tolist())
    for kind, code, what in FORMS:
        if kind in there:
            found = facts.kinds == kind
            example = shown(facts.some(found, 1)[0])
            done = "; kept as levels." if kept else "."
            cure = (" ", cures[kind]) if kind in cures else ()
            text = Message(f"column {shown(name)} holds {what}, e.g. {example}{done}", *cure)
            yield Note(code, text, name, int(facts.counts[found].sum()))


def _judge_declared(name: str, facts: TextFacts, asked: Asked) -> KindVerdict:
    """Return levels, ordered or boolean as asked, with the declared levels if any."""
    kind, found = asked.kind or "levels", facts.texts.to_pylist()
    if asked.levels is not None and among(facts.kinds, (Cell.NUMBER, Cell.INTEGER)).all():
        asked = replace(asked, levels=tuple(label_number(text) or text for text in asked.levels))
    if kind == "boolean" and asked.levels is None and (facts.kinds == Cell.BOOLEAN).all():
        return KindVerdict("boolean", "as asked", levels=("false", "true"), fold=True)
    if asked.levels is None:
        levels = _natural_order(name, facts, found) if kind == "ordered" else tuple(found)
    else:
        levels = asked.levels if kind == "ordered" else tuple(sorted(asked.levels))
        _refuse_strange(name, sorted(set(found) - set(levels)))
    if kind == "boolean" and len(levels) != 2:
        raise DataError(
            f"column {shown(name)} should be boolean, but has {len(levels)} values: {some(levels)}."
        )
    return KindVerdict(kind, "as asked", levels=levels)  # type: ignore[arg-type]


def _natural_order(name: str, facts: TextFacts, found: list[str]) -> tuple[str, ...]:
    """Return levels in the order the column brought, or of their numbers."""
    if facts.order is not None:
        return facts.order
    if among(facts.kinds, (Cell.NUMBER, Cell.INTEGER)).all():
        return tuple(sorted(found, key=float))
    raise OptionError(
        f"column {shown(name)} should be ordered, but its order is not known. Pass ",
        Argument("levels", {name: [...]}),
        ", lowest first.",
    )


def _refuse_strange(name: str, strange: list[str]) -> None:
    if strange:
        raise DataError(
            f"column {shown(name)} holds {some(strange)}, not among its declared levels. Declare all, ",
            Argument("levels", {name: [...]}),
            ", or say what stands for missing: ",
            Argument("missing", [...]),
            ".",
        )


# ---- the decided column, with errors and notes on its values ----
# Law: it depends on the column's facts and on the user's settings alone.


class Decided(NamedTuple):
    """What a column is, and what has to be said about it."""

    column: Column
    notes: tuple[Note, ...] = ()
    parts: tuple[Column, ...] = ()  # of dates
    hint: str = ""  # another kind that the user may mean


HINTS = {  # by kind, the words for one column and for several
    "text": (
        " has several words in every cell and is",
        " have several words in every cell and are",
        "levels",
    ),
    "levels": (
        " has few different whole numbers and is",
        " have few different whole numbers and are",
        "numbers",
    ),
}


def hints(done: Iterable[Decided]) -> tuple[Note, ...]:
    """Return a note for each other kind that may be meant, which names the columns and what to pass."""
    by_kind: dict[str, list[str]] = {kind: [] for kind in HINTS}
    for found in done:
        if found.hint:
            by_kind[found.hint].append(found.column.name)
    out = []
    for kind, names in by_kind.items():
        if names:
            one, many, read = HINTS[kind]
            column = f"column {shown(names[0])}{one}" if len(names) == 1 else f"columns {some(names)}{many}"
            cure = Argument("kinds", {names[0]: kind})
            text = Message(
                f"{column} read as {read}; if {kind} {'is' if kind == 'text' else 'are'} meant, pass ",
                cure,
                ".",
            )
            out.append(Note("other-kind", text, names[0] if len(names) == 1 else "", len(names)))
    return tuple(out)


def decide_numbers(
    name: str, asked: Asked, facts: NumberFacts, before: KindVerdict, notes: tuple[Note, ...]
) -> Decided:
    """Return what a column of numbers is. before: the verdict that its texts are numbers, if they were texts;
    notes: what was done to the values.
    """
    verdict = judge_numbers(name, facts, asked)
    if verdict.kind == "boolean" and before.way is not None:  # no level is written as the cells are
        verdict = WHOLE
    said = () if before.way is not None and verdict.kind == "numeric" else verdict.notes
    notes = (*before.notes, *notes, *said)
    why = before.why if verdict.kind == "numeric" and before.notes else verdict.why
    if verdict.kind == "out":
        return decide_out(name, asked, replace(verdict, notes=notes), facts.missing)
    known = facts.missing < facts.total and verdict.kind == "numeric"
    marks = before.marks
    if verdict.kind == "numeric":  # where the usual marks among numbers mean missing anyway
        marks = tuple(mark for mark in marks if mark.lower() not in NUMBER_MARKS)
    column = Column(
        name,
        verdict.kind,  # type: ignore[arg-type]
        verdict.levels,
        low=facts.low if known else None,
        high=facts.high if known else None,
        unit="date" if facts.dated else "",
        written="" if before.way is None or verdict.kind != "numeric" else before.way.example,
        missing=0 if ABSENT in verdict.levels else facts.missing,
        declared=asked.declared,
        marks=marks,
        why=why,
    )
    if asked.kind != "date" or not known:
        return Decided(column, notes, hint=verdict.hint if before.way is None else "")
    parts = date_parts(column, facts, asked)
    return Decided(column, (*notes, parts_note(name, parts)), parts)


def date_parts(column: Column, facts: NumberFacts, asked: Asked) -> tuple[Column, ...]:
    """Return what people mean by the dates of a column, as columns."""
    wanted = informative_parts(facts.low, facts.high, facts.whole) if asked.parts is None else asked.parts
    return tuple(_part(column, part, facts) for part in wanted)


def _part(column: Column, part: str, facts: NumberFacts) -> Column:
    shared: dict[str, Any] = {
        "written": column.written,
        "missing": column.missing,
        "declared": True,
        "of": column.name,
        "part": part,
        "marks": column.marks,
        "why": f"the {part} of its dates",
    }
    name = f"{column.name} {part}"
    if part == "weekday":
        return Column(name, "levels", WEEKDAY_LEVELS, **shared)
    if part in RANGES:
        low, high = RANGES[part]
    else:
        low, high = part_values(np.array([facts.low, facts.high]), part).tolist()
    return Column(name, "numeric", low=low, high=high, **shared)


def parts_note(name: str, parts: tuple[Column, ...]) -> Note:
    """Return what a column of dates is used as."""
    also = f", and as {', '.join(shown(c.name) for c in parts)}" if parts else ""
    text = f"column {shown(name)} holds dates; they are used as days since 1970-01-01{also}."
    return Note("dates", text, name)


def decide_out(name: str, asked: Asked, verdict: KindVerdict, missing: int) -> Decided:
    """Return a column that is left out."""
    column = Column(name, "out", missing=missing, declared=asked.kind == "out", why=verdict.why)
    return Decided(column, verdict.notes)


def decide_levels(
    name: str, asked: Asked, verdict: KindVerdict, missing: int, notes: tuple[Note, ...]
) -> Decided:
    """Return a column of levels. notes: what was done to its texts."""
    column = Column(
        name,
        verdict.kind,  # type: ignore[arg-type]
        verdict.levels,
        missing=0 if ABSENT in verdict.levels else missing,
        declared=asked.declared,
        merged=kept(asked.merge, verdict.levels),
        why=verdict.why,
    )
    return Decided(column, (*notes, *verdict.notes), hint=verdict.hint)


def infinite_note(name: str, count: int) -> Note:
    """Return what is said where infinite values are allowed."""
    return Note(
        "infinite-as-missing", f"column {shown(name)}: infinite values count as missing.", name, count
    )


def infinite_cells(name: str, count: int, rows: list[int]) -> DataError:
    """Return the error of infinite values; rows: the first of them, none where rows have no numbers."""
    listed = ", ".join(f"{row + 1:,}" for row in rows)
    where = f" (row {listed}{', …' * (count > len(rows))})" if rows else ""
    return DataError(
        f"column {shown(name)} holds {count:,} infinite value{'s' * (count > 1)}{where}. "
        "Make them missing (NaN), or pass ",
        read_with("inf", "missing"),
        ".",
    )


def unreadable_cells(name: str, asked: Asked, count: int, row: int, example: str) -> DataError:
    """Return the error of cells that are to be numbers and are none; row: of the example, -1 if unknown."""
    where = f" in row {row + 1:,}" if row >= 0 else ""
    if asked.kind == "date":
        return no_dates(name, f"holds {shown(example)}{where}")
    wrong = "1 cell is not a number" if count == 1 else f"{count:,} cells are not numbers"
    return DataError(
        f"column {shown(name)} should be numeric, but {wrong}, e.g. {shown(example)}{where}. ",
        number_cure(example),
    )


def refuse_numbers(name: str, joined: Merged) -> None:
    """Refuse to merge the texts of a column into numbers: only levels have spellings."""
    if joined.became:
        spelling, (text, _) = min(joined.became.items())
        raise DataError(
            f"column {shown(name)} holds numbers once {shown(spelling)} is merged into {shown(text)}, and "
            f"only words are merged. Write {shown(text)} in the data, or keep the numbers as levels: ",
            Argument("kinds", {name: "levels"}),
            ".",
        )
