"""The server: sockets, signals and workers around an application.

Knows uvicorn and the system. Knows nothing of models: any application of this room is run by it.
Laws: after SIGTERM no request that reached this machine is lost; when a worker ends another takes its place,
and the others serve on.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import logging
import mmap
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from functools import partial
from types import FrameType
from typing import Any

import uvicorn

from tallystick.errors import OptionError, shown
from tallystick.serve.connection import limited
from tallystick.serve.guards import Limits
from tallystick.serve.log import Log

STOP = (signal.SIGTERM, signal.SIGINT)
SO_ATTACH_FILTER = 26
# Of the packets to a listening socket drop those that ask for a new connection: SYN without ACK.
NO_SYN = ((0x30, 0, 0, 13), (0x54, 0, 0, 0x12), (0x15, 0, 1, 0x02), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFFFFFF))
SETTLED = 50  # looks, a millisecond apart, after which nobody is half connected
DIED_AT_ONCE = 1.0  # seconds: a worker that lived shorter is not begun anew before they have passed


@dataclass(frozen=True)
class Service:
    """An application and what is to be done beside it. drain: called when the server is to end; others_serve:
    whether other processes go on listening on the same socket then.
    """

    app: Any
    beside: Callable[[], Coroutine[Any, Any, None]]
    drain: Callable[[], None]
    limits: Limits = field(default_factory=Limits)
    others_serve: Callable[[], bool] = lambda: False


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free."""
    with contextlib.ExitStack() as stack:
        try:
            sock = stack.enter_context(socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET))
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((host, port))
        except (OSError, OverflowError, ValueError) as error:  # a name may be none at all
            reason = error.strerror if isinstance(error, OSError) else error
            where = f"{shown(host)}, port {port}" if port else shown(host)
            raise OptionError(f"cannot listen on {where}: {reason}. Choose another.") from None
        stack.pop_all()
    sock.listen(2048)
    sock.setblocking(False)
    return sock


class DrainingServer(uvicorn.Server):
    """uvicorn, ending without losing a request."""

    def __init__(self, config: uvicorn.Config, sock: socket.socket, service: Service) -> None:
        super().__init__(config)
        self.sock, self.service = sock, service

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, and what runs beside."""
        await super().startup(sockets=sockets)
        self.beside = asyncio.get_running_loop().create_task(self.service.beside())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End: who has come is let in and answered, nobody new comes."""
        self.service.drain()
        # Who was half connected when new ones were refused still comes. Where new ones keep coming, waiting
        # for a silence might never end. The socket's filter is shared by all workers: one that ends alone
        # leaves it, and who comes to the others.
        looks, quiet = 0, 0
        if not self.service.others_serve():
            looks = SETTLED if refuse_new(self.sock) else 1
        while quiet < looks:
            quiet = 0 if select.select([self.sock], [], [], 0)[0] else quiet + 1
            await asyncio.sleep(0.001)
        await super().shutdown(sockets=sockets)
        self.beside.cancel()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End in peace when told to; uvicorn would raise the signal again."""
        before = {one: signal.signal(one, self.handle_exit) for one in STOP}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)


def run(sock: socket.socket, service: Service) -> None:
    """Serve until a signal says to stop."""
    limits = service.limits
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())  # the log is ours, and of JSON
    config = uvicorn.Config(
        service.app,
        http=limited(limits),
        loop="auto",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=int(limits.idle) + 5,  # ours comes first
        timeout_graceful_shutdown=int(limits.seconds) + 5,
    )
    DrainingServer(config, sock, service).run([sock])


def refuse_new(sock: socket.socket) -> bool:
    """Let no new connection begin: those that ask are told when the socket is closed, and lose nothing.
    Return False on a system that has no such filters: there they go on coming.
    """
    code = b"".join(struct.pack("HBBI", *line) for line in NO_SYN)
    held = ctypes.create_string_buffer(code)
    program = struct.pack("HL", len(NO_SYN), ctypes.addressof(held))
    try:
        sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)
    except OSError:
        return False
    return True


def run_workers(count: int, work: Callable[[int, Callable[[], bool]], None], log: Log) -> None:
    """Run work(worker, others_serve) in so many processes until a signal says to stop; a worker that ends
    before is begun anew, whatever ended it.
    """
    if not hasattr(os, "fork"):  # Windows
        log.say("one process", asked=count)
        return work(0, lambda: False)
    alive: dict[int, tuple[int, float]] = {}  # by process: which worker, since when
    stopping = mmap.mmap(-1, 1)  # shared with the workers: 1 once all are to end
    parent = os.getpid()

    def others_serve() -> bool:
        return not stopping[0] and os.getppid() == parent

    def stop(number: int, frame: FrameType | None) -> None:
        stopping[0] = 1
        for pid in alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def begin(worker: int) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP)  # a signal waits until all whom it ends are known
        try:
            if not stopping[0]:
                alive[_begin(partial(work, worker, others_serve))] = worker, time.monotonic()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP)

    before = {one: signal.signal(one, stop) for one in STOP}
    try:
        for worker in range(count):
            begin(worker)
        while alive:
            pid, status = os.waitpid(-1, 0)
            worker, since = alive.pop(pid, (-1, 0.0))
            if worker < 0 or stopping[0]:
                continue
            log.say("worker died", worker=worker, status=os.waitstatus_to_exitcode(status))
            lived = time.monotonic() - since
            time.sleep(max(0.0, DIED_AT_ONCE - lived))
            begin(worker)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _begin(work: Callable[[], None]) -> int:
    """Start a process that does the work, and return its number. Signals wait: here until it is
    known, there until they end it.
    """
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        for one in STOP:
            signal.signal(one, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP)
        _end_with(parent)
        work()
        code = 0
    finally:
        os._exit(code)


def _end_with(parent: int) -> None:
    """End when the first process does, also when that is killed."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)
