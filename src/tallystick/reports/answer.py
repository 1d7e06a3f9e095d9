"""What decides the target, in plain sentences with numbers, made from the chosen model.

Knows fitted models and their training table. Knows nothing of HTML.
Laws: every number is counted from the rows or read off the model; what goes together is said, what causes
what is never claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.schema import CODED, Column
from tallystick.data.table.ranks import quantiles
from tallystick.data.text import quantity
from tallystick.description import ColumnView
from tallystick.draw.text import between, class_words
from tallystick.errors import counted
from tallystick.explain.logistic import Figure, Summary
from tallystick.explain.naive_bayes import value_names
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.parts import Cells, Slope, WordWeights
from tallystick.models.naive_bayes import Counted, NaiveBayesModel, Summed, Worded
from tallystick.models.tree.sentences import number
from tallystick.reports.column_effects import pulls
from tallystick.reports.cuts import told_cut
from tallystick.reports.sentences import Name, Said, listed, of_100, say, times

MOST_LEVELS = 20  # of a column that can be said to tell something alone
LOOKED, TELLING = 4, 0.05  # columns whose values may be told, and how far beyond all rows a share must be
FEWEST, FEW = 10, 0.01  # rows, or the share of all: groups of fewer are not told of
ENOUGH = 0.75  # of what the model gains over the baseline, for one column to be said to tell the target


@dataclass(frozen=True)
class ValueGroup:
    """Some rows: what their value of a column is, in words that follow "where it is", and their counts by
    class. missing: whether it is missing.
    """

    words: str
    counts: tuple[float, ...]
    missing: bool = False

    @property
    def rows(self) -> float:
        """How many."""
        return sum(self.counts)

    @property
    def best(self) -> int:
        """The most frequent class, the first of equals."""
        return int(np.argmax(self.counts))


# -- one column alone --


def alone(table: Table, view: ColumnView) -> list[ValueGroup]:
    """Return the groups that one column makes: its levels, or the two sides of its best cut; [] if it has
    too many.
    """
    column = table.schema[view.name]
    parts = [p for p in view.distribution if p.by_class]
    if column.kind in CODED:
        if len(column.levels) > min(MOST_LEVELS, max(2, table.rows // 10)):
            return []
        groups = [ValueGroup(p.label, p.by_class) for p in parts]
        missing = np.asarray(table.column(column.name)) >= len(column.levels)
    elif column.kind == "numeric" and isinstance(view.cut, float):
        values = table.column(column.name)
        told = told_cut(view.cut, column, values)
        groups = [
            ValueGroup(f"< {told}", _counts(table, values < view.cut)),
            ValueGroup(f"≥ {told}", _counts(table, values >= view.cut)),
        ]
        missing = np.isnan(values)
    else:
        return []
    if missing.any():
        groups.append(ValueGroup("missing", _counts(table, missing), missing=True))
    return [g for g in groups if g.rows]


def _counts(table: Table, here: NDArray[np.bool_]) -> tuple[float, ...]:
    assert table.classes is not None
    weights = None if table.weights is None else table.weights[here] / table.unit
    full = np.bincount(table.classes[here], weights, minlength=len(table.schema.predicted.labels))
    return tuple(float(n) for n in full)


def tells(groups: Sequence[ValueGroup], base: float, reached: float) -> bool:
    """Say whether answering each group's most frequent class gains most of what the model gains."""
    rows = sum(g.rows for g in groups)
    if not rows or reached <= base:
        return False
    right = sum(g.counts[g.best] for g in groups) / rows
    return right - base >= ENOUGH * (reached - base) and right - base > 0.01


def alone_sentence(table: Table, column: str, groups: Sequence[ValueGroup]) -> Said:
    """Return what one column tells, and its two or three largest groups."""
    target, labels = table.schema.predicted.name, table.schema.predicted.labels
    rows = sum(g.rows for g in groups)
    right = sum(g.counts[g.best] for g in groups) / rows
    first = say(
        "One column, {}, predicts {} correctly for {} rows.",
        Name(column),
        Name(target),
        of_100(right, about=True),
    )
    known = [g for g in groups if not g.missing] or list(groups)
    shown = sorted(known, key=lambda g: (-g.rows, g.words))[:3]
    parts = [
        say(
            "where it is {}, {} {} {}",
            Name(g.words),
            of_100(g.counts[g.best] / g.rows),
            "is" if of_100(g.counts[g.best] / g.rows) == "none" else "are",
            Name(class_words(labels[g.best])),
        )
        for g in shown
    ]
    return first + _sentence(parts)


