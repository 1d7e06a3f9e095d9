"""Every error a user can meet. Each says what is wrong, what was found, and what to do, in one line.

Knows words only. A message shows names and values through `shown`: nothing hostile reaches a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def shown(value: object, limit: int = 60) -> str:
    """Return a value quoted for a message: control and direction characters escaped, long ones cut."""
    text = str(value)
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return "'" + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text) + "'"


def some(values: Iterable[object], limit: int = 5) -> str:
    """Return up to `limit` values in one line, and how many more there are."""
    listed = list(values)
    text = ", ".join(shown(v) for v in listed[:limit])
    return text + (f" and {len(listed) - limit:,} more" if len(listed) > limit else "")


def counted(count: float, thing: str) -> str:
    """Return `1 row`, `1,234 rows`, `2 classes`."""
    return f"{count:,.10g} {thing if count == 1 else thing + ('es' if thing.endswith('s') else 's')}"


def nearest(name: str, names: Sequence[str]) -> str:
    """Return ` Did you mean 'x'?` for the closest known name, or nothing."""
    folded = {known.casefold(): known for known in reversed(names)}
    import difflib

    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
    return f" Did you mean {shown(folded[close[0]])}?" if close else ""


class TallyError(ValueError):
    """The base of all our errors: one line for the user; ValueErrors, as scikit-learn's callers expect."""


class DataError(TallyError):
    """The rows or columns that came in cannot be used as they are."""


class TargetError(DataError):
    """The column to be predicted is missing, misspelt, or not fit for classification."""


class OptionError(TallyError):
    """A parameter has a value that makes no sense."""


class NoParameter(OptionError, TypeError):  # noqa: N818  as NotFitted
    """There is no parameter of this name; a TypeError too, as Python's own."""


class ModelFileError(TallyError):
    """A model file is damaged, foreign, of another version, or not what it claims to be."""


class DataWarning(UserWarning):
    """New rows were read, but not as they stand: what they hold is not what the model was fitted on."""

    def __init__(self, text: str) -> None:
        super().__init__(text)


class NotFitted(TallyError, AttributeError):  # noqa: N818  the public name design.md gives
    """A model was asked before it was fitted."""
