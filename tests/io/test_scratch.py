"""Room on disk: files without a name, arrays over them, and a full disk told in one line."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest

from tallystick.errors import DataError
from tallystick.io.scratch import DiskBeyond, ScratchFile, all_kept, empty, no_room, on_disk, padded


def test_what_was_written_is_read_and_seen_through_a_view():
    file = ScratchFile()
    file.append(b"abc", np.arange(2, dtype=np.uint8))
    file.write(b"X", 1)
    assert file.size == 5
    assert file.read(0, 5) == b"aXc\x00\x01"
    assert bytes(file.view()) == b"aXc\x00\x01"
    file.close()


def test_a_file_has_no_name_and_an_empty_one_no_view(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    file = ScratchFile()
    file.append(b"a")
    assert os.listdir(tmp_path) == []
    assert ScratchFile().view() == b""


def test_bytes_that_are_not_there_are_an_error():
    with pytest.raises(DataError, match="a scratch file lost its bytes"):
        ScratchFile().read(0, 1)


def test_an_array_on_disk_is_an_array():
    array = empty((3, 4), np.int32)
    array[:] = 7
    assert (array.shape, int(array.sum())) == ((3, 4), 84)
    assert empty(0, float).shape == (0,)


def test_large_arrays_lie_on_disk_and_are_zeros_there():
    room = DiskBeyond(800)
    small, large = room((10, 10), np.float64), room((101,), np.float64)
    assert not on_disk(small)
    assert on_disk(large)
    assert (small.shape, large.shape, large.dtype) == ((10, 10), (101,), np.float64)
    assert not large.any()
    assert not on_disk(DiskBeyond()((1 << 20,), np.uint8))
    assert not DiskBeyond(800, np.zeros)((10, 10), np.int64).any()


def test_a_folder_that_takes_no_file_and_a_full_disk_are_told_with_a_cure(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(DataError, match=r"scratch files cannot be written in the temporary folder .* TMPDIR"):
        ScratchFile()
    full = no_room(OSError(errno.ENOSPC, "No space left on device"))
    assert "is full: no room for scratch files. Free some, or set TMPDIR" in str(full)


def test_too_many_open_files_are_told_with_a_cure(monkeypatch):
    def refused(*given, **named):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("mmap.mmap", refused)
    with pytest.raises(DataError, match=r"too many files are open for another scratch file.* \(ulimit -n\)"):
        empty(3, np.int32)


def test_many_arrays_lie_in_one_file_and_empty_ones_anywhere():
    given = {"a": np.arange(5), "none": np.empty((0, 3)), "b": np.ones((2, 3), np.int32), "last": np.empty(0)}
    one, other = all_kept([given, {"a": np.arange(3)}])
    assert {name: array.tolist() for name, array in one.items()} == {n: a.tolist() for n, a in given.items()}
    assert (one["none"].shape, other["a"].tolist()) == ((0, 3), [0, 1, 2])
    assert all(map(on_disk, (one["a"], one["b"], other["a"])))
    one["b"][...] = 7
    assert other["a"].tolist() == [0, 1, 2]


POOLS = """
import pyarrow as pa
from tallystick.io import scratch
if {chosen!r}:
    pa.set_memory_pool(getattr(pa, {chosen!r} + "_memory_pool")())
scratch.give_back_at_once()
print(pa.default_memory_pool().backend_name)
"""


@pytest.mark.slow
@pytest.mark.parametrize("chosen", ["", *pa.supported_memory_backends()[1:]])
def test_a_pool_that_somebody_set_for_arrow_stays(chosen):
    clean = {k: v for k, v in os.environ.items() if k != "ARROW_DEFAULT_MEMORY_POOL"}
    done = subprocess.run(
        [sys.executable, "-c", POOLS.format(chosen=chosen)],
        env=clean,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [chosen or "system"]


def test_arrays_begin_at_multiples_of_64_bytes():
    assert [padded(n) for n in (0, 1, 64, 65)] == [0, 64, 64, 128]


def test_a_place_that_is_claimed_is_nobody_elses():
    file = ScratchFile()
    file.append(b"abc")
    with ThreadPoolExecutor(4) as pool:
        places = sorted(pool.map(file.claim, [5] * 200))
    assert (places, file.size) == (list(range(3, 1003, 5)), 1003)
    file.write(b"later", places[-1])
    assert file.read(places[-1], 5) == b"later"
    file.close()
