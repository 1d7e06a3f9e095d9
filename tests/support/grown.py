"""By how much the memory of a process grows while a command of the command line works on a large file.

    grown.py SMALL LARGE ARGUMENT ...   @ is the file; prints "ready", waits for a line, goes on

What is counted is what the process holds for itself (RssAnon): pages of scratch files, which the system drops
when it wants to, are not. The command is first run on the small file, so that all that is loaded on the way
is there before the counting begins.
"""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path

from forked import Forked
from wide_files import anonymous


def grown(small: Path, large: Path, *arguments: str) -> float:
    """Return how many MB a process of its own grew by, at its peak."""
    (reader, answer), (wish, writer) = os.pipe(), os.pipe()
    command = [__file__, small, large, *arguments]
    with open(reader) as said, open(writer, "w") as go:
        job = Forked(command, [wish, answer, 2], None, os.environ)
        os.close(wish)
        os.close(answer)
        while (line := said.readline()) != "ready\n":
            assert line, "the command failed on the small file"
        before = peak = anonymous(job.pid)
        print("go", file=go, flush=True)
        while not select.select([said], [], [], 0.002)[0]:  # until its output is closed
            peak = max(peak, anonymous(job.pid))
    assert job.wait() == 0
    return (peak - before) / 1024


if __name__ == "__main__":
    from tallystick.cli.main import run

    _, few, many, *words = sys.argv
    assert run([word.replace("@", few) for word in words], debug=True) == 0
    print("ready", flush=True)
    sys.stdin.readline()
    sys.stdout = open("/dev/null", "w")  # noqa: SIM115  nobody reads it
    assert run([word.replace("@", many) for word in words], debug=True) == 0
