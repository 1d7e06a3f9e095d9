"""A last row that is the total of the others is left out, and said; any other row is a row."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick as ts
from tallystick.io.csv_file import ColumnSums, may_be_total, number, says_sum

ROWS = [("north", "3", "1.25", "p"), ("south", "4", "2.50", "q"), ("west", "5", "3.00", "p")] * 10


def written(path, last, rows=ROWS, sep=","):
    lines = [("shop", "units", "price", "y"), *rows, *last]
    path.write_text("".join(sep.join(line) + "\n" for line in lines), encoding="utf-8")
    return path


def read(path, **more):
    source = ts.read(path, **more)
    rows = sum(batch.num_rows for batch in source.batches())
    return rows, [n.code for n in source.notes]


@pytest.mark.parametrize("word", ["Total", "SUM:", "Summe", "Grand total", "Insgesamt", "total 2024"])
def test_a_row_of_sums_is_left_out(tmp_path, word):
    rows, notes = read(written(tmp_path / "t.csv", [(word, "120", "67.5", "")]))
    assert rows == 30
    assert "total-left-out" in notes


@pytest.mark.parametrize(
    "row",
    [
        ("Total", "121", "67.5", ""),  # not the sum
        ("Total", "120", "67.5", "p"),  # more than numbers
        ("north", "120", "67.5", ""),  # does not say so
        ("Total", "", "", ""),  # no number
    ],
)
def test_any_other_row_is_a_row(tmp_path, row):
    rows, notes = read(written(tmp_path / "t.csv", [row]))
    assert rows == 31
    assert "total-left-out" not in notes


def test_sums_in_the_middle_and_with_strict_stay(tmp_path):
    total = ("Total", "120", "67.5", "")
    path = written(tmp_path / "t.csv", [total, ROWS[0]])
    assert read(path)[0] == 32
    assert read(written(path, [total]), strict=True)[0] == 31


@pytest.mark.slow
def test_sums_with_decimal_commas_of_a_file_in_several_blocks(tmp_path):
    rows = [(a, b, c.replace(".", ","), y) for a, b, c, y in ROWS] * 4_000
    last = ("Summe", "480.000", "270.000,00", "")
    path = written(tmp_path / "t.csv", [last], rows, ";")
    assert read(path) == (120_000, ["total-left-out"])
    assert ts.DecisionTree().fit(path, "y").to_bytes() == (
        ts.DecisionTree().fit(written(tmp_path / "u.csv", [], rows, ";"), "y").to_bytes()
    )


@pytest.mark.slow
@given(st.lists(st.decimals(-1000, 1000, places=2), min_size=2, max_size=20), st.integers(-5, 5))
def test_sums_are_exact_to_the_figures_they_have(cells, off):
    sums = ColumnSums([0], ".")
    sums.rows = len(cells)
    sums.add(0, map(str, cells))
    total = sum(cells, Decimal(0)) + off * Decimal("0.01")
    assert sums.are({0: total}) == (off == 0)


def test_words_and_numbers():
    assert says_sum(" Total: ")
    assert not says_sum("totally new")
    assert number("1.234,50", ",") == Decimal("1234.50")
    assert number("1.234,50", ".") is None
    assert may_be_total(["", "Total", "3"], ".") == {2: Decimal(3)}
    assert may_be_total(["x", "Total", "3"], ".") is None
