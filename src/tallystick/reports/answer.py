"""The report's first section: sentences on what decides the target, and how well it is predicted.

Parts: sentences as pieces; one column alone; naive Bayes; logistic regression; the score; words of a text.
Entry: `predicts_alone()`, `bayes_sentences()`, `logistic_sentences()`, `score_sentences()`.
piece = some text, or a name from the user that the page sets off; group = the rows with one value of a
column. Laws: every number is counted from the rows or read off the model; what goes together is stated, never
what causes what.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.bayes.explain import value_names
from tallystick.bayes.model import Counted, NaiveBayesModel, Summed, Worded
from tallystick.contracts import Table
from tallystick.description.columns import ColumnView
from tallystick.draw.svg import between, class_words, cut, measured_percent, percent
from tallystick.errors import clean, counted
from tallystick.judge.result import RARE
from tallystick.linear.model import Cells, LogisticModel, Slope, WordWeights
from tallystick.linear.summary import Figure, Summary
from tallystick.model.conditions import number
from tallystick.reports.context import PageData, pulls
from tallystick.schema import CODED, Column
from tallystick.table.ranks import quantiles
from tallystick.text import quantity
from tallystick.tree.explain import cut_text

# Sentences as pieces (text, names, numbers), so that each renderer sets names off in its own way. A share is
# never rounded to all or none unless it is.


LONGEST = 200  # characters of a name in a sentence


@dataclass(frozen=True)
class Piece:
    """Some text; a name came from a user."""

    text: str
    name: bool = False


@dataclass(frozen=True)
class Sentence:
    """One sentence or more."""

    pieces: tuple[Piece, ...]

    def __str__(self) -> str:
        return "".join(p.text for p in self.pieces)

    def __add__(self, other: Sentence) -> Sentence:
        return Sentence((*self.pieces, Piece(" "), *other.pieces))


@dataclass(frozen=True)
class Name:
    """A text of the user's, to be set off."""

    text: str


def say(template: str, *given: object) -> Sentence:
    """Return the template with {} filled in order; a Name becomes a piece of its own."""
    pieces: list[Piece] = []
    values = iter(given)
    for text, field, _, _ in Formatter().parse(template):
        if text:
            pieces.append(Piece(text))
        if field is not None:
            value = next(values)
            if isinstance(value, Sentence):
                pieces.extend(value.pieces)
            elif isinstance(value, Name):
                pieces.append(Piece(cut(clean(value.text), LONGEST), True))
            else:
                pieces.append(Piece(str(value)))
    return Sentence(tuple(pieces))


def listed(names: Sequence[str]) -> Sentence:
    """Return names as `a, b and c`."""
    out: list[Piece] = []
    for k, name in enumerate(names):
        if k:
            out.append(Piece(" and " if k == len(names) - 1 else ", "))
        out.append(Piece(cut(clean(name), LONGEST), True))
    return Sentence(tuple(out))


def of_100(share: float, about: bool = False) -> str:
    """Return a share in words: `95 of 100`, `all`, `none`, `more than 99 of 100`."""
    if share >= 1:
        return "all"
    if share <= 0:
        return "none"
    if share > 0.995:
        return "more than 99 of 100"
    if share < 0.005:
        return "fewer than 1 of 100"
    return f"{'about ' if about else ''}{round(100 * share)} of 100"


def times(ratio: float) -> str:
    """Return a ratio in words that need no more digits than it has meaning: `35`, `3.2`, `1.08`."""
    if ratio >= 1000:
        return "more than 1,000"
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1.95 else f"{ratio:.2f}"


MOST_LEVELS = 20  # levels that a column called a predictor by itself may have
LOOKED, TELLING = (
    4,
    0.05,
)  # columns whose values may stand in a sentence, and how far beyond all rows a share must be
FEWEST, FEW = 10, 0.01  # rows, or share of all rows: smaller groups are not named
ENOUGH = 0.75  # share of the model's gain over the baseline by which one column predicts by itself


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


