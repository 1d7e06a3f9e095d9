"""The model file: one canonical JSON document that anyone can read and check, written whole or not at all.

Knows the envelope (format, kind, schema, parameters, notes, rows, checksum). Each kind of model brings the
shape of its own part and a check that its counts add up. Knows nothing of estimators, data or engines.
Laws: equal models give equal bytes; a file from a stranger is data: it is checked whole before it is used.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from tallystick import methods
from tallystick.data.dates import PARTS, WEEKDAY_LEVELS
from tallystick.data.schema import CODED, Schema
from tallystick.data.schema import KINDS as COLUMN_KINDS
from tallystick.data.written import way_of
from tallystick.errors import ModelFileError, OptionError, shown
from tallystick.export import canonical
from tallystick.files.apart import as_path
from tallystick.files.whole import whole_file
from tallystick.models import profile, shapes
from tallystick.models.shapes import Flag, Listed, Maybe, Named, Number, Record, Shape, Text, Variant, Whole

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
    return b"".join(pieces(document))


def pieces(document: dict[str, Any]) -> Iterator[bytes]:
    """Yield the file's bytes bit by bit: the document, its format, and on the last line the sha256 of all
    bytes above. A document without the section `profile` is of version 1, and is written as it was read.
    """
    version = VERSION if "profile" in document else 1
    whole = document | {"format": {"name": NAME, "version": version}}
    keys = sorted(whole, key=lambda k: (k != "format", k))  # what it is stands first
    digest = hashlib.sha256()
    for i, key in enumerate(keys):
        begun = b"%b\n%b:" % (b"," if i else b"{", canonical.write(key))
        for part in chain([begun], canonical.pieces(whole[key])):
            digest.update(part)
            yield part
    digest.update(b",\n")
    yield b',\n"sha256":"' + digest.hexdigest().encode() + b'"}\n'


def from_bytes(data: bytes) -> dict[str, Any]:
    """Return the checked document of a model file's bytes, or raise ModelFileError with one line."""
    _check_frame(data)
    try:
        return _checked(canonical.read(data))
    except ModelFileError:
        canonical.read(data, careful=True)  # a number beyond all doubles is best reported as such
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
