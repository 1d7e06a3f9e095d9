"""Of the page, what if: the exported model as data, a field per column it looks at, rows to start from.

Knows models, their exported form and the schema. Knows nothing of HTML.
Laws: the page answers by the exported form alone, which reads numbers and dates in the plain way only, so
every row to start from is written so, and a field whose column the file writes otherwise says so; of a text
column it keeps the heaviest words, and says so; of a large tree it keeps nine digits of every share.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pyarrow as pa

from tallystick.data.read.matcher import Matcher
from tallystick.data.schema import CODED, Column, Schema
from tallystick.data.text import quantity
from tallystick.data.written import plain, way_of
from tallystick.reports.ingredients import Ingredients, Row
from tallystick.reports.rows import middle_row

MOST_WORDS = 2_000
LARGE, DIGITS = 300_000, 9  # bytes of an exported tree from which on shares are told in so many digits
MOST_BYTES = 800_000  # of the exported model; a larger one would make the page too heavy
OPEN, FEW_MORE = 12, 4  # fields shown at once; so few more are not worth folding
MOST_LEVELS = 500  # in a list to choose from; of more, the field is typed in


def what_if(given: Ingredients, starts: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return form, fields and starting rows; None when there is no model, it has no form,
    or it is too large for a page."""
    if not given.form_text:
        return None
    form = json.loads(given.form_text)
    if "nodes" in form and len(given.form_text) > LARGE:
        for node in form["nodes"]:
            node[-1] = None if node[-1] is None else [round(share, DIGITS) for share in node[-1]]
    words = [limited(form, c) for c in range(len(form["columns"])) if form["columns"][c]["kind"] == "text"]
    if len(json.dumps(form, separators=(",", ":"))) > MOST_BYTES:
        return None
    names = list(dict.fromkeys(c.get("of", c["name"]) for c in form["columns"]))
    order = sorted(names, key=lambda n: given.columns.index(n) if n in given.columns else len(names))
    first = [{"label": "the middle of every column", "row": middle_row(given.table)}]
    every = [{**s, "row": plain_row(given.table.schema, s["row"], given.decimal)} for s in starts] + first
    fields = [_field(given.table.schema[n]) for n in order]
    return {
        "form": form,
        "fields": fields,
        "changeable": [f["name"] for f in fields if "levels" in f or f.get("low") is not None],
        "open": OPEN if len(order) > OPEN + FEW_MORE else len(order),
        "starts": [{"label": s["label"], "row": {n: s["row"].get(n) for n in names}} for s in every],
        "words": [w for w in words if w],
    }


def plain_row(schema: Schema, row: Row, decimal: str) -> Row:
    """Return a raw row as the exported form reads it: 6.486,08 € as 6486.08, 31.12.2020 as 2020-12-31, and
    TRUE as the level that it means.
    """
    out = dict(row)
    for name, text in row.items():
        column = schema[name] if name in schema.given else None
        if text is None or column is None or column.kind not in (*CODED, "numeric"):
            continue
        cell = (
            Matcher(column, schema.marks, decimal, True).run(pa.array([text], pa.large_string()), 1).data[0]
        )
        if column.kind == "numeric":
            out[name] = None if math.isnan(cell) else quantity(float(cell), column.unit)
        else:
            k = len(column.levels)
            out[name] = column.levels[cell] if cell < k else None if cell == k else text
    return out


def limited(form: dict[str, Any], column: int) -> dict[str, Any] | None:
    """Keep the heaviest words of a text column of a form, in place; return how many were left out, if any."""
    words = form["columns"][column]["words"]
    if len(words) <= MOST_WORDS:
        return None
    spread = np.zeros(len(words))
    terms = [t for t in form["terms"] if t.get("column") == column and "words" in t]
    for term in terms:
        table = np.array([[-30.0 if p is None else p for p in line] for line in term["words"]], float)
        scale = np.array(term["idf"], float) if len(term.get("idf", ())) else 1.0
        spread += (table.max(axis=1) - table.min(axis=1)) * scale
    kept = np.sort(np.argsort(-spread, kind="stable")[:MOST_WORDS]).tolist()
    form["columns"][column]["words"] = [words[k] for k in kept]
    for term in terms:
        term["words"] = [term["words"][k] for k in kept]
        if len(term.get("idf", ())):
            term["idf"] = [term["idf"][k] for k in kept]
    return {"column": form["columns"][column]["name"], "kept": MOST_WORDS, "all": len(words)}


def _field(column: Column) -> dict[str, Any]:
    out: dict[str, Any] = {"name": column.name, "kind": column.kind}
    if way := way_of(column.written):
        file = {"23:59": "8:30", "11:59 PM": "8:30 AM"}.get(way.example, way.example)  # in hours: 8.5
        here = plain(pa.array([file], pa.large_string()), way)[0].as_py()
        out["form"] = f"{file} in the file is {here} here"
    if column.kind in CODED:
        few = len(column.levels) <= MOST_LEVELS
        return out | ({"levels": list(column.levels)} if few else {"kind": "typed"})
    if column.kind == "numeric" and column.unit == "date":
        hint = f"{_day(column.low)} to {_day(column.high)}"
        return out | {"kind": "date", "hint": hint, "low": column.low, "high": column.high}
    if column.kind == "numeric" and column.low is not None and column.high is not None:
        return out | {"low": column.low, "high": column.high}
    return out


def _day(value: float | None) -> str:
    return "?" if value is None else quantity(math.floor(value), "date")
