"""The model file: canonical JSON, checks of a document, reading and writing; and options as plain data.

Parts: lists written in parts; canonical JSON (`write`, `read`); the file (entry: `to_bytes()`,
`from_bytes()`, `save()`); options as plain Python (entry: `checked()`).
Each kind of model adds the shape of its own part and a check that its counts add up (`shapes.FileKind`).
Laws: equal models give equal bytes; a file from a stranger is data: it is checked whole before it is used.
"""

from __future__ import annotations

import hashlib
import json
import math
import numbers
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from tallystick import methods
from tallystick.errors import Argument, ModelFileError, OptionError, shown
from tallystick.files import as_path, whole_file
from tallystick.model import profile, shapes
from tallystick.model.shapes import Flag, Listed, Maybe, Named, Number, Record, Shape, Text, Variant, Whole
from tallystick.schema import CODED, Schema
from tallystick.schema import KINDS as COLUMN_KINDS
from tallystick.text import PARTS, WEEKDAY_LEVELS, way_of

# Long lists written in parts, of which one at a time is in memory.
# Law: all parts, one after the other, are the list.


@dataclass(frozen=True)
class ListInParts:
    """A list so long that it is written in parts, without all of it in memory."""

    parts: Callable[[], Iterator[list[Any]]]

    def __iter__(self) -> Iterator[list[Any]]:
        """Yield the parts that hold something, in their order."""
        return filter(None, self.parts())

    def whole(self) -> list[Any]:
        """Return the list."""
        return list(chain.from_iterable(self))


# Canonical JSON: one value, one text.
# Law: `read(write(x)) == x`, and equal data gives equal bytes: sorted keys, shortest floats, one table row
# per line.

_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)

# An escape that canonical text never holds: it escapes quotes, backslashes and control characters only.
_ODD_ESCAPE = re.compile(rb"(?<!\\)(?:\\\\)*\\u(?!00[01])(.{0,4})")


def write(value: Any) -> bytes:
    """Return canonical JSON: a flat object or list on one line, anything deeper one member per line."""
    return b"".join(pieces(value))


def pieces(value: Any) -> Iterator[bytes]:
    """Yield canonical JSON bit by bit: no `ListInParts` is there whole at any moment."""
    try:
        for text in _pieces(value):
            yield text.encode()
    except UnicodeEncodeError as error:
        bad = error.object[error.start : error.end]
        raise ModelFileError(
            f"a text holds {shown(bad)}, half of a character pair. Repair the text first."
        ) from None


def _pieces(value: Any) -> Iterator[str]:
    if isinstance(value, ListInParts):
        yield from _long(value)
    elif isinstance(value, dict) and any(isinstance(v, ListInParts) for v in value.values()):
        for i, key in enumerate(sorted(value)):
            yield f"{',' if i else '{'}\n{_ENCODER.encode(key)}:"
            yield from _pieces(value[key])
        yield "}"
    else:
        yield _text(value)


def _long(value: ListInParts) -> Iterator[str]:
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


NAME = "tallystick model"
VERSION = 2  # version 1 had no profile
MAX_BYTES = 1 << 30
_MAGIC = b'{\n"format":{"name":"tallystick model","version":'
_LAST = re.compile(rb'"sha256":"([0-9a-f]{64})"}\n')
_LAST_SIZE = len(b'"sha256":""}\n') + 64


_NAME = Text(test=lambda t: 0 < len(t) <= 100_000, words="a name")


def _column(kind: str) -> Record:
    keys: dict[str, Shape] = {"kind": Text((kind,)), "missing": Whole(), "name": _NAME}
    if kind in CODED:
        keys["levels"] = Listed(Text(), distinct=True)
    if kind == "numeric":
        keys |= {"high": Maybe(Number()), "low": Maybe(Number()), "unit": Text(("", "date"))}
    if kind == "text":
        keys["words"] = Listed(Text(), distinct=True)
    may: dict[str, Shape] = {"declared": Flag(only=True)}
    if kind in ("numeric", "levels", "boolean"):
        may["marks"] = Listed(Text(), distinct=True)
    if kind in CODED:
        may["merged"] = Named(Text())
    if kind in ("numeric", "levels"):
        may |= {"of": _NAME, "part": Text(PARTS)}
        may["written"] = Text(test=lambda t: way_of(t) is not None, words="1234.5 or 31 December 2020")
    return Record(keys, may)


