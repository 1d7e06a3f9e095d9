"""Shapes: what fits passes, what does not is refused in one line that names its place."""

from __future__ import annotations

import pytest

from tallystick.errors import ModelFileError
from tallystick.model.shapes import (
    Counts,
    Either,
    Flag,
    Listed,
    Maybe,
    Named,
    Number,
    Numbers,
    Record,
    Rows,
    Text,
    Variant,
    Whole,
)

GOOD = [
    (Text(("a", "b")), "a"),
    (Whole(0, 9), 9),
    (Number(0, 1), 0.5),
    (Number(), 7),
    (Flag(), False),
    (Maybe(Whole()), None),
    (Either((Whole(), Text())), "x"),
    (Listed(Whole(), distinct=True), [1, 2]),
    (Counts(), []),
    (Numbers(rising=True), [0, 0.5]),
    (Rows(Counts("k")), [[1, 2], [3, 4]]),
    (Record({"a": Whole()}, {"b": Text()}), {"a": 1}),
    (Named(Whole()), {"any": 1}),
    (Variant("kind", {"x": Record({"kind": Text(), "n": Whole()})}), {"kind": "x", "n": 1}),
]
BAD = [
    (Text(("a", "b")), "c", "must be one of a, b"),
    (Text(test=str.isupper, words="in capitals"), "c", "must be in capitals"),
    (Text(), 1, "must be text, found 1"),
    (Whole(0, 9), 10, "a whole number from 0 to 9, found 10"),
    (Whole(), True, "must be a whole number"),
    (Number(), float("nan"), "a finite number"),
    (Number(), 10**400, "a finite number"),
    (Number(0, 1), 2, "a number from 0 to 1, found 2"),
    (Flag(True), False, "must be true"),
    (Maybe(Whole()), "x", "must be a whole number"),
    (Either((Whole(), Text())), None, "must be text"),
    (Listed(Whole(), least=1), [], "a list of at least 1"),
    (Listed(Whole(), distinct=True), [1, 1], "without repetition"),
    (Counts(), [1, 2.0], r"place\[1\] must be a whole number"),
    (Counts(high=5), [6], "whole numbers from 0 to 5"),
    (Numbers(rising=True), [1, 1], "in rising order"),
    (Rows(Counts("k")), [[1, 2], [3]], r"place\[1\] must be a list of 2 \(k\)"),
    (Record({"a": Whole()}), {}, "lacks the key 'a'"),
    (Record({"a": Whole()}), {"a": 1, "z": 2}, "has the unknown key 'z'"),
    (Record({}), [], "must be an object, found a list of 0"),
    (Named(Whole()), {"x": "y"}, r"place\['x'\] must be a whole number"),
    (Variant("kind", {"x": Record({})}), {"kind": "y"}, r"place\.kind must be one of x"),
]


@pytest.mark.parametrize(("shape", "value"), GOOD, ids=lambda v: type(v).__name__)
def test_what_has_the_shape_passes(shape, value):
    assert shape.check(value, "place", {}) is None


@pytest.mark.parametrize(("shape", "value", "says"), BAD, ids=lambda v: type(v).__name__)
def test_what_has_another_shape_is_refused_in_one_line(shape, value, says):
    with pytest.raises(ModelFileError, match=says) as caught:
        shape.check(value, "place", {})
    assert "\n" not in str(caught.value)


def test_lists_of_one_name_have_one_length():
    sizes = {"classes": 3}
    Counts("classes").check([1, 2, 3], "a", sizes)
    with pytest.raises(ModelFileError, match=r"b must be a list of 3 \(classes\), found a list of 2"):
        Counts("classes").check([1, 2], "b", sizes)


def test_a_long_value_is_not_repeated_in_full():
    with pytest.raises(ModelFileError) as caught:
        Whole().check("x" * 10_000, "place", {})
    assert len(str(caught.value)) < 300
