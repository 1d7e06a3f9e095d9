"""What a working begins with: the title and the table itself.

Knows encoded tables and the parts of a document. Knows no method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tallystick.data.schema import ABSENT, CODED, Column, Note
from tallystick.errors import counted, for_reader
from tallystick.models.tree.sentences import number
from tallystick.working.document import Headline, Listing, Part, Sentence
from tallystick.working.pieces import Line, Quoted, line, said

if TYPE_CHECKING:
    from tallystick.contracts import Table

MOST_SHOWN = 60  # rows of a table that stand on the page
MOST_WHOLE = 300  # rows of a table that is worked out whole
ROUNDED = "Numbers are worked out in full and rounded where they are shown."


def opening(title: str, table: Table, task: Line, notes: Sequence[Note]) -> list[Part]:
    """Return the title, the task for a sheet without answers, and the rows, if they fit on a page, with what
    was done to them.
    """
    parts: list[Part] = [Headline((said(title),), 1), Sentence(task, "question"), Headline(("The table",))]
    if table.rows <= MOST_SHOWN:
        parts.append(rows_of(table))
    else:
        target = said(table.schema.predicted.name)
        columns = counted(len(table.schema.used), "column")
        parts.append(Sentence(line(f"{table.rows:,} rows, {columns} and the target ", target, ".")))
    texts = [for_reader(note.text) for note in notes if note.code != "pruned"]
    parts += [Sentence(line("Note: ", said(text))) for text in texts]
    return [*parts, Sentence((ROUNDED,), "answer")]


def rows_of(table: Table) -> Listing:
    """Return the rows as they were read."""
    schema, block = table.schema, table.slice(0, table.rows)
    columns = [c for c in schema.used if c.kind != "text"]
    cells = [block.codes(c.name) if c.kind in CODED else block.values(c.name) for c in columns]
    texts = [c for c in schema.used if c.kind == "text"]
    labels, classes = schema.predicted.labels, block.classes
    assert classes is not None
    rows = []
    for i in range(table.rows):
        row: list[Line] = [(f"{i + 1}",)]
        row += [(Quoted(cell_text(c, values[i])),) for c, values in zip(columns, cells, strict=True)]
        row += [(Quoted(_text(block, c, i)),) for c in texts]
        rows.append((*row, (said(labels[int(classes[i])]),)))
    names: list[Line] = [(said(c.name),) for c in (*columns, *texts)]
    head = (("row",), *names, (said(schema.predicted.name),))
    right = frozenset({0, *(k for k, c in enumerate(columns, 1) if c.kind == "numeric")})
    return Listing(head, tuple(rows), right=right)


def cell_text(column: Column, cell: Any) -> str:
    """Return the text of an encoded cell."""
    if column.kind in CODED:
        return said(column.levels[int(cell)]).text if int(cell) < len(column.levels) else ABSENT
    return ABSENT if cell != cell else number(float(cell), column)


def _text(block: Any, column: Column, row: int) -> str:
    """Return the words of one cell with their counts, in the order of the vocabulary."""
    starts, words, counts = block.words(column.name)
    at = slice(int(starts[row]), int(starts[row + 1]))
    known = [*column.words, "(other words)"]
    found = zip(words[at].tolist(), counts[at].tolist(), strict=True)
    return ", ".join(said(known[w]).text + (f" ×{n}" if n > 1 else "") for w, n in found) or ABSENT
