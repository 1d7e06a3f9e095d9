"""The tables of a model as C: names of places, sizes."""

from __future__ import annotations

import exports as e
import pytest

import tallystick as ts
from tallystick.export.c import Tables
from tallystick.export.form import form_of


def test_columns_have_a_name_for_their_place_and_names_that_meet_a_number():
    rows = {"a b": ["x", "y"] * 9, "A-B": ["x", "x", "y"] * 6, "é": ["u", "v"] * 9, "y": ["p", "q", "q"] * 6}
    sizes = Tables(form_of(ts.NaiveBayes().fit(rows, "y").model_), "m").sizes()
    assert "#define M_COLUMNS 3" in sizes
    assert "#define M_CLASSES 2" in sizes
    assert [line for line in sizes if "_AT" in line] == [
        "#define M_AT_A_B 0",
        "#define M_AT_A_B_1 1",
        "#define M_AT_2 2",
    ]


def test_a_reason_has_room_for_the_longest_level():
    rows = {"town": ["x" * 5000, "y"] * 50, "y": [True, False] * 50}
    form = form_of(ts.Scorecard().fit(rows, "y").model_)
    size = next(line for line in Tables(form, "m").sizes() if "REASON_SIZE" in line)
    assert int(size.split()[-1]) > 5000


@pytest.mark.slow
def test_words_are_sorted_by_their_bytes():
    form = form_of(e.fitted("bayes words").model_)
    lines = "\n".join(Tables(form, "m").lines())
    assert "m_vocabularies_" in lines
    assert lines.index('{"3rd", ') < lines.index('{"a", ') < lines.index('{"\\346\\227\\245')
