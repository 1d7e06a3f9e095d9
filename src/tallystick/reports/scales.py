"""Naive Bayes, logistic regression and scorecards for the page: a nomogram with points that move.

Knows additive models. Knows nothing of HTML. Laws: a stop is a value that a cell can have and what it adds to
the log-odds of one class against another, by the model's own terms; of a card, its points. Axes of numbers
and of sums go from the 1st to the 99th percentile of the training rows, to the next round number; the page
shows what lies beyond by an arrow with the number.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallystick.contracts import Table
from tallystick.data.schema import Column
from tallystick.data.table.ranks import quantiles
from tallystick.data.text import quantity
from tallystick.draw.nomogram import SHARES, ticks
from tallystick.draw.scales import place, scale_line
from tallystick.draw.svg import around
from tallystick.draw.text import clean
from tallystick.explain.naive_bayes import bin_names
from tallystick.models.additive import BinTerm, LevelTerm, LinearTerm, NormalTerm, Term
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.naive_bayes import NaiveBayesModel
from tallystick.models.scorecard.model import ScorecardModel
from tallystick.reports.ingredients import Ingredients

MOST_SCALES = 16  # columns drawn; the others keep the value of the row below
MOST_STOPS = 24  # levels on a line, the heaviest
FAR = 12.0  # where an impossible value is drawn
AVERAGE = "on the average training row"
GRID = 24  # steps of a number from one end of its axis to the other
MOST_ROWS = 20_000  # whose sums tell where most lie
MOST_PAIRS = 12  # classes of which every pair has its own axis of sums; others reach to FAR
Additive = NaiveBayesModel | LogisticModel | ScorecardModel


@dataclass(frozen=True)
class Stop:
    """A value, the words for it, its weight, and whether it has a mark on the line."""

    value: str | float | None
    words: str
    weight: float  # less what the column adds to the average training row, where the model knows it
    marked: bool = True


def pair(given: Ingredients) -> tuple[int, int]:
    """Return the classes of the nomogram: the second of two against the first; else the two most frequent."""
    if len(given.labels) == 2:
        return 1, 0
    assert given.table.classes is not None
    full = np.bincount(given.table.classes, given.table.weights, minlength=len(given.labels))
    order = np.argsort(-full, kind="stable").tolist()
    return order[0], order[min(1, len(order) - 1)]


def scales_data(given: Ingredients, model: Additive, why: str = "", step: int = 0) -> dict[str, Any]:
    """Return the lines of the nomogram, drawn, with the stops of each for the page's script.

    why: there are none, in words; "" where there are. step: the points of a card that double the odds; 0
    where a part is log-odds.
    """
    c, d = pair(given)
    calibration = None if step else model.calibration  # points stand as they are on the card
    slope = 1.0 if calibration is None else float(calibration.slope)
    shift = 0.0 if calibration is None else float(calibration.shift[c] - calibration.shift[d])
    start = model.additive.base if step else model.additive.start
    base = slope * float(start[c] - start[d]) + shift
    unit, size = ("points", step / math.log(2.0)) if step else ("log-odds", 1.0)
    lines = [
        (n, _stops(model, usual_column(given.table, n), (c, d, slope), bool(step))) for n in given.columns
    ]
    lines = [] if why else [(n, s) for n, s in lines if len(s) > 1][:MOST_SCALES]
    weights = [s.weight for _, stops in lines for s in stops] or [0.0]
    ends = (min([*weights, 0.0]), max([*weights, 0.0]))
    drawn = [_line(n, stops, ends) for n, stops in lines]
    top = scale_line(unit, [(_tick(t), t) for t in ticks(*ends)] if ends[0] < ends[1] else [], ends)
    return {
        "classes": [c, d],
        "ends": ends,
        "axis": top,
        "lines": drawn,
        "why": why,
        "begins": "before any column spoke" if step or not model.additive.averages else AVERAGE,
        "unit": unit,
        "size": size,
        "left": max(0, len(given.columns) - len(drawn)),
        "base": base if math.isfinite(base) else 0.0,
        **_sums(sum_ends(given, model, size), (c, d), unit, size),
    }


def usual_column(table: Table, name: str) -> Column:
    """Return a column whose range, if it is of numbers, is that of most rows: the 1st to the 99th percentile,
    to the next round numbers.
    """
    column = table.schema[name]
    if column.kind != "numeric" or column.low is None or column.high is None or column.low >= column.high:
        return column
    ends = quantiles(table.column(name), [0.01, 0.99], finite=True)
    low, high = ends if ends[0] < ends[1] else (column.low, column.high)
    rounded = around(low, high)
    return replace(column, low=rounded[0], high=rounded[-1])


def sum_ends(given: Ingredients, model: Additive, size: float) -> dict[tuple[int, int], tuple[float, float]]:
    """Return where the sums of most training rows lie, of each pair of classes: the 1st to the 99th
    percentile, to the next round number, and never beyond FAR. size: of a unit of log-odds.
    """
    assert given.table.classes is not None
    kept = np.arange(0, given.table.rows, max(1, -(-given.table.rows // MOST_ROWS)))
    shares = np.concatenate([model.shares(block) for block in given.table.take(kept).blocks()])
    logs = np.log(np.maximum(shares, 1e-300))
    count = min(len(given.labels), MOST_PAIRS)
    first = sorted({*range(count), *pair(given)})
    out = {}
    for c, d in itertools.permutations(first, 2):
        leads = np.clip(logs[:, c] - logs[:, d], -FAR, FAR) * size
        low, high = np.quantile(leads, [0.01, 0.99], method="inverted_cdf")
        rounded = around(min(float(low), 0.0), max(float(high), 0.0), 8)
        out[c, d] = (rounded[0], rounded[-1]) if rounded[0] < rounded[-1] else (-size, size)
    return out


def _tick(value: float) -> str:
    return f"{value:+g}" if value else "0"


def _line(name: str, stops: list[Stop], ends: tuple[float, float]) -> dict[str, Any]:
    svg = scale_line(f"{name}: what each value adds", [(s.words, s.weight) for s in stops if s.marked], ends)
    return {
        "column": name,
        "svg": svg,
        "stops": [
            [s.value, s.words if s.marked else "", round(s.weight, 4), place(s.weight, ends)] for s in stops
        ],
    }


def _sums(
    every: dict[tuple[int, int], tuple[float, float]], way: tuple[int, int], unit: str, size: float
) -> dict[str, Any]:
    """Return the line of sums and the line of shares that stands under it; size: of a unit of log-odds."""
    ends = every.get(way, (-FAR * size, FAR * size))  # a single class has no pair
    odds = [(f"{100 * s:g} %", size * math.log(s / (1 - s))) for s in SHARES]
    inside = [(t, o) for t, o in odds if ends[0] <= o <= ends[1]]
    return {
        "sum_ends": ends,
        "sums": {f"{c} {d}": found for (c, d), found in every.items()},
        "sum": scale_line(f"sum of {unit}", [(_tick(t), t) for t in ticks(*ends)], ends),
        "share": scale_line("share of the class", inside, ends),
    }


def _stops(model: Additive, column: Column, way: tuple[int, int, float], card: bool) -> list[Stop]:
    """Return the stops of a column, measured from the average training row where the model knows it; of a
    card as they are.
    """
    c, d, slope = way
    additive = model.additive
    at = next((i for i, t in enumerate(additive.terms) if t.column == column.name), None)
    stops = [] if at is None else _raw_stops(additive.terms[at], column, way)
    if not stops or at is None or not additive.averages:
        return stops
    if card:
        term = additive.terms[at]
        if isinstance(term, BinTerm) and column.missing:
            stops.append(Stop(None, "(missing)", _lead(term.table[-1], c, d)))
        return stops
    usual = slope * float(additive.averages[at][c] - additive.averages[at][d])
    return [replace(s, weight=s.weight - usual) for s in stops]


def _raw_stops(term: Term, column: Column, way: tuple[int, int, float]) -> list[Stop]:
    c, d, slope = way
    if isinstance(term, LevelTerm):
        return _level_stops(term, column, c, d, slope)
    if isinstance(term, BinTerm):
        names, cuts = bin_names(term.cuts.tolist(), column.unit), term.cuts.tolist()
        values = _inside(cuts, column)
        weights = [_lead(row, c, d) * slope for row in term.table[: len(names)]]
        return [Stop(v, n, w) for v, n, w in zip(values, names, weights, strict=True)]
    if isinstance(term, LinearTerm | NormalTerm) and column.low is not None and column.high is not None:
        return _number_stops(term, column, way)
    return []


def _lead(row: Any, c: int, d: int) -> float:
    """Return the lead of class c over d; where one is impossible a far weight that can still be drawn."""
    a, b = float(row[c]), float(row[d])
    if a == b:
        return 0.0
    return a - b if math.isfinite(a - b) else math.copysign(FAR, a - b)


def _level_stops(term: LevelTerm, column: Column, c: int, d: int, slope: float) -> list[Stop]:
    tables = list(zip(column.levels, term.table, strict=False))
    # the levels that tell most between any two classes: the page can ask for another pair
    tables.sort(key=lambda t: (-float(np.ptp(np.maximum(t[1], t[1].max() - FAR))), t[0]))
    stops = [Stop(level, clean(level), slope * _lead(row, c, d)) for level, row in tables[:MOST_STOPS]]
    if column.missing:
        stops.append(Stop(None, "(missing)", slope * _lead(term.table[len(column.levels)], c, d)))
    return sorted(stops, key=lambda s: (s.weight, s.words))


def _inside(cuts: list[float], column: Column) -> list[float]:
    """Return a value inside each bin."""
    low = column.low if column.low is not None else (cuts[0] if cuts else 0.0)
    high = column.high if column.high is not None else (cuts[-1] if cuts else 0.0)
    edges = [min(low, *cuts, low), *cuts, max(high, *cuts, high)] if cuts else [low, high]
    middle = [(float(f"{a / 2 + b / 2:.6g}"), a, b) for a, b in itertools.pairwise(edges)]
    return [x if a <= x < b else a if a < b else b for x, a, b in middle]


def _number_stops(term: Any, column: Column, way: tuple[int, int, float]) -> list[Stop]:
    c, d, slope = way
    assert column.low is not None
    assert column.high is not None
    out = []
    marked = ticks(column.low, column.high, 5)
    grid = [float(f"{column.low + (column.high - column.low) * i / GRID:.5g}") for i in range(GRID + 1)]
    for x in sorted({*grid, *marked}):
        if isinstance(term, NormalTerm):
            scores = term.constant - term.half * (x - term.mean) ** 2
        else:
            scores = term.at_zero + term.slope * x
        weight = slope * _lead(scores, c, d)
        out.append(Stop(x, quantity(x, column.unit, 6), weight, x in marked))
    if isinstance(term, LinearTerm) and column.missing:
        out.append(Stop(None, "(missing)", slope * _lead(term.missing, c, d)))
    return out
