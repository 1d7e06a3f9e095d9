"""What differs between the profiles of two model files: how the training rows of each looked, in words.

Knows checked documents (plain data). Law: something is said where profiles differ and nothing else does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tallystick.data.schema import CODED
from tallystick.data.text import number_text
from tallystick.errors import shown
from tallystick.export.diff_models import Pair
from tallystick.models.profile import ColumnProfile

NAMED = 4  # levels told with their rows
DETAIL = " (not the same in detail)"


def profile_changes(a: Mapping[str, Any], b: Mapping[str, Any], alone: bool) -> list[Pair]:
    """Return what differs, a place for each column; alone: nothing else differs between the files, so that
    details count.
    """
    one, two = a.get("profile"), b.get("profile")
    if one is None or two is None:
        sizes = [None if told is None else len(told["columns"]) for told in (one, two)]
        return [("profile, columns", sizes[0], sizes[1])] if one != two else _only_version(a, b)
    first, second = _parts(a), _parts(b)
    out = []
    for place in dict.fromkeys([*first, *second]):
        (before, old), (after, new) = (side.get(place, (None, None)) for side in (first, second))
        if old != new and (before != after or alone):
            same = before == after and after is not None
            out.append((f"profile, {place}", before, f"{after}{DETAIL}" if same else after))
    return out


def _only_version(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[Pair]:
    one, two = (2 if "profile" in document else 1 for document in (a, b))
    return [] if one == two else [("format version", one, two)]


def _parts(document: Mapping[str, Any]) -> dict[str, tuple[str | None, Any]]:
    """Return words and data of each column, of the target and of the answers."""
    profile, target = document["profile"], document["schema"]["target"]
    unit, out = document["rows"]["unit"], {}
    for column, own in zip(document["schema"]["columns"], profile["columns"], strict=True):
        names = column.get("levels") if column["kind"] in CODED else column.get("words")
        out[f"column {shown(column['name'])}"] = (_words(own, names or (), unit), own)
    labels = target["labels"] if target else ()
    out["target"] = (_words(profile["target"], labels, unit), profile["target"])
    out["answers"] = (_words(profile["answers"], labels, unit), profile["answers"])
    return out


def _words(own: Mapping[str, Any] | None, names: Sequence[str], unit: int) -> str | None:
    """Return what a column holds in a few words: the middle and the ends, or the commonest levels."""
    if own is None:
        return None
    missing = own.get("missing", 0)
    rest = f", {_rows(missing, unit)} missing" if missing else ""
    if "values" in own:
        told = ColumnProfile.from_dict(own)
        middle = told.quantile(50)
        if middle is None:
            return "no number" + rest
        low, high = (number_text(own["values"][place]) for place in (0, -1))
        return f"{low} to {high}, half at or below {number_text(middle)}{rest}"
    counts = own.get("given", own.get("counts"))
    order = sorted(range(len(counts)), key=lambda i: (-counts[i], i))[:NAMED]
    more = "" if len(counts) <= NAMED else f", {len(counts) - NAMED:,} more"
    return ", ".join(f"{names[i]} {_rows(counts[i], unit)}" for i in order) + more + rest


def _rows(count: int, unit: int) -> str:
    return f"{count // unit:,}" if count % unit == 0 else f"{count / unit:,.1f}"
