"""The Open Inference Protocol, version 2, by REST (KServe, MLServer, Triton); and the OpenAPI description.

Entry: `answer()`; `openapi()`. Tensors as that protocol names them: an input is a column, `shape` [rows] or
[rows, 1]. Law: an answer here is the one of /v1/predict.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from importlib import resources
from typing import TYPE_CHECKING, Any

from tallystick import __version__
from tallystick.errors import shown
from tallystick.predict.answers import MetRows, Wanted, answers
from tallystick.serve.predictions import dumps
from tallystick.serve.requests import ARROW, CSV, JSON_PROBLEM, NAME, PROBLEM, Refused, Reply, from_json

if TYPE_CHECKING:
    from tallystick.contracts import Source
    from tallystick.predict.answers import AnsweredRows
    from tallystick.schema import Column, Schema
    from tallystick.serve.guards import Limits
    from tallystick.serve.models import Served


WHOLE = frozenset({"INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"})
NUMBERS = WHOLE | {"FP16", "FP32", "FP64"}
DATATYPES = NUMBERS | {"BOOL", "BYTES"}
LABEL, PROBABILITIES = "label", "probabilities"
LABEL_TYPES = {"text": "BYTES", "integer": "INT64", "number": "FP64", "boolean": "BOOL"}


def server_metadata() -> Reply:
    """Return what the server says of itself."""
    fields = {"name": "tallystick", "version": __version__, "extensions": []}
    return Reply(200, dumps(fields).encode())


def datatype(column: Column) -> str:
    """Return the datatype in which a column is best sent; others are read as well."""
    return {"numeric": "FP64", "boolean": "BOOL"}.get(column.kind, "BYTES")


def model_metadata(served: Served, versions: list[str]) -> Reply:
    """Return the inputs and outputs of a model."""
    schema = served.estimator.schema_
    asked = {c.cells: "BYTES" if c.part else datatype(c) for c in served.estimator._asked.used}
    inputs = [{"name": name, "datatype": kind, "shape": [-1]} for name, kind in asked.items()]
    kind = LABEL_TYPES[schema.predicted.type]
    outputs: list[dict[str, Any]] = [
        {"name": LABEL, "datatype": kind, "shape": [-1]},
        {"name": PROBABILITIES, "datatype": "FP64", "shape": [-1, len(served.labels)]},
    ]
    fields = {"name": served.name, "versions": versions, "platform": "tallystick", "inputs": inputs}
    return Reply(200, dumps(fields | {"outputs": outputs}).encode())


def request_of(body: bytes, limits: Limits) -> dict[str, Any]:
    """Return the request of a body, its parts looked at."""
    given = from_json(body, limits.rows)
    if not isinstance(given, dict) or not isinstance(given.get("inputs"), list):
        raise Refused(400, 'the body has no list "inputs". Send {"inputs": [{"name": ..., "data": [...]}]}.')
    if not isinstance(given.get("id", ""), str):
        raise Refused(400, f"the id is {shown(given['id'])}, not text.")
    outputs = given.get("outputs", [])
    if not isinstance(outputs, list):
        raise Refused(400, "outputs is not a list.")
    for output in outputs:
        if not isinstance(output, dict) or output.get("name") not in (LABEL, PROBABILITIES):
            raise Refused(400, f"there is no output {shown(output)}. Use {LABEL} or {PROBABILITIES}.")
    return given


def rows_of(given: dict[str, Any], schema: Schema, limits: Limits) -> Source:
    """Return the inputs of a request as a source: one column each, or one tensor of all columns."""
    from tallystick.io.open import open_source

    columns: dict[str, list[Any]] = {}
    for tensor in given["inputs"]:
        for name, cells in _columns(tensor, schema).items():
            if name in columns:
                raise Refused(400, f"the input {shown(name)} is there twice. Send each once.")
            columns[name] = cells
    counts = {len(cells) for cells in columns.values()}
    if len(counts) > 1:
        raise Refused(400, f"the inputs have different numbers of rows: {sorted(counts)}.")
    if max(counts, default=0) > limits.rows:
        raise Refused(413, f"a request may have {limits.rows:,} rows. Send fewer at once.")
    return open_source(columns, name=NAME)


def _columns(tensor: Any, schema: Schema) -> dict[str, list[Any]]:
    """Return the cells of one input, by column."""
    if not isinstance(tensor, dict) or not isinstance(tensor.get("name"), str):
        raise Refused(
            400, f"an input is {shown(tensor)}. Send an object with name, shape, datatype and data."
        )
    name, kind, shape = tensor["name"], tensor.get("datatype"), tensor.get("shape")
    if kind not in DATATYPES:
        raise Refused(
            400, f"input {shown(name)} has the datatype {shown(kind)}. Use {', '.join(sorted(DATATYPES))}."
        )
    if "binary_data_size" in (tensor.get("parameters") or {}):
        raise Refused(400, "binary tensors are not read here. Send the data as JSON (binary_data=False).")
    if not (
        isinstance(shape, list) and 1 <= len(shape) <= 2 and all(type(n) is int and n >= 0 for n in shape)
    ):
        raise Refused(400, f"input {shown(name)} has the shape {shown(shape)}. Use [rows] or [rows, 1].")
    cells = _flat(tensor.get("data"), name)
    if len(cells) != math.prod(shape):
        raise Refused(400, f"input {shown(name)} has {len(cells):,} cells for the shape {shape}.")
    _check_cells(name, kind, cells)
    width = shape[1] if len(shape) == 2 else 1
    if width == 1:
        return {name: cells}
    names = schema.needed if width == len(schema.needed) else [c.name for c in schema.columns]
    if width != len(names):
        needed = len(schema.needed)
        raise Refused(
            400, f"input {shown(name)} is {width} wide; the model needs {needed} columns. Send one each."
        )
    return {column: cells[i::width] for i, column in enumerate(names)}


def _flat(data: Any, name: str) -> list[Any]:
    """Return data as one list; it may be nested as its shape is."""
    if not isinstance(data, list):
        raise Refused(400, f"input {shown(name)} has no data. Send a list.")
    if any(isinstance(part, list) for part in data):
        if not all(isinstance(part, list) for part in data):
            raise Refused(400, f"the data of input {shown(name)} is nested here and not there.")
        return [cell for part in data for cell in part]
    return data


def _check_cells(name: str, kind: str, cells: list[Any]) -> None:
    """Refuse cells that are not of the datatype; null is missing, whatever the datatype."""
    known = {"BOOL": (bool,), "BYTES": (str,)}.get(kind, (int,) if kind in WHOLE else (int, float))
    for row, cell in enumerate(cells):
        if cell is not None and (not isinstance(cell, known) or (kind in NUMBERS and isinstance(cell, bool))):
            raise Refused(
                400, f"input {shown(name)} holds {shown(cell)} in row {row + 1:,}, which is not {kind}."
            )


def answer(served: Served, body: bytes, limits: Limits, wanted: Wanted) -> tuple[Reply, int]:
    """Return the answers to the rows of a body, and how many there are."""
    given = request_of(body, limits)
    source = rows_of(given, served.estimator._asked, limits)
    found = list(answers(served.estimator, source, MetRows(), wanted))
    return inferred(served, found, given), sum(len(part.best) for part in found)


def as_error(reply: Reply) -> Reply:
    """Return a refusal in the words of the protocol: 400, and the text as `error` too."""
    found = json.loads(reply.body)
    status = 400 if reply.status == 422 else reply.status
    whole = found | {"status": status, "error": found["detail"]}
    return reply._replace(status=status, body=json.dumps(whole).encode() + b"\n")


def inferred(served: Served, found: list[AnsweredRows], given: dict[str, Any]) -> Reply:
    """Return the answers as tensors."""
    rows = sum(len(part.best) for part in found)
    kind = LABEL_TYPES[served.estimator.schema_.predicted.type]
    labels = [served.labels[best] for part in found for best in part.best.tolist()]
    shares = [share for part in found for share in part.shares.ravel().tolist()]
    outputs: list[dict[str, Any]] = [
        {"name": LABEL, "datatype": kind, "shape": [rows], "data": labels},
        {
            "name": PROBABILITIES,
            "datatype": "FP64",
            "shape": [rows, len(served.labels)],
            "parameters": {"labels": dumps(list(served.labels))},
            "data": shares,
        },
    ]
    if wanted := [out["name"] for out in given.get("outputs", [])]:
        outputs = [out for out in outputs if out["name"] in wanted]
    fields = {"model_name": served.name, "model_version": served.version}
    if "id" in given:
        fields["id"] = given["id"]
    return Reply(200, dumps(fields | {"outputs": outputs}).encode())


# The API's description: JSON Schema of a model's rows, OpenAPI of all addresses, and a page that shows both.
# Law: nothing on the page comes from elsewhere, and nothing of a model can run there.

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
PAGE_LABEL_TYPES = {"text": "string", "integer": "integer", "number": "number", "boolean": "boolean"}


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
        fields: dict[str, Any] = {"type": ["number", "null"]}
        if column.low is not None:
            fields["description"] = f"the training rows have {column.low:g} to {column.high:g}"
            fields["examples"] = [column.low]
        return fields
    if column.kind == "text":
        return {"type": ["string", "null"], "description": "text, read word by word"}
    levels = list(column.levels[:EXAMPLES])
    more = "" if len(column.levels) <= EXAMPLES else f"; {len(column.levels):,} levels in all"
    fields = {"description": f"a level{more}; others are counted as unseen", "examples": levels}
    return {"type": ["string", "number", "boolean", "null"], **fields}


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
            "label": {"type": PAGE_LABEL_TYPES[target.type], "enum": list(served.labels)},
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
    return {"required": True, "content": {JSON_PROBLEM.decode(): {"schema": schema}}}


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
    fields = {"$ref": f"#/components/schemas/{_key(answer)}"}
    many = {"type": "object", "properties": {"predictions": {"type": "array", "items": fields}}}
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
                "content": {JSON_PROBLEM.decode(): {"schema": {"oneOf": [fields, many]}}},
            },
            "4XX": _refusal(),
        },
    }


def openapi_reply(models: Iterable[Served]) -> Reply:
    """Return OpenAPI of all addresses."""
    return Reply(200, dumps(openapi(models)).encode())
