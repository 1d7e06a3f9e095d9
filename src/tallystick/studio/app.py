"""The web application behind the studio's page: routes, sessions and the check of each request.

Entry: `StudioApp`. Laws: only this page may ask, with the cookie that the one-time token gave; every failure
is answered in one line; the log has failures of the server alone.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import shutil
import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, quote

from tallystick.errors import TallyError, shown
from tallystick.serve.guards import Guards, Headers, Limits, Receive, Scope, Send, same
from tallystick.serve.requests import Refused, Reply, from_json, problem
from tallystick.studio import session as views
from tallystick.studio.folder import Folder
from tallystick.studio.session import Session

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SAFE = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
LARGEST = 4 << 30  # bytes of a file that is dropped on the page
SMALL = 1 << 20  # bytes of anything else that the page sends
MOST = 32  # sessions; the one that was asked last stays longest
PATIENCE, LOOK = 10.0, 0.03  # seconds that a page's request waits for news, and between two checks
THREADS = 4
ITEMS = 100_000  # objects and lists of a request


def _is_row(value: Any) -> bool:
    return isinstance(value, dict) and all(
        v is None or isinstance(v, str | int | float) for v in value.values()
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


WISHES: dict[str, tuple[str, Callable[[Any], bool]]] = {  # the type of each name in a request
    **dict.fromkeys(
        ("session", "name", "column", "kind", "missing", "target", "do"),
        ("a text", lambda value: isinstance(value, str)),
    ),
    **dict.fromkeys(("cure", "folds", "step", "node"), ("a whole number", lambda value: type(value) is int)),
    "tuned": ("true or false", lambda value: isinstance(value, bool)),
    **dict.fromkeys(("methods", "columns"), ("a list of texts", _are_texts)),
    "row": ("an object of cells", _is_row),
    "threshold": ("a number", lambda value: value is None or _is_number(value)),
    **dict.fromkeys(("of", "answer"), ("a text", lambda value: value is None or isinstance(value, str))),
    "costs": ("an object or a list", lambda value: value is None or isinstance(value, dict | list)),
}


class StudioApp:
    """The application that `tally studio` runs; a plain ASGI callable. first: a file to begin with."""

    def __init__(self, folder: Folder, first: str = "") -> None:
        self.folder, self.first = folder, first
        self.once = secrets.token_urlsafe(24)  # in the address that opens the page; good once
        self.at(0)
        self.sessions: dict[str, Session] = {}
        self.pool = ThreadPoolExecutor(THREADS, "studio")
        self.ending = False

    def at(self, port: int) -> None:
        """Take a port: cookies do not know ports, so each studio has a cookie of its own."""
        self.address = f"http://127.0.0.1:{port}/open?token={self.once}"
        self.guards = Guards(
            token=secrets.token_urlsafe(32),
            cookie=f"tally-studio-{port}",
            unguarded=frozenset({"/open"}),
            limits=Limits(body=SMALL, seconds=600.0, idle=120.0),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        reply = await self._answered(scope, receive)
        headers = [(b"content-type", reply.kind), (b"content-length", str(len(reply.body)).encode())]
        await send(
            {
                "type": "http.response.start",
                "status": reply.status,
                "headers": [*headers, *SAFE, *reply.headers],
            }
        )
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else reply.body})

    async def _answered(self, scope: Scope, receive: Receive) -> Reply:
        try:
            headers = self.guards.check(scope)
            return await self._routed(scope, receive, headers)
        except Refused as refused:
            return refused.reply()
        except TallyError as error:
            return problem(422, str(error))
        except Exception:
            traceback.print_exc(file=sys.stderr)
            return problem(500, "something went wrong here. The terminal of the studio has it.")

    async def _routed(self, scope: Scope, receive: Receive, headers: Headers) -> Reply:
        path, method = scope["path"], scope["method"]
        query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        if method in ("GET", "HEAD"):
            if path == "/open":
                return self._opened(query)
            if path == "/":
                return Reply(200, views.page().encode(), views.TEXTS["html"])
            if path.startswith("/assets/"):
                return _asset(path.removeprefix("/assets/"))
            return await self._told(path, query)
        if method != "POST" or not path.startswith("/api/"):
            raise Refused(405, f"{shown(path)} does not take {shown(method)}.", [(b"allow", b"GET, POST")])
        if b"origin" not in headers:
            raise Refused(
                403, "only the page of the studio may ask for work. Its browser says where it is from."
            )
        if path == "/api/upload":
            self._session(query)
            place = await self.folder.take(query.get("name", ""), receive, LARGEST)
            try:
                self._session(query).open(place.name, place, dropped=True)
            except Refused:  # it ended meanwhile
                shutil.rmtree(place.parent, ignore_errors=True)
                raise
            return _json({})
        wish = _object(await self.guards.body(receive, headers))
        reply: Reply = await self._in_thread(partial(self._asked, path.removeprefix("/api/"), wish))
        return reply

    def _opened(self, query: dict[str, str]) -> Reply:
        """Let the holder of the one-time token in, once."""
        given, wanted = query.get("token", ""), self.once
        if not wanted or not same(given.encode(), wanted):
            raise Refused(401, "this address was used already, or is wrong. Start `tally studio` again.")
        self.once = ""
        cookie = f"{self.guards.cookie}={self.guards.token}; HttpOnly; SameSite=Strict; Path=/"
        return Reply(303, b"", b"text/plain", [(b"location", b"/"), (b"set-cookie", cookie.encode())])

    # -- what the page asks --

    async def _told(self, path: str, query: dict[str, str]) -> Reply:
        """Answer what changes nothing."""
        if path == "/api/files":
            return _json({"files": self.folder.names(), "folder": self.folder.path.name, "first": self.first})
        if path not in ("/api/state", "/api/part", "/api/row", "/api/tests", "/api/save"):
            raise Refused(404, f"there is nothing at {shown(path)}.")
        if path == "/api/state":
            return _json(await self._news(self._session(query), query.get("version", "")))
        session = self._session(query)
        quick: dict[str, Callable[[], Any]] = {
            "/api/part": lambda: session.part(query.get("name", "")),
            "/api/tests": lambda: session.tests(_whole(query.get("node", ""))),
            "/api/row": lambda: {"row": session.row(_whole(query.get("number", "")))},
        }
        if path in quick:
            return _json(await self._in_thread(quick[path]))
        name, content = await self._in_thread(partial(session.saved, query.get("what", "")))
        text = f"attachment; filename*=UTF-8''{quote(name)}"
        return Reply(200, content, b"application/octet-stream", [(b"content-disposition", text.encode())])

    async def _news(self, session: Session, version: str) -> dict[str, Any]:
        """Return the state once it differs from the version that the page has, or after a while."""
        until = time.monotonic() + PATIENCE
        while str(session.version) == version and time.monotonic() < until and not self.ending:
            await asyncio.sleep(LOOK)
        return session.state()

    def _asked(self, what: str, wish: dict[str, Any]) -> Reply:
        """Begin work, or answer a quick question."""
        if what == "session":
            return _json({"session": self._begin()})
        session = self._session({"session": wish.get("session", "")})
        work: dict[str, Callable[[], Any]] = {
            "file": lambda: session.open(wish["name"], self.folder.find(wish["name"])),
            "change": lambda: session.change(wish),
            "compare": lambda: session.compare(wish),
            "show": lambda: session.show(wish["name"]),
            "prunings": session.prunings,
            "prune": lambda: session.prune(wish.get("step")),
            "hand": lambda: session.by_hand(wish),
            "report": session.report,
            "cancel": session.cancel,
            "changes": lambda: session.changes(wish),
            "decide": lambda: session.decide(wish),
        }
        if what not in work:
            raise Refused(404, f"there is nothing at {shown('/api/' + what)}.")
        try:
            return _json(work[what]() or {})
        except KeyError as error:
            raise Refused(400, f"the request lacks {shown(error.args[0])}.") from None

    def _begin(self) -> str:
        """Begin the session of a tab; of too many the one that nobody asked for longest goes."""
        while len(self.sessions) >= MOST:
            self.sessions.pop(next(iter(self.sessions))).close()
        key = secrets.token_urlsafe(12)
        self.sessions[key] = Session()
        return key

    def _session(self, query: dict[str, str]) -> Session:
        key = query.get("session", "")
        if key not in self.sessions:
            raise Refused(410, "this session is no longer there. Reload the page.")
        self.sessions[key] = self.sessions.pop(key)
        return self.sessions[key]

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.pool, work)

    # -- beside the requests --

    async def look_after(self) -> None:
        """Do nothing beside the requests."""

    def drain(self) -> None:
        """End all work."""
        self.ending = True
        for session in list(self.sessions.values()):
            session.cancel()


def _asset(name: str) -> Reply:
    found = views.file(name)
    if found is None:
        raise Refused(404, f"there is no file {shown(name)}.")
    return Reply(200, *found)


def _json(given: Any) -> Reply:
    return Reply(
        200, json.dumps(given, allow_nan=False, default=str).encode()
    )  # a file's name may be no UTF-8


def _object(body: bytes) -> dict[str, Any]:
    """Return what a request asks for; each thing is of its kind."""
    found = from_json(body, ITEMS)
    if not isinstance(found, dict):
        raise Refused(400, "the request is not an object of JSON.")
    for name, value in found.items():
        what, fits = WISHES.get(name, ("", lambda value: True))
        if not fits(value):
            raise Refused(400, f"{name} is {shown(value)}. Send {what}.")
    return found


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise Refused(400, f"{shown(text)} is not the number of a row.")
    return int(text)
