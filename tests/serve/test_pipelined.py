"""Requests that come at once, in any pieces, with anything behind them: each is answered, in its order."""

from __future__ import annotations

import contextlib
import http.client
import io
import itertools
import json
import random
import signal
import socket
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from serving import PATIENCE, Server, serving

pytestmark = pytest.mark.slow

HEAD = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\n"


class Whole(io.BytesIO):
    """What came back, as the socket that http.client reads an answer from."""

    def makefile(self, *_):
        return self

    def close(self):
        """Stay open for the next answer."""


def answers(data: bytes, *methods: str) -> list[tuple[int, bytes]]:
    """The status and body of every answer; all of the bytes belong to one of them. methods: of the requests,
    where some are not POST.
    """
    came, found = Whole(data), []
    while came.tell() < len(data):
        method = methods[len(found)] if len(found) < len(methods) else "POST"
        reply = http.client.HTTPResponse(came, method=method)
        reply.begin()
        length = int(reply.headers["content-length"])  # every answer says how long it is
        body = b"" if method == "HEAD" else came.read(length)
        assert len(body) == (0 if method == "HEAD" else length), "an answer was cut short"
        found.append((reply.status, body))
    return found


def sent(server: Server, pieces: list[bytes], pause: float = 0.0) -> bytes:
    """Send pieces, each in a packet of its own, say that this is all, and return what comes back."""
    with socket.create_connection((server.host, server.port), timeout=PATIENCE) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ConnectionError):  # refused before all was sent
            for piece in pieces:
                line.sendall(piece)
                time.sleep(pause)
            line.shutdown(socket.SHUT_WR)
        parts = []
        while part := line.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


def row(x: float) -> bytes:
    body = json.dumps({"x": x, "w": "a"}).encode()
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


def shares(server: Server, *numbers: float) -> list[dict]:
    return [server.predict({"x": x, "w": "a"}).json() for x in numbers]


@pytest.mark.parametrize("count", [2, 500, 3000])
def test_all_requests_of_one_packet_are_answered_in_their_order(server, count):
    numbers = [i % 7 + 0.5 for i in range(count)]
    wanted = shares(server, *numbers[:7])
    found = answers(sent(server, [b"".join(map(row, numbers))]))
    assert [status for status, _ in found] == [200] * count
    assert [json.loads(body) for _, body in found] == [wanted[i % 7] for i in range(count)]


@pytest.mark.parametrize("count", [1, 500])
@pytest.mark.parametrize(
    ("last", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01garbage\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX" + b"x" * 100_000 + b": 1\r\n\r\n", 431),
        (HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"\x00" * 1_000_000, 400),
    ],
    ids=["bytes", "long head", "two lengths", "a chunk that is none", "a megabyte"],
)
def test_what_came_before_a_request_that_is_refused_is_answered(server, count, last, status):
    wanted = [(200, body) for _, body in answers(sent(server, [row(1.5)]))] * count
    found = answers(sent(server, [row(1.5) * count + last]))
    assert found[:-1] == wanted
    assert found[-1][0] == status


def test_many_rows_are_answered_before_what_came_behind_them_is_refused(server):
    many = json.dumps([{"x": 1.5, "w": "a"}] * 20_000).encode()
    slow = HEAD + b"Content-Length: %d\r\n\r\n" % len(many) + many
    found = answers(sent(server, [slow, row(1.5), b"garbage\r\n\r\n"]))
    assert [status for status, _ in found] == [200, 200, 400]
    assert len(json.loads(found[0][1])["predictions"]) == 20_000


