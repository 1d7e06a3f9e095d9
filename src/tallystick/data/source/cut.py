"""Text cut into rows and cells in Python: exact, slow, and for cells of any length. For heads and for damage.

Knows separators, quotes and line ends. Knows nothing of files or columns.
Law: the cells are those of Python's csv module, which takes none of more than 131,072 characters, unless the
limit of the whole process is changed; that is not ours to change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE_END = re.compile(r"\r\n|\n|\r")


def cut_rows(text: str, sep: str, spaced: bool = False) -> Iterator[tuple[list[str], int, int]]:
    """Yield the cells of each row, how many lines it takes, and where the next one begins.

    An empty line is a row without cells. spaced: spaces before an opening quote are not part of the cell.
    """
    quoted = _quoted_cell(sep, spaced)
    plain = re.compile(f"[^{re.escape(sep)}\r\n]*")
    at = 0
    while at < len(text):
        found = _LINE_END.search(text, at)
        end, after = found.span() if found else (len(text), len(text))
        if text.find('"', at, end) < 0:
            yield (text[at:end].split(sep) if end > at else []), 1, after
            at = after
            continue
        cells, start, going = list[str](), at, True
        while going:
            cell, at = _one_cell(text, at, quoted, plain)
            cells.append(cell)
            going = text.startswith(sep, at)
            at += going
        end = at
        found = _LINE_END.match(text, at)
        at = found.end() if found else at
        yield cells, 1 + len(_LINE_END.findall(text, start, end)), at


def _quoted_cell(sep: str, spaced: bool) -> re.Pattern[str]:
    """Return the pattern of a quoted cell and what may follow its closing quote, or of one never closed."""
    before = " *" if spaced else ""
    return re.compile(rf'{before}"([^"]*(?:""[^"]*)*+)(?:"([^{re.escape(sep)}\r\n]*)|\Z)')


def _one_cell(text: str, at: int, quoted: re.Pattern[str], plain: re.Pattern[str]) -> tuple[str, int]:
    """Return the cell that begins here, and where it ends."""
    if found := quoted.match(text, at):
        return found[1].replace('""', '"') + (found[2] or ""), found.end()
    bare = plain.match(text, at)
    assert bare is not None  # it may be empty
    return bare[0], bare.end()
