"""What a system may lack: without it the answers are the same, or the loss is the one that is told."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import pytest

from tallystick import files as system
from tallystick.errors import DataError
from tallystick.files import whole_file

PACKAGE = Path(system.__file__).parent
ONLY_SOME_HAVE = re.compile(
    r"\bimport (?:fcntl|resource|pwd|grp|termios)\b"
    r"|\bos\.(?:pread|pwrite|posix_\w+|statvfs|sysconf|getuid)\b"
)


@pytest.mark.slow
def test_calls_that_some_systems_lack_stand_in_one_file():
    found = {p.name: ONLY_SOME_HAVE.findall(p.read_text(encoding="utf-8")) for p in PACKAGE.rglob("*.py")}
    assert found.pop("files.py")
    assert {name: calls for name, calls in found.items() if calls} == {}


@pytest.mark.parametrize("lacking", [(), ("pread", "pwrite", "posix_fallocate")])
def test_bytes_are_written_and_read_at_their_place(monkeypatch, lacking):
    for name in lacking:
        monkeypatch.delattr(os, name)
    with tempfile.TemporaryFile() as file:
        handle = file.fileno()
        system.reserve(handle, 100)
        assert os.fstat(handle).st_size == 100
        assert system.write_at(handle, b"tally", 90) == 5
        assert system.read_at(handle, 7, 89) == b"\0tally\0"


def test_a_file_is_written_whole_where_nothing_can_be_locked(monkeypatch, tmp_path):
    monkeypatch.setattr(system, "fcntl", None)
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    with whole_file(tmp_path / "a.txt", "file", DataError) as sink:
        sink.write(b"counts")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"a.txt": b"counts"}


def test_without_limits_and_sizes_nothing_is_foreseen(monkeypatch):
    assert system.machine_memory() > 1 << 20
    assert system.resident() > 1 << 20
    monkeypatch.setattr(system, "resource", None)
    monkeypatch.delattr(os, "sysconf")
    monkeypatch.delattr(os, "statvfs")
    assert system.machine_memory() == system.UNKNOWN
    assert system.address_limit() == -1
    assert not system.is_read_only("/")


def test_an_open_file_has_a_path_where_the_system_gives_one():
    with tempfile.TemporaryFile() as file:
        file.write(b"rows")
        file.flush()
        path = system.path_of(file.fileno())
        assert path is not None
        assert Path(path).read_bytes() == b"rows"
    assert system.path_of(10**6) is None
