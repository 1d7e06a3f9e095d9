"""The script and the commands of the studio, run: the same bytes."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from command import good

import tallystick as ts
from tallystick.studio.session import TableWishes, command_lines, file_names, fitting, python_script, typed

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "estimator",
    [
        ts.NaiveBayes(alpha=0.5),
        ts.DecisionTree(pruning=ts.CostComplexity(0.02), max_leaf_nodes=6),
        ts.DecisionTree.id3(),
    ],
    ids=lambda e: typed(e)[:30],
)
def test_script_and_commands_write_the_bytes_of_the_studio(tables, tmp_path, estimator):
    asked = (
        TableWishes("days.csv", tables / "days.csv", "play").with_missing("-999").with_kind("sky", "levels")
    )
    family = {"NaiveBayes": "bayes", "DecisionTree": "tree"}[type(estimator).__name__]
    made = estimator.set_params(**asked.shared)
    wanted = made.fit(str(asked.path), "play").to_bytes()
    file, page = file_names("play")
    how = (asked, [family], 3, False)
    script = python_script(*how, fitting(asked, made))
    commands = command_lines(*how, (family, made)).splitlines()
    assert len(commands) == 3
    pages = []
    for way in ("script", "command"):
        folder = tmp_path / way
        folder.mkdir()
        shutil.copy(asked.path, folder)
        if way == "script":
            (folder / "job.py").write_text(script)
            command = [sys.executable, "job.py"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
        else:
            import shlex

            for line in commands[1:]:
                words = shlex.split(line)
                assert words[0] == "tally"
                good(*words[1:], cwd=folder)
        assert (folder / file).read_bytes() == wanted
        pages.append((folder / page).read_bytes())
    assert pages[0] == pages[1]


def test_names_of_files_are_names():
    assert file_names("../a b") == ("a-b.tally.json", "a-b.html")
    assert file_names("party") == ("party.tally.json", "party.html")
