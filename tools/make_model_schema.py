"""Write docs/model-file.schema.json: the format of model files as JSON Schema, made from the reader's shapes.

    python tools/make_model_schema.py            write it
    python tools/make_model_schema.py --check    exit code 1 if it is not current

Knows shapes and JSON Schema. What JSON Schema cannot say (that counts add up, that lists have agreed lengths)
is left to the reader; docs/model_file.md lists it.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from tallystick.methods import KINDS
from tallystick.model import file, profile, shapes

PLACE = Path(__file__).resolve().parent.parent / "docs" / "model-file.schema.json"
LONG = {
    "branches": {"type": "array", "items": {"type": "array", "items": {"type": "integer", "minimum": -1}}},
    "candidates": {"type": "array", "items": {"type": "string"}},
    "nodes": {
        "type": "array",
        "minItems": 1,
        "items": {"type": "array", "items": {"type": ["number", "null"]}},
    },
}


def numbers(kind: str, low: float, high: float) -> dict[str, Any]:
    """Return a number with its bounds."""
    out: dict[str, Any] = {"type": kind}
    if math.isfinite(low):
        out["minimum"] = low
    if math.isfinite(high):
        out["maximum"] = high
    return out


def listed(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a list."""
    return {"type": "array", "items": items} | more


def record(shape: shapes.Record, consts: dict[str, str]) -> dict[str, Any]:
    """Return an object with known keys; `consts` are those whose value is fixed."""
    keys = {**shape.keys, **shape.optional}
    properties = {
        k: LONG[k] if isinstance(v, shapes.LongList) else schema(v) for k, v in sorted(keys.items())
    }
    properties |= {k: {"const": v} for k, v in consts.items()}
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(shape.keys),
        "additionalProperties": False,
    }


def schema(shape: Any) -> dict[str, Any]:
    """Return the JSON Schema of a shape."""
    match shape:
        case shapes.Text(options=options) if options:
            return {"enum": list(options)}
        case shapes.Text():
            return {"type": "string"} | ({"description": shape.words} if shape.words != "text" else {})
        case shapes.Whole():
            return numbers("integer", shape.low, shape.high)
        case shapes.Number():
            return numbers("number", shape.low, shape.high)
        case shapes.Flag():
            return {"type": "boolean"} if shape.only is None else {"const": shape.only}
        case shapes.Maybe():
            return {"anyOf": [{"type": "null"}, schema(shape.inner)]}
        case shapes.Either():
            return {"anyOf": [schema(inner) for inner in shape.inner]}
        case shapes.Listed():
            more = {"minItems": shape.least} if shape.least else {}
            return listed(schema(shape.of), **more, **({"uniqueItems": True} if shape.distinct else {}))
        case shapes.Counts():
            return listed(numbers("integer", shape.low, shape.high))
        case shapes.Numbers():
            return listed(numbers("number", shape.low, shape.high))
        case shapes.Rows():
            return listed(schema(shape.of))
        case shapes.Record():
            return record(shape, {})
        case shapes.Named():
            return {"type": "object", "additionalProperties": schema(shape.of)}
        case shapes.Variant():
            return {"oneOf": [record(r, {shape.key: name}) for name, r in sorted(shape.records.items())]}
    raise TypeError(f"a shape without a JSON Schema: {type(shape).__name__}")


def whole() -> dict[str, Any]:
    """Return the schema of all model files."""
    kinds = []
    for name, method in sorted(KINDS.items()):
        kind = method.load("file")
        sections: dict[str, Any] = {
            "decision": {"$ref": "#/$defs/decision"},
            "format": {"$ref": "#/$defs/format"},
            "kind": {"const": name},
            "model": schema(kind.model),
            "notes": {"$ref": "#/$defs/notes"},
            "parameters": schema(kind.parameters),
            "profile": {"$ref": "#/$defs/profile"},
            "rows": {"$ref": "#/$defs/rows"},
            "schema": {"$ref": "#/$defs/schema"},
            "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        }
        kinds.append(
            {
                "title": name,
                "type": "object",
                "properties": sections,
                "required": sorted(sections.keys() - {"profile", "decision"}),
                "additionalProperties": False,
            }
        )
    version = {"name": {"const": file.NAME}, "version": {"enum": [1, file.VERSION]}}
    old = {"properties": {"format": {"properties": {"version": {"const": 1}}}}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Tallystick model file, format versions 1 and {file.VERSION}",
        "description": "Made by tools/make_model_schema.py from the shapes that the reader checks.",
        "$defs": {
            "decision": schema(file._DECISION),
            "format": {
                "type": "object",
                "properties": version,
                "required": ["name", "version"],
                "additionalProperties": False,
            },
            "notes": listed(schema(file._NOTE)),
            "profile": schema(profile.SHAPE),
            "rows": schema(file._ROWS),
            "schema": schema(file._SCHEMA),
        },
        "if": old,
        "then": {"not": {"anyOf": [{"required": ["profile"]}, {"required": ["decision"]}]}},
        "else": {"required": ["profile"]},
        "oneOf": kinds,
    }


def main() -> int:
    """Write or check the schema."""
    text = json.dumps(whole(), indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv:
        current = PLACE.exists() and PLACE.read_text(encoding="utf-8") == text
        if not current:
            print("docs/model-file.schema.json is not current. Run: python tools/make_model_schema.py")
        return int(not current)
    PLACE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
