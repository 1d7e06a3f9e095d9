"""Damaged files: what is repaired, set aside, refused; the same whatever way the rows are read."""

from __future__ import annotations

import pickle
import warnings

import pytest
from polluted import IN_ROWS, OF_FILES, cases, found, row_extra_quote, row_less_sep, row_more_sep
from polluted_tables import shop

import tallystick as ts
from tallystick.errors import DataError, OptionError
from tallystick.io import csv_repair as repair
from tallystick.io.csv_file import open_csv
from tallystick.io.csv_repair import Damage, Looks, Mending, damage_of, mended_block, refuse_much, unread
from tallystick.schema import Reading

HEADER = "n,code,colour\n"
GOOD = [f"{i}.5,AB-{1000 + i},{('red', 'blue')[i % 2]}" for i in range(200)]
BAD = ["7.5,,AB-1007,red", '8.5,"AB-1008,blue', "9.5;AB-1009;red", "1.5,AB-1001", '2.5,AB-1002,"re"d']


def text(lines, end="\n"):
    return HEADER.replace("\n", end) + "".join(line + end for line in lines)


def opened(tmp_path, lines, **reading):
    path = tmp_path / "t.csv"
    path.write_text(text(lines), encoding="utf-8", newline="")
    return open_csv(str(path), Reading(**reading), "t.csv")


def rows(source):
    return [tuple(row.values()) for batch in source.batches() for row in batch.to_pylist()]


def codes(source):
    return {note.code: note for note in source.notes}


def test_a_row_is_repaired_where_one_reading_fits_and_else_set_aside(tmp_path):
    source = opened(tmp_path, [*GOOD[:50], *BAD, *GOOD[50:]])
    found = rows(source)
    assert len(found) == 204
    assert found[50:53] == [("7.5", "AB-1007", "red"), ("8.5", "AB-1008", "blue"), ("9.5", "AB-1009", "red")]
    assert found[53] == ("2.5", "AB-1002", "red")
    said = codes(source)
    assert said["rows-repaired"].count == 4
    assert said["rows-skipped"].text == "left out: 1 row that could not be read."
    assert said["lines-skipped"].text == "left out: line 55 has 2 cells, not 3."
    assert "line 52 has 4 cells, not 3" in said["lines-repaired"].text
    assert "line" not in said["rows-repaired"].text  # a model keeps it


def test_a_file_without_damage_is_not_looked_at_twice(tmp_path):
    source = opened(tmp_path, GOOD)
    assert len(rows(source)) == 200
    assert source.mending.damage is None


@pytest.mark.slow
@pytest.mark.parametrize("size", [16, 64, 1000, 1 << 20])
def test_what_becomes_of_a_row_depends_on_no_block_size(tmp_path, size):
    lines = [*GOOD[:20], *BAD, *GOOD[20:60], "n,code,colour", *GOOD[60:], "Total: 200"]
    whole = opened(tmp_path, lines)
    parts = opened(tmp_path, lines).within(size)
    assert rows(parts) == rows(whole)
    assert parts.notes == whole.notes


