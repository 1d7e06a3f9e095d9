from fractions import Fraction

import pytest

from tallystick.teach.document import Ratio, Value, joined, line, rational, said, superscript, written


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (1.0, "1"),
        (14, "14"),
        (0.9402859586706311, "0.9403"),
        (-0.0001, "−0.0001"),
        (0.00052910, "0.0005291"),
        (3.0121e-5, "3.012·10⁻⁵"),
        (-2.5, "−2.5000"),
        (Fraction(4, 27), "0.1481"),
        (12345.5, "12,345.5000"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
        (float("nan"), "undefined"),
    ],
)
def test_a_number_is_written_as_a_person_does(number, text):
    assert written(number) == text


def test_digits_that_matter_are_kept_of_small_products():
    assert written(0.020571428, significant=5) == "0.020571"
    assert written(0.2048, significant=5) == "0.2048"
    assert written(0.00030121, significant=5) == "0.00030121"
    assert written(1.5e-320, significant=5).endswith("·10⁻³²⁰")


def test_a_fraction_of_counts_is_never_reduced_and_is_a_decimal_only_where_that_is_exact():
    assert Ratio(4, 14).short is None
    assert Ratio(2, 5, True).short == "0.4"
    assert Ratio(2, 6, True).short is None
    assert Ratio(4, 14).value == Fraction(2, 7)


def test_lines_join():
    assert joined([("a",), ("b",)], ", ") == ("a", ", ", "b")
    assert line("a", ("b", "c")) == ("a", "b", "c")
    assert superscript(-12) == "⁻¹²"
    assert Value(0.5).written == "0.5000"


def test_a_name_cannot_move_a_cursor():
    assert "\x1b" not in said("a\x1b[2J").text


def test_a_decimal_of_the_table_is_exact():
    assert rational(0.1) == Fraction(1, 10)
    assert rational(float("nan")) is None
