"""Counts, as Prometheus reads them."""

from __future__ import annotations

import os
import re

from tallystick.serve.guards import Metrics


def lines(metrics):
    return metrics.reply([("votes", "ab12")]).body.decode().splitlines()


def test_requests_rows_and_times_are_counted():
    metrics = Metrics()
    metrics.answered("predict", 200, 0.0004, 3)
    metrics.answered("predict", 200, 99.0, 2)
    metrics.answered("predict", 422, 0.002, 0)
    told = lines(metrics)
    assert 'tally_requests_total{route="predict",status="200"} 2' in told
    assert 'tally_requests_total{route="predict",status="422"} 1' in told
    assert "tally_rows_total 5" in told
    assert 'tally_request_seconds_bucket{route="predict",le="0.0005"} 1' in told
    assert 'tally_request_seconds_bucket{route="predict",le="10.0"} 2' in told
    assert 'tally_request_seconds_bucket{route="predict",le="+Inf"} 3' in told
    assert 'tally_request_seconds_count{route="predict"} 3' in told
    assert 'tally_model_info{model="votes",version="ab12"} 1' in told


def test_every_line_is_a_comment_or_a_sample():
    metrics = Metrics()
    metrics.answered("other", 404, 0.1, 0)
    metrics.reloaded(broken=True)
    sample = re.compile(r'[a-z_]+(\{([a-z]+="[^"\\]*",?)+\})? [0-9.e+-]+')
    assert all(line.startswith("# ") or sample.fullmatch(line) for line in lines(metrics))


def test_the_counts_of_a_process_that_ended_are_kept():
    metrics = Metrics(workers=2)
    metrics.answered("predict", 200, 0.1, 1)
    pid = os.fork()
    if pid == 0:
        metrics.be(1)
        metrics.answered("predict", 200, 0.1, 1)
        os._exit(0)
    os.waitpid(pid, 0)
    assert 'tally_requests_total{route="predict",status="200"} 2' in lines(metrics)
