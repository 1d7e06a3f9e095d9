"""The one way in which the texts of a column are written, if they are numbers or dates at all.

Knows distinct texts and what the user said of marks and days. Knows nothing of rows.
Law: what two ways read as different numbers is a question to the user, never a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.data.read import strings
from tallystick.data.read.cells import WRITTEN_NUMBERS, among
from tallystick.data.source.arrays import from_numbers, from_texts
from tallystick.data.written import DateWay, NumberWay, Way, Ways, plain
from tallystick.errors import Argument, DataError, read_with, shown
from tallystick.kernels import CellKind, Parsed

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
