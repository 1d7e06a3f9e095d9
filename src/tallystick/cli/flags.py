"""Messages in the words of the command line: what Python writes kinds={'x': 'out'} is --kind x=out here.

Knows which flag stands for an argument. Knows nothing of what messages are about.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tallystick.cli.wishes import FLAGS as WISHES
from tallystick.data.merge import typed_merges
from tallystick.data.schema import Note
from tallystick.errors import Argument, shown, worded

if TYPE_CHECKING:
    from tallystick.evaluate.checks import Check

FLAGS = {  # flags that take a value, by the name of the argument
    "bad_rows": "--bad-rows",
    "by": "--by",
    "decimal": "--decimal",
    "encoding": "--encoding",
    "groups": "--groups",
    "inf": "--inf",
    "keep": "--keep",
    "kinds": "--kind",
    "levels": "--levels",
    "memory": "--memory",
    "merge": "--merge",
    "missing": "--missing",
    "missing_columns": "--missing-columns",
    "repeats": "--repeats",
    "sep": "--sep",
    "table": "--table",
    "time": "--time",
    **WISHES,
}
SWITCHES = {
    ("day_first", True): "--day-first",
    ("day_first", False): "--month-first",
    ("header", True): "--header",
    ("header", False): "--no-header",
    ("lenient", True): "--lenient",
    ("strict", True): "--strict",
    ("unpack", True): "--unpack",
    ("RegressionTree", None): "tally fit --regression",
}
HOLDERS = {"encoding": "NAME", "kinds": "NAME=KIND", "missing": "MARK"}  # where only the user knows the value


def flag(given: Argument) -> str:
    """Return an argument as it is typed in a shell."""
    name, value = given.name, given.value
    if not isinstance(value, list | dict) and (name, value) in SWITCHES:
        return SWITCHES[name, value]
    if name not in FLAGS:
        return f"--set {name}" + ("" if value is None else f"={str(value).lower()}")
    return FLAGS[name] + ("" if value is None else f" {_typed(name, value)}")


def _typed(name: str, value: Any) -> str:
    if name == "merge":
        return " --merge ".join(shlex.quote(_plain(line)) for line in typed_merges(value))
    if isinstance(value, dict):  # by column; one pair
        ((column, value),) = value.items()
        if value is not ...:
            name = "NAME" if column is ... else _plain(column)
            return shlex.quote(f"{name}={'A,B' if value == [...] else _plain(value)}")
    value = value[0] if isinstance(value, list) else value
    if value is ...:
        return HOLDERS[name]
    return "tab" if value == "\t" else shlex.quote(_plain(value))


def _plain(value: Any) -> str:
    return shown(value)[1:-1]  # nothing hostile, and not too long


def as_flags(text: str) -> str:
    """Return a message with every argument in it named as the flag that stands for it."""
    return worded(text, flag)


def notes_as_flags(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return notes in the words of the command line."""
    return tuple(replace(note, text=as_flags(note.text)) for note in notes)


def checks_as_flags(checks: Iterable[Check]) -> tuple[Check, ...]:
    """Return checks in the words of the command line."""
    return tuple(replace(c, text=as_flags(c.text), advice=as_flags(c.advice)) for c in checks)
