"""Options as plain Python, whoever made the number."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from tallystick.errors import OptionError
from tallystick.model.file import MOST_CHECKED, checked, is_number, is_whole, make_plain, plain


def test_numbers_flags_and_arrays_of_numpy_become_pythons_also_inside():
    found = plain({np.str_("a"): [np.int64(1), np.float32(0.5)], 2: (np.bool_(True), np.array([1, 2]))})
    assert found == {"a": [1, 0.5], 2: (True, [1, 2])}
    assert type(found["a"][0]) is int
    assert type(found[2][0]) is bool
    assert plain(Fraction(1, 4)) == 0.25
    assert plain(thing := object()) is thing


def test_options_are_made_plain_in_their_place():
    @dataclass(frozen=True)
    class Options:
        l2: object
        name: object

    options = Options(np.float64(0.5), "a")
    make_plain(options, ("l2", "name"))
    assert type(options.l2) is float


def test_options_that_were_found_good_are_given_again_and_others_are_not():
    made = []

    @dataclass(frozen=True)
    class Options:
        value: object

        def __post_init__(self):
            made.append(self.value)
            if self.value == "bad":
                raise OptionError("no")

    same = checked(Options, {"value": 1})
    assert checked(Options, {"value": 1}) is same
    for other in (1.0, True, 0.0, -0.0, "1", None):
        assert repr(checked(Options, {"value": other}).value) == repr(other)
    assert checked(Options, {"value": 10**5000}).value == 10**5000  # more digits than Python writes
    for value in ([1], np.float64(1)):
        assert checked(Options, {"value": value}) is not checked(Options, {"value": value})
    for _ in range(2):
        with pytest.raises(OptionError):
            checked(Options, {"value": "bad"})
    assert made.count("bad") == 2
    for value in range(2, MOST_CHECKED + 3):  # some are forgotten, none is taken for another
        assert checked(Options, {"value": value}).value == value


@pytest.mark.parametrize("value", [1, 0.5, np.float32(2), np.int8(3), float("inf")])
def test_numbers_are_numbers(value):
    assert is_number(value)


@pytest.mark.parametrize("value", [True, np.bool_(False), float("nan"), np.float64("nan"), "1", None, [1]])
def test_flags_nan_and_texts_are_not_numbers(value):
    assert not is_number(value)


def test_whole_numbers_are_integers_and_not_flags():
    assert [is_whole(v) for v in (3, np.uint8(3), 3.0, True, np.bool_(True))] == [
        True,
        True,
        False,
        False,
        False,
    ]
