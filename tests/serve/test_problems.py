"""Refusals in one line of JSON."""

from __future__ import annotations

import json

from tallystick.errors import Argument, Message
from tallystick.serve.requests import Refused, in_query, problem


def test_a_problem_is_one_line_with_status_title_and_detail():
    reply = problem(422, "two\nlines, é and \x1b")
    assert reply.kind == b"application/problem+json"
    assert reply.body.count(b"\n") == 1
    assert reply.body.isascii()
    told = json.loads(reply.body)
    assert told["status"] == reply.status == 422
    assert told["detail"] == "two lines, é and \x1b"
    assert told.keys() == {"type", "title", "status", "detail"}


def test_a_cure_is_named_as_a_client_gives_it():
    reply = problem(422, Message("pass ", Argument("lenient", True), " or ", Argument("missing", ["-"])))
    assert json.loads(reply.body)["detail"] == "pass ?lenient=true or ?missing=-"
    assert in_query(Argument("encoding", ...)) == "?encoding="


def test_a_refusal_carries_its_headers():
    assert Refused(401, "no", [(b"www-authenticate", b"Bearer")]).reply().headers == [
        (b"www-authenticate", b"Bearer")
    ]
