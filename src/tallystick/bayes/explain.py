"""Explanations of naive Bayes: dependent columns, shares, votes, one row's score, the logistic form.

1. Pairs of columns that depend on each other given the class, which naive Bayes ignores: `independence()`.
2. Shares of values (`shares()`), votes (`votes()`) and one row from prior to posterior (`explain()`).
3. The model as a logistic regression: `logistic_form()`. 4. The check `dependence()`.

share = P(value | class), smoothed; vote = log-odds that a value adds for a class; entry = the level or bin of
a value; part = what one column adds to each class's log score.
Laws: independent columns have information 0; no figure depends on the order of rows; a row's parts, added in
order, are its score to the bit.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.bayes.model import BayesPart, Counted, NaiveBayesModel, Summed, Worded
from tallystick.bayes.options import of_part
from tallystick.contracts import Block, Table
from tallystick.draw.charts import bar_chart
from tallystick.draw.svg import BAR, Picture, as_html, bar_line, cut, framed, padded
from tallystick.errors import OptionError, clean, counted, nearest, page_limit, shown
from tallystick.io import scratch
from tallystick.judge.checks import DEPENDENT, Check
from tallystick.model.additive import (
    WEIGHT_ONE,
    Additive,
    BinTerm,
    LevelTerm,
    LinearTerm,
    NormalTerm,
    Term,
    WordTerm,
    weighted,
)
from tallystick.model.decision import AnswerDecision, decide, in_force
from tallystick.stats.values import FewValues, PairCounts, bins_of, one_label
from tallystick.table.block import RowBlock as Rows
from tallystick.table.subset import Within
from tallystick.table.table import LocalTable
from tallystick.text import quantity

BINS = 6  # bins of equal counts that a number is cut into
STEP = 1 << 16  # rows of a batch
MOST_LEVELS = 64  # a column of more levels keeps its most frequent ones; the others are one
MOST_CELLS = 1 << 22  # cells of all tables of pairs that are counted in one pass


@dataclass(frozen=True)
class Pair:
    """Two columns: their mutual information given the class, in bits, and what chance alone would give.

    Missing counts as a level, as in naive Bayes; `both_there`: the information over rows with a value in
    both, None where all rows have.
    """

    first: str
    second: str
    bits: float
    by_chance: float
    both_there: float | None = None

    @property
    def excess(self) -> float:
        """Bits beyond chance; about 0 where the assumption holds."""
        return self.bits - self.by_chance


@dataclass(frozen=True)
class Independence:
    """Pairs of columns, the most dependent first."""

    target: str
    pairs: tuple[Pair, ...]

    def __iter__(self) -> Any:
        return iter(self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        rows = [
            {
                "first": p.first,
                "second": p.second,
                "bits": p.bits,
                "by_chance": p.by_chance,
                "both_there": p.bits if p.both_there is None else p.both_there,
            }
            for p in self.pairs
        ]
        return {"target": self.target, "pairs": rows}

    _repr_html_ = as_html

    def __str__(self) -> str:
        given = f" given {clean(self.target)}" if self.target else ""
        gaps = any(p.both_there is not None for p in self.pairs)
        more = ", found in rows with both values; missing counts as a level but there" if gaps else ""
        lines = [f"bits two columns tell about each other{given}: found, by chance alone{more}"]
        for p in self.pairs[: page_limit(20)]:
            name = padded(cut(clean(f"{p.first} and {p.second}"), 52), 54)
            there = f" {p.bits if p.both_there is None else p.both_there:8.4f}" if gaps else ""
            verdict = "  dependent" if p.excess > p.by_chance else ""
            lines.append(f"{name}{p.bits:8.4f} {p.by_chance:8.4f}{there}{verdict}")
        if (left := len(self.pairs) - page_limit(20)) > 0:
            lines.append(f"and {left:,} more pairs")
        return "\n".join(lines)

    __repr__ = __str__


def independence(table: Table) -> Independence:
    """Return the conditional mutual information of every pair of columns, given the class if there is one."""
    target = table.schema.target
    labels = len(target.labels) if target is not None and target.labels else 1
    ranker = table.ranker()
    pairs = list(_pairs(table, labels) if ranker is None else _pairs_there(table, labels, ranker))
    pairs.sort(key=lambda p: (-p.excess, p.first, p.second))
    return Independence(target.name if target is not None and labels > 1 else "", tuple(pairs))


def _pairs(table: Table, labels: int) -> Iterator[Pair]:
    """Yield every pair of columns."""
    columns = {c.name: coded(table, c.name) for c in table.schema.used if c.kind != "text"}
    classes = table.classes if table.classes is not None and labels > 1 else None
    for a, b in combinations(columns, 2):
        x, y = columns[a], columns[b]
        yield _pair_of((a, b), _cells(x, y, classes, labels, table), (x[2], y[2]), table.unit)


def _pairs_there(table: Table, labels: int, ranker: Any) -> Iterator[Pair]:
    """Yield every pair of columns of a table elsewhere: its engine counts them."""
    assert table.engine is not None
    columns = tuple(few_values(table, ranker))
    for some in _at_once(columns, labels):
        found = table.engine.total(table, PairCounts(columns, some, labels))
        for (i, j), counts in zip(some, found, strict=True):
            a, b = columns[i], columns[j]
            yield _pair_of((a.name, b.name), counts.astype(float), (a.size, b.size), table.unit)


def few_values(table: Table, ranker: Any) -> Iterator[FewValues]:
    """Yield the columns of levels and numbers in a few values each, as `coded` cuts them; bins have equal
    numbers of rows, whatever their weights.
    """
    assert table.engine is not None
    columns = [c for c in table.schema.used if c.kind != "text"]
    levels = tuple(c for c in columns if c.kind != "numeric")
    question: Any = Within(replace(table.schema, columns=levels), False)
    held = table.engine.total(table, question)
    for c in columns:
        if c.kind == "numeric":
            order = ranker.ranked(c.name, one_label, 1)
            yield FewValues.of_numbers(c.name, order, table.rows, BINS)
        else:
            yield FewValues.of_levels(c.name, held[levels.index(c)], MOST_LEVELS)


def _at_once(columns: Sequence[FewValues], labels: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield all pairs of columns, as many at once as a total has room for."""
    some, cells = list[tuple[int, int]](), 0
    for i, j in combinations(range(len(columns)), 2):
        own = (columns[i].many + 1) * (columns[j].many + 1) * labels
        if some and cells + own > MOST_CELLS:
            yield tuple(some)
            some, cells = [], 0
        some.append((i, j))
        cells += own
    if some:
        yield tuple(some)