@pytest.mark.slow
def test_every_way_in_gives_the_same_model(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(text([*GOOD[:50], *BAD, *GOOD[50:]] * 30), encoding="utf-8")
    reading = {"bad_rows": "repair"}
    one = ts.NaiveBayes(threads=1).fit(ts.read(path, **reading), "colour").to_bytes()
    assert ts.NaiveBayes(threads=2).fit(ts.read(path, **reading), "colour").to_bytes() == one
    assert ts.NaiveBayes(memory="64MB").fit(ts.read(path, **reading), "colour").to_bytes() == one
    small = ts.read(path, **reading).within(512)
    assert ts.NaiveBayes().fit(small, "colour").to_bytes() == one
    notes = {note.code for note in ts.NaiveBayes().fit(ts.read(path, **reading), "colour").notes_}
    assert {"rows-repaired", "rows-skipped"} <= notes


def test_more_than_few_damaged_rows_are_an_error_unless_asked_for(tmp_path):
    lines = [*GOOD, *11 * ["1.5,AB-1001"], *GOOD]
    with pytest.raises(DataError, match=r"t\.csv has 11 rows .*bad_rows='repair'.*bad_rows='skip'"):
        rows(opened(tmp_path, lines))
    assert len(rows(opened(tmp_path, lines, bad_rows="repair"))) == 400
    assert len(rows(opened(tmp_path, [*lines, *6 * GOOD]))) == 1600  # 11 of 1,611
    quotes = [*GOOD, *11 * ['1.5,"AB"-1001,red'], *GOOD]
    with pytest.raises(DataError, match=r"stray quote.*11 rows of 411 are damaged.*bad_rows='repair'"):
        rows(opened(tmp_path, quotes))
    assert len(rows(opened(tmp_path, quotes, bad_rows="skip"))) == 400
    with pytest.raises(DataError, match="stray quote"):
        rows(opened(tmp_path, [*GOOD, BAD[4]], bad_rows="error"))


def test_that_repair_takes_long_is_said_once_before_the_work(tmp_path, monkeypatch):
    lines = [*GOOD, *11 * ["1.5,AB-1001"], *GOOD]
    monkeypatch.setattr(repair, "MANY_BAD", 11)
    with pytest.warns(ts.TallyWarning, match=r"t\.csv has 11 damaged rows; .* pass bad_rows='skip'") as said:
        rows(opened(tmp_path, lines, bad_rows="repair").within(64))
    assert len(said) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows(opened(tmp_path, lines, bad_rows="skip"))
        rows(opened(tmp_path, lines[1:-11], bad_rows="skip"))


def test_words_for_damaged_rows_are_checked(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(text(GOOD))
    with pytest.raises(OptionError, match="contradict"):
        ts.read(path, bad_rows="skip", strict=True)
    with pytest.raises(OptionError, match="must be 'error' or 'skip' or 'repair'"):
        ts.read(path, bad_rows="mend")
    with pytest.raises(OptionError, match="cannot separate cells"):
        ts.read(path, sep="\n")
    assert ts.read(path, strict=True).reading.bad_rows == "error"


def test_each_row_has_its_place_with_the_reason_why_it_is_empty(tmp_path):
    lines = [*GOOD[:3], *13 * ["1.5,AB-1001"], *BAD[:1], *GOOD[:9]]
    source = opened(tmp_path, lines).each_row()
    (batch,) = source.batches()
    assert batch.num_rows == len(lines)
    assert unread(batch) == {i: f"line {i + 2} has 2 cells, not 3" for i in range(3, 16)}
    assert batch.to_pylist()[16] == {"n": "7.5", "code": "AB-1007", "colour": "red"}


def test_a_second_table_and_a_header_once_more_are_left_out_and_said(tmp_path):
    source = opened(tmp_path, [*GOOD, "a,b", *40 * ["1,2"]])
    assert len(rows(source)) == 200
    assert codes(source)["second-table"].text == (
        "another table begins in line 202 (41 rows of 2 cells, not 3); it is left out."
    )
    source = opened(tmp_path, [*GOOD, HEADER.strip(), *GOOD])
    assert len(rows(source)) == 400
    assert codes(source)["header-repeated"].text == "the header is repeated in line 202; left out."


def test_damage_is_measured_over_the_whole_file(tmp_path):
    source = opened(tmp_path, [*GOOD, *BAD])
    damage = damage_of(source)
    assert (damage.rows, damage.bad, damage.tolerable) == (205, 5, True)
    assert not Damage(Looks(1), 100, 11, 0, None).tolerable
    refuse_much(source, damage)
    assert mended_block(source, b"7.5,,AB-1007,red\n", 0, 2) == (b"7.5,AB-1007,red\n", {})
    assert pickle.loads(pickle.dumps(Mending(repaired={2: "x"}))).repaired == {2: "x"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [row_less_sep, row_more_sep, row_extra_quote, *IN_ROWS], ids=lambda k: k.__name__
)
def test_a_sample_of_damaged_files_is_never_wrong(kind, tmp_path):
    for _, case in cases(shop(), 6, (kind,)):
        what, said = found(case, tmp_path)
        assert what in ("right", "repaired", "aside") or "_row0_" in case.name, (case.name, said)


@pytest.mark.slow
@pytest.mark.parametrize("kind", OF_FILES, ids=lambda k: k.__name__)
def test_files_written_in_other_ways_are_read(kind, tmp_path):
    for _, case in cases(shop(), 1, (kind,)):
        what, said = found(case, tmp_path)
        assert what in ("right", "repaired"), (case.name, said)


# ---- quotes inside of cells, and strict reading ----


def test_a_quote_inside_a_bare_cell_stays_and_is_said_with_its_line(tmp_path):
    lines = [*GOOD[:30], '7.5,A"B-1007,red', '8.5,"AB ""x""",blue', *GOOD[30:], 'x"y,AB-1,red']
    source = opened(tmp_path, lines)
    assert rows(source)[30] == ("7.5", 'A"B-1007', "red")
    note = codes(source)["quotes-inside"]
    assert note.count == 2
    assert note.text == "cells that are not quoted have a quote inside, which stays: lines 32, 204."
    parts = opened(tmp_path, lines).within(64)
    assert rows(parts) == rows(source)
    assert parts.notes == source.notes
    with pytest.raises(DataError, match="a quote inside a cell that is not quoted, in line 32: "):
        rows(opened(tmp_path, lines, bad_rows="error"))


def test_a_quote_in_a_file_quoted_otherwise_is_text(tmp_path):
    (tmp_path / "t.csv").write_text("n,code\n" + "1,'a, b'\n2,10\" tv\n" * 20, encoding="utf-8")
    source = open_csv(str(tmp_path / "t.csv"), Reading(), "t.csv")
    assert rows(source)[1] == ("2", '10" tv')
    assert "quotes-inside" not in codes(source)


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        ([*GOOD[:9], "n,code,colour", *GOOD[9:]], "repeats its header in line 11"),
        (["n,code,colour", *GOOD], "repeats its header in line 2"),
        ([*GOOD[:9], '7.5;"AB, red"', *GOOD[9:]], "line 11"),
    ],
)
def test_a_strict_reader_refuses_what_else_would_be_mended(tmp_path, damaged, said):
    with pytest.raises(DataError, match=said):
        rows(opened(tmp_path, damaged, bad_rows="error"))


@pytest.mark.parametrize("names", ['n,"code,colour', 'n,co"de,colour', 'n,code,colour"'])
def test_a_strict_reader_refuses_a_header_with_a_stray_quote(tmp_path, names):
    (tmp_path / "t.csv").write_text("\n".join([names, *GOOD]) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="quote"):
        rows(open_csv(str(tmp_path / "t.csv"), Reading(bad_rows="error"), "t.csv"))


@pytest.mark.parametrize("bad_rows", [None, "skip", "repair", "error"])
@pytest.mark.parametrize("lines", [["1;2;3;4"], ["1,2,3,4", "5,6,7,8"], ["1,2,3,4"] * 12, ['1,"2', '3,4"5"']])
def test_a_file_of_damaged_rows_alone_is_not_called_one_without_rows(tmp_path, lines, bad_rows):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["a,b,c", *lines]) + "\n", encoding="utf-8")
    with pytest.raises(DataError) as error:
        ts.NaiveBayes().fit(ts.read(path, bad_rows=bad_rows), "c")
    assert "no rows" not in str(error.value)
