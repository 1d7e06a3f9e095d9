"""What may be a slip: a class spelt in two ways, a number that means missing."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.table.suspicious_values import folded, near, say_variants, sentinels, variants


@pytest.mark.parametrize(
    ("a", "b", "slip"),
    [
        ("yes", "yse", True),
        ("yes", "yess", True),
        ("yes", "yas", True),
        ("yes", "yes", True),
        ("yes", "no", False),
        ("abc", "cba", False),
        ("no", "n", False),  # too short to tell
        ("class1", "class2", False),  # digits mean something
    ],
)
def test_words_are_near_when_one_slip_lies_between_them(a, b, slip):
    assert near(a, b) is slip
    assert near(b, a) is slip


def test_letter_case_and_spaces_are_always_variants_and_letters_only_where_seldom():
    found = variants(["Yes", "yes ", "Yse", "no"], [100, 60, 2, 90])
    assert [pair for pair, _ in found] == [("yes ", "Yes"), ("Yse", "Yes")]
    assert variants(["Yes", "Yse"], [100, 60]) == []
    assert variants(["Yes", "Yse"], [100, 0]) == []
    assert folded(" Y e S ") == "yes"


def test_the_order_of_labels_means_nothing():
    labels, counts = ["cat", "Cat", "cta", "dog"], [50, 3, 1, 40]
    assert variants(labels, counts) == variants(labels[::-1], counts[::-1])


def test_variants_are_said_with_their_rows():
    found = variants(["Yes", "yes"], [140, 1])
    assert say_variants(found) == "'yes' (1 row) may be 'Yes' (140 rows)"
    assert say_variants(found * 5, most=1).endswith("and 4 more")


def test_a_frequent_number_far_from_all_others_may_mean_missing():
    distinct = np.array([-999.0, 18, 30, 44, 65])
    (found,) = sentinels("age", distinct, np.array([9, 10, 10, 10, 10]))
    assert found.found == "column 'age' is -999 in 9 rows, far from all other values (18 to 65)."
    note = found.note("age")
    assert (note.code, note.column, note.count) == ("sentinel", "age", 9)
    assert "missing=['-999']" in str(note.text)


def test_a_seldom_or_near_number_or_one_of_few_is_not_suspected():
    ages = np.array([-999.0, 18, 30, 44, 65])
    assert list(sentinels("age", ages, np.array([1, 10, 10, 10, 10]))) == []
    assert list(sentinels("age", np.array([0.0, 18, 30, 44, 65]), np.full(5, 10))) == []
    assert list(sentinels("age", np.array([-999.0, 0, 1]), np.full(3, 10))) == []
