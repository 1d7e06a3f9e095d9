"""The best candidate splits of each test, to texts and back.

Knows the shape of one text: [[column, cut, gain, ratio, counts, branch_of, means], ...], best first. Of two
branches only the counts of the first are written, the second has the rest of the node; parts that are empty
at the end are left out. A text, because it is read only when somebody asks why a split was chosen; then it
is checked as strictly as nodes. Law: `read(write(candidates))` is the same, up to the five best of each node
and six digits of gain and ratio.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import CODED, Schema
from tallystick.errors import ModelFileError
from tallystick.models.tree.nodes import NO_CUT, Candidates, Nodes

WHOLE = 2**53  # whole numbers below are doubles, and written without a point
KEPT = 5  # candidates per node in a file


def number(value: float) -> float | int | None:
    """Return a float as JSON shows it best: NaN as null, whole numbers without a point."""
    if value != value:
        return None
    return int(value) if value == int(value) and abs(value) < WHOLE else float(value)


def numbers(values: NDArray[np.float64]) -> list[float | int | None]:
    """Return `number` of each of many."""
    out: list[float | int | None] = values.tolist()
    for i in np.flatnonzero(~((values != np.floor(values)) & (np.abs(values) < WHOLE))).tolist():
        out[i] = number(values[i])
    return out


def short(value: float) -> float | int | None:
    """Return a number in six digits: enough to read, and half the bytes."""
    return number(float(f"{value:.6g}"))


def write_candidates(candidates: Candidates, column: NDArray[np.int32]) -> list[str]:
    """Return one text per test, in node order. column[node]: -1 in a leaf."""
    best = candidates.best(KEPT)
    out = []
    for node in np.flatnonzero(column >= 0):
        rows = [_row(best, c) for c in range(int(best.start[node]), int(best.start[node + 1]))]
        out.append(json.dumps(rows, separators=(",", ":"), allow_nan=False))
    return out


def _row(best: Candidates, c: int) -> list[Any]:
    rows = slice(int(best.count_start[c]), int(best.count_start[c + 1]))
    out = [
        int(best.column[c]),
        number(best.cut[c]),
        short(best.gain[c]),
        short(best.ratio[c]),
        best.counts[rows][0].tolist() if rows.stop - rows.start == 2 else [],
        best.branch_of[best.branch_start[c] : best.branch_start[c + 1]].tolist(),
        [number(m) for m in best.mean[rows]] if len(best.mean) else [],
    ]
    while out[-1] == []:
        out.pop()
    return out


def read_candidates(texts: Sequence[str], nodes: Nodes, schema: Schema) -> Candidates:
    """Build the candidates from `write_candidates`, or say in one line which text is wrong."""
    tests = np.flatnonzero(nodes.column >= 0).tolist()
    sizes = np.zeros(len(nodes), np.int64)
    rows: list[list[Any]] = []
    for node, text in zip(tests, texts, strict=True):
        found = _read_text(text, node, nodes, schema)
        sizes[node] = len(found)
        rows += found
    column, cut, gain, ratio, counts, branch_of, means = zip(*rows, strict=True) if rows else [()] * 7
    return Candidates(
        start=_starts(sizes),
        column=np.array(column, np.int32),
        cut=_floats(cut),
        branch_start=_starts([len(b) for b in branch_of]),
        branch_of=np.array(list(chain.from_iterable(branch_of)), np.int32),
        gain=_floats(gain),
        ratio=_floats(ratio),
        count_start=_starts([len(n) for n in counts]),
        counts=np.array(list(chain.from_iterable(counts)), np.int64).reshape(-1, nodes.counts.shape[1]),
        mean=_floats(list(chain.from_iterable(means))),
    )


def _starts(sizes: Any) -> Any:
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, dtype=np.int64))]).astype(np.int64)


def _floats(values: Sequence[Any]) -> Any:
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def _read_text(text: str, node: int, nodes: Nodes, schema: Schema) -> list[list[Any]]:
    """Return the candidates of one node; every entry has the right type and lies in its range."""
    total = nodes.counts[node].tolist()
    try:
        rows = json.loads(text)
        if json.dumps(rows, separators=(",", ":")) != text:
            raise ValueError
        if type(rows) is not list or len(rows) > KEPT or set(map(type, rows)) - {list}:
            raise ValueError
        rows = [row + [[], [], []][len(row) - 4 :] for row in rows if 4 <= len(row) <= 7 or _refuse()]
        if not all(_good(row, total, bool(len(nodes.mean)), schema) for row in rows):
            raise ValueError
    except (ValueError, RecursionError):
        raise ModelFileError(
            f"the candidate splits of node {node} in the model file cannot be read. Get the file again."
        ) from None
    for row in rows:
        row[4] = [row[4], [n - m for n, m in zip(total, row[4], strict=True)]] if row[4] else []
    return rows


def _refuse() -> bool:
    raise ValueError


def _good(row: list[Any], total: list[int], regression: bool, schema: Schema) -> bool:
    """Tell whether one candidate is what `_row` writes."""
    column, cut, gain, ratio, counts, branch_of, means = row
    if type(column) is not int or not 0 <= column < len(schema.used):
        return False
    levels = len(schema.used[column].levels) if schema.used[column].kind in CODED else 0
    if set(map(type, (counts, branch_of, means))) != {list}:
        return False
    numbers = [v for v in (cut, gain, ratio, *means) if v is not None]
    return (
        set(map(type, numbers)) <= {int, float}
        and all(abs(v) <= NO_CUT for v in numbers)
        and (cut is None) == bool(levels)
        and len(branch_of) == levels
        and all(type(b) is int and -1 <= b < 2**31 - 1 for b in branch_of)
        and len(counts) in (0, len(total))
        and all(type(m) is int and 0 <= m <= n for m, n in zip(counts, total, strict=False))
        and len(means) == (2 if regression and counts else 0)
    )
