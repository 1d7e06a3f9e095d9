"""A table described column by column, as data: kinds and why, distributions, missing counts, gains, notes.

Knows the encoded table and count tables. Knows nothing of files or terminals; `text` makes the lines.
Law: the description depends on the multiset of rows, not on their order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tallystick.data.schema import Column, Note, Target
from tallystick.description.against import Changes
from tallystick.description.counts import Group
from tallystick.description.gains import (
    Counts,
    Floats,
    Stack,
    by_word,
    entropy,
    gains_by_cut,
    gains_by_levels,
    midpoint,
)
from tallystick.draw.charts import bar_chart
from tallystick.draw.notebook import framed, html_lines
from tallystick.draw.svg import Picture, as_html
from tallystick.stats.exact import exact_total

QUANTILES = (5, 25, 75, 95)  # percent, beside the median
LARGE = 1e280  # of such numbers any number of rows can be summed
BINS = 12  # of the small distribution of a numeric column
SHOWN_LEVELS = 50  # levels listed in a description; the rest is one sum


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a distribution: a level, or the numbers from `low` up to the next part.

    by_class: its rows in each class, where there is a target.
    """

    label: str
    rows: int
    low: float | None = None
    by_class: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the part as plain data."""
        out: dict[str, Any] = {"rows": self.rows}
        out |= {"low": self.low} if self.low is not None else {"level": self.label}
        return out | ({"by_class": list(self.by_class)} if self.by_class else {})


@dataclass(frozen=True, slots=True)
class NumberSummary:
    """The numbers of a column in brief: ends, mean, median, and quantiles by the share of rows below them.

    A quantile between two neighbouring values lies between them in proportion, as in NumPy and pandas.
    """

    low: float
    high: float
    mean: float
    median: float
    quantiles: tuple[tuple[float, float], ...]  # (share, value)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        quantiles = {f"{share:g}": value for share, value in self.quantiles}
        ends = {"min": self.low, "max": self.high}
        return ends | {"mean": self.mean, "median": self.median, "quantiles": quantiles}


@dataclass(frozen=True, slots=True)
class ColumnView:
    """One column: what it is taken for and why, what lies in it, and what it tells of the class.

    `gain`, `gain_ratio`: in bits, None without a target or for a kind that has none. `left`: what is left of
    the gain after its price, by which columns are ranked; 0 where the price is more than the gain.
    `cut`: numeric: the
    exact cut of the best split, x < cut on one side; ordered: the first level of the upper side; text: the
    word whose presence tells most.
    """

    name: str
    kind: str
    why: str
    missing: int
    distinct: int
    distribution: tuple[Part, ...]
    gain: float | None = None
    gain_ratio: float | None = None
    cut: float | str | None = None
    left: float | None = None
    unit: str = ""  # "date": cut, distribution and numbers are days since 1970-01-01
    numbers: NumberSummary | None = None  # of a numeric column

    @property
    def rank(self) -> tuple[bool, float]:
        """What sorts columns, the most telling first: used before left out, then by what is left."""
        return self.kind == "out", 1.0 if self.left is None else -self.left

    def to_dict(self) -> dict[str, Any]:
        """Return the column as plain data."""
        return {
            "name": self.name,
            "kind": self.kind,
            "why": self.why,
            "missing": self.missing,
            "distinct": self.distinct,
            "distribution": [p.to_dict() for p in self.distribution],
            "numbers": None if self.numbers is None else self.numbers.to_dict(),
            "gain": self.gain,
            "gain_ratio": self.gain_ratio,
            "left": self.left,
            "cut": self.cut,
        } | ({"unit": self.unit} if self.unit else {})


@dataclass(frozen=True, slots=True)
class Description:
    """What a table is taken for. Prints as a page; `to_dict()` has every number."""

    name: str
    rows: int
    columns: tuple[ColumnView, ...]
    notes: tuple[Note, ...]
    target: str = ""
    classes: tuple[Part, ...] = ()
    entropy: float | None = None
    form: str = ""  # how a file was read
    changes: Changes | None = None  # since the training of a model

    def __getitem__(self, name: str) -> ColumnView:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the description as plain data."""
        target = {
            "name": self.target,
            "classes": [{"label": p.label, "rows": p.rows} for p in self.classes],
            "entropy": self.entropy,
        }
        return {
            "name": self.name,
            "form": self.form,
            "rows": self.rows,
            "target": target if self.target else None,
            "columns": [c.to_dict() for c in self.columns],
            "notes": [n.to_dict() for n in self.notes],
        } | ({} if self.changes is None else {"against": self.changes.to_dict()})

    def picture(self, most: int = 30) -> Picture:
        """Return the information gain of the columns as bars, in the order of what is left after its price;
        without a target their missing rows.
        """
        if not self.target:
            missing = [(c.name, float(c.missing)) for c in self.columns[:most]]
            return Picture(bar_chart(missing, "rows without a value", f"columns of {self.name}"))
        ranked = sorted(self.columns, key=lambda c: c.rank)
        bars = [(c.name, c.gain) for c in ranked[:most] if c.gain is not None]
        words = f"information gain about {self.target}, bits; in the order of what is left after its price"
        return Picture(bar_chart(bars, words, "gains"))

    def _repr_html_(self) -> str:
        from tallystick.description.text import page

        if self.changes is not None:
            return as_html(self)
        return framed(html_lines(page(self)), self.picture())

    def __str__(self) -> str:
        from tallystick.description.text import page
        from tallystick.draw.text import plain

        return plain(page(self)) if self.changes is None else str(self.changes)

    __repr__ = __str__


