"""Which characters make words, as the kernels find them."""

from __future__ import annotations

import re
import unicodedata

import pytest

from tallystick.export.c import around_sigma, capitals, word_characters

pytestmark = pytest.mark.slow


def within(point: int, ranges) -> bool:
    return any(low <= point <= high for low, high in ranges)


def test_letters_digits_and_the_underscore_make_words():
    known = word_characters()
    some = "aZ_5é日Ω½" + "-'. \u0307\u2028"
    assert [within(ord(c), known) for c in some] == [bool(re.fullmatch(r"\w", c)) for c in some]
    points = range(0x3000)
    wrong = [c for c in points if unicodedata.category(chr(c)) != "Cn" and c != 0x130]
    assert [c for c in wrong if within(c, known) != bool(re.fullmatch(r"\w", chr(c)))] == []


def test_capitals_are_those_of_letters_that_words_have():
    assert capitals(["plain"]) == []
    assert capitals(["été", "straße"]) == [(0xC9, 0xE9), (0x1E9E, 0xDF)]


def test_a_sigma_looks_past_what_has_no_case():
    cased, past = around_sigma()
    assert all(within(ord(c), cased) for c in "aΣéⓐ")
    assert all(within(ord(c), past) for c in "'.\u00ad\u0301")
    assert not any(within(ord(c), cased) or within(ord(c), past) for c in "1 日-")
