"""Which part of a file is the table: a sheet of a workbook, a table of a database, a file in an archive.

Knows names only.
Law: one part is taken without a word, one of several never in silence.
"""

from __future__ import annotations

from collections.abc import Sequence

from tallystick.data.schema import Note
from tallystick.errors import DataError, OptionError, nearest, read_with, shown, some


def chosen_part(
    wanted: str | None, every: Sequence[str], filled: Sequence[str], where: str, what: str
) -> tuple[str, tuple[Note, ...]]:
    """Return the part that is wanted, else the only one that holds anything; of several sheets the first,
    with a note: a workbook shows that one when it is opened.
    """
    if wanted is not None:
        if wanted not in every:
            raise OptionError(
                f"{where} has no {what} {shown(wanted)}.{nearest(wanted, every)} It has {some(every)}."
            )
        return wanted, ()
    if not filled:
        raise DataError(f"{where} has no {what} that holds anything. Check how it was written.")
    if len(filled) == 1:
        return filled[0], ()
    if what != "sheet":
        raise DataError(
            f"{where} has {len(filled):,} {what}s: {some(filled)}. Name one: ",
            read_with("table", filled[0]),
            ".",
        )
    text = f"{where} has {len(filled):,} sheets; {shown(filled[0])} is read, not {some(filled[1:])}."
    return filled[0], (Note("first-sheet", text),)
