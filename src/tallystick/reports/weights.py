"""The report's weights and effects: effect curves, linear weights, nomograms, tables of votes and odds.

Parts: effects, entry `effects_section()`; `number_weights()`; nomograms, entry `scales_data()`; tables of
naive Bayes and logistic regression, entry `bayes_weights()`, `logistic_weights()`.
stop = a value that a cell can have, with its weight on the axis of the nomogram.
Law of the tables: a number is per unit, its bar per standard deviation of a numeric column, so that columns
of different units can be compared; rows are in that order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.bayes.explain import bin_names, votes
from tallystick.bayes.model import NaiveBayesModel
from tallystick.contracts import Table
from tallystick.draw.charts import signed_bar
from tallystick.draw.planes import SHARES, ticks
from tallystick.draw.svg import PALETTE, around, between, brief, class_words, p_value, place, scale_line
from tallystick.errors import clean
from tallystick.explanation.effects import (
    AVERAGED,
    BANDS,
    EXACT,
    EXACT_NUMBER,
    ColumnEffect,
    column_effects,
    evenly,
    pair_effect,
)
from tallystick.judge.folds import steps
from tallystick.linear.model import LinearModel, LogisticModel, WordWeights
from tallystick.linear.summary import (
    LinearSummary,
    Summary,
    compared_words,
    reference_words,
)
from tallystick.model.additive import BinTerm, LevelTerm, LinearTerm, NormalTerm, Term
from tallystick.reports.context import PageData, class_colours
from tallystick.schema import CODED, Column
from tallystick.scorecard.model import ScorecardModel
from tallystick.table.ranks import quantiles
from tallystick.text import quantity

# Effects: the model's answer against its strongest columns, and on the plane of two, averaged over a sample
# of rows whose size the page states.


MOST_COLUMNS = 6
MOST_CLASSES = 6  # classes with effects, the most frequent
ENDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # ends of an axis of probabilities, besides 1
FLAT = 5  # an effect that covers less than 1/FLAT of its axis looks flat
SAMPLE = 400  # rows that effects are averaged over


def effects_section(page: PageData) -> dict[str, Any] | None:
    """Return the pictures of each class, and the plane of two columns; None where nothing can be varied."""
    model, kinds = page.model, {c.name: c.kind for c in page.table.schema.used}
    names = [n for n in page.columns if kinds[n] in (*CODED, "numeric")][:MOST_COLUMNS]
    if model is None or not names:
        return None
    blocks = evenly(list(page.table.blocks()), SAMPLE)
    classes = _classes(page)
    colours = class_colours(page)
    found = [column_effects(model, blocks, name, classes) for name in names]
    first = found[0][0]
    every = [e for one in found for e in one]
    exact = EXACT if page.labels else EXACT_NUMBER
    full = {p.label: p.rows / page.description.rows for p in page.description.classes}
    often = [full.get(label, 0.0) for label in page.labels] or [1.0]
    return {
        "rows": f"{first.rows:,}",
        "some": first.rows < page.table.rows,
        "band": BANDS[first.band],
        "how": exact if all(e.exact for e in every) else AVERAGED,
        "classes": [
            {
                "number": c,
                "label": class_words(page.labels[c]) if page.labels else page.target,
                "pictures": [
                    one[k].drawn(one[k].answer, colours[c], axis_end(one[k], [e[k] for e in found], often[c]))
                    for one in found
                ],
            }
            for k, c in enumerate(classes)
        ],
        "plane": _plane(page, blocks, names),
    }


def axis_end(effect: ColumnEffect, every: list[ColumnEffect], share: float) -> float:
    """Return where a picture's axis of probabilities ends: one for all columns of a class, but one of its own
    where the column would lie flat on that, at least twice the class's share of the rows.
    """
    shared = _rounded_up(max(e.reach[1] for e in every))
    own = _rounded_up(max(effect.reach[1], 2 * share))
    return own if own * FLAT <= shared else shared


def _rounded_up(share: float) -> float:
    return next((end for end in ENDS if share <= end), 1.0)


def _classes(page: PageData) -> list[int]:
    """Return the classes whose probability is drawn: of two the one that is looked for."""
    labels = page.labels
    if not labels:
        return [0]
    if len(labels) == 2:
        return [labels.index(page.chosen.result.scores.positive)]
    rows = {p.label: p.rows for p in page.description.classes}
    return sorted(range(len(labels)), key=lambda c: (-rows.get(labels[c], 0), c))[:MOST_CLASSES]


def _plane(page: PageData, blocks: Any, names: list[str]) -> dict[str, Any] | None:
    """Return the two strongest columns together; None of one column, or of more classes than colours."""
    if len(names) < 2 or len(page.labels) > len(PALETTE):
        return None
    kinds = {c.name: c.kind for c in page.table.schema.used}
    two = sorted(names[:2], key=lambda n: kinds[n] in CODED)  # levels go up: there their names have room
    found = pair_effect(page.model, blocks, two, 0)
    if min(len(found.x.values), len(found.y.values)) < 2:
        return None
    held = np.ptp(found.shares.argmax(axis=2)) == 0 if page.labels else False
    return {"columns": two, "svg": str(found.picture()), "rows": f"{found.rows:,}", "held": bool(held)}


# The weights of a linear regression: what one more of a number, or a level, adds to the answer.


MOST = 60  # weights on the page


def number_weights(page: PageData, model: LinearModel) -> dict[str, Any]:
    """Return the weights, those furthest from 0 in standard errors first; the constant leads."""
    figures = LinearSummary(model).figures
    order = sorted(figures, key=lambda f: (0.0 if f.t is None else -abs(f.t), -abs(f.estimate), f.name))
    return {
        "errors": any(f.error is not None for f in figures),
        "rows": [
            {
                "name": f.name,
                "weight": brief(f.estimate),
                "ends": "" if f.interval is None else between(*f.interval, ".4g"),
                "p": "" if f.p is None else p_value(f.p),
            }
            for f in order[:MOST]
        ],
        "left": max(0, len(order) - MOST),
        "bases": reference_words(model).strip(),
    }


# Nomograms of naive Bayes, logistic regression and scorecards, with points that move. A stop is a value of a
# cell and what it adds to the log-odds of one class against another (of a card, to the points). Axes of
# numbers and of sums go from the 1st to the 99th percentile of the training rows, to the next round number;
# an arrow with the number shows values outside.


MOST_SCALES = 16  # columns drawn; the others keep the value of the row below
MOST_STOPS = 24  # levels on a line, the heaviest
FAR = 12.0  # log-odds at which an impossible value is drawn
AVERAGE = "on the average training row"
GRID = 24  # steps of a number from one end of its axis to the other
MOST_ROWS = 20_000  # rows whose sums give the ends of the axis of sums
MOST_PAIRS = 12  # classes up to which every pair has its own axis of sums; of more the axes end at FAR
Additive = NaiveBayesModel | LogisticModel | ScorecardModel


@dataclass(frozen=True)
class Stop:
    """A value, the words for it, its weight, and whether it has a mark on the line."""

    value: str | float | None
    words: str
    weight: float  # less what the column adds to the average training row, where the model knows it
    marked: bool = True


def pair(page: PageData) -> tuple[int, int]:
    """Return the classes of the nomogram: the second of two against the first; else the two most frequent."""
    if len(page.labels) == 2:
        return 1, 0
    assert page.table.classes is not None
    full = np.bincount(page.table.classes, page.table.weights, minlength=len(page.labels))
    order = np.argsort(-full, kind="stable").tolist()
    return order[0], order[min(1, len(order) - 1)]


def scales_data(page: PageData, model: Additive, why: str = "", step: int = 0) -> dict[str, Any]:
    """Return the lines of the nomogram, drawn, with the stops of each for the page's script.

    why: there are none, in words; "" where there are. step: the points of a card that double the odds; 0
    where a part is log-odds.
    """
    c, d = pair(page)
    calibration = None if step else model.calibration  # points stand as they are on the card
    slope = 1.0 if calibration is None else float(calibration.slope)
    shift = 0.0 if calibration is None else float(calibration.shift[c] - calibration.shift[d])
    start = model.additive.base if step else model.additive.start
    base = slope * float(start[c] - start[d]) + shift
    unit, size = ("points", step / math.log(2.0)) if step else ("log-odds", 1.0)
    lines = [(n, _stops(model, usual_column(page.table, n), (c, d, slope), bool(step))) for n in page.columns]
    lines = [] if why else [(n, s) for n, s in lines if len(s) > 1][:MOST_SCALES]
    weights = [s.weight for _, stops in lines for s in stops] or [0.0]
    ends = (min([*weights, 0.0]), max([*weights, 0.0]))
    drawn = [
        {
            "column": n,
            "svg": scale_line(
                f"{n}: what each value adds", [(s.words, s.weight) for s in stops if s.marked], ends
            ),
            "stops": [
                [s.value, s.words if s.marked else "", round(s.weight, 4), place(s.weight, ends)]
                for s in stops
            ],
        }
        for n, stops in lines
    ]
    top = scale_line(unit, [(_tick(t), t) for t in ticks(*ends)] if ends[0] < ends[1] else [], ends)
    every = sum_ends(page, model, size)
    span = every.get((c, d), (-FAR * size, FAR * size))  # a single class has no pair
    odds = [(f"{100 * s:g} %", size * math.log(s / (1 - s))) for s in SHARES]
    inside = [(t, o) for t, o in odds if span[0] <= o <= span[1]]
    return {
        "classes": [c, d],
        "ends": ends,
        "axis": top,
        "lines": drawn,
        "why": why,
        "begins": "before any column spoke" if step or not model.additive.averages else AVERAGE,
        "unit": unit,
        "size": size,
        "left": max(0, len(page.columns) - len(drawn)),
        "base": base if math.isfinite(base) else 0.0,
        "sum_ends": span,
        "sums": {f"{c} {d}": found for (c, d), found in every.items()},
        "sum": scale_line(f"sum of {unit}", [(_tick(t), t) for t in ticks(*span)], span),
        "share": scale_line("share of the class", inside, span),
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


def sum_ends(page: PageData, model: Additive, size: float) -> dict[tuple[int, int], tuple[float, float]]:
    """Return where the sums of most training rows lie, of each pair of classes: the 1st to the 99th
    percentile, to the next round number, and never beyond FAR. size: of a unit of log-odds.
    """
    assert page.table.classes is not None
    kept = np.arange(0, page.table.rows, max(1, -(-page.table.rows // MOST_ROWS)))
    shares = np.concatenate([model.shares(block) for block in page.table.take(kept).blocks()])
    logs = np.log(np.maximum(shares, 1e-300))
    count = min(len(page.labels), MOST_PAIRS)
    first = sorted({*range(count), *pair(page)})
    out = {}
    for c, d in itertools.permutations(first, 2):
        leads = np.clip(logs[:, c] - logs[:, d], -FAR, FAR) * size
        low, high = np.quantile(leads, [0.01, 0.99], method="inverted_cdf")
        rounded = around(min(float(low), 0.0), max(float(high), 0.0), 8)
        out[c, d] = (rounded[0], rounded[-1]) if rounded[0] < rounded[-1] else (-size, size)
    return out


def _tick(value: float) -> str:
    return f"{value:+g}" if value else "0"


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
    # the levels that part any two classes most: the page can ask for another pair
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


FEW, MANY = 10, 40  # lines of a table: of a model that is shown small, and large
FEW_WORDS, MANY_WORDS = 5, 12  # words shown for a class
MOST_WEIGHED_CLASSES = 12  # classes whose words are shown
FEW_CLASSES = 4  # with more, a value is shown with the class of its largest weight
WordWeight = tuple[str, str, str, float]  # class, column, word, weight for the class


def bayes_weights(page: PageData, model: NaiveBayesModel, large: bool) -> dict[str, Any]:
    """Return the strongest votes of naive Bayes, and words by class."""
    words = (
        (label, v.column, v.value, v.weight)
        for label in page.labels
        for v in votes(model, label)
        if math.isfinite(v.weight)
    )
    found = _votes(page, model, MANY if large else FEW)
    return found | {"words": _words_by_class(page, words, MANY_WORDS if large else FEW_WORDS)}


def logistic_weights(page: PageData, model: LogisticModel, large: bool) -> dict[str, Any]:
    """Return the odds of logistic regression, and words by class."""
    words: list[WordWeight] = []
    for part in (p for p in model.parts if isinstance(p, WordWeights)):
        names, table = model.schema[part.name].words, part.weights
        if model.links == 1:  # one set of weights, towards the second class
            table = np.column_stack([-table[:, 0], table[:, 0]])
        for c, label in enumerate(page.labels):
            for word in np.argsort(-table[:, c], kind="stable")[:MANY_WORDS].tolist():
                words.append((label, part.name, names[word], float(table[word, c])))
    found = _odds(page, model, MANY if large else FEW)
    return found | {"words": _words_by_class(page, words, MANY_WORDS if large else FEW_WORDS)}


def _texts(page: PageData) -> set[str]:
    return {c.name for c in page.table.schema.used if c.kind == "text"}


def _votes(page: PageData, model: NaiveBayesModel, most: int) -> dict[str, Any]:
    texts = _texts(page)
    found = [v for v in votes(model) if math.isfinite(v.weight) and v.column not in texts]
    if len(page.labels) > FEW_CLASSES:  # a line for every class would be the same thing many times
        best = {(v.column, v.value): v for v in sorted(found, key=lambda v: v.weight)}
        found = sorted(best.values(), key=lambda v: -v.weight)
    top = max([abs(v.weight) for v in found] or [1.0])
    rows = [
        {
            "name": f"{v.column} {'' if v.value[:2] in ('< ', '>=') else '= '}{v.value}",
            "of": v.label,
            "weight": f"{v.weight:+.2f}",
            "odds": _ratio(v.weight),
            "bar": signed_bar(v.weight, top, f"log-odds {v.weight:+.2f} for {v.label}"),
        }
        for v in found[:most]
    ]
    left = max(0, len(found) - len(rows))
    return {"kind": "votes", "rows": rows, "left": left, "errors": False, "spread": False}


def _odds(page: PageData, model: LogisticModel, most: int) -> dict[str, Any]:
    numeric = [c.name for c in page.table.schema.used if c.kind == "numeric"]
    spread = {name: _spread(page.table.column(name)) for name in numeric}
    figures = [f for f in Summary(model).figures if f.name != "(constant)"]
    sizes = {id(f): f.estimate * spread.get(f.name, 1.0) for f in figures}
    ordered = sorted(figures, key=lambda f: (-abs(sizes[id(f)]), f.name, f.of))
    top = max([abs(sizes[id(f)]) for f in ordered[:most]] or [1.0]) or 1.0
    rows = [
        {
            "name": f.name,
            "of": f.of,
            "weight": f"{f.estimate:+.3g}",
            "odds": _ratio(f.estimate),
            "ends": "" if f.odds_interval is None else between(*f.odds_interval, ".3g"),
            "p": "" if f.p is None else "< 0.001" if f.p < 0.001 else f"{f.p:.3f}",
            "bar": signed_bar(
                sizes[id(f)],
                top,
                f"log-odds {sizes[id(f)]:+.3g} for {f.of}"
                + (f" by one standard deviation, {spread[f.name]:.3g}" if f.name in spread else ""),
            ),
        }
        for f in ordered[:most]
    ]
    return {
        "kind": "odds",
        "rows": rows,
        "left": max(0, len(ordered) - len(rows)),
        "errors": any(r["ends"] for r in rows),
        "spread": any(f.name in spread for f in ordered[:most]),
        "bases": compared_words(model).strip(),
    }


def _spread(values: NDArray[np.float64]) -> float:
    """Return the standard deviation of the numbers that are known, looked at some at a time."""

    def parts() -> Iterator[NDArray[np.float64]]:
        return (part[~np.isnan(part)] for part in (values[s] for s in steps(len(values))))

    known = sum(map(len, parts()))
    if not known:
        return 0.0
    mean = sum(float(part.sum()) for part in parts()) / known
    return math.sqrt(sum(float(((part - mean) ** 2).sum()) for part in parts()) / known)


# -- words --


def _words_by_class(page: PageData, words: Iterable[WordWeight], most: int) -> list[dict[str, Any]]:
    """Return for each class the words that speak most for it; nothing where there is no text column."""
    texts = sorted(_texts(page))
    if not texts:
        return []
    by_class: dict[str, list[tuple[float, str]]] = {}
    for label, column, word, weight in words:
        if column in texts and weight > 0:
            name = word if len(texts) == 1 else f"{column}: {word}"
            by_class.setdefault(label, []).append((weight, name))
    shown = [label for label in page.labels if by_class.get(label)][:MOST_WEIGHED_CLASSES]
    best = {label: sorted(by_class[label], key=lambda w: (-w[0], w[1]))[:most] for label in shown}
    top = max((words[0][0] for words in best.values()), default=1.0)
    return [
        {
            "label": label,
            "number": page.labels.index(label),
            "rows": [
                {"word": word, "weight": f"{w:+.2f}", "share": w / top, "words": f"log-odds {w:+.2f}"}
                for w, word in best[label]
            ],
        }
        for label in shown
    ]


def _ratio(weight: float) -> str:
    if weight > 13.8:
        return "> 1,000,000"
    ratio = math.exp(weight)
    if abs(ratio - 1) < 0.01 and weight:  # "1" would say that nothing changes
        return f"{ratio:.5f}".rstrip("0")
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"