def coded(table: Table, name: str, as_they_are: int = 0) -> tuple[NDArray[np.uint32], int, int]:
    """Return code[row] of a column in a few values, missing as the last, how many there are, and how many
    without missing. as_they_are: so many different numbers are not cut into bins.
    """
    column, room = table.schema[name], table.room if isinstance(table, LocalTable) else scratch.empty
    if column.kind == "numeric":
        codes, distinct = table.local().ranks(name)
        k = len(distinct)
    else:
        codes, k = table.column(name), len(column.levels)
    counts = room(k + 2, np.int64)
    counts[:] = 0
    kernels.count_classes(np.ascontiguousarray(codes), k + 2, None, counts)
    if column.kind == "numeric" and k <= as_they_are:
        into, size = np.arange(k + 2, dtype=np.uint32), k
        into[k:] = k
    elif column.kind == "numeric":
        into, total, before = room(k + 2, np.uint32), int(counts[:k].sum()), 0
        for some in _steps(k):
            own = counts[:k][some]
            into[:k][some] = bins_of(own, before, some.start, total, k, BINS)
            before += int(own.sum())
        size = int(into[:k].max(initial=0)) + 1
        into[k:] = size
    else:
        few = FewValues.of_levels(name, counts[: k + 1], MOST_LEVELS)
        into, size = few.into, few.size
    out = room(table.rows, into.dtype)
    for some in _steps(table.rows):
        out[some] = into[codes[some]]
    return out, size + int(counts[k] > 0), size


def _steps(rows: int) -> Iterator[slice]:
    """Yield all rows, some at a time."""
    return (slice(start, start + STEP) for start in range(0, rows, STEP))


def _cells(x: Any, y: Any, classes: NDArray[Any] | None, labels: int, table: Table) -> NDArray[np.float64]:
    """Return counts[value, value, class] of two columns."""
    size = (x[1] + 1) * (y[1] + 1)
    counts = np.zeros((size, labels), np.int64)
    for some in _steps(table.rows):
        both = x[0][some] * np.uint32(y[1] + 1) + y[0][some]
        own = np.zeros(len(both), np.uint8) if classes is None else classes[some]
        weights = None if table.weights is None else table.weights[some]
        kernels.count_codes(both, own, size, labels, weights=weights, out=counts)
    return counts.reshape(x[1] + 1, y[1] + 1, labels).astype(float)


