"""Ways of writing numbers and dates: which fit, what each reads, and when two would do."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tallystick.text import CURRENCIES, UNITS, DateWay, NumberWay, Ways, plain, way_of

ONE = [  # texts, the way they are written, as an example; what they are, plainly
    (["-3,10 €", "1.234,50 €", "1.000.000,00 €"], "1.234,5 €", ["-3.10", "1234.50", "1000000.00"]),
    (["$1,234.50", "$12.00", "-$3.10"], "$1,234.5", ["1234.50", "12.00", "-3.10"]),
    (["10.9%", "3 %"], "1234.5%", ["10.9", "3"]),
    (["12 kg", "1,5 kg"], "1234,5 kg", ["12", "1.5"]),
    (["12kg", "3 kg"], "1234.5 kg", ["12", "3"]),
    (["(12)", "7", "(1,234.5)"], "(1,234.5)", ["-12", "7", "-1234.5"]),
    (["1,234", "5,678,901"], "1,234.5", ["1234", "5678901"]),
    (["0,123", "0,5"], "1234,5", ["0.123", "0.5"]),
    (["59.081 €", "1.200 €"], "1.234,5 €", ["59081", "1200"]),  # nobody writes cents with three figures
    (["1 234,5", "12"], "1 234,5", ["1234.5", "12"]),
    (["31.12.2020", "1.2.2021"], "31.12.2020", ["2020-12-31", "2021-02-01"]),
    (["12/31/2020", "1/2/2021 3:05"], "12/31/2020", ["2020-12-31", "2021-01-02 03:05"]),
    (["31-12-2020 10:00:01", "01-02-2021"], "31-12-2020", ["2020-12-31 10:00:01", "2021-02-01"]),
]
ONE += [  # clocks of twelve hours, years of two figures, the year first
    (
        ["12/31/2020 12:05 AM", "1/2/2021 3:05 pm"],
        "12/31/2020 11:59 PM",
        ["2020-12-31 00:05", "2021-01-02 15:05"],
    ),
    (
        ["2021-03-05 12:00 p.m.", "2021-3-6 1:00:05 AM"],
        "2020-12-31 11:59 PM",
        ["2021-03-05 12:00", "2021-03-06 01:00:05"],
    ),
    (["31.12.20", "1.2.99"], "31.12.20", ["2020-12-31", "1999-02-01"]),
    (
        ["12/31/20 11:00 PM", "01/02/70 9:15 am"],
        "12/31/20 11:59 PM",
        ["2020-12-31 23:00", "1970-01-02 09:15"],
    ),
    (["99-12-31", "98-1-2"], "20-12-31", ["1999-12-31", "1998-01-02"]),
    (["2020/12/31", "2021/1/2 3:05"], "2020/12/31", ["2020-12-31", "2021-01-02 03:05"]),
    (["11:59 PM", "12:30 am", "1:15 pm"], "11:59 PM", [str(23 + 59 / 60), "0.5", "13.25"]),
]
NONE = [["00123", "00234"], ["A12", "A13"], ["1.5", "2.5"], ["a", "b"], ["4 doors", "2 doors"]]
NONE += [["5 kg", "3 lb"]]
NONE += [["2020-01-02", "2020-03-04"], ["12 kg", "12"], ["10th", "9th"], ["+49 30 1234", "+49 30 99"]]
TWO = [["1,234", "5,678"], ["(12)", "(1,234)"], ["59.081 kg", "1.200 kg"], ["1/2/2020", "3/4/2021"]]


def texts(given):
    return pa.array(given, pa.large_string())


@pytest.mark.slow
@pytest.mark.parametrize(("given", "example", "read"), ONE)
def test_texts_of_one_way_are_read_in_it(given, example, read):
    for order in (given, given[::-1]):
        (way,) = Ways(texts(order)).found
        assert way.example == example
    assert plain(texts(given), way).to_pylist() == read


@pytest.mark.parametrize("given", NONE)
def test_other_texts_are_written_in_no_way(given):
    assert Ways(texts(given)).found == ()


@pytest.mark.parametrize("given", TWO)
def test_what_two_ways_read_differently_has_two(given):
    assert len(Ways(texts(given)).found) == 2


def test_a_word_of_the_user_leaves_one():
    numbers, days = texts(["1,234", "5,678"]), texts(["1/2/2020", "3/4/2021"])
    assert [w.example for w in Ways(numbers, decimal=",").found] == ["1234,5"]
    assert [w.example for w in Ways(numbers, decimal=".").found] == ["1,234.5"]
    assert [w.example for w in Ways(days, day_first=True).found] == ["31/12/2020"]
    assert [w.example for w in Ways(days, day_first=False).found] == ["12/31/2020"]


def test_an_example_says_all_of_a_way():
    units = ("", *CURRENCIES, *UNITS)
    ways = [NumberWay(after=unit, decimal=mark) for unit in units for mark in ".,"]
    ways += [NumberWay(before=sign, thousands=",", brackets=True) for sign in CURRENCIES]
    ways += [DateWay(mark, first) for mark in "./-" for first in (True, False)]
    for way in ways:
        assert way_of(way.example) == way


@pytest.mark.parametrize("text", ["", "abc", "1234.5 miles", "12/12/2020", "31x12x2020", "9999", "(1234.5"])
def test_what_is_no_example_is_no_way(text):
    assert way_of(text) is None


def test_only_what_is_written_in_a_way_is_changed():
    way = NumberWay(thousands=",", after="kg")
    given = ["1,5 kg", "1,500 kg", "1500", "12 lb", "?", None]
    assert plain(texts(given), way).to_pylist() == ["1,5 kg", "1500", "1500", "12 lb", "?", None]
