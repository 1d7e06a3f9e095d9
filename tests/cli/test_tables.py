"""The bundled tables come as they are."""

from __future__ import annotations

from importlib import resources

import pytest

import tallystick as ts
from tallystick.cli.teach import bundled, deliver


def test_every_bundled_table_is_named_in_its_page_and_can_be_read():
    page = (resources.files("tallystick.examples") / "README.md").read_text(encoding="utf-8")
    for name in bundled():
        assert name.partition(".")[0].removesuffix("-more") in page
        assert ts.read(str(resources.files("tallystick.examples") / name)).columns


def test_tables_are_delivered_byte_for_byte(tmp_path):
    (path,) = deliver(str(tmp_path / "new"), ["xor.csv"])
    with open(path, "rb") as file:
        assert file.read() == bundled()["xor.csv"]


def test_a_folder_that_cannot_be_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ts.TallyError, match="cannot write to the folder"):
        deliver(str(tmp_path / "file"), ["xor.csv"])
