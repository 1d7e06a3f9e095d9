"""What a person sees: lines with or without colour, JSON, a progress bar on a terminal and silence in a pipe.

Knows terminals. rich is loaded only when there is a terminal to use it on.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TextIO

from tallystick.data.schema import Note
from tallystick.draw.text import Line, Span, clean, cut, folded, plain, width, wrapped
from tallystick.errors import Message, for_reader

STYLES = {
    "": "",
    "strong": "bold",
    "dim": "dim",
    "good": "green",
    "bad": "red",
    "note": "yellow",
    "bar": "cyan",
}

PATIENCE = 0.5  # seconds without a bar

Progress = Callable[..., None]  # (done, total, ...)


def is_terminal(stream: TextIO) -> bool:
    """Say whether a person is reading."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def cells() -> int:
    """Return the width to write for: that of the terminal, within reason; 80 in a pipe."""
    return max(40, min(120, shutil.get_terminal_size((80, 24)).columns))


def show(lines: Iterable[Line], stream: TextIO | None = None) -> None:
    """Print lines, none wider than the screen; styles become colours on a terminal that has them."""
    stream, lines = stream or sys.stdout, [part for line in lines for part in folded(line, cells())]
    if not lines:
        return
    if not is_terminal(stream) or "NO_COLOR" in os.environ:
        print(plain(lines), file=stream)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((span.text, STYLES[span.style]) for span in line)))


def say(text: str, stream: TextIO | None = None) -> None:
    """Print one sentence of ours, user's words in it cleaned by the caller."""
    show([(Span(text),)], stream)


def cleaned(text: str) -> str:
    """Return text of several lines, all but line ends made harmless, sentences in lines that fit."""
    return "\n".join(part for line in text.split("\n") for part in broken(clean(line)))


def broken(line: str) -> list[str]:
    """Return a sentence in lines that fit; so a line of a table, which has wide gaps, with what goes on
    indented.
    """
    if width(line) <= cells():
        return [line]
    if "  " in line.strip():
        return plain(folded((Span(line),), cells())).split("\n")
    return plain(wrapped(line, cells())).split("\n")


def show_json(data: Any, stream: TextIO | None = None) -> None:
    """Print plain data as JSON: ASCII only, so that nothing in it can reach a terminal as a command."""
    print(json.dumps(_read(data), indent=2, allow_nan=False), file=stream or sys.stdout)


def _read(data: Any) -> Any:
    """Return plain data with every message in the words of its reader."""
    if isinstance(data, dict):
        return {name: _read(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_read(value) for value in data]
    return for_reader(data) if isinstance(data, Message) else data


def show_notes(notes: Iterable[Note], heading: str = "notes") -> None:
    """Print notes on stderr, so that they are seen and never mixed with results."""
    listed = list(notes)
    if listed:
        from tallystick.cli.flags import notes_as_flags

        lines: list[Line] = [(Span(heading, "strong"),)]
        for note in notes_as_flags(listed):
            lines += wrapped(clean(note.text), cells(), "  - ", "note")
        show(lines, sys.stderr)


@contextlib.contextmanager
def progress(label: str) -> Iterator[Progress | None]:
    """Give a callback (done, total) that moves a bar on stderr when that is a terminal; None otherwise.

    Work that is done within half a second shows no bar.
    """
    if not is_terminal(sys.stderr):
        yield None
        return
    with contextlib.ExitStack() as stack:
        yield _Bar(label, stack).move


class _Bar:
    """A bar that appears when the work turns out to be long."""

    def __init__(self, label: str, stack: contextlib.ExitStack) -> None:
        self.label, self.stack, self.started = label, stack, time.monotonic()
        self.update: Progress | None = None

    def move(self, done: int, total: int, what: object = "", *_: object) -> None:
        """Show that `done` of `total` is done, and at what the work is, where it says so."""
        if self.update is None and time.monotonic() - self.started > PATIENCE:
            self.update = self._open()
        if self.update is not None:
            told = f"{self.label}: {cut(clean(what), 32)}" if isinstance(what, str) and what else self.label
            self.update(completed=done, total=total or None, description=told)

    def _open(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        # what has passed, not what is left: steps are few and of different lengths
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        bars = self.stack.enter_context(Bar(*columns, console=Console(file=sys.stderr), transient=True))
        task = bars.add_task(self.label, total=None)
        return functools.partial(bars.update, task)
