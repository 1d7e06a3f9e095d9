"""Every error and warning a user can meet, in one line each, and how names, values and arguments are shown.

Parts: values for messages, entry `shown()`; arguments as data, entry `Argument`, `worded()`; error classes,
base `TallyError`; warnings, entry `warn()`. surface = Python, command line or server, each with its own words
for an argument. A message shows names and values through `shown`: no control character reaches a terminal.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


def shown(value: object, limit: int = 60) -> str:
    """Return a value for a message: text quoted, control and direction characters escaped, long ones cut;
    numbers, True, False and None as they are typed.
    """
    text = _text_of(value)
    if value is None or isinstance(value, bool | int | float):
        return text if len(text) <= limit else text[: limit - 1] + "…"
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return f"'{clean(text)}'"


def clean(text: object) -> str:
    """Return the text with control and direction characters escaped: it cannot move a cursor."""
    plain = str(text)
    if plain.isprintable():
        return plain
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in plain)


def _text_of(value: object) -> str:
    """Return the text of a value; of what cannot be written out, what it is."""
    try:
        return str(value)
    except (
        Exception
    ):  # whole numbers beyond Python's limit, objects that cannot say what they are, nested ones
        if isinstance(value, int):
            return f"a whole number of {value.bit_length() * 3 // 10:,} digits or so"
        return f"<{type(value).__name__}>"


def some(values: Iterable[object], limit: int = 5) -> str:
    """Return up to `limit` values in one line, and how many more there are."""
    listed = list(values)
    text = ", ".join(shown(v) for v in listed[:limit])
    return text + (f" and {len(listed) - limit:,} more" if len(listed) > limit else "")


_EVERY_LINE: ContextVar[bool] = ContextVar("every line", default=False)


def page_limit(most: int) -> int:
    """Return how many lines, or names in a line, a page may have of something: all where every line was asked
    for (`--all`). Nothing that is kept depends on it.
    """
    return sys.maxsize if _EVERY_LINE.get() else most


def show_every_line(wanted: bool) -> None:
    """Say whether pages leave nothing out from here on."""
    _EVERY_LINE.set(wanted)


def with_article(noun: str) -> str:
    """Return `a tree`, `an optimal tree`."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def counted(count: float, thing: str) -> str:
    """Return `1 row`, `1,234 rows`, `2 classes`."""
    return f"{count:,.10g} {thing if count == 1 else thing + ('es' if thing.endswith('s') else 's')}"


LONGEST_NAME = 1000  # characters; longer names are not searched for near spellings, which would take long


def nearest(name: object, names: Sequence[str]) -> str:
    """Return ` Did you mean 'x'?` for the closest known name, or nothing."""
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        return ""
    folded = {known.casefold(): known for known in reversed(names)}
    import difflib

    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    return f" Did you mean {shown(folded[close[0]])}?" if close else ""


IN_COLUMNS = ("keep", "levels", "merge", "missing")  # parameters inside columns=ts.Columns(...)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument that a message names: `columns=ts.Columns(keep=['x'])` in Python, `--keep x` on the command
    line.

    value: what to pass, `...` where only the user knows it; None names the parameter, and no value.
    of: the function that takes it, if it is not the one that was called.
    """

    name: str
    value: Any = None
    of: str = ""

    def __str__(self) -> str:
        """Return the argument as Python takes it."""
        if self.value is None:
            return self.name + self._to
        given = f"{self.name}={_literal(self.value)}"
        inside = self.name in IN_COLUMNS and not self.of
        return (f"columns=ts.Columns({given})" if inside else given) + self._to

    @property
    def _to(self) -> str:
        return f" to {self.of}" if self.of else ""


@dataclass(frozen=True, slots=True)
class Count:
    """A number that a message begins with, and that a surface may put elsewhere: `12 different texts`."""

    value: int

    def __str__(self) -> str:
        return f"{self.value:,}"


def _literal(value: Any) -> str:
    if value is ...:
        return "..."
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, Mapping):
        pairs = ("..." if key is ... else f"{shown(key)}: {_literal(given)}" for key, given in value.items())
        return f"{{{', '.join(pairs)}}}"
    return shown(value) if isinstance(value, str) else str(value)


def read_with(name: str, value: Any) -> Argument:
    """Return an argument of `ts.read`."""
    return Argument(name, value, "ts.read")


class Message(str):
    """A text in Python's words that still holds its arguments and its count as data; made of its parts."""

    parts: tuple[str | Argument | Count, ...]

    def __new__(cls, *parts: str | Argument | Count) -> Message:
        """Join the parts; those of a message among them become parts of this one."""
        message = super().__new__(cls, "".join(map(str, parts)))
        message.parts = tuple(part for given in parts for part in _parts(given))
        return message


def _parts(given: str | Argument | Count) -> tuple[str | Argument | Count, ...]:
    return given.parts if isinstance(given, Message) else (given,)


