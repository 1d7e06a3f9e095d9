"""Numbers that are read into their last place: the table is that of one batch, whatever the lines held."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import numpy as np
import pytest

from tallystick.errors import DataError
from tallystick.io.csv_file import open_csv
from tallystick.io.scratch import ScratchFile
from tallystick.schema import Reading
from tallystick.table import disk as room_for_rows
from tallystick.table.disk import PlacesInMemory, PlacesOnDisk, expected
from tallystick.table.reader import read_table, read_to_disk

HEAD = "y,a,b,c,d,e,few,word"


def line(label, first, second, few, word):
    return f"{label},{first},{second},{few}.5,{few}.25,{few}.125,{few},{word}"


def lines(n=6_000):
    rng = np.random.default_rng(4)
    return [
        f"{'pq'[i % 2]},{','.join(map(repr, row))},{i % 5},w{i % 3}"
        for i, row in enumerate(rng.normal(size=(n, 5)).tolist())
    ]


def opened(folder, rows, block=20_000):
    path = folder / "t.csv"
    path.write_text("\n".join([HEAD, *rows]) + "\n")
    return replace(open_csv(str(path), Reading(), "t.csv"), block=block)


def changed(at, row):
    rows = lines()
    return [*rows[:at], row, *rows[at:]]


PLAIN = line("p", 1.5, 2.5, 1, "w1")
CASES = {
    "plain": lines(),
    "an empty line": changed(3_000, ""),
    "a quote": changed(3_000, line('"p"', 1.5, 2.5, 1, "w1")),
    "a line in quotes": changed(3_000, line("p", 1.5, 2.5, 1, '"w\n1"')),
    "a row of another length": changed(3_000, "p,1.5"),
    "the header once more": changed(3_000, HEAD),
    "beyond ASCII": changed(3_000, line("p", 1.5, 2.5, 1, "é")),
    "no label": changed(3_000, line("", 1.5, 2.5, 1, "w1")),
    "-0.0": changed(3_000, line("p", "-0.0", 2.5, 1, "w1")),
    "missing": changed(3_000, line("p", "", "NA", 1, "w1")),
    "a date": changed(3_000, line("p", 1.5, "2020-01-01", 1, "w1")),
    "more rows than lines": [*lines()[:3_000], "\r".join(lines()[3_000:3_100]), *lines()[3_100:]],
    "short rows later": [*lines(1_500), *["p,1,2,3,4,5,3,w"] * 9_000],
    "few values at first": [*[PLAIN] * 3_000, *lines()],
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_table_of_batches_in_their_places_is_that_of_one_batch(tmp_path, case):
    source = opened(tmp_path, CASES[case])
    one = read_table(replace(source, block=1 << 30), target="y", threads=1)
    for found in (
        read_table(source, target="y", threads=1),
        read_table(source, target="y", threads=3),
        read_to_disk(source, 1 << 25, target="y", threads=2),
    ):
        assert found.schema == one.schema
        assert found.notes == one.notes
        assert found.classes.tobytes() == one.classes.tobytes()
        assert (found.kept is None) == (one.kept is None)
        for name, column in one.columns.items():
            assert np.asarray(found.columns[name]).tobytes() == column.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize(("case", "placed"), [("plain", True), ("a quote", True), ("an empty line", False)])
def test_numbers_in_memory_are_not_moved(tmp_path, monkeypatch, case, placed):
    lies = {}
    join = PlacesInMemory.joined

    def joined(self, name, read, parts):
        whole = join(self, name, read, parts)
        lies[name] = any(np.shares_memory(whole, part) for part in parts)
        return whole

    monkeypatch.setattr(PlacesInMemory, "joined", joined)
    read_table(opened(tmp_path, CASES[case]), target="y", threads=2)
    assert (lies["a"], lies["b"]) == (placed, placed)


def test_numbers_on_disk_are_written_once(tmp_path, monkeypatch):
    written = []
    write = ScratchFile.write
    monkeypatch.setattr(
        ScratchFile, "write", lambda self, data, at: written.append(n := write(self, data, at)) or n
    )
    read_to_disk(opened(tmp_path, CASES["plain"]), 1 << 25, target="y", threads=1)
    numbers = 5 * 8 * 6_000
    assert numbers < sum(written) < 1.5 * numbers  # what else there is, twice


@pytest.mark.skipif(sys.platform != "linux", reason="Linux gives back what lies inside a file")
@pytest.mark.parametrize("case", ["plain", "-0.0", "a quote"])
def test_room_for_rows_that_did_not_come_is_given_back(tmp_path, monkeypatch, case):
    monkeypatch.setattr(room_for_rows, "expected", lambda rows: 40 * rows)
    held, close = [], PlacesOnDisk.close

    def closed(places):
        held.append((os.fstat(places.file.fileno()).st_blocks * 512, places.file.size))
        close(places)

    monkeypatch.setattr(PlacesOnDisk, "close", closed)
    table = read_to_disk(opened(tmp_path, CASES[case]), 1 << 25, target="y")
    own = read_table(opened(tmp_path, CASES[case]), target="y")
    assert all(np.array_equal(table.columns[name], own.columns[name], equal_nan=True) for name in "abcde")
    [(taken, length)] = held
    numbers = 5 * 8 * table.rows
    assert taken < numbers + 5 * (1 << 16) < length / 4  # blocks of a disk are given back whole


def test_parts_that_lie_elsewhere_are_put_in_their_places():
    places = PlacesInMemory()
    places.expect(5)
    first, third = places.of(["x"], 0, 2)[0], places.of(["x"], 3, 2)[0]
    first[:], third[:], second = [1, 2], [4, 5], np.array([3.0])
    whole = places.joined("x", [first, None, third], [first, second, third])
    assert whole.tolist() == [1, 2, 3, 4, 5]
    assert np.shares_memory(whole, first)
    assert np.shares_memory(whole, third)


@pytest.mark.parametrize("wrong", ["an earlier row", "made anew", "too many", "no place"])
def test_parts_that_do_not_lie_where_they_belong_are_joined_elsewhere(wrong):
    places = PlacesInMemory()
    places.expect(5)
    first, second = places.of(["x"], 0, 2)[0], places.of(["x"], 2 + (wrong == "an earlier row"), 2)[0]
    first[:], second[:] = [1, 2], [3, 4]
    parts = [first + 0.0 if wrong == "made anew" else first, second]
    if wrong == "too many":
        parts.append(np.zeros(expected(5)))
    read = [first, second, *[None] * (len(parts) - 2)]
    whole = places.joined("y" if wrong == "no place" else "x", read, parts)
    assert whole.tolist() == [1, 2, 3, 4, *[0] * (len(whole) - 4)]
    assert not np.shares_memory(whole, first)
    assert first.tolist() == [1, 2]


def test_there_is_no_place_for_more_rows_than_were_expected_nor_for_other_columns():
    places, disk = PlacesInMemory(), PlacesOnDisk()
    assert places.of(["x"], 0, 1) is None
    assert not disk.write("x", 0, np.zeros(1))
    for room in (places, disk):
        room.expect(5)
    disk.take([])  # a batch without numbers says nothing
    disk.take(["x"])
    most = expected(5)
    assert places.of(["x"], most - 2, 3) is None
    assert not places.values  # no column was asked for
    assert [len(own) for own in places.of(["x", "y"], 0, 1)] == [1, 1]
    assert disk.write("x", most - 2, np.zeros(2))
    assert not disk.write("x", most - 2, np.zeros(3))
    assert not disk.write("y", 0, np.zeros(1))
    assert disk.write("x", most - 2, np.ones(2))
    assert disk.read("x", most - 2, 2) == np.ones(2).tobytes()
    disk.close()


def test_room_that_cannot_be_had_is_gone_without(monkeypatch):
    def full(file, size):
        raise DataError("the disk is full")

    monkeypatch.setattr(ScratchFile, "reserve", full)
    disk = PlacesOnDisk()
    disk.expect(5)
    disk.take(["x"])
    assert not disk.write("x", 0, np.zeros(1))
    assert disk.columns() == {}
    monkeypatch.setattr(np, "empty", lambda *given: (_ for _ in ()).throw(MemoryError))
    places = PlacesInMemory()
    places.expect(5)
    assert places.of(["x"], 0, 1) is None
