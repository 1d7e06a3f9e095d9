"""One connection: uvicorn's reading of HTTP, with limits on headers, time and the number of connections.

Knows uvicorn's protocol. Knows nothing of what is asked.
Laws: a client that is slow, endless or silent is cut off; a connection that is to end answers what came.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tallystick.serve.guards import Limits
from tallystick.serve.problems import Reply, problem

GRACE = 1.0  # seconds in which a client may still ask on a connection that is to end


class Connection(HttpToolsProtocol):
    """A connection with limits; `limited` makes a class of it that has them."""

    limits = Limits()
    draining = False  # the server is to end; said of each connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection in, unless there are too many."""
        super().connection_made(transport)
        self.raw = self.head = 0  # bytes of headers so far: as they came, and of those that are complete
        self.inside = False  # the headers of a request are complete, its body is not
        self.arriving = False  # some of a request is here, and some not
        self.refused = False
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
        """Cut off a client that took too long."""
        self.timer = None
        if not self.arriving or self.transport.is_closing():
            self.transport.close()
        elif self.inside and self.cycle.response_started:
            self.cut_off()  # answered, and still sending
        else:
            told = f"the request did not arrive within {self.limits.seconds:g} seconds. Send it at once."
            self.refuse(problem(408, told))

    def cut_off(self) -> None:
        """End at once: what waits to be sent is thrown away, here and in the system."""
        with contextlib.suppress(OSError):
            sock = self.transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def refuse(self, reply: Reply) -> None:
        """Answer without an application, and end."""
        if self.refused or self.transport.is_closing():
            return
        self.refused = True
        status = HTTPStatus(reply.status)
        self.transport.write(
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: {reply.kind.decode()}\r\n"
            f"content-length: {len(reply.body)}\r\nconnection: close\r\n\r\n".encode()
            + reply.body
        )
        self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP."""
        self.refuse(problem(400, "this is not an HTTP request."))

    def data_received(self, data: bytes) -> None:
        """Take in some bytes; headers that never end are refused."""
        if self.refused:
            return
        if not self.arriving:
            self.arriving = True
            self.wait(self.limits.seconds)
        super().data_received(data)
        if self.arriving and not self.inside:
            self.raw += len(data)
            self.check_head()

    def check_head(self) -> None:
        """Refuse headers that are too long."""
        if max(self.raw, self.head) > self.limits.header:
            told = f"the headers have more than {self.limits.header:,} bytes. Send fewer."
            self.refuse(problem(431, told))

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
        if not self.refused:
            super().on_headers_complete()
            if self.draining:
                self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Take in a piece of the body."""
        if not self.refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """A request has arrived: the answer may take its time."""
        self.arriving = self.inside = False
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        if not self.refused:
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        if not self.arriving and not self.transport.is_closing():
            self.wait(GRACE if self.draining else self.limits.idle)
        super().on_response_complete()

    def shutdown(self) -> None:
        """End when what is on its way is answered: a client may have sent before it knew."""
        self.draining = True
        if self.cycle is None or self.cycle.response_complete:
            if not self.arriving:
                self.wait(GRACE)
        else:
            self.cycle.keep_alive = False

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
