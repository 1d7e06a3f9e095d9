"""A working as a document: a few plain kinds of parts, in order. Renderers turn it into text, Markdown,
LaTeX and HTML.

Knows parts and what of them is an answer. Knows no method and no format.
Laws: a part does not know how it is rendered; a sheet without answers holds nothing that was worked out.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from tallystick.errors import OptionError, shown
from tallystick.files.apart import as_path
from tallystick.files.whole import whole_file
from tallystick.working.pieces import Line, Lowered, Over, Piece, Quoted, Raised, Ratio, Root, Value

Role = Literal["told", "answer", "question"]
"""told: on every sheet; answer: left out where answers are; question: only there."""


@dataclass(frozen=True)
class Headline:
    """A heading; level 1 is the title."""

    text: Line
    level: int = 2
    role: Role = "told"


@dataclass(frozen=True)
class Sentence:
    """A sentence or two."""

    text: Line
    role: Role = "told"


@dataclass(frozen=True)
class Formula:
    """left = step = step ...; the steps are what is asked for."""

    left: Line
    steps: tuple[Line, ...]
    role: Role = "told"


@dataclass(frozen=True)
class Listing:
    """A table. asked: the columns whose cells are asked for. right: columns aligned on their right side.
    marked: the row that won, if any.
    """

    head: tuple[Line, ...]
    rows: tuple[tuple[Line, ...], ...]
    asked: frozenset[int] = frozenset()
    right: frozenset[int] = frozenset()
    marked: int | None = None
    role: Role = "told"


@dataclass(frozen=True)
class Drawing:
    """Lines that keep their spaces: a tree, rules."""

    lines: tuple[str, ...]
    role: Role = "answer"


@dataclass(frozen=True)
class Space:
    """Room for an answer by hand, in lines."""

    lines: int = 3
    role: Role = "question"


Part = Headline | Sentence | Formula | Listing | Drawing | Space


def without_answers(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the sheet to be filled in: steps and asked cells empty, answers gone, questions there."""
    return tuple(_emptied(part) for part in parts if part.role != "answer")


def worked_out(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the whole working, without the questions."""
    return tuple(part for part in parts if part.role != "question")


def _emptied(part: Part) -> Part:
    if isinstance(part, Formula):
        return replace(part, steps=())
    if isinstance(part, Listing):
        rows = tuple(
            tuple(() if j in part.asked else cell for j, cell in enumerate(row)) for row in part.rows
        )
        return replace(part, rows=rows, marked=None)
    return part


@dataclass(frozen=True, eq=False)
class Working:
    """The complete worked solution of a small table.

    parts: the document. model: the fitted estimator that it tells of. blank: answers are left out; answers:
    they are appended to the sheet without them.
    """

    parts: tuple[Part, ...]
    model: Any = None
    blank: bool = False
    answers: bool = False

    @property
    def shown(self) -> tuple[Part, ...]:
        """The parts that are rendered: the working, the sheet without answers, or both."""
        if not (self.blank or self.answers):
            return worked_out(self.parts)
        sheet = without_answers(self.parts)
        if not self.answers:
            return sheet
        first, *rest = worked_out(self.parts)
        return (
            *sheet,
            Headline(("Solution",), 1),
            *(rest if isinstance(first, Headline) else (first, *rest)),
        )

    def text(self) -> str:
        """Return the working in plain text."""
        from tallystick.working.as_text import text

        return text(self.shown)

    def markdown(self) -> str:
        """Return the working in Markdown."""
        from tallystick.working.as_markdown import markdown

        return markdown(self.shown)

    def latex(self) -> str:
        """Return the working as a LaTeX document."""
        from tallystick.working.as_latex import latex

        return latex(self.shown)

    def html(self) -> str:
        """Return the working as one HTML page, which opens without a network."""
        from tallystick.working.as_html import page

        return page(self.shown)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the working to a file; its ending says how: .txt, .md, .tex or .html.

        Parameters
        ----------
        path : str or path
            Where to write.
        """
        render = self._renderer(as_path(path))
        with whole_file(path, "working", OptionError) as file:
            file.write(render().encode())

    def _renderer(self, path: str) -> Callable[[], str]:
        ways = {".txt": self.text, ".md": self.markdown, ".tex": self.latex, ".html": self.html}
        ending = os.path.splitext(path)[1].lower()
        if ending not in ways:
            raise OptionError(
                f"a working is written to .txt, .md, .tex or .html, not to {shown(path)}. Name such a file."
            )
        return ways[ending]

    def to_dict(self) -> dict[str, Any]:
        """Return the parts that are shown as plain data; numbers are in full, exact fractions as texts."""
        return {"parts": [_plain_part(part) for part in self.shown]}

    def _repr_html_(self) -> str:
        from tallystick.working.as_html import body

        return body(self.shown)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__


def _plain_part(part: Part) -> dict[str, Any]:
    if isinstance(part, Headline):
        return {"heading": _plain(part.text), "level": part.level}
    if isinstance(part, Sentence):
        return {"sentence": _plain(part.text)}
    if isinstance(part, Formula):
        return {"formula": [_plain(part.left), *map(_plain, part.steps)]}
    if isinstance(part, Listing):
        head = [_plain(cell) for cell in part.head]
        return {
            "table": [head, *([_plain(cell) for cell in row] for row in part.rows)],
            "chosen": part.marked,
        }
    return {"lines": list(part.lines)} if isinstance(part, Drawing) else {"space": part.lines}


def _plain(line: Line) -> list[Any]:
    return [_plain_piece(piece) for piece in line]


def _plain_piece(piece: Piece) -> Any:
    if isinstance(piece, Quoted):
        return piece.text
    if isinstance(piece, Value):
        number = piece.number
        return {"shown": piece.written, "value": str(number) if isinstance(number, Fraction) else number}
    if isinstance(piece, Ratio):
        return {"shown": piece.short or f"{piece.top}/{piece.bottom}", "value": str(piece.value)}
    if isinstance(piece, Over):
        return {"over": [_plain(piece.top), _plain(piece.bottom)]}
    if isinstance(piece, Raised):
        return {"raised": _plain(piece.of)}
    if isinstance(piece, Lowered):
        return {"lowered": _plain(piece.of)}
    return {"root": _plain(piece.of)} if isinstance(piece, Root) else piece
