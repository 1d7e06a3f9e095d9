"""Rates by group: errors, answers, misses, false alarms and calibration, each with an interval.

Knows a value per row, the truth and the answers, and how a column's values name groups.
Law: groups are shown in a stated order, the largest first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Table
from tallystick.data.schema import CODED, Column, Columns, Schema, listed
from tallystick.data.text import quantity
from tallystick.errors import Argument, NoColumn, OptionError, nearest, shown
from tallystick.evaluate import intervals
from tallystick.kernels.check import code_dtype
from tallystick.models.decision import decide
from tallystick.stats.exact import weighted_total

if TYPE_CHECKING:
    from tallystick.evaluate.result import FoldAnswers

QUARTERS = 0.25, 0.5, 0.75  # shares of rows below the ranges of a column of numbers
MOST = 20  # groups shown; the rest is one row
# Columns; with the numbers where ranges begin "age: 25, 40", or a dict.
By = str | Iterable[str] | Mapping[str, Sequence[float] | None]


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
    k, pairs = shares.shape[1], truth * shares.shape[1] + decide(shares, rule)
    out = []
    for name, here in largest_groups(groups, tested, weight):
        counts = np.bincount(pairs[here], weight[here], minlength=k * k).reshape(k, k)
        given = [weighted_total(shares[here, c], weight[here]) for c in range(k)]
        out.append(rates(name, counts.astype(float), given))
    return out


def rates(name: str, counts: NDArray[np.float64], given: Sequence[float]) -> dict[str, Any]:
    """Return the rates of one group that has rows, from counts[truth, answer] and the sum of the shares given
    to each class.
    """
    off = counts * ~np.eye(len(counts), dtype=bool)  # wrong answers are summed: a difference of sums may miss
    of_class, missed = _sums(counts), _sums(off)
    others = [math.fsum(of_class[:c] + of_class[c + 1 :]) for c in range(len(counts))]
    misses = [_rate(found, base) for found, base in zip(missed, of_class, strict=True)]
    alarms = [_rate(found, base) for found, base in zip(_sums(off.T), others, strict=True)]
    rows, wrong, kept = math.fsum(of_class), math.fsum(missed), []
    for total, held in zip(given, of_class, strict=True):
        low, high = intervals.wilson(held, rows)
        kept.append({"given": total / rows, "low": low, "high": high})
    low, high = intervals.wilson(wrong, rows)
    return {
        "misses": misses,
        "false_alarms": alarms,
        "calibration": kept,
        "answers": [said / rows for said in _sums(counts.T)],
        "error": wrong / rows,
        "group": name,
        "high": high,
        "low": low,
        "rows": rows,
        "truth": [held / rows for held in of_class],
    }


def _sums(counts: NDArray[np.float64]) -> list[float]:
    """Return the sum of each row, rounded once: it is never below that of some of its cells."""
    return [math.fsum(row) for row in counts.tolist()]


def _rate(found: float, base: float) -> dict[str, float]:
    low, high = intervals.wilson(found, base)
    return {"share": found / base if base else 0.0, "rows": base, "low": low, "high": high}


def largest_groups(
    groups: NDArray[Any], tested: NDArray[np.int64], weight: NDArray[np.float64]
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the name of each group and which of the tested rows are in it, the largest first; of many, the
    small ones as one. groups[row] of all rows; weight[tested row].
    """
    names = sorted({str(name) for name in groups})  # in an array each has the room of the longest
    at = {name: g for g, name in enumerate(names)}
    own = np.fromiter((at[str(name)] for name in groups[tested]), np.int32, len(tested))
    for name, some in shown_groups(names, np.bincount(own, weight, minlength=len(names))):
        yield name, own == some[0] if len(some) == 1 else np.isin(own, some)


def shown_groups(names: Sequence[str], full: NDArray[Any]) -> list[tuple[str, list[int]]]:
    """Return the name of each group that is shown and which groups are in it, the largest first; of many, the
    small ones as one. full[group]: its rows.
    """
    order = sorted(range(len(names)), key=lambda g: (-full[g], names[g]))
    out = [(names[g], [g]) for g in order[:MOST] if full[g] > 0]
    if len(order) > MOST and full[order[MOST:]].any():
        out.append((f"({len(order) - MOST} smaller groups)", order[MOST:]))
    return out


def asked_by(by: Any, weight: Any = None) -> By:
    """Return the columns that groups are asked by, in a form that is false where there are none: names may
    come as an array, and None is no name. weight: a column that is none of them, where it is a name.
    """
    found: By = by if isinstance(by, Mapping) else listed("by", () if by is None else by)
    known = [weight] if isinstance(weight, str) else []
    refuse_weights(dict.fromkeys(asked_groups(found, known) if known else (), "by"), weight)
    return found