_COLUMN = Variant("kind", {kind: _column(kind) for kind in COLUMN_KINDS if kind != "out"})
_TARGET = Record(
    {
        "labels": Listed(Text(), size="classes", distinct=True),
        "name": Text(),
        "type": Text(("text", "integer", "number", "boolean")),
    },
    {"merged": Named(Text())},
)
_SCHEMA = Record(
    {"columns": Listed(_COLUMN), "marks": Listed(Text(), distinct=True), "target": Maybe(_TARGET)}
)
_NOTE = Record({"code": Text(), "column": Text(), "count": Whole(), "text": Text()})
_ROWS = Record(
    {
        "count": Whole(),
        "fingerprint": Text(
            test=lambda t: re.fullmatch("[0-9a-f]{32}", t) is not None, words="32 hex digits"
        ),
        "unit": Whole(1, 2**32),
    },
    {"row": Whole(1, 2**62)},  # what one row weighs where rows are counted, if that is not the unit
)


_DECISION = Record(
    {},
    {
        "costs": Listed(Listed(Number(0), size="classes"), size="classes"),
        "of": Text(),
        "threshold": Number(0, 1),
    },
)


def to_bytes(document: dict[str, Any]) -> bytes:
    """Return the file's bytes."""
    return b"".join(file_pieces(document))


def file_pieces(document: dict[str, Any]) -> Iterator[bytes]:
    """Yield the file's bytes bit by bit: the document, its format, and on the last line the sha256 of all
    bytes above. A document without the section `profile` is of version 1, and is written as it was read.
    """
    version = VERSION if "profile" in document else 1
    whole = document | {"format": {"name": NAME, "version": version}}
    keys = sorted(whole, key=lambda k: (k != "format", k))  # what it is stands first
    digest = hashlib.sha256()
    for i, key in enumerate(keys):
        begun = b"%b\n%b:" % (b"," if i else b"{", write(key))
        for part in chain([begun], pieces(whole[key])):
            digest.update(part)
            yield part
    digest.update(b",\n")
    yield b',\n"sha256":"' + digest.hexdigest().encode() + b'"}\n'


def from_bytes(data: bytes) -> dict[str, Any]:
    """Return the checked document of a model file's bytes, or raise ModelFileError with one line."""
    _check_frame(data)
    try:
        return _checked(read(data))
    except ModelFileError:
        read(data, careful=True)  # a number beyond all doubles is best reported as such
        raise


def refuse_other_bytes(data: bytes, written: bytes) -> None:
    """Refuse a file that is not, byte by byte, the one that its model is written to."""
    if data == written:
        return
    lines = zip(data.split(b"\n"), written.split(b"\n"), strict=False)
    first = next(number for number, (found, wanted) in enumerate(lines, 1) if found != wanted)
    raise ModelFileError(
        f"model file: line {first:,} is not as its model is written. The file was edited: write it again "
        "from the fitted model."
    )


