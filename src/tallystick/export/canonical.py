"""Plain data to canonical JSON bytes and back: one value, one text.

Knows JSON, and lists that are told in parts. Knows nothing of models or files.
Law: `read(write(x)) == x`, and equal data gives equal bytes: sorted keys, shortest floats, one table row per
line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tallystick.errors import ModelFileError, shown
from tallystick.models.in_parts import ToldInParts

_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)

# An escape that canonical text never holds: it escapes quotes, backslashes and control characters only.
_ODD_ESCAPE = re.compile(rb"(?<!\\)(?:\\\\)*\\u(?!00[01])(.{0,4})")


def write(value: Any) -> bytes:
    """Return canonical JSON: a flat object or list on one line, anything deeper one member per line."""
    return b"".join(pieces(value))


def pieces(value: Any) -> Iterator[bytes]:
    """Yield canonical JSON bit by bit: no `ToldInParts` is there whole at any moment."""
    try:
        for text in _pieces(value):
            yield text.encode()
    except UnicodeEncodeError as error:
        bad = error.object[error.start : error.end]
        raise ModelFileError(
            f"a text holds {shown(bad)}, half of a character pair. Repair the text first."
        ) from None


def _pieces(value: Any) -> Iterator[str]:
    if isinstance(value, ToldInParts):
        yield from _long(value)
    elif isinstance(value, dict) and any(isinstance(v, ToldInParts) for v in value.values()):
        for i, key in enumerate(sorted(value)):
            yield f"{',' if i else '{'}\n{_ENCODER.encode(key)}:"
            yield from _pieces(value[key])
        yield "}"
    else:
        yield _text(value)


def _long(value: ToldInParts) -> Iterator[str]:
    before = "["
    for part in value:
        text = _text(part)
        opening = "[\n" if text.startswith("[\n") else "["
        yield (opening if before == "[" else before + opening[1:]) + text[len(opening) : -1]
        before = ","
    yield "[]" if before == "[" else "]"


def _text(value: Any) -> str:
    if isinstance(value, dict) and any(_deep(v) for v in value.values()):
        return "{\n" + ",\n".join(f"{_ENCODER.encode(k)}:{_text(value[k])}" for k in sorted(value)) + "}"
    if isinstance(value, list) and value and isinstance(value[0], list | dict):
        if isinstance(value[0], list) and '"' not in (line := _ENCODER.encode(value)):
            return "[\n" + line[1:].replace("],[", "],\n[")  # numbers only: quick for long tables
        return "[\n" + ",\n".join(_text(item) for item in value) + "]"
    return _ENCODER.encode(value)


def _deep(value: Any) -> bool:
    """Say whether a member needs lines of its own: an object, or a list of lists or objects."""
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], list | dict)
    )


def read(data: bytes, careful: bool = False) -> Any:
    """Return the value of JSON bytes; refuse what canonical JSON cannot hold, each with its own line.

    `careful` also names numbers that no model can hold. It takes three times as long, because Python is
    called for each number; whoever finds a wrong number where it is used can ask again for the better words.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ModelFileError(
            f"model file: byte {error.start:,} is not UTF-8. The file was damaged."
        ) from None
    # looking for one byte is quick, and most files have no backslash at all
    if b"\\" in data and b"\\u" in data and (odd := _ODD_ESCAPE.search(data)):
        kind = "half of a character pair" if odd[1][:1] in b"dD" else "an escape a model file never writes"
        raise ModelFileError(f"model file: byte {odd.start():,} begins {kind}. The file was edited.")
    hooks: dict[str, Any] = {"parse_int": _whole, "parse_float": _finite} if careful else {}
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant, **hooks)
    except ModelFileError:
        raise
    except json.JSONDecodeError as error:
        raise ModelFileError(
            f"model file: line {error.lineno:,} is not JSON ({error.msg}). The file was edited."
        ) from None
    except RecursionError:
        raise ModelFileError(
            "model file: lists or objects are nested too deep. The file was edited."
        ) from None
    except ValueError:  # more digits than Python reads
        raise ModelFileError("model file: a whole number is too large. The file was edited.") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        seen: set[str] = set()
        double = next(k for k, _ in pairs if k in seen or seen.add(k))  # type: ignore[func-returns-value]
        raise ModelFileError(
            f"model file: the key {shown(double)} is there twice in one object. The file was edited."
        )
    return out


def _constant(text: str) -> Any:
    raise ModelFileError(f"model file: {text} is not a number a model can hold. The file was edited.")


def _whole(text: str) -> int:
    if len(text) > 20:
        raise ModelFileError(f"model file: the whole number {text[:20]}… is too large. The file was edited.")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ModelFileError(
            f"model file: the number {text[:20]} is beyond all doubles. The file was edited."
        )
    return value
