"""The HTTP server: connections with limits, listening sockets, worker processes, signals and shutdown.

Parts: one connection; sockets and workers. Entry: `run()`, or `run_workers()` for several processes.
draining = no new requests are taken, and those that came are answered.
Laws: after SIGTERM no request that reached this machine is lost; when a worker ends another takes its
place, and the others serve on.
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
from collections.abc import Callable, Coroutine, Iterator, Sized
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from types import FrameType
from typing import Any

import httptools
import uvicorn
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tallystick.errors import OptionError, shown
from tallystick.serve.guards import Limits, Log
from tallystick.serve.requests import Reply, problem

# One connection: uvicorn's HTTP parser, with limits on headers, time and the number of connections.
# Laws: a client that is slow, endless or silent is cut off; pipelined requests are answered in their order,
# and every complete one is answered before the connection ends, whatever follows it.

GRACE = 1.0  # seconds in which a client may still ask on a connection that is to end


class Flow(FlowControl):
    """Reads on only when no whole request waits: what a client sends ahead waits there, not in our memory."""

    def __init__(self, transport: asyncio.Transport, waiting: Sized) -> None:
        super().__init__(transport)
        self.waiting = waiting

    def resume_reading(self) -> None:
        """Read on, unless requests wait."""
        if not self.waiting:
            super().resume_reading()


class Closing:
    """The transport as the answer to a request has it: it closes by way of `Connection.say_last`."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.write, self.is_closing = connection.transport.write, connection.transport.is_closing

    def close(self) -> None:
        """End; requests that came behind are not answered, as the answer says."""
        connection = self.connection
        connection.pipeline.clear()
        connection.unanswered, connection.last = 0, b""
        connection.say_last()


