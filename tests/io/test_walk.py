"""Rows that may be damaged: which are whole, where they end, and what is wrong."""

from __future__ import annotations

import csv
import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import DataError
from tallystick.io import csv_rows as walk
from tallystick.io.csv_rows import doubtful, rows_in, walked

CELL = st.sampled_from(["a", "", '"x,y"', '"l\ne"', '"q""q"', 'in"ch'])


def faults(text, width=2, sep=","):
    return [(row.cells, row.fault) for row in rows_in(text, sep, width)]


@pytest.mark.slow
@given(st.lists(st.lists(CELL, min_size=2, max_size=2), min_size=1, max_size=20))
def test_rows_without_damage_are_whole_and_follow_each_other(rows):
    text = "".join(",".join(row) + "\n" for row in rows)
    found = list(rows_in(text, ",", 2))
    assert not any(row.fault for row in found)
    assert [row.cells for row in found] == list(csv.reader(io.StringIO(text, newline="")))
    assert [row.line for row in found] == [text.count("\n", 0, row.start) for row in found]
    assert "".join(text[row.start : row.end] for row in found) == text
    assert sum(row.lines for row in found) == text.count("\n")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("1,2,3", "has 3 cells, not 2"),
        ("1", "has 1 cell, not 2"),
        ('1,"2', "has a quote that is never closed"),
        ('"1"2,3', "has a stray quote"),
        ("1,\0", "holds a NUL byte"),
    ],
)
def test_a_damaged_row_is_one_line_and_the_next_line_begins_a_row(line, fault):
    found = faults(f"a,b\n{line}\nc,d\n")
    assert [cells for cells, wrong in found if not wrong] == [["a", "b"], ["c", "d"]]
    assert found[1][1] == fault


@pytest.mark.slow
def test_rows_without_damage_are_cut_as_pythons_csv_module_cuts_them():
    rng, whole = random.Random(0), 0
    for _ in range(20_000):
        text = "".join(rng.choice('ab,"\n\r "",;') for _ in range(rng.randrange(14)))
        found = list(rows_in(text, ",", 0))
        if not any(row.fault for row in found) and ' "' not in text and '" ' not in text:
            reader = csv.reader(io.StringIO(text, newline=""))
            assert [row.cells for row in found] == [cells for cells in reader if cells], text
            whole += any('"' in text[row.start : row.end] for row in found)
    assert whole > 2_000


def test_a_cell_may_be_longer_than_pythons_limit():
    (row,) = rows_in('"' + "x" * 200_000 + '",b', ",", 2)
    assert (len(row.cells[0]), row.fault) == (200_000, "")


def test_a_quoted_cell_may_end_before_a_tab_that_separates():
    assert faults('"a b"\tc\n', sep="\t") == [(["a b", "c"], "")]
    assert faults('"a b" c\n', sep=" ") == [(["a b", "c"], "")]


def test_a_row_that_may_go_on_is_left_out_unless_the_text_is_whole():
    assert [row.end for row in rows_in('a,b\nc,"d', ",", 2, whole=False)] == [4]
    assert len(list(rows_in('a,b\nc,"d', ",", 2))) == 2


def test_blocks_are_whole_rows_whatever_the_pieces(monkeypatch):
    text = b'1,"a\nb"\n2,"x\n3,y"\n4,"never\n5,z\n'
    for size in (1, 5, 100):
        monkeypatch.setattr(walk, "BLOCK", size)
        pieces = (text[i : i + size] for i in range(0, len(text), size))
        found = list(walked(pieces, ",", "t.csv", 0, 1, 1 << 20))
        assert b"".join(one.block for one in found) == text
        rows = [r.cells for one in found for r in rows_in(one.block.decode(), ",", 2) if not r.fault]
        assert rows == [["1", "a\nb"], ["2", "x\n3,y"], ["5", "z"]]
        assert [one.at for one in found] == [sum(len(f.block) for f in found[:i]) for i in range(len(found))]


def test_a_line_without_an_end_is_refused(monkeypatch):
    monkeypatch.setattr(walk, "BLOCK", 10)
    with pytest.raises(DataError, match="line 1"):
        list(walked((b"x" * 20 for _ in range(9)), ",", "t.csv", 0, 1, 100))


def test_a_quote_in_a_cell_and_one_at_a_later_end_are_doubtful():
    assert doubtful(b'Tent"for one, or two",5\n', ",")
    assert not doubtful(b'Pipe 5",round\n', ",")
    assert not doubtful(b'"a", "b, c", ""\n', ",")
