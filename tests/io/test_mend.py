"""One damaged row, mended where exactly one reading fits."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tallystick.io.csv_repair import Looks, mended

ROWS = [
    [f"{1 + i % 28:02d}/01/2021", str(i % 13), f"AB-{1000 + i}", f"Tent {'for two ' * (i % 9)}no{i}", "red"]
    for i in range(80)
]
ROWS[7][4] = ""
LINE = "05/01/2021,3,AB-1004,Tent for two no4,red"
CELLS = ("05/01/2021", "3", "AB-1004", "Tent for two no4", "red")


@pytest.fixture(scope="module")
def looks():
    known = Looks(5)
    columns = [pa.array(c, pa.string()) for c in zip(*ROWS, strict=True)]
    known.add(pa.table(columns, names=list("abcde")))
    return known


@pytest.mark.parametrize("j", range(6))
def test_a_separator_too_many_is_left_out(looks, j):
    cells = [*CELLS[:j], "", *CELLS[j:]]
    assert mended(",".join(cells), ",", looks) == CELLS


@pytest.mark.parametrize("j", range(1, 5))
def test_a_separator_that_is_lost_is_put_back_where_one_place_fits(looks, j):
    line = ",".join(CELLS[:j]) + ",".join(CELLS[j:])
    assert mended(line, ",", looks) in (CELLS, None)  # a digit more may belong to either cell
    assert mended("05/01/20213,AB-1004,Tent for two no4,red", ",", looks) == CELLS
    assert mended("05/01/2021,3,AB-1004Tent for two no4,red", ",", looks) == CELLS


@pytest.mark.parametrize("other", [";", "\t", "|"])
def test_a_row_of_another_separator_is_cut_by_it(looks, other):
    assert mended(LINE.replace(",", other), ",", looks) == CELLS
    assert mended(LINE.replace(",", other, 1), ",", looks) == CELLS


def test_a_separator_inside_a_text_stays_there(looks):
    line = LINE.replace("Tent for", "Tent, for")
    assert mended(line, ",", looks) == (*CELLS[:3], "Tent, for two no4", "red")
    assert mended(LINE.replace("red", "r,ed"), ",", looks) == CELLS


def test_a_stray_quote_is_text_where_that_fits_and_else_nothing(looks):
    assert mended(LINE.replace("Tent for", '"Tent "for').replace("no4", 'no4"'), ",", looks) == (
        *CELLS[:3], 'Tent "for two no4', "red",
    )  # fmt: skip
    assert mended('"' + LINE, ",", looks) == CELLS
    assert mended(LINE.replace("red", '"red'), ",", looks) == CELLS


def test_a_nul_byte_is_taken_out_and_a_row_without_its_end_is_filled_where_empty_cells_are_usual(looks):
    assert mended(LINE.replace("Tent", "Te\0nt"), ",", looks) == CELLS
    assert mended(LINE.removesuffix(",red"), ",", looks) == (*CELLS[:4], "")
    assert mended(LINE.removesuffix(",red"), ",", looks, ended=False) is None
    assert mended("05/01/2021,3", ",", looks) is None


def test_what_fits_in_two_ways_or_in_none_is_not_mended():
    known = Looks(2)
    texts = [f"{w} text {'more ' * (i % 9)}{i}" for i in range(80) for w in "ab"]
    known.add(pa.table([pa.array(texts, pa.string())] * 2, names=["a", "b"]))
    assert mended("a text 1,b text 2,a text 3", ",", known) is None
    assert mended("a text 1", ",", known) is None
