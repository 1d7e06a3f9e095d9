"""How the rows of a node lie on the column it asks: small bars for the boxes of a drawn tree, by class; of a
target of numbers, of all rows.

Knows fitted trees and tables. Knows nothing of HTML. Laws: bars of a number end at round numbers, so that no
bar tells the value of a row; ordered levels stand in their order, others by the branch they take.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.schema import CODED, Column
from tallystick.data.text import quantity
from tallystick.draw.svg import ticks
from tallystick.draw.text import clean, cut, width
from tallystick.draw.tree import LARGEST, MANY, OTHERS, AskedColumn
from tallystick.models.tree import Tree

MOST_NODES = 120  # nodes whose column is drawn, the largest first
FEWEST = 20  # rows that are worth a distribution
MOST_ROWS = 200_000  # of a larger table every second, third, ... row is counted: the bars look the same
BINS = 14  # about so many bars of a number
MOST_LEVELS, SHORTENED = 12, 3  # bars of levels; names of so few are shortened to fit under them
CELLS = 34  # letters under all bars together


def asked_columns(tree: Tree, table: Table) -> dict[int, AskedColumn]:
    """Return the columns asked by the largest nodes of the tree that is shown, with the rows there."""
    shown, nodes = tree.shown, tree.shown.nodes
    inner = np.flatnonzero(nodes.column >= 0)
    told = sorted(inner.tolist(), key=lambda n: (-float(nodes.weight[n]), n))[:MOST_NODES]
    if not told:
        return {}
    stops = np.concatenate([shown.stops(block) for block in table.blocks()])
    kept = np.arange(0, len(stops), max(1, math.ceil(len(stops) / MOST_ROWS)))
    order = kept[np.argsort(stops[kept], kind="stable")]
    at = stops[order]
    out = {}
    for node in told:
        here = order[np.searchsorted(at, node) : np.searchsorted(at, nodes.end[node])]
        column = shown.schema.used[int(nodes.column[node])]
        if len(here) >= FEWEST and column.kind in (*CODED, "numeric"):
            out[node] = _asked(shown, node, (column, table), here)
    return out


def _asked(tree: Tree, node: int, of: tuple[Column, Table], here: NDArray[np.int64]) -> AskedColumn:
    column, table = of
    values, many = np.asarray(table.column(column.name))[here], max(len(tree.schema.predicted.labels), 1)
    classes = np.zeros(len(here), np.int64) if table.classes is None else table.classes[here]
    weights = None if table.weights is None else table.weights[here] / table.unit
    drawn = _classes(np.bincount(classes, weights, minlength=many))
    groups = np.full(many, len(drawn) - 1)
    groups[[c for c in drawn if c >= 0]] = [k for k, c in enumerate(drawn) if c >= 0]
    if column.kind == "numeric":
        cells, more = _ranges(column, float(tree.nodes.cut[node]), values)
    else:
        cells, more = _levels(column, tree.nodes.levels(node), values.astype(np.int64))
    known = cells >= 0
    size = more.pop("size")
    both = cells[known] * len(drawn) + groups[classes[known]]
    counts = np.bincount(both, None if weights is None else weights[known], minlength=size * len(drawn))
    bars = counts.reshape(size, len(drawn))
    return AskedColumn(clean(column.name), drawn, tuple(tuple(float(n) for n in bar) for bar in bars), **more)


def _classes(counts: NDArray[Any]) -> tuple[int, ...]:
    """Return the classes that have a part of their own in the bars, as in the bar of the box."""
    if len(counts) <= MANY:
        return tuple(range(len(counts)))
    return (*np.sort(np.argsort(-counts, kind="stable")[:LARGEST]).tolist(), OTHERS)


def _ranges(
    column: Column, cut_at: float, values: NDArray[np.float64]
) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Return the bar of each value (-1: missing), and the bars: between round numbers, from the 1st to the
    99th percentile; what lies beyond is in the first and the last bar.
    """
    known = values[np.isfinite(values)]
    ends = np.quantile(known, [0.01, 0.99], method="inverted_cdf") if len(known) else np.zeros(2)
    low, high = (float(end) for end in ends)
    if math.isfinite(cut_at) and cut_at < 1e300:
        low, high = min(low, cut_at), max(high, cut_at)
    step = _step(low, high, bool((known == np.floor(known)).all()) if len(known) else False)
    first, last = math.floor(low / step), math.floor(high / step) + 1
    size = max(1, last - first)
    with np.errstate(invalid="ignore"):
        cells = np.clip(np.floor(values / step) - first, 0, size - 1)
    cells = np.where(np.isfinite(values), cells, -1).astype(np.int64)
    begin, end = first * step, last * step
    inside = begin < cut_at < end
    words = tuple(quantity(float(f"{v:.6g}"), column.unit, 6) for v in (begin, end))
    more = (bool((known < begin).any()), bool((known >= end).any()))
    under = (f"≤ {words[0]}" if more[0] else words[0], f"≥ {words[1]}" if more[1] else words[1])
    return cells, {
        "size": size,
        "cuts": ((cut_at - begin) / (end - begin),) if inside else (),
        "under": under,
        "ends": (begin, end),
    }


def _step(low: float, high: float, whole: bool) -> float:
    """Return a round width of the bars; of whole numbers a whole one."""
    found = ticks(low, high, BINS)
    step = found[1] - found[0] if len(found) > 1 else (high - low) or 1.0
    return max(step, 1.0) if whole else step


def _levels(
    column: Column, branches: NDArray[np.int32], codes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Return the bar of each code (-1: missing), and the bars: ordered levels in their order, others by
    branch and then the most frequent first; of many the rare ones together.
    """
    count = len(column.levels)
    rows = np.bincount(codes[codes < count], minlength=count)
    here = np.flatnonzero(rows)
    if column.kind == "ordered":
        shown = here.tolist()
    else:
        frequent = sorted(here.tolist(), key=lambda k: (-int(rows[k]), k))
        shown = frequent if len(frequent) <= MOST_LEVELS else frequent[: MOST_LEVELS - 1]
        shown = sorted(shown, key=lambda k: (int(branches[k]), -int(rows[k]), k))
    rest = len(shown) < len(here)
    place = np.full(count + 2, -1, dtype=np.int64)
    place[here] = len(shown)  # those without a bar of their own
    place[shown] = np.arange(len(shown))
    size = max(1, len(shown) + rest)
    cuts = [k / size for k in range(1, len(shown)) if branches[shown[k]] != branches[shown[k - 1]]]
    names = (*(column.levels[k] for k in shown), *(("others",) if rest else ()))
    cells = place[np.minimum(codes, count)]
    values = tuple(column.levels[k] for k in shown)
    return cells, {"size": size, "cuts": tuple(cuts), "under": _under(names), "values": values}


def _under(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names as they stand under their bars; none where there is no room for them."""
    room = CELLS // max(len(names), 1)
    if len(names) > SHORTENED and any(width(clean(name)) > room for name in names):
        return ()
    return tuple(cut(clean(name), room) for name in names)


def asked_data(asked: AskedColumn) -> dict[str, Any]:
    """Return a column as plain data, short: the page has many."""
    bars = [[int(n) if n == int(n) else round(n, 2) for n in bar] for bar in asked.bars]
    out: dict[str, Any] = {"classes": list(asked.classes), "bars": bars, "under": list(asked.under)}
    if asked.cuts:
        out["cuts"] = [round(at, 4) for at in asked.cuts]
    return out | ({"ends": list(asked.ends)} if asked.ends else {"values": list(asked.values)})
