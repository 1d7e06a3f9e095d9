"""Has a file changed since it was opened?"""

from __future__ import annotations

import os

import pytest

from tallystick.errors import DataError
from tallystick.files import Stamp, unchanged


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    return path, Stamp.of(str(path), "t.csv")


def test_a_file_that_nobody_touched_is_as_it_was(file):
    path, stamp = file
    path.read_text()
    stamp.check()


def test_more_bytes_another_file_and_no_file_are_told(file):
    path, stamp = file
    path.write_text("a\n1\n2\n")
    with pytest.raises(DataError, match=r"t\.csv changed while it was read \(it had 4 bytes, now 6\)"):
        stamp.check()
    path.unlink()
    with pytest.raises(DataError, match=r"t\.csv was removed while it was read"):
        stamp.check()


def test_the_same_bytes_with_the_old_time_are_a_changed_file(file):
    path, stamp = file
    before = path.stat()
    path.write_text("a\n2\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(DataError, match=r"changed while it was read\. Read it again"):
        stamp.check()


@pytest.mark.parametrize(
    "other",
    [
        DataError("line 2 is damaged."),
        OSError(5, "input/output error"),
        UnicodeDecodeError("utf-8", b"", 0, 1, ""),
    ],
)
def test_a_change_is_the_error_whatever_else_went_wrong(file, other):
    path, stamp = file
    path.write_text("b\n")
    with pytest.raises(DataError, match="changed while it was read"), unchanged([stamp]):
        raise other


def test_another_error_stays_what_it_is_and_a_quiet_reading_passes(file):
    _, stamp = file
    with pytest.raises(DataError, match="line 2 is damaged"), unchanged([stamp]):
        raise DataError("line 2 is damaged.")
    with unchanged([stamp]):
        pass