def level_parts(labels: tuple[str, ...], counts: Counts) -> tuple[Part, ...]:
    """Return the most frequent levels, in schema order when all fit, and the rest as one part.

    counts[level, class]; without a target there is one class, and parts do not tell it.
    """
    if len(labels) <= SHOWN_LEVELS:
        return tuple(_part(t, n) for t, n in zip(labels, counts.tolist(), strict=True))
    first = np.argsort(-counts.sum(axis=1), kind="stable")[:SHOWN_LEVELS]
    rest = counts.sum(axis=0) - counts[first].sum(axis=0)
    return (
        *(_part(labels[i], counts[i].tolist()) for i in first),
        _part(f"{len(labels) - SHOWN_LEVELS:,} more levels", rest.tolist()),
    )


def number_parts(distinct: Sequence[Floats], stack: Stack) -> list[tuple[Part, ...]]:
    """Return, of each column, the rows in BINS equal intervals from lowest to highest, or per value when
    there are few. distinct[column][value]: the places of the stack.
    """
    values = distinct[0] if len(distinct) == 1 else np.concatenate(distinct)
    low, high = values[stack.starts], values[stack.starts + stack.lengths - 1]
    step = bin_step(low, high)
    rows = _bin_rows(values, low, step, stack).tolist()
    many = stack.lengths > BINS
    edges = iter(bin_edges(low[many][:, None], step[many][:, None]).tolist())
    out = []
    for j, own in enumerate(distinct):
        if len(own) <= BINS:
            counts = stack.counts[stack.starts[j] : stack.starts[j] + len(own)].tolist()
            out.append(_parts(own.tolist(), counts))
        else:
            out.append(_parts(next(edges), rows[j]))
    return out


