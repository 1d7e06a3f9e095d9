"""A lesson is data: a question, tables, steps that answer it, what to notice, one thing to change and try.

Knows how a lesson is told, as text and as Markdown. Knows no method: a step is worked out by `ts.work`, or
asks for something in a line of Python.
Law: what a lesson prints under a command or a line of Python is what that command or line prints.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from typing import Any

from tallystick.working import work
from tallystick.working.as_text import flat, text
from tallystick.working.document import Headline, Part

WIDE = 96  # cells of a line of words
LEFT_OUT = "..."  # stands for sections that a lesson does not show

Find = Callable[[str], str]  # the path of a table by its name


def find(name: str) -> str:
    """Return the path of a bundled table."""
    return str(resources.files("tallystick.examples") / name)


@dataclass(frozen=True)
class Worked:
    """The working of a method on a table. only: the sections that are shown, by how their headings begin;
    nothing is all of them. words: said before it.
    """

    table: str
    target: str
    method: str = "id3"
    row: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    words: str = ""

    @property
    def command(self) -> str:
        """The command that prints the whole of it."""
        parts = [f"tally work {self.table} --target {self.target}"]
        parts += [f"--model {self.method}"] if self.method != "id3" else []
        parts += [f"--row {_typed(f'{name}={value}')}" for name, value in self.row.items()]
        for name, value in self.settings.items():
            if name == "kinds":
                parts += [f"--kind {column}={kind}" for column, kind in value.items()]
            elif name == "columns":
                parts += [f"--keep {_typed(column)}" for column in value.keep]
            else:
                parts.append(f"--set {name}={value}")
        return " ".join(parts)

    def printed(self, blank: bool = False) -> str:
        """Return what it prints; sections that are not shown are a line of dots."""
        row = dict(self.row) or None
        found = work(find(self.table), self.target, method=self.method, row=row, blank=blank, **self.settings)
        return cut_short(found.shown, self.only)


@dataclass(frozen=True)
class Typed:
    """Lines of Python, and the function that does what they do. words: said before them."""

    code: str
    answer: Callable[[Find], object]
    words: str = ""

    @property
    def command(self) -> str:
        """The lines as they are typed at Python's prompt."""
        first, *rest = textwrap.dedent(self.code).strip().split("\n")
        lines = [f">>> {first}"]
        lines += [f"... {line}" if line.startswith((" ", ")", "]", "}")) else f">>> {line}" for line in rest]
        return "\n".join(lines)

    def printed(self, blank: bool = False) -> str:
        """Return what they print; nothing on a sheet without answers."""
        return "" if blank else f"{self.answer(find)}\n"


Step = Worked | Typed


def _typed(text: str) -> str:
    return f"'{text}'" if " " in text else text


def cut_short(parts: tuple[Part, ...], only: tuple[str, ...]) -> str:
    """Return the text of the sections whose headings begin so, with all below them; dots stand for others."""
    if not only:
        return text(parts)
    out: list[str] = []
    run: list[Part] = []
    whole = part_of = gap = False  # the section is wanted; the piece below it is; something was left out

    def close() -> None:
        nonlocal run, gap
        if run:
            out.append(f"{LEFT_OUT}\n\n{text(tuple(run))}" if gap else text(tuple(run)))
            run, gap = [], False

    for part in parts:
        if isinstance(part, Headline):
            wanted = flat(part.text).startswith(only)
            whole, part_of = (wanted, wanted) if part.level <= 2 else (whole, whole or wanted)
        if part_of:
            run.append(part)
        else:
            close()
            gap = True
    close()
    return "\n".join(out) + (f"\n{LEFT_OUT}\n" if gap else "")


@dataclass(frozen=True)
class Lesson:
    """One lesson. name: what `tally lesson` calls it. tables: the bundled files it uses. change: what to try,
    with the command that does it. picture: the function of `ts.pictures` that shows the idea, and what it is
    given.
    """

    name: str
    title: str
    question: str
    tables: tuple[str, ...]
    steps: tuple[Step, ...]
    notice: tuple[str, ...]
    change: str
    then: str = ""
    picture: tuple[str, Mapping[str, Any]] | None = None
    pictured: str = ""

    @cached_property
    def printed(self) -> tuple[str, ...]:
        """What each step prints."""
        return tuple(step.printed() for step in self.steps)

    def drawn(self) -> Any:
        """Return the picture of the lesson, or None."""
        if self.picture is None:
            return None
        from tallystick import pictures

        what, given = self.picture
        more = dict(given)
        args = [find(more.pop("table"))] if "table" in more else []
        return getattr(pictures, what)(*args, **more)

    def text(self, blank: bool = False) -> str:
        """Return the lesson as text; blank: a sheet to be filled in."""
        out = [self.title, "=" * len(self.title), "", *wrapped(self.question), ""]
        for step, printed in zip(self.steps, self._prints(blank), strict=True):
            out += [*wrapped(step.words), ""] if step.words else []
            out += [f"$ {step.command}" if isinstance(step, Worked) else step.command, ""]
            out += [*printed.rstrip("\n").split("\n"), ""] if printed else []
        if not blank:
            out += ["What to notice", "--------------", ""]
            out += [line for words in self.notice for line in wrapped(words, "- ")]
            out.append("")
        out += ["Change one thing and try", "------------------------", "", *wrapped(self.change)]
        out += ["", f"$ {self.then}"] if self.then else []
        return "\n".join(out) + "\n"

    def markdown(self) -> str:
        """Return the lesson as a page of Markdown: what is printed stands under its command."""
        out = [f"# {self.title}", "", self.question, ""]
        for step, printed in zip(self.steps, self.printed, strict=True):
            out += [step.words, ""] if step.words else []
            if isinstance(step, Worked):
                out += ["```console", f"$ {step.command}", printed.rstrip("\n"), "```", ""]
            else:
                out += ["```pycon", step.command, printed.rstrip("\n"), "", "```", ""]
        out += ["## What to notice", "", *(f"- {words}" for words in self.notice), ""]
        out += ["## Change one thing and try", "", self.change]
        out += ["", "```sh", self.then, "```"] if self.then else []
        return "\n".join(out) + "\n"

    def _prints(self, blank: bool) -> tuple[str, ...]:
        return tuple(step.printed(True) for step in self.steps) if blank else self.printed

    def to_dict(self) -> dict[str, Any]:
        """Return the lesson as plain data."""
        steps = [
            {"command": step.command, "printed": printed, "words": step.words}
            for step, printed in zip(self.steps, self.printed, strict=True)
        ]
        return {
            "change": self.change,
            "name": self.name,
            "notice": list(self.notice),
            "question": self.question,
            "steps": steps,
            "tables": list(self.tables),
            "then": self.then,
            "title": self.title,
        }

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__


def wrapped(words: str, first: str = "") -> list[str]:
    """Return words in lines of at most WIDE cells; further lines stand under the first."""
    return textwrap.wrap(words, WIDE, initial_indent=first, subsequent_indent=" " * len(first)) or [""]