def worded(text: str, words: Callable[[Argument], str]) -> str:
    """Return a text with each argument that it holds as data in the words of a surface."""
    if not isinstance(text, Message) and "=" in text:
        import ast

        parts: list[str | Argument | Count] = []
        at = 0
        for found in ADVISED.finditer(text):
            try:
                value = ast.literal_eval(found[2] or found[4])
            except (SyntaxError, ValueError):
                continue
            parts += [text[at : found.start()], Argument(found[1] or found[3], value)]
            at = found.end()
        text = Message(*parts, text[at:])
    if not any(isinstance(part, Argument) for part in _parts(text)):
        return text
    return "".join(words(part) if isinstance(part, Argument) else str(part) for part in _parts(text))


_reader: Callable[[Argument], str] = str  # Python's words


@contextlib.contextmanager
def arguments_as(words: Callable[[Argument], str]) -> Iterator[None]:
    """Name arguments in other words to whoever reads what is shown in here: `--keep x` in a shell. Of the
    whole process, as threads answer the pages of the studio.
    """
    global _reader
    before, _reader = _reader, words
    try:
        yield
    finally:
        _reader = before


def for_reader(text: str) -> str:
    """Return a message that is about to be shown, with its arguments in the words of its reader."""
    return text if _reader is str else worded(text, _reader)


ADVISED = re.compile(  # an argument in the note of a model file, which is text
    r"columns=ts\.Columns\((\w+)=(\[.*?\]|\{.*?\})\)|\b(kinds)=(\{.*?\})"
)


def without_count(text: str) -> tuple[str, str]:
    """Return the count that a message begins with, as text, or nothing; and the rest."""
    first, *rest = _parts(text)
    return (str(first), "".join(map(str, rest))) if isinstance(first, Count) else ("", text)


class TallyError(ValueError):
    """The base of all our errors: one line for the user; ValueErrors, as scikit-learn's callers expect.

    Made of a text, or of the parts of one (`Message`).
    """

    def __init__(self, *parts: str | Argument) -> None:
        super().__init__(Message(*parts))

    @property
    def message(self) -> Message:
        """The text, with the arguments that it names as data."""
        return self.args[0]  # type: ignore[no-any-return]


class DataError(TallyError):
    """The rows or columns that came in cannot be used as they are."""


def no_rows(name: str, columns: int) -> DataError:
    """Return the error of a table without rows."""
    there = f"a header ({counted(columns, 'column')}) but no rows" if columns else "no columns and no rows"
    return DataError(f"{name} has {there}.")


def no_whole_row(name: str, damaged: int) -> DataError:
    """Return the error of a table whose every row is damaged."""
    below = "the line below the header is" if damaged == 1 else f"all {damaged:,} lines below the header are"
    return DataError(f"{name} has no row that can be read: {below} damaged. Correct them, or write it anew.")


class TargetError(DataError):
    """The column to be predicted is missing, misspelt, or not fit for classification."""


class ContinuousTarget(TargetError):  # noqa: N818  as NotFitted
    """The column to be predicted holds numbers, not classes."""


class OptionError(TallyError):
    """A parameter has a value that makes no sense."""


class NoColumn(OptionError):  # noqa: N818  as NotFitted
    """An argument names a column that is not in the table."""

    def __init__(self, *parts: str | Argument, name: str = "") -> None:
        super().__init__(*parts)
        self.name = name  # of the column

    def named_by(self, option: str) -> NoColumn:
        """Return the error with the argument that the user gave: another one may have been made of it."""
        return NoColumn(Argument(option), *self.message.parts[1:], name=self.name)  # type: ignore[arg-type]


class NoParameter(OptionError, TypeError):  # noqa: N818  as NotFitted
    """There is no parameter of this name; a TypeError too, as Python's own."""


class NoMethod(OptionError, AttributeError):  # noqa: N818  as NotFitted
    """A kind of model does not have this method; an AttributeError too, so that `hasattr` is False."""


class NoMemory(TallyError, MemoryError):  # noqa: N818  as NotFitted
    """There is not enough memory for the work; a MemoryError too, as Python's own."""


class ModelFileError(TallyError):
    """A model file is damaged, foreign, of another version, or not what it claims to be."""


class TallyWarning(UserWarning):
    """Something was done, but not as one may think: columns were left out, or new rows are not like those of
    the fit.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)


def warn(text: str) -> None:
    """Warn the user, at the line that called us from outside.

    Python shows a text once per line. One that differs from it by numbers alone is not shown again there
    either: a search over folds or columns calls us a thousand times.
    """
    import warnings

    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("tallystick."):
        frame = frame.f_back
    line, known = frame.f_lineno, frame.f_globals.setdefault("__warningregistry__", {})
    sentences = sorted(set(re.sub(r"\d[\d.,]*", "#", text).split(". ")))
    own, alike = (text, TallyWarning, line), (". ".join(sentences), TallyWarning, line)
    if known.get(alike):
        known[own] = True  # where filters changed meanwhile, Python forgets both, and shows it
    where = frame.f_code.co_filename, line, frame.f_globals.get("__name__", "<string>")
    warnings.warn_explicit(text, TallyWarning, *where, registry=known)
    if known.get(own):
        known[alike] = True


class NotFitted(TallyError, AttributeError):  # noqa: N818  not called ...Error: scikit-learn's word
    """A model was asked before it was fitted."""