def _bin_rows(values: Floats, low: Floats, step: Floats, stack: Stack) -> Counts:
    """Return counts[column, bin, class]. The values of a column rise, and so do their bins: where each bin
    ends is found by halving, without a look at most values.
    """
    starts = np.repeat(stack.starts, BINS - 1)
    below, above = starts, starts + np.repeat(stack.lengths, BINS - 1)
    first, width = np.repeat(low, BINS - 1), np.repeat(step, BINS - 1)
    wanted = np.tile(np.arange(1, BINS), len(low))
    while (unsure := below < above).any():
        middle = np.where(unsure, (below + above) // 2, starts)
        under = bin_places(values[middle], first, width) < wanted
        below = np.where(unsure & under, middle + 1, below)
        above = np.where(unsure & ~under, middle, above)
    ends = np.where((below > starts)[:, None], stack.left[below - 1], 0).reshape(len(low), BINS - 1, -1)
    return np.diff(ends, axis=1, prepend=0, append=stack.total[:, None])


def bin_step(low: Any, high: Any) -> Any:
    """Return the width of the bins between two numbers."""
    step = high / BINS - low / BINS
    return np.where(step > 0, step, np.nextafter(0.0, 1.0))  # the range may be below what a double can divide


def bin_places(values: Floats, low: Any, step: Any) -> Counts:
    """Return the bin of each value."""
    place = (values / BINS - low / BINS) / step * BINS
    return np.asarray(np.clip(place.astype(np.int64), 0, BINS - 1))


def bin_edges(low: Any, step: Any) -> Floats:
    """Return where each bin begins."""
    return np.asarray(low + np.arange(BINS) * step)


def bin_parts(low: float, step: float, counts: Counts) -> tuple[Part, ...]:
    """Return the bins of a column by counts[bin, class]."""
    return _parts(bin_edges(low, step).tolist(), counts.tolist())


def number_summaries(distinct: Sequence[Floats], stack: Stack) -> list[NumberSummary]:
    """Return the numbers of each column in brief. distinct[column][value]: the places of the stack."""
    return [
        _summary(values, stack.sizes[start : start + len(values)])
        for values, start in zip(distinct, stack.starts.tolist(), strict=True)
    ]


def _summary(values: Floats, counts: Counts) -> NumberSummary:
    """Return the numbers of a column in brief; the sums are exact, so that no order of rows is in them."""
    ends = np.cumsum(counts)
    rows, low, high = int(ends[-1]), float(values[0]), float(values[-1])
    total = exact_total(terms_of_mean(values, counts, rows, is_small(low, high)))
    ranks = ranks_wanted(rows)
    at = values[np.searchsorted(ends, ranks, side="right")].tolist()
    return summary_of(low, high, total, rows, dict(zip(ranks, at, strict=True)))


def is_small(low: float, high: float) -> bool:
    """Say whether numbers up to these can be summed; else the sum may be beyond the largest double, which no
    mean is.
    """
    return max(-low, high) < LARGE


def terms_of_mean(values: Floats, counts: Counts, rows: int, small: bool) -> Floats:
    """Return what is summed for the mean: the sum of all rows, or of numbers that are not small the mean."""
    return np.asarray(values * counts if small else values * (counts / rows))


@lru_cache(maxsize=256)
def ranks_wanted(rows: int) -> tuple[int, ...]:
    """Return the ranks of the rows that quantiles lie between."""
    places = [divmod((rows - 1) * share, 100) for share in (*QUANTILES, 50)]
    return tuple(sorted({at + step for at, rest in places for step in (0, int(rest > 0))}))


def summary_of(low: float, high: float, total: float, rows: int, at: Mapping[int, float]) -> NumberSummary:
    """Return numbers in brief. total: the sum of `terms_of_mean`; at[rank]: the value of a row."""

    def quantile(share: int) -> float:
        """Return what so many percent of the rows lie below."""
        rank, rest = divmod((rows - 1) * share, 100)
        below, above = at[rank], at[rank + int(rest > 0)]
        return below if below == above else below * ((100 - rest) / 100) + above * (rest / 100)

    mean = total / rows if is_small(low, high) else total
    quantiles = tuple((share / 100, quantile(share)) for share in QUANTILES)
    return NumberSummary(low, high, mean, quantile(50), quantiles)


def _part(label: str, counts: list[int], low: float | None = None) -> Part:
    return Part(label, sum(counts), low, tuple(counts) if len(counts) > 1 else ())


def _parts(lows: list[float], counts: list[list[int]]) -> tuple[Part, ...]:
    """Return the numbers from each low one on, by counts[part][class]."""
    if len(counts[0]) == 1:
        return tuple([Part("", rows, low) for low, (rows,) in zip(lows, counts, strict=True)])
    return tuple([_part("", some, low) for low, some in zip(lows, counts, strict=True)])


def views(group: Group, known: bool) -> list[ColumnView]:
    """Return the columns of a group. known: there is a target; else there is one class, and no gain."""
    columns, stack, distinct = group.columns, group.stack, group.values
    kind = columns[0].kind
    cuts: list[float | str | None] = [None] * len(columns)
    gains: list[tuple[float | None, float | None, float | None]] = [(None, None, None)] * len(columns)
    if known and kind in ("numeric", "ordered"):
        gain, ratio, left, at = (found.tolist() for found in gains_by_cut(stack))
        told = zip(gain, ratio, left, at, strict=True)
        gains = [(g, r, rest) if a else (None, None, None) for g, r, rest, a in told]
        if kind == "numeric":
            cuts = [
                midpoint(float(v[a - 1]), float(v[a])) if a else None
                for v, a in zip(distinct, at, strict=True)
            ]
        else:
            cuts = [c.levels[a] if a else None for c, a in zip(columns, at, strict=True)]
    elif known:
        gains = list(zip(*(found.tolist() for found in gains_by_levels(stack)), strict=True))
    parts = number_parts(distinct, stack) if kind == "numeric" else _level_parts(columns, stack)
    numbers = number_summaries(distinct, stack) if kind == "numeric" else [None] * len(columns)
    filled = np.add.reduceat((stack.sizes > 0).astype(np.int64), stack.starts).tolist()
    missing = stack.missing.sum(axis=1).tolist()
    return [
        ColumnView(
            c.name,
            c.kind,
            c.why,
            missing[j],
            filled[j],
            parts[j],
            *gains[j][:2],
            cuts[j],
            gains[j][2],
            c.unit,
            numbers[j],
        )
        for j, c in enumerate(columns)
    ]


def _level_parts(columns: Sequence[Column], stack: Stack) -> list[tuple[Part, ...]]:
    ends = (stack.starts + stack.lengths).tolist()
    return [
        level_parts(c.levels, stack.counts[start:end])
        for c, start, end in zip(columns, stack.starts.tolist(), ends, strict=True)
    ]


def bare_view(column: Column) -> ColumnView:
    """Return a column of which nothing is counted: left out, or without any value."""
    return ColumnView(column.name, column.kind, column.why, column.missing, 0, ())


def text_view(column: Column, counts: Counts, known: bool) -> ColumnView:
    """Return a text column by counts[word, class], then the rows without any word, and all rows."""
    told = by_word(counts[:-2], counts[-1]) if known else None
    base = (column.name, column.kind, column.why, column.missing, len(column.words), ())
    if told is None or told.at is None:
        return ColumnView(*base)
    return ColumnView(*base, told.gain, told.ratio, column.words[told.at], told.left)


def class_parts(target: Target, sizes: Counts) -> tuple[tuple[Part, ...], float]:
    """Return the classes with their rows, and the entropy of the class in bits."""
    parts = tuple(Part(t, int(n)) for t, n in zip(target.labels, sizes, strict=True))
    return parts, entropy(sizes)
