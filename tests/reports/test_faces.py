"""The face of each method in a report: sentences, pictures, columns and rows of its own."""

from __future__ import annotations

import pytest

from tallystick.reports.context import section_of
from tallystick.reports.methods import PLAIN


@pytest.mark.parametrize(
    ("method", "kind", "small"),
    [
        ("tree", "tree", "tree"),
        ("bayes", "scales", "weights"),
        ("logistic", "scales", "weights"),
        ("card", "card", "card"),
    ],
)
def test_a_method_is_drawn_large_and_small_in_its_way(given, method, kind, small):
    found = given(method)
    face = section_of(found.model)
    assert face.section(found, found.model)["kind"] == kind
    assert face.small(found, found.model)["kind"] == small


def test_a_method_without_a_face_still_says_what_it_looks_at(given):
    found = given("bayes")
    (said,) = PLAIN.sentences(found.model, found.table, ())
    assert str(said) == "The model looks at 3 columns."
    assert PLAIN.section(found, found.model) == {"kind": "none"}
    assert PLAIN.pulls(found.model, found.table) == {"wind": 1.0, "temp": 1.0, "<b>": 1.0}
