"""Which characters make words, as tables for C: asked of the kernels that count the words of a model.

Knows texts. Law: the exported code finds the words that the model finds, whichever Unicode Python knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tallystick.data.read.words import Vocabulary, match_words

Range = tuple[int, int]
POINTS = (*range(1, 0xD800), *range(0xE000, 0x110000))  # of Unicode, without surrogates


@lru_cache(maxsize=1)
def word_characters() -> tuple[Range, ...]:
    """Return the ranges of letters, digits and the underscore: what stands between x and y in one word."""
    return _ranges(~_found("x{}y", "x"))


@lru_cache(maxsize=1)
def around_sigma() -> tuple[tuple[Range, ...], tuple[Range, ...]]:
    """Return the characters that a capital sigma takes for letters with a case, and those it looks past, as
    it does past the apostrophe: with a cased letter behind it, a sigma is not the last one.
    """
    cased = _found("αΣ'{}", "ασ")
    past = _found("αΣ'{}'α", "ασ") & ~cased
    return _ranges(cased), _ranges(past)


def capitals(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return (capital, small) of the letters beyond ASCII that some word has."""
    known = {c for word in words for c in word if ord(c) >= 128} - {"ς"}
    able = [(point, small) for point, small in _lowered() if small in known]
    return [(point, ord(small)) for point, small in able if _has([chr(point)], small)[0]]


@lru_cache(maxsize=1)
def _lowered() -> list[tuple[int, str]]:
    """Return the characters beyond ASCII that Python writes as another in lower case, and that one."""
    pairs = ((point, chr(point).lower()) for point in POINTS if point >= 128)
    return [(point, small) for point, small in pairs if small != chr(point)]


def _found(pattern: str, word: str) -> NDArray[np.bool_]:
    """Say for every character whether the pattern with it holds a word."""
    return _has([pattern.format(chr(point)) for point in POINTS], word)


def _has(texts: Sequence[str], word: str) -> NDArray[np.bool_]:
    found = match_words(pa.array(texts, pa.large_string()), Vocabulary([word]))
    row = np.repeat(np.arange(len(texts)), np.diff(found.starts))
    return np.bincount(row[found.words == 0], minlength=len(texts)) > 0


def _ranges(wanted: NDArray[np.bool_]) -> tuple[Range, ...]:
    points = np.array(POINTS)[wanted]
    if not len(points):
        return ()
    cuts = np.flatnonzero(np.diff(points) != 1)
    lows, highs = points[np.r_[0, cuts + 1]], points[np.r_[cuts, len(points) - 1]]
    return tuple(zip(lows.tolist(), highs.tolist(), strict=True))
