"""Manual pages and help: an example first, every command by its job."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tallystick.cli.examples import EXAMPLES
from tallystick.cli.main import COMMANDS, JOBS, tally

ROOT = Path(__file__).resolve().parents[2]


def test_help_names_every_command_once_by_its_job():
    text = CliRunner().invoke(tally, ["--help"]).output
    for name in COMMANDS:
        assert sum(line.split()[:1] == [name] for line in text.splitlines()) == 1, name
    assert all(f"{job}:" in text for job in JOBS)
    assert {name for names in JOBS.values() for name in names} <= set(COMMANDS)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_begins_with_an_example(name):
    text = CliRunner().invoke(tally, [name, "--help"]).output
    assert text.startswith(f"Example: {EXAMPLES[name][0][0]}\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("man1")
    tool = [sys.executable, str(ROOT / "tools" / "make_man_pages.py"), str(out)]
    subprocess.run(tool, check=True, capture_output=True)
    return out


@pytest.mark.slow
def test_every_command_has_a_manual_page(folder):
    assert {p.stem for p in folder.glob("*.1")} == {"tally", *(f"tally-{name}" for name in COMMANDS)}
    fit = (folder / "tally-fit.1").read_text(encoding="utf-8")
    assert fit.index(".SH EXAMPLE") < fit.index(".SH SYNOPSIS") < fit.index(".SH OPTIONS")
    assert r"\-\-target" in fit


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_manual_pages_are_set_without_a_warning(folder):
    for path in sorted(folder.glob("*.1")):
        groff = ["groff", "-man", "-Tutf8", "-ww", "-K", "utf8", "-P-c", "-P-bou", str(path)]
        done = subprocess.run(groff, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        assert "EXAMPLE" in done.stdout or path.stem == "tally"
