"""The examples in the help of every command: they are there, they name every option, and they work."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command import call

from tallystick.cli.examples import EXAMPLES, SHARED
from tallystick.cli.main import COMMANDS, run, tally

pytestmark = pytest.mark.slow

LINES = [line for lines in EXAMPLES.values() for line, _ in lines] + [line for line, _ in SHARED]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_examples_in_its_help(command, capsys):
    assert EXAMPLES[command]
    assert run([command, "--help"], debug=False) == 0
    shown = capsys.readouterr().out
    for line, what in EXAMPLES[command]:
        assert line in shown
        assert what in shown


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_explained_and_stands_in_an_example(command):
    own = " ".join(line for line, _ in EXAMPLES[command])
    shared = " ".join(line for line, _ in SHARED)
    for option in tally.get_command(None, command).params:
        if option.param_type_name != "option":
            continue
        names = {*option.opts, *option.secondary_opts}
        assert option.help, f"{command} {names} has no help"
        used = {word.partition("=")[0] for word in shlex.split(own) + shlex.split(shared)}
        assert names & used, f"{command} {names} stands in no example"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_json_and_debug(command):
    names = {name for option in tally.get_command(None, command).params for name in option.opts}
    assert {"--json", "--debug"} <= names


@pytest.mark.parametrize("line", LINES)
def test_every_example_works_as_it_stands(inside, line, capfd):
    serves = line.startswith(("tally serve", "tally studio")) and "--check" not in line  # goes on for ever
    assert call(f"{line} --check" if serves else line) == 0, capfd.readouterr().err
    out = capfd.readouterr().out
    if "--json" in line and "-o -" not in line:
        json.loads(out)
    for name in re.findall(r"(?:-o|--picture) ([\w.]+\.\w+)", line):
        assert (inside / name).stat().st_size > 0


def test_the_pages_of_the_commands_are_current():
    tool = Path(__file__).resolve().parents[2] / "tools" / "make_command_pages.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
