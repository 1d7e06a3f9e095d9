"""Files that are dropped on the page: deleted when nobody needs them, whatever ends the studio."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time

import pytest
from studio_server import PATIENCE, studio

pytestmark = pytest.mark.slow

ROWS = b"a,b\n" + b"x,1\ny,2\n" * 20


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """The folder where a studio keeps what is dropped."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def kept(scratch):
    return [path for path in scratch.rglob("*") if path.is_file() and "tally-studio-" in str(path)]


def drop(found, name="rows.csv", rows=ROWS):
    return found.ask("POST", f"/api/upload?session={found.session}&name={name}", rows)[0]


def await_nothing(scratch):
    until = time.monotonic() + PATIENCE
    while kept(scratch):
        assert time.monotonic() < until, kept(scratch)
        time.sleep(0.01)


def test_a_file_is_kept_until_another_takes_its_place(tables, scratch):
    with studio(tables) as found:
        found.enter()
        assert drop(found, "first.csv") == 200
        assert found.done()["problem"] == ""
        found.post("change", target="a")  # it is read again
        assert found.done()["problem"] == ""
        assert drop(found, "none.csv", b"PAR1nothing") == 200
        assert found.done()["problem"] != ""
        assert [path.name for path in kept(scratch)] == ["first.csv"]  # and what is shown is still its own
        found.post("change", target="b")
        assert found.done()["problem"] == ""
        assert drop(found, "second.csv") == 200
        found.done()
        assert [path.name for path in kept(scratch)] == ["second.csv"]
        found.post("file", name="days.csv")
        found.done()
        assert kept(scratch) == []


def test_a_file_that_is_cut_off_or_that_nobody_may_drop_leaves_nothing(tables, scratch):
    with studio(tables) as found:
        found.enter()
        head = (
            f"POST /api/upload?session={found.session}&name=half.csv HTTP/1.1\r\n"
            f"Host: 127.0.0.1:{found.port}\r\n"
            f"Origin: {found.home}\r\nCookie: {found.cookie}\r\nContent-Length: 100000\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", found.port), timeout=PATIENCE) as line:
            line.sendall(head.encode() + ROWS)
            until = time.monotonic() + PATIENCE
            while not kept(scratch):
                assert time.monotonic() < until
                time.sleep(0.01)
        await_nothing(scratch)
        status, _, _ = found.ask("POST", "/api/upload?session=none&name=a.csv", ROWS)
        assert (status, kept(scratch)) == (410, [])
        assert "Traceback" not in found.said.read_text()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT], ids=lambda one: one.name)
def test_nothing_stays_when_the_studio_is_ended(tables, scratch, number):
    with contextlib.ExitStack() as stack:
        before = signal.signal(number, signal.SIG_DFL)  # under nohup a hang-up would be ignored
        stack.callback(signal.signal, number, before)
        found = stack.enter_context(studio(tables))
        found.enter()
        assert drop(found) == 200
        found.done()
        assert kept(scratch)
        found.process.send_signal(number)
        assert found.process.wait(PATIENCE) == 0
    assert not list(scratch.glob("tally-studio-*"))


def test_a_studio_that_is_to_outlive_its_terminal_does(tables, scratch):
    with contextlib.ExitStack() as stack:
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
        stack.callback(signal.signal, signal.SIGHUP, before)
        found = stack.enter_context(studio(tables))
        found.enter()
        found.process.send_signal(signal.SIGHUP)
        assert found.get("files")["files"]
        with pytest.raises(subprocess.TimeoutExpired):
            found.process.wait(0.5)


def test_a_name_of_long_letters_is_cut(tables, scratch):
    with studio(tables) as found:
        found.enter()
        assert drop(found, "%F0%9D%95%8F" * 200 + ".csv") == 200
        assert found.done()["problem"] == ""


def test_a_name_that_is_not_utf_8_is_listed_and_opened_as_any(tmp_path):
    place = tmp_path / "tables"
    place.mkdir()
    try:
        with open(os.path.join(os.fsencode(place), b"caf\xe9.csv"), "wb") as file:
            file.write(ROWS)
    except OSError:
        pytest.skip("this file system takes no such names")
    (place / "plain.csv").write_bytes(ROWS)
    with studio(place) as found:
        found.enter()
        assert found.get("files")["files"] == ["caf\udce9.csv", "plain.csv"]
        found.post("file", name="caf\udce9.csv")
        assert found.done()["problem"] == ""
        found.post("change", target="a")
        found.done()
        assert "<tr" in found.get("part", name="columns")["html"]
        found.post("compare", methods=["tree"], folds=3, tuned=False)
        assert found.done()["problem"] == ""
        assert found.get("part", name="save")["script"]
        found.post("report")
        assert found.done()["problem"] == ""
        for what in ("model", "report", "python"):
            status, _, told = found.ask("GET", f"/api/save?session={found.session}&what={what}")
            assert status == 200, told
        assert "Traceback" not in found.said.read_text()