def asked_groups(by: By, known: Iterable[str]) -> dict[str, tuple[float, ...] | None]:
    """Return the columns that groups are asked by, each with the numbers where its ranges begin, None: its
    levels, or its quartiles. known: names of columns, which are never read as a name and numbers.
    """
    if isinstance(by, Mapping):
        return {name: None if cuts is None else _cuts(name, cuts) for name, cuts in by.items()}
    names = frozenset(known)
    out: dict[str, tuple[float, ...] | None] = {}
    for text in asked_by(by):
        if not isinstance(text, str):
            raise OptionError(f"by must be names of columns, not {shown(text)}.")
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
    try:
        found = tuple(float(cut) for cut in cuts)
    except (TypeError, ValueError):
        raise OptionError(
            f"the ranges of {shown(name)} begin at numbers that rise, not {shown(cuts)}. "
            "Write for example [25, 40, 60]."
        ) from None
    if not found or not all(a < b for a, b in pairwise(found)) or not np.isfinite(found).all():
        raise OptionError(
            f"the ranges of {shown(name)} begin at numbers that rise, not {shown(list(cuts))}. "
            "Write for example 25, 40, 60."
        )
    return found


Again = Callable[[Any], Table]  # (reader) -> the same rows by another reader


class AskedGroups(NamedTuple):
    """Columns that groups are asked by, each with the numbers where its ranges begin (None: its levels, or
    its quartiles); a table that has them; and those of them that were read for this alone.
    """

    cuts: dict[str, tuple[float, ...] | None]
    table: Table
    more: list[str]


@contextmanager
def naming(options: Mapping[str, str]) -> Iterator[None]:
    """Tell of a column that is not there by the argument that named it: column -> argument."""
    try:
        yield
    except NoColumn as error:
        if error.name not in options:
            raise
        raise error.named_by(options[error.name]) from None


def refuse_target(options: Mapping[str, str], schema: Schema) -> None:
    """Refuse the target among columns that tell rows apart: column -> argument that named it."""
    name = schema.predicted.name
    if name in options and name not in schema.given:
        raise OptionError(
            Argument(options[name]), f" names column {shown(name)}, which is the target. Name another column."
        )


def refuse_weights(options: Mapping[str, str], weight: Any) -> None:
    """Refuse the column of weights among columns that tell rows apart: column -> argument that named it."""
    if isinstance(weight, str) and weight in options:
        raise OptionError(
            Argument(options[weight]), f" names column {shown(weight)}, which has the weights. Name another."
        )


def read_groups(reader: Any, read: Again, table: Table, by: By, ordered: bool = True) -> AskedGroups:
    """Return the columns that groups are asked by. Those that are kept out of the table are read for this
    alone. ordered: rows that are read again are in the same order, else they are known by what they hold.
    """
    kinds_of = {c.name: c.kind for c in table.schema.used}
    asked = asked_groups(by, (*table.schema.given, *kinds_of))
    ranged = [name for name, cuts in asked.items() if cuts and kinds_of.get(name) != "numeric"]
    gone = [name for name in asked if name not in kinds_of or name in ranged]
    if not gone:
        return AskedGroups(asked, table, gone)
    refuse_target(dict.fromkeys(gone, "by"), table.schema)
    known = Columns.of(reader.columns, reader.kinds)
    told = {} if ordered else table.schema.kinds_again()
    kinds: dict[str, str] = {n: told.get(n, "out") for n in table.schema.given if n not in gone}
    kinds |= dict.fromkeys(ranged, "numeric")
    known = replace(known, kinds=kinds, keep=gone)
    reader.set_params(columns=known, kinds=None)
    with naming(dict.fromkeys(gone, "by")):
        aside = read(reader)
    texts = [name for name in gone if aside.schema[name].kind == "text"]
    if texts:
        reader.set_params(columns__kinds={**kinds, **dict.fromkeys(texts, "levels")})
        aside = read(reader)
    return AskedGroups(asked, aside, gone)


def names_by(reader: Any, read: Again, table: Table, by: By, ordered: bool = True) -> dict[str, NDArray[Any]]:
    """Return the value of some columns in each row as text: see `read_groups`."""
    found = read_groups(reader, read, table, by, ordered)
    parts = {
        name: groups_in(found.table if name in found.more else table, name, cuts)
        for name, cuts in found.cuts.items()
    }
    same: Any = slice(None)
    if found.more and not ordered:
        same = alike(table, found.table, [parts[name][1] for name in parts if name in found.more])
    return {
        name: np.array(names, object)[groups[same] if name in found.more else groups]
        for name, (names, groups) in parts.items()
    }