def furthest(groups: Sequence[ValueGroup], *only: int) -> tuple[ValueGroup, int]:
    """Return the group and the class of which it has most beyond the class's share of all rows; only: the
    classes to look for, if not all.
    """
    rows = sum(g.rows for g in groups)
    shares = [sum(g.counts[c] for g in groups) / rows for c in range(len(groups[0].counts))]
    large = [g for g in groups if g.rows >= min(FEWEST, FEW * rows)]  # what a row or two tell is chance
    every = [(g, c) for g in large for c in only or range(len(shares))]

    def beyond(one: tuple[ValueGroup, int]) -> tuple[float, float]:
        group, c = one
        share = group.counts[c] / group.rows - shares[c]
        return round(group.rows * share, 6), share  # of two groups both have as many: the clearer one

    return max(every, key=beyond)


def conditions(table: Table, views: Sequence[ColumnView], order: Sequence[str]) -> Said | None:
    """Return what the most telling values of the strongest columns go with, at most two, of two classes where
    that can be; None where no value tells enough.
    """
    labels, told, said = table.schema.predicted.labels, [], set[int]()
    known = {v.name: v for v in views}
    for name in order[:LOOKED]:
        groups = [g for g in alone(table, known[name]) if not g.missing]
        open_ = [c for c in range(len(labels)) if c not in said]
        if len(groups) < 2 or not open_:
            continue
        group, c = furthest(groups, *open_)
        share, rows = group.counts[c] / group.rows, sum(g.rows for g in groups)
        if share - sum(g.counts[c] for g in groups) / rows >= TELLING:
            told.append(
                say(
                    "where {} is {}, {} are {}",
                    Name(name), Name(group.words), of_100(share), Name(class_words(labels[c])),
                )
            )  # fmt: skip
            said.add(c)
        if len(told) == 2:
            break
    return _sentence(told) if told else None


def _sentence(parts: Sequence[Said]) -> Said:
    """Return parts as one sentence: joined by semicolons, the first letter large."""
    out: list[Any] = []
    for k, part in enumerate(parts):
        out.append(say("{}{}", "; " if k else "", part))
    pieces = [p for said in out for p in said.pieces if p.text]
    first = pieces[0]
    pieces[0] = type(first)(first.text[:1].upper() + first.text[1:], first.name)
    return Said((*pieces, type(first)(".")))


# -- naive Bayes --


def bayes_sentences(model: NaiveBayesModel, table: Table, views: Sequence[ColumnView]) -> list[Said]:
    """Return what the strongest column tells, and how its values are spread over the classes."""
    weights = pulls(model, table)
    order = sorted(weights, key=lambda n: (-weights[n], n))
    first = strongest(table, views, order, reached(model, table))
    part = next(p for p in model.parts if p.name == order[0])
    return [first, _spread(model, part)]


def reached(model: Any, table: Table) -> float:
    """Return the accuracy on the training rows."""
    assert table.classes is not None
    right = rows = 0.0
    start = 0
    for block in table.blocks():
        weight = np.ones(block.rows) if block.weights is None else block.weights
        hit = model.decide(model.shares(block)) == table.classes[start : start + block.rows]
        right, rows, start = right + float(weight[hit].sum()), rows + float(weight.sum()), start + block.rows
    return right / rows


def strongest(table: Table, views: Sequence[ColumnView], order: Sequence[str], reached: float) -> Said:
    """Return that one column tells the target, or which columns weigh most."""
    groups = alone(table, next(v for v in views if v.name == order[0]))
    if groups:
        full = np.sum([g.counts for g in groups], axis=0)
        if tells(groups, float(full.max() / full.sum()), reached):
            return alone_sentence(table, order[0], groups)
    target = Name(table.schema.predicted.name)
    if len(order) == 1:
        return say("The column {} alone decides {}.", Name(order[0]), target)
    first = say("No single column decides {}; {} weigh most.", target, listed(order[:3]))
    more = conditions(table, views, order)
    return first if more is None else first + more


