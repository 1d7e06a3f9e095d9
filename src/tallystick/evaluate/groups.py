"""Rates by group: errors, answers, misses, false alarms and calibration, each with an interval.

Knows a value per row, the truth and the answers, and how a column's values name groups.
Law: groups are shown in a stated order, the largest first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.schema import CODED, Column, Columns
from tallystick.data.text import quantity
from tallystick.errors import OptionError, nearest, shown
from tallystick.evaluate import intervals
from tallystick.models.decision import decide

if TYPE_CHECKING:
    from tallystick.evaluate.result import FoldAnswers

MOST = 20  # groups shown; the rest is one row
By = (
    str | Iterable[str] | Mapping[str, Sequence[float] | None]
)  # columns; of numbers "age: 25, 40", or a dict


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
    tested = np.flatnonzero(part.fold >= 0)
    truth, shares = truth[tested].astype(np.int64, copy=False), part.shares[tested]
    weight = np.ones(len(tested)) if weights is None else weights[tested]
    answer = decide(shares, rule)
    k, out = shares.shape[1], []
    for name, here in largest_groups(groups, tested, weight):
        rows = float(weight[here].sum())
        wrong = float(weight[here & (answer != truth)].sum())
        low, high = intervals.wilson(wrong, rows)
        own = weight[here]
        out.append(
            _by_class(truth[here], answer[here], shares[here], own)
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


def largest_groups(
    groups: NDArray[Any], tested: NDArray[np.int64], weight: NDArray[np.float64]
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the name of each group and which of the tested rows are in it, the largest first; of many, the
    small ones as one. groups[row] of all rows; weight[tested row].
    """
    names = sorted({str(name) for name in groups})  # in an array each has the room of the longest
    at = {name: g for g, name in enumerate(names)}
    own = np.fromiter((at[str(name)] for name in groups[tested]), np.int32, len(tested))
    full = np.bincount(own, weight, minlength=len(names))
    order = sorted(range(len(names)), key=lambda g: (-full[g], names[g]))
    for g in order[:MOST]:
        if full[g] > 0:
            yield names[g], own == g
    if len(order) > MOST and full[order[MOST:]].any():
        yield f"({len(order) - MOST} smaller groups)", np.isin(own, order[MOST:])


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
        given.append(math.fsum(weight * shares[:, k]) / full if full else 0.0)  # in any order
    actual = [intervals.wilson(float(weight[truth == k].sum()), full) for k in range(shares.shape[1])]
    kept = [
        {"given": mean, "low": low, "high": high} for mean, (low, high) in zip(given, actual, strict=True)
    ]
    return {"misses": misses, "false_alarms": alarms, "calibration": kept}


def asked_groups(by: By, known: Iterable[str]) -> dict[str, tuple[float, ...] | None]:
    """Return the columns that groups are asked by, each with the numbers where its ranges begin, None: its
    levels, or its quartiles. known: names of columns, which are never read as a name and numbers.
    """
    if isinstance(by, Mapping):
        return {name: None if cuts is None else _cuts(name, cuts) for name, cuts in by.items()}
    names = frozenset(known)
    out: dict[str, tuple[float, ...] | None] = {}
    for text in (by,) if isinstance(by, str) else by:
        name, colon, numbers = text.rpartition(":")
        if text in names or not colon or not (names and name.strip() in names):
            out[text] = None
            continue
        try:
            cuts = [float(part) for part in numbers.split(",")]
        except ValueError:
            raise OptionError(
                f"the ranges of {shown(name)} are not numbers: {shown(numbers.strip())}. "
                f"Write {name.strip()}: 25, 40, 60."
            ) from None
        out[name.strip()] = _cuts(name, cuts)
    return out


def _cuts(name: str, cuts: Sequence[float]) -> tuple[float, ...]:
    """Return numbers that rise, each once."""
    found = tuple(float(cut) for cut in cuts)
    if not found or not all(a < b for a, b in pairwise(found)) or not np.isfinite(found).all():
        raise OptionError(
            f"the ranges of {shown(name)} begin at numbers that rise, not {shown(list(cuts))}. "
            "Write for example 25, 40, 60."
        )
    return found


def names_by(
    reader: Any, read: Callable[[Any], Table], table: Table, by: By, ordered: bool = True
) -> dict[str, NDArray[Any]]:
    """Return the value of some columns in each row as text. Columns that are kept out of the table are read
    for this alone. read(reader): the same rows by another reader; ordered: in the same order, else they are
    known by what they hold.
    """
    kinds_of = {c.name: c.kind for c in table.schema.used}
    asked = asked_groups(by, (*table.schema.given, *kinds_of))
    ranged = [name for name, cuts in asked.items() if cuts and kinds_of.get(name) != "numeric"]
    gone = [name for name in asked if name not in kinds_of or name in ranged]
    aside = table
    if gone:
        known = Columns.of(reader.columns, reader.kinds)
        told = {} if ordered else table.schema.kinds_again()
        kinds: dict[str, str] = {n: told.get(n, "out") for n in table.schema.given if n not in gone}
        kinds |= dict.fromkeys(ranged, "numeric")
        known = replace(known, kinds=kinds, keep=gone)
        reader.set_params(columns=known, kinds=None)
        aside = read(reader)
        texts = [name for name in gone if aside.schema[name].kind == "text"]
        if texts:
            reader.set_params(columns__kinds={**kinds, **dict.fromkeys(texts, "levels")})
            aside = read(reader)
    same = slice(None) if ordered or not gone else alike(table, aside)
    return {
        name: group_names(aside, name, cuts)[same] if name in gone else group_names(table, name, cuts)
        for name, cuts in asked.items()
    }


def alike(table: Table, aside: Table) -> NDArray[np.int64]:
    """Return for each row of a table one that holds the same in another reading of the rows, which has more
    columns: rows without an order are known by what they hold.
    """
    more = [c.name for c in aside.schema.used if c.name not in {own.name for own in table.schema.used}]
    places = np.empty(table.rows, np.int64)
    places[np.argsort(table.row_hashes())] = np.argsort(aside.without(more).row_hashes())
    return places


def level_names(column: Column) -> NDArray[Any]:
    """Return what each code of a column of levels is called."""
    return np.array([*column.levels, "(missing)", "(unseen)"], object)


def group_names(table: Table, name: str, cuts: tuple[float, ...] | None = None) -> NDArray[Any]:
    """Return the value of a column in each row as text; numbers are cut where their ranges begin, or else at
    their quartiles.
    """
    used = [c.name for c in table.schema.used]
    if name not in used:
        raise OptionError(f"column {shown(name)} is not one that the model uses.{nearest(name, used)}")
    column, data = table.schema[name], table.column(name)
    if column.kind in CODED:
        return np.asarray(level_names(column)[data])
    if column.kind != "numeric":
        raise OptionError(f"column {shown(name)} is {column.kind}; groups need levels or numbers.")
    known = data[~np.isnan(data)]
    if not cuts:
        cuts = tuple(np.unique(np.quantile(known, (0.25, 0.5, 0.75))).tolist()) if len(known) else ()
    ends = ["", *(quantity(c, column.unit, 6) for c in cuts), ""]
    texts = [
        f"{a} to below {b}" if a and b else f"below {b}" if b else f"{a} or more" for a, b in pairwise(ends)
    ]
    codes = np.where(np.isnan(data), len(texts), np.searchsorted(np.array(cuts), data, "right"))
    return np.array([*texts, "(missing)"], object)[codes]
