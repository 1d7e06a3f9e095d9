"""The files that the studio may read."""

from __future__ import annotations

import pytest

from tallystick.serve.requests import Refused
from tallystick.studio.folder import Folder, harmless


def test_tables_of_the_folder_are_listed_and_nothing_else(tmp_path):
    for name in ("b.csv", "a.parquet", ".hidden.csv", "note.md", "m.tally.json"):
        (tmp_path / name).write_text("x")
    (tmp_path / "folder.csv").mkdir()
    assert Folder(tmp_path, tmp_path / "scratch").names() == ["a.parquet", "b.csv"]


def test_a_link_out_of_the_folder_is_refused_and_one_inside_is_not(tmp_path):
    inside, out = tmp_path / "in", tmp_path / "secret.csv"
    inside.mkdir()
    out.write_text("x")
    (inside / "good.csv").write_text("x")
    (inside / "same.csv").symlink_to(inside / "good.csv")
    (inside / "evil.csv").symlink_to(out)
    folder = Folder(inside, tmp_path / "scratch")
    assert folder.find("same.csv") == inside / "good.csv"
    for name in ("evil.csv", "../secret.csv", str(out)):
        with pytest.raises(Refused):
            folder.find(name)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\evil.csv", "evil.csv"),
        ("<script>.csv", "_script_.csv"),
        ("..", "table.csv"),
        ("", "table.csv"),
        ("größe 1.csv", "größe 1.csv"),
        ("a" * 500 + ".csv", "a" * 116 + ".csv"),
    ],
)
def test_a_dropped_name_becomes_a_name_and_no_way(name, kept):
    assert harmless(name) == kept
