"""Disks fill up, devices fail and processes are killed: the old file or the new one is there, and no other.

Real faults: strace makes the system's calls fail in a process of its own (see faults.py), one call at a time
until there is none left to fail; SIGKILL comes at random moments.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

DRIVER = Path(__file__).resolve().parents[1] / "support" / "faults.py"


def run(folder, *args, before=()):
    (folder / "x").mkdir()
    command = [*before, sys.executable, str(DRIVER), str(folder / "x"), *args]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("job", ["save", "csv", "jsonl", "parquet"])
def test_a_call_that_fails_leaves_the_old_file_or_the_new_one_and_one_line(tmp_path, job, error):
    calls = ("write", "fsync", "rename", "linkat")
    inject = [f"--inject={call}:error={error}:when=100" for call in calls]
    strace = ["strace", "-f", "-qq", "-o", "/dev/null", "--seccomp-bpf", f"--trace={','.join(calls)}"]
    named = ["named"] if error == "EIO" else []  # also the way without nameless files
    found = run(tmp_path, job, "fail", ",".join(calls), *named, before=[*strace, *inject])
    for call in calls:
        assert found[call]["wrong"] == []
        assert found[call]["failed"] >= (call != "linkat")  # not every file system has nameless files
        for line in found[call]["lines"]:
            assert "cannot write the" in line
            assert os.strerror(getattr(errno, error)) in line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("job", "times", "way"),
    [
        ("save", 80, "nameless"),
        ("save", 80, "named"),
        ("csv", 40, "nameless"),
        ("jsonl", 40, "named"),
        ("parquet", 40, "nameless"),
    ],
)
def test_a_kill_leaves_the_old_file_or_the_new_one_and_the_next_write_clears_up(tmp_path, job, times, way):
    found = run(tmp_path, job, "kill", str(times), way)
    assert found["wrong"] == []
    assert found["met"]["old"] + found["met"]["new"] == times


def test_a_full_disk_behind_the_shell_is_one_line():
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "tallystick.cli", "--help"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr == b"tally: cannot write the output: No space left on device.\n"
