"""The log: whole lines of JSON."""

from __future__ import annotations

import json
import os

from tallystick.serve.guards import HELD, PIECE, Log


def test_lines_are_json_objects_with_a_time(tmp_path):
    file = os.open(tmp_path / "log", os.O_CREAT | os.O_WRONLY)
    log = Log(file)
    log.say("listening", address="é\n")
    log.request(path="/x")
    assert len((tmp_path / "log").read_text().splitlines()) == 1  # requests wait for each other
    log.flush()
    os.close(file)
    first, second = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert first["event"] == "listening"
    assert first["address"] == "é\n"
    assert second["event"] == "request"
    assert first["time"].endswith("Z")


def test_many_lines_are_written_in_pieces_that_a_pipe_takes_whole():
    read, write = os.pipe()
    log = Log(write)
    for i in range(HELD):
        log.request(number=i, text="x" * 100)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        data = file.read()
    assert len(data) > PIECE
    assert [json.loads(line)["number"] for line in data.splitlines()] == list(range(HELD))


def test_requests_need_not_be_logged_and_a_closed_file_does_no_harm():
    log = Log(9999, requests=False)
    log.request(path="/x")
    assert log.lines == []
    log.say("nobody reads")
