"""What differs between two model files, in words: which column, level, class or parameter, and from what to
what.

Knows checked documents (plain data). Knows nothing of estimators or data sets.
Law: no difference is said exactly when the documents are equal.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from tallystick.draw.svg import as_html
from tallystick.errors import shown
from tallystick.export import diff_models
from tallystick.export.file import from_bytes, read_file

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
    """All changes between two models, in the order of the file."""

    changes: tuple[Change, ...]

    def __bool__(self) -> bool:
        return bool(self.changes)

    _repr_html_ = as_html

    def __str__(self) -> str:
        return "\n".join(map(str, self.changes)) or "The two models are the same."

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        changes = [
            {"place": c.place, "before": c.before, "after": c.after, "text": str(c)} for c in self.changes
        ]
        return {"same": not changes, "changes": changes}


class Saved(Protocol):
    """A fitted model: it can write its file."""

    def to_bytes(self) -> bytes:
        """Return the model file's bytes."""
        ...


def diff(a: str | os.PathLike[str] | Saved, b: str | os.PathLike[str] | Saved) -> Difference:
    """Say in words what changed from one model to another.

    Parameters
    ----------
    a, b : path or fitted model
        The model before and the model after; both of one kind.

    Returns
    -------
    Difference
        Prints a sentence per change; `changes` has them as data, and it is false where nothing changed.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 5
    >>> ts.diff(ts.NaiveBayes().fit(rows, "play"), ts.NaiveBayes(alpha=2).fit(rows, "play"))
    parameter, alpha changed from 1.0 to 2.0
    """
    return compare(from_bytes(file_bytes(a)), from_bytes(file_bytes(b)))


def file_bytes(model: str | os.PathLike[str] | Saved) -> bytes:
    """Return the bytes of a model file, or those that a fitted model would write."""
    return read_file(model) if isinstance(model, (str, os.PathLike)) else model.to_bytes()


def compare(a: dict[str, Any], b: dict[str, Any]) -> Difference:
    """Return what changed between two checked documents."""
    if a["kind"] != b["kind"]:
        return Difference((Change("kind of model", a["kind"], b["kind"]),))
    found: list[Change] = []
    for section in ("parameters", "rows", "schema"):
        found += _walk(_by_name(a[section]), _by_name(b[section]), _WORDS[section])
    found += _models(a, b)
    found += _walk(_notes(a["notes"]), _notes(b["notes"]), _WORDS["notes"])
    return Difference(tuple(found))


def _models(a: dict[str, Any], b: dict[str, Any]) -> Iterator[Change]:
    """Yield what changed in the models' own parts, by name."""
    if a["kind"] in diff_models.TREES:
        for place, before, after in diff_models.tree_changes(a, b):
            if before != after or type(before) is not type(after):
                yield Change(place, before, after)
        return
    named = diff_models.naive_bayes if a["kind"] == "naive-bayes" else diff_models.logistic
    yield from _walk(named(a), named(b), "")


def changes(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    """Return what changed between two checked documents, a sentence per change."""
    return [str(change) for change in compare(a, b).changes]


def _notes(notes: list[dict[str, Any]]) -> dict[str, str]:
    """Return notes by code and column; several of one name are numbered."""
    out: dict[str, str] = {}
    for note in notes:
        name = f"{note['code']} {shown(note['column'])}" if note["column"] else note["code"]
        same = sum(key == name or key.startswith(f"{name} #") for key in out)
        count = f" (count {note['count']:,})" if note["count"] else ""
        out[f"{name} #{same + 1}" if same else name] = note["text"] + count
    return out


def _by_name(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _by_name(v) for k, v in value.items()}
    if isinstance(value, list) and value and all(isinstance(v, dict) and "name" in v for v in value):
        return {f"column {shown(v['name'])}": _by_name(v) for v in value}
    return "none" if value is None else value  # None says that there is no such place


def _walk(a: Any, b: Any, place: str) -> Iterator[Change]:
    """Yield the changes below one place; 1 and 1.0 or true and 1 are not the same."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            yield from _walk(a.get(key), b.get(key), f"{place}, {key}" if place else key)
    elif isinstance(a, list) and isinstance(b, list) and all(isinstance(v, str) for v in a + b):
        before, after = set(a), set(b)
        for name in sorted(before - after):
            yield Change(f"{place}: {shown(name)}", name, None)
        for name in sorted(after - before):
            yield Change(f"{place}: {shown(name)}", None, name)
        if before == after and a != b:
            yield Change(f"{place}, their order", a, b)
    elif a != b or type(a) is not type(b):
        yield Change(place, a, b)


def _short(value: Any) -> str:
    if isinstance(value, str):
        return shown(value)
    if type(value) is int:
        return f"{value:,}"
    text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"
