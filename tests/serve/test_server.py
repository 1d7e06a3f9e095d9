"""The server as a process: workers and signals."""

from __future__ import annotations

import pytest
from serving import serving

from tallystick.errors import OptionError
from tallystick.serve.server import listen

ROW = {"x": 1.5, "w": "a"}


def test_a_port_that_is_taken_is_an_error_of_one_line():
    with listen("127.0.0.1", 0) as sock, pytest.raises(OptionError, match="cannot listen on"):
        listen("127.0.0.1", sock.getsockname()[1])


def test_it_ends_when_it_is_told_to(models, tmp_path):
    with serving(tmp_path, models / "tree.tally.json") as server:
        assert server.predict(ROW).status == 200
        assert server.stop() == 0
        assert server.await_log("ended")


def test_workers_answer_and_count_together(models, tmp_path):
    with serving(tmp_path, models / "tree.tally.json", "--workers", "2") as server:
        for _ in range(20):
            assert server.predict(ROW).status == 200
        assert 'tally_requests_total{route="predict",status="200"} 20' in server.get("/metrics").body.decode()
        assert server.stop() == 0
