"""The Open Inference Protocol, by the client of its working group."""

from __future__ import annotations

import json

import numpy as np
import pytest
from serving import serving

import tallystick as ts
from tallystick.predict.answers import Wanted
from tallystick.serve.guards import Limits
from tallystick.serve.models import load
from tallystick.serve.protocol import answer, as_error, datatype, model_metadata, request_of, rows_of
from tallystick.serve.requests import Refused, problem

NEW = [{"x": 1.5, "w": "a"}, {"x": None, "w": "zebra"}, {"x": 6.5, "w": "b"}]

FULL = [row | {"x": row["x"] or 3.5} for row in NEW]  # the client knows no null


def tensors(rows=NEW):
    return [
        {"name": "x", "shape": [len(rows)], "datatype": "FP64", "data": [row["x"] for row in rows]},
        {"name": "w", "shape": [len(rows), 1], "datatype": "BYTES", "data": [[row["w"]] for row in rows]},
    ]


@pytest.fixture(scope="module")
def served(models):
    return load("bayes", str(models / "bayes.tally.json"))


@pytest.mark.slow
def test_a_client_of_the_protocol_gets_what_predict_answers(models, tmp_path):
    from open_inference.openapi.client import OpenInferenceClient
    from open_inference.openapi.errors import BadRequestError, NotFoundError
    from open_inference.openapi.types import InferenceRequest, RequestInput

    estimator = ts.load(models / "bayes.tally.json")
    with serving(tmp_path, models / "bayes.tally.json", models / "tree.tally.json") as server:
        import httpx

        with httpx.Client() as line:
            client = OpenInferenceClient(base_url=f"http://{server.host}:{server.port}", httpx_client=line)
            client.check_server_liveness()
            client.check_server_readiness()
            assert client.read_server_metadata().name == "tallystick"
            told = client.read_model_metadata("bayes")
            assert [(i.name, i.datatype) for i in told.inputs] == [("x", "FP64"), ("w", "BYTES")]
            version = told.versions[0]
            client.check_model_readiness("bayes")
            client.check_model_version_readiness("bayes", version)
            with pytest.raises(NotFoundError):
                client.check_model_readiness("nothing")
            given = [t | {"data": np.ravel(t["data"]).tolist()} for t in tensors(FULL)]
            request = InferenceRequest(id="17", inputs=[RequestInput(**tensor) for tensor in given])
            for reply in (
                client.model_infer("bayes", request=request),
                client.model_version_infer("bayes", version, request=request),
            ):
                labels, shares = reply.outputs
                assert (reply.id, reply.model_name, reply.model_version) == ("17", "bayes", version)
                assert labels.data.__root__ == estimator.predict(FULL).tolist()
                assert shares.data.__root__ == estimator.predict_proba(FULL).ravel().tolist()
            with pytest.raises(BadRequestError) as refused:
                client.model_infer("bayes", request=InferenceRequest(inputs=request.inputs[:1]))
            assert "lacks 1 column" in refused.value.body["error"]


def test_inputs_and_outputs_are_told(served):
    told = json.loads(model_metadata(served, ["v"]).body)
    assert told["outputs"][1] == {"name": "probabilities", "datatype": "FP64", "shape": [-1, 2]}
    assert [datatype(c) for c in served.estimator.schema_.used] == ["FP64", "BYTES"]


def test_one_tensor_of_all_columns_and_chosen_outputs(served):
    data = [1.5, "a", None, "zebra"]
    body = {"inputs": [{"name": "all", "shape": [2, 2], "datatype": "BYTES", "data": data}]}
    with pytest.raises(Refused, match=r"holds 1\.5 in row 1, which is not BYTES"):
        answer(served, json.dumps(body).encode(), Limits(), Wanted())
    body["inputs"][0]["data"] = ["1.5", "a", None, "zebra"]
    body["outputs"] = [{"name": "label"}]
    reply, rows = answer(served, json.dumps(body).encode(), Limits(), Wanted())
    (label,) = json.loads(reply.body)["outputs"]
    assert (label["data"], rows) == (served.estimator.predict(NEW[:2]).tolist(), 2)


