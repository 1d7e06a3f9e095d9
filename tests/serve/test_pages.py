"""What there is to ask, for programs and for people."""

from __future__ import annotations

import json

import jsonschema
import pytest
from opened import CHROMIUM, LONG, becomes, chromium
from serving import serving

import tallystick as ts
from tallystick.serve.models import load
from tallystick.serve.protocol import FILES, column_schema, openapi, page, row_schema

ROW = {"x": 1.5, "w": "a"}


@pytest.fixture(scope="module")
def served(models):
    return load("bayes", str(models / "bayes.tally.json"))


def test_the_schema_of_rows_takes_rows_and_refuses_others(served):
    schema = row_schema(served)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(ROW, schema)
    jsonschema.validate({"x": None, "w": "unseen", "more": 1}, schema)
    for wrong in ({"x": 1.5}, {"x": "abc", "w": "a"}, {"x": 1.5, "w": []}, 3):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_every_kind_of_column_has_a_schema():
    rows = [
        {
            "day": f"2026-01-{i % 28 + 1:02}",
            "note": f"words number {i} of the message {i * 7}",
            "on": i % 2 == 0,
            "y": "pq"[i % 3 > 1],
        }
        for i in range(60)
    ]
    schema = ts.NaiveBayes(kinds={"note": "text"}).fit(rows, "y").schema_
    assert column_schema(schema["day"])["format"] == "date"
    assert column_schema(schema["note"])["type"] == ["string", "null"]
    assert "boolean" in column_schema(schema["on"])["type"]


@pytest.mark.slow
def test_openapi_names_what_is_there_and_every_address_answers(server):
    told = server.get("/openapi.json").json()
    assert told["openapi"] == "3.1.0"
    schemas = told["components"]["schemas"]
    for path, methods in told["paths"].items():
        asked = path.replace("{name}", "bayes")
        for method in methods:
            answer = server.ask(method.upper(), asked, ROW if method == "post" else None)
            assert answer.status in (200, 400 if path.endswith("/infer") else 200), path
    text = json.dumps(told)
    for name in {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}:
        assert name in schemas
    answer = server.predict(ROW).json()
    jsonschema.validate(answer, schemas["answer_of_bayes"])


def test_versions_of_a_name_are_told_once(served):
    assert list(openapi([served, served])["components"]["schemas"]) == [
        "Problem",
        "row_of_bayes",
        "answer_of_bayes",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES)
def test_the_page_brings_nothing_from_elsewhere(path):
    reply = page(path)
    assert b"http://" not in reply.body
    assert b"https://" not in reply.body
    assert b"innerHTML" not in reply.body
    assert b"default-src 'none'" in dict(reply.headers)[b"content-security-policy"]


@pytest.mark.slow
def test_the_page_works_offline_and_nothing_of_a_model_can_run_there(tmp_path):
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    evil = "<img src=x onerror=alert(1)>"
    rows = [{evil: "ab"[i % 2], "x": i % 5, "y": [evil, "q"][(i % 5 > 2) ^ (i % 11 == 0)]} for i in range(60)]
    ts.NaiveBayes().fit(rows, "y").save(tmp_path / "evil.tally.json")
    with serving(tmp_path, tmp_path / "evil.tally.json") as server, chromium() as browser:
        tab = browser.new_page(viewport={"width": 390, "height": 800})
        tab.set_default_timeout(1000 * LONG)
        said, asked = [], []
        tab.on("console", lambda message: said.append(message.text))
        tab.on("dialog", lambda dialog: said.append("a dialog"))
        tab.on("request", lambda request: asked.append(request.url))
        home = f"http://{server.host}:{server.port}/"
        tab.goto(home)
        tab.get_by_text("1 model is served.").wait_for()
        tab.get_by_role("checkbox").check()
        tab.get_by_role("button", name="Ask").click()
        tab.locator("#answer", has_text="probabilities").wait_for()
        answer = json.loads(tab.locator("#answer").text_content())
        assert answer["label"] in (evil, "q")
        assert "explain" in answer
        becomes(tab, "document.documentElement.scrollWidth <= innerWidth")
        assert said == []
        assert all(url.startswith((home, "data:")) for url in asked)
