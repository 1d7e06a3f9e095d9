"""Faults at any moment: a signal, a full disk, no threads, no memory, a pipe that breaks, a poor environment.

A command either does its work or says in one line why not; a file is the old one or the new one, whole; the
exit code tells. A sample runs with the other tests, long loops at night.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from command import TALLY, good

import tallystick as ts
from tallystick.errors import TallyError

pytestmark = pytest.mark.slow
ROWS = 3_000
JOBS = {  # what is run, and what it writes
    "fit": (
        ["fit", "t.csv", "-t", "y", "--model", "bayes", "--folds", "0", "-o", "m.tally.json"],
        "m.tally.json",
    ),
    "predict": (["predict", "old.tally.json", "t.csv", "-o", "out.csv"], "out.csv"),
    "report": (["report", "t.csv", "-t", "y", "--folds", "3", "-o", "page.html"], "page.html"),
    "disk": (
        [
            "fit",
            "t.csv",
            "-t",
            "y",
            "--model",
            "tree",
            "--folds",
            "0",
            "--memory",
            "64MB",
            "-o",
            "d.tally.json",
        ],
        "d.tally.json",
    ),
}
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """A table, a model of it, and what each job but the report writes when nothing is in its way."""
    folder = tmp_path_factory.mktemp("home")
    r = np.random.default_rng(5)
    x, level = r.normal(size=ROWS).round(3), r.choice(list("abcd"), ROWS)
    y = np.where(x + (level == "a") + r.normal(size=ROWS) > 0, "yes", "no")
    lines = (f"{a},{b},{c}\n" for a, b, c in zip(x, level, y, strict=True))
    (folder / "t.csv").write_text("x,level,y\n" + "".join(lines))
    ts.NaiveBayes().fit(folder / "t.csv", "y").save(folder / "old.tally.json")
    for args, out in JOBS.values():
        if out.endswith(".html"):  # it holds the time of its making
            continue
        good(*args, cwd=folder)
        (folder / f"{out}.right").write_bytes((folder / out).read_bytes())
    return folder


def run(args, folder, before=None, **more):
    pre = None if before is None else before
    return subprocess.run(
        [*TALLY, *args], cwd=folder, capture_output=True, text=True, preexec_fn=pre, check=False, **more
    )


def copy_of(home, tmp_path) -> Path:
    for name in ("t.csv", "old.tally.json"):
        shutil.copy(home / name, tmp_path / name)
    return tmp_path


def whole(home, folder, out, old=b"old") -> str:
    """Say which file is there: the old one, the new one, or none; any other is a fault."""
    path = folder / out
    found = path.read_bytes() if path.exists() else None
    if found is None or found == old:
        return "none" if found is None else "old"
    if out.endswith(".html"):
        assert found.rstrip().endswith(b"</html>")
    else:
        assert found == (home / f"{out}.right").read_bytes()
    return "new"


def one_line(done) -> None:
    assert "Traceback" not in done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("tally:")]
    assert len(said) == 1, done.stderr


def killed(home, folder, job, rng) -> None:
    args, out = JOBS[job]
    (folder / out).write_bytes(b"old")
    sent = rng.choice(SIGNALS)
    process = subprocess.Popen(
        [*TALLY, *args], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    time.sleep(rng.uniform(0.0, 2.5))
    process.send_signal(sent)
    _, errors = process.communicate(timeout=300)
    if "Traceback" in errors:  # Python's own, where the signal came before it had begun to run anything
        assert "tallystick" not in errors, errors
        assert whole(home, folder, out) == "old"
        return
    found = whole(home, folder, out)
    assert process.returncode in (0, 130, 128 + sent, -sent), errors
    if process.returncode == 0:
        assert found == "new"
    if "no file was written" in errors:
        assert found == "old"
    if "written before" in errors:
        assert found == "new"
    good(*args, cwd=folder)  # what was left behind is in nobody's way
    assert whole(home, folder, out) == "new"
    assert not [p.name for p in folder.iterdir() if p.name.endswith(".part")]


@pytest.mark.parametrize("job", ["fit", "predict"])
def test_a_signal_at_a_random_moment_leaves_a_whole_file(home, tmp_path, job):
    killed(home, copy_of(home, tmp_path), job, random.Random(f"{job} 1"))


@pytest.mark.night
@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("seed", range(15))
def test_signals_at_many_moments_leave_whole_files(home, tmp_path, job, seed):
    killed(home, copy_of(home, tmp_path), job, random.Random(f"{job} {seed}"))


def limit(what, size):
    def before() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(what, (size, size))

    return before


@pytest.mark.parametrize("job", ["fit", "predict", "disk"])
def test_a_full_disk_is_one_line_and_leaves_the_old_file(home, tmp_path, job):
    folder = copy_of(home, tmp_path)
    args, out = JOBS[job]
    (folder / out).write_bytes(b"old")
    done = run(args, folder, limit(resource.RLIMIT_FSIZE, 512))
    assert done.returncode == 2
    one_line(done)
    assert whole(home, folder, out) == "old"


@pytest.mark.night
@pytest.mark.parametrize("size", [1 << n for n in range(6, 22)])
@pytest.mark.parametrize("job", JOBS)
def test_a_disk_that_is_full_after_any_number_of_bytes_leaves_whole_files(home, tmp_path, job, size):
    folder = copy_of(home, tmp_path)
    args, out = JOBS[job]
    (folder / out).write_bytes(b"old")
    done = run(args, folder, limit(resource.RLIMIT_FSIZE, size))
    assert done.returncode in (0, 2)
    found = whole(home, folder, out)
    assert found == ("new" if done.returncode == 0 else "old")
    if done.returncode:
        one_line(done)


@pytest.mark.parametrize("megabytes", [600, pytest.param(900, marks=pytest.mark.night)])
def test_few_addresses_are_enough_or_are_one_line(home, tmp_path, megabytes):
    folder = copy_of(home, tmp_path)
    done = run(JOBS["fit"][0], folder, limit(resource.RLIMIT_AS, megabytes << 20))
    assert done.returncode in (0, 2)
    if done.returncode:
        one_line(done)
        assert whole(home, folder, "m.tally.json") == "none"


POOR = {  # an environment, and what of it is taken away
    "no home and no place for scratch files": ({}, ("HOME", "TMPDIR")),
    "locale C": ({"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, ()),
    "twenty columns": ({"COLUMNS": "20"}, ()),
}


@pytest.mark.parametrize("name", POOR)
def test_a_poor_environment_gives_the_same_model(home, tmp_path, name):
    folder = copy_of(home, tmp_path)
    more, less = POOR[name]
    env = {k: v for k, v in os.environ.items() if k not in less} | more
    done = run(JOBS["fit"][0], folder, env=env)
    assert done.returncode == 0, done.stderr
    assert whole(home, folder, "m.tally.json") == "new"
    assert "Traceback" not in done.stderr


def test_a_closed_standard_output_and_a_broken_pipe_leave_the_file_and_no_traceback(home, tmp_path):
    folder = copy_of(home, tmp_path)
    line = " ".join([*TALLY, *JOBS["fit"][0]])
    done = subprocess.run(
        ["bash", "-c", f"{line} >&-"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert whole(home, folder, "m.tally.json") in ("none", "new")
    predict = " ".join([*TALLY, "predict", "old.tally.json", "t.csv"])
    shell = f"set -o pipefail; {predict} | head -n 1"
    done = subprocess.run(["bash", "-c", shell], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("prediction")
    assert "Traceback" not in done.stderr


def test_two_writers_of_one_file_leave_one_whole_file(home, tmp_path):
    folder = copy_of(home, tmp_path)
    args, out = JOBS["fit"]
    both = [subprocess.Popen([*TALLY, *args], cwd=folder, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(300) for process in both] == [0, 0]
    assert whole(home, folder, out) == "new"


def test_a_file_cut_short_while_it_is_read_is_one_line(tmp_path):
    path = tmp_path / "t.parquet"
    import pyarrow as pa
    import pyarrow.parquet as pq

    r = np.random.default_rng(1)
    rows = {"x": r.normal(size=200_000), "y": r.choice(["a", "b"], 200_000)}
    pq.write_table(pa.table(rows), path, row_group_size=5_000)
    source = ts.read(path)
    os.truncate(path, 1 << 16)
    with pytest.raises((TallyError, OSError)) as caught:
        ts.NaiveBayes().fit(source, "y")
    assert isinstance(caught.value, TallyError)
    text = tmp_path / "t.csv"
    text.write_text("x,y\n" + "1,a\n2,b\n" * 100_000)
    source = ts.read(text)
    os.truncate(text, 1000)
    with pytest.raises(TallyError, match="changed"):
        ts.NaiveBayes().fit(source, "y")


THREADLESS = """
import sys, threading
import numpy as np
import tallystick as ts
r = np.random.default_rng(0)
X, y = r.normal(size=(50_000, 4)), r.integers(0, 2, 50_000)
kinds = ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression
fit = lambda kind: kind(threads=4).fit(X, y).to_bytes()
want = [fit(kind) for kind in kinds]
start, left = threading.Thread.start, [int(sys.argv[1])]
def few(self):
    left[0] -= 1
    if left[0] < 0: raise RuntimeError("can't start new thread")
    start(self)
