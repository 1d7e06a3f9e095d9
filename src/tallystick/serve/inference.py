"""The Open Inference Protocol, version 2, by REST: the words of KServe, MLServer and Triton for rows.

Knows tensors as that protocol names them: an input is a column, `shape` [rows] or [rows, 1]. Knows nothing of
how rows are answered. Law: an answer here is the one of /v1/predict.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from tallystick import __version__
from tallystick.errors import shown
from tallystick.estimators.answers import MetRows, Wanted, answers
from tallystick.serve.predictions import dumps
from tallystick.serve.problems import Refused, Reply
from tallystick.serve.rows_in import NAME, from_json

if TYPE_CHECKING:
    from tallystick.contracts import Source
    from tallystick.data.schema import Column, Schema
    from tallystick.estimators.answers import AnsweredRows
    from tallystick.serve.guards import Limits
    from tallystick.serve.shelf import Served

WHOLE = frozenset({"INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"})
NUMBERS = WHOLE | {"FP16", "FP32", "FP64"}
DATATYPES = NUMBERS | {"BOOL", "BYTES"}
LABEL, PROBABILITIES = "label", "probabilities"
LABEL_TYPES = {"text": "BYTES", "integer": "INT64", "number": "FP64", "boolean": "BOOL"}


def server_metadata() -> Reply:
    """Return what the server says of itself."""
    told = {"name": "tallystick", "version": __version__, "extensions": []}
    return Reply(200, dumps(told).encode())


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
    told = {"name": served.name, "versions": versions, "platform": "tallystick", "inputs": inputs}
    return Reply(200, dumps(told | {"outputs": outputs}).encode())


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
    from tallystick.data.source import open_source

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
    told = json.loads(reply.body)
    status = 400 if reply.status == 422 else reply.status
    whole = told | {"status": status, "error": told["detail"]}
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
    told = {"model_name": served.name, "model_version": served.version}
    if "id" in given:
        told["id"] = given["id"]
    return Reply(200, dumps(told | {"outputs": outputs}).encode())
