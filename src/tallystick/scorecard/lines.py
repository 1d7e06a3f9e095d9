"""The initial lines of a scorecard: ranges at exact quantiles, levels, words; and fewer lines by an option.

In this order: checks of options against columns; axes and words (`axes_of`, `words_of`); rare levels
gathered on one line; entry `beginning()`. It asks for totals and reads no rows. axis = the lines of one
column. Law: the lines depend on the multiset of rows and the options alone.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import Argument, OptionError, nearest, shown, some
from tallystick.linear.prepare import KnownRows
from tallystick.schema import CODED, Schema
from tallystick.scorecard.model import Axis, LevelAxis, RangeAxis, WordAxis
from tallystick.scorecard.options import ScorecardOptions
from tallystick.scorecard.quadratic import (
    CardLayout,
    CardPiece,
    LineCounts,
    WordsByClass,
    piece_of,
    words_piece,
)
from tallystick.stats.binning import cuts_by_column

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
WORDS = 100  # words of a text column on a card at most
FEW_ROWS, LEAST_CHI_SQUARE = 3, 2.0  # least rows with a word, and least chi-square against the class shares
LEVELS = 256  # lines of a column of levels at most: rarer levels share the last
MOST, LINKS = 2_000, 8  # lines in all; with more than LINKS links fewer, for the same size of curvature sums
WAYS = {"rising": 1, "falling": -1}


def check_columns(options: ScorecardOptions, schema: Schema) -> None:
    """Raise where a wish names a column that is not there, or not fit for it."""
    columns = {c.name: c for c in schema.columns}
    check_classes(options, schema)
    for wish, given in (("cuts", options.cuts), ("monotone", options.monotone)):
        for name in given or {}:
            if name not in columns:
                raise OptionError(
                    Argument(wish),
                    f" names column {shown(name)}, which is not there.{nearest(name, tuple(columns))}",
                )
            kind = columns[name].kind
            if kind != "numeric" and not (wish == "monotone" and kind == "ordered"):
                what = "numbers" if wish == "cuts" else "numbers and ordered levels"
                raise OptionError(
                    Argument(wish), f" is for {what}; column {shown(name)} is {kind}. Leave it out there."
                )


def check_classes(options: ScorecardOptions, schema: Schema) -> None:
    """Raise where points are to rise or fall and it is not said, or makes no sense, of which class."""
    target = schema.predicted
    for name, wish in (options.monotone or {}).items():
        if isinstance(wish, str):
            if len(target.labels) > 2:
                example = f"{{{shown(name)}: {{{shown(target.labels[0])}: {wish!r}}}}}"
                raise OptionError(
                    Argument("monotone"),
                    f" of column {shown(name)} must say of which class, since {shown(target.name)} has "
                    f"{len(target.labels):,}, such as {example}.",
                )
            continue
        for label in wish:
            if (text := target.label_of(label)) not in target.labels:
                raise OptionError(
                    Argument("monotone"),
                    f" of column {shown(name)} names class {shown(label)}, which is not there."
                    f"{nearest(text, target.labels)} The classes are {some(target.labels)}.",
                )


def way_of(options: ScorecardOptions, schema: Schema, name: str) -> tuple[int, int]:
    """Return which way the points of a column may go (1, -1, or 0 for any), and of which link."""
    wish = (options.monotone or {}).get(name)
    if wish is None or isinstance(wish, str):
        return WAYS.get(wish or "", 0), 0
    ((label, way),) = wish.items()
    target = schema.predicted
    number = target.labels.index(target.label_of(label))
    if len(target.labels) == 2:  # what speaks against the first speaks for the second
        return WAYS[way] * (1 if number else -1), 0
    return WAYS[way], number


def axes_of(
    schema: Schema, options: ScorecardOptions, known: KnownRows
) -> Generator[Any, Any, list[RangeAxis | LevelAxis]]:
    """Return the axis of every column of numbers or levels, in their order."""
    given = options.cuts or {}
    open_columns = [c for c in schema.used if c.kind == "numeric" and c.name not in given]
    weight = int(known.facts.classes.sum())
    found = yield from cuts_by_column(open_columns, options.ranges, weight, weight / known.unit)
    cuts = {name: tuple(float(x) for x in given[name]) for name in given} | found
    out: list[RangeAxis | LevelAxis] = []
    for column in schema.used:
        if column.kind == "numeric":
            out.append(RangeAxis(column.name, cuts[column.name]))
        elif column.kind in CODED:
            out.append(LevelAxis(column.name, tuple(range(len(column.levels)))))
    return out


def words_of(schema: Schema, known: KnownRows) -> Generator[Any, Any, list[WordAxis]]:
    """Return the words of text columns that separate the classes best, at most WORDS a column."""
    texts = [c for c in schema.used if c.kind == "text"]
    if not texts:
        return []
    counts = yield WordsByClass(tuple((c.name, len(c.words)) for c in texts), len(schema.predicted.labels))
    shares = known.classes / math.fsum(known.classes.tolist())
    out = []
    for column, table in zip(texts, counts, strict=True):
        rows = table[:-1] / known.unit
        wanted = rows.sum(axis=1)[:, None] * shares
        chi_square = ((rows - wanted) ** 2 / np.maximum(wanted, 1e-300)).sum(axis=1)
        fit = (rows.sum(axis=1) >= FEW_ROWS) & (chi_square > LEAST_CHI_SQUARE)
        best = np.argsort(np.where(fit, -chi_square, np.inf), kind="stable")[: min(WORDS, int(fit.sum()))]
        out += [WordAxis(column.name, int(w)) for w in np.sort(best)]
    return out


def gathered(axis: LevelAxis, counts: Whole, ordered: bool = False) -> LevelAxis:
    """Return an axis of at most LEVELS lines: the levels with most rows, and one line for the others; of
    levels in an order, stretches of about the same rows.
    """
    if axis.known <= LEVELS:
        return axis
    if ordered:
        rows = counts[: axis.known].sum(axis=1)
        before = np.cumsum(rows) - rows
        stretch = before * LEVELS // max(int(rows.sum()), 1)
        return LevelAxis(axis.name, tuple(np.unique(stretch, return_inverse=True)[1].tolist()))
    first = np.argsort(-counts[: axis.known].sum(axis=1), kind="stable")[: LEVELS - 1]
    line = np.full(axis.known, LEVELS - 1)
    line[np.sort(first)] = np.arange(LEVELS - 1)
    return LevelAxis(axis.name, tuple(line.tolist()))


def separation(counts: Whole) -> float:
    """Return how far the rows on the lines of a column are from the class shares: chi-square over its
    lines.
    """
    rows = counts.astype(np.float64)
    total = math.fsum(rows.ravel().tolist())
    wanted = np.multiply.outer(rows.sum(axis=1), rows.sum(axis=0)) / max(total, 1e-300)
    return math.fsum(((rows - wanted) ** 2 / np.maximum(wanted, 1e-300)).ravel().tolist()) - len(rows)


@dataclass(frozen=True)
class FirstLines:
    """Pieces to learn, the rows on their lines by class, and the columns that had to stay out for want of
    room.
    """

    pieces: tuple[CardPiece, ...]
    counts: Whole
    crowded: tuple[str, ...]


def beginning(schema: Schema, options: ScorecardOptions, known: KnownRows) -> Generator[Any, Any, FirstLines]:
    """Return what learning begins with."""
    labels = len(schema.predicted.labels)
    axes = yield from axes_of(schema, options, known)
    words = yield from words_of(schema, known)
    all_axes: tuple[Axis, ...] = (*axes, *words)
    layout = CardLayout(all_axes)
    counts: Whole = yield LineCounts(layout, labels)
    tables = {axis: counts[layout.part(i)] for i, axis in enumerate(all_axes)}
    fewer = [
        gathered(a, tables[a], schema[a.name].kind == "ordered") if isinstance(a, LevelAxis) else a
        for a in axes
    ]
    if any(a is not b for a, b in zip(axes, fewer, strict=True)):
        layout = CardLayout((*fewer, *words))
        counts = yield LineCounts(layout, labels)
        tables = {axis: counts[layout.part(i)] for i, axis in enumerate(layout.axes)}
    links = 1 if labels == 2 else labels
    room = int(MOST * min(math.sqrt(LINKS / links), 1.0)) - 2 * len(words)
    kept, crowded = with_room(fewer, tables, room)
    pieces = [p for a in kept if (p := single(a, tables[a], schema, options, known.unit)) is not None]
    for name in dict.fromkeys(w.name for w in words):
        own = [w for w in words if w.name == name]
        rows = np.concatenate([tables[w].sum(axis=1) for w in own]) / known.unit
        pieces.append(words_piece(name, own, rows))
    flat = [tables[axis] for piece in pieces for axis in piece.axes]
    table = np.concatenate(flat) if flat else np.zeros((0, labels), np.int64)
    return FirstLines(tuple(pieces), table, crowded)


def with_room(
    axes: Sequence[RangeAxis | LevelAxis], tables: dict[Any, Whole], room: int
) -> tuple[list[RangeAxis | LevelAxis], tuple[str, ...]]:
    """Return the columns that separate most by themselves, as many as there is room for, and the names of the
    others.
    """
    if sum(a.size for a in axes) <= room:
        return list(axes), ()
    far = {a: separation(tables[a]) for a in axes}
    chosen, left = set(), room
    for axis in sorted(axes, key=lambda a: -far[a]):
        if axis.size <= left:
            chosen.add(axis)
            left -= axis.size
    return [a for a in axes if a in chosen], tuple(a.name for a in axes if a not in chosen)


def single(
    axis: RangeAxis | LevelAxis, counts: Whole, schema: Schema, options: ScorecardOptions, unit: int
) -> CardPiece | None:
    """Return the piece of one column; None where its rows are all on one line."""
    rows = counts.sum(axis=1) / unit
    if np.count_nonzero(rows) < 2:
        return None
    sign, link = way_of(options, schema, axis.name)
    piece = piece_of(axis, rows, schema[axis.name].kind == "ordered", sign)
    return None if piece is None else replace(piece, link=link)


def fewer_lines(
    axis: RangeAxis | LevelAxis, f: Array, bends: Array, most: int, ordered: bool = False
) -> RangeAxis | LevelAxis:
    """Return an axis of at most `most` known lines; those are joined whose points are nearest, by what it
    costs.

    Ranges and levels in an order join their neighbours; other levels those next to them in the order of
    their points.
    """
    known = axis.known
    if known <= most:
        return axis
    order = np.arange(known)
    if isinstance(axis, LevelAxis) and not ordered:
        spread = [math.fsum((bends[:known, k] * f[:known, k] ** 2).tolist()) for k in range(f.shape[1])]
        order = np.argsort(f[:known, int(np.argmax(spread))], kind="stable")
    runs = [[int(i)] for i in order]
    value, weight = {i: f[i] for i in range(known)}, {i: bends[i] for i in range(known)}
    while len(runs) > most:
        costs = []
        for a, b in pairwise(runs):
            wa, wb, change = weight[a[0]], weight[b[0]], value[a[0]] - value[b[0]]
            costs.append(math.fsum((wa * wb / np.maximum(wa + wb, 1e-300) * change * change).tolist()))
        i = min(range(len(costs)), key=costs.__getitem__)
        a, b = runs[i], runs[i + 1]
        both = np.maximum(weight[a[0]] + weight[b[0]], 1e-300)
        value[a[0]] = (weight[a[0]] * value[a[0]] + weight[b[0]] * value[b[0]]) / both
        weight[a[0]] = both
        runs[i : i + 2] = [a + b]
    if isinstance(axis, RangeAxis):
        return RangeAxis(axis.name, tuple(axis.cuts[run[0] - 1] for run in runs[1:]))
    runs.sort(key=min)
    line = {level: i for i, run in enumerate(runs) for level in run}
    return LevelAxis(axis.name, tuple(line[i] for i in axis.line))
