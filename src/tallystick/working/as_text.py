"""A working as plain text, for terminals and files.

Knows parts and cells of a terminal. Knows nothing of methods. Law: every number of a part is in the text.
"""

from __future__ import annotations

from tallystick.draw.text import Span, plain, table, width, wrapped
from tallystick.working.document import Drawing, Formula, Headline, Listing, Part, Sentence
from tallystick.working.pieces import Line, Lowered, Over, Piece, Quoted, Ratio, Root, Value

WIDE = 100  # cells of a line, where it can be broken
EMPTY = "________"  # what is to be filled in
RULES = {1: "=", 2: "-"}  # under a heading of each level
SIGNS = set(" =+−·/(,")  # a line without these needs no brackets


def text(parts: tuple[Part, ...]) -> str:
    """Return the parts as text that ends with a line end."""
    out: list[str] = []
    before: Part | None = None
    for part in parts:
        if out and not (isinstance(part, Formula) and isinstance(before, Formula)):
            out.append("")
        out += _part(part)
        before = part
    return "\n".join(out) + "\n"


def _part(part: Part) -> list[str]:
    if isinstance(part, Headline):
        words = flat(part.text)
        return [words, RULES[part.level] * width(words)] if part.level in RULES else [f"{words}:"]
    if isinstance(part, Sentence):
        return plain(wrapped(flat(part.text), WIDE)).split("\n")
    if isinstance(part, Formula):
        return formula(part)
    if isinstance(part, Listing):
        return _listing(part)
    return list(part.lines) if isinstance(part, Drawing) else [""] * part.lines


def formula(part: Formula) -> list[str]:
    """Return a formula in one line, or with a line for each step where it is long."""
    steps = [flat(step) for step in part.steps] or [EMPTY]
    left = f"  {flat(part.left)}"
    whole = " = ".join([left, *steps])
    if width(whole) <= WIDE:
        return [whole]
    return [f"{left} = {steps[0]}", *(f"      = {step}" for step in steps[1:])]


def _listing(part: Listing) -> list[str]:
    heads = [flat(cell) for cell in part.head]
    rows = [[Span(flat(cell)) for cell in row] for row in part.rows]
    if part.marked is not None:
        heads = ["", *heads]
        rows = [[Span("→" if k == part.marked else ""), *row] for k, row in enumerate(rows)]
    right = frozenset(j + (part.marked is not None) for j in part.right)
    return ["  " + line for line in plain(table(heads, rows, right, 10_000)).split("\n")]


def flat(line: Line) -> str:
    """Return a line of pieces in one row of characters."""
    return "".join(_flat(piece) for piece in line)


def _flat(piece: Piece) -> str:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, Quoted):
        return piece.text
    if isinstance(piece, Value):
        return piece.written
    if isinstance(piece, Ratio):
        return piece.short or f"{piece.top}/{piece.bottom}"
    if isinstance(piece, Over):
        return f"{_bracketed(piece.top)}/{_bracketed(piece.bottom)}"
    if isinstance(piece, Root):
        return f"√({flat(piece.of)})"
    if isinstance(piece, Lowered):  # R_f1(1,1): a name alone needs no brackets
        return f"_{_bracketed(piece.of)}"
    inner = flat(piece.of)
    return f"^{inner}" if len(inner) == 1 else f"^({inner})"


def _bracketed(line: Line) -> str:
    words = flat(line)
    if len(line) == 1 and isinstance(line[0], Root):
        return words
    return f"({words})" if set(words) & SIGNS else words
