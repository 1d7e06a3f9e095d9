"""Stretches of a text file that line feeds alone tell apart, and what is left to the walk over its rows."""

from __future__ import annotations

import gzip
import os
from dataclasses import replace

import numpy as np
import pytest

from tallystick.errors import DataError
from tallystick.io.csv_bytes import TAIL, BareRows, stretches
from tallystick.io.csv_file import open_csv
from tallystick.schema import Reading

ROWS = [f"{i},cat {i % 7},{i * 0.5}" for i in range(6_000)]
HEAD = "n,word,half\n"


def opened(tmp_path, text, **reading):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return open_csv(str(path), Reading(**reading), "t.csv")


def blocks(source, size=20_000):
    """Return the blocks of a file; they hold all its text, each begins where it says, and knows its line."""
    found = list(replace(source, block=size).blocks())
    at, line = 0, source.skip + 1
    for block in found:
        assert (block.at, block.line) == (at, line)
        at, line = at + len(block.block), line + block.block.count(b"\n")
    return found


def bare(found):
    return sum(isinstance(block, BareRows) for block in found)


def text_of(found):
    return b"".join(block.block for block in found).decode()


@pytest.mark.slow
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ["", "\ufeff", "\ufeffA title\n\n", "Some lines\nabove the table\n\n"])
def test_all_rows_but_the_last_lie_in_stretches(tmp_path, end, before):
    text = end.join(ROWS) + end
    source = opened(tmp_path, before.replace("\n", end) + HEAD.replace("\n", end) + text)
    found = blocks(source)
    assert text_of(found) == text
    assert bare(found) == len(found) - 1 > 3
    assert len(found[-1].block) >= TAIL
    assert all(block.easy for block in found[:-1])
    assert sum(batch.num_rows for batch in replace(source, block=20_000).batches()) == len(ROWS)


@pytest.mark.slow
@pytest.mark.parametrize("odd", ['5,"a,\nb",1', '5,"a",1', "5,a\0,1"])
def test_from_the_first_quote_or_nul_byte_on_rows_are_walked_through(tmp_path, odd):
    lines = [*ROWS[:3_000], odd, *ROWS[3_000:]]
    source = opened(tmp_path, HEAD + "\n".join(lines) + "\n")
    found = blocks(source)
    assert text_of(found) == "\n".join(lines) + "\n"
    assert 0 < bare(found) < len(found)
    assert len(b"".join(block.block for block in found if isinstance(block, BareRows))) < 60_000
    assert sum(batch.num_rows for batch in replace(source, block=20_000).batches()) == len(lines)


def test_an_odd_row_is_named_by_its_line(tmp_path):
    lines = [*ROWS * 2, "5,a\0,1", *ROWS]  # beyond what is looked at first
    source = opened(tmp_path, HEAD + "\n".join(lines) + "\n", bad_rows="error")
    with pytest.raises(DataError, match="NUL byte in line 12,002"):
        list(replace(source, block=20_000).batches())


@pytest.mark.slow
def test_text_beyond_ascii_and_a_header_once_more_are_not_easy(tmp_path):
    for odd in ("5,é,1", HEAD.strip()):
        lines = [*ROWS[:3_000], odd, *ROWS[3_000:]]
        source = opened(tmp_path, HEAD + "\n".join(lines) + "\n")
        found = blocks(source)
        hard = [block for block in found[:-1] if not block.easy]
        assert text_of(found) == "\n".join(lines) + "\n"
        assert odd.encode() in b"".join(block.block for block in hard)
        told = sum(batch.num_rows for batch in replace(source, block=20_000).batches())
        assert told == len(ROWS) + (odd == "5,é,1")


@pytest.mark.slow
def test_ragged_rows_are_named_by_their_lines(tmp_path):
    lines = [*ROWS[:3_000], "5,a", *ROWS[3_000:]]
    source = replace(opened(tmp_path, HEAD + "\n".join(lines) + "\n", bad_rows="skip"), block=20_000)
    assert sum(batch.num_rows for batch in source.batches()) == len(ROWS)
    assert "line 3,002" in " ".join(str(note.text) for note in source.notes)


@pytest.mark.parametrize("how", ["packed", "utf-16", "carriage returns"])
def test_other_line_ends_encodings_and_packed_files_have_no_stretches(tmp_path, how):
    end = "\r" if how == "carriage returns" else "\n"
    text = (HEAD + "\n".join(ROWS) + "\n").replace("\n", end)
    data = text.encode("utf-16" if how == "utf-16" else "utf-8")
    source = opened(tmp_path, gzip.compress(data) if how == "packed" else data)
    found = list(replace(source, block=20_000).blocks())
    assert bare(found) == 0
    assert text_of(found) == text[len(HEAD) :]


def test_a_row_longer_than_a_stretch_is_left_to_the_walk(tmp_path):
    lines = [*ROWS[:3_000], "5," + "x" * 50_000 + ",1", *ROWS[3_000:]]
    found = blocks(opened(tmp_path, HEAD + "\n".join(lines) + "\n"))
    assert text_of(found) == "\n".join(lines) + "\n"
    assert 0 < bare(found) < len(found) - 1


def test_stretches_follow_each_other_and_share_no_memory(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"1,2\n" * 10_000)
    found = stretches(str(path), "t.csv", 0, 1, 8_001, ord("x"))
    first, second = next(found), next(found)
    assert not np.shares_memory(first.text, second.text)
    assert first.block == second.block == b"1,2\n" * 2_000
    assert (first.line, first.lines, second.line, second.at) == (1, 2_000, 2_001, 8_000)


def test_lines_of_the_whole_file_are_judged_by_those_of_a_stretch(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 10_000)
    assert all(s.about == 10_001 for s in stretches(str(path), "t.csv", 4, 2, 8_001, ord("x")))


def test_a_file_cut_short_on_the_way_is_left_to_the_walk(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"1,2\n" * 10_000)
    found = stretches(str(path), "t.csv", 0, 1, 8_001, ord("x"))
    next(found)
    os.truncate(path, 8_003)
    assert list(found) == []


def test_a_file_that_is_gone_is_an_error_in_one_line(tmp_path):
    source = opened(tmp_path, HEAD + "\n".join(ROWS))
    (tmp_path / "t.csv").unlink()
    with pytest.raises(DataError, match=r"t\.csv"):
        list(source.blocks())
