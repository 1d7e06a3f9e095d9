"""Every command as a user runs it: a process, its output, its errors, its exit code."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path

import pytest
from command import TALLY, tally

from tallystick.cli import screen

pytestmark = pytest.mark.slow  # a process per call

EXAMPLES = resources.files("tallystick.examples")
ESCAPE = "\x1b"


def good(*args, **more):
    """Run, expect success, and return what was printed."""
    done = tally(*args, **more)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def bad(*args, code=2, **more):
    """Run, expect an error of one line without a traceback, and return that line."""
    done = tally(*args, **more)
    line = done.stderr.decode()
    assert done.returncode == code, line
    assert line.startswith("tally: ")
    assert line.count("\n") == 1
    assert "Traceback" not in line
    assert all(c.isprintable() for c in line.rstrip("\n"))
    assert done.stdout == b""
    return line


def on_a_terminal(*args, cwd=None, columns=80, env=None):
    """Run `tally` with a terminal for its output; return the text and the exit code."""
    main, side = pty.openpty()
    settings = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "CI")}
    settings |= {"COLUMNS": str(columns), "TERM": "xterm-256color"} | (env or {})
    with subprocess.Popen(
        [*TALLY, *map(str, args)], cwd=cwd, env=settings, stdin=side, stdout=side, stderr=subprocess.DEVNULL
    ) as process:
        os.close(side)
        parts = []
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:  # Linux says so when the other side is closed
                break
            if not part:
                break
            parts.append(part)
        os.close(main)
    return b"".join(parts).decode(), process.returncode


@pytest.fixture
def folder(tmp_path):
    """A folder with the bundled tables in it."""
    for name in ("votes.csv", "play-tennis.csv", "household-survey.csv"):
        shutil.copy(str(EXAMPLES / name), tmp_path)
    return tmp_path


@pytest.fixture
def fitted(folder):
    """The same folder with a model of the votes."""
    good("fit", "votes.csv", "--target", "party", "-o", "votes.tally.json", cwd=folder)
    return folder


# ---- help and version ----


def test_help_lists_the_commands_in_the_order_of_the_work():
    text = good("--help")
    assert re.findall(r"^  (\w+) {2,}", text.partition("Commands:")[2], re.MULTILINE) == [
        "demo",
        "describe",
        "fit",
        "predict",
        "explain",
        "compare",
        "curve",
        "report",
        "export",
        "verify",
        "diff",
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


# ---- describe ----


def test_describe_prints_kinds_gains_and_missing(folder):
    text = good("describe", "votes.csv", "--target", "party", cwd=folder)
    assert "435 rows, 17 columns, target party" in text
    assert re.search(r"democrat +267 +61\.4%", text)
    assert re.search(r"^physician-fee-freeze +levels +11 .* 0\.7400 +0\.7400", text, re.MULTILINE)
    assert text.index("physician-fee-freeze") < text.index("water-project-cost-sharing")
    assert ESCAPE not in text


def test_describe_without_target_keeps_the_order_of_the_file(folder):
    text = good("describe", "play-tennis.csv", cwd=folder)
    assert text.index("Outlook") < text.index("Temperature") < text.index("Play")


def test_describe_fits_eighty_columns(folder):
    assert max(map(len, good("describe", "votes.csv", "-t", "party", cwd=folder).splitlines())) <= 80


def test_describe_json_has_every_number(folder):
    data = json.loads(good("describe", "play-tennis.csv", "--target", "Play", "--json", cwd=folder))
    assert data["rows"] == 14
    assert data["target"]["classes"] == [{"label": "No", "rows": 5}, {"label": "Yes", "rows": 9}]
    outlook = data["columns"][0]
    assert outlook["gain"] == pytest.approx(0.2467, abs=1e-4)
    assert outlook["distribution"] == [
        {"rows": 4, "level": "Overcast", "by_class": [0, 4]},
        {"rows": 5, "level": "Rain", "by_class": [2, 3]},
        {"rows": 5, "level": "Sunny", "by_class": [3, 2]},
    ]


def test_describe_takes_wishes_about_columns(folder):
    (folder / "t.csv").write_text("size;n;y\nS;1,5;a\nM;2,5;b\nL;x;b\nS;1,0;a\n")
    args = [
        "--sep",
        ";",
        "--decimal",
        ",",
        "--kind",
        "size=ordered",
        "--levels",
        "size=S,M,L",
        "--missing",
        "x",
    ]
    data = json.loads(good("describe", "t.csv", "-t", "y", "--json", *args, cwd=folder))
    size, n = data["columns"]
    assert (size["kind"], size["cut"]) == ("ordered", "M")
    assert (n["kind"], n["missing"], n["cut"]) == ("numeric", 1, 2.0)


# ---- fit ----


def test_fit_saves_a_model_that_python_loads(fitted):
    import tallystick as ts

    model = ts.load(fitted / "votes.tally.json")
    assert list(model.classes_) == ["democrat", "republican"]
    direct = ts.NaiveBayes().fit(str(fitted / "votes.csv"), "party")
    assert direct.to_bytes() == (fitted / "votes.tally.json").read_bytes()


def test_fit_says_what_it_did(folder):
    text = good("fit", "votes.csv", "--target", "party", "-o", "m.tally.json", cwd=folder)
    assert "435 rows, 16 columns" in text
    assert "saved m.tally.json: naive-bayes" in text


def test_fit_without_output_prints_the_model_and_says_it_is_not_saved(folder):
    before = sorted(folder.iterdir())
    assert "not saved" in good("fit", "play-tennis.csv", "--target", "Play", cwd=folder)
    assert sorted(folder.iterdir()) == before


def test_fit_json_has_the_digest_of_the_file(folder):
    import hashlib

    data = json.loads(good("fit", "votes.csv", "-t", "party", "-o", "m.tally.json", "--json", cwd=folder))
    content = (folder / "m.tally.json").read_bytes()
    assert data["sha256"] == hashlib.sha256(content).hexdigest()
    assert (data["rows"], data["bytes"], data["saved"]) == (435, len(content), "m.tally.json")


def test_fit_sets_parameters_of_the_method(folder):
    good("fit", "votes.csv", "-t", "party", "-o", "m.tally.json", "--set", "alpha=0.5", cwd=folder)
    assert '"alpha":0.5' in (folder / "m.tally.json").read_text()


def test_threads_change_no_byte(fitted):
    good("fit", "votes.csv", "-t", "party", "-o", "one.tally.json", "--threads", "1", cwd=fitted)
    assert (fitted / "one.tally.json").read_bytes() == (fitted / "votes.tally.json").read_bytes()


def test_fit_never_writes_over_its_data(folder):
    before = (folder / "votes.csv").read_bytes()
    assert "is the file 'votes.csv', which this command reads" in bad(
        "fit", "votes.csv", "-t", "party", "-o", "./votes.csv", cwd=folder
    )
    assert (folder / "votes.csv").read_bytes() == before


# ---- predict ----


def test_predict_prints_a_row_per_row(fitted):
    lines = good("predict", "votes.tally.json", "votes.csv", cwd=fitted).splitlines()
    assert lines[0] == "prediction,probability"
    assert len(lines) == 436
    assert {line.partition(",")[0] for line in lines[1:]} == {"democrat", "republican"}


def test_predictions_are_those_of_python(fitted):
    import tallystick as ts

    model = ts.load(fitted / "votes.tally.json")
    text = good("predict", "votes.tally.json", "votes.csv", "--all-classes", cwd=fitted)
    assert text.splitlines()[0] == "prediction,probability,P(democrat),P(republican)"
    rows = [line.split(",") for line in text.splitlines()[1:]]
    assert [r[0] for r in rows] == list(model.predict(str(fitted / "votes.csv")))
    shares = model.predict_proba(str(fitted / "votes.csv"))
    assert [[float(x) for x in r[2:]] for r in rows] == shares.tolist()


def test_predict_writes_a_file_and_says_how_many(fitted):
    done = tally("predict", "votes.tally.json", "votes.csv", "-o", "out.csv", "--with", "crime", cwd=fitted)
    assert done.stdout.decode().startswith("435 rows -> out.csv: democrat ")
    assert "missing cells: 392" in done.stderr.decode()
    lines = (fitted / "out.csv").read_text().splitlines()
    assert lines[0] == "crime,prediction,probability"
    source = (fitted / "votes.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == [line.split(",")[13] for line in source[1:]]


def test_predict_writes_parquet(fitted):
    pq = pytest.importorskip("pyarrow.parquet")
    good("predict", "votes.tally.json", "votes.csv", "-o", "out.parquet", cwd=fitted)
    assert pq.read_table(fitted / "out.parquet").num_rows == 435


def test_unseen_levels_are_counted_and_named(fitted):
    text = (fitted / "votes.csv").read_text().splitlines()
    (fitted / "new.csv").write_text("\n".join([text[0], text[1].replace("n,", "maybe,", 1)]) + "\n")
    done = tally("predict", "votes.tally.json", "new.csv", cwd=fitted)
    assert done.returncode == 0
    assert "never seen: 1 (handicapped-infants 1)" in " ".join(done.stderr.decode().split())
    data = json.loads(good("predict", "votes.tally.json", "new.csv", "--json", cwd=fitted))
    assert data["unseen_levels"] == {"handicapped-infants": 1}
    assert len(data["predictions"]) == 1


def test_predict_ignores_column_order_and_the_target(fitted):
    first = good("predict", "votes.tally.json", "votes.csv", cwd=fitted)
    rows = [line.split(",") for line in (fitted / "votes.csv").read_text().splitlines()]
    turned = [[*reversed(r[:-1])] for r in rows]
    (fitted / "turned.csv").write_text("".join(",".join(r) + "\n" for r in turned))
    assert good("predict", "votes.tally.json", "turned.csv", cwd=fitted) == first


def test_predict_of_no_rows_is_a_header(fitted):
    (fitted / "none.csv").write_text((fitted / "votes.csv").read_text().splitlines()[0] + "\n")
    assert good("predict", "votes.tally.json", "none.csv", cwd=fitted) == "prediction,probability\n"


def test_a_column_that_is_not_there_is_named(fitted):
    rows = [line.partition(",")[2] for line in (fitted / "votes.csv").read_text().splitlines()]
    (fitted / "less.csv").write_text("\n".join(rows) + "\n")
    line = bad("predict", "votes.tally.json", "less.csv", "-o", "out.csv", cwd=fitted)
    assert "'handicapped-infants'" in line
    assert not (fitted / "out.csv").exists()
    good("predict", "votes.tally.json", "less.csv", "--missing-columns", "as-missing", cwd=fitted)


# ---- verify and diff ----


def test_verify_says_yes_to_the_same_rows_in_another_order(fitted):
    head, *rows = (fitted / "votes.csv").read_text().splitlines()
    (fitted / "turned.csv").write_text("\n".join([head, *reversed(rows)]) + "\n")
    for name in ("votes.csv", "turned.csv"):
        assert "the same" in good("verify", "votes.tally.json", name, cwd=fitted)
    assert json.loads(good("verify", "votes.tally.json", "votes.csv", "--json", cwd=fitted))["same"] is True


def test_verify_shows_the_first_difference_and_fails(fitted):
    text = (fitted / "votes.csv").read_text()
    (fitted / "other.csv").write_text(text.replace("n,y,n,y,y,y", "y,y,n,y,y,y", 1))
    done = tally("verify", "votes.tally.json", "other.csv", cwd=fitted)
    assert done.returncode == 1
    assert "first difference: line " in done.stdout.decode()
    assert "handicapped-infants" in done.stdout.decode()
    assert tally("verify", "votes.tally.json", "other.csv", "--json", cwd=fitted).returncode == 1


def test_verify_refits_with_the_parameters_of_the_model(folder):
    good(
        "fit",
        "votes.csv",
        "-t",
        "party",
        "-o",
        "m.tally.json",
        "--set",
        "alpha=0.5",
        "--kind",
        "crime=out",
        cwd=folder,
    )
    good("verify", "m.tally.json", "votes.csv", cwd=folder)


def test_diff_says_what_changed(fitted):
    head, *rows = (fitted / "votes.csv").read_text().splitlines()
    (fitted / "fewer.csv").write_text("\n".join([head, *rows[1:]]) + "\n")
    good("fit", "fewer.csv", "-t", "party", "-o", "fewer.tally.json", cwd=fitted)
    done = tally("diff", "votes.tally.json", "fewer.tally.json", cwd=fitted)
    assert done.returncode == 1
    text = " ".join(done.stdout.decode().split())
    assert "435" in text
    assert "434" in text
    assert "republican" in text
    assert tally("diff", "votes.tally.json", "fewer.tally.json", "--json", cwd=fitted).returncode == 1


def test_diff_of_a_model_with_itself_is_nothing(fitted):
    assert "nothing changed" in good("diff", "votes.tally.json", "votes.tally.json", cwd=fitted)
    data = json.loads(good("diff", "votes.tally.json", "votes.tally.json", "--json", cwd=fitted))
    assert data == {"same": True, "changes": []}


# ---- demo ----


def test_demo_does_the_whole_job(tmp_path):
    text = good("demo", cwd=tmp_path)
    for word in (
        "tally describe",
        "tally fit",
        "cross_validate",
        "tally predict",
        "tally verify",
        "verified",
    ):
        assert word in text
    made = sorted(p.name for p in (tmp_path / "tally-demo").iterdir())
    assert made == ["new.csv", "report.html", "votes.csv", "votes.tally.json"]
    assert max(map(len, text.splitlines())) <= 80


def test_commands_the_demo_names_work_as_written(tmp_path):
    text = good("demo", cwd=tmp_path)
    for command in re.findall(r"\btally ((?:describe|fit|predict|verify) [^\n]+)", text):
        if "YOUR" not in command:
            good(*command.split(), cwd=tmp_path / "tally-demo")


def test_demo_can_run_twice_and_elsewhere(tmp_path):
    good("demo", "--folder", tmp_path / "a" / "b")
    assert json.loads(good("demo", "--folder", tmp_path / "a" / "b", "--json"))["verified"] is True


@pytest.mark.parametrize("name", ["votes.csv", "new.csv", "votes.tally.json", "report.html"])
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


# ---- errors ----


def test_one_of_a_thing_is_not_told_as_several(fitted):
    lines = (fitted / "votes.csv").read_text().splitlines()
    (fitted / "one.csv").write_text("\n".join(lines[:2]))
    (fitted / "none.csv").write_text("x\n")
    told = bad("explain", "votes.tally.json", "one.csv", "--row", "3", cwd=fitted)
    assert "one.csv has 1 row, counted from 1" in told
    assert "a header (1 column) but no rows" in bad("fit", "none.csv", "-t", "x", cwd=fitted)
    import tallystick as ts

    tree = ts.DecisionTree().fit(fitted / "votes.csv", "party").prune(alpha=1.0)
    assert any(" to 1 leaf. " in note.text for note in tree.notes_)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["describe"], "FILE"),
        (["nothing"], "nothing"),
        (["fit", "votes.csv"], "--target"),
        (["fit", "votes.csv", "-t", "party", "--model", "oracle"], "oracle"),
        (["fit", "votes.csv", "-t", "party", "--threads", "0"], "threads"),
        (["fit", "votes.csv", "-t", "prty", "-o", "x.tally.json"], "'party'"),
        (["fit", "votes.csv", "-t", "party", "--set", "alpha"], "NAME=VALUE"),
        (["fit", "votes.csv", "-t", "party", "--set", "alhpa=1"], "'alpha'"),
        (["fit", "votes.csv", "-t", "party", "--set", "alpha=-1", "-o", "x.tally.json"], "alpha"),
        (["fit", "votes.csv", "-t", "party", "--kind", "crime"], "NAME=VALUE"),
        (["fit", "votes.csv", "-t", "party", "--kind", "crime=colour"], "colour"),
        (["fit", "votes.csv", "-t", "party", "--kind", "crim=out"], "'crime'"),
        (["fit", "votes.csv", "-t", "party", "-o", "no/such/x.tally.json"], "No such file"),
        (["describe", "vote.csv"], "'votes.csv'"),
        (["describe", "."], "directory"),
        (["describe", "empty.csv"], "empty (0 bytes)"),
        (["describe", "header.csv"], "no rows"),
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
    assert words in bad(*args, cwd=folder)
    assert not (folder / "x.tally.json").exists()


def test_usage_errors_point_to_the_help(folder):
    assert "Try `tally fit --help`." in bad("fit", "votes.csv", "--nonsense", cwd=folder)


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
        ["fit", "t.csv", "-t", "y"],
        ["fit", "t.csv", "-t", "y", "-o", "m.tally.json"],
        ["fit", "t.csv", "-t", name, "-o", "n.tally.json"],
        ["predict", "m.tally.json", "t.csv", "-o", "out.csv"],
    ):
        done = tally(*args, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert b"\x1b" not in done.stdout + done.stderr
    assert "\\x1b" in good("describe", "t.csv", cwd=tmp_path)
    bad("describe", "\x1b[2J.csv", cwd=tmp_path)
    bad("fit", "t.csv", "-t", "\x1b[2J", cwd=tmp_path)
    good("fit", "t.csv", "-t", "y", "--model", "tree", "-o", "tree.tally.json", cwd=tmp_path)
    for args in (
        ["predict", "n.tally.json", "t.csv"],
        ["export", "tree.tally.json", "--to", "sql"],
        ["fit", "t.csv", "-t", "y", "-o", "\x1b[31m.tally.json"],
    ):
        text, code = on_a_terminal(*args, cwd=tmp_path, env={"NO_COLOR": "1"})
        assert code == 0
        assert ESCAPE not in text


def test_a_reader_that_leaves_early_is_no_error(fitted):
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


def test_closed_errors_are_no_error(fitted):
    closed = " ".join([*TALLY, "fit", "votes.csv", "-t", "party", "-o", "again.json", "--folds", "0", "2>&-"])
    done = subprocess.run(["bash", "-c", closed], cwd=fitted, capture_output=True, check=False)
    assert done.returncode == 0
    assert (fitted / "again.json").read_bytes() == (fitted / "votes.tally.json").read_bytes()


def test_an_interrupt_after_a_file_was_written_names_it(fitted):
    os.mkfifo(fitted / "slow.svg")  # the model is saved first; opening the picture waits for a reader
    args = ["fit", "votes.csv", "-t", "party", "--folds", "0", "-o", "new.json", "--picture", "slow.svg"]
    process = subprocess.Popen(
        [*TALLY, *args], cwd=fitted, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    while not (fitted / "new.json").exists():
        assert process.poll() is None
        time.sleep(0.02)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors == "tally: interrupted; written before: 'new.json'.\n"


def test_an_interrupt_while_the_program_is_loaded_is_one_line(tmp_path):
    code = (
        "import sys, signal, os\n"
        "class Press:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'click': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Press())\n"
        "from tallystick.cli import main; main(['--help'])\n"
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
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors == "tally: interrupted; no file was written.\n"


# ---- terminals ----


def test_colour_on_a_terminal_and_none_in_a_pipe_or_with_no_color(folder):
    args = ("describe", "play-tennis.csv", "-t", "Play")
    coloured, _ = on_a_terminal(*args, cwd=folder)
    bare, _ = on_a_terminal(*args, cwd=folder, env={"NO_COLOR": "1"})
    assert ESCAPE in coloured
    assert ESCAPE not in bare
    strip = re.compile(r"\x1b\[[0-9;]*m")
    assert (
        strip.sub("", coloured).replace("\r\n", "\n") == bare.replace("\r\n", "\n") == good(*args, cwd=folder)
    )


@pytest.mark.parametrize("columns", [50, 80, 120])
def test_pages_fit_the_terminal(folder, columns):
    for args in (["describe", "votes.csv", "-t", "party"], ["demo"]):
        text, code = on_a_terminal(*args, cwd=folder, columns=columns, env={"NO_COLOR": "1"})
        assert code == 0
        wide = [
            line
            for line in text.splitlines()
            if len(line) > columns and "tally " not in line and "sha" not in line
        ]
        assert wide == []


def test_progress_is_silent_in_a_pipe(fitted):
    for args in (
        ["fit", "votes.csv", "-t", "party", "-o", "m.tally.json"],
        ["verify", "votes.tally.json", "votes.csv"],
    ):
        assert tally(*args, cwd=fitted).stderr == b""


def test_progress_shows_a_bar_on_a_terminal_when_the_work_is_long(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    seen = Terminal()
    monkeypatch.setattr(sys, "stderr", seen)
    monkeypatch.setenv("TERM", "xterm")
    with screen.progress("reading") as quick:
        quick(1, 2)
    assert seen.getvalue() == ""
    monkeypatch.setattr(screen, "PATIENCE", -1.0)
    with screen.progress("reading") as long:
        long(1, 2, "more")
    assert "reading" in seen.getvalue()


def test_a_terminal_without_unicode_still_gets_its_lines(folder):
    text = good("describe", "play-tennis.csv", "-t", "Play", cwd=folder, env={"PYTHONIOENCODING": "ascii"})
    assert "Outlook" in text