def _pair_of(names: tuple[str, str], cells: NDArray[np.float64], sizes: tuple[int, int], unit: int) -> Pair:
    """Return the pair of counts[value, value, class]; sizes: numbers of values without missing."""
    bits, free = conditional_information(cells)
    rows = max(float(cells.sum()) / unit, 1.0)
    whole = cells.shape[0] - 1 == sizes[0] and cells.shape[1] - 1 == sizes[1]
    there = None if whole else conditional_information(cells[: sizes[0], : sizes[1]])[0]
    return Pair(*names, bits, free / (2 * rows * float(np.log(2.0))), there)


def conditional_information(cells: NDArray[np.float64]) -> tuple[float, int]:
    """Return I(a; b | class) in bits from counts[a, b, class], and its degrees of freedom."""
    total = float(cells.sum()) or 1.0
    bits, free = 0.0, 0
    for c in range(cells.shape[2]):
        table = cells[:, :, c]
        table = table[table.any(axis=1)][:, table.any(axis=0)]
        if not table.size:
            continue
        n = float(table.sum())
        mean = np.outer(table.sum(1), table.sum(0)) / n
        here = table > 0
        bits += float((table[here] * kernels.log2(table[here] / mean[here])).sum()) / total
        free += (table.shape[0] - 1) * (table.shape[1] - 1)
    return max(bits, 0.0), free


@dataclass(frozen=True)
class Likelihood:
    """Natural logarithms of how probable labelled rows are: with their classes, and their classes alone."""

    rows: int
    data: float
    conditional: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; a probability of 0 has no logarithm, and is None."""
        return {"rows": self.rows, "conditional": _finite(self.conditional), "data": _finite(self.data)}

    _repr_html_ = as_html

    def __str__(self) -> str:
        def line(words: str, value: float) -> str:
            if not np.isfinite(value):
                return f"{words:<45} none: some row has probability 0"
            return f"{words:<45} {value:.4f}, {value / max(self.rows, 1):.4f} a row"

        return "\n".join(
            [
                line("data likelihood, log P(row, class)", self.data),
                line("conditional likelihood, log P(class | row)", self.conditional),
            ]
        )

    __repr__ = __str__


# Shares of values, votes, and the parts of one row's score.

Array = NDArray[np.float64]
SHARE_ZERO = "share 0"  # shown in place of log 0: a class in which a value never occurs is ruled out


def value_names(model: NaiveBayesModel, part: BayesPart) -> list[str]:
    """Return what the rows of a part's table stand for: levels, bins as conditions, or words."""
    column = model.schema[part.name]
    if isinstance(part, Worded):
        return list(column.words)
    if isinstance(part, Counted) and part.distribution != "binned":
        return list(column.levels)
    if isinstance(part, Counted):
        return bin_names(part.cuts, column.unit)
    return []


def bin_names(cuts: Sequence[float], unit: str = "") -> list[str]:
    """Return bins as conditions: < 3.5, 3.5 to 7, >= 7; of dates too."""
    if not cuts:
        return ["any"]
    ends = [quantity(cut, unit, 6) for cut in cuts]
    return [f"< {ends[0]}", *(f"{a} to {b}" for a, b in itertools.pairwise(ends)), f">= {ends[-1]}"]


def class_number(model: NaiveBayesModel, label: Any) -> int:
    """Return the number of a class by its label."""
    return _place(model.schema.predicted.labels, model.schema.predicted.label_of(label))


def _place(labels: tuple[str, ...], label: Any) -> int:
    text = str(label).lower() if isinstance(label, bool | np.bool_) else str(label)
    if text not in labels:
        known = ", ".join(map(shown, labels))
        raise OptionError(f"there is no class {shown(label)}.{nearest(text, labels)} Classes: {known}.")
    return labels.index(text)


