"""Tables written in another way, written anew."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.io import csv_head as dialect
from tallystick.io.csv_head import TextDialect

ROWS = st.lists(
    st.lists(st.text(st.sampled_from("ab'\",|\\é \n"), max_size=6), min_size=3, max_size=3),
    min_size=1,
    max_size=8,
)


def written(rows, way):
    def cell(text):
        marks = (*way.sep, way.quote, "\n", way.escape or way.quote)
        if not any(mark in text for mark in marks) and '"' not in text:
            return text
        double = (way.escape or way.quote) + way.quote
        inner = text.replace(way.escape, 2 * way.escape) if way.escape else text
        return way.quote + inner.replace(way.quote, double) + way.quote

    return "".join(way.sep.join(map(cell, row)) + "\n" for row in rows)


@pytest.mark.slow
@given(
    ROWS,
    st.sampled_from(
        [TextDialect(",", "'"), TextDialect("||"), TextDialect(",", '"', "\\"), TextDialect(";", "'")]
    ),
)
def test_the_cells_are_the_same_however_they_were_written(rows, way):
    new, end = way.rewritten(text := written(rows, way), True)
    assert end == len(text)
    found = list(csv.reader(io.StringIO(new, newline=""), delimiter=way.out))
    assert [row or [""] for row in found] == rows


@pytest.mark.slow
@given(ROWS, st.integers(1, 9))
def test_pieces_of_any_size_give_the_same_text(rows, size):
    way = TextDialect("||")
    data = written(rows, way).encode()
    before, dialect.PIECE = dialect.PIECE, size
    try:
        parts = (data[i : i + size] for i in range(0, len(data), size))
        assert b"".join(way.pieces(parts)) == way.rewritten(data.decode(), True)[0].encode()
    finally:
        dialect.PIECE = before


def test_a_quote_that_is_never_closed_stays_as_it_stands():
    assert TextDialect("||").rewritten('a||"b\nc||d\n', True)[0] == 'a\x1f"b\nc\x1fd\n'
