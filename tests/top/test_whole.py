"""A file is written whole or not at all."""

from __future__ import annotations

import os
import threading

import pytest

from tallystick.errors import DataError
from tallystick.files import replaced, whole_file


def write(path, data, fail=False):
    with whole_file(path, "model file", DataError) as sink:
        sink.write(data)
        if fail:
            raise RuntimeError("in the middle")
        return sink.tell()


def test_what_was_written_is_there_and_nothing_else(tmp_path):
    path = tmp_path / "m.json"
    assert write(path, b"one") == 3
    assert write(path, b"two!") == 4
    assert path.read_bytes() == b"two!"
    assert os.listdir(tmp_path) == ["m.json"]
    assert str(path) in replaced()


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "m.json"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError, match="in the middle"):
        write(path, b"new", fail=True)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["m.json"]


def test_what_a_killed_writer_left_is_swept_and_files_of_others_stay(tmp_path):
    (tmp_path / ".m.json.0123456789ab.part").write_bytes(b"half")
    (tmp_path / ".other.json.0123456789ab.part").write_bytes(b"half")
    (tmp_path / ".m.json.part").write_bytes(b"mine")
    write(tmp_path / "m.json", b"whole")
    assert sorted(os.listdir(tmp_path)) == [".m.json.part", ".other.json.0123456789ab.part", "m.json"]


def test_a_link_leads_to_the_file_it_led_to(tmp_path):
    (tmp_path / "real.json").write_bytes(b"old")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    write(tmp_path / "link.json", b"new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_bytes() == b"new"


def test_a_pipe_is_written_to_and_never_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write(pipe, b"through")
    reader.join(10)
    assert got == [b"through"]
    assert pipe.is_fifo()


def test_a_place_that_takes_no_file_is_one_line_that_names_it(tmp_path):
    with pytest.raises(
        DataError, match=r"cannot write the model file '.*gone/m\.json': .* Nothing was changed"
    ) as caught:
        write(tmp_path / "gone" / "m.json", b"x")
    assert "\n" not in str(caught.value)