@dataclass(frozen=True)
class Shares:
    """R[value, class]: the share of a class's rows that have the value, smoothed; and the counts it comes
    from.

    For a Gaussian column the rows are mean, in its unit, and variance; for a Poisson column the mean.
    """

    column: str
    distribution: str
    classes: tuple[str, ...]
    values: tuple[str, ...]
    shares: Array
    counts: NDArray[np.int64] | None
    unit: str = ""

    def __getitem__(self, key: tuple[str, str]) -> float:
        value, label = key
        return float(self.shares[self.values.index(str(value)), self.classes.index(str(label))])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "column": self.column,
            "distribution": self.distribution,
            "classes": list(self.classes),
            "values": list(self.values),
            "shares": self.shares.tolist(),
            "counts": None if self.counts is None else self.counts.tolist(),
        }

    _repr_html_ = as_html

    def __str__(self) -> str:
        lines = [f"{clean(self.column)} ({self.distribution})"]
        lines.append(" " * 22 + "".join(f"{cut(clean(c), 18):>20}" for c in self.classes))
        most = page_limit(40)
        for i, value in enumerate(self.values[:most]):
            unit = self.unit if value == "mean" else ""
            cells = [quantity(float(s), unit, 5) for s in self.shares[i]]
            if self.counts is not None:
                cells = [f"{s} ({n:,})" for s, n in zip(cells, self.counts[i].tolist(), strict=True)]
            lines.append(f"  {padded(cut(clean(value), 20), 20)}" + "".join(f"{c:>20}" for c in cells))
        if len(self.values) > most:
            lines.append(f"  and {len(self.values) - most:,} more")
        return "\n".join(lines)

    __repr__ = __str__


def shares(model: NaiveBayesModel, column: str) -> Shares:
    """Return the shares of a column's values in each class."""
    labels, parts = model.schema.predicted.labels, {p.name: p for p in model.parts}
    if column not in parts:
        raise OptionError(f"the model has no column {shown(column)}.{nearest(column, list(parts))}")
    part = parts[column]
    if isinstance(part, Summed):
        means = np.array([float(m) for m in part.means()])
        rows = [means, np.array(model.variances[column])] if of_part(part).squares else [means]
        names, unit = ("mean", "variance")[: len(rows)], model.schema[column].unit
        return Shares(column, part.distribution, labels, names, np.array(rows), None, unit)
    found = part.shares(model.options, model.unit)
    counts = part.counts if model.unit == 1 and not (isinstance(part, Worded) and part.idf) else None
    return Shares(column, part.distribution, labels, tuple(value_names(model, part)), found, counts)


@dataclass(frozen=True)
class Vote:
    """How much a value speaks for a class: positive for, negative against, in log-odds; infinite where its
    share is 0 on one side, which rules a class out.
    """

    column: str
    value: str
    label: str
    weight: float


