"""Zip files: the one table inside, whatever it is; several are asked about, damage is one line."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import tallystick as ts

CSV = "x,y\n" + "".join(f"{i % 8},{'ab'[i % 3 == 0]}\n" for i in range(40))


def packed(folder, **files):
    with zipfile.ZipFile(folder / "t.zip", "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return str(folder / "t.zip")


def test_the_table_inside_gives_the_model_of_the_file(tmp_path):
    (tmp_path / "t.csv").write_text(CSV)
    path = packed(tmp_path, **{"t.csv": CSV, "__MACOSX/._t.csv": "x"})
    here, there = (ts.DecisionTree().fit(file, "y").to_bytes() for file in (path, str(tmp_path / "t.csv")))
    assert here == there
    assert ts.read(path).name == "'t.csv' in t.zip"
    assert ts.read(path).files == (path,)


def test_of_several_files_one_is_named(tmp_path):
    path = packed(tmp_path, **{"a.csv": CSV, "b.json": '{"p": 1, "q": "z"}\n'})
    with pytest.raises(ts.TallyError, match=r"t\.zip has 2 files: 'a\.csv', 'b\.json'\. Name one: "):
        ts.read(path)
    assert ts.read(path, table="b.json").columns == ("p", "q")


def test_a_locked_or_damaged_zip_file_is_one_line(tmp_path):
    path = packed(tmp_path, **{"t.csv": CSV})
    whole = bytearray(Path(path).read_bytes())
    bad = whole.copy()
    bad[40:60] = bytes(20)
    Path(path).write_bytes(bad)
    with pytest.raises(ts.TallyError, match=r"t\.zip is a zip file or an Excel workbook that cannot be read"):
        ts.read(path)
    for flags in (6, whole.rindex(b"PK\x01\x02") + 8):
        whole[flags] |= 1
    Path(path).write_bytes(whole)
    with pytest.raises(ts.TallyError, match=r"t\.zip is locked with a password\. Unpack it first\."):
        ts.read(path)


def test_an_empty_zip_file_is_one_line(tmp_path):
    path = packed(tmp_path, **{"__MACOSX/x": "1"})
    with pytest.raises(ts.TallyError, match=r"t\.zip has no file that holds anything"):
        ts.read(path)
