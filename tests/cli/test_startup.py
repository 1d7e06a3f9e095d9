"""What `tally` loads before it answers: nothing that the answer does not need. Told by the modules that are
loaded at the end of a process, not by its time.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import resources

import pytest
from command import TALLY, good

from tallystick.cli.main import COMMANDS
from tallystick.export.targets import TARGETS

pytestmark = pytest.mark.slow  # a process per call

TOLD = """import atexit, sys
atexit.register(lambda: print("loaded", *sys.modules, file=sys.stderr))
from tallystick.cli.main import main
main(sys.argv[1:])"""
ALWAYS = "tallystick cli cli.examples cli.main errors files"
LIBRARIES = {"numpy", "pyarrow", "pandas", "rich", "jinja2"}
FORMATS = {"json_lines", "columnar", "database", "workbook"}
NOT_ASKED = {"description", "reports", "serve", "spark", "studio", "teach"}


def loaded(*args, cwd=None, **env):
    done = subprocess.run(
        [sys.executable, "-c", TOLD, *args], capture_output=True, text=True, cwd=cwd, env=os.environ | env
    )
    assert done.returncode in (0, 2), done.stderr
    return set(done.stderr.rpartition("loaded ")[2].split())


def ours(modules):
    return {name.removeprefix("tallystick.") for name in modules if name.partition(".")[0] == "tallystick"}


@pytest.mark.parametrize("args", [["--help"], [], ["--version"], ["fitt"]], ids=str)
def test_help_and_a_misspelt_command_load_no_command_and_no_library(args):
    modules = loaded(*args)
    assert ours(modules) == set(ALWAYS.split())
    assert not modules & {*LIBRARIES, "ctypes"}


def test_completing_a_command_loads_none():
    modules = loaded(_TALLY_COMPLETE="zsh_complete", COMP_WORDS="tally ", COMP_CWORD="1")
    assert ours(modules) == set(ALWAYS.split())


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("export", "work")])
def test_the_help_of_a_command_loads_no_library(command):
    assert not loaded(command, "--help") & LIBRARIES


def test_help_names_every_target_of_export():
    *most, last = (target.words for target in TARGETS.values())
    assert COMMANDS["export"][1] == f"A saved model as {', '.join(most)} or {last}."


KINDS = ["tree", "bayes", "logistic", "card", "rules", "rule-set", "optimal", "regression", "linear"]


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    votes = (resources.files("tallystick.examples") / "votes.csv").read_text(encoding="utf-8")
    (folder / "votes.csv").write_text(votes, encoding="utf-8")
    numbers = "".join(f"{i % 7},{i % 3},{i * 3 % 11}.5\n" for i in range(40))
    (folder / "numbers.csv").write_text(f"a,b,y\n{numbers}", encoding="utf-8")
    for kind in KINDS:
        file, target = rows(kind)
        given = ("-t", target, "--model", kind, "--folds", "0", "-o", f"{kind}.tally.json")
        good("fit", file, *given, cwd=folder)
    return folder


def rows(kind):
    return ("numbers.csv", "y") if kind in ("regression", "linear") else ("votes.csv", "party")


@pytest.mark.parametrize("kind", KINDS)
def test_predicting_loads_neither_learning_nor_judging_nor_other_formats(fitted, kind):
    modules = loaded("predict", f"{kind}.tally.json", rows(kind)[0], "-o", f"{kind}.csv", cwd=fitted)
    names = ours(modules)
    assert not {name.partition(".")[0] for name in names} & NOT_ASKED
    assert not {name for name in names if name.endswith((".report", ".work"))}
    assert not names & {f"io.{name}" for name in FORMATS}
    assert not modules & {"pandas", "pyarrow.parquet", "pyarrow.fs", "ssl", "zipfile", "secrets"}


def test_the_end_of_a_process_that_asked_a_database_is_silent(fitted):
    pytest.importorskip("duckdb")  # it tells of whatever is not let go
    query = "SELECT * FROM 'votes.csv' LIMIT 3"
    asked = [*TALLY, "predict", "tree.tally.json", query, "-o", "asked.csv"]
    done = subprocess.run(asked, capture_output=True, text=True, cwd=fitted, check=True)
    assert "leaked" not in done.stderr


@pytest.mark.parametrize("kind", ["tree", "card"])
def test_a_fit_that_is_not_judged_loads_no_other_method(fitted, kind):
    names = ours(loaded("fit", "votes.csv", "-t", "party", "--model", kind, "--folds", "0", cwd=fitted))
    others = {"tree": "scorecard", "card": "tree"}
    assert f"estimators.{others[kind]}" not in names
    assert not {name for name in names if name.startswith(("reports.", "working.", "description."))}