@dataclass(frozen=True)
class Votes:
    """Votes, the strongest first."""

    votes: tuple[Vote, ...]

    def __iter__(self) -> Any:
        return iter(self.votes)

    def __len__(self) -> int:
        return len(self.votes)

    def __getitem__(self, column: str) -> float:
        return next(v.weight for v in self.votes if v.column == column)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; the weight of a value that rules a class out is None."""
        return {
            "votes": [
                {"column": v.column, "value": v.value, "class": v.label, "weight": _finite(v.weight)}
                for v in self.votes
            ]
        }

    def picture(self, most: int = 30) -> Picture:
        """Return the strongest votes as bars."""
        bars = [(f"{v.column} = {v.value} ({v.label})", v.weight) for v in self.votes[:most]]
        return Picture(bar_chart(bars, "log-odds for the class in brackets", "votes"))

    def _repr_html_(self) -> str:
        return framed(self.picture(), text=str(self))

    def __str__(self) -> str:
        most = max((abs(v.weight) for v in self.votes if np.isfinite(v.weight)), default=1.0) or 1.0
        lines = []
        for v in self.votes[: page_limit(60)]:
            size = 0 if not np.isfinite(v.weight) else round(abs(v.weight) / most * BAR)
            side = ("▇" * size).rjust(BAR) + "|" if v.weight < 0 else " " * BAR + "|" + "▇" * size
            name = padded(cut(clean(f"{v.column} = {v.value}"), 44), 44)
            if not np.isfinite(v.weight):
                what = "is ruled out" if v.weight < 0 else "alone has it"
                lines.append(f"{name} {SHARE_ZERO:>8} {cut(clean(v.label), 14)} {what}")
                continue
            lines.append(f"{name} {v.weight:+8.2f} {cut(clean(v.label), 14):<14} {side.rstrip()}")
        if (more := len(self.votes) - page_limit(60)) > 0:
            lines.append(f"and {more:,} more")
        return "\n".join(lines)

    __repr__ = __str__


def votes(model: NaiveBayesModel, label: Any = None, most: int | None = None) -> Votes:
    """Return the votes of values for classes, the strongest first. most: so many of each column and class at
    most, where a text has a vote for each word.

    A column of two values votes once, with the second against the first: log(a / (1 - a)) - log(b / (1 - b)),
    a and b the shares of the second value in the class and in the others. A value of other columns votes
    log(a / b). label: for one class only; of two classes the second is the default.
    """
    labels = model.schema.predicted.labels
    if label is not None:
        chosen = [class_number(model, label)]
    else:
        chosen = [1] if len(labels) == 2 else list(range(len(labels)))
    found = [v for part in model.parts for c in chosen for v in _votes(model, part, c, labels[c], most)]
    return Votes(tuple(sorted(found, key=lambda v: (-abs(v.weight), v.column, v.value, v.label))))


def _votes(model: NaiveBayesModel, part: BayesPart, c: int, label: str, most: int | None) -> list[Vote]:
    if isinstance(part, Summed):
        # the log-odds at the class's own mean
        term = next(t for t in model.additive.terms if t.column == part.name)
        mean = float(part.means()[c])
        scores = np.zeros((1, len(model.classes)))
        term.add(scores, Rows(1, {part.name: np.array([mean])}))
        relative = kernels.exp(scores[0] - scores[0].max())
        both = kernels.log(np.array([relative[c], float(relative @ _rest(model.classes, c))]))
        value = f"{quantity(mean, model.schema[part.name].unit, 4)}, its mean"
        return [Vote(part.name, value, label, float(both[0] - both[1]))]
    if isinstance(part, Worded) and part.distribution == "complement":
        part = part.as_multinomial()
    own = part.shares(model.options, model.unit)
    rest = _rest(model.classes, c)
    a, b = own[:, c], own @ rest
    names = value_names(model, part)
    weights = _log_ratio(a, b)
    if isinstance(part, Counted) and len(names) == 2:
        return [Vote(part.name, names[1], label, float(weights[1] - weights[0]))]
    if isinstance(part, Worded) and part.distribution == "bernoulli":
        weights = weights - _log_ratio(1 - a, 1 - b)
    kept = range(len(names)) if most is None else np.argsort(-np.abs(weights), kind="stable")[:most].tolist()
    return [Vote(part.name, names[k], label, float(weights[k])) for k in kept]


def _log_ratio(a: Array, b: Array) -> Array:
    """Return log(a / b); equal shares say nothing, also where both are 0."""
    with np.errstate(invalid="ignore"):
        return np.where(a == b, 0.0, kernels.log(a) - kernels.log(b))


def _rest(classes: NDArray[np.int64], c: int) -> Array:
    """Return weights of the other classes by their rows."""
    weights = classes.astype(float)
    weights[c] = 0.0
    total = float(weights.sum())
    if total == 0:
        weights = np.ones(len(classes))
        weights[c] = 0.0
        total = float(len(classes) - 1)
    return weights / total


@dataclass(frozen=True)
class Reason:
    """One column's part of a row's score: the value it had, and what it adds to each class, in log scores."""

    column: str
    value: str
    parts: tuple[float, ...]
    words: tuple[tuple[str, tuple[float, ...]], ...] = ()
    entry: str = ""  # the level or bin of `shares(column)` that the value belongs to


@dataclass(frozen=True)
class Explanation:
    """From prior to posterior: base + the parts in order = scores, to the bit; shares follow from the
    scores.
    """

    classes: tuple[str, ...]
    base: tuple[float, ...]
    reasons: tuple[Reason, ...]
    scores: tuple[float, ...]
    shares: tuple[float, ...]
    only_prior: bool  # every class was impossible, so the prior answered
    begins: str = "prior"  # what the base is called
    unit: str = "log-odds"  # what the parts are counted in
    decision: AnswerDecision | None = None  # how the answer follows from the shares, if it is not the largest

    @property
    def answered(self) -> int:
        """The place of the class that is answered."""
        return int(decide(np.array([self.shares]), in_force(self.decision))[0])

    @property
    def answer(self) -> str:
        """The class with the highest share, or the one that a decision says; of equals the first."""
        return self.classes[self.answered]

    def for_class(self, label: Any = None) -> list[tuple[str, str, float]]:
        """Return (column, value, weight) for a class against the others: by its best rival, the strongest
        first.
        """
        c = self.answered if label is None else _place(self.classes, label)
        rival = self._rival(c)
        rows = [(r.column, r.value, _difference(r.parts, c, rival)) for r in self.reasons]
        return sorted(rows, key=lambda r: (-abs(r[2]), r[0]))

    def _rival(self, c: int) -> int:
        order = np.argsort([-s for s in self.shares], kind="stable").tolist()
        return next((i for i in order if i != c), c)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "answer": self.answer,
            "classes": list(self.classes),
            "begins": self.begins,
            "prior": _all_finite(self.base),
            "reasons": [
                {"column": r.column, "value": r.value, "parts": _all_finite(r.parts)}
                | ({"words": {w: _all_finite(p) for w, p in r.words}} if r.words else {})
                for r in self.reasons
            ],
            "scores": _all_finite(self.scores),
            "shares": list(self.shares),
            "only_prior": self.only_prior,
        }

    def picture(self, most: int = 20) -> Picture:
        """Return the parts of the row's log-odds as bars, the strongest first."""
        c, rival = self.answered, self._rival(self.answered)
        bars = [(self.begins, _difference(self.base, c, rival))]
        bars += [(f"{column} = {value}", weight) for column, value, weight in self.for_class()[:most]]
        words = f"{self.unit} of {self.answer} ({self.shares[c]:.1%}) against {self.classes[rival]}"
        return Picture(bar_chart(bars, words, "why this answer"))

    def _repr_html_(self) -> str:
        return framed(self.picture(), text=str(self))

    def __str__(self) -> str:
        c, rival = self.answered, self._rival(self.answered)
        pair = (f"{clean(self.classes[k])} with {self.shares[k]:.4f}" for k in (c, rival))
        lines = ["; against ".join(pair), *([] if self.decision is None else [clean(self.decision.why)])]
        if self.only_prior:
            lines.append("every class has a share of 0 somewhere: answered by the prior alone")
        rows = [(self.begins, "", _difference(self.base, c, rival)), *self.for_class()]
        most = max((abs(w) for _, _, w in rows if np.isfinite(w)), default=1.0) or 1.0
        form = "+8.0f" if self.unit == "points" else "+8.2f"
        for column, value, weight in rows:
            name = f"{column} = {value}" if value else column
            if np.isfinite(weight):
                lines.append(bar_line(name, weight, most, form))
                continue
            gone = self.classes[rival if weight > 0 else c]
            lines.append(f"{padded(cut(clean(name), 44), 44)} {SHARE_ZERO:>8} rules out {clean(gone)}")
        weight = _difference(self.scores, c, rival)
        if np.isfinite(weight) and np.isfinite(self.scores[c]):
            total = f"{weight:{form}}"
        else:  # an impossible class has no log-odds
            which = clean(self.classes[rival]) if np.isfinite(self.scores[c]) else "every class"
            total = f"{'none':>8} {which} is impossible"
        lines.append(f"{padded(f'sum: {self.unit}', 44)} {total}")
        for reason in self.reasons:
            ranked = sorted(
                ((_difference(p, c, rival), w) for w, p in reason.words), key=lambda r: (-abs(r[0]), r[1])
            )
            for side, sign in (("for", 1), ("against", -1)) if ranked else ():
                some = [
                    f"{clean(w)} {v:+.2f}" if np.isfinite(v) else f"{clean(w)} ({SHARE_ZERO})"
                    for v, w in [r for r in ranked if sign * r[0] > 0][:8]
                ]
                lines.append(f"  words in {clean(reason.column)} {side}: {', '.join(some) or 'none'}")
        return "\n".join(lines)

    __repr__ = __str__


