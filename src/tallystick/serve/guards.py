"""Access checks and limits of requests, the log (JSON lines), and the metrics that Prometheus reads.

Entry: `Guards`, `Log`, `Metrics`. Law of the checks: what is not allowed is refused before its body is read.
"""

from __future__ import annotations

import hmac
import json
import mmap
import os
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from tallystick.errors import shown
from tallystick.files import resident
from tallystick.serve.requests import Header, Refused, Reply

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = dict[bytes, bytes]

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
ANY = "*"
HEALTH = frozenset({"/healthz", "/readyz", "/v2/health/live", "/v2/health/ready"})  # asked for by address
ONCE = (b"host", b"origin", b"authorization", b"content-type", b"content-length", b"cookie")
REMEMBERED = 256  # cached names of allowed hosts


@dataclass(frozen=True)
class Limits:
    """How much one request may take.

    body, header: bytes. rows: of one request. seconds: until a request has arrived, and until a client has
    taken its answer. idle: seconds that a connection may stay open between requests. explained: rows of a
    request that asks why. waiting: requests that may wait for a thread.
    """

    body: int = 16 << 20
    rows: int = 100_000
    header: int = 16 << 10
    seconds: float = 30.0
    idle: float = 60.0
    connections: int = 1_000
    explained: int = 1_000
    waiting: int = 64


@dataclass(frozen=True)
class Guards:
    """The checks of every request. hosts: names without a port, or `*`; token: empty is none; cookie:
    the name of a cookie that may bring the token instead; unguarded: paths that need no token.
    """

    hosts: frozenset[str] = LOOPBACK
    origins: frozenset[str] = frozenset()
    token: str = ""
    cookie: str = ""
    unguarded: frozenset[str] = HEALTH
    limits: Limits = field(default_factory=Limits)
    _good: set[bytes] = field(default_factory=set, compare=False, repr=False)

    def check(self, scope: Scope) -> Headers:
        """Return the headers of a request that may be answered; else raise Refused."""
        listed = scope["headers"]
        headers: Headers = dict(listed)
        if len(headers) != len(listed):
            _refuse_twice(listed)
        host = headers.get(b"host", b"")
        if host not in self._good and scope["path"] not in HEALTH:
            self._check_host(host)
        if b"origin" in headers:
            self._check_origin(headers[b"origin"], host)
        elif headers.get(b"sec-fetch-site") in (b"cross-site", b"same-site"):
            self._check_fetch(headers)
        if self.token and scope["path"] not in self.unguarded and not self._preflight(scope, headers):
            self._check_token(headers)
        return headers

    def _check_host(self, host: bytes) -> None:
        """Refuse a name that is not ours: a page elsewhere may have let its name lead here."""
        name = host.decode("latin-1").lower()
        bare = name.rpartition(":")[0] if name.rpartition(":")[2].isdigit() else name
        if not bare:
            raise Refused(400, "the request names no host. Send the header Host.")
        if ANY not in self.hosts and bare not in self.hosts:
            raise Refused(421, f"this server is not called {shown(bare)}. Ask it by its own name.")
        if len(self._good) < REMEMBERED:
            self._good.add(host)

    def _check_origin(self, origin: bytes, host: bytes) -> None:
        """Refuse pages of other sites."""
        if origin in (b"http://" + host, b"https://" + host) or origin.decode("latin-1") in self.origins:
            return
        raise Refused(403, f"pages of {shown(origin.decode('latin-1'))} may not ask this server.")

    @staticmethod
    def _check_fetch(headers: Headers) -> None:
        """Refuse what a page of another site fetches; a person who follows a link may come."""
        if headers.get(b"sec-fetch-mode") != b"navigate":
            raise Refused(403, "pages of other sites may not ask this server.")

    def _preflight(self, scope: Scope, headers: Headers) -> bool:
        """Say whether a browser asks what a page of an allowed origin may do: it brings no token."""
        return scope["method"] == "OPTIONS" and bool(self.allowed(headers))

    def _check_token(self, headers: Headers) -> None:
        kind, _, given = headers.get(b"authorization", b"").partition(b" ")
        brought = given.strip() if kind.lower() == b"bearer" else b""
        if not brought and self.cookie:
            brought = cookie(headers, self.cookie)
        if not same(brought, self.token):
            raise Refused(
                401,
                "this server wants a token. Send the header Authorization: Bearer TOKEN.",
                [(b"www-authenticate", b"Bearer")],
            )

    def allowed(self, headers: Headers) -> list[Header]:
        """Return the headers that let a page of an allowed origin read the answer."""
        origin = headers.get(b"origin")
        if origin is None or origin.decode("latin-1") not in self.origins:
            return []
        return [(b"access-control-allow-origin", origin), (b"vary", b"Origin")]

    async def body(self, receive: Receive, headers: Headers) -> bytes:
        """Return the body of a request; refuse one that is too large, before it is read where it says so."""
        if headers.get(b"content-encoding", b"identity") != b"identity":
            raise Refused(415, "the body is packed (Content-Encoding). Send it as it is.")
        found = headers.get(b"content-length", b"")
        if found and (len(found) > 18 or int(found) > self.limits.body):
            raise self._too_large()
        message = await receive()
        body: bytes = message.get("body", b"")
        parts, size = [body], len(body)
        while message.get("more_body"):
            message = await receive()
            if message["type"] == "http.disconnect":
                break
            parts.append(message["body"])
            size += len(parts[-1])
            if size > self.limits.body:
                raise self._too_large()
        if message["type"] == "http.disconnect":
            raise Refused(400, "the connection was closed before the request had arrived.")
        return b"".join(parts)

    def _too_large(self) -> Refused:
        return Refused(413, f"the body has more than {self.limits.body:,} bytes. Send fewer rows at once.")


