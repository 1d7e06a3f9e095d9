"""Python processes that need not load the library: one process has loaded it, and forks for every job.

    python forked.py NUMBER   serve at the socket of this number: what to run, and its standard streams

A command of a few hundredths of a second takes ten times that to load what it needs. The process that forks
has loaded all modules and has run nothing; its child takes streams, folder and environment, runs a module or
a script as `python` does, and ends without taking all those modules apart.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar

MOST = 1 << 17  # bytes of a wish or of an answer
APART = (
    "tallystick.spark.",
    "tallystick.sql.",
    "tallystick.mlflow",
    "tallystick.cli.__main__",
)  # what they need may be missing


@cache
def _line() -> socket.socket:
    """Start the process that forks, once; it ends when this one does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, __file__, str(theirs.fileno())]
    process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    theirs.close()

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


class Forked:
    """A process that runs `python` with these arguments, `-m MODULE ...` or `FILE ...`; one at a time."""

    running: ClassVar[Forked | None] = None

    def __init__(self, args: Sequence[object], streams: Sequence[int], cwd: object, env: Mapping[str, str]):
        if Forked.running is not None:  # of a test that failed before it waited
            os.kill(Forked.running.pid, signal.SIGKILL)
            Forked.running.wait()
        wish = json.dumps([[*map(str, args)], str(cwd or os.getcwd()), dict(env)]).encode()
        assert len(wish) < MOST
        socket.send_fds(_line(), [wish], streams)
        self.pid, Forked.running = int(_line().recv(MOST)), self

    def wait(self) -> int:
        """Return the exit code, less than 0 where a signal ended the process."""
        Forked.running = None
        return int(_line().recv(MOST))


def _load() -> None:
    """Import all that a command may import, without pandas, as commands do."""
    import tallystick
    from tallystick.cli.main import NoPandas

    refusing = NoPandas()
    sys.meta_path.insert(0, refusing)
    for module in pkgutil.walk_packages(tallystick.__path__, "tallystick."):
        if not module.name.startswith(APART):
            with contextlib.suppress(ImportError):
                __import__(module.name)
    sys.meta_path.remove(refusing)


def _become(cwd: str, env: Mapping[str, str], streams: Sequence[int]) -> None:
    """Take folder, environment and streams as a process gets them that is started with them."""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    for number, given in enumerate(streams):
        os.dup2(given, number)
    for given in {*streams}:
        os.close(given)
    sys.stdin = sys.__stdin__ = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.__stderr__ = open(  # noqa: SIM115
        2, "w", buffering=1, errors="backslashreplace", closefd=False
    )


def _next(line: socket.socket) -> list[str] | None:
    """Fork for every wish; return its arguments in the child, and None where there is nobody left to ask."""
    while True:
        wish, streams, _, _ = socket.recv_fds(line, MOST, 3)
        if not wish:
            return None
        args, cwd, env = json.loads(wish)
        if (child := os.fork()) == 0:
            line.close()
            _become(cwd, env, streams)
            return list(args)
        for number in streams:
            os.close(number)
        line.sendall(str(child).encode())
        _, status = os.waitpid(child, 0)
        line.sendall(str(os.waitstatus_to_exitcode(status)).encode())


def _run(args: list[str]) -> int:
    """Run to the end, with what Python does at an end that others can see; return the exit code."""
    code: object = 0
    try:
        if args[0] == "-m":
            sys.argv = args[1:]
            runpy.run_module(args[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = args
            sys.path.insert(0, str(Path(args[0]).parent))
            runpy.run_path(args[0], run_name="__main__")
    except SystemExit as done:
        code = done.code or 0
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    assert isinstance(code, int)
    return code


if __name__ == "__main__":
    del sys.path[0]  # the folder of this file
    _load()
    gc.freeze()
    wanted = _next(socket.socket(fileno=int(sys.argv[1])))
    if wanted is not None:
        os._exit(_run(wanted))
