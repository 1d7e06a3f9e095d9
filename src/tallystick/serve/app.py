"""The application of `tally serve`: routes, requests, replies and what is logged of each request.

Entry: `ServeApp`. Law: every failure is answered in one line; the cause of a failure of the server is in the
log alone.
"""

from __future__ import annotations

import asyncio
import os
import traceback
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

from tallystick.errors import TallyError, shown
from tallystick.serve import protocol, requests
from tallystick.serve.guards import Guards, Headers, Log, Metrics, Receive, Scope, Send
from tallystick.serve.models import Served, Shelf
from tallystick.serve.predictions import PLAIN, asked, dumps, json_reply, one_reply, table_reply
from tallystick.serve.requests import CSV, JSON, Refused, Reply, problem

Route = tuple[str, str, Callable[..., Awaitable[Reply]]]  # name in the metrics, HTTP method, handler
Named = str | None

LOOK = 1.0  # seconds between two checks of the model files for changes
ONE_ROW = 65_536  # bytes of a body that the event loop parses itself; a larger one would delay other requests
THREADS = 1  # threads for requests of many rows: two would wait for Python's lock


class Request:
    """A request in progress: what came, and what is logged of it afterwards."""

    __slots__ = ("headers", "method", "path", "receive", "route", "rows", "scope", "served", "size")

    def __init__(self, scope: Scope, receive: Receive, headers: Headers) -> None:
        self.scope, self.receive, self.headers = scope, receive, headers
        self.method, self.path = scope["method"], scope["path"]
        self.route, self.rows, self.size = "other", 0, 0
        self.served: Served | None = None

    def query(self) -> dict[str, str]:
        """Return the names and values after the `?`; the same name twice is refused."""
        given = self.scope["query_string"]
        if not given:
            return {}
        pairs = parse_qsl(given.decode("latin-1"), keep_blank_values=True)
        query = dict(pairs)
        if len(query) != len(pairs):
            raise Refused(400, "a name is there twice after the ? of the address. Give each once.")
        return query


