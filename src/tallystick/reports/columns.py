"""The report's data section (checks, columns with distributions), column rankings, and sentences for numbers.

Parts: the data section, entry `data_section()`; the variance that one column explains; columns ranked by how
far they move the model, entry `ranking()`; the answer for a target of numbers, entry
`tree_number_sentences()`, `additive_number_sentences()`.
pull = how far a column moves the model's answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.description.columns import ColumnView, Part
from tallystick.draw.charts import INK, histogram, length_bar, split_bars, split_lines
from tallystick.draw.svg import between, brief, class_words, cut, percent, width
from tallystick.errors import clean, counted, for_reader
from tallystick.explanation.effects import column_effect
from tallystick.reports.answer import (
    TELLING,
    Name,
    Sentence,
    column_alone,
    furthest,
    informative_words,
    is_rare,
    say,
)
from tallystick.reports.context import PageData, additive_pulls, class_colours
from tallystick.schema import CODED, Column
from tallystick.text import figure
from tallystick.tree.explain import cut_text
from tallystick.tree.model import Tree
from tallystick.tree.report import way_words

OPEN = 30  # columns shown at once; the rest unfolds
MOST = 300  # columns shown at all
MOST_LINES = 6  # levels that are drawn where their names have no room under bars: five, and the others
MOST_NOTES = 60
LONGEST_NAME = 28  # characters of the names under all bars together


def data_section(page: PageData) -> dict[str, Any]:
    """Return the checks, the target, the columns and the notes, as the page shows them."""
    found, schema = page.description, page.table.schema
    part: dict[str, Any] = {}
    if page.is_number:
        every = {c.name: variance_share(page.table, c) for c in schema.used}
        shares = {name: 0.0 if one is None else one.share for name, one in every.items()}
        ranked = sorted(found.columns, key=lambda v: (-shares.get(v.name, 0.0), v.name))
        most = max(shares.values(), default=0.0) or 1.0
        rows = [
            column_row(view, schema[view.name], found.rows, (), 1.0, (INK,))
            | _means(every.get(view.name), most)
            for view in ranked[:MOST]
        ]
        part["target"] = _target(page.table)
    else:
        ranked = sorted(found.columns, key=lambda c: (*c.rank, c.name))
        most = max([c.gain or 0.0 for c in ranked] or [0.0]) or 1.0
        colours = class_colours(page)
        rows = [column_row(c, schema[c.name], found.rows, page.labels, most, colours) for c in ranked[:MOST]]
        part["classes"] = [
            {"label": p.label, "rows": f"{p.rows:,}", "share": percent(p.rows / max(found.rows, 1))}
            for p in found.classes
        ]
        part["entropy"] = f"{found.entropy or 0.0:.3f}"
    notes = list(dict.fromkeys(for_reader(n.text) for n in dict.fromkeys(found.notes)))
    return part | {
        "checks": [c.to_dict() for c in page.comparison.checks],
        "rows": rows[:OPEN],
        "more": rows[OPEN:],
        "left": len(ranked) - len(rows),
        "notes": notes[:MOST_NOTES],
        "notes_left": max(0, len(notes) - MOST_NOTES),
        "form": found.form,
    }


def column_row(
    view: ColumnView,
    column: Column,
    rows: int,
    labels: Sequence[str],
    most: float,
    colours: Sequence[str] = (),
) -> dict[str, Any]:
    """Return a column as a line of the page; rows: of the table, most: the largest gain of a column; colours:
    the colours of the classes, if not in order.
    """
    rows = max(rows, 1)
    gain = "" if view.gain is None else f"{view.gain:.3f}"
    caption = {"out": "left out", "text": counted(view.distinct, "different word")}.get(view.kind, "")
    return {
        "name": view.name,
        "kind": view.kind,
        "why": for_reader(view.why),
        "missing": f"{view.missing:,}" if view.missing else "–",
        "missing_share": percent(view.missing / rows) if view.missing else "",
        "gain": gain,
        "left": "" if view.left is None else f"{view.left:.3f}",
        "gain_bar": "" if view.gain is None else length_bar(view.gain / most, f"gain {gain} bits"),
        "cut": _cut(view, column),
        "bars": _bars(view, column, labels, colours),
        "caption": caption,
    }


def _cut(view: ColumnView, column: Column) -> str:
    if view.cut is None:
        return ""
    if isinstance(view.cut, float):
        return f"best cut: < {figure(view.cut, column.unit, 6)}"
    return f"best {'word' if view.kind == 'text' else 'cut: <'} {cut(clean(view.cut), 24)}"


def _bars(view: ColumnView, column: Column, labels: Sequence[str], colours: Sequence[str]) -> str:
    parts = list(view.distribution)
    # where the names of levels have no room under bars, they stand beside lines
    lines = bool(parts) and parts[0].low is None
    lines = lines and any(width(clean(p.label)) > LONGEST_NAME // len(parts) for p in parts)
    parts = _shown(view, column) if lines else parts
    if not parts:
        return ""
    hints = [f"{_name(p, column)}: {_row_counts(p, labels)}" for p in parts]
    words = f"distribution of {view.name}{' by class' if parts[0].by_class else ''}: " + "; ".join(hints[:6])
    counts = [p.by_class or (p.rows,) for p in parts]
    if lines:
        whole = max((p.rows for p in parts if p.label in column.levels), default=0)  # others may go beyond
        return split_lines(counts, words, hints, [p.label for p in parts], colours, whole)
    under = [clean(p.label) for p in parts]
    if column.kind == "numeric" and column.low is not None and column.high is not None:
        under = [figure(v, column.unit, 6) for v in (column.low, column.high)]
    return split_bars(counts, words, hints, under, colours)


def _shown(view: ColumnView, column: Column) -> list[Part]:
    """Return the levels to draw: all of a few; of many the largest, and the others as one; ordered ones in
    their order.
    """
    named = [
        p for p in view.distribution if p.label in column.levels
    ]  # of very many, the rest is one already
    order = sorted(named, key=lambda p: (-p.rows, p.label))
    kept = order if len(view.distribution) <= MOST_LINES else order[: MOST_LINES - 1]
    if column.kind == "ordered" or len(kept) == len(view.distribution):
        kept = [p for p in view.distribution if p in kept]
    left = [p for p in view.distribution if p not in kept]
    if not left:
        return kept
    by_class = tuple(sum(n) for n in zip(*(p.by_class for p in left), strict=True))
    many = len(column.levels) - len(kept)
    return [*kept, Part(f"{many:,} others", sum(p.rows for p in left), by_class=by_class)]


def _name(part: Part, column: Column) -> str:
    return f"from {figure(part.low, column.unit, 6)}" if part.low is not None else part.label


def _row_counts(part: Part, labels: Sequence[str]) -> str:
    if not part.by_class:
        return counted(part.rows, "row")
    counts = zip(labels, part.by_class, strict=True)
    shown = sorted(counts, key=lambda c: -c[1])[:4]
    return f"{counted(part.rows, 'row')} (" + ", ".join(f"{label} {n:,}" for label, n in shown if n) + ")"


# One column against a target of numbers: the share of the target's variance between its levels, or between
# the two sides of its best cut; rows without a value are a group of their own.


Floats = NDArray[np.float64]

MOST_LEVELS = 200  # levels that a column called a predictor by itself may have
LETTERS = 30  # characters of a level


@dataclass(frozen=True)
class MeanGroup:
    """Some rows: their value of a column in words that follow "where it is", how many, their mean."""

    words: str
    rows: float
    mean: float
    missing: bool = False


@dataclass(frozen=True)
class VarianceShare:
    """What one column says of a number: its share of the variance, and its groups."""

    share: float
    groups: tuple[MeanGroup, ...]

    @property
    def furthest(self) -> MeanGroup | None:
        """The group that moves the mean most, by its rows and its distance."""
        known = [g for g in self.groups if not g.missing]
        rows = sum(g.rows for g in self.groups) or 1.0
        mean = sum(g.rows * g.mean for g in self.groups) / rows
        return max(known, key=lambda g: (g.rows * abs(g.mean - mean), g.words), default=None)


def row_weights(table: Table) -> Floats:
    """Return the weight of each row."""
    return np.ones(table.rows) if table.weights is None else table.weights / table.unit


def variance_share(table: Table, column: Column) -> VarianceShare | None:
    """Return what one column says of the target; None for text, or too many levels."""
    response, weight = table.response, row_weights(table)
    assert response is not None
    if column.kind in CODED:
        if not 2 <= len(column.levels) <= MOST_LEVELS:
            return None
        codes = np.minimum(np.asarray(table.column(column.name)).astype(np.int64), len(column.levels))
        return _grouped(response, weight, codes, [*column.levels, "missing"], len(column.levels))
    if column.kind != "numeric":
        return None
    values = np.asarray(table.column(column.name))
    at = best_cut(values, response, weight)
    if at is None:
        return None
    shown = cut_text(at, column, values)
    codes = np.where(np.isnan(values), 2, (values >= at).astype(np.int64))
    return _grouped(response, weight, codes, [f"< {shown}", f"≥ {shown}", "missing"], 2)


def _grouped(
    response: Floats, weight: Floats, codes: NDArray[np.int64], names: list[str], gone: int
) -> VarianceShare:
    rows = np.bincount(codes, weight, minlength=len(names))
    sums = np.bincount(codes, weight * response, minlength=len(names))
    means = sums / np.where(rows > 0, rows, 1.0)
    middle = float(sums.sum() / rows.sum())
    spread = float((weight * (response - middle) ** 2).sum())
    between = float((rows * (means - middle) ** 2)[rows > 0].sum())
    groups = tuple(
        MeanGroup(names[k], float(rows[k]), float(means[k]), k == gone) for k in np.flatnonzero(rows).tolist()
    )
    return VarianceShare(min(between / spread, 1.0) if spread else 0.0, groups)


def best_cut(values: Floats, response: Floats, weight: Floats) -> float | None:
    """Return the cut of a number whose two sides differ most; None where there is one value alone."""
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    x = values[order]
    change = np.flatnonzero(np.diff(x) > 0)
    if not len(change):
        return None
    w = np.cumsum(weight[order])
    s = np.cumsum((weight * response)[order])
    left, below = w[change], s[change]
    right, above = w[-1] - left, s[-1] - below
    gain = below**2 / left + above**2 / np.where(right > 0, right, 1.0)
    at = int(change[int(np.argmax(gain))])
    return float(x[at] + (x[at + 1] - x[at]) / 2)


def _means(one: VarianceShare | None, most: float) -> dict[str, str]:
    """Return the share of the variance that a column explains, and the means of its largest groups."""
    if one is None:
        return {"alone": "", "alone_bar": "", "means": ""}
    groups = sorted(one.groups, key=lambda g: (-g.rows, g.words))[:3]
    means = "; ".join(f"{cut(clean(g.words), LETTERS)}: {brief(g.mean)}" for g in groups)
    left = len(one.groups) - len(groups)
    return {
        "alone": percent(one.share, 0),
        "alone_bar": length_bar(one.share / most, f"{percent(one.share)} of the variance"),
        "means": means + (f"; {left:,} more" if left else ""),
    }


def _target(table: Table) -> dict[str, Any]:
    """Return how the numbers lie: a picture, and a few of them."""
    response, weight = table.response, row_weights(table)
    assert response is not None
    order = np.argsort(response, kind="stable")
    full = np.cumsum(weight[order])
    places = [int(np.searchsorted(full, share * full[-1])) for share in (0.0, 0.25, 0.5, 0.75)]
    values = [float(response[order[min(p, len(order) - 1)]]) for p in places] + [float(response.max())]
    mean = float(np.average(response, weights=weight))
    spread = float(np.sqrt(np.average((response - mean) ** 2, weights=weight)))
    names = ("lowest", "a quarter at or below", "half at or below", "three quarters at or below", "highest")
    return {
        "svg": histogram(response, weight, clean(table.schema.predicted.name)),
        "numbers": [
            *((name, brief(value)) for name, value in zip(names, values, strict=True)),
            ("mean", brief(mean)),
            ("standard deviation", brief(spread)),
        ],
    }


# The ranking: columns that move the model most, with a bar each. Bars are shares of one whole, so that they
# can be compared; the last line counts the columns left out.


MOST_RANKED = 8  # columns on the first screen
FEW = 4  # columns: beside fewer there is room for the words of a text
WIDE, TALL = 150.0, 12.0  # pixels of a bar


def ranking(page: PageData) -> dict[str, Any]:
    """Return the first columns, how far each moves the model, and what its most telling value says."""
    views = {v.name: v for v in page.description.columns}
    weights, by = {n: w for n, w in page.weights.items() if n in views and w > 0}, "of what moves the model"
    if not weights and page.is_number:  # nothing moves the model: what the columns say alone
        every = {c.name: variance_share(page.table, c) for c in page.table.schema.used}
        weights = {n: one.share for n, one in every.items() if one is not None and one.share > 0}
        by = "of what the columns tell, each alone"
    elif not weights:
        weights = {n: v.left for n, v in views.items() if v.left is not None and v.left > 0}
        by = "of the bits that the columns tell, each alone"
    order = sorted(weights, key=lambda n: (-weights[n], n))
    total, top = sum(weights.values()) or 1.0, max(weights.values(), default=1.0)
    rows = [
        {
            "name": name,
            "share": percent(weights[name] / total, 0),
            "bar": length_bar(weights[name] / top, f"{percent(weights[name] / total)} {by}", WIDE, TALL),
            "says": _furthest_mean(page, name) if page.is_number else _furthest_share(page, views[name]),
        }
        for name in order[:MOST_RANKED]
    ]
    rest = sum(weights[n] for n in order[MOST_RANKED:]) / total
    more = counted(len(order) - MOST_RANKED, "more column") if len(order) > MOST_RANKED else ""
    single = len(rows) == 1  # nothing to rank
    if not page.is_number:
        single = len(views) == 1 or (single and views[order[0]].kind == "text")
    return {
        "rows": rows,
        "alone": single,
        "by": by,
        "rest": more,
        "rest_share": percent(rest, 0) if more else "",
        "words": None if page.is_number or len(rows) >= FEW else _words(page, order),
    }


def _words(page: PageData, order: Sequence[str]) -> dict[str, Any] | None:
    """Return the most telling words of the text that moves the model most, or of the first; None without."""
    texts = [c.name for c in page.table.schema.used if c.kind == "text"]
    if not texts:
        return None
    name = next((n for n in order if n in texts), texts[0])
    return {
        "column": name,
        "used": name in order,
        "rows": [
            {
                "word": found.word,
                "share": percent(found.share, 0),
                "bar": length_bar(found.share, f"{percent(found.share)} of the rows with it", WIDE, TALL),
                "label": class_words(page.labels[found.label]),
                "rows": f"{found.rows:,.0f}",
            }
            for found in informative_words(page.table, name, MOST_RANKED)
        ],
    }


def _furthest_share(page: PageData, view: ColumnView) -> str:
    """Return the group of a column that is furthest from the shares of all rows, `y: 95 % republican`; ""
    where none is far.
    """
    if view.kind == "text":
        words = informative_words(page.table, view.name, 1)
        return "".join(_words_of(page, cut(clean(w.word), LETTERS), w.share, w.label) for w in words)
    groups = [g for g in column_alone(page.table, view) if not g.missing]
    if not groups:
        return ""
    leads = is_rare(page) and len(page.labels) == 2  # of many classes the rarest is not what is asked for
    rare = [page.labels.index(page.chosen.result.scores.positive)] if leads else []
    group, c = furthest(groups, *rare)
    base = sum(g.counts[c] for g in groups) / sum(g.rows for g in groups)
    if group.counts[c] / group.rows - base < min(TELLING, base / 2):
        return ""  # no value is far from all rows
    return _words_of(page, cut(clean(group.words), LETTERS), group.counts[c] / group.rows, c)


def _words_of(page: PageData, value: str, share: float, c: int) -> str:
    return f"{value}: {percent(share, 0)} {class_words(page.labels[c])}"


def _furthest_mean(page: PageData, name: str) -> str:
    """Return the mean of the group of a column that is furthest from that of all rows: `≥ 7: 37.2`."""
    found = variance_share(page.table, page.table.schema[name])
    group = None if found is None else found.furthest
    return "" if group is None else f"{cut(clean(group.words), LETTERS)}: {brief(group.mean)} on average"


# The first section for a target of numbers: what moves it, and the model's error. Every number is counted
# from the rows or read off the model; what causes what is never claimed.


SAMPLE = 2_000  # rows over which an effect is averaged for a sentence


def median_error(table: Table) -> float:
    """Return how far off always answering the median is, on average."""
    response, weight = table.response, row_weights(table)
    assert response is not None
    order = np.argsort(response, kind="stable")
    full = np.cumsum(weight[order])
    middle = float(response[order[int(np.searchsorted(full, full[-1] / 2))]])
    return float(np.average(np.abs(response - middle), weights=weight))


def error_sentence(page: PageData) -> Sentence:
    """Return how far off answers are: half of them, nine of ten, and on average beside the baseline."""
    result = page.chosen.result
    tested = result.fold >= 0
    away = np.abs(result.answers - result.truth)[tested]
    half, most = (brief(float(v)) for v in np.quantile(away, [0.5, 0.9], method="inverted_cdf"))
    mae, r2 = result.measure("mae"), result.measure("r2")
    return say(
        "Cross-validated, half of the answers are off by at most {}, nine of ten by at most {}; on average "
        "by {} (95 % interval: {}), where always answering the mean is off by {}. The model explains {} of "
        "the variance.",
        half, most, brief(mae.value), between(mae.low, mae.high, ".4g"), brief(mae.base or 0.0),
        percent(max(r2.value, 0.0), 0),
    )  # fmt: skip


# -- what moves the target --


def tree_number_sentences(tree: Tree, table: Table, views: Sequence[ColumnView] = ()) -> list[Sentence]:
    """Return the mean on each side of the first question, then the highest and the lowest of the groups."""
    shown = tree.shown
    nodes, target = shown.nodes, shown.schema.predicted
    if len(nodes) == 1:
        return [say("No column predicts {}: the tree asks no question.", Name(target.name))]
    name = shown.schema.used[int(nodes.column[0])].name
    first = say("The tree first asks for {}.", Name(name))
    sides = [_mean_words(shown, table, k) for k in nodes.branches(0).tolist()[:2]]
    out = [first + sides[0], *sides[1:]]
    deep = [n for n in range(1, len(nodes)) if int(nodes.depth[n]) == 2]
    if deep:
        ends = {max(deep, key=lambda n: (nodes.mean[n], -n)), min(deep, key=lambda n: (nodes.mean[n], n))}
        out += [_mean_words(shown, table, n) for n in sorted(ends, key=lambda n: -nodes.mean[n])]
    return out


def _mean_words(tree: Tree, table: Table, node: int) -> Sentence:
    words = way_words(tree, table, node)
    where = say("{}", Name(words[0])) if len(words) == 1 else say("{} and {}", Name(words[0]), Name(words[1]))
    rows = f"{float(tree.rows[node].sum()):,.10g}"
    return say(
        "Where {}, {} is {} on average ({} rows).",
        where, Name(tree.schema.predicted.name), brief(float(tree.nodes.mean[node])), rows,
    )  # fmt: skip


def additive_number_sentences(model: Any, table: Table, views: Sequence[ColumnView] = ()) -> list[Sentence]:
    """Return by how much the strongest columns move the answer, the others unchanged."""
    pulls = additive_pulls(model, table)
    out = []
    for name in sorted(pulls, key=lambda n: (-pulls[n], n))[:2]:
        if pulls[name] <= 0 or model.schema[name].kind == "text":
            continue
        points = column_effect(model, [table.local().slice(0, min(table.rows, SAMPLE))], name, 0).points
        known = [p for p in points if p.rows and p.value != "(missing)"]
        if model.schema[name].kind not in CODED:
            known = [known[len(known) // 4], known[3 * len(known) // 4]]
        low, high = min(known, key=lambda p: p.mean), max(known, key=lambda p: p.mean)
        if high.mean > low.mean:
            out.append(
                say(
                    "With the other columns unchanged, {} is {} higher where {} is {} than where it is {}.",
                    Name(model.schema.predicted.name), brief(high.mean - low.mean), Name(name),
                    Name(high.value), Name(low.value),
                )
            )  # fmt: skip
    return out