class Connection(HttpToolsProtocol):
    """A connection with limits; `limited` makes a class of it that has them."""

    limits = Limits()
    draining = False  # the server is to end; said of each connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection in, unless there are too many."""
        super().connection_made(transport)
        self.flow = Flow(transport, self.pipeline)
        self.raw = self.head = 0  # bytes of headers so far: as they came, and of those that are complete
        self.inside = False  # the headers of a request are complete, its body is not
        self.arriving = False  # some of a request is here, and some not
        self.own: Any = None  # the cycle of the request that is arriving, once its headers are complete
        self.parting: Any = None  # the cycle whose answer says that the connection ends, as the server does
        self.ended = False  # a request ended in the bytes that came last
        self.unanswered = 0  # requests, with the one that is arriving
        self.said = False  # the last has been said, too
        self.last: bytes | None = None  # nothing more is read; this is said when all is answered
        self.timer: asyncio.TimerHandle | None = None
        self.stalled: asyncio.TimerHandle | None = None
        if len(self.connections) > self.limits.connections:
            self.refuse(problem(503, "there are too many connections. Come again in a moment."))
        else:
            self.wait(self.limits.idle)

    def wait(self, seconds: float) -> None:
        """Cut the connection off unless something is here by then."""
        if self.timer is not None:
            self.timer.cancel()
        self.timer = self.loop.call_later(seconds, self.late)

    def late(self) -> None:
        """Cut off a client that took too long; one whose turn has not come has all its time before it."""
        self.timer = None
        if self.last is not None or not self.arriving or self.transport.is_closing():
            self.transport.close()
        elif self.unanswered > (self.own is not None):
            self.wait(self.limits.seconds)
        elif self.own is not None and self.own.response_started:
            self.cut_off()  # answered, and still sending
        else:
            text = f"the request did not arrive within {self.limits.seconds:g} seconds. Send it at once."
            self.refuse(problem(408, text))

    def cut_off(self) -> None:
        """End at once: what waits to be sent is thrown away, here and in the system."""
        with contextlib.suppress(OSError):
            sock = self.transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def refuse(self, reply: Reply) -> None:
        """Answer the request that is arriving without an application, after those before it, and end."""
        status = HTTPStatus(reply.status)
        self.end(
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: {reply.kind.decode()}\r\n"
            f"content-length: {len(reply.body)}\r\nconnection: close\r\n\r\n".encode()
            + reply.body
        )

    def end(self, last: bytes) -> None:
        """Read nothing more; answer what came whole, say the last, and close."""
        if self.last is not None or self.transport.is_closing():
            return
        self.last = last
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        own, self.own = self.own, None
        if own is not None:
            if own.response_started:
                self.last = b""  # it has its answer, or a part of one
            if any(cycle is own for cycle, _ in self.pipeline):
                self.pipeline.popleft()  # it came last
                self.unanswered -= 1
            elif not own.response_complete:
                own.disconnected = True  # to its application: nobody waits for the answer
                own.message_event.set()
                self.unanswered -= 1
        if not self.unanswered:
            self.say_last()

    def say_last(self) -> None:
        """Say the last and let the client read it: bytes that wait here when a connection is closed would
        make the system throw away what was sent.
        """
        self.said = True
        self._unset_keepalive_if_required()
        if self.last:
            self.transport.write(self.last)
        self.transport.write_eof()
        self.flow.resume_reading()
        self.wait(GRACE)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP."""
        self.refuse(problem(400, "this is not an HTTP request."))

    def data_received(self, data: bytes) -> None:
        """Take in some bytes; headers that never end are refused."""
        if self.last is not None:
            return
        if not self.arriving:
            self.arriving = True
            self.wait(self.limits.seconds)
        self.ended = False
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except (
            httptools.HttpParserUpgrade
        ):  # it was answered as if it had not asked; the parser reads no more
            if self.cycle is not None and not self.cycle.response_started:
                self.cycle.keep_alive = False
            self.end(b"")
        except httptools.HttpParserError:
            self.send_400_response("")
        if self.arriving and not self.inside and not self.ended:  # else some of it belongs to others
            self.raw += len(data)
            self.check_head()
        self.part()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer what came: a client may say that this was all."""
        if self.last is None and self.unanswered > (self.own is not None):
            self.end(b"")
        return self.last is not None and self.unanswered > 0

    def check_head(self) -> None:
        """Refuse headers that are too long."""
        if max(self.raw, self.head) > self.limits.header:
            text = f"the headers have more than {self.limits.header:,} bytes. Send fewer."
            self.refuse(problem(431, text))

    def on_message_begin(self) -> None:
        """Begin a request; one that came behind another has its own time."""
        self.raw = self.head = 0
        if not self.arriving:
            self.arriving = True
            self.wait(self.limits.seconds)
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Take in a piece of the address."""
        self.head += len(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take in a header."""
        self.head += len(name) + len(value)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the application, unless the request was refused already."""
        self.inside = True
        self.check_head()
        if self.last is None:
            if self.parting is not None and not self.parting.response_started:
                self.parting.keep_alive = True  # it is not the last after all
            self.parting = None
            super().on_headers_complete()
            self.cycle.transport = Closing(self)  # type: ignore[assignment]
            self.own = self.cycle
            self.unanswered += 1

    def on_body(self, body: bytes) -> None:
        """Take in a piece of the body."""
        if self.last is None:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """A request has arrived: the answer may take its time."""
        self.arriving = self.inside = False
        self.ended = True
        self.own = None
        if self.last is None:
            if self.timer is not None:
                self.timer.cancel()
                self.timer = None
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Begin the answer to the next request, or wait for it, or end."""
        if self.said or self.transport.is_closing():
            return
        self.unanswered -= 1
        super().on_response_complete()
        if self.unanswered:
            self.part()
        elif self.last is not None:
            self.say_last()
        elif not self.arriving:
            self.wait(GRACE if self.draining else self.limits.idle)

    def shutdown(self) -> None:
        """End when what is on its way is answered: a client may have sent before it knew."""
        self.draining = True
        if not self.unanswered and not self.arriving and self.last is None:
            self.wait(GRACE)
        self.part()

    def part(self) -> None:
        """Let the answer under way be the last, when the server is to end and nothing more has come."""
        if self.draining and self.unanswered == 1 and not self.arriving and self.last is None:
            cycle = self.cycle
            if cycle.keep_alive and not cycle.response_started and not self.more_came():
                cycle.keep_alive, self.parting = False, cycle

    def more_came(self) -> bool:
        """Say whether bytes wait in the system."""
        look = select.poll()
        look.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(look.poll(0))

    def pause_writing(self) -> None:
        """The client does not take its answer; it has some time to begin again."""
        super().pause_writing()
        if self.stalled is None:
            self.stalled = self.loop.call_later(self.limits.seconds, self.cut_off)

    def resume_writing(self) -> None:
        """The client takes its answer."""
        super().resume_writing()
        if self.stalled is not None:
            self.stalled.cancel()
            self.stalled = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        for timer in (self.timer, self.stalled):
            if timer is not None:
                timer.cancel()
        self.timer = self.stalled = None
        super().connection_lost(exc)


def limited(limits: Limits) -> Any:
    """Return what makes connections with these limits."""
    return type("LimitedConnection", (Connection,), {"limits": limits})


STOP = (signal.SIGTERM, signal.SIGINT)
SO_ATTACH_FILTER = 26
# A packet filter for a listening socket: it drops requests for a new connection, SYN without ACK.
NO_SYN = ((0x30, 0, 0, 13), (0x54, 0, 0, 0x12), (0x15, 0, 1, 0x02), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFFFFFF))
SETTLED = 50  # checks, a millisecond apart, after which no connection is half open
DIED_AT_ONCE = 1.0  # seconds between two starts of a worker at least


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
