"""Run in a process of its own by test_faults.py: write files while calls of the system fail, or be killed.

    python faults.py FOLDER JOB fail CALL,CALL   under strace, which makes the call number LATE of each fail
    python faults.py FOLDER JOB kill TIMES

The process warms up once and forks a child per case. strace counts the calls of each child from 0, so a child
that first makes LATE - n harmless calls meets the fault at its n-th real one. Prints what was found as JSON,
for each call: {"failed": n, "lines": [messages], "wrong": [what broke the law]}.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import tallystick as ts
from tallystick.cli.main import main as tally
from tallystick.cli.main import run as run_tally
from tallystick.errors import TallyError

LATE = 100  # the process itself makes fewer calls than this, and so does any case
EXAMPLES = Path(ts.__file__).parent / "examples"
VOTES, TENNIS = EXAMPLES / "votes.csv", EXAMPLES / "play-tennis.csv"  # tennis: no missing cell, so no notes


class Save:
    """Model.save: the old file and the new one are two models."""

    def __init__(self, folder: Path, _: str) -> None:
        self.target = folder / "m.tally.json"
        old, self.model = ts.NaiveBayes(alpha=2).fit(VOTES, "party"), ts.DecisionTree().fit(VOTES, "party")
        self.old, self.new = old.to_bytes(), self.model.to_bytes()

    def run(self) -> int:
        try:
            self.model.save(self.target)
        except TallyError as error:
            print("tally: " + str(error), file=sys.stderr)
            return 2
        return 0


class Predict:
    """tally predict -o: a table of another time is there, and is to be replaced."""

    def __init__(self, folder: Path, ending: str) -> None:
        self.target = folder / f"out.{ending}"
        model = folder.parent / "tennis.tally.json"
        ts.NaiveBayes().fit(TENNIS, "Play").save(model)
        self.args = ["predict", str(model), str(TENNIS), "-o", str(self.target), "--threads", "1"]
        self.old = b"prediction\nold\n"
        assert run_tally(self.args, False) == 0
        self.new = self.target.read_bytes()

    def run(self) -> int:
        try:
            tally(self.args)
        except SystemExit as done:
            return int(done.code or 0)
        return 0


def spend(call: str, times: int, folder: Path) -> None:
    """Make harmless calls."""
    null = os.open(os.devnull, os.O_WRONLY)
    other = folder.parent / "spent"
    other.write_bytes(b"")
    work = {
        "write": lambda: os.write(null, b""),
        "fsync": lambda: fsync(null),
        "rename": lambda: os.rename(other, other),
        "linkat": lambda: link(other),
    }[call]
    for _ in range(times):
        work()
    os.close(null)


def fsync(handle: int) -> None:
    with contextlib.suppress(OSError):  # the null device cannot, but the call is counted
        os.fsync(handle)


def link(path: Path) -> None:
    with contextlib.suppress(OSError):
        os.link(path, path, src_dir_fd=0)


def child(job: Save | Predict, folder: Path, call: str, n: int) -> None:
    for stream, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(folder.parent / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    if call:
        spend(call, LATE - n, folder)
    code = job.run()
    try:
        sys.stderr.flush()
    finally:
        os._exit(code)


def fail(job: Save | Predict, folder: Path, call: str) -> dict[str, object]:
    """Let call number 1, 2, ... fail until none is left to fail."""
    lines, wrong = [], []
    for n in range(1, 100):
        job.target.write_bytes(job.old)
        pid = os.fork()
        if pid == 0:
            child(job, folder, call, n)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        said = (folder.parent / "stderr").read_text()
        found = job.target.read_bytes()
        if os.listdir(folder) != [job.target.name]:
            wrong.append(f"call {n}: {os.listdir(folder)}")
        if code == 0:
            if found != job.new:
                wrong.append(f"call {n}: said to be done, but is not")
            return {"failed": n - 1, "lines": lines, "wrong": wrong}
        if code != 2 or not said.startswith("tally: ") or said.count("\n") != 1:
            wrong.append(f"call {n}: exit code {code}, {said!r}")
        if found not in (job.old, job.new):
            wrong.append(f"call {n}: the file is neither old nor new")
        lines.append(said.strip())
    return {"failed": n, "lines": lines, "wrong": [*wrong, "no success"]}


def kill(job: Save | Predict, folder: Path, times: int) -> dict[str, object]:
    """Kill a writer at a random moment, and look; then write once more, and look again."""
    wrong, met, chance = [], {"old": 0, "new": 0, "left": 0}, random.Random(1)
    started = time.perf_counter()
    job.run()
    once = time.perf_counter() - started
    for n in range(times):
        job.target.write_bytes(job.old)
        pid = os.fork()
        if pid == 0:
            child(job, folder, "", 0)
        time.sleep(chance.random() * (2 * once + 0.003))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        found = job.target.read_bytes()
        if found not in (job.old, job.new):
            wrong.append(f"kill {n}: the file is neither old nor new")
        met["old" if found == job.old else "new"] += 1
        left = len(os.listdir(folder)) - 1
        met["left"] += left
        if left and (job.run() != 0 or os.listdir(folder) != [job.target.name]):
            wrong.append(f"kill {n}: {os.listdir(folder)} after the next write")
    return {"wrong": wrong, "met": met}


def main() -> None:
    folder, job_name, mode, argument = Path(sys.argv[1]), *sys.argv[2:5]
    if "named" in sys.argv:
        os.O_TMPFILE = 0  # a system without nameless files
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    job = Save(folder, "") if job_name == "save" else Predict(folder, job_name)
    found = (
        {call: fail(job, folder, call) for call in argument.split(",")}
        if mode == "fail"
        else kill(job, folder, int(argument))
    )
    os.write(out, json.dumps(found).encode())


if __name__ == "__main__":
    main()
