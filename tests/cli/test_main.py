"""The way in and out of `tally`: help, errors of one line, exit codes, pipes, interrupts."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path

import pytest
from command import TALLY, bad, call, good, on_a_terminal, tally

pytestmark = pytest.mark.slow  # a process per call

VOTES = resources.files("tallystick.examples") / "votes.csv"

ESCAPE = "\x1b"


def test_what_is_written_does_not_depend_on_the_seed_of_hashes(tmp_path):
    (tmp_path / "votes.csv").write_bytes(VOTES.read_bytes())
    written = []
    for seed in "01":  # processes of their own: those that are forked have one seed
        env = os.environ | {"PYTHONHASHSEED": seed}
        fit = [*TALLY, "fit", "--model", "tree", "votes.csv", "--target", "party", "-o", f"{seed}.tally.json"]
        subprocess.run(fit, cwd=tmp_path, env=env, check=True, capture_output=True)
        told = subprocess.run(
            [*TALLY, "describe", "votes.csv", "--target", "party"],
            cwd=tmp_path, env=env, check=True, capture_output=True,
        )  # fmt: skip
        written.append((told.stdout, (tmp_path / f"{seed}.tally.json").read_bytes()))
    assert written[0] == written[1]


# ---- help and version ----


def test_help_lists_the_commands_by_job_in_the_order_of_the_work():
    text = good("--help")
    jobs = text.partition("Look, learn, predict:")[2]
    assert re.findall(r"^  (\w+) {2,}", jobs, re.MULTILINE) == [
        *("demo", "describe", "fit", "predict", "explain", "density"),
        *("compare", "curve", "decide", "prune", "splits", "separable"),
        *("report", "studio", "draw", "export", "serve"),
        *("verify", "diff", "card"),
        *("lesson", "work", "bayes"),
    ]
    assert good("-h") == text == good()


@pytest.mark.parametrize("command", ["demo", "describe", "fit", "predict", "explain", "verify", "diff"])
def test_every_command_has_help_and_json_and_debug(command):
    text = good(command, "--help")
    assert "--json" in text
    assert "--debug" in text


def test_version_is_that_of_the_package():
    import tallystick

    assert good("--version") == f"tally {tallystick.__version__}\n"


def test_the_installed_command_is_the_same():
    command = Path(sys.executable).with_name("tally")
    done = subprocess.run([command, "--version"], capture_output=True, check=True)
    assert done.stdout.decode() == good("--version")


# ---- errors ----


def test_one_of_a_thing_is_not_told_as_several(fitted):
    lines = (fitted / "votes.csv").read_text().splitlines()
    (fitted / "one.csv").write_text("\n".join(lines[:2]))
    (fitted / "none.csv").write_text("x\n")
    told = bad("explain", "votes.tally.json", "one.csv", "--row", "3", cwd=fitted)
    assert "one.csv has 1 row, counted from 1" in told
    assert "a header (1 column) but no rows" in bad(
        "fit", "--model", "bayes", "none.csv", "-t", "x", cwd=fitted
    )
    import tallystick as ts

    tree = ts.DecisionTree().fit(fitted / "votes.csv", "party").prune(alpha=1.0)
    assert any(" to 1 leaf. " in note.text for note in tree.notes_)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["describe"], "FILE"),
        (["nothing"], "nothing"),
        (["fit", "--model", "bayes", "votes.csv"], "--target"),
        (["fit", "votes.csv", "-t", "party", "--model", "oracle"], "oracle"),
        (["fit", "--model", "bayes", "votes.csv", "-t", "party", "--threads", "0"], "threads"),
        (["fit", "--model", "bayes", "votes.csv", "-t", "prty", "-o", "x.tally.json"], "'party'"),
        (["fit", "--model", "bayes", "votes.csv", "-t", "party", "--set", "alpha"], "NAME=VALUE"),
        (["fit", "--model", "bayes", "votes.csv", "-t", "party", "--set", "alhpa=1"], "'alpha'"),
        (
            [
                "fit",
                "--model",
                "bayes",
                "votes.csv",
                "-t",
                "party",
                "--set",
                "alpha=-1",
                "-o",
                "x.tally.json",
            ],
            "alpha",
        ),
        (["fit", "--model", "bayes", "votes.csv", "-t", "party", "--kind", "crime"], "NAME=VALUE"),
        (["fit", "--model", "bayes", "votes.csv", "-t", "party", "--kind", "crime=colour"], "colour"),
        (["fit", "--model", "bayes", "votes.csv", "-t", "party", "--kind", "crim=out"], "'crime'"),
        (
            ["fit", "--model", "bayes", "votes.csv", "-t", "party", "-o", "no/such/x.tally.json"],
            "No such file",
        ),
        (["describe", "vote.csv"], "'votes.csv'"),
        (["describe", "."], "directory"),
        (["describe", "empty.csv"], "empty (0 bytes)"),
        (["describe", "header.csv"], "no rows"),
        (
            ["report", "header.csv", "-t", "a", "-o", "x.html"],
            "header.csv has a header (2 columns) but no rows.",
        ),
        (["report", "header.csv", "-t", "a", "-o", "x.html", "--memory", "64MB"], "but no rows."),
        (["describe", "none.json"], "none.json has no columns and no rows."),
        (["compare", "none.json", "-t", "a"], "none.json has no columns, so there is no 'a' to predict."),
        (["curve", "votes.csv", "-t", "party", "--repeats", "0"], "--repeats must be a whole number from 1"),
        (["compare", "votes.csv", "-t", "party", "--groups", "crim"], "--groups names column 'crim'"),
        (["compare", "votes.csv", "-t", "party", "--time", "crim"], "--time names column 'crim'"),
        (["compare", "votes.csv", "-t", "party", "--by", "crim"], "--by names column 'crim'"),
        (["predict", "votes.csv", "votes.csv"], "model"),
        (["predict", "nothing.tally.json", "votes.csv"], "No such file"),
        (["verify", "empty.csv", "votes.csv"], "empty"),
        (["diff", "votes.csv", "votes.csv"], "model"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_error_is_one_line_and_exit_code_2(folder, args, words):
    (folder / "empty.csv").write_text("")
    (folder / "header.csv").write_text("a,b\n")
    (folder / "none.json").write_text("[]\n")
    assert words in bad(*args, cwd=folder)
    assert not (folder / "x.tally.json").exists()


def test_usage_errors_point_to_the_help(folder):
    assert "Try `tally fit --help`." in bad("fit", "--model", "bayes", "votes.csv", "--nonsense", cwd=folder)


@pytest.mark.parametrize("args", [("export", "votes.tally.json"), ("draw",)])
def test_choices_that_are_missing_are_listed_without_tabs(fitted, args):
    line = bad(*args, cwd=fitted)
    assert "\\t" not in line
    assert re.search(r"Choose from: [\w, ]+\. Try `tally \w+ --help`\.$", line.strip())


def test_a_damaged_model_is_one_line(fitted):
    content = (fitted / "votes.tally.json").read_text()
    (fitted / "bad.tally.json").write_text(content.replace("267", "268", 1))
    assert "checksum" in bad("predict", "bad.tally.json", "votes.csv", cwd=fitted)
    (fitted / "cut.tally.json").write_text(content[:-100])
    bad("predict", "cut.tally.json", "votes.csv", cwd=fitted)


@pytest.mark.parametrize("place", ["before", "after"])
def test_debug_shows_the_traceback(folder, place):
    args = ["--debug", "describe", "no.csv"] if place == "before" else ["describe", "no.csv", "--debug"]
    done = tally(*args, cwd=folder)
    assert done.returncode != 0
    assert "Traceback" in done.stderr.decode()


def test_hostile_names_reach_no_terminal(tmp_path):
    name, level = "\x1b]0;owned\x07", "\x1b[31mred"
    rows = [f"{level},a", "blue,b", "blue,b", f"{level},a"]
    (tmp_path / "t.csv").write_text(f"{name},y\n" + "\n".join(rows) + "\n")
    for args in (
        ["describe", "t.csv"],
        ["describe", "t.csv", "-t", "y"],
        ["describe", "t.csv", "-t", "y", "--json"],
        ["fit", "--model", "bayes", "t.csv", "-t", "y"],
        ["fit", "--model", "bayes", "t.csv", "-t", "y", "-o", "m.tally.json"],
        ["fit", "--model", "bayes", "t.csv", "-t", name, "-o", "n.tally.json"],
        ["predict", "m.tally.json", "t.csv", "-o", "out.csv"],
    ):
        done = tally(*args, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert b"\x1b" not in done.stdout + done.stderr
    assert "\\x1b" in good("describe", "t.csv", cwd=tmp_path)
    bad("describe", "\x1b[2J.csv", cwd=tmp_path)
    bad("fit", "--model", "bayes", "t.csv", "-t", "\x1b[2J", cwd=tmp_path)
    good("fit", "t.csv", "-t", "y", "--model", "tree", "-o", "tree.tally.json", cwd=tmp_path)
    for args in (
        ["predict", "n.tally.json", "t.csv"],
        ["export", "tree.tally.json", "--to", "sql"],
        ["fit", "--model", "bayes", "t.csv", "-t", "y", "-o", "\x1b[31m.tally.json"],
    ):
        text, code = on_a_terminal(*args, cwd=tmp_path, env={"NO_COLOR": "1"})
        assert code == 0
        assert ESCAPE not in text


def test_a_reader_that_leaves_early_is_not_an_error(fitted):
    command = " ".join([*TALLY, "predict", "votes.tally.json", "votes.csv"])
    done = subprocess.run(
        ["bash", "-c", f"{command} | head -n 2"], cwd=fitted, capture_output=True, text=True, check=True
    )
    assert len(done.stdout.splitlines()) == 2
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize(
    "args", ["predict votes.tally.json votes.csv", "fit --help", "describe votes.csv --json"]
)
def test_the_exit_code_of_output_that_nobody_reads_is_141(fitted, args):
    command = [*TALLY, *args.split()]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, cwd=fitted, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.returncode == 141
    assert done.stderr == b""


def test_a_closed_standard_output_is_one_line(fitted):
    closed = " ".join([*TALLY, "predict", "votes.tally.json", "votes.csv", ">&-"])
    done = subprocess.run(["bash", "-c", closed], cwd=fitted, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "tally: standard output is closed. Send it to a file, or to /dev/null.\n"


def test_a_closed_stderr_is_not_an_error(fitted):
    closed = " ".join(
        [
            *TALLY,
            "fit",
            "--model",
            "bayes",
            "votes.csv",
            "-t",
            "party",
            "-o",
            "again.json",
            "--folds",
            "0",
            "2>&-",
        ]
    )
    done = subprocess.run(["bash", "-c", closed], cwd=fitted, capture_output=True, check=False)
    assert done.returncode == 0
    assert (fitted / "again.json").read_bytes() == (fitted / "votes.tally.json").read_bytes()


def test_an_interrupt_after_a_file_was_written_names_it(fitted):
    os.mkfifo(fitted / "slow.svg")  # the model is saved first; opening the picture waits for a reader
    args = [
        "fit",
        "--model",
        "bayes",
        "votes.csv",
        "-t",
        "party",
        "--folds",
        "0",
        "-o",
        "new.json",
        "--picture",
        "slow.svg",
    ]
    process = subprocess.Popen(
        [*TALLY, *args], cwd=fitted, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    while not (fitted / "new.json").exists():
        assert process.poll() is None
        time.sleep(0.02)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert errors == "tally: interrupted; written before: 'new.json'.\n"


def test_an_interrupt_while_the_program_is_loaded_is_one_line(tmp_path):
    code = (
        "import sys, signal, os\n"
        "class Press:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'click': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Press())\n"
        "from tallystick.cli.main import main; main(['--help'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stderr == "tally: interrupted; no file was written.\n"


def limited(megabytes, *args, cwd):
    """Run under a limit of addresses."""
    line = f"ulimit -v {megabytes * 1024}; exec " + " ".join([*TALLY, *args])
    return subprocess.run(["bash", "-c", line], cwd=cwd, capture_output=True, text=True, check=False)


def test_memory_that_cannot_be_had_is_one_line(tmp_path):
    with open(tmp_path / "huge.json", "wb") as file:
        file.write(b'{"columns": [')
        file.truncate(1 << 30)  # a hole: no byte of it is on the disk
    done = limited(1000, "export", "huge.json", "--to", "sql", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("tally: not enough memory")
    assert done.stderr.count("\n") == 1


def test_too_few_addresses_for_the_libraries_are_told_before_they_end_the_process(folder):
    done = limited(300, "describe", "votes.csv", cwd=folder)
    assert done.returncode == 2
    assert "this process may have 300 MB of addresses (ulimit -v), and needs 512 MB" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_subinterpreter_is_refused_in_one_line():
    code = (
        "try:\n    import _interpreters as s\nexcept ImportError:\n    import _xxsubinterpreters as s\n"
        "i = s.create()\n"
        'inside = "try:\\n import tallystick\\nexcept ImportError as e: print(e)"\n'
        "(s.exec if hasattr(s, 'exec') else s.run_string)(i, inside)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "Tallystick does not run in a subinterpreter" in done.stdout + done.stderr


def test_interrupt_is_one_line(tmp_path):
    os.mkfifo(tmp_path / "slow.csv")  # opening it waits for a writer that never comes
    process = subprocess.Popen(
        [*TALLY, "describe", "slow.csv"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    asleep = 0
    while asleep < 10:  # on a busy machine it takes a while until it waits there
        asleep = asleep + 1 if Path(f"/proc/{process.pid}/stat").read_text().split()[2] == "S" else 0
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert errors == "tally: interrupted; no file was written.\n"


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
def test_exit_codes_are_those_the_documentation_names(inside, line, code, capfd):
    Path("some.csv").write_text("".join(line + "\n" for line in VOTES.read_text().splitlines()[:80]))
    assert call(line) == code
    err = capfd.readouterr().err
    assert "Traceback" not in err
    if code == 2:
        assert err.startswith("tally: ")
        assert err.count("\n") == 1


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
