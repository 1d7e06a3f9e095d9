"""Effects of columns: the mean answer over rows when one column, or two, have the same value in all of them.

1. `ChangedRows`, `answers()`: rows with some values replaced. 2. Entry: `column_effect()`.
3. Two columns at once: `pair_effect()`; `effect_of()` is either.
4. Cuts where a model's answer may change along a number: `tree_steps()`, `rule_steps()`, `additive_steps()`.

band = low and high ends around the mean: 80 % of the rows (SPREAD), or the model's own 95 % intervals (OWN);
step = a range of a number in which the answer is constant; exact = the column adds the same in every row.
Laws: only the named columns change; between two neighbouring cuts every value gets the same answer; where
that does not hold, there are none (`None`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import methods
from tallystick.bayes.explain import bin_names
from tallystick.contracts import Block, Model
from tallystick.draw.charts import Axis
from tallystick.draw.planes import Region, RegionPoints, regions_picture
from tallystick.draw.svg import Line, Picture, Span, bar, brief, plain, table, wrapped
from tallystick.errors import OptionError, clean, counted, nearest, shown
from tallystick.linear.model import ProductTerm
from tallystick.model.additive import BinTerm
from tallystick.schema import CODED, Column
from tallystick.scorecard.model import PairTerm, RangeAxis
from tallystick.text import quantity

Floats = NDArray[np.float64]

GRID = (0.0, 0.01, *(k / 20 for k in range(1, 20)), 0.99, 1.0)  # quantiles of the rows that are tried
MOST_LEVELS = 30  # levels that are tried, the most frequent
BAND = (10, 90)  # percentiles of the band
WIDE = 80  # characters of a line
AT_ONCE = 200_000  # rows of a batch to be answered
MOST_STEPS = 60  # steps that are tried; of more, some at quantiles and some evenly spaced
GAP = 12  # a gap wider than 1 / GAP of the axis gets a value of the rows in it
BARS = 24  # bars of the histogram under a curve
SPREAD, OWN = "spread", "own"  # kinds of band
BANDS = {
    SPREAD: "the band holds 80 of 100 rows: how much the other columns change it",
    OWN: "the band is the mean of the rows' 95 % intervals: how sure the model is",
}
EXACT = (
    "In every one of these rows the column does the same to the log-odds: its effect is exact, and only the "
    "probability is averaged."
)
EXACT_NUMBER = "In every one of these rows the column adds the same: its effect is exact."
AVERAGED = "What the column does differs from row to row: this is the average over them."
SAME = 1e-6  # log-odds, or relative to the answers' spread: smaller differences are rounding
HEADS = {SPREAD: "80 % of rows", OWN: "95 %"}


class ChangedRows:
    """Rows of a block by their numbers at[row], with other values[column][row] of some columns; all else is
    theirs.
    """

    def __init__(self, block: Block, at: NDArray[np.int64], values: Mapping[str, Floats]) -> None:
        self.block, self.at, self.rows, self.given = block, at, len(at), values
        self.classes, self.response, self.weights = None, None, None
        self.memo: dict[str, Any] = {}

    def codes(self, column: str) -> NDArray[Any]:
        """Return the codes of a column."""
        own = self.block.codes(column)
        return self.given[column].astype(own.dtype) if column in self.given else np.asarray(own[self.at])

    def values(self, column: str) -> Floats:
        """Return the values of a column."""
        return self.given[column] if column in self.given else np.asarray(self.block.values(column)[self.at])

    def words(self, column: str) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32]]:
        """Return the words of a column."""
        starts, words, counts = self.block.words(column)
        ends = np.concatenate([[0], np.cumsum((starts[1:] - starts[:-1])[self.at])])
        own = np.arange(ends[-1]) + np.repeat(starts[:-1][self.at] - ends[:-1], np.diff(ends))
        return ends.astype(starts.dtype), words[own], counts[own]


def evenly(blocks: Sequence[Block], most: int) -> list[Block]:
    """Return some rows of all blocks, evenly chosen; all where they are no more."""
    whole = sum(block.rows for block in blocks)
    if whole <= most:
        return list(blocks)
    at, out, start = np.linspace(0, whole - 1, most).round().astype(np.int64), list[Block](), 0
    for block in blocks:
        here = at[(at >= start) & (at < start + block.rows)] - start
        out += [ChangedRows(block, here, {})] if len(here) else []
        start += block.rows
    return out


def answers(model: Model, blocks: Sequence[Block], given: Mapping[str, Floats], of: Any = None) -> Floats:
    """Return the answers [time, row, class] to all rows with the values given[column][time]; of: the function
    to call on a block, if not `model.shares`.
    """
    ask = model.shares if of is None else of
    times = len(next(iter(given.values())))
    every = []
    for block in blocks:
        step, parts = max(1, AT_ONCE // max(block.rows, 1)), []  # bounds the memory of a batch
        for start in range(0, times, step):
            some = {n: np.repeat(v[start : start + step], block.rows) for n, v in given.items()}
            many = min(step, times - start)
            part = np.asarray(ask(ChangedRows(block, np.tile(np.arange(block.rows), many), some)))
            parts.append(part.reshape(many, block.rows, *part.shape[1:]))
        every.append(np.concatenate(parts))
    return np.concatenate(every, axis=1)


@dataclass(frozen=True)
class EffectPoint:
    """One value: the mean answer (the probability of a class, or the number), its band, and how many rows
    have the value (of a number: those nearest to it). start, end: of a number that is answered in steps, from
    where to where the answer is the same.
    """

    value: str
    number: float
    mean: float
    low: float
    high: float
    rows: int
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True)
class ColumnEffect:
    """The answers against a column. Prints as a table, draws as a picture.

    label: the class whose probability is shown; the target, where that is a number. band: what the ends are.
    exact: the column does the same in every row; bars, ends: how the rows lie on a number, from the 1st to
    the 99th of a hundred.
    """

    column: str
    label: str
    numeric: bool
    rows: int
    points: tuple[EffectPoint, ...]
    of_number: bool = False
    band: str = SPREAD
    exact: bool = False
    bars: tuple[int, ...] = ()
    ends: tuple[float, float] = (0.0, 0.0)

    @property
    def answer(self) -> str:
        """What is shown of each value."""
        return self.label if self.of_number else f"probability of {self.label}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        points = [
            {"value": p.value, "mean": p.mean, "low": p.low, "high": p.high, "rows": p.rows}
            for p in self.points
        ]
        of = {"target": self.label} if self.of_number else {"class": self.label}
        return {"column": self.column, **of, "rows": self.rows, "band": self.band, "points": points}

    @property
    def caption(self) -> str:
        """What the numbers are."""
        return (
            f"The mean {'of ' if self.of_number else ''}{self.answer} over {counted(self.rows, 'row')} when "
            f"{self.column} has this value in all of them and nothing else changes; {BANDS[self.band]}. "
            f"{(EXACT_NUMBER if self.of_number else EXACT) if self.exact else AVERAGED}"
        )

    def picture(self) -> Picture:
        """Return the curve with its band, or a dot for each level, and how the rows lie under it."""
        return Picture(self.drawn(self.answer))

    @property
    def reach(self) -> tuple[float, float]:
        """The lowest and the highest number: of the means, which may lie beyond a band, and of its ends."""
        return min(min(p.low, p.mean) for p in self.points), max(max(p.high, p.mean) for p in self.points)

    def drawn(self, words: str, ink: str = "currentColor", top: float = 1.0) -> str:
        """Return the picture as text, in a colour, with words for what is shown; top: the end of the axis of
        probabilities.
        """
        from tallystick.draw.charts import EffectMark, level_effect, number_effect

        marks = [EffectMark(*astuple(p)) for p in self.points]
        scale = self.reach if self.of_number else (0.0, top)
        if self.numeric:
            return number_effect(self.column, words, marks, (self.bars, self.ends), scale, ink)
        return level_effect(self.column, words, marks, scale, ink)

    def _repr_html_(self) -> str:
        return self.picture()

    def __str__(self) -> str:
        most = max(p.rows for p in self.points) or 1
        ends = (0.0, 1.0)
        if self.of_number:
            ends = self.reach
        wide = (ends[1] - ends[0]) or 1.0
        say = brief if self.of_number else "{:.3f}".format
        rows = [
            (
                Span(clean(p.value)),
                Span(say(p.mean), "strong"),
                Span(f"{say(p.low)} to {say(p.high)}", "dim"),
                Span(bar((p.mean - ends[0]) / wide, 16), "bar"),
                Span(f"{p.rows:,}"),
                Span(bar(p.rows / most, 8), "dim"),
            )
            for p in self.points
        ]
        header = (clean(self.column), clean(self.label), HEADS[self.band], "", "rows", "")
        lines: list[Line] = table(header, rows, frozenset({1, 4}), WIDE)
        return plain([*lines, (), *wrapped(clean(self.caption), WIDE, "", "dim")])

    __repr__ = __str__


def column_effect(model: Model, blocks: Sequence[Block], name: str, label: int) -> ColumnEffect:
    """Return the effect of a column on the probability of a class, averaged over rows."""
    return column_effects(model, blocks, name, [label])[0]


def column_effects(
    model: Model, blocks: Sequence[Block], name: str, labels: Sequence[int]
) -> list[ColumnEffect]:
    """Return the effect of a column on the probability of some classes, averaged over rows."""
    schema = model.schema
    column = effect_column(schema.used, name)
    rows = sum(block.rows for block in blocks)
    if not rows:
        raise OptionError("an effect is an average over rows, and there are none. Pass some rows.")
    coded = column.kind in CODED
    own = np.concatenate([block.codes(name) if coded else block.values(name) for block in blocks])
    cuts = None if coded else methods.of_kind(model.kind).load("steps")(model, name)
    grid: Any = _levels(column, own) if coded else _numbers(column, own)
    if cuts is not None:
        grid = _steps(column, own, cuts)
    given = {name: np.array([value for value, *_ in grid])}
    shares = answers(model, blocks, given)
    band: Any = methods.of_kind(model.kind).load("band")
    lie = ((), (0.0, 0.0)) if coded else _histogram(own)
    target, out = schema.predicted, []
    for label in labels:
        kind, low, high = band(model, blocks, given, shares, label)
        means = shares[:, :, label].mean(axis=1)
        ends = zip(means.tolist(), low.tolist(), high.tolist(), strict=True)
        points = tuple(EffectPoint(t, float(v), *e, *n) for (v, t, *n), e in zip(grid, ends, strict=True))
        words = target.labels[label] if target.labels else target.name
        found = ColumnEffect(name, words, not coded, rows, points, not target.labels, kind)
        same = _same(shares, label, not target.labels)
        out.append(replace(found, exact=same, bars=lie[0], ends=lie[1]))
    return out


def _same(shares: Floats, label: int, of_number: bool) -> bool:
    """Say whether the steps from value to value are the same in every row: of log-odds, or of a number."""
    if of_number:
        steps = shares[:, :, 0] - shares[:1, :, 0]
        return bool(np.ptp(steps, axis=1).max() <= SAME * (np.ptp(shares[:, :, 0]) or 1.0))
    for other in range(shares.shape[2]):
        if other != label:
            pair = shares[:, :, [label, other]]
            seen = (pair > 1e-9).all(axis=(0, 2))  # below, a share is mostly rounding
            odds = np.log(pair[:, seen, 0]) - np.log(pair[:, seen, 1])
            if not seen.any() or np.ptp(odds - odds[:1], axis=1).max() > SAME:
                return False
    return True


def spread_band(
    model: Model, blocks: Sequence[Block], given: Mapping[str, Floats], shares: Floats, label: int
) -> tuple[str, Floats, Floats]:
    """Return between which numbers 80 of 100 rows are answered, [time] low and high."""
    low, high = np.percentile(shares[:, :, label], BAND, axis=1)
    return SPREAD, low, high


def own_band(
    model: Model, blocks: Sequence[Block], given: Mapping[str, Floats], shares: Floats, label: int
) -> tuple[str, Floats, Floats]:
    """Return the mean ends of the intervals that the model has of its answers to these rows, [time] low and
    high; where it keeps none, the spread over the rows.
    """
    interval = methods.of_kind(model.kind).load("interval")
    try:
        ends = answers(model, blocks, given, lambda block: interval(model, block)[:, label])
    except OptionError:
        return spread_band(model, blocks, given, shares, label)
    return OWN, ends[:, :, 0].mean(axis=1), ends[:, :, 1].mean(axis=1)


def _histogram(values: Floats) -> tuple[tuple[int, ...], tuple[float, float]]:
    """Return how many rows lie in equal steps from the 1st to the 99th of a hundred, and these ends."""
    known = values[np.isfinite(values)]
    low, high = np.quantile(known, [0.01, 0.99], method="inverted_cdf").tolist()
    if low == high:
        low, high = float(known.min()), float(known.max())
    if low == high:
        return (len(known),), (low, high)
    inside = known[(known >= low) & (known <= high)]
    few = len(np.unique(inside[:AT_ONCE])) if (inside == np.floor(inside)).all() else BARS
    counts, _ = np.histogram(inside, bins=min(BARS, max(few, 2)), range=(low, high))
    return tuple(counts.tolist()), (low, high)


def effect_column(columns: Sequence[Column], name: str) -> Column:
    """Return a column whose values can be tried."""
    known = {c.name: c for c in columns}
    if name not in known:
        raise OptionError(f"the model has no column {shown(name)}.{nearest(name, tuple(known))}")
    if known[name].kind == "text":
        raise OptionError(f"column {shown(name)} is text, which has no values to try. Ask explain for a row.")
    return known[name]


def _levels(column: Column, codes: NDArray[Any]) -> list[tuple[float, str, int]]:
    """Return (code, level, rows): the most frequent levels in their order; missing where rows lack one."""
    k = len(column.levels)
    counts = np.bincount(codes.astype(np.int64), minlength=k + 2)
    kept = np.sort(np.argsort(-counts[:k], kind="stable")[:MOST_LEVELS]).tolist()
    out = [(float(c), column.levels[c], int(counts[c])) for c in kept]
    return [*out, (float(k), "(missing)", int(counts[k]))] if counts[k] else out


def _numbers(column: Column, values: Floats) -> list[tuple[float, str, int]]:
    """Return (value, its text, rows nearest to it): quantiles of the rows, each once; where these are few,
    values of the rows along the axis as well.
    """
    known = values[~np.isnan(values)]
    if not len(known):
        raise OptionError(f"column {shown(column.name)} has no number in these rows. Pass others.")
    grid = np.unique(np.quantile(known, GRID, method="inverted_cdf"))
    low, high = np.quantile(known, [0.01, 0.99], method="inverted_cdf")
    # Most rows may have the same few values, or some lie far away: others are looked for along the axis.
    own = np.unique(known)
    near = own[np.minimum(np.searchsorted(own, np.linspace(low, high, len(GRID) // 2)), len(own) - 1)]
    away = np.abs(near[:, None] - grid).min(axis=1)
    grid = np.unique(np.concatenate([grid, near[away > (high - low) / GAP]]))
    middles = (grid[1:] + grid[:-1]) / 2
    counts = np.bincount(np.searchsorted(middles, known), minlength=len(grid))
    return [
        (float(v), quantity(float(v), column.unit), int(n))
        for v, n in zip(grid, counts.tolist(), strict=True)
    ]


def _steps(column: Column, values: Floats, cuts: Floats) -> list[tuple[float, str, int, float, float]]:
    """Return (value, its text, rows, from, to) of what lies between neighbouring cuts: the value is the
    middle one of its rows.
    """
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        raise OptionError(f"column {shown(column.name)} has no number in these rows. Pass others.")
    ends = np.searchsorted(known, cuts, "left")  # a cut is the first number of the step above it
    first, last = np.concatenate([[0], ends]), np.concatenate([ends, [len(known)]])
    start, end = np.concatenate([[-np.inf], cuts]), np.concatenate([cuts, [np.inf]])
    inside = np.where(np.isfinite(start), start, np.nextafter(end, -np.inf))
    value = np.where(first < last, known[np.minimum((first + last) // 2, len(known) - 1)], inside)
    kept = np.arange(len(value))
    if len(kept) > MOST_STEPS:
        rows = known[np.linspace(0, len(known) - 1, MOST_STEPS // 2).astype(int)]
        low, high = np.quantile(known, [0.01, 0.99], method="inverted_cdf").tolist()
        axis = np.linspace(low, high, MOST_STEPS // 2)
        kept = np.unique(np.searchsorted(cuts, np.concatenate([rows, axis]), "right"))
    counts = np.add.reduceat(last - first, kept)
    counts[0] += (last - first)[: kept[0]].sum()
    texts = bin_names(cuts.tolist(), column.unit)
    return [
        (float(value[k]), texts[k], int(n), float(start[k]), float(end[k]))
        for k, n in zip(kept.tolist(), counts.tolist(), strict=True)
    ]


# Two columns at once: the mean answer on the plane of both.

CELLS = (24, 18)  # cells of the plane of two numbers: across, up
MOST_PAIR_LEVELS = 8  # levels of a column, the most frequent
PAIR_AVERAGED = 200  # rows that are averaged, evenly chosen: a plane has hundreds of cells
SHOWN = 5  # values of a number in the table


@dataclass(frozen=True)
class EffectAxis:
    """One of the two columns: its values as codes or numbers, and what they are called."""

    column: str
    values: NDArray[np.float64]
    names: tuple[str, ...]
    numeric: bool

    @property
    def drawn(self) -> Axis:
        """As an axis of a picture."""
        if not self.numeric:
            return Axis(clean(self.column), -0.5, len(self.names) - 0.5, names=self.names)
        half = (self.values[1] - self.values[0]) / 2 if len(self.values) > 1 else 0.5
        return Axis(clean(self.column), float(self.values[0] - half), float(self.values[-1] + half))


@dataclass(frozen=True)
class PairEffect:
    """The answers on the plane of two columns: shares[up, across, class]. Prints as a table, draws as
    regions.

    labels: the classes; of a target of numbers its name. label: the class that the table shows.
    """

    x: EffectAxis
    y: EffectAxis
    shares: NDArray[np.float64]
    labels: tuple[str, ...]
    label: int
    rows: int
    of_number: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        of = {"target": self.labels[0]} if self.of_number else {"class": self.labels[self.label]}
        axes = {"across": list(self.x.names), "up": list(self.y.names)}
        mean = self.shares[:, :, self.label].tolist()
        return {"columns": [self.x.column, self.y.column], **axes, **of, "rows": self.rows, "mean": mean}

    @property
    def caption(self) -> str:
        """What the numbers are."""
        of = self.labels[0] if self.of_number else f"probability of {self.labels[self.label]}"
        return (
            f"The mean {'of ' if self.of_number else ''}{of} over {counted(self.rows, 'row')} when "
            f"{self.x.column} and {self.y.column} have these values in all of them and nothing else changes."
        )

    def picture(self) -> Picture:
        """Return the plane in the colours of the answers; of a target of numbers in shades."""
        title = f"{clean(self.x.column)} and {clean(self.y.column)}"
        if self.of_number:
            from tallystick.draw.planes import Surface, surface_picture

            heights = self.shares[:, :, 0]
            lines = np.linspace(heights.min(), heights.max(), 9)[1:-1].tolist()
            x, y = ((a.drawn.words, a.drawn.low, a.drawn.high) for a in (self.x, self.y))
            ends = [f"palest: {brief(heights.min())}", f"fullest: {brief(heights.max())}"]
            legend = [clean(self.labels[0]), *ends, f"from line to line: {brief(lines[1] - lines[0])}"]
            names = self.x.drawn.names, self.y.drawn.names
            return Picture(surface_picture(Surface(heights, x, y, lines, names), [], legend, title))
        region = Region(title, self.shares, [], "averaged over the other columns")
        none = RegionPoints([], [], [])
        return Picture(regions_picture([region], self.x.drawn, self.y.drawn, self.labels, none, title))

    def _repr_html_(self) -> str:
        return self.picture()

    def __str__(self) -> str:
        across, up = (
            [round(k * (len(a.names) - 1) / (SHOWN - 1)) for k in range(SHOWN)]
            if a.numeric and len(a.names) > SHOWN
            else range(len(a.names))
            for a in (self.x, self.y)
        )
        say = "{:.4g}".format if self.of_number else "{:.3f}".format
        rows = [
            (Span(clean(self.y.names[j])), *(Span(say(float(self.shares[j, i, self.label]))) for i in across))
            for j in reversed(up)
        ]
        corner = f"{clean(self.y.column)} ↓ {clean(self.x.column)} →"
        header = (corner, *(clean(self.x.names[i]) for i in across))
        lines: list[Line] = table(header, rows, frozenset(range(1, len(across) + 1)), WIDE)
        return plain([*lines, (), *wrapped(clean(self.caption), WIDE, "", "dim")])

    __repr__ = __str__


def effect_of(
    model: Model, blocks: Sequence[Block], column: str | Sequence[str], label: int
) -> ColumnEffect | PairEffect:
    """Return the effect of one column, or of two."""
    if isinstance(column, str):
        return column_effect(model, blocks, column, label)
    return pair_effect(model, blocks, column, label)


def pair_effect(model: Model, blocks: Sequence[Block], names: Sequence[str], label: int) -> PairEffect:
    """Return the effect of two columns together, averaged over rows."""
    if len(names) != 2 or names[0] == names[1]:
        raise OptionError(f"an effect is that of one column, or of two different ones, not of {len(names)}.")
    columns = [effect_column(model.schema.used, name) for name in names]
    whole = sum(block.rows for block in blocks)
    if not whole:
        raise OptionError("an effect is an average over rows, and there are none. Pass some rows.")
    x, y = (_axis(c, blocks, cells) for c, cells in zip(columns, CELLS, strict=True))
    given = {
        x.column: np.tile(x.values, len(y.values)),
        y.column: np.repeat(y.values, len(x.values)),
    }
    few = evenly(blocks, PAIR_AVERAGED)
    shares = answers(model, few, given).mean(axis=1)
    target = model.schema.predicted
    plane = shares.reshape(len(y.values), len(x.values), -1)
    labels = target.labels or (target.name,)
    rows = sum(block.rows for block in few)
    return PairEffect(x, y, plane, labels, label, rows, not target.labels)


def _axis(column: Column, blocks: Sequence[Block], cells: int) -> EffectAxis:
    if column.kind in CODED:
        codes = np.concatenate([block.codes(column.name) for block in blocks]).astype(np.int64)
        counts = np.bincount(codes, minlength=len(column.levels) + 2)[: len(column.levels)]
        kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_PAIR_LEVELS])
        return EffectAxis(column.name, kept.astype(float), tuple(column.levels[k] for k in kept), False)
    values = np.concatenate([block.values(column.name) for block in blocks])
    known = values[np.isfinite(values)]
    if not len(known):
        raise OptionError(f"column {clean(column.name)} has no number in these rows. Pass others.")
    low, high = np.quantile(known, [0.01, 0.99], method="inverted_cdf").tolist()
    if low == high:
        low, high = float(known.min()), float(known.max())
    # halves: a double may not hold the difference of the ends
    grid = 2 * np.linspace(low / 2, high / 2, cells) if high > low else np.array([low])
    names = tuple(quantity(float(f"{v:.4g}"), column.unit) for v in grid)
    return EffectAxis(column.name, grid, names, True)


# Cuts of a model along a column of numbers.

LARGEST = 1e300  # a cut beyond is no cut of values but a test for missing


def no_counts(model: Any, found: Any) -> list[tuple[str, str, dict[str, int]]]:
    """Return nothing: the explanation of a row holds its counts itself, or there are none."""
    return []


def no_steps(model: Any, column: str) -> None:
    """Return None: the answer may change with every value."""


def tree_steps(tree: Any, column: str) -> Floats:
    """Return the cuts of a tree's tests of the column."""
    names = [c.name for c in tree.schema.used]
    return _cuts(tree.nodes.cut[tree.nodes.column == names.index(column)])


def rule_steps(model: Any, column: str) -> Floats:
    """Return the ends of all conditions on the column."""
    own = [c for rule in model.rules for c in rule.conditions if c.column.name == column]
    return _cuts([end for c in own for end in (c.low, c.high)])


def additive_steps(model: Any, column: str) -> Floats | None:
    """Return the cuts of all bins and ranges of the column; None where some term is a line or a curve."""
    found: list[float] = []
    for term in model.additive.terms:
        if isinstance(term, PairTerm):
            for axis in (term.axis.first, term.axis.second):
                if isinstance(axis, RangeAxis) and axis.name == column:
                    found += axis.cuts
        elif isinstance(term, BinTerm):
            found += term.cuts.tolist() if term.column == column else []
        elif isinstance(term, ProductTerm):
            if column in (f.column for f in term.part.factors):
                return None
        elif term.column == column:
            return None
    return _cuts(found)


def _cuts(values: Any) -> Floats:
    cuts = np.unique(np.asarray(values, np.float64))
    return cuts[np.abs(cuts) < LARGEST]