def _checked(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document if all its sections are what they should be."""
    kind = document.get("kind")
    if not isinstance(kind, str) or kind not in methods.KINDS:
        raise ModelFileError(
            f"model file: unknown kind of model {shown(kind)}. Known: {', '.join(sorted(methods.KINDS))}."
        )
    extra = methods.of_kind(kind).load("file")
    sizes: shapes.Sizes = {}
    fixed: dict[str, Shape] = {
        "format": Record({"name": Text((NAME,)), "version": Whole(1, VERSION)}),
        "kind": Text(),
        "sha256": Text(),
    }
    _check_schema(document, sizes, methods.of_kind(kind))
    sections = fixed | {
        "model": extra.model,
        "notes": Listed(_NOTE),
        "parameters": extra.parameters,
        "rows": _ROWS,
        "schema": _SCHEMA,
    }
    optional: dict[str, Shape] = {}
    if document.get("format") != {"name": NAME, "version": 1}:
        sections["profile"] = profile.SHAPE
        optional["decision"] = _DECISION
    Record(sections, optional).check(document, "the file", sizes)
    _check_decision(document)
    schema = Schema.from_dict(document["schema"])
    extra.check(document, schema)
    profile.check(document.get("profile"), schema, document["rows"]["count"])
    return document


def _check_frame(data: bytes) -> None:
    """Check what needs no parsing: that it is ours, of this version, complete and unchanged."""
    if not data:
        raise ModelFileError("model file: it is empty (0 bytes).")
    if not data.startswith(_MAGIC):
        raise ModelFileError(
            "model file: it does not begin like a Tallystick model. Is it another kind of file?"
        )
    version = re.match(rb"[0-9]{1,9}", data[len(_MAGIC) : len(_MAGIC) + 9])
    if version is None or not 1 <= int(version[0]) <= VERSION:
        found = version[0].decode() if version else "unreadable"
        raise ModelFileError(
            f"model file: format version {found}, this Tallystick reads versions 1 to {VERSION}. Update or "
            "refit."
        )
    last = _LAST.fullmatch(data[-_LAST_SIZE:])
    if last is None:
        raise ModelFileError(
            "model file: its last line, the checksum, is missing or damaged. The file was cut short."
        )
    if hashlib.sha256(memoryview(data)[:-_LAST_SIZE]).hexdigest().encode() != last[1]:
        raise ModelFileError(
            "model file: its checksum does not fit its content. The file was edited or damaged."
        )


def _check_schema(document: dict[str, Any], sizes: shapes.Sizes, method: methods.Method) -> None:
    """Check the schema first: the lengths it names bind the model's own part."""
    Record({"schema": _SCHEMA}, {k: _Any() for k in document if k != "schema"}).check(
        document, "the file", sizes
    )
    names = [c["name"] for c in document["schema"]["columns"]]
    if len(set(names)) != len(names):
        raise ModelFileError("model file: two columns of the schema have one name. The file was edited.")
    for column in document["schema"]["columns"]:
        place, kind = f"column {shown(column['name'])}", column["kind"]
        if kind == "boolean" and len(column["levels"]) != 2:
            raise shapes.wrong(f"{place} levels", "a list of 2", column["levels"])
        _check_merged(place, column.get("merged", {}), column.get("levels", ()))
        _check_part(place, column)
        low, high = column.get("low"), column.get("high")
        if kind == "numeric" and ((low is None) != (high is None) or (low is not None and low > high)):
            raise shapes.wrong(f"{place} range", "low <= high", f"{low} to {high}")
    target = document["schema"]["target"]
    if (target is not None) != method.target:
        wanted = "an object" if method.target else "null"
        raise shapes.wrong("the file.schema.target", wanted, target)
    if target is None:
        return
    _check_merged("the target", target.get("merged", {}), target["labels"])
    if target["type"] == "boolean" and not set(target["labels"]) <= {"false", "true"}:
        raise shapes.wrong("the target's labels", "false and true", target["labels"])
    if target["type"] in ("integer", "number"):
        for label in target["labels"]:
            Text(test=_reads_as(target["type"]), words=f"{target['type']} text").check(
                label, "a label", sizes
            )


def _check_decision(document: dict[str, Any]) -> None:
    """Check that a decision is whole: costs of all classes, or a threshold of one of two."""
    found, target = document.get("decision"), document["schema"]["target"]
    if found is None:
        return
    labels = () if target is None else target["labels"]
    by_costs = set(found) == {"costs"} and len(labels) > 0 and any(map(any, found["costs"]))
    above = set(found) == {"of", "threshold"} and len(labels) == 2 and found["of"] in labels
    if not by_costs and not (above and 0 < found["threshold"] < 1):
        raise shapes.wrong("the file.decision", "costs of all classes, or a threshold of one of two", found)


def _check_part(place: str, column: Mapping[str, Any]) -> None:
    """Check that a part of dates is whole: of a column, a weekday among all of them, a number else."""
    part, weekday = column.get("part"), column["kind"] == "levels"
    if (part is None) != ("of" not in column) or (part is None and weekday and "written" in column):
        raise shapes.wrong(place, "a part of a column of dates, or none", "one of both")
    if part is not None and (part == "weekday") != weekday:
        raise shapes.wrong(f"{place} part", "weekday of levels, another of numbers", part)
    if part is not None and weekday and tuple(column["levels"]) != WEEKDAY_LEVELS:
        raise shapes.wrong(f"{place} levels", "the seven weekdays", column["levels"])
    if part is not None and column.get("unit"):
        raise shapes.wrong(f"{place} unit", "none", column["unit"])


def _check_merged(place: str, merged: Mapping[str, str], levels: Sequence[str]) -> None:
    """Check that spellings become levels, and are none."""
    known = set(levels)
    for text, level in merged.items():
        if level not in known or text in known:
            raise shapes.wrong(f"{place} merged[{shown(text)}]", "one of its levels, and itself none", level)


def _reads_as(kind: str) -> Callable[[str], bool]:
    if kind == "integer":
        return lambda text: re.fullmatch(r"-?[0-9]{1,40}", text) is not None
    return lambda text: (
        re.fullmatch(r"-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,3})?", text) is not None
    )


class _Any:
    def check(self, value: Any, place: str, sizes: shapes.Sizes) -> None:
        """Accept anything; another shape checks it later."""


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a model file, or say in one line why they cannot be read."""
    name = shown(as_path(path))
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_BYTES:
                raise ModelFileError(f"{name} has {size:,} bytes; a model file has at most {MAX_BYTES:,}.")
            return file.read(size + 1 if size else MAX_BYTES)  # a pipe does not tell its size
    except OSError as error:
        raise ModelFileError(f"cannot read the model file {name}: {error.strerror or error}.") from None


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Say whether a file begins like a model file; what cannot be read does not."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def save(path: str | os.PathLike[str], data: bytes | Iterable[bytes], thing: str = "model file") -> None:
    """Write the file whole or not at all: the old file or the new one is there at every moment.

    data: all bytes, or bit by bit. thing: what an error calls it; an export, a page and a picture are not
    model files.
    """
    error = ModelFileError if thing == "model file" else OptionError
    with whole_file(path, thing, error) as file:
        for part in [data] if isinstance(data, bytes) else data:
            file.write(part)


# Options as plain Python: NumPy's numbers and flags, as a search over an array gives them, are converted.
# Law: what an option means, and the file it gives, does not depend on the number's type.

LARGEST = sys.float_info.max
PLAIN = frozenset({type(None), bool, int, float, str})  # the fast path: a small fit checks some fifty values

T = TypeVar("T")

# Cache of checked options by their kind and what was given: 1, 1.0, True and -0.0 differ.
_checked_value: dict[tuple[Any, ...], Any] = {}
MOST_CHECKED = 256


def checked(kind: Callable[..., T], given: Mapping[str, Any]) -> T:
    """Return the options of a kind. They never change: where all that is given is plain, those that were
    found good before are given again; a small fit asks for the same ones twice.
    """
    types = [type(value) for value in given.values()]
    if not PLAIN.issuperset(types):
        return kind(**given)
    key = kind, *given, *types, *[v.hex() if type(v) is float else v for v in given.values()]
    found = _checked_value.get(key)
    if found is None:
        found = kind(**given)
        if len(_checked_value) >= MOST_CHECKED:
            _checked_value.clear()
        _checked_value[key] = found
    return found


def plain(value: Any) -> Any:
    """Return a value with NumPy's numbers, flags and arrays as Python's, also inside mappings and lists."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, numbers.Real):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    if isinstance(value, Mapping):
        return {plain(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value] if isinstance(value, list) else tuple(plain(v) for v in value)
    return value


def make_plain(options: Any, names: tuple[str, ...]) -> None:
    """Put plain values in the place of those that frozen options were given."""
    for name in names:
        value = getattr(options, name)
        if type(value) not in PLAIN:
            object.__setattr__(options, name, plain(value))


def is_number(value: Any) -> bool:
    """Say whether a value is a number: neither a flag nor NaN, nor beyond what a double holds."""
    if type(value) is float or type(value) is int:
        return value == value and (type(value) is float or -LARGEST <= value <= LARGEST)
    return (
        isinstance(value, numbers.Real)
        and not isinstance(value, bool | np.bool_)
        and not math.isnan(value)
        and (math.isinf(value) or -LARGEST <= float(value) <= LARGEST)
    )


def is_whole(value: Any) -> bool:
    """Say whether a value is a whole number and no flag."""
    return type(value) is int or (
        isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)
    )


def check_whole(name: str, value: Any, low: int, high: int) -> None:
    """Raise unless an option is a whole number within a range."""
    if not is_whole(value) or not low <= value <= high:
        raise OptionError(
            Argument(name), f" must be a whole number from {low:,} to {high:,}, not {shown(value)}."
        )
