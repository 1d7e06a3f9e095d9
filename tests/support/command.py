"""`tally` as a user runs it: a process of its own."""

from __future__ import annotations

import os
import pty
import shlex
import subprocess
import sys

from tallystick.cli.main import run

TALLY = [sys.executable, "-m", "tallystick.cli"]


def tally(*args, cwd=None, env=None, **more):
    """Run `tally` in a pipe, with nothing from the caller's terminal."""
    settings = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    return subprocess.run(
        [*TALLY, *map(str, args)],
        cwd=cwd,
        env=settings | (env or {}),
        capture_output=True,
        check=False,
        **more,
    )


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


def call(line):
    """Run one command line in this process, up to the first | or >; return its exit code."""
    words = shlex.split(line)
    assert words[0] == "tally"
    args = words[1 : next((i for i, w in enumerate(words) if w in ("|", ">")), len(words))]
    try:
        return run(args, debug=False)
    except SystemExit as done:
        return done.code or 0
