"""What holds for every version: one number, a changelog that tells it, stored files that still load."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import tallystick
from tallystick.model.file import VERSION

ROOT = Path(__file__).resolve().parents[2]
HEADING = re.compile(r"^## (\d+\.\d+\.\d+) \((unreleased|\d{4}-\d\d-\d\d)\)$", re.MULTILINE)


def versions() -> list[tuple[str, str]]:
    """Return the versions of the changelog and when each was made, as they stand there."""
    return HEADING.findall((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))


def test_the_version_stands_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["scikit-build"]["metadata"]["version"]["input"] == "src/tallystick/__init__.py"
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited is not None
    assert cited[1] == tallystick.__version__


def test_the_changelog_tells_this_version_first_and_every_version_once():
    numbers = [number for number, _ in versions()]
    assert numbers[0] == tallystick.__version__
    assert numbers == sorted(set(numbers), key=lambda v: tuple(map(int, v.split("."))), reverse=True)
    headings = re.findall(r"^## .*$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(headings) == len(numbers), "a heading is '## 1.2.3 (2026-01-31)' or '## 1.2.3 (unreleased)'"
    assert all(made != "unreleased" for _, made in versions()[1:])


def test_every_version_of_the_changelog_has_lines():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    parts = HEADING.split(text)[1:]
    for number, body in zip(parts[::3], parts[2::3], strict=True):
        assert re.search(r"^- ", body, re.MULTILINE), f"nothing is told of {number}"


def test_no_sentence_of_the_changelog_stands_twice_or_begins_in_the_middle():
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n- ")[1:]
    assert [line[:60] for line in lines if not re.match(r"[A-Z`]|scikit-learn", line)] == []
    sentences = [s for line in lines for s in re.split(r"(?<=[.;])\s", " ".join(line.split())) if len(s) > 40]
    assert [s for s in set(sentences) if sentences.count(s) > 1] == []


def test_there_are_stored_files_of_every_format_and_they_load():
    for format_ in range(1, VERSION + 1):
        stored = sorted((ROOT / "tests" / "files" / f"v{format_}").glob("*.tally.json"))
        assert stored, f"format {format_} has no stored files"
        for path in stored:
            assert path.with_name(path.name.replace(".tally.", ".answers.")).exists()
            tallystick.load(path)