def _spread(model: NaiveBayesModel, part: Any) -> Said:
    labels = model.schema.predicted.labels
    if isinstance(part, Worded):
        return _word_sentence(part.name, _heard(model, part), labels, model.schema[part.name])
    c, d = _two(model.classes)
    if isinstance(part, Summed):
        unit = model.schema[part.name].unit
        means = [quantity(float(mean), unit, 4) for mean in part.means()]
        return say(
            "The mean of {} is {} where {} is {}, and {} where it is {}.",
            Name(part.name), means[c], Name(model.schema.predicted.name), Name(labels[c]),
            means[d], Name(labels[d]),
        )  # fmt: skip
    counts = part.counts.astype(float)
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    names = value_names(model, part)
    v = int(np.argmax(np.abs(shares[:, c] - shares[:, d])))
    binned = isinstance(part, Counted) and part.distribution == "binned"
    value = names[v] if binned and names[v][0] in "<>" else f"{'of ' if binned else '= '}{names[v]}"
    return say(
        "Of the {} rows, {} have {}; of the {} rows, {}.",
        Name(labels[c]), of_100(float(shares[v, c])), Name(f"{part.name} {value}"),
        Name(labels[d]), of_100(float(shares[v, d])),
    )  # fmt: skip


def _two(classes: NDArray[Any]) -> tuple[int, int]:
    """Return the two most frequent classes."""
    order = np.argsort(-np.asarray(classes), kind="stable")
    return int(order[0]), int(order[min(1, len(order) - 1)])


def _heard(model: NaiveBayesModel, part: Worded) -> NDArray[np.float64]:
    """Return weights[word, class]: a word that many rows have speaks louder."""
    heard: NDArray[np.float64] = np.sqrt(np.asarray(part.counts).sum(axis=1))
    return _word_parts(model, part.name) * heard[:, None]


def _word_parts(model: NaiveBayesModel | LogisticModel, column: str) -> NDArray[np.float64]:
    """Return what each word of a column adds [word, class]; what no number can say counts as nothing."""
    term: Any = next(t for t in model.additive.terms if t.column == column)
    return np.where(np.isfinite(term.words), term.words, 0.0)


def _word_sentence(name: str, weights: NDArray[np.float64], labels: Sequence[str], column: Column) -> Said:
    """Return the words that raise the odds of each of two classes most."""
    c, d = (0, 1) if len(labels) == 2 else _two(np.abs(weights).sum(axis=0))
    lead = weights[:, c] - weights[:, d]
    order = np.argsort(-lead, kind="stable")
    return say(
        "In {}, the words {} raise the odds of {} most, and {} those of {}.",
        Name(name), listed([column.words[i] for i in order[:3]]), Name(labels[c]),
        listed([column.words[i] for i in order[::-1][:3]]), Name(labels[d]),
    )  # fmt: skip


# -- logistic regression --


def logistic_sentences(model: LogisticModel, table: Table, views: Sequence[ColumnView]) -> list[Said]:
    """Return what the strongest column tells, and by what it multiplies the odds."""
    weights = pulls(model, table)
    order = sorted(weights, key=lambda n: (-weights[n], n))
    known = [n for n in order if n in {v.name for v in views}]
    first = strongest(table, views, known, reached(model, table))
    part = next(p for p in model.parts if p.name == order[0])
    odds = _odds(model, table, part)
    return [first] if odds is None else [first, odds]


