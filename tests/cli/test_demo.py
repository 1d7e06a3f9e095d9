"""tally demo: the whole job, and no file of the user's is written over."""

from __future__ import annotations

import json
import re

import pytest
from command import bad, good

from tallystick.cli.teach import bundled

pytestmark = pytest.mark.slow  # a process per call


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A folder in which the demo was run, what it said, and the names of its files."""
    folder = tmp_path_factory.mktemp("demo")
    text = good("demo", "--folder", "a/b", cwd=folder)
    return folder / "a" / "b", text, sorted(path.name for path in (folder / "a" / "b").iterdir())


def test_demo_does_the_whole_job(done):
    _, text, made = done
    for word in (
        "tally describe",
        "tally fit",
        "tally compare",
        "tally predict",
        "tally verify",
        "verified",
    ):
        assert word in text
    assert made == sorted({*bundled(), "new.csv", "report.html", "votes.tally.json"})
    assert {"votes.csv", "play-tennis.csv", "household-survey.csv", "iris.csv"} <= set(made)
    assert max(map(len, text.splitlines())) <= 80


def test_demo_can_run_twice(done):
    assert json.loads(good("demo", "--folder", done[0], "--json"))["verified"] is True


@pytest.mark.parametrize("name", ["votes.csv", "new.csv", "votes.tally.json", "report.html", "xor.csv"])
def test_demo_writes_over_no_file_of_the_user(tmp_path, name):
    (tmp_path / "tally-demo").mkdir()
    own = tmp_path / "tally-demo" / name
    own.write_text("mine,1\n")
    said = bad("demo", cwd=tmp_path)
    assert "already exists and is not from this demo. Move it, or give another folder" in said
    assert own.read_text() == "mine,1\n"
    assert [path.name for path in (tmp_path / "tally-demo").iterdir()] == [name]  # nothing else was written


def test_demo_that_cannot_write_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    assert "--folder" in bad("demo", "--folder", tmp_path / "file")


def test_commands_the_demo_names_work_as_written(done):
    folder, text, _ = done
    for command in re.findall(r"\btally ((?:describe|fit|predict|verify) [^\n]+)", text):
        if "YOUR" not in command:
            good(*command.split(), cwd=folder)
