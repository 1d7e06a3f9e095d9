"""Literals of C: texts, numbers, names, arrays."""

from __future__ import annotations

import math

import pytest

from tallystick.errors import OptionError
from tallystick.export.c import Pool, array, double, identifier, text


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("plain", '"plain"'), ('a"b\\', '"a\\"b\\\\"'), ("??/", '"\\?\\?/"'), ("é\n1", '"\\303\\251\\0121"')],
)
def test_a_text_is_ascii_that_reads_back(given, wanted):
    assert text(given) == wanted


def test_a_nul_is_refused():
    with pytest.raises(OptionError, match="NUL"):
        text("a\0b")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (1, "1.0"),
        (0.1, "0.1"),
        (None, "-INFINITY"),
        (-math.inf, "-INFINITY"),
        (math.inf, "INFINITY"),
        (1e300, "1e+300"),
    ],
)
def test_a_number_reads_back_as_the_same_bits(given, wanted):
    assert double(given) == wanted


def test_an_identifier_is_what_is_left_of_a_name():
    assert [identifier(n) for n in ("income (€)", "a-b", "é", "x1")] == ["INCOME", "A_B", "", "X1"]


def test_equal_lists_are_one_and_an_empty_list_is_nowhere():
    pool = Pool("int", "p")
    assert [pool.add(x) for x in (["1", "2"], ["3"], ["1", "2"], [])] == ["p + 0", "p + 2", "p + 0", "0"]
    assert pool.lines() == ["static const int p[] = {", "    1, 2, 3,", "};"]
    assert Pool("int", "q").lines() == []


def test_an_array_is_never_empty_and_its_lines_are_short():
    assert array("int", "a", []) == ["static const int a[] = {", "    0,", "};"]
    assert max(map(len, array("int", "a", ["1234567"] * 99))) <= 120
