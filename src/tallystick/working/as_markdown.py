"""A working as Markdown. Algebra is written in Unicode, which every reader of Markdown shows.

Knows parts. Knows nothing of methods. Law: text of the user means nothing to Markdown.
"""

from __future__ import annotations

from tallystick.export.rules import cell
from tallystick.working.as_text import EMPTY, flat
from tallystick.working.document import Drawing, Formula, Headline, Listing, Part, Sentence
from tallystick.working.pieces import Line


def markdown(parts: tuple[Part, ...]) -> str:
    """Return the parts as Markdown that ends with a line end."""
    return "\n\n".join("\n".join(_part(part)) for part in parts) + "\n"


def _part(part: Part) -> list[str]:
    if isinstance(part, Headline):
        return [f"{'#' * part.level} {marked(part.text)}"]
    if isinstance(part, Sentence):
        return [marked(part.text)]
    if isinstance(part, Formula):
        steps = [marked(step) for step in part.steps] or [cell(EMPTY)]
        return [f"> {' = '.join([marked(part.left), *steps])}"]
    if isinstance(part, Listing):
        return _listing(part)
    if isinstance(part, Drawing):
        fence = "`" * max(3, 1 + max((_ticks(line) for line in part.lines), default=0))
        return [f"{fence}text", *part.lines, fence]
    return ["<br>"] * part.lines


def _ticks(line: str) -> int:
    """Return the longest run of backticks."""
    return max((len(run) for run in "".join(c if c == "`" else " " for c in line).split()), default=0)


def _listing(part: Listing) -> list[str]:
    sides = ["---:" if j in part.right else "---" for j in range(len(part.head))]
    out = [_row([marked(c) for c in part.head]), _row(sides)]
    for k, row in enumerate(part.rows):
        cells = [marked(c) for c in row]
        out.append(_row([f"**{c}**" if k == part.marked and c else c for c in cells]))
    return out


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def marked(line: Line) -> str:
    """Return a line in which no character means anything to Markdown."""
    return cell(flat(line))
