"""Connections that are slow, endless or silent, by real sockets."""

from __future__ import annotations

import contextlib
import json
import select
import socket

import pytest
from serving import PATIENCE

pytestmark = pytest.mark.slow

ROW = b'{"x":1.5,"w":"a"}'
HEAD = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def told(answer: bytes) -> tuple[int, dict]:
    """The status and the problem of an answer that ends the connection."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"connection: close" in head
    assert b"application/problem+json" in head
    assert body.count(b"\n") == 1
    return int(head.split()[1]), json.loads(body)


def test_what_is_not_http_is_refused(server):
    for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 40, b"HELLO\r\n\r\n"):
        status, problem = told(server.raw(data))
        assert (status, problem["detail"]) == (400, "this is not an HTTP request.")
    assert {line["event"] for line in server.log()} <= {"listening", "request"}  # no line of another form


def test_headers_that_are_too_long_are_refused(server):
    assert told(server.raw(HEAD + b"X: " + b"a" * 40_000 + b"\r\n\r\n"))[0] == 431
    assert told(server.raw(HEAD + b"X: " + b"a" * 40_000))[0] == 431
    assert told(server.raw(HEAD + b"".join(b"X%d: 1\r\n" % i for i in range(5000)) + b"\r\n"))[0] == 431
    assert told(server.raw(b"GET /" + b"a" * 40_000))[0] == 431


def test_a_request_that_does_not_arrive_in_time_is_cut_off(hurried):
    assert told(hurried.raw(HEAD))[0] == 408
    status, problem = told(hurried.raw(HEAD + b"Content-Length: 100\r\n\r\n" + ROW))
    assert status == 408
    assert "within 1 seconds" in problem["detail"]


def test_a_client_that_drips_gains_no_time(hurried):
    with socket.create_connection((hurried.host, hurried.port), timeout=PATIENCE) as line:
        line.settimeout(0.05)
        answer, dripping = b"", HEAD + b"X: " + b"a" * 5000  # for minutes, were it never cut off
        for byte in dripping:
            with contextlib.suppress(ConnectionError):  # it has ended, and what it said can be read
                line.send(bytes([byte]))
            with contextlib.suppress(TimeoutError):
                answer = line.recv(65536)
                break
    assert told(answer)[0] == 408


def test_requests_that_come_at_once_are_answered_in_their_order(server):
    one = HEAD + b"Content-Length: %d\r\n\r\n" % len(ROW) + ROW
    last = one.replace(b"Host:", b"Connection: close\r\nHost:")
    answer = server.raw(one + one.replace(b"1.5", b"6.5") + last)
    bodies = [json.loads(part.partition(b"\r\n\r\n")[2]) for part in answer.split(b"HTTP/1.1 200 OK")[1:]]
    assert len(bodies) == 3
    assert bodies[0] == bodies[2] != bodies[1]


def test_a_body_in_chunks_is_read(server):
    pieces = b"".join(b"%x\r\n%s\r\n" % (1, bytes([b])) for b in ROW) + b"0\r\n\r\n"
    answer = server.raw(HEAD + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + pieces)
    assert answer.startswith(b"HTTP/1.1 200")


def test_a_length_and_chunks_together_are_refused(server):
    answer = server.raw(HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    assert told(answer)[0] == 400


def taken_late(server) -> bytes:
    """Ask for many rows, take nothing until the server ends the connection, and return what came."""
    rows = json.dumps([{"x": 1.5, "w": "a"}] * 90_000).encode()
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(PATIENCE)
        line.connect((server.host, server.port))
        with contextlib.suppress(ConnectionError):  # cut off on the way
            line.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(rows) + rows)
        ended = select.poll()
        ended.register(line, 0)  # tells of nothing but the end
        assert ended.poll(PATIENCE * 1000)
        parts = []
        with contextlib.suppress(ConnectionResetError):
            while part := line.recv(1 << 20):
                parts.append(part)
    return b"".join(parts)


def test_a_client_that_never_takes_its_answer_is_cut_off(hurried):
    while (came := taken_late(hurried)).startswith(b"HTTP/1.1 408"):
        pass  # a busy machine: the question did not arrive within a second
    answered = hurried.await_log("request", rows=90_000)
    assert len(came) < answered[-1]["bytes_out"]