def same(given: bytes, wanted: str) -> bool:
    """Say whether a secret is the wanted one, in a time that does not tell how much of it is right."""
    return hmac.compare_digest(given, wanted.encode())


def cookie(headers: Headers, name: str) -> bytes:
    """Return the value of a cookie, or nothing."""
    for pair in headers.get(b"cookie", b"").split(b";"):
        key, _, value = pair.strip().partition(b"=")
        if key == name.encode():
            return value
    return b""


def _refuse_twice(listed: list[Header]) -> None:
    names = [name for name, _ in listed]
    for name in ONCE:
        if names.count(name) > 1:
            raise Refused(400, f"the header {name.decode()} is there twice. Send it once.")


# The log of requests, models and workers: one JSON object per line, on standard error.
# Law: no cell, no token and no query of an address is written; a line is never cut in two.

PIECE = 4096  # bytes that a pipe takes in one piece, also with several writers
HELD = 64  # lines that are buffered at most

_write = json.JSONEncoder(separators=(",", ":")).encode


class Log:
    """Lines on their way to a file; requests wait a little, so that many are written at once."""

    def __init__(self, file: int = 2, requests: bool = True) -> None:
        self.file, self.requests = file, requests
        self.lines: list[bytes] = []

    def say(self, event: str, **more: Any) -> None:
        """Write that something happened, at once."""
        self._put({"time": _now(), "event": event, **more})
        self.flush()

    def request(self, **given: Any) -> None:
        """Keep a line of a request, if requests are logged at all."""
        if self.requests:
            self._put({"time": _now(), "event": "request", **given})
            if len(self.lines) >= HELD:
                self.flush()

    def _put(self, given: dict[str, Any]) -> None:
        self.lines.append(_write(given).encode() + b"\n")

    def flush(self) -> None:
        """Write what waits; where nobody reads, it is lost and the service goes on."""
        lines, self.lines = self.lines, []
        piece = b""
        for line in [*lines, None]:
            if line is None or len(piece) + len(line) > PIECE:
                try:
                    os.write(self.file, piece)
                except OSError:
                    return
                piece = b""
            piece += line or b""


def _now() -> str:
    now = time.time()
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now))}.{int(now % 1 * 1000):03}Z"


# Metrics for Prometheus, counted by all workers in shared memory.
# Law: any worker reports the sum over all of them, and no count is lost when one dies.

