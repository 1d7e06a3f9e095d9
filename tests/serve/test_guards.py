"""Who may ask, and how much."""

from __future__ import annotations

import asyncio

import pytest

from tallystick.serve.guards import ANY, Guards, Limits, cookie, same
from tallystick.serve.requests import Refused


def scope(*headers, path="/v1/predict"):
    given = [(name.encode(), value.encode()) for name, value in headers]
    return {"type": "http", "path": path, "method": "POST", "headers": given}


def status(guards, *headers, **more):
    """What a request with these headers meets: 200, or the status of its refusal."""
    try:
        guards.check(scope(*headers, **more))
    except Refused as refused:
        return refused.status
    return 200


HOST = ("host", "127.0.0.1:8000")


@pytest.mark.parametrize(
    ("host", "met"),
    [
        ("127.0.0.1:8000", 200),
        ("localhost", 200),
        ("LOCALHOST:1", 200),
        ("[::1]:8000", 200),
        ("evil.example", 421),
        ("evil.example:8000", 421),
        ("localhost.evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost@evil.example", 421),
        ("", 400),
    ],
)
def test_only_names_of_this_server_are_answered(host, met):
    assert status(Guards(), ("host", host)) == met
    assert status(Guards(), ("host", host)) == met  # remembered, and refused again


def test_health_is_told_by_whatever_name_it_is_asked():
    assert status(Guards(), ("host", "10.1.2.3:8000"), path="/readyz") == 200
    assert status(Guards(), ("host", "10.1.2.3:8000"), path="/metrics") == 421


def test_a_request_without_a_host_or_with_two_is_refused():
    assert status(Guards()) == 400
    assert status(Guards(), HOST, ("host", "evil.example")) == 400
    assert status(Guards(frozenset({ANY})), ("host", "anything")) == 200


@pytest.mark.parametrize(
    ("headers", "met"),
    [
        ([("origin", "http://127.0.0.1:8000")], 200),
        ([("origin", "http://127.0.0.1:8001")], 403),
        ([("origin", "http://evil.example")], 403),
        ([("origin", "null")], 403),
        ([("sec-fetch-site", "cross-site")], 403),
        ([("sec-fetch-site", "same-site")], 403),
        ([("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")], 200),
        ([("sec-fetch-site", "same-origin")], 200),
        ([("sec-fetch-site", "none")], 200),
    ],
)
def test_pages_of_other_sites_are_refused(headers, met):
    assert status(Guards(), HOST, *headers) == met


def test_an_allowed_origin_may_ask_and_read():
    guards = Guards(origins=frozenset({"https://friend.example"}))
    friend = ("origin", "https://friend.example")
    assert status(guards, HOST, friend) == 200
    assert guards.allowed({b"origin": b"https://friend.example"})[0][1] == b"https://friend.example"
    assert guards.allowed({b"origin": b"http://127.0.0.1:8000"}) == []
    assert guards.allowed({}) == []


@pytest.mark.parametrize(
    ("given", "met"),
    [
        ("Bearer right-token", 200),
        ("bearer right-token", 200),
        ("Bearer wrong", 401),
        ("Basic right-token", 401),
        ("right-token", 401),
        ("Bearer ", 401),
    ],
)
def test_a_token_is_asked_for(given, met):
    guards = Guards(token="right-token")
    assert status(guards, HOST, ("authorization", given)) == met
    assert status(guards, HOST) == 401
    assert status(guards, HOST, path="/healthz") == 200


def test_a_browser_that_asks_what_a_page_may_do_brings_no_token():
    guards = Guards(token="right-token", origins=frozenset({"https://friend.example"}))
    asked = scope(HOST, ("origin", "https://friend.example")) | {"method": "OPTIONS"}
    assert guards.check(asked)[b"host"] == b"127.0.0.1:8000"
    with pytest.raises(Refused):
        guards.check(scope(HOST, ("origin", "https://friend.example")))


def test_a_cookie_may_bring_the_token_where_it_is_named():
    assert status(Guards(token="right", cookie="tally"), HOST, ("cookie", "a=b; tally=right")) == 200
    assert status(Guards(token="right", cookie="tally"), HOST, ("cookie", "tally=wrong")) == 401
    assert status(Guards(token="right"), HOST, ("cookie", "tally=right")) == 401
    assert cookie({b"cookie": b"x=1; tally=2=3"}, "tally") == b"2=3"


def test_secrets_are_compared_as_bytes():
    assert same(b"abc", "abc")
    assert not same("é".encode("latin-1"), "é")


def body(guards, parts, headers=()):
    messages = [
        {"type": "http.request", "body": part, "more_body": i + 1 < len(parts)}
        for i, part in enumerate(parts)
    ]

    async def receive():
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    return asyncio.run(guards.body(receive, dict(headers))), messages


def test_a_body_is_read_up_to_its_limit():
    guards = Guards(limits=Limits(body=10))
    assert body(guards, [b"12345", b"67890"])[0] == b"1234567890"
    with pytest.raises(Refused, match="more than 10 bytes"):
        body(guards, [b"12345", b"678901"])
    with pytest.raises(Refused, match="packed"):
        body(guards, [b"1"], {b"content-encoding": b"gzip"}.items())
    with pytest.raises(Refused, match="more than 10 bytes"):
        body(guards, [b""], {b"content-length": b"11"}.items())
    with pytest.raises(Refused, match="more than 10 bytes"):
        body(guards, [b""], {b"content-length": b"9" * 5000}.items())