def column_alone(table: Table, view: ColumnView) -> list[ValueGroup]:
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
        cut_words = cut_text(view.cut, column, values)
        groups = [
            ValueGroup(f"< {cut_words}", _counts(table, values < view.cut)),
            ValueGroup(f"≥ {cut_words}", _counts(table, values >= view.cut)),
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


def predicts_alone(groups: Sequence[ValueGroup], base: float, reached: float) -> bool:
    """Say whether answering each group's most frequent class gains most of what the model gains."""
    rows = sum(g.rows for g in groups)
    if not rows or reached <= base:
        return False
    right = sum(g.counts[g.best] for g in groups) / rows
    return right - base >= ENOUGH * (reached - base) and right - base > 0.01


def alone_sentence(table: Table, column: str, groups: Sequence[ValueGroup]) -> Sentence:
    """Return how well one column predicts, and its two or three largest groups."""
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
    large = [g for g in groups if g.rows >= min(FEWEST, FEW * rows)]  # what a row or two say is chance
    every = [(g, c) for g in large for c in only or range(len(shares))]

    def beyond(one: tuple[ValueGroup, int]) -> tuple[float, float]:
        group, c = one
        share = group.counts[c] / group.rows - shares[c]
        return round(group.rows * share, 6), share  # of two groups both have as many: the clearer one

    return max(every, key=beyond)


def conditions(table: Table, views: Sequence[ColumnView], order: Sequence[str]) -> Sentence | None:
    """Return what the most telling values of the strongest columns go with, at most two, of two classes where
    that can be; None where no value says enough.
    """
    labels, found, said = table.schema.predicted.labels, [], set[int]()
    known = {v.name: v for v in views}
    for name in order[:LOOKED]:
        groups = [g for g in column_alone(table, known[name]) if not g.missing]
        open_ = [c for c in range(len(labels)) if c not in said]
        if len(groups) < 2 or not open_:
            continue
        group, c = furthest(groups, *open_)
        share, rows = group.counts[c] / group.rows, sum(g.rows for g in groups)
        if share - sum(g.counts[c] for g in groups) / rows >= TELLING:
            found.append(
                say(
                    "where {} is {}, {} are {}",
                    Name(name), Name(group.words), of_100(share), Name(class_words(labels[c])),
                )
            )  # fmt: skip
            said.add(c)
        if len(found) == 2:
            break
    return _sentence(found) if found else None


def _sentence(parts: Sequence[Sentence]) -> Sentence:
    """Return parts as one sentence: joined by semicolons, the first letter large."""
    out: list[Any] = []
    for k, part in enumerate(parts):
        out.append(say("{}{}", "; " if k else "", part))
    pieces = [p for said in out for p in said.pieces if p.text]
    first = pieces[0]
    pieces[0] = type(first)(first.text[:1].upper() + first.text[1:], first.name)
    return Sentence((*pieces, type(first)(".")))


# -- naive Bayes --


def bayes_sentences(model: NaiveBayesModel, table: Table, views: Sequence[ColumnView]) -> list[Sentence]:
    """Return what the strongest column says, and how its values are spread over the classes."""
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


def strongest(table: Table, views: Sequence[ColumnView], order: Sequence[str], reached: float) -> Sentence:
    """Return that one column predicts the target, or which columns weigh most."""
    groups = column_alone(table, next(v for v in views if v.name == order[0]))
    if groups:
        full = np.sum([g.counts for g in groups], axis=0)
        if predicts_alone(groups, float(full.max() / full.sum()), reached):
            return alone_sentence(table, order[0], groups)
    target = Name(table.schema.predicted.name)
    if len(order) == 1:
        return say("The column {} alone decides {}.", Name(order[0]), target)
    first = say("No single column decides {}; {} weigh most.", target, listed(order[:3]))
    more = conditions(table, views, order)
    return first if more is None else first + more


def _spread(model: NaiveBayesModel, part: Any) -> Sentence:
    labels = model.schema.predicted.labels
    if isinstance(part, Worded):
        often = np.sqrt(np.asarray(part.counts).sum(axis=1))  # a word that many rows have speaks louder
        weights = _word_parts(model, part.name) * often[:, None]
        return _word_sentence(part.name, weights, labels, model.schema[part.name])
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


def _word_parts(model: NaiveBayesModel | LogisticModel, column: str) -> NDArray[np.float64]:
    """Return what each word of a column adds [word, class]; what no number can say counts as nothing."""
    term: Any = next(t for t in model.additive.terms if t.column == column)
    return np.where(np.isfinite(term.words), term.words, 0.0)


def _word_sentence(
    name: str, weights: NDArray[np.float64], labels: Sequence[str], column: Column
) -> Sentence:
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


def logistic_sentences(model: LogisticModel, table: Table, views: Sequence[ColumnView]) -> list[Sentence]:
    """Return what the strongest column says, and by what it multiplies the odds."""
    weights = pulls(model, table)
    order = sorted(weights, key=lambda n: (-weights[n], n))
    known = [n for n in order if n in {v.name for v in views}]
    first = strongest(table, views, known, reached(model, table))
    part = next(p for p in model.parts if p.name == order[0])
    odds = _odds(model, table, part)
    return [first] if odds is None else [first, odds]


def _odds(model: LogisticModel, table: Table, part: Any) -> Sentence | None:
    labels = model.labels
    if isinstance(part, WordWeights):
        weights = _word_parts(model, part.name)
        return _word_sentence(part.name, weights, labels, model.schema[part.name])
    term = next(t for t in model.additive.terms if t.column == part.name)
    assert table.classes is not None
    c, d = _two(np.bincount(table.classes, minlength=len(labels)))
    # of more than two classes the ratios are differences of weights, which have no interval of their own
    figures = {f.name: f for f in Summary(model).figures} if len(labels) == 2 else {}
    if isinstance(part, Cells):
        levels = model.schema[part.name].levels
        lead = term.table[: len(levels), c] - term.table[: len(levels), d]  # type: ignore[attr-defined]
        own = np.bincount(np.asarray(table.column(part.name)).astype(np.int64), minlength=len(levels))
        often = np.flatnonzero(own[: len(levels)] >= FEW * table.rows)  # what few rows say is not led with
        often = often if len(often) > 1 else np.arange(len(levels))
        base = int(np.argmax(own[: len(levels)]))  # what the level is compared with: most rows have it
        away = lead - lead[base]
        far = int(often[np.argmax(np.abs(away[often]))])
        up, down = (far, base) if away[far] >= 0 else (base, far)
        ratio, ends = float(np.exp(lead[up] - lead[down])), (levels[up], levels[down])
        interval = None  # with a weight of its own for each level the error of the difference is not there
        if f"{part.name} = {levels[base]}" not in figures:
            interval = _ratio_interval(figures.get(f"{part.name} = {levels[far]}"), 1.0)
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
        short = [v if v.is_integer() else float(f"{v:.4g}") for v in (low, high)]
        if not column.unit and short[0] != short[1]:  # fractions in four digits, where these still differ
            low, high = short
        ends_of = (number(high, column), number(low, column))
        ratio = float(np.exp(min(abs(slope * (high - low)), 700.0)))
        interval = _ratio_interval(figures.get(part.name), high - low)
        ends_of = ends_of if slope > 0 else ends_of[::-1]
        return _odds_sentence(part.name, (labels[c], labels[d]), ratio, ends_of, interval)
    return None


def _ratio_interval(figure: Figure | None, size: float) -> tuple[float, float] | None:
    """Return the interval of the odds ratio of a change, as a ratio above 1."""
    if figure is None or figure.interval is None:
        return None
    low, high = (float(np.exp(np.clip(size * end, -700.0, 700.0))) for end in figure.interval)
    return (low, high) if figure.estimate > 0 else (1 / high, 1 / low)


def _odds_sentence(
    column: str,
    classes: tuple[str, str],
    ratio: float,
    ends: tuple[str, str],
    interval: tuple[float, float] | None = None,
    rows: tuple[int, int] | None = None,
) -> Sentence:
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


# The score in a sentence. Where one class is rare, accuracy never leads, since always answering the other
# class is right too: what leads is how the model ranks the rows. Of two classes, what is found and missed is
# always stated.


def is_rare(page: PageData) -> bool:
    """Say whether a class is so rare that right answers say little."""
    classes = page.description.classes
    return min(p.rows for p in classes) < RARE * page.description.rows / len(page.labels)


def score_sentences(page: PageData) -> tuple[list[Sentence], list[Sentence]]:
    """Return the sentences that lead the answer, and those that end it."""
    right = [_right(page)]
    if len(page.labels) > 2:
        return [], [*right, _found(page)] if is_rare(page) else right
    return ([_ranked(page), _found(page)], right) if is_rare(page) else ([], [*right, _found(page)])


def _ranked(page: PageData) -> Sentence:
    """Return how much of the rarer class stands in the tenth of the rows that the model puts first."""
    scores = page.chosen.result.scores
    lift = scores.curves["top_tenth"]["lift"]
    label = Name(class_words(scores.positive))
    return say(
        "The 10 % of rows with the highest probability of {} hold {} of those that are {}, {} times as "
        "many as 10 % taken at random (cross-validated).",
        label, percent(0.1 * lift, 0), label, f"{lift:.1f}",
    )  # fmt: skip


def _right(page: PageData) -> Sentence:
    accuracy = page.chosen.result.measure("accuracy")
    right, ends = measured_percent(accuracy.value, accuracy.low, accuracy.high, 0)
    return say(
        "Cross-validated, the model is right for {} (95 % interval: {}); always answering {} "
        "is right for {}.",
        f"{right} of 100" if "." in right else of_100(accuracy.value),
        ends,
        Name(class_words(page.chosen.result.most_frequent)),
        of_100(accuracy.base or 0.0),
    )


def finds(page: PageData) -> dict[str, str]:
    """Return of the rarest class how many rows there are, are found, and are false alarms."""
    scores = page.chosen.result.scores
    c = page.labels.index(scores.positive)
    hits, answers = float(scores.confusion[c, c]), float(scores.confusion[:, c].sum())
    return {
        "label": class_words(scores.positive),
        "rows": f"{scores.confusion[c].sum():,.0f}",
        "found": f"{hits:,.0f}",
        "missed": f"{scores.confusion[c].sum() - hits:,.0f}",
        "missed_share": percent(1 - hits / max(float(scores.confusion[c].sum()), 1e-300), 0),
        "alarms": f"{answers - hits:,.0f}",
        "answers": f"{answers:,.0f}",
    }


def _found(page: PageData) -> Sentence:
    """Return what is found of the rarest class, with how many false alarms."""
    counts = finds(page)
    if counts["answers"] == "0":
        return say(
            "The model finds none of the {} rows that are {}: it never gives that answer (cross-validated).",
            counts["rows"], Name(counts["label"]),
        )  # fmt: skip
    many = "no" if counts["alarms"] == "0" else counts["alarms"]
    alarms = f"{many} false alarm{'' if counts['alarms'] == '1' else 's'}"
    found = "none" if counts["found"] == "0" else counts["found"]
    return say(
        "Of the {} rows that are {}, the model finds {} and misses {} ({}), with {} (cross-validated).",
        counts["rows"], Name(counts["label"]), found, counts["missed"], counts["missed_share"], alarms,
    )  # fmt: skip


# Informative words of a text column: how many of the rows with a word are of a class. A word is shown with
# the class whose share among them is most standard errors above its share of all rows; classes take turns.


FEWEST_SHOWN = 10  # rows with a word, or FEW of all if that is less; rarer words have no counts
FEW_ROWS = 0.01


@dataclass(frozen=True)
class InformativeWord:
    """A word, the number of its class, the rows that have it, and the share of them that are of the class."""

    word: str
    label: int
    rows: float
    share: float


def informative_words(table: Table, column: str, most: int) -> list[InformativeWord]:
    """Return the words that are furthest beyond chance, the furthest first; of each class as many, where
    there are.
    """
    words = table.schema[column].words
    counts, full = word_counts(table, column)
    rows = counts.sum(axis=1)
    known = np.flatnonzero(rows >= min(FEWEST_SHOWN, FEW_ROWS * full.sum()))
    base = full / full.sum()
    spread = np.sqrt(np.maximum(rows[known, None] * base * (1 - base), 1e-12))
    beyond = (counts[known] - rows[known, None] * base) / spread  # [word, class], in standard errors
    order = np.argsort(-beyond, axis=0, kind="stable")
    each = min(max(1, most // max(len(base), 1)), len(known))
    best = [(float(beyond[w, c]), int(known[w]), c) for c in range(len(base)) for w in order[:each, c]]
    first = sorted((b for b in best if b[0] > 0), key=lambda b: (-b[0], b[1], b[2]))[:most]
    return [InformativeWord(words[w], c, float(rows[w]), float(counts[w, c] / rows[w])) for _, w, c in first]


def word_counts(table: Table, column: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return counts[word, class] of the rows that have the word, and those of all rows."""
    many, labels = len(table.schema[column].words), len(table.schema.predicted.labels)
    counts, full, at = np.zeros(many * labels), np.zeros(labels), 0
    assert table.classes is not None
    for block in table.blocks():
        here = slice(at, at + block.rows)
        classes = table.classes[here].astype(np.int64)
        weights = np.ones(block.rows) if table.weights is None else table.weights[here] / table.unit
        starts, found, _ = block.words(column)
        row = np.repeat(np.arange(block.rows), np.diff(starts))
        inside = found < many  # words that were too rare have no number of their own
        cells = found[inside].astype(np.int64) * labels + classes[row[inside]]
        counts += np.bincount(cells, weights[row[inside]], minlength=len(counts))
        full += np.bincount(classes, weights, minlength=labels)
        at += block.rows
    return counts.reshape(many, labels), full
