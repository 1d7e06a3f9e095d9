"""Errors: one line, nothing hostile, and an argument in a message is data."""

from __future__ import annotations

import pytest

from tallystick import errors
from tallystick.errors import Argument, DataError, Message, NoParameter, NotFitted, OptionError, TallyError


def test_a_value_is_quoted_escaped_and_cut():
    assert errors.shown("a\x1b[2J\u202eb") == "'a\\x1b[2J\\u202eb'"
    assert errors.shown("3.5") == "'3.5'"
    assert [errors.shown(v) for v in (3.5, -3, True, None)] == ["3.5", "-3", "True", "None"]
    assert len(errors.shown("x" * 500)) == 62
    assert errors.shown("x" * 60) == "'" + "x" * 60 + "'"


def test_many_values_are_counted():
    assert errors.some("abc") == "'a', 'b', 'c'"
    assert errors.some(range(1_007)) == "0, 1, 2, 3, 4 and 1,002 more"
    assert errors.some([]) == ""


@pytest.mark.parametrize(
    ("count", "thing", "told"),
    [
        (1, "row", "1 row"),
        (0, "row", "0 rows"),
        (1234, "row", "1,234 rows"),
        (2, "class", "2 classes"),
        (1.5, "row", "1.5 rows"),
    ],
)
def test_one_of_a_thing_is_not_several(count, thing, told):
    assert errors.counted(count, thing) == told


def test_the_nearest_name_is_asked_for_whatever_its_case():
    assert errors.nearest("PARTI", ["party", "crime"]) == " Did you mean 'party'?"
    assert errors.nearest("zzz", ["party", "crime"]) == ""
    assert errors.nearest("x", []) == ""


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (Argument("keep", ["a"]), "columns=ts.Columns(keep=['a'])"),
        (Argument("kinds", {"zip": "levels"}), "kinds={'zip': 'levels'}"),
        (Argument("levels", {"size": [...]}), "columns=ts.Columns(levels={'size': [...]})"),
        (Argument("header", False), "header=False"),
        (Argument("missing"), "missing"),
        (errors.read_with("sep", ";"), "sep=';' to ts.read"),
    ],
)
def test_an_argument_is_written_as_python_writes_it(given, told):
    assert str(given) == told


def test_a_message_keeps_its_arguments_through_other_messages():
    inner = Message("pass ", Argument("keep", ["x"]))
    outer = Message("column 'x' is constant; ", inner, ".")
    assert outer == "column 'x' is constant; pass columns=ts.Columns(keep=['x'])."
    assert (
        errors.worded(outer, lambda a: f"--{a.name} {a.value[0]}") == "column 'x' is constant; pass --keep x."
    )
    assert errors.worded("plain", str) == "plain"


def test_errors_are_what_other_callers_expect():
    assert issubclass(TallyError, ValueError)
    assert issubclass(NotFitted, AttributeError)
    assert issubclass(NoParameter, TypeError)
    error = DataError("column ", Argument("keep", ["x"]))
    assert str(error) == error.message == "column columns=ts.Columns(keep=['x'])"
    assert error.message.parts == ("column ", Argument("keep", ["x"]))


def test_every_error_has_a_docstring_and_one_base():
    own = [v for v in vars(errors).values() if isinstance(v, type) and issubclass(v, Exception)]
    assert {OptionError, DataError, NotFitted} <= set(own)
    assert all(v.__doc__ and (issubclass(v, TallyError) or issubclass(v, Warning)) for v in own)


def test_a_count_that_opens_a_message_can_be_put_elsewhere():
    assert errors.without_count(Message(errors.Count(1234), " different texts")) == (
        "1,234",
        " different texts",
    )
    assert errors.without_count("12 different texts") == ("", "12 different texts")


def test_what_cannot_be_written_out_is_shown_as_what_it_is():
    class Rude:
        def __str__(self):
            raise RuntimeError("rude")

    nested = []
    for _ in range(100_000):
        nested = [nested]
    assert errors.shown(10**5000) == "a whole number of 4,983 digits or so"
    assert errors.shown(Rude()) == "'<Rude>'"
    assert errors.shown(nested) == "'<list>'"
    assert errors.nearest(10**5000, ["a"]) == errors.nearest("x" * 10**6, ["a"]) == ""


def test_a_noun_has_its_article():
    assert errors.with_article("tree") == "a tree"
    assert errors.with_article("optimal tree") == "an optimal tree"