def alike(table: Table, aside: Table, groups: Sequence[NDArray[Any]] = ()) -> NDArray[np.int64]:
    """Return for each row of a table one that holds the same in another reading of the rows, which has more
    columns: rows without an order are known by what they hold. Of equal rows the first has the least groups,
    groups[column][row of the other reading]: those of the first column, then of the next.
    """
    kinds = {c.name: c.kind for c in table.schema.used}
    other = [c.name for c in aside.schema.used if kinds.get(c.name) != c.kind]  # not there, or not numbers
    places = np.empty(table.rows, np.int64)
    held = [_held(one, [name for name in other if kinds.get(name) in CODED], other) for one in (table, aside)]
    places[np.lexsort(held[0])] = np.lexsort((*reversed(groups), *held[1]))
    return places


def _held(table: Table, cut: Sequence[str], other: Sequence[str]) -> list[NDArray[Any]]:
    """Return what rows hold, as keys of `numpy.lexsort`: numbers of the columns `cut`, the weight, and a hash
    of all but `other` columns.
    """
    weights = [] if table.weights is None else [table.weights]
    return [*(_numbers(table, name) for name in cut), *weights, table.without(other).row_hashes()]


def _numbers(table: Table, name: str) -> NDArray[Any]:
    """Return a column's numbers, of levels those that they say."""
    column, data = table.schema[name], np.asarray(table.column(name))
    if column.kind not in CODED:
        return data
    said = np.full(len(column.levels) + 2, np.nan)
    for code, text in enumerate(column.levels):
        with suppress(ValueError):
            said[code] = float(text)
    return np.asarray(said[data])


def level_names(column: Column) -> NDArray[Any]:
    """Return what each code of a column of levels is called."""
    return np.array([*column.levels, "(missing)", "(unseen)"], object)


@dataclass(frozen=True)
class GroupOf:
    """The group of a row by its value in a column: into[code]. starts: of numbers, where all ranges but the
    first begin; None: the column has codes.
    """

    name: str
    into: NDArray[Any]
    starts: NDArray[np.float64] | None = None

    def groups(self, data: NDArray[Any]) -> NDArray[Any]:
        """Return group[row] of cells."""
        codes = data
        if self.starts is not None:
            gone = len(self.into) - 1
            codes = np.where(np.isnan(data), gone, np.searchsorted(self.starts, data, "right"))
        return np.asarray(self.into[codes])

    def __call__(self, block: Block) -> NDArray[Any]:
        """Return group[row] of a block."""
        return self.groups(block.codes(self.name) if self.starts is None else block.values(self.name))


@dataclass(frozen=True)
class Grouping:
    """How the values of a column are groups: names[group], rising, and the group of each row."""

    names: tuple[str, ...]
    work: GroupOf

    @classmethod
    def of(cls, column: Column, cuts: Sequence[float] = ()) -> Grouping:
        """Return the groups of a column; of numbers cut there."""
        starts = None if column.kind in CODED else np.array(cuts, float)
        texts = level_names(column).tolist() if starts is None else range_names(column, cuts)
        names = sorted(set(texts))
        at = {name: g for g, name in enumerate(names)}
        into = np.array([at[text] for text in texts], code_dtype(len(names)))
        return cls(tuple(names), GroupOf(column.name, into, starts))

    @property
    def name(self) -> str:
        """Of the column."""
        return self.work.name


def range_names(column: Column, cuts: Sequence[float]) -> list[str]:
    """Return what the ranges between cuts of a column of numbers are called, and rows without one."""
    ends = ["", *(quantity(c, column.unit, 6) for c in cuts), ""]
    texts = [
        f"{a} to below {b}" if a and b else f"below {b}" if b else f"{a} or more" for a, b in pairwise(ends)
    ]
    return [*texts, "(missing)"]


def grouped_column(table: Table, name: str) -> Column:
    """Return a column whose values are groups."""
    used = [c.name for c in table.schema.used]
    if name not in used:
        raise OptionError(f"column {shown(name)} is not one that the model uses.{nearest(name, used)}")
    column = table.schema[name]
    if column.kind not in CODED and column.kind != "numeric":
        raise OptionError(f"column {shown(name)} is {column.kind}; groups need levels or numbers.")
    return column


def group_names(table: Table, name: str, cuts: tuple[float, ...] | None = None) -> NDArray[Any]:
    """Return the value of a column in each row as text: see `groups_in`."""
    names, groups = groups_in(table, name, cuts)
    return np.asarray(np.array(names, object)[groups])


def groups_in(
    table: Table, name: str, cuts: tuple[float, ...] | None = None
) -> tuple[tuple[str, ...], NDArray[Any]]:
    """Return the names of a column's groups, rising, and the group of each row; numbers are cut where their
    ranges begin, or else at their quartiles.
    """
    column, data = grouped_column(table, name), table.column(name)
    if column.kind == "numeric" and not cuts:
        known = data[~np.isnan(data)]
        cuts = tuple(np.unique(np.quantile(known, QUARTERS)).tolist()) if len(known) else ()
    found = Grouping.of(column, cuts or ())
    return found.names, found.work.groups(data)
