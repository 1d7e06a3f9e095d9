"""Text tables written in another way: other quotes, quotes behind backslashes, separators of two characters.

Knows texts. Knows nothing of files. Such a text is written anew, as most tables are, before anyone cuts it;
what cannot be told is left as it stands, for those who mend rows.
Law: lines stay lines, and the cells of the new text are those of the old one.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

UNIT = "\x1f"  # separates cells where a separator has several characters
PIECE = 1 << 20  # characters written anew at once, at least
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class TextDialect:
    """How cells are separated and quoted. escape: what stands before a quote in a cell; "": it is doubled."""

    sep: str = ","
    quote: str = '"'
    escape: str = ""

    @property
    def usual(self) -> bool:
        """Is it how most tables are written?"""
        return len(self.sep) == 1 and self.quote == '"' and not self.escape

    @property
    def out(self) -> str:
        """What separates cells once the text is written anew."""
        return self.sep if len(self.sep) == 1 else UNIT

    @cached_property
    def _closed(self) -> re.Pattern[str]:
        """The pattern of a quoted cell."""
        quote, escape = re.escape(self.quote), re.escape(self.escape)
        inside = f"[^{quote}{escape}]|{quote}{quote}" + (f"|{escape}." if escape else "")
        return re.compile(f"{quote}((?:{inside})*+){quote}", re.DOTALL)

    @cached_property
    def _cell(self) -> re.Pattern[str]:
        """The pattern of a cell, quoted (1) or plain (2), and of what ends it (3)."""
        sep = re.escape(self.sep)
        plain = f"(?:(?!{sep})[^\r\n])*"
        return re.compile(rf"(?:{self._closed.pattern}|({plain}))({sep}|\r\n|\n|\r|\Z)", re.DOTALL)

    def rewritten(self, text: str, whole: bool) -> tuple[str, int]:
        """Return rows written anew, and where the rest begins; whole: there is none."""
        parts, at = list[str](), 0
        while at < len(text):
            row, end = self._row(text, at, whole)
            if not whole and (end >= len(text) or text[end - 1] not in "\r\n"):
                break
            parts.append(row)
            at = end
        return "".join(parts), at

    def _row(self, text: str, at: int, whole: bool) -> tuple[str, int]:
        """Return a row written anew and where it ends: at the end, where it may go on."""
        start, cells = at, list[str]()
        while found := self._cell.match(text, at):
            quoted, plain, end = found.groups()
            if quoted is None and plain.startswith(self.quote):
                closed = self._closed.match(text, at)
                if not whole and (closed is None or closed.end() + len(self.sep) > len(text)):
                    return "", len(text)
                break  # a quote that is never closed, or a cell that goes on behind it
            cells.append(self._written(quoted, plain))
            at = found.end()
            if end != self.sep:
                return self.out.join(cells) + end, at
        line = _LINE_END.search(text, start)
        end_at = line.end() if line else len(text)
        return text[start:end_at].replace(self.sep, self.out), end_at

    def _written(self, quoted: str | None, plain: str) -> str:
        if quoted is None and '"' not in plain:
            return plain
        cell = plain if quoted is None else quoted.replace(self.quote * 2, self.quote)
        if self.escape and quoted is not None:
            cell = re.sub(
                re.escape(self.escape) + f"([{re.escape(self.quote + self.escape)}])", r"\1", quoted
            )
        if quoted is not None or cell.startswith('"'):
            return '"' + cell.replace('"', '""') + '"'
        return cell

    def pieces(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield pieces of UTF-8 written anew; bytes that are none are passed on."""
        decoder, held, enough = codecs.getincrementaldecoder("utf-8")("surrogateescape"), "", PIECE
        for piece in pieces:
            held += decoder.decode(piece)
            if len(held) < enough:
                continue
            text, at = self.rewritten(held, False)
            held = held[at:]
            enough = PIECE if at else 2 * len(held)
            yield text.encode("utf-8", "surrogateescape")
        held += decoder.decode(b"", True)
        if held:
            yield self.rewritten(held, True)[0].encode("utf-8", "surrogateescape")
