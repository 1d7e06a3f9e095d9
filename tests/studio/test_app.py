"""The application of the studio: who may ask, and what is refused."""

from __future__ import annotations

import json

import pytest
from studio_server import studio

pytestmark = pytest.mark.slow


def status(found, method, path, body=None, **headers):
    return found.ask(method, path, body, **headers)[0]


def test_the_token_of_the_address_is_good_once_and_never_logged(tables):
    with studio(tables) as found:
        way = found.address.removeprefix(found.home)
        assert status(found, "GET", "/") == 401
        assert status(found, "GET", way[:-1] + "x") == 401
        code, headers, _ = found.ask("GET", way)
        assert (code, headers["location"]) == (303, "/")
        assert "HttpOnly" in headers["set-cookie"]
        assert "SameSite=Strict" in headers["set-cookie"]
        assert status(found, "GET", way) == 401
        found.cookie = headers["set-cookie"].partition(";")[0]
        assert status(found, "GET", "/") == 200
    said = found.said.read_text()
    assert way.partition("=")[2] not in said
    assert found.cookie.partition("=")[2] not in said


def test_pages_of_other_sites_can_neither_read_nor_post(opened):
    wish = json.dumps({"session": opened.session, "name": "votes.csv"}).encode()
    for origin in ("http://evil.example", "null", f"http://localhost:{opened.port + 1}"):
        assert status(opened, "POST", "/api/file", wish, origin=origin) == 403
        assert status(opened, "GET", "/api/files", origin=origin) == 403
    assert (
        status(opened, "POST", "/api/file", wish, origin="") == 403
    )  # a browser always says where a post is from
    assert status(opened, "GET", "/api/files", sec_fetch_site="cross-site", sec_fetch_mode="no-cors") == 403
    assert status(opened, "POST", "/api/file", wish, cookie="") == 401
    assert opened.get("state")["file"] == ""


def test_a_name_that_was_bent_to_this_machine_is_refused(opened):
    for host in ("evil.example", f"evil.example:{opened.port}", "127.0.0.1.evil.example"):
        assert status(opened, "GET", "/", host=host) == 421
        assert status(opened, "GET", opened.address.removeprefix(opened.home), host=host) == 421


def test_every_answer_forbids_script_from_elsewhere_frames_and_caches(opened):
    for path in ("/", "/assets/studio.js", "/api/files", "/nothing"):
        headers = opened.ask("GET", path)[1]
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY"
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "name", ["../secret.csv", "/etc/passwd", "sub/../../secret.csv", "link.csv", "", ".", "a\0b"]
)
def test_files_outside_the_folder_cannot_be_read(opened, tables, name):
    link = tables / "link.csv"
    if not link.is_symlink():
        link.symlink_to(tables.parent / "secret.csv")
    wish = json.dumps({"session": opened.session, "name": name}).encode()
    code, _, body = opened.ask("POST", "/api/file", wish)
    assert code in (403, 404)
    assert str(tables.parent) not in body.decode()


@pytest.mark.parametrize(
    "path", ["/assets/../app.py", "/assets/%2e%2e/app.py", "/assets/none.js", "/api/none", "/x"]
)
def test_there_is_nothing_at_other_addresses(opened, path):
    assert status(opened, "GET", path) == 404


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100_000, b'{"session": 1}'])
def test_what_is_no_wish_is_refused_in_one_line(opened, body):
    code, headers, told = opened.ask("POST", "/api/file", body)
    assert 400 <= code < 500
    assert headers["content-type"] == "application/problem+json"
    assert told.count(b"\n") == 1


def test_a_wish_that_lacks_something_says_what(opened):
    code, _, told = opened.ask("POST", "/api/show", json.dumps({"session": opened.session}).encode())
    assert code == 400
    assert "name" in json.loads(told)["detail"]
    code, _, told = opened.ask("POST", "/api/report", json.dumps({"session": opened.session}).encode())
    assert code == 422
    assert "target" in json.loads(told)["detail"]


def test_a_dropped_file_is_read_and_a_hostile_name_leads_nowhere(opened, tables):
    own = opened.post("session")["session"]
    path = f"/api/upload?session={own}&name=..%2F..%2Fevil%3Cb%3E.csv"
    assert opened.ask("POST", path, b"a,b\n" + b"x,1\ny,2\n" * 20)[0] == 200
    before, opened.session = opened.session, own
    try:
        state = opened.done()
    finally:
        opened.session = before
    assert state["file"] == "evil_b_.csv"
    assert (state["rows"], state["problem"]) == (40, "")
    assert not list(tables.parent.glob("evil*"))


def test_two_tabs_do_not_disturb_each_other_and_a_reload_finds_its_own(opened):
    first = opened.session
    opened.post("file", name="votes.csv")
    assert opened.done()["file"] == "votes.csv"
    opened.session = opened.post("session")["session"]
    opened.post("file", name="days.csv")
    assert opened.done()["file"] == "days.csv"
    opened.session = first
    assert opened.done()["file"] == "votes.csv"
    assert "physician-fee-freeze" in opened.get("part", name="columns")["html"]