threading.Thread.start = few
print([fit(kind) for kind in kinds] == want)
"""


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_threads_that_cannot_be_started_change_no_byte(threads):
    args = [sys.executable, "-c", THREADLESS, str(threads)]
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "True", done.stderr


def test_eight_fits_in_threads_and_one_in_a_fork_are_the_fit_of_one(home):
    path, want = home / "t.csv", (home / "m.tally.json.right").read_bytes()
    found: list[bytes] = []
    work = [
        threading.Thread(target=lambda: found.append(ts.NaiveBayes().fit(path, "y").to_bytes()))
        for _ in range(8)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert found == [want] * 8
    code = (
        "import os, sys, tallystick as ts\n"
        "fit = lambda: ts.NaiveBayes().fit(sys.argv[1], 'y').to_bytes()\n"
        "first = fit()\n"
        "if (child := os.fork()) == 0: os._exit(0 if fit() == first else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout.strip() == "0", done.stderr


def test_the_answers_of_a_model_that_was_written_in_between_are_those_of_the_old_one(home, tmp_path):
    """A model file that is replaced while it is read is read whole: one or the other."""
    folder = copy_of(home, tmp_path)
    model = ts.load(folder / "old.tally.json")
    data = model.to_bytes()
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            model.save(folder / "old.tally.json")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(30):
            assert ts.load(folder / "old.tally.json").to_bytes() == data
    finally:
        stop.set()
        writer.join()
    assert json.loads(data)["kind"] == "naive-bayes"
