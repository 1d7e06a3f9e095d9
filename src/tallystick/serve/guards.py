"""Who may ask, and how much: host, origin, token, and limits on what a request may hold.

Knows requests as ASGI gives them. Knows nothing of models or answers: whatever this room serves is guarded by
the same lines. Law: what is not allowed is refused before its body is read.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from tallystick.errors import shown
from tallystick.serve.problems import Header, Refused

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = dict[bytes, bytes]

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
ANY = "*"
HEALTH = frozenset({"/healthz", "/readyz", "/v2/health/live", "/v2/health/ready"})  # asked for by address
ONCE = (b"host", b"origin", b"authorization", b"content-type", b"content-length", b"cookie")
REMEMBERED = 256  # names of hosts that were found good


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
    """What every request is held against. hosts: names without a port, or `*`; token: empty is none; cookie:
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
        told = headers.get(b"content-length", b"")
        if told and (len(told) > 18 or int(told) > self.limits.body):
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
