"""The addresses of the server, as clients meet them."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from serving import serving

import tallystick as ts

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


def test_the_log_holds_requests_without_cells_or_queries(server):
    server.predict({"x": 3.25, "w": "secret-cell"}, "?lenient=true")
    server.await_log("request")
    text = server.log_file.read_text()
    assert "secret-cell" not in text
    assert "lenient" not in text
    assert all(
        {"method", "path", "status", "rows", "ms"} <= line.keys() for line in server.await_log("request")
    )
    assert json.loads(text.splitlines()[0])["event"] == "listening"


def test_a_page_of_an_allowed_site_may_ask_and_read(models, tmp_path):
    with serving(tmp_path, models / "tree.tally.json", "--allow-origin", "https://friend.example") as server:
        for method, status in (("OPTIONS", 204), ("POST", 200)):
            answer = server.ask(method, "/v1/predict", ROW, origin="https://friend.example")
            assert answer.status == status
            assert answer.headers["access-control-allow-origin"] == "https://friend.example"
        assert "access-control-allow-origin" not in server.predict(ROW).headers
        refused(server.predict(ROW, origin="https://other.example"), 403)
        refused(server.ask("OPTIONS", "/v1/predict"), 405)


def test_curl_needs_no_content_type(server):
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not installed")
    command = [curl, "-s", f"http://{server.host}:{server.port}/v1/predict", "-d", json.dumps(ROW)]
    assert json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["model"] == "bayes"
