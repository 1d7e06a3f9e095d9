"""`tally` as a user runs it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

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
