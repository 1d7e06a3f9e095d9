"""Names in SQL: which of them a database tells apart, what ours are, and what the answers are called.

Knows names and dialects. Law: inside the SELECT every column has a name of ours, numbered, so that no two
meet and none is a word of the database; the table's own names stand in the first part only, after its name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tallystick.errors import OptionError, shown, some
from tallystick.export.sql.dialect import Dialect

LONGEST = 24  # characters of a column's name inside a name of ours


def own_word(names: Sequence[str]) -> str:
    """Return the word that our names begin with and no other name does."""
    word = "tally"
    while any(name.lower().startswith(word) for name in names):
        word += "_"
    return word


def alias(own: str, number: int, name: str) -> str:
    """Return our name for a column, which still tells the reader which one it is."""
    rest = re.sub("[^0-9A-Za-z]+", "_", name)[:LONGEST].strip("_")
    return f"{own}_{number}_{rest}" if rest else f"{own}_{number}"


def refuse_alike(names: Sequence[str], sql: Dialect) -> None:
    """Refuse a model with two columns that a table of this database cannot hold side by side."""
    known: dict[object, str] = {}
    for name in names:
        other = known.setdefault(sql.fold(name), name)
        if other != name:
            raise OptionError(
                f"{sql.title} cannot tell the columns {shown(other)} and {shown(name)} apart. "
                "Rename one of them and fit again, or export to python or js."
            )


def refuse_hidden(names: Sequence[str], sql: Dialect) -> None:
    """Refuse what SQLite takes for the number of a row where the table lacks it, even behind a subquery."""
    for name in names:
        if sql.name == "sqlite" and sql.hides(name):
            raise OptionError(
                f"SQLite takes the column {shown(name)} for the number of a row where the table lacks it. "
                "Rename it and fit again, or export to python or js."
            )


def answer_names(labels: Sequence[object], sql: Dialect) -> list[str]:
    """Return P(label) for each class; those that the database takes for one name get their number."""
    out: list[str] = []
    taken: set[object] = set()
    for number, label in enumerate(labels, 1):
        name = f"P({str(label).lower() if isinstance(label, bool) else label})"
        if sql.name == "bigquery":  # its columns have no brackets in their names
            name = re.sub(r"\W+", "_", name).strip("_")
        if sql.fold(name) in taken:
            name = f"{sql.cut(name, f'_{number}')}_{number}"
        taken.add(sql.fold(name))
        out.append(name)
    return out


def refuse_double(kept: Sequence[str], answers: Sequence[str], sql: Dialect) -> None:
    """Refuse kept columns that share a name with each other or with an answer."""
    known = {sql.fold(name) for name in answers}
    for name in kept:
        if sql.fold(name) in known:
            raise OptionError(
                f"the answer would have two columns called {shown(name)}: it brings {some(answers, 3)}. "
                "Say which columns to keep: keep=['id']."
            )
        known.add(sql.fold(name))