class ServeApp:
    """The application that `tally serve` runs; a plain ASGI callable."""

    def __init__(self, shelf: Shelf, guards: Guards, log: Log, metrics: Metrics) -> None:
        self.shelf, self.guards, self.log, self.metrics = shelf, guards, log, metrics
        self.pool = ThreadPoolExecutor(THREADS, "answer")
        self.waiting = 0
        self.draining = False
        self.exact: dict[str, Route] = {
            "/v1/predict": ("predict", "POST", self.predict),
            "/v1/models": ("models", "GET", self.models),
            "/healthz": ("health", "GET", self.healthy),
            "/readyz": ("health", "GET", self.ready),
            "/metrics": ("metrics", "GET", self.counts),
            "/openapi.json": ("pages", "GET", self.openapi),
            "/v2": ("infer", "GET", self.server_metadata),
            "/v2/health/live": ("health", "GET", self.healthy),
            "/v2/health/ready": ("health", "GET", self.ready),
        }
        self.ends: dict[str, dict[str, Route]] = {  # of addresses that name a model
            "v1": {
                "predict": ("predict", "POST", self.predict),
                "schema": ("models", "GET", self.schema),
                "": ("models", "GET", self.model),
            },
            "v2": {
                "infer": ("infer", "POST", self.infer),
                "ready": ("health", "GET", self.model_ready),
                "": ("infer", "GET", self.metadata),
            },
        }
        self.exact |= dict.fromkeys(protocol.FILES, ("pages", "GET", self.page))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        begun = perf_counter()
        request = Request(scope, receive, {})
        reply = await self._answered(request)
        if reply.status >= 400 and request.path.startswith("/v2"):
            reply = protocol.as_error(reply)
        headers = [
            (b"content-type", reply.kind),
            (b"content-length", str(len(reply.body)).encode()),
            *reply.headers,
        ]
        if self.guards.origins:
            headers += self.guards.allowed(request.headers)
        seconds = perf_counter() - begun  # counted first: who has an answer finds it in the counts
        self.metrics.answered(request.route, reply.status, seconds, request.rows)
        if self.log.requests:
            self._log(request, reply, seconds)
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})

    async def _answered(self, request: Request) -> Reply:
        """Return the answer to a request, whatever happens."""
        try:
            request.headers = self.guards.check(request.scope)
            return await self._routed(request)
        except Refused as refused:
            return refused.reply()
        except MemoryError:
            return problem(413, "there is not enough memory for this request. Send fewer rows at once.")
        except TallyError as error:
            return problem(422, error.message)
        except Exception as error:
            self._log_failure(request, error)
            return problem(500, "something went wrong here. The log of the server has it.")

    async def _routed(self, request: Request) -> Reply:
        if request.path == "*" and request.method == "OPTIONS":
            return Reply(204, b"", headers=[(b"allow", b"GET, HEAD, POST, OPTIONS")])
        found = self.exact.get(request.path)
        if found is None:
            found = self._longer(request.path)
        request.route, method, answer = found
        if request.method == method or (method == "GET" and request.method == "HEAD"):
            return await answer(request)
        allowed = f"{method}, HEAD" if method == "GET" else method
        if request.method == "OPTIONS" and self.guards.allowed(request.headers):
            more = [(b"access-control-allow-methods", allowed.encode())]
            more += [(b"access-control-allow-headers", b"authorization, content-type, accept")]
            return Reply(204, b"", headers=more)
        text = f"{shown(request.path)} takes {method}, not {shown(request.method)}."
        raise Refused(405, text, [(b"allow", allowed.encode())])

    def _longer(self, path: str) -> Route:
        """Return who answers an address that names a model: /v1/models/NAME/versions/SHA/predict."""
        parts = path.split("/")[1:] or [""]
        last = self.ends.get(parts[0], {})
        if parts[1:2] == ["models"] and len(parts) >= 3:
            rest, version = parts[3:], None
            if len(rest) >= 2 and rest[0] == "versions":
                version, rest = rest[1], rest[2:]
            end = "/".join(rest)
            if end in last:
                route, method, answer = last[end]
                return route, method, partial(answer, name=parts[2], version=version)
        raise Refused(404, f"there is nothing at {shown(path)}. /openapi.json says what there is.")

    # -- what is asked --

    async def predict(self, request: Request, name: str | None = None, version: str | None = None) -> Reply:
        """Answer rows."""
        query = request.query()
        served = self.shelf.find(name or query.get("model"), version or query.get("version"))
        request.served = served
        headers = request.headers
        kind = requests.media_type(headers.get(b"content-type"))
        wanted = requests.wanted_type(headers.get(b"accept"), kind)
        ask = asked(query)
        body = await self.guards.body(request.receive, headers)
        request.size = len(body)
        if kind == wanted == JSON and ask is PLAIN and body[:1] == b"{" and len(body) <= ONE_ROW:
            rows, _ = requests.json_rows(body, self.guards.limits.rows)
            found = served.one.answer(rows[0])
            if found is not None:
                request.rows = 1
                return one_reply(served, found)
        work = partial(self._many, request, served, body, (kind, wanted), query)
        reply: Reply = await self.in_thread(work)
        return reply

    def _many(
        self, request: Request, served: Served, body: bytes, kinds: tuple[str, str], query: dict[str, str]
    ) -> Reply:
        """Answer rows by way of a table."""
        (kind, wanted), single, limits = kinds, False, self.guards.limits
        if kind == JSON:
            rows, single = requests.json_rows(body, limits.rows)
            source = requests.as_source(rows) if rows else requests.no_rows(served.estimator.schema_)
        elif kind == CSV:
            source = requests.csv_source(body, query, requests.charset(request.headers.get(b"content-type")))
        else:
            source = requests.arrow_source(body, limits)
        ask = asked(query)
        if wanted == JSON:
            reply, request.rows = json_reply(served, source, ask, single, limits)
        else:
            reply, request.rows = table_reply(served, source, ask, wanted, limits)
        return reply

    async def in_thread(self, work: Callable[[], Any]) -> Any:
        """Run work beside the loop; too much of it at once is refused."""
        if self.waiting >= self.guards.limits.waiting:
            raise Refused(503, "too many requests wait already. Come again.", [(b"retry-after", b"1")])
        self.waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self.pool, work)
        finally:
            self.waiting -= 1

    async def models(self, request: Request) -> Reply:
        """List the models."""
        return Reply(200, dumps({"models": [described(served) for served in self.shelf]}).encode())

    async def model(self, request: Request, name: Named, version: Named) -> Reply:
        """Describe one model."""
        return Reply(200, dumps(described(self._found(request, name, version))).encode())

    async def schema(self, request: Request, name: Named, version: Named) -> Reply:
        """Return the JSON Schema of the rows of a model."""
        schema = protocol.row_schema(self._found(request, name, version))
        return Reply(200, dumps(schema).encode(), b"application/schema+json")

    def _found(self, request: Request, name: Named, version: Named) -> Served:
        request.served = self.shelf.find(name, version)
        return request.served

    async def page(self, request: Request) -> Reply:
        """Return a file of the page."""
        return protocol.page(request.path)

    async def openapi(self, request: Request) -> Reply:
        """Return what there is to ask."""
        return protocol.openapi_reply(self.shelf)

    # -- the Open Inference Protocol --

    async def server_metadata(self, request: Request) -> Reply:
        """Say what server this is."""
        return protocol.server_metadata()

    async def model_ready(self, request: Request, name: Named, version: Named) -> Reply:
        """Say whether a model is ready: it is there."""
        self._found(request, name, version)
        return await self.ready(request)

    async def metadata(self, request: Request, name: Named, version: Named) -> Reply:
        """Return the inputs and outputs of a model."""
        served = self._found(request, name, version)
        return protocol.model_metadata(served, [one.version for one in self.shelf if one.name == name])

    async def infer(self, request: Request, name: Named, version: Named) -> Reply:
        """Answer rows that are given as tensors."""
        served = self._found(request, name, version)
        wanted = asked(request.query()).wanted
        if b"inference-header-content-length" in request.headers:
            raise Refused(400, "binary tensors are not read here. Send the data as JSON (binary_data=False).")
        body = await self.guards.body(request.receive, request.headers)
        request.size = len(body)
        reply: Reply
        work = partial(protocol.answer, served, body, self.guards.limits, wanted)
        reply, request.rows = await self.in_thread(work)
        return reply

    # -- how it is --

    async def healthy(self, request: Request) -> Reply:
        """Say that this process answers."""
        return Reply(200, b'{"status":"ok"}')

    async def ready(self, request: Request) -> Reply:
        """Say whether requests should be sent here."""
        if self.draining:
            raise Refused(503, "the server is about to end.")
        return Reply(200, b'{"status":"ready"}')

    async def counts(self, request: Request) -> Reply:
        """Return the counts."""
        return self.metrics.reply((served.name, served.version) for served in self.shelf)

    # -- beside the requests --

    def _log(self, request: Request, reply: Reply, seconds: float) -> None:
        client, served = request.scope.get("client"), request.served
        self.log.request(
            client=client[0] if client else "",
            method=request.method[:20],
            path=request.path[:200],
            status=reply.status,
            rows=request.rows,
            bytes_in=request.size,
            bytes_out=len(reply.body),
            ms=round(seconds * 1000, 3),
            model=served.name if served else "",
            version=served.version[:12] if served else "",
        )

    def _log_failure(self, request: Request, error: Exception) -> None:
        """Say where it was, not what: the message of an error may hold cells."""
        where = [
            f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(error.__traceback__)
        ]
        self.log.say("failure", path=request.path[:200], error=type(error).__name__, where=where)

    async def look_after(self) -> None:
        """Look at the model files and write the log, as long as the loop runs."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(LOOK)
            self.log.flush()
            await loop.run_in_executor(None, self.shelf.look, self.log, self.metrics)


def described(served: Served) -> dict[str, Any]:
    """Return what there is to know of a model without asking it."""
    estimator = served.estimator
    target = estimator.schema_.predicted
    return {
        "name": served.name,
        "version": served.version,
        "kind": estimator.model_.kind,
        "target": {"name": target.name, "labels": list(served.labels)},
        "columns": [{"name": c.name, "kind": c.kind} for c in estimator._asked.used],
        "rows": estimator.rows_["count"],
    }
