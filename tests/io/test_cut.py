"""Text cut into cells: as Python's csv module cuts it."""

from __future__ import annotations

import csv
import io
import random

import pytest

from tallystick.io.csv_rows import cut_rows


@pytest.mark.slow
def test_rows_are_cut_as_pythons_csv_module_cuts_them():
    rng = random.Random(0)
    for _ in range(20_000):
        text = "".join(rng.choice('ab,"\n\r "",;') for _ in range(rng.randrange(14)))
        reader = csv.reader(io.StringIO(text, newline=""))
        assert [cells for cells, _, _ in cut_rows(text, ",")] == list(reader), text


def test_a_row_says_how_many_lines_it_takes_and_an_empty_line_has_no_cells():
    found = list(cut_rows('a,"x\ny"\n\nb', ","))
    assert [(cells, lines) for cells, lines, _ in found] == [(["a", "x\ny"], 2), ([], 1), (["b"], 1)]
    assert found[0][2] == 8


def test_spaces_before_a_quote_belong_to_the_cell_unless_said_otherwise():
    assert next(cut_rows('a, "b,c"', ","))[0] == ["a", ' "b', 'c"']
    assert next(cut_rows('a, "b,c"', ",", spaced=True))[0] == ["a", "b,c"]


def test_a_cell_may_be_longer_than_pythons_limit():
    assert len(next(cut_rows('"' + "x" * 200_000 + '",b', ","))[0][0]) == 200_000