def _odds(model: LogisticModel, table: Table, part: Any) -> Said | None:
    labels = model.labels
    if isinstance(part, WordWeights):
        weights = _word_parts(model, part.name)
        return _word_sentence(part.name, weights, labels, model.schema[part.name])
    term = next(t for t in model.additive.terms if t.column == part.name)
    assert table.classes is not None
    c, d = _two(np.bincount(table.classes, minlength=len(labels)))
    if isinstance(part, Cells):
        levels = model.schema[part.name].levels
        lead = term.table[: len(levels), c] - term.table[: len(levels), d]  # type: ignore[attr-defined]
        own = np.bincount(np.asarray(table.column(part.name)).astype(np.int64), minlength=len(levels))
        often = np.flatnonzero(own[: len(levels)] >= FEW * table.rows)  # what few rows tell is not led with
        often = often if len(often) > 1 else np.arange(len(levels))
        base = int(np.argmax(own[: len(levels)]))  # what the level is compared with: most rows have it
        away = lead - lead[base]
        far = int(often[np.argmax(np.abs(away[often]))])
        up, down = (far, base) if away[far] >= 0 else (base, far)
        ratio, ends = float(np.exp(lead[up] - lead[down])), (levels[up], levels[down])
        interval = _level_interval(model, part.name, (levels[base], levels[far]))
        rows = (int(own[up]), int(own[down]))
        return _odds_sentence(part.name, (labels[c], labels[d]), ratio, ends, interval, rows)
    if isinstance(part, Slope):
        column = model.schema[part.name]
        values = table.column(part.name)
        low, high = quantiles(values, [0.25, 0.75])
        slope = float(term.slope[c] - term.slope[d])  # type: ignore[attr-defined]
        if low == high:  # most rows have one value: beside it the middle of the others, not the largest
            others = values[(values != low) & ~np.isnan(values)]
            low, high = sorted((low, *quantiles(others, [0.5]))) if len(others) else (low, high)
        low, high = _few_digits(low, high, column)
        ends_of = (number(high, column), number(low, column))
        ratio = float(np.exp(min(abs(slope * (high - low)), 700.0)))
        figure = _figures(model).get(part.name)
        interval = _raised(figure, high - low, (figure is not None) and figure.estimate > 0)
        ends_of = ends_of if slope > 0 else ends_of[::-1]
        return _odds_sentence(part.name, (labels[c], labels[d]), ratio, ends_of, interval)
    return None


def _figures(model: LogisticModel) -> dict[str, Figure]:
    """Return the coefficients of two classes by name; nothing of more, whose ratios are differences."""
    return {f.name: f for f in Summary(model).figures} if len(model.labels) == 2 else {}


def _level_interval(model: LogisticModel, name: str, levels: tuple[str, str]) -> tuple[float, float] | None:
    """Return the interval of the odds of a level against the base level; None where the model's table does
    not compare these two.
    """
    figures, (base, far) = _figures(model), levels
    if f"{name} = {base}" in figures:  # a weight of its own: the error of the difference is not there
        return None
    figure = figures.get(f"{name} = {far}")
    return _raised(figure, 1.0, figure is not None and figure.estimate > 0)


def _raised(figure: Figure | None, size: float, up: bool) -> tuple[float, float] | None:
    """Return the interval of the odds ratio of a change, as a ratio above 1."""
    if figure is None or figure.interval is None:
        return None
    low, high = (float(np.exp(np.clip(size * end, -700.0, 700.0))) for end in figure.interval)
    return (low, high) if up else (1 / high, 1 / low)


def _few_digits(low: float, high: float, column: Column) -> tuple[float, float]:
    """Return two numbers to speak of: fractions in four digits, where these still differ."""
    short = [v if v.is_integer() else float(f"{v:.4g}") for v in (low, high)]
    return (low, high) if column.unit or short[0] == short[1] else (short[0], short[1])


def _odds_sentence(
    column: str,
    classes: tuple[str, str],
    ratio: float,
    ends: tuple[str, str],
    interval: tuple[float, float] | None = None,
    rows: tuple[int, int] | None = None,
) -> Said:
    """Return the odds where a column is one value against another. rows: training rows with each."""
    sure = "" if interval is None else f" (95 % interval {between(*interval, '.3g')})"
    counts = ["", ""] if rows is None else [f" ({counted(n, 'row')})" for n in rows]
    names = [Name(text) for text in (column, *ends)]
    return say(
        "With the other columns unchanged, the model's odds of {} against {} are {} times as high{} where {} "
        "is {}{} as where it is {}{}.",
        *(Name(class_words(label)) for label in classes), times(ratio), sure,
        names[0], names[1], counts[0], names[2], counts[1],
    )  # fmt: skip
