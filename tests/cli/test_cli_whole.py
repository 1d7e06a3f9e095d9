"""The command line as a whole: every command, every option, every example, every exit code."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

import tallystick as ts
from tallystick.cli.examples import EXAMPLES, SHARED
from tallystick.cli.main import COMMANDS, run, tally

pytestmark = pytest.mark.slow

VOTES = resources.files("tallystick.examples") / "votes.csv"
LINES = [line for lines in EXAMPLES.values() for line, _ in lines] + [line for line, _ in SHARED]


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """A folder with what the examples speak of."""
    folder = tmp_path_factory.mktemp("examples")
    text = VOTES.read_text(encoding="utf-8")
    (folder / "votes.csv").write_text(text, encoding="utf-8")
    shutil.copy(resources.files("tallystick.examples") / "play-tennis.csv", folder)
    few = [line.rpartition(",")[0] for line in text.splitlines()[:7]]
    (folder / "new.csv").write_text("\n".join(few) + "\n", encoding="utf-8")
    ts.NaiveBayes().fit(folder / "votes.csv", "party").save(folder / "votes.tally.json")
    ts.DecisionTree().fit(folder / "votes.csv", "party").save(folder / "tree.tally.json")
    days = [
        f"2026-01-{i % 28 + 1:02},{'abc'[i % 3]},{i * 7 % 5},{'yes' if i * 7 % 5 > 2 else 'no'}"
        for i in range(56)
    ]
    (folder / "days.csv").write_text("day,shop,orders,late\n" + "\n".join(days) + "\n")
    (folder / "semicolon.csv").write_text("a;b\n1,5;x\n2,5;y\n3,5;x\n")
    (folder / "bare.csv").write_text("1,x\n2,y\n3,x\n")
    (folder / "latin.csv").write_bytes("name,b\ncafé,1\nthé,2\ncafé,3\n".encode("cp1252"))
    (folder / "ragged.csv").write_text("a,b\n1,x\n2\n3,y\n")
    (folder / "infinite.csv").write_text("a,b\n1,x\ninf,y\n3,x\n")
    (folder / "sizes.csv").write_text("code,size\n" + "".join(f"c{i},{'SML'[i % 3]}\n" for i in range(40)))
    return folder


@pytest.fixture
def folder(ready, tmp_path, monkeypatch):
    shutil.copytree(ready, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(line):
    """Run one command line in this process, up to the first | or >; return its exit code."""
    words = shlex.split(line)
    assert words[0] == "tally"
    args = words[1 : next((i for i, w in enumerate(words) if w in ("|", ">")), len(words))]
    try:
        return run(args, debug=False)
    except SystemExit as done:
        return done.code or 0


# -- help and examples --


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
def test_every_example_works_as_it_stands(folder, line, capfd):
    assert call(line) == 0, capfd.readouterr().err
    out = capfd.readouterr().out
    if "--json" in line and "-o -" not in line:
        json.loads(out)
    for name in re.findall(r"(?:-o|--picture) ([\w.]+\.\w+)", line):
        assert (folder / name).stat().st_size > 0


def test_the_pages_of_the_commands_are_current():
    tool = Path(__file__).resolve().parents[2] / "tools" / "make_command_pages.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


# -- fit --


def test_fit_prints_the_model_its_score_the_notes_and_the_next_command(folder, capfd):
    (folder / "wide.csv").write_text(
        "\n".join(
            f"{line},{'always' if i else 'same'}" for i, line in enumerate(VOTES.read_text().splitlines())
        )
    )
    assert call("tally fit wide.csv -t party --model tree -o 'my tree.tally.json'") == 0
    seen = capfd.readouterr()
    assert "├─ physician-fee-freeze = n or missing" in seen.out
    assert re.search(r"accuracy +0\.\d{4} \(95 % interval 0\.\d{4} to 0\.\d{4}", seen.out)
    assert re.search(r"log-loss +0\.\d{4} \(95 % interval", seen.out)
    assert "same" in seen.err  # the constant column is in the notes
    assert seen.out.endswith("next: tally predict 'my tree.tally.json' NEW.csv -o predictions.csv\n")


def test_fit_scores_are_those_of_python(folder, capfd):
    assert call("tally fit votes.csv -t party --json --folds 5") == 0
    score = json.loads(capfd.readouterr().out)["score"]
    known = ts.cross_validate(ts.NaiveBayes(), "votes.csv", "party", folds=5).measure("accuracy")
    assert score["folds"] == 5
    assert score["measures"]["accuracy"]["value"] == known.value
    assert score["measures"]["accuracy"]["low"] == known.low


def test_fit_of_too_few_rows_says_why_there_is_no_score(folder, capfd):
    Path("two.csv").write_text("a,y\n1,b\n2,c\n")
    assert call("tally fit two.csv -t y -o two.tally.json --kind a=numeric") == 0
    assert "Not cross-validated: folds=10 needs at least 10 rows, found 2." in capfd.readouterr().out
    assert Path("two.tally.json").exists()


@pytest.mark.slow
def test_fit_best_takes_the_method_that_compare_takes(folder, capfd):
    shutil.copy("play-tennis.csv", "tennis.csv")
    assert call("tally fit tennis.csv -t Play --model best --json --folds 0") in (0, 2)
    seen = capfd.readouterr()
    chosen = ts.compare("tennis.csv", "Play", tuned=False)
    if chosen.chosen.family == "majority":
        assert "no method is better than the most frequent class" in seen.err
    else:
        found = json.loads(seen.out)
        assert found["kind"] == chosen.model.kind
        assert found["why"] == chosen.why
    assert call("tally fit tennis.csv -t Play --model best --set alpha=1") == 2


# -- pipes --


def test_a_model_goes_through_a_pipe_untouched(folder):
    command = f"{sys.executable} -m tallystick.cli fit votes.csv -t party -o - --folds 0 > piped.tally.json"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert Path("piped.tally.json").read_bytes() == Path("votes.tally.json").read_bytes()
    assert b"saved standard output" in done.stderr


def test_predictions_into_a_pipe_are_rows_alone(folder, capfd):
    assert call("tally predict votes.tally.json new.csv -o -") == 0
    piped = capfd.readouterr()
    assert call("tally predict votes.tally.json new.csv") == 0
    assert piped.out == capfd.readouterr().out
    assert piped.out.startswith("prediction,probability\n")
    assert "missing cells" in piped.err


# -- explain --


def test_explain_counts_rows_from_1_and_says_so(folder, capfd):
    rows = Path("new.csv").read_text().splitlines()
    Path("third.csv").write_text(rows[0] + "\n" + rows[3] + "\n")
    for model in ("votes", "tree"):
        assert call(f"tally explain {model}.tally.json new.csv --row 3") == 0
        third = capfd.readouterr().out.partition("\n")[2]
        assert call(f"tally explain {model}.tally.json third.csv --row 1") == 0
        assert capfd.readouterr().out.partition("\n")[2] == third
    assert call("tally explain votes.tally.json new.csv --row 7") == 2
    assert "--row 7 is not there: new.csv has 6 rows, counted from 1" in capfd.readouterr().err
    assert call("tally explain votes.tally.json new.csv --row 0") == 2


def test_explain_of_naive_bayes_shows_the_counts_of_every_column_it_used(folder, capfd):
    assert call("tally explain votes.tally.json new.csv --row 3 --json") == 0
    found = json.loads(capfd.readouterr().out)
    counts = {c["column"]: c["counts"] for c in found["counts"]}
    assert counts["crime"] == {"democrat": 90, "republican": 158}
    assert "physician-fee-freeze" not in counts  # missing in this row: it says nothing


def test_explain_works_for_every_kind_of_model(folder, capfd):
    rows = [{"x": i, "z": "ab"[i % 2], "y": i * 1.5} for i in range(20)]
    Path("line.csv").write_text("x,z\n3,a\n")
    ts.RegressionTree(min_samples_leaf=3).fit(rows, "y").save("line.tally.json")
    ts.LogisticRegression().fit("votes.csv", "party").save("logistic.tally.json")
    assert call("tally explain line.tally.json line.csv") == 0
    assert call("tally explain logistic.tally.json new.csv --row 2") == 0
    assert "sum: log-odds" in capfd.readouterr().out


# -- exit codes --


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("tally diff votes.tally.json votes.tally.json", 0),
        ("tally diff votes.tally.json tree.tally.json", 1),
        ("tally verify votes.tally.json votes.csv", 0),
        ("tally verify tree.tally.json some.csv", 1),
        ("tally explain votes.tally.json nobody.csv", 2),
        ("tally explain new.csv new.csv", 2),
        ("tally fit votes.csv", 2),
        ("tally fit votes.csv -t party --folds -1", 2),
        ("tally nonsense", 2),
    ],
)
def test_exit_codes_are_those_the_documentation_names(folder, line, code, capfd):
    Path("some.csv").write_text("".join(line + "\n" for line in VOTES.read_text().splitlines()[:80]))
    assert call(line) == code
    err = capfd.readouterr().err
    assert "Traceback" not in err
    if code == 2:
        assert err.startswith("tally: ")
        assert err.count("\n") == 1


# -- shell completion --


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("tally ex", {"explain"}),
        ("tally fit --mo", {"--model"}),
        ("tally fit votes.csv --model b", {"bayes", "best"}),
    ],
)
def test_bash_completes_commands_options_and_choices(typed, offered):
    words = typed.split()
    env = os.environ | {
        "_TALLY_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(words) - 1),
    }
    command = [sys.executable, "-m", "tallystick.cli"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert offered <= {line.partition(",")[2] for line in done.stdout.splitlines()}


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_the_completion_script_is_bash_and_completes_files_too():
    env = os.environ | {"_TALLY_COMPLETE": "bash_source"}
    command = [sys.executable, "-m", "tallystick.cli"]
    script = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    assert "complete -o nosort -F _tally_completion tally" in script
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    env = os.environ | {"_TALLY_COMPLETE": "bash_complete", "COMP_WORDS": "tally fit v", "COMP_CWORD": "2"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "file,v"