def _finite(x: float) -> float | None:
    return x if np.isfinite(x) else None


def _all_finite(numbers: Sequence[float]) -> list[float | None]:
    """Return logarithms as plain data: that of a share of 0, which is none, is None."""
    return [_finite(x) for x in numbers]


def _difference(parts: Sequence[float], c: int, rival: int) -> float:
    a, b = parts[c], parts[rival]
    return 0.0 if a == b else a - b


def explain(model: NaiveBayesModel, block: Block, row: int = 0) -> Explanation:
    """Return why one row of a block is answered as it is."""
    parts = model.additive.parts(block)[row]
    base, terms = parts[0], parts[1:]
    c = model.calibration
    if c is not None:
        base, terms = c.slope * base + np.array(c.shift), c.slope * terms
    scores = np.add.accumulate(np.vstack([base[None, :], terms]), axis=0)[-1]
    shares = model.shares(block)
    lost = model.prior_only(block, shares)[row]
    reasons = []
    for part, own in zip(model.parts, terms, strict=True):
        words = _words_of(model, part, block, row, 1.0 if c is None else c.slope)
        value, entry = _value(model, part, block, row)
        reasons.append(Reason(part.name, value, tuple(own.tolist()), words, entry))
    labels = model.schema.predicted.labels
    return Explanation(
        labels,
        tuple(base.tolist()),
        tuple(reasons),
        tuple(scores.tolist()),
        tuple(shares[row].tolist()),
        bool(lost),
        decision=model.decision,
    )