def test_a_request_to_upgrade_is_answered_and_what_came_behind_it_is_not_waited_for(server):
    upgrade = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    (first, _), *others = answers(server.raw(upgrade + b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    assert first == 200
    assert others == []  # the connection says that it ends
    connect = b"CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert answers(server.raw(connect))[0][0] == 400


def test_a_request_behind_a_slow_one_is_not_late(models, tmp_path):
    """Its time begins when its turn comes: half of it is not read before."""
    many = json.dumps([{"x": 1.5, "w": "a"}] * 90_000).encode()
    slow = HEAD + b"Content-Length: %d\r\n\r\n" % len(many) + many
    with serving(tmp_path, models / "bayes.tally.json", "--seconds", "0.5") as server:
        for _ in range(20):
            came = answers(sent(server, [slow * 3 + row(1.5)]))
            if came[0][0] != 408:  # a busy machine: it was not sent within the time
                break
        assert [status for status, _ in came] in ([200] * 4, [408])


def test_all_that_came_is_answered_when_the_server_is_told_to_end(models, tmp_path):
    with serving(tmp_path, models / "bayes.tally.json") as server:
        with socket.create_connection((server.host, server.port), timeout=PATIENCE) as line:
            line.sendall(row(1.5))
            begun = line.recv(1 << 16)
            line.sendall(row(1.5) * 2000)
            server.process.send_signal(signal.SIGTERM)
            line.shutdown(socket.SHUT_WR)
            parts = [begun]
            while part := line.recv(1 << 16):
                parts.append(part)
        assert [status for status, _ in answers(b"".join(parts))] == [200] * 2001
        assert server.process.wait(PATIENCE) == 0


def resident(server: Server) -> int:
    said = map(str.split, server.get("/metrics").body.decode().splitlines())
    return next(int(words[1]) for words in said if words[0] == "process_resident_memory_bytes")


def test_a_client_that_asks_faster_than_it_is_answered_is_not_read_ahead(models, tmp_path):
    """All that it asks would wait in the memory of the server."""
    question = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000
    with serving(tmp_path, models / "bayes.tally.json", "--no-access-log") as server:
        before, until = resident(server), time.monotonic() + 2.0
        with socket.create_connection((server.host, server.port), timeout=PATIENCE) as line:
            line.setblocking(False)
            while time.monotonic() < until:
                with contextlib.suppress(BlockingIOError):
                    line.send(question)
                with contextlib.suppress(BlockingIOError):
                    line.recv(1 << 20)
            assert resident(server) < before + 60e6


REQUESTS = {
    "row": ("POST", row(1.5), 200),
    "other row": ("POST", row(6.5), 200),
    "rows": ("POST", HEAD + b"Content-Length: 38\r\n\r\n" + b'[{"x":1.5,"w":"a"},{"x":6.5,"w":"b"} ]', 200),
    "chunks": (
        "POST",
        HEAD + b'Transfer-Encoding: chunked\r\n\r\n8\r\n{"x":1.5\r\n9\r\n,"w":"a"}\r\n0\r\n\r\n',
        200,
    ),
    "no json": ("POST", HEAD + b"Content-Length: 2\r\n\r\n{[", 400),
    "nothing there": ("GET", b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "other host": ("GET", b"GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", 200),
    "head": ("HEAD", b"HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
    "options": ("OPTIONS", b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 204),
    "wrong method": ("DELETE", b"DELETE /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
    "expect": (
        "POST",
        HEAD + b"Content-Type: image/png\r\nContent-Length: 4\r\n\r\nabcd",
        415,
    ),
}
LAST = {
    "nothing": (b"", None),
    "bytes": (b"\x16\x03\x01\x02\x00\x01", 400),
    "half a head": (b"POST /v1/predict HTTP/1.1\r\nHost: loc", None),
    "half a body": (HEAD + b"Content-Length: 100\r\n\r\n{", None),
    "a wrong head": (b"GET / HTTP/1.1\r\nHost localhost\r\n\r\n", 400),
}


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = [0, *sorted({p % (len(data) + 1) for p in places}), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(ends) if b > a]


@given(
    st.lists(st.sampled_from(sorted(REQUESTS)), max_size=12),
    st.sampled_from(sorted(LAST)),
    st.lists(st.integers(0, 1 << 16), max_size=8),
    st.sampled_from([0.0, 0.0, 0.002]),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_split_of_requests_gets_the_same_answers(server, names, last, places, pause):
    chosen = [REQUESTS[name] for name in names]
    data = b"".join(text for _, text, _ in chosen) + LAST[last][0]
    found = answers(sent(server, cut(data, places), pause), *[method for method, _, _ in chosen])
    alone = [answers(sent(server, [text]), method)[0] for method, text, _ in chosen]
    assert [status for status, _ in found[: len(chosen)]] == [status for _, _, status in chosen]
    assert found[: len(chosen)] == alone
    more = [status for status, _ in found[len(chosen) :]]
    assert more == [LAST[last][1]] if LAST[last][1] else more in ([], [400])


def changed(drawn: random.Random) -> bytes:
    """Some requests with some bytes replaced, left out, put in, or there again."""
    data = bytearray(
        b"".join(REQUESTS[drawn.choice(sorted(REQUESTS))][1] for _ in range(drawn.randint(1, 6)))
    )
    for _ in range(drawn.randint(1, 8)):
        place, length = drawn.randrange(len(data) + 1), drawn.randint(1, 40)
        match drawn.randrange(4):
            case 0:
                data[place : place + 1] = drawn.randbytes(1)
            case 1:
                del data[place : place + length]
            case 2:
                data[place:place] = drawn.randbytes(length)
            case _:
                data[place:place] = data[: 5 * length]
    return bytes(data)


def test_bytes_that_were_changed_are_answered_or_refused_and_nothing_fails(server):
    @given(st.integers(0, 1 << 32), st.lists(st.integers(0, 1 << 16), max_size=5))
    @settings(max_examples=300, deadline=None)
    def asked(seed, places):
        came = sent(server, cut(changed(random.Random(seed)), places))
        for part in came.split(b"HTTP/1.1 ")[1:]:
            assert part[:1] in b"1234", part  # never a failure of ours

    asked()
    assert server.get("/healthz").status == 200
    assert not [line for line in server.log() if line["event"] == "failure"]
