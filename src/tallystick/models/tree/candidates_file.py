"""The best candidate splits of each test, to texts and back.

Knows the shape of one text: [[column, cut, gain, ratio, branch_of, counts, means], ...], best first. A text,
because it is read only when somebody asks why a split was chosen; it is then checked as strictly as the
nodes. Law: `read(write(candidates))` is the same, up to the five best of each node.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from tallystick.data.schema import CODED, Schema
from tallystick.errors import ModelFileError
from tallystick.models.tree.nodes import Candidates, Nodes

KEPT = 5  # candidates per node in a file


def number(value: float) -> float | int | None:
    """Return a float as JSON shows it best: NaN as null, whole numbers without a point."""
    if value != value:
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else float(value)


def short(value: float) -> float | int | None:
    """Return a number in six digits: enough to read, and half the bytes."""
    return number(float(f"{value:.6g}"))


def write_candidates(candidates: Candidates, nodes: Nodes) -> list[str]:
    """Return one text per test, in node order."""
    best = candidates.best(KEPT)
    out = []
    for node in np.flatnonzero(nodes.column >= 0):
        rows = [_row(best, c) for c in range(int(best.start[node]), int(best.start[node + 1]))]
        out.append(json.dumps(rows, separators=(",", ":"), allow_nan=False))
    return out


def _row(best: Candidates, c: int) -> list[Any]:
    rows = slice(int(best.count_start[c]), int(best.count_start[c + 1]))
    return [
        int(best.column[c]),
        number(best.cut[c]),
        short(best.gain[c]),
        short(best.ratio[c]),
        best.branch_of[best.branch_start[c] : best.branch_start[c + 1]].tolist(),
        best.counts[rows].tolist(),
        [number(m) for m in best.mean[rows]] if len(best.mean) else [],
    ]


def read_candidates(texts: Sequence[str], nodes: Nodes, schema: Schema) -> Candidates:
    """Build the candidates from `write_candidates`, or say in one line which text is wrong."""
    tests = np.flatnonzero(nodes.column >= 0).tolist()
    sizes = np.zeros(len(nodes), np.int64)
    rows: list[list[Any]] = []
    for node, text in zip(tests, texts, strict=True):
        found = _read_text(text, node, nodes.counts.shape[1], bool(len(nodes.mean)), schema)
        sizes[node] = len(found)
        rows += found
    columns: list[Sequence[Any]] = [list(c) for c in zip(*rows, strict=True)] if rows else [[]] * 7
    return Candidates(
        start=_starts(sizes),
        column=np.array(columns[0], np.int32),
        cut=_floats(columns[1]),
        branch_start=_starts([len(b) for b in columns[4]]),
        branch_of=np.array(list(chain.from_iterable(columns[4])), np.int32),
        gain=_floats(columns[2]),
        ratio=_floats(columns[3]),
        count_start=_starts([len(b) for b in columns[5]]),
        counts=np.array(list(chain.from_iterable(columns[5])), np.int64).reshape(-1, nodes.counts.shape[1]),
        mean=_floats(list(chain.from_iterable(columns[6]))),
    )


def _starts(sizes: Any) -> Any:
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, dtype=np.int64))]).astype(np.int64)


def _floats(values: Sequence[Any]) -> Any:
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def _read_text(text: str, node: int, width: int, regression: bool, schema: Schema) -> list[list[Any]]:
    """Return the candidates of one node; every entry has the right type and lies in its range."""
    try:
        rows = json.loads(text)
        if not (isinstance(rows, list) and all(_good(r, width, regression, schema) for r in rows)):
            raise ValueError
    except (ValueError, RecursionError):
        raise ModelFileError(
            f"the candidate splits of node {node} in the model file cannot be read. Get the file again."
        ) from None
    return rows


def _good(row: Any, width: int, regression: bool, schema: Schema) -> bool:
    """Tell whether one candidate is what `_row` writes."""
    if type(row) is not list or len(row) != 7:
        return False
    column, cut, gain, ratio, branch_of, counts, means = row
    if type(column) is not int or not 0 <= column < len(schema.used):
        return False
    levels = len(schema.used[column].levels) if schema.used[column].kind in CODED else 0
    shapes = type(branch_of) is list and type(counts) is list and type(means) is list
    return (
        shapes
        and (type(cut) in (int, float) and not branch_of if not levels else cut is None)
        and all(v is None or (type(v) in (int, float) and abs(v) < 1e300) for v in (gain, ratio, *means))
        and len(branch_of) == levels
        and all(type(b) is int and -1 <= b < 2**31 - 1 for b in branch_of)
        and all(type(c) is list and len(c) == width for c in counts)
        and all(type(n) is int and 0 <= n < 2**62 for c in counts for n in c)
        and len(means) == (len(counts) if regression else 0)
    )
