"""Rates by group: errors, answers, misses, false alarms and calibration, each with an interval.

Knows a value per row, the truth and the answers, and how a column's values name groups.
Law: groups are shown in a stated order, the largest first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.schema import CODED, Columns
from tallystick.errors import OptionError, nearest, shown
from tallystick.evaluate import intervals
from tallystick.models.decision import decide

if TYPE_CHECKING:
    from tallystick.evaluate.result import FoldAnswers

MOST = 20  # groups shown; the rest is one row


def error_rates(
    groups: NDArray[Any],
    truth: NDArray[np.int64],
    part: FoldAnswers,
    weights: NDArray[np.float64] | None,
    rule: NDArray[np.float64] | None,
) -> list[dict[str, Any]]:
    """Return per group: rows, error rate with interval, share of each true class, share of each answer; of
    each class its misses (rows of it with another answer, among rows of it), its false alarms (rows of other
    classes answered with it, among those), and its calibration (the mean share given to it).

    rule[truth, answer]: the costs that decide answers, None: the largest share does.
    """
    tested = part.fold >= 0
    weight = np.ones(len(truth)) if weights is None else weights
    answer = decide(part.shares, rule)
    names, inverse = np.unique(groups.astype(str), return_inverse=True)
    full = np.bincount(inverse[tested], weight[tested], minlength=len(names))
    order = sorted(range(len(names)), key=lambda g: (-full[g], names[g]))
    kept = [(str(names[g]), inverse == g) for g in order[:MOST] if full[g] > 0]
    if len(order) > MOST:
        kept.append((f"({len(order) - MOST} smaller groups)", np.isin(inverse, order[MOST:])))
    out = []
    for name, here in kept:
        here = here & tested
        rows = float(weight[here].sum())
        wrong = float(weight[here & (answer != truth)].sum())
        low, high = intervals.wilson(wrong, rows)
        k = part.shares.shape[1]
        own = weight[here]
        out.append(
            _by_class(truth[here], answer[here], part.shares[here], own)
            | {
                "answers": (np.bincount(answer[here], weight[here], minlength=k) / rows).tolist(),
                "error": wrong / rows,
                "group": name,
                "high": high,
                "low": low,
                "rows": rows,
                "truth": (np.bincount(truth[here], weight[here], minlength=k) / rows).tolist(),
            }
        )
    return out


def _by_class(truth: Any, answer: Any, shares: Any, weight: NDArray[np.float64]) -> dict[str, Any]:
    """Return misses, false alarms and the mean share of each class."""
    misses: list[dict[str, float]] = []
    alarms: list[dict[str, float]] = []
    given: list[float] = []
    full = float(weight.sum())
    for k in range(shares.shape[1]):
        is_k, said = truth == k, answer == k
        for out, base, hits in ((misses, is_k, is_k & ~said), (alarms, ~is_k, ~is_k & said)):
            rows, found = float(weight[base].sum()), float(weight[hits].sum())
            low, high = intervals.wilson(found, rows)
            out.append({"share": found / rows if rows else 0.0, "rows": rows, "low": low, "high": high})
        given.append(float((weight * shares[:, k]).sum() / full) if full else 0.0)
    actual = [intervals.wilson(float(weight[truth == k].sum()), full) for k in range(shares.shape[1])]
    kept = [
        {"given": mean, "low": low, "high": high} for mean, (low, high) in zip(given, actual, strict=True)
    ]
    return {"misses": misses, "false_alarms": alarms, "calibration": kept}


def names_by(
    reader: Any, read: Callable[[Any], Table], table: Table, names: Sequence[str]
) -> dict[str, NDArray[Any]]:
    """Return the value of some columns in each row as text. Columns that are kept out of the table are read
    for this alone. read(reader): the same rows by another reader.
    """
    used = {c.name for c in table.schema.used}
    gone = [name for name in names if name not in used]
    aside = table
    if gone:
        kinds: dict[str, str] = {n: "out" for n in table.schema.given if n not in gone}
        known = replace(Columns.of(reader.columns, reader.kinds), kinds=kinds, keep=gone)
        reader.set_params(columns=known, kinds=None)
        aside = read(reader)
        texts = [name for name in gone if aside.schema[name].kind == "text"]
        if texts:
            reader.set_params(columns__kinds={**kinds, **dict.fromkeys(texts, "levels")})
            aside = read(reader)
    return {name: group_names(aside if name in gone else table, name) for name in names}


def group_names(table: Table, name: str) -> NDArray[Any]:
    """Return the value of a column in each row as text; numbers are cut at their quartiles."""
    used = [c.name for c in table.schema.used]
    if name not in used:
        raise OptionError(f"column {shown(name)} is not one that the model uses.{nearest(name, used)}")
    column, data = table.schema[name], table.column(name)
    if column.kind in CODED:
        return np.asarray(np.array([*column.levels, "(missing)", "(unseen)"], object)[data])
    if column.kind != "numeric":
        raise OptionError(f"column {shown(name)} is {column.kind}; groups need levels or numbers.")
    known = data[~np.isnan(data)]
    cuts = np.unique(np.quantile(known, (0.25, 0.5, 0.75))) if len(known) else np.empty(0)
    ends = ["", *(f"{c:g}" for c in cuts), ""]
    texts = [
        f"{a} to below {b}" if a and b else f"below {b}" if b else f"{a} or more" for a, b in pairwise(ends)
    ]
    codes = np.where(np.isnan(data), len(texts), np.searchsorted(cuts, data, "right"))
    return np.array([*texts, "(missing)"], object)[codes]