@pytest.mark.parametrize(
    "change",
    [
        {"inputs": 3},
        {"inputs": [3]},
        {"inputs": [{"name": "x"}]},
        {"inputs": [tensors()[0] | {"datatype": "FLOAT"}]},
        {"inputs": [tensors()[0] | {"shape": [2]}]},
        {"inputs": [tensors()[0] | {"shape": [-3]}]},
        {"inputs": [tensors()[0] | {"shape": [1, 1, 3]}]},
        {"inputs": [tensors()[0] | {"shape": ["3"]}]},
        {"inputs": [tensors()[0] | {"data": "abc"}]},
        {"inputs": [tensors()[0] | {"data": [1, [2], 3]}]},
        {"inputs": [tensors()[0] | {"data": [True, 1, 2]}]},
        {"inputs": [tensors()[0] | {"data": ["1", 1, 2]}]},
        {"inputs": [tensors()[0] | {"datatype": "INT64", "data": [1.5, 1, 2]}]},
        {"inputs": [tensors()[0] | {"parameters": {"binary_data_size": 24}}]},
        {"inputs": [tensors()[0], tensors()[0]]},
        {"inputs": [tensors()[0], tensors(NEW[:1])[1]]},
        {"inputs": [tensors()[0] | {"shape": [1, 3]}]},
        {"id": 3},
        {"outputs": 3},
        {"outputs": ["label"]},
        {"outputs": [{"name": "nothing"}]},
    ],
)
def test_what_is_no_request_of_the_protocol_is_refused(served, change):
    body = json.dumps({"inputs": tensors()} | change).encode()
    with pytest.raises(Refused) as refused:
        rows_of(request_of(body, Limits()), served.estimator.schema_, Limits())
    assert refused.value.status == 400


def test_columns_that_are_not_there_may_be_missing(served):
    body = json.dumps({"inputs": tensors()[:1]}).encode()
    reply, _ = answer(served, body, Limits(), Wanted(missing_columns="as-missing"))
    wanted = served.estimator.predict_proba([{"x": row["x"]} for row in NEW], missing_columns="as-missing")
    assert json.loads(reply.body)["outputs"][1]["data"] == wanted.ravel().tolist()


def test_rows_are_limited_and_errors_are_told_as_the_protocol_tells_them(served):
    with pytest.raises(Refused) as refused:
        answer(served, json.dumps({"inputs": tensors()}).encode(), Limits(rows=2), Wanted())
    assert refused.value.status == 413
    reply = as_error(problem(422, "wrong"))
    assert reply.status == 400
    assert json.loads(reply.body)["error"] == "wrong"


def test_the_inputs_are_the_columns_that_the_model_asks_for(models, tmp_path):
    """A card leaves out a column without points; of a date whose parts are read the date is sent."""
    card = load("card", str(models / "card.tally.json"))
    assert [i["name"] for i in json.loads(model_metadata(card, ["1"]).body)["inputs"]] == ["x"]
    rows = [
        {
            "when": f"2024-{i % 12 + 1:02}-{i % 28 + 1:02} 0{i % 9}:00",
            "x": i % 7 + 0.5,
            "y": "pq"[(i % 12 > 5) ^ (i % 11 == 0)],
        }
        for i in range(120)
    ]
    made = {
        "tree": ts.DecisionTree(max_depth=1),
        "l1": ts.LogisticRegression(l2=0, l1=1.0),
    }
    for name, estimator in made.items():
        path = tmp_path / f"{name}.tally.json"
        estimator.fit(rows, "y").save(path)
        one = load(name, str(path))
        told = json.loads(model_metadata(one, ["1"]).body)["inputs"]
        assert [i["name"] for i in told] == list(one.estimator._asked.needed)
        data = {"when": "2024-03-05 01:00", "x": 3}
        body = {
            "inputs": [
                i | {"shape": [1], "data": [str(data[i["name"]]) if i["datatype"] == "BYTES" else 3.0]}
                for i in told
            ]
        }
        reply, _ = answer(one, json.dumps(body).encode(), Limits(), Wanted())
        assert json.loads(reply.body)["outputs"][0]["data"] == one.estimator.predict([data]).tolist()