ROUTES = ("predict", "infer", "models", "health", "metrics", "pages", "other")
STATUSES = (200, 204, 304, 400, 401, 403, 404, 405, 406, 408, 413, 415, 421, 422, 431, 500, 503)
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
TEXT = b"text/plain; version=0.0.4; charset=utf-8"

_PLACE = {
    (route, status): r * len(STATUSES) + s
    for r, route in enumerate(ROUTES)
    for s, status in enumerate(STATUSES)
}
_TIMES = len(_PLACE)  # [route, bucket, and one for all beyond]
_SUMS = _TIMES + len(ROUTES) * (len(SECONDS) + 1)  # [route] nanoseconds
_ROWS = _SUMS + len(ROUTES)
_RELOADED, _BROKEN = _ROWS + 1, _ROWS + 2
_SIZE = _BROKEN + 1


class Metrics:
    """Counters, a row of them for each worker."""

    def __init__(self, workers: int = 1) -> None:
        self.all = memoryview(mmap.mmap(-1, workers * _SIZE * 8)).cast("q")
        self.be(0)

    def be(self, worker: int) -> None:
        """Count as this worker from now on."""
        self.own = self.all[worker * _SIZE : (worker + 1) * _SIZE]

    def answered(self, route: str, status: int, seconds: float, rows: int) -> None:
        """Count a request."""
        own, r = self.own, ROUTES.index(route)
        own[_PLACE.get((route, status), _PLACE[route, 500])] += 1
        bucket = next((i for i, most in enumerate(SECONDS) if seconds <= most), len(SECONDS))
        own[_TIMES + r * (len(SECONDS) + 1) + bucket] += 1
        own[_SUMS + r] += int(seconds * 1e9)
        own[_ROWS] += rows

    def reloaded(self, broken: bool) -> None:
        """Count a model file that was taken over, or refused."""
        self.own[_BROKEN if broken else _RELOADED] += 1

    def _total(self, place: int) -> int:
        return sum(self.all[place::_SIZE])

    def reply(self, models: Iterable[tuple[str, str]]) -> Reply:
        """Return all counts as text; models: names and versions."""
        lines = [
            "# HELP tally_requests_total Requests that were answered.",
            "# TYPE tally_requests_total counter",
        ]
        for (route, status), place in _PLACE.items():
            if count := self._total(place):
                lines.append(f'tally_requests_total{{route="{route}",status="{status}"}} {count}')
        lines += self._times()
        for name, kind, place, words in (
            ("tally_rows_total", "counter", _ROWS, "Rows that were answered."),
            ("tally_model_reloads_total", "counter", _RELOADED, "Model files that were taken over."),
            ("tally_model_refusals_total", "counter", _BROKEN, "New model files that could not be read."),
        ):
            lines += [f"# HELP {name} {words}", f"# TYPE {name} {kind}", f"{name} {self._total(place)}"]
        lines += ["# HELP tally_model_info Models that are served.", "# TYPE tally_model_info gauge"]
        lines += [f'tally_model_info{{model="{_label(m)}",version="{v}"}} 1' for m, v in models]
        lines += [
            "# HELP process_resident_memory_bytes Memory of the worker that was asked.",
            "# TYPE process_resident_memory_bytes gauge",
            f"process_resident_memory_bytes {resident()}",
        ]
        return Reply(200, ("\n".join(lines) + "\n").encode(), TEXT)

    def _times(self) -> list[str]:
        name = "tally_request_seconds"
        lines = [f"# HELP {name} Time from a request's headers to its answer.", f"# TYPE {name} histogram"]
        for r, route in enumerate(ROUTES):
            base = _TIMES + r * (len(SECONDS) + 1)
            counts = [self._total(base + i) for i in range(len(SECONDS) + 1)]
            if not sum(counts):
                continue
            running = 0
            for most, count in zip((*SECONDS, "+Inf"), counts, strict=True):
                running += count
                lines.append(f'{name}_bucket{{route="{route}",le="{most}"}} {running}')
            lines.append(f'{name}_sum{{route="{route}"}} {self._total(_SUMS + r) / 1e9}')
            lines.append(f'{name}_count{{route="{route}"}} {running}')
        return lines


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
