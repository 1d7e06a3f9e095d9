"""The addresses of the server, as clients meet them."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess

import pytest
from serving import serving

import tallystick as ts
from tallystick.serve.app import ServeApp
from tallystick.serve.guards import Guards, Log, Metrics
from tallystick.serve.models import Shelf

ROW = {"x": 1.5, "w": "a"}


def refused(answer, status):
    """One line of problem+json, without a path or a traceback."""
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.body.count(b"\n") == 1
    told = answer.json()
    assert told["status"] == status
    assert "Traceback" not in told["detail"]
    return told["detail"]


def test_a_row_is_answered(server, models):
    estimator = ts.load(models / "bayes.tally.json")
    told = server.predict(ROW).json()
    assert told["label"] == estimator.predict_one(ROW)
    assert list(told["probabilities"].values()) == estimator.predict_proba_one(ROW).tolist()
    assert told["model"] == "bayes"
    assert server.predict([]).json()["predictions"] == []
    assert len(server.predict([ROW] * 3).json()["predictions"]) == 3


def test_models_health_and_counts(server):
    (model,) = server.get("/v1/models").json()["models"]
    assert model["name"] == "bayes"
    assert model["columns"] == [{"name": "x", "kind": "numeric"}, {"name": "w", "kind": "levels"}]
    assert server.get("/healthz").json() == {"status": "ok"}
    assert server.get("/readyz").json() == {"status": "ready"}
    assert (
        f'tally_model_info{{model="bayes",version="{model["version"]}"}} 1'
        in server.get("/metrics").body.decode()
    )
    head = server.ask("HEAD", "/healthz")
    assert (head.status, head.body) == (200, b"")
    for path in ("/v1/models/bayes/predict", f"/v1/models/bayes/versions/{model['version'][:8]}/predict"):
        assert server.ask("POST", path, ROW).json()["version"] == model["version"]


def test_the_server_says_what_it_takes(server):
    answer = server.ask("OPTIONS", "*")
    assert (answer.status, answer.headers["allow"]) == (204, "GET, HEAD, POST, OPTIONS")
    refused(server.ask("GET", "*"), 404)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("GET", "/nothing", None, {}, 404),
        ("GET", "/v1/predict", None, {}, 405),
        ("DELETE", "/v1/models", None, {}, 405),
        ("POST", "/v1/models/other/predict", ROW, {}, 404),
        ("POST", "/v1/models/bayes/versions/00000000/predict", ROW, {}, 404),
        ("POST", "/v1/predict?model=a&model=b", ROW, {}, 400),
        ("POST", "/v1/predict?nonsense=1", ROW, {}, 400),
        ("POST", "/v1/predict", b"x", {"content_type": "image/png"}, 415),
        ("POST", "/v1/predict", ROW, {"accept": "image/png"}, 406),
        ("POST", "/v1/predict", ROW, {"host": "evil.example"}, 421),
        ("POST", "/v1/predict", ROW, {"origin": "http://evil.example"}, 403),
        ("POST", "/v1/predict", {"x": 1}, {}, 422),
        ("POST", "/v1/predict", {"x": "oops", "w": "a"}, {}, 422),
        ("POST", "/v1/predict", {"x": [1], "w": {"a": 1}}, {}, 422),
        ("POST", "/v1/predict", b"\0", {}, 400),
        ("POST", "/v1/predict", b"x" * (17 << 20), {}, 413),
    ],
)
def test_what_cannot_be_answered_is_refused_in_one_line(server, method, path, body, headers, status):
    refused(server.ask(method, path, body, **headers), status)


@pytest.mark.slow
def test_the_log_holds_requests_without_cells_or_queries(server):
    body = json.dumps({"x": 3.25, "w": "secret-cell"}).encode()
    server.predict(body, "?lenient=true")
    requests = server.await_log("request", bytes_in=len(body))
    text = server.log_file.read_text()
    assert "secret-cell" not in text
    assert "lenient" not in text
    assert all({"method", "path", "status", "rows", "ms"} <= line.keys() for line in requests)
    assert json.loads(text.splitlines()[0])["event"] == "listening"


@pytest.mark.slow
def test_a_page_of_an_allowed_site_may_ask_and_read(models, tmp_path):
    with serving(tmp_path, models / "tree.tally.json", "--allow-origin", "https://friend.example") as server:
        for method, status in (("OPTIONS", 204), ("POST", 200)):
            answer = server.ask(method, "/v1/predict", ROW, origin="https://friend.example")
            assert answer.status == status
            assert answer.headers["access-control-allow-origin"] == "https://friend.example"
        assert "access-control-allow-origin" not in server.predict(ROW).headers
        refused(server.predict(ROW, origin="https://other.example"), 403)
        refused(server.ask("OPTIONS", "/v1/predict"), 405)


@pytest.mark.slow
def test_curl_needs_no_content_type(server):
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not installed")
    command = [curl, "-s", f"http://{server.host}:{server.port}/v1/predict", "-d", json.dumps(ROW)]
    assert json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["model"] == "bayes"


@pytest.mark.slow
def test_a_failure_of_ours_is_told_in_the_log_alone_and_without_cells(models, tmp_path):
    log = Log(os.open(tmp_path / "log", os.O_CREAT | os.O_WRONLY))
    app = ServeApp(Shelf([("m", str(models / "tree.tally.json"))]), Guards(), log, Metrics())

    async def broken(request):
        raise ValueError("secret-cell")

    app.exact["/v1/models"] = ("models", "GET", broken)
    scope = {"type": "http", "method": "GET", "path": "/v1/models", "headers": [(b"host", b"localhost")]}
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope, None, send))
    app.pool.shutdown()
    os.close(log.file)
    assert sent[0]["status"] == 500
    assert b"secret" not in sent[1]["body"]
    told = json.loads((tmp_path / "log").read_text())
    assert (told["event"], told["error"]) == ("failure", "ValueError")
    assert told["where"][-1].startswith("test_app.py:")
    assert "secret" not in str(told)
