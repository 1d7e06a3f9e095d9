"""What differs between two model files, in words: which column, level, class or parameter, and from what to
what.

Knows checked documents (plain data). Knows nothing of estimators or data sets.
Law: no difference is said exactly when the documents are equal.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Protocol

from tallystick import methods
from tallystick.data.schema import Schema
from tallystick.draw.svg import as_html
from tallystick.errors import shown
from tallystick.export.diff_largest import sentences
from tallystick.export.diff_models import Pair, by_name, walk
from tallystick.export.diff_profiles import profile_changes
from tallystick.export.file import read_file
from tallystick.models.decision import from_dict

_WORDS = {
    "rows": "training rows",
    "parameters": "parameter",
    "schema": "schema",
    "notes": "note",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: where, and both values (None: not there)."""

    place: str
    before: Any
    after: Any

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.place} was added: {_short(self.after)}"
        if self.after is None:
            return f"{self.place} is gone: {_short(self.before)}"
        text = f"{self.place} changed from {_short(self.before)} to {_short(self.after)}"
        if type(self.before) is int and type(self.after) is int:
            text += f" ({self.after - self.before:+,})"
        return text


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes between two models: of the decision first, then in the order of the file; before them
    `largest`, sentences on the shares, points or odds that moved most. flips: which answers to some rows
    differ, where rows were given.
    """

    changes: tuple[Change, ...]
    largest: tuple[str, ...] = ()
    flips: Any = None

    def __bool__(self) -> bool:
        return bool(self.changes)

    @property
    def decided(self) -> tuple[Change, ...]:
        """The change of the decision, alone, where there is one: what is said before all else."""
        return tuple(change for change in self.changes[:1] if change.place == "decision")

    _repr_html_ = as_html

    def __str__(self) -> str:
        first = [*map(str, self.decided), *([] if self.flips is None else [str(self.flips), ""])]
        if self.largest:
            first += ["the largest changes", *(f"  {text}" for text in self.largest), "", "all changes"]
        return (
            "\n".join([*first, *map(str, self.changes[len(self.decided) :])])
            if self.changes
            else "The two models are the same."
        )

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        changes = [
            {"place": c.place, "before": c.before, "after": c.after, "text": str(c)} for c in self.changes
        ]
        out = {"same": not changes, "largest": list(self.largest), "changes": changes}
        return out if self.flips is None else out | {"on": self.flips.to_dict()}


class Saved(Protocol):
    """A fitted model: it can write its file."""

    def to_bytes(self) -> bytes:
        """Return the model file's bytes."""
        ...


def file_bytes(model: str | os.PathLike[str] | Saved) -> bytes:
    """Return the bytes of a model file, or those that a fitted model would write."""
    return read_file(model) if isinstance(model, (str, os.PathLike)) else model.to_bytes()


def compare(a: dict[str, Any], b: dict[str, Any]) -> Difference:
    """Return what changed between two checked documents."""
    if a["kind"] != b["kind"]:
        return Difference((Change("kind of model", a["kind"], b["kind"]),))
    found: list[Pair] = []
    before, after = _decision(a), _decision(b)
    if before != after:  # first: it changes the answers where no number of the model did
        found.append(("decision", before, after))
    for section in ("parameters", "rows", "schema"):
        found += walk(by_name(a[section]), by_name(b[section]), _WORDS[section])
    found += methods.of_kind(a["kind"]).load("changes")(a, b)
    found += walk(_notes(a["notes"]), _notes(b["notes"]), _WORDS["notes"])
    found += profile_changes(a, b, alone=not found)
    largest = sentences(methods.of_kind(a["kind"]).load("largest")(a, b)) if found else ()
    return Difference(tuple(Change(*pair) for pair in found), largest)


def changes(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    """Return what changed between two checked documents, a sentence per change."""
    return [str(change) for change in compare(a, b).changes]


def _decision(document: dict[str, Any]) -> str:
    """Return how a model answers, in words."""
    if "decision" not in document:
        return Spoken("the most probable class")
    return Spoken(from_dict(document["decision"], Schema.from_dict(document["schema"]).predicted))


def _notes(notes: list[dict[str, Any]]) -> dict[str, str]:
    """Return notes by code and column; several of one name are numbered."""
    out: dict[str, str] = {}
    for note in notes:
        name = f"{note['code']} {shown(note['column'])}" if note["column"] else note["code"]
        same = sum(key == name or key.startswith(f"{name} #") for key in out)
        count = f" (count {note['count']:,})" if note["count"] else ""
        out[f"{name} #{same + 1}" if same else name] = note["text"] + count
    return out


class Spoken(str):
    """A sentence of ours, which is shown as it is."""


def _short(value: Any) -> str:
    if isinstance(value, Spoken):
        return str(value)
    if isinstance(value, str):
        return shown(value)
    if type(value) is int:
        return f"{value:,}"
    text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"