def _value(model: NaiveBayesModel, part: BayesPart, block: Block, row: int) -> tuple[str, str]:
    """Return the value of a row as it is shown, and the level or bin that it belongs to."""
    column = model.schema[part.name]
    if isinstance(part, Worded):
        starts, _, _ = block.words(part.name)
        return counted(int(starts[row + 1] - starts[row]), "word"), ""
    if column.kind == "numeric":
        x = float(block.values(part.name)[row])
        if np.isnan(x):
            return "missing", ""
        text = quantity(x, column.unit, 6)
        if not isinstance(part, Counted) or not part.cuts:
            return text, ""
        entry = bin_names(part.cuts, column.unit)[int(np.searchsorted(np.array(part.cuts), x, side="right"))]
        return f"{text} ({entry})", entry
    code = int(block.codes(part.name)[row])
    entry = column.levels[code] if code < len(column.levels) else ""
    return entry or ("missing" if code == len(column.levels) else "a new level"), entry


def _words_of(
    model: NaiveBayesModel, part: BayesPart, block: Block, row: int, slope: float
) -> tuple[tuple[str, tuple[float, ...]], ...]:
    if not isinstance(part, Worded):
        return ()
    term = next(t for t in model.additive.terms if t.column == part.name)
    assert isinstance(term, WordTerm)
    starts, words, counts = block.words(part.name)
    times = counts.astype(float)
    if term.counts == "once":
        times = np.ones(len(counts))
    if term.idf is not None:
        times = weighted(starts, words, counts, term.idf) / WEIGHT_ONE
    names = model.schema[part.name].words
    own = range(int(starts[row]), int(starts[row + 1]))
    return tuple(
        (names[words[e]], tuple((slope * times[e] * term.table[words[e]]).tolist()))
        for e in own
        if words[e] < len(names)
    )


# The logistic form. Levels, booleans and words are weights already; a Gaussian column is linear when its
# variance is the same in every class, because the squares cancel; a Poisson column is linear.


@dataclass(frozen=True)
class Weight:
    """What one unit of a number, one word, or having a level adds to the log-odds of each class against the
    last.
    """

    column: str
    value: str
    weights: tuple[float, ...]


@dataclass(frozen=True)
class LogisticForm:
    """intercepts[class], weights: log-odds of each class against the last one, as logistic regression writes
    them.
    """

    classes: tuple[str, ...]
    intercepts: tuple[float, ...]
    weights: tuple[Weight, ...]
    additive: Additive

    def shares(self, block: Block) -> Array:
        """Return P(class | row) [row, class]."""
        return self.additive.shares(self.additive.scores(block))[0]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        weights = [{"column": w.column, "value": w.value, "weights": list(w.weights)} for w in self.weights]
        return {"classes": list(self.classes), "intercepts": list(self.intercepts), "weights": weights}

    _repr_html_ = as_html

    def __str__(self) -> str:
        lines = [f"log-odds against {clean(self.classes[-1])}: intercept, then what each value adds"]
        lines.append(f"{padded('intercept', 40)}" + "".join(f"{b:10.4f}" for b in self.intercepts[:-1]))
        for w in self.weights[: page_limit(60)]:
            name = w.column if not w.value else f"{w.column} = {w.value}"
            lines.append(
                f"{padded(cut(clean(name), 38), 40)}" + "".join(f"{v:10.4f}" for v in w.weights[:-1])
            )
        if (more := len(self.weights) - page_limit(60)) > 0:
            lines.append(f"and {more:,} more")
        return "\n".join(lines)

    __repr__ = __str__


