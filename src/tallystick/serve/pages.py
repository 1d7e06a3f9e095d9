"""What there is to ask: the JSON Schema of a model's rows, OpenAPI of all addresses, and a page of both.

Knows models that are served. Law: nothing on the page comes from elsewhere, and nothing of a model can run
there.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from typing import TYPE_CHECKING, Any

from tallystick import __version__
from tallystick.serve.predictions import dumps
from tallystick.serve.problems import JSON, PROBLEM, Reply
from tallystick.serve.rows_in import ARROW, CSV

if TYPE_CHECKING:
    from tallystick.data.schema import Column
    from tallystick.serve.shelf import Served

FILES = {
    "/": ("api.html", b"text/html; charset=utf-8"),
    "/assets/api.css": ("api.css", b"text/css; charset=utf-8"),
    "/assets/api.js": ("api.js", b"text/javascript; charset=utf-8"),
}
POLICY = (
    b"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ALONE = [
    (b"content-security-policy", POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
]
EXAMPLES = 20  # levels that are listed
LABEL_TYPES = {"text": "string", "integer": "integer", "number": "number", "boolean": "boolean"}


def page(path: str) -> Reply:
    """Return a file of the page."""
    name, kind = FILES[path]
    data = (resources.files("tallystick.serve") / "assets" / name).read_bytes()
    return Reply(200, data, kind, ALONE)


def column_schema(column: Column) -> dict[str, Any]:
    """Return the JSON Schema of a cell. Cells may also be written as text, as in a CSV file."""
    if column.kind == "numeric" and column.unit == "date":
        return {"type": ["string", "null"], "format": "date"}
    if column.kind == "numeric":
        told: dict[str, Any] = {"type": ["number", "null"]}
        if column.low is not None:
            told["description"] = f"the training rows have {column.low:g} to {column.high:g}"
            told["examples"] = [column.low]
        return told
    if column.kind == "text":
        return {"type": ["string", "null"], "description": "text, read word by word"}
    levels = list(column.levels[:EXAMPLES])
    more = "" if len(column.levels) <= EXAMPLES else f"; {len(column.levels):,} levels in all"
    told = {"description": f"a level{more}; others are counted as unseen", "examples": levels}
    return {"type": ["string", "number", "boolean", "null"], **told}


def row_schema(served: Served) -> dict[str, Any]:
    """Return the JSON Schema of the rows that a model answers."""
    used = served.estimator._asked.used
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"a row for {served.name}",
        "type": "object",
        "properties": {column.name: column_schema(column) for column in used},
        "required": [column.name for column in used],
        "additionalProperties": True,
    }


def answer_schema(served: Served) -> dict[str, Any]:
    """Return the JSON Schema of the answer to one row."""
    target = served.estimator.schema_.predicted
    share = {"type": "number", "minimum": 0, "maximum": 1}
    return {
        "type": "object",
        "properties": {
            "label": {"type": LABEL_TYPES[target.type], "enum": list(served.labels)},
            "probability": share,
            "probabilities": {"type": "object", "properties": dict.fromkeys(target.labels, share)},
            "reasons": {"type": "array", "items": {"type": "object"}},
            "explain": {"type": "object"},
        },
        "required": ["label", "probability", "probabilities"],
    }


def openapi(models: Iterable[Served]) -> dict[str, Any]:
    """Return what there is to ask, as OpenAPI 3.1."""
    paths: dict[str, Any] = {}
    schemas: dict[str, Any] = {"Problem": _problem_schema()}
    for served in models:
        if f"row of {served.name}" in schemas:
            continue  # another version of the same name
        row, answer = f"row of {served.name}", f"answer of {served.name}"
        schemas |= {row: row_schema(served), answer: answer_schema(served)}
        paths[f"/v1/models/{served.name}/predict"] = {"post": _predict(served.name, row, answer)}
    for path, words in {
        "/v1/models": "The models, with their columns and versions",
        "/healthz": "Whether this process answers",
        "/readyz": "Whether requests should be sent here",
        "/metrics": "Counts, as Prometheus reads them",
        "/v2": "Open Inference Protocol: the server",
        "/v2/health/live": "Open Inference Protocol: whether the server lives",
        "/v2/health/ready": "Open Inference Protocol: whether the server is ready",
        "/v2/models/{name}": "Open Inference Protocol: inputs and outputs of a model",
        "/v2/models/{name}/ready": "Open Inference Protocol: whether a model is ready",
        "/v1/models/{name}": "One model",
        "/v1/models/{name}/schema": "JSON Schema of the rows of a model",
    }.items():
        paths[path] = {"get": _get(words, path)}
    infer = _get("Open Inference Protocol: answer rows", "/v2/models/{name}/infer")
    paths["/v2/models/{name}/infer"] = {"post": infer | {"requestBody": _json_body({"type": "object"})}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tallystick", "version": __version__},
        "paths": paths,
        "components": {"schemas": {_key(name): schema for name, schema in schemas.items()}},
    }


def _key(name: str) -> str:
    return name.replace(" ", "_")


def _problem_schema() -> dict[str, Any]:
    texts: dict[str, Any] = {key: {"type": "string"} for key in ("type", "title", "detail")}
    return {"type": "object", "properties": texts | {"status": {"type": "integer"}}}


def _json_body(schema: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {JSON.decode(): {"schema": schema}}}


def _get(words: str, path: str) -> dict[str, Any]:
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "summary": words,
        "parameters": [name] if "{name}" in path else [],
        "responses": {"200": {"description": "the answer"}, "4XX": _refusal()},
    }


def _refusal() -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": "what is wrong, in one line", "content": {PROBLEM.decode(): {"schema": schema}}}


def _predict(name: str, row: str, answer: str) -> dict[str, Any]:
    one = {"$ref": f"#/components/schemas/{_key(row)}"}
    told = {"$ref": f"#/components/schemas/{_key(answer)}"}
    many = {"type": "object", "properties": {"predictions": {"type": "array", "items": told}}}
    body = _json_body({"oneOf": [one, {"type": "array", "items": one}]})
    body["content"] |= {CSV: {"schema": {"type": "string"}}, ARROW: {"schema": {"type": "string"}}}
    query = {
        "version": "the sha256 of the model file, or its first 8 digits or more",
        "explain": "true: why each row is answered so",
        "reasons": "of a scorecard: so many reason codes for each row",
        "reasons_against": "best or average: what lost points are counted from",
        "reasons_for": "the class that points count towards",
        "lenient": "true: what cannot be read as a number is missing, and counted",
        "missing_columns": "as-missing: columns that are not there are missing, and counted",
    }
    return {
        "summary": f"Answer rows by {name}",
        "description": "The same by /v1/predict?model=NAME; without model= where only one is served.",
        "parameters": [
            {"name": key, "in": "query", "description": words, "schema": {"type": "string"}}
            for key, words in query.items()
        ],
        "requestBody": body,
        "responses": {
            "200": {
                "description": "an answer, or one for each row",
                "content": {JSON.decode(): {"schema": {"oneOf": [told, many]}}},
            },
            "4XX": _refusal(),
        },
    }


def openapi_reply(models: Iterable[Served]) -> Reply:
    """Return OpenAPI of all addresses."""
    return Reply(200, dumps(openapi(models)).encode())
