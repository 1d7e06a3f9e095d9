"""`tally` as a user runs it: a process of its own, forked from one that has loaded the library."""

from __future__ import annotations

import contextlib
import os
import pty
import shlex
import subprocess
import sys
import tempfile
from threading import Thread

from forked import Forked

from tallystick.cli.main import run

TALLY = [sys.executable, "-m", "tallystick.cli"]  # a process that loads it


def started(args, cwd, env, streams, without):
    """Start `tally` in a folder, with the environment of this process but for some names and with others."""
    settings = {k: v for k, v in os.environ.items() if k not in without} | env
    return Forked(["-m", "tallystick.cli", *args], streams, cwd, settings)


@contextlib.contextmanager
def fed(given):
    """Yield the end of a pipe that these bytes come from; close it when it is handed on."""
    reader, writer = os.pipe()

    def feed():
        with contextlib.suppress(BrokenPipeError), open(writer, "wb") as pipe:
            pipe.write(given)

    feeder = Thread(target=feed)
    feeder.start()
    with open(reader, "rb") as source:
        yield source
    feeder.join()


def tally(*args, cwd=None, env=None, given=b"", source=None):
    """Run `tally` in a pipe, with nothing from a terminal; its input is `given`, or an open file."""
    reader, writer = os.pipe()
    into = open(writer, "wb")  # noqa: SIM115
    with tempfile.TemporaryFile() as errors, open(reader, "rb") as out, fed(given) as pipe:
        with into, pipe:
            streams = [(source or pipe).fileno(), into.fileno(), errors.fileno()]
            job = started(args, cwd, env or {}, streams, ("COLUMNS", "NO_COLOR", "FORCE_COLOR"))
        printed, code = out.read(), job.wait()
        errors.seek(0)
        return subprocess.CompletedProcess(args, code, printed, errors.read())


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
    settings = {"COLUMNS": str(columns), "TERM": "xterm-256color"} | (env or {})
    with open(os.devnull, "w") as nowhere:
        job = started(args, cwd, settings, [side, side, nowhere.fileno()], ("NO_COLOR", "FORCE_COLOR", "CI"))
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
    return b"".join(parts).decode(), job.wait()


def call(line):
    """Run one command line in this process, up to the first | or >; return its exit code."""
    words = shlex.split(line)
    assert words[0] == "tally"
    args = words[1 : next((i for i, w in enumerate(words) if w in ("|", ">")), len(words))]
    try:
        return run(args, debug=False)
    except SystemExit as done:
        return done.code or 0