def logistic_form(model: NaiveBayesModel) -> LogisticForm:
    """Return the equivalent logistic form, or say which column has none."""
    base = model.calibrated.base.copy()
    slope = 1.0 if model.calibration is None else model.calibration.slope
    terms: list[Term] = []
    for term in model.additive.terms:
        line, shift = _line(term, slope)
        base = base + shift
        terms.append(line)
    weights = [w for term, part in zip(terms, model.parts, strict=True) for w in _weights(model, term, part)]
    odds = base - base[-1]
    return LogisticForm(
        model.schema.predicted.labels, tuple(odds.tolist()), tuple(weights), Additive(base, terms)
    )


def _line(term: Term, slope: float) -> tuple[Term, Array]:
    """Return the term as a line or table times the slope, and what moves into the intercept."""
    if isinstance(term, LevelTerm):
        return LevelTerm(term.column, slope * term.table), np.zeros(term.table.shape[1])
    if isinstance(term, BinTerm):
        return BinTerm(term.column, term.cuts, slope * term.table), np.zeros(term.table.shape[1])
    if isinstance(term, WordTerm):
        out = WordTerm(term.column, slope * term.table, slope * term.present, term.counts, term.idf)
        return out, np.zeros(term.table.shape[1])
    if isinstance(term, LinearTerm):
        zero = np.zeros(len(term.slope))
        return LinearTerm(term.column, slope * term.slope, slope * term.at_zero, zero), zero
    assert isinstance(term, NormalTerm)
    if not (term.half == term.half[0]).all():
        raise OptionError(
            f"column {shown(term.column)} is Gaussian with a variance per class: its log-odds are not "
            "linear. Fit with share='classes' for a logistic form."
        )
    # constant - half (x - mean)^2 = 2 half mean x - half mean^2 + what is the same for every class
    at_zero = slope * (term.constant - term.half * term.mean * term.mean)
    return LinearTerm(
        term.column, slope * 2 * term.half * term.mean, at_zero, np.zeros(len(at_zero))
    ), np.zeros(len(at_zero))


def _weights(model: NaiveBayesModel, term: Term, part: Any) -> list[Weight]:
    if isinstance(term, LinearTerm):
        slopes = term.slope - term.slope[-1]
        here = term.at_zero - term.at_zero[-1]
        return [
            Weight(term.column, "", tuple(slopes.tolist())),
            Weight(term.column, "there", tuple(here.tolist())),
        ]
    assert isinstance(term, LevelTerm | BinTerm | WordTerm)
    names = value_names(model, part)
    rows = term.table[: len(names)]
    with np.errstate(invalid="ignore"):
        against = rows - rows[:, -1:]
    return [Weight(term.column, n, tuple(w.tolist())) for n, w in zip(names, against, strict=True)]


def bayes_counts(model: NaiveBayesModel, found: Explanation) -> list[tuple[str, str, dict[str, int]]]:
    """Return column, value and training rows by class of each reason whose value was counted."""
    out = []
    for reason in found.reasons:
        known = shares(model, reason.column)
        if known.counts is not None and reason.entry in known.values:
            row = known.counts[known.values.index(reason.entry)].tolist()
            out.append((reason.column, reason.entry, dict(zip(known.classes, row, strict=True))))
    return out


MOST_PAIRED = 100  # columns up to which the check looks at all pairs


def dependence(table: Table) -> Iterator[Check]:
    """Yield the pair of columns that naive Bayes should least take as independent, if that is bad."""
    if not 2 <= len(table.schema.used) <= MOST_PAIRED:
        return
    worst = max(independence(table), key=lambda pair: pair.excess, default=None)
    if worst is not None and worst.excess > DEPENDENT:
        yield Check(
            "dependence",
            f"columns {shown(worst.first)} and {shown(worst.second)} share {worst.bits:.2f} bits given the "
            f"class, {worst.by_chance:.2f} by chance alone.",
            "Naive Bayes counts such evidence twice: leave one out, or trust its probabilities less.",
            worst.first,
        )
