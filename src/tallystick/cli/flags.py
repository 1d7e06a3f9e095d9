"""Messages in the words of the command line: what Python writes keep=['x'] is --keep x here.

Knows how our messages name an argument. Knows nothing of what they are about. Other text stays as it is.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

_END = r"(?=[\s.,;:)]|$)"  # a quoted value ends before one of these


def _one(found: re.Match[str]) -> str:
    return f"--{found[1].replace('_', '-')} {_typed(found[2])}"


def _pair(found: re.Match[str]) -> str:
    return f"--kind {_typed(f'{found[1]}={found[2]}')}"


def _levels(found: re.Match[str]) -> str:
    return f"--levels {_typed(found[1] + '=A,B')}"


def _typed(value: str) -> str:
    """Return a value as it is typed in a shell; a tab by its name."""
    return "tab" if value == "\\t" else shlex.quote(value)


_WORDS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (rf"\b(sep|encoding|decimal|inf|bad_rows|missing_columns|memory)='(.*?)'{_END}( to ts\.read\b)?", _one),
    (r"\b(keep|missing)=\['(.*?)'\]", _one),
    (rf"\bkinds=\{{'(.*?)': '(.*?)'\}}{_END}", _pair),
    (rf"\blevels=\{{'(.*?)': \[\.\.\.\]\}}{_END}", _levels),
    (r"\bmissing=\[\.\.\.\]", "--missing MARK"),
    (r"\bkinds=\{\.\.\.\}", "--kind NAME=KIND"),
    (r"\bencoding=\.\.\.( to ts\.read\b)?", "--encoding NAME"),
    (r"\bheader=True( to ts\.read)?\b", "--header"),
    (r"\bheader=False( to ts\.read)?\b", "--no-header"),
    (r"\blenient=True\b", "--lenient"),
    (
        r"\buse RegressionTree for numbers\b",
        "for numbers use ts.RegressionTree in Python; tally compare --regression judges it",
    ),
    (r"\bcalibrate=True\b", "--set calibrate=true"),
    (r"^(keep|levels) names column", r"--\1 names column"),
    (r"^kinds (names|gives) column", r"--kind \1 column"),
)


def as_flags(text: str) -> str:
    """Return a message with every argument of ours named as the flag that stands for it."""
    for pattern, words in _WORDS:
        text = re.sub(pattern, words, text)
    return text
