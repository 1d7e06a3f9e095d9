"""The bytes of a text file as UTF-8, in blocks of whole rows."""

from __future__ import annotations

import gzip
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import DataError, OptionError
from tallystick.io.csv_bytes import encoding_of, first_bytes, is_blank, lines_in, size_of, utf8_pieces
from tallystick.io.csv_rows import last_row_end, open_quote, plain_quotes, quoted_cells, row_blocks, unspaced

CELL = st.sampled_from(["a", "", '"x,y"', '"l\ne"', '"q""q"', "é"])


@pytest.mark.slow
@given(st.lists(st.lists(CELL, min_size=2, max_size=2), min_size=1, max_size=30), st.integers(1, 40))
def test_blocks_joined_are_the_file_and_no_row_lies_in_two(rows, size):
    data = "".join(",".join(row) + "\n" for row in rows).encode()
    pieces = (data[i : i + 3] for i in range(0, len(data), 3))
    found = list(row_blocks(pieces, ",", "t.csv", size))
    blocks = [one.block for one in found]
    assert [one.at for one in found] == [sum(map(len, blocks[:i])) for i in range(len(blocks))]
    assert b"".join(blocks).strip() == data.strip()
    assert all(open_quote(block, ",") is None for block in blocks)
    assert all(block.endswith(b"\n") for block in blocks[:-1])


def test_the_last_whole_row_ends_outside_quotes():
    assert last_row_end(b"a,b\nc", ",") == 4
    assert last_row_end(b'a,"b\nc', ",") == 0
    assert last_row_end(b'a,b\n1,"x\ny"\n2,"', ",") == 12
    assert last_row_end(b"a\rb\rc", ",") == 4


def test_lines_end_by_lf_or_by_cr_where_there_is_none():
    assert [lines_in(b) for b in (b"a\nb\n", b"a\r\nb\r\n", b"a\rb\r", b"a")] == [2, 2, 2, 0]


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        (b"\xef\xbb\xbfa", "utf-8"),
        (b"\xff\xfea\x00", "utf-16"),
        (b"\xff\xfe\0\0a\0\0\0", "utf-32"),
        (b"a,b", "utf-8"),
    ],
)
def test_an_encoding_is_told_by_its_mark_else_it_is_utf8(head, encoding):
    assert encoding_of(head, None, "t.csv") == encoding


def test_nothing_is_guessed_and_what_is_not_an_encoding_of_text_is_refused():
    with pytest.raises(DataError, match="looks like UTF-16 without a byte order mark"):
        encoding_of("year,name\n".encode("utf-16-le"), None, "t.csv")
    assert encoding_of(b"", "latin1", "t.csv") == "iso8859-1"
    for wrong in ("klingon", "zlib", "punycode"):
        with pytest.raises(OptionError, match=f"encoding '{wrong}' is not a known text encoding"):
            encoding_of(b"", wrong, "t.csv")


def test_any_encoding_and_packing_gives_the_same_utf8(tmp_path):
    for name, data in (
        ("utf-8", b"\xef\xbb\xbfn,\xc3\xa9\n"),
        ("utf-16", "n,é\n".encode("utf-16")),
        ("cp1252", "n,é\n".encode("cp1252")),
    ):
        path, packed = tmp_path / "t.csv", tmp_path / "t.csv.gz"
        path.write_bytes(data)
        packed.write_bytes(gzip.compress(data))
        for one in (path, packed):
            assert b"".join(utf8_pieces(str(one), name, "t", size=1)) == "n,é\n".encode()
        assert size_of(str(path)) == size_of(str(packed)) == len(data)


def test_damage_is_named_with_its_place(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n\x81\xff")
    with pytest.raises(DataError, match="t is not cp1252: it cannot be read near byte 4"):
        list(utf8_pieces(str(path), "cp1252", "t"))
    path.write_bytes(gzip.compress(b"a,b\n" * 99)[:-20])
    with pytest.raises(DataError, match="t is a damaged gz file"):
        first_bytes(str(path), "t", 10_000)
    with pytest.raises(DataError, match="holds a NUL byte in line 3"):
        list(row_blocks(iter([b"a\nb\n", b"\0"]), ",", "t.csv", 1))
    with pytest.raises(DataError, match="quote opened in line 2 that is never closed"):
        list(row_blocks(iter([b'a\n"b\n']), ",", "t.csv", 1))
    with pytest.raises(DataError, match="stray quote: the cell opened in line 1"):
        list(row_blocks(iter([b'"a"b,c\n']), ",", "t.csv", 1))
    with pytest.raises(DataError, match=r"a line of more than .* line 1, too long for the memory given"):
        list(row_blocks(iter([b"x" * 100]), ",", "t.csv", 1, longest=50))


def test_quotes_that_open_cells_are_found_and_spaces_before_them_are_left_out():
    assert plain_quotes(b'"a",b\n"c""d",e\n', ",").tolist() == [0, 2, 6, 8, 9, 11]
    assert plain_quotes(b'5" pipe,b\n', ",") is None
    assert [cell[0] for cell in quoted_cells(b'a"b,"c",  "d"\n', ",")] == [b'"c"', b'"d"']
    assert unspaced(b'a,  "b, c", "d"\n', ",") == b'a,"b, c","d"\n'
    assert unspaced(b'"a,  ""b", c\n', ",") == b'"a,  ""b", c\n'


@given(st.text(' ",a\n', max_size=12))
def test_only_spaces_between_a_separator_and_a_quote_are_left_out(text):
    block = text.encode()
    if re.search(rb', +"', block) is None:
        assert unspaced(block, ",") is block
    else:
        cell = b'[^"]*(?:""[^"]*)*"'
        plain = rb'(?:(?<![^,\r\n])"' + cell + rb')|(?<=[,\r\n]) +("' + cell + b")"
        assert unspaced(block, ",") == re.sub(plain, lambda found: found[1] or found[0], block)


def test_spaces_before_a_quote_may_be_many():
    assert unspaced(b'a,          "b"\n', ",") == b'a,"b"\n'
    assert unspaced(b'a          "b"\n', ",") == b'a          "b"\n'


def test_a_block_of_line_ends_is_blank():
    assert is_blank(b"")
    assert is_blank(b"\r\n" * 100_000)
    assert not is_blank(b"\n" * 200_000 + b"a")
    assert not is_blank(b"a\n")
