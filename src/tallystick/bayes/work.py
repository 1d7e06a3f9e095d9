"""Worked solutions of naive Bayes: shares as exact fractions, the linear form, and the product for a row.

1. Counted shares with and without the correction: `shares_of()`, `priors_of()`.
2. The linear form where classes share variances: `line_parts()`.
3. One row: the product of each class, factor by factor: `row_parts()`, `answered()`.
4. Entry: `bayes_parts()`, the whole page.

share = P(value | class); corrected = smoothed; factor = what one value of a row multiplies a class by.
Laws: a corrected share is the model's own; every number follows from the counts shown above it; a share of 0
makes its class impossible and is shown as 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.bayes.explain import value_names
from tallystick.bayes.model import Counted, NaiveBayesModel, Summed, Worded, given_priors
from tallystick.bayes.options import BayesOptions, of_part, smoothed_means
from tallystick.contracts import Block
from tallystick.errors import OptionError
from tallystick.schema import CODED
from tallystick.teach.document import (
    Formula,
    Headline,
    Line,
    Listing,
    Lowered,
    Number,
    Over,
    Part,
    Piece,
    Raised,
    Ratio,
    Role,
    Root,
    Sentence,
    Value,
    bracketed,
    joined,
    line,
    opening,
    said,
    summed,
)
from tallystick.text import quantity

if TYPE_CHECKING:
    from tallystick.bayes.estimator import NaiveBayes
    from tallystick.contracts import Table


ONE = Fraction(1)


@dataclass(frozen=True)
class CountedShare:
    """A share (count + added) / (rows + more), which is written as it was counted."""

    count: int
    rows: int
    added: Fraction = Fraction(0)
    more: Fraction = Fraction(0)
    empty: Fraction = Fraction(0)  # the share of a class without rows and correction

    @property
    def value(self) -> Fraction:
        """The exact share."""
        below = self.rows + self.more
        return (self.count + self.added) / below if below else self.empty

    @property
    def rest(self) -> CountedShare:
        """What is left of 1: the share of the rows without it, counted likewise."""
        return CountedShare(
            self.rows - self.count, self.rows, self.more - self.added, self.more, ONE - self.empty
        )

    @property
    def written(self) -> Line:
        """The share as a fraction of counts, never reduced."""
        top, bottom = self.count + self.added, self.rows + self.more
        if not bottom:
            return (Value(self.empty),)
        if top.denominator == bottom.denominator == 1:
            return (Ratio(int(top), int(bottom)),)
        return (Over((Value(top, 3, 4),), (Value(bottom, 3, 4),)),)


@dataclass(frozen=True)
class ColumnShares:
    """R[value][class] of a column. corrected: with m rows added, of which each value has its part."""

    raw: tuple[tuple[CountedShare, ...], ...]
    corrected: tuple[tuple[CountedShare, ...], ...]
    m: Fraction
    parts: tuple[Fraction, ...]  # p of each value

    @property
    def plain(self) -> bool:
        """Whether the model itself has no correction."""
        return self.m == 0


def shares_of(part: Counted | Worded, options: BayesOptions) -> ColumnShares:
    """Return the shares of levels, bins or words; where a word counts once, of documents."""
    counts = part.counts.tolist()
    if isinstance(part, Worded):
        once = part.distribution == "bernoulli"
        rows = (part.documents if once else part.counts.sum(0)).tolist()
        m, parts = correction(options, part.name, 2 if once else max(len(counts), 1), len(counts))
    else:
        rows = part.counts.sum(0).tolist()
        m, parts = correction(options, part.name, part.levels or len(counts), len(counts))
    return ColumnShares(
        tuple(
            tuple(CountedShare(n, r, empty=p) for n, r in zip(row, rows, strict=True))
            for row, p in zip(counts, parts, strict=True)
        ),
        tuple(
            tuple(CountedShare(n, r, m * p, m, p) for n, r in zip(row, rows, strict=True))
            for row, p in zip(counts, parts, strict=True)
        ),
        m,
        parts,
    )


def correction(
    options: BayesOptions, column: str, levels: tuple[str, ...] | int, values: int
) -> tuple[Fraction, tuple[Fraction, ...]]:
    """Return the rows that are added to each class, and the part of them that each value has."""
    m, p = options.smoothing(column, levels)
    k = levels if isinstance(levels, int) else len(levels)
    given = p if isinstance(p, list) else [p] * values
    return exact(m), tuple(Fraction(1, k) if k and x == 1.0 / k else exact(x) for x in given)


def laplace(found: ColumnShares) -> ColumnShares:
    """Return the shares with one case added for each value, for a model that adds none."""
    k = round(1 / found.parts[0]) if found.parts and found.parts[0] else len(found.raw)
    corrected = tuple(
        tuple(CountedShare(s.count, s.rows, ONE, Fraction(k)) for s in row) for row in found.raw
    )
    return ColumnShares(found.raw, corrected, Fraction(k), found.parts)


def exact(x: float) -> Fraction:
    """Return the decimal that a person typed, exactly."""
    return Fraction(repr(float(x)))


def priors_of(model: NaiveBayesModel) -> list[CountedShare | Fraction] | None:
    """Return the prior of each class: counted, given, or None where there is none."""
    priors, rows = model.options.priors, model.classes.tolist()
    if isinstance(priors, str):
        if priors == "uniform":
            return [Fraction(1, len(rows))] * len(rows)
        alone = bool(model.parts) and all(p.distribution == "complement" for p in model.parts)
        if priors == "none" or alone:
            return None
        return [CountedShare(n, sum(rows)) for n in rows]
    return [exact(x) for x in given_priors(priors, model.schema.predicted).tolist()]


# The linear form where classes share the variance of each column: the weights of `to_logistic()`, from means.

W0: Line = ("w", Lowered(("0",)))
VARIANCE: Line = ("σ", Lowered(("i",)), "²")
SHARED = ("classes", "both")


def line_parts(model: NaiveBayesModel) -> list[Part]:
    """Return the log-odds of each class against the last as a line; nothing where they are not linear."""
    numbers = [part for part in model.parts if isinstance(part, Summed) and of_part(part).squares]
    others = [part for part in model.parts if not (isinstance(part, Summed) and of_part(part).squares)]
    labels = model.schema.predicted.labels
    if model.options.share not in SHARED or not numbers or len(labels) < 2:
        return []
    if not all(isinstance(part, Counted) for part in others):
        return []
    parts: list[Part] = [Headline(("The line",))]
    parts.append(Sentence(("All classes share one variance, so the squares of x cancel in the log-odds.",)))
    for k in range(len(labels) - 1):
        parts += _against_the_last(model, numbers, [part.name for part in others], k)
    return parts


def _against_the_last(model: NaiveBayesModel, numbers: list[Summed], others: list[str], k: int) -> list[Part]:
    """Return the log-odds of class k against the last as a line, its weights written out."""
    labels, last = model.schema.predicted.labels, len(model.classes) - 1
    here, there = _mean(k), _mean(last)
    rows: list[tuple[Line, ...]] = []
    weights, constants = [], []
    for part in numbers:
        own, other = float(part.means()[k]), float(part.means()[last])
        variance = model.variances[part.name][k]
        weights.append((own - other) / variance)
        constants.append((other - own) * (other + own) / (2 * variance))
        a, b, v = (_number(x) for x in (own, other, variance))
        weight = line(Over(line(a, " − ", _number(other, True)), v), " = ", Value(weights[-1]))
        squares = line(_squared(b, other), " − ", _squared(a, own))
        rows.append(
            ((said(part.name),), weight, line(Over(squares, line("2·", v)), " = ", Value(constants[-1])))
        )
    prior, w0 = _prior(model, k)
    weight_of: Line = ("w", Lowered(("i",)))
    odds = line("ln P(", said(labels[k]), " | x)/P(", said(labels[last]), " | x)")
    more = line(*(_other(name, labels[k], labels[last]) for name in others))
    sum_of_all = line(W0, " + Σ ", weight_of, "·x", Lowered(("i",)), more)
    part_of_w0 = Over(line(there, "² − ", here, "²"), line("2·", VARIANCE))
    is_weight = line(weight_of, " = ", Over(line(here, " − ", there), VARIANCE))
    is_w0 = line(W0, " = ", line(prior[0], " + ") if prior else (), "Σ ", part_of_w0)
    means = line(
        here, " is the mean of column i in ", said(labels[k]), ", ", there, " in ", said(labels[last])
    )
    words = line(
        odds, " = ", sum_of_all, ", with ", is_weight, " and ", is_w0, "; ", means, said(labels[last]), "."
    )
    head: tuple[Line, ...] = (("column i",), ("w", Lowered(("i",))), line("its part of ", W0))
    parts: list[Part] = [Sentence(words), Listing(head, tuple(rows), frozenset({1, 2}))]
    total = w0 + math.fsum(constants)
    steps: tuple[Line, ...] = (summed([*([w0] if prior else []), *constants]), (Value(total),))
    if prior:
        each = [line(" − " if c < 0 else " + ", Value(abs(c))) for c in constants]
        steps = (line(prior[1], *each), *steps)
    parts.append(Formula(W0, steps))
    score: list[Piece | Line] = [Value(total)]
    for part, w in zip(numbers, weights, strict=True):
        score += [" − " if w < 0 else " + ", Value(abs(w)), "·", said(part.name)]
    parts.append(Formula(odds, (line(*score, more),)))
    if last == 1:
        below = line("1 + e", Raised(line(*score, more)))
        parts.append(Formula(line("P(", said(labels[1]), " | x)"), ((Over(("1",), below),),)))
    return parts


def _mean(c: int) -> Line:
    return ("μ", Lowered((f"i{c}",)))


def _number(x: float, follows: bool = False) -> Line:
    return bracketed(x, 4, 6) if follows else (Value(x, 4, 6),)


def _squared(written: Line, x: float) -> Line:
    return line("(", written, ")²") if x < 0 else line(written, "²")


def _other(name: str, own: str, last: str) -> Line:
    """Return what a column that is counted adds to the line."""
    r: Line = ("R", Lowered((said(name),)))
    return line(" + ln ", Over(line(r, "(a,", said(own), ")"), line(r, "(a,", said(last), ")")))


def _prior(model: NaiveBayesModel, k: int) -> tuple[tuple[Line, Line] | None, float]:
    """Return ln P(k)/P(last), as letters and as numbers, and its value; nothing without priors."""
    priors, labels = priors_of(model), model.schema.predicted.labels
    if priors is None:
        return None, 0.0
    pair = [priors[k], priors[-1]]
    values = [p.value if isinstance(p, CountedShare) else p for p in pair]
    if not all(values):
        return None, 0.0
    written = [p.written if isinstance(p, CountedShare) else (Value(p),) for p in pair]
    letters = line("ln ", Over(line("P(", said(labels[k]), ")"), line("P(", said(labels[-1]), ")")))
    return (letters, line("ln ", Over(*written))), math.log(values[0] / values[1])


@dataclass(frozen=True)
class ShareFactor:
    """What one value of a row multiplies a class by. times: how often, for words. value: exact for counts."""

    written: Line
    value: Number
    times: int = 1

    @property
    def log(self) -> float:
        """The natural logarithm; −inf of 0."""
        return self.times * math.log(self.value) if self.value else -math.inf

    @property
    def whole(self) -> Number:
        """The factor with its power."""
        return self.value**self.times


@dataclass(frozen=True)
class RowValue:
    """One column's part of a row: its value in words, and the factors of each class.

    raw, corrected: factors[class], several where the column holds words. left_out: why there is none.
    density: whether they are densities, which are the same with and without the correction.
    """

    column: str
    value: str
    raw: tuple[tuple[ShareFactor, ...], ...] = ()
    corrected: tuple[tuple[ShareFactor, ...], ...] = ()
    left_out: str = ""
    density: bool = False
    at: float = math.nan


def row_parts(
    model: NaiveBayesModel, block: Block, row: int, corrected: dict[str, ColumnShares]
) -> list[RowValue]:
    """Return the parts of a row. corrected: the shares that stand for those with the correction."""
    return [
        _number_value(model, part, float(block.values(part.name)[row]))
        if isinstance(part, Summed)
        else _words(model, part, block, row, corrected[part.name])
        if isinstance(part, Worded)
        else _value(model, part, block, row, corrected[part.name])
        for part in model.parts
    ]


def _number_value(model: NaiveBayesModel, part: Summed, x: float) -> RowValue:
    if math.isnan(x):
        return RowValue(part.name, "missing", left_out="it is missing")
    if of_part(part).squares:
        means = [float(m) for m in part.means()]
        pairs = zip(means, model.variances[part.name], strict=True)
        densities = [normal(x, mean, variance) for mean, variance in pairs]
    else:
        rates = smoothed_means(part, model.options, model.unit).tolist()
        densities = [r**x * math.exp(-r) / math.gamma(x + 1) if r or not x else 0.0 for r in rates]
    each = tuple((ShareFactor((Value(d, 4, 5),), d),) for d in densities)
    return RowValue(part.name, f"{x:.12g}", each, each, density=True, at=x)


def normal(x: float, mean: float, variance: float) -> float:
    """Return the density of a Gaussian."""
    return math.exp(-((x - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)


def _value(model: NaiveBayesModel, part: Counted, block: Block, row: int, found: ColumnShares) -> RowValue:
    names = value_names(model, part)
    if part.distribution == "binned":
        x = float(block.values(part.name)[row])
        if math.isnan(x):
            return RowValue(part.name, "missing", left_out="it is missing")
        at = sum(cut <= x for cut in part.cuts)
        text = f"{x:.12g} ({names[at]})"
    else:
        at = int(block.codes(part.name)[row])
        if at == len(names):
            return RowValue(part.name, "missing", left_out="it is missing")
        if at > len(names):
            return _unseen(model, part)
        text = names[at]
    raw = tuple((_factor(s),) for s in found.raw[at])
    return RowValue(part.name, text, raw, tuple((_factor(s),) for s in found.corrected[at]))


def _unseen(model: NaiveBayesModel, part: Counted) -> RowValue:
    """Return the part of a level that no training row has."""
    if part.unseen(model.options, model.unit) is None:
        return RowValue(part.name, "a new level", left_out="no training row has this level")
    m, p = model.options.unseen(part.name, len(part.counts))
    k = len(part.counts) + 1
    share = Fraction(1, k) if p == 1.0 / k else exact(p)
    rows = part.counts.sum(0).tolist()
    found = tuple((_factor(CountedShare(0, n, exact(m) * share, exact(m))),) for n in rows)
    nothing = tuple((_factor(CountedShare(0, n)),) for n in rows)
    return RowValue(part.name, "a new level", nothing, found)


def _words(model: NaiveBayesModel, part: Worded, block: Block, row: int, found: ColumnShares) -> RowValue:
    starts, words, counts = block.words(part.name)
    at = slice(int(starts[row]), int(starts[row + 1]))
    here = dict(zip(words[at].tolist(), counts[at].tolist(), strict=True))
    known = model.schema[part.name].words
    text = ", ".join(f"{known[w]} ×{n}" if n > 1 else known[w] for w, n in here.items() if w < len(known))
    if part.distribution == "bernoulli":
        pairs = [(k, 1, k in here) for k in range(len(known))] if here else []
    else:
        pairs = [(w, n, True) for w, n in here.items() if w < len(known)]
    if not pairs:
        return RowValue(part.name, text or "no known word", left_out="it holds no known word")
    every = range(len(model.classes))
    raw = tuple(tuple(_factor(found.raw[w][c], n, there) for w, n, there in pairs) for c in every)
    own = tuple(tuple(_factor(found.corrected[w][c], n, there) for w, n, there in pairs) for c in every)
    return RowValue(part.name, text, raw, own)


def _factor(share: CountedShare, times: int = 1, there: bool = True) -> ShareFactor:
    """Return a counted factor; there: the word is in the text, else the share of texts without it counts."""
    if not there:
        return ShareFactor(line("(1 − ", share.written, ")"), 1 - share.value)
    written = share.written
    if times > 1:
        written = line("(", written, ")", Raised((f"{times}",)))
    return ShareFactor(written, share.value, times)


@dataclass(frozen=True)
class ClassProduct:
    """The product of one class. prior: None where there is none."""

    factors: tuple[ShareFactor, ...]
    prior: Number | None

    @property
    def likelihood(self) -> Number:
        """The product of the factors: exact where all are."""
        out: Number = Fraction(1)
        for factor in self.factors:
            out = out * factor.whole
        return out

    @property
    def score(self) -> Number:
        """The product with the prior."""
        return self.likelihood if self.prior is None else self.likelihood * self.prior

    @property
    def log(self) -> float:
        """The logarithm of the score: finite also where the product is too small for a number."""
        prior = 0.0 if self.prior is None else math.log(self.prior) if self.prior else -math.inf
        return prior + self.log_likelihood

    @property
    def log_likelihood(self) -> float:
        """The logarithm of the product without the prior."""
        return math.fsum(f.log for f in self.factors) if all(f.value for f in self.factors) else -math.inf

    @property
    def possible(self) -> bool:
        """Whether no factor is 0."""
        return all(f.value for f in self.factors) and self.prior != 0


def normalised(products: list[ClassProduct]) -> list[float] | None:
    """Return the share of each class in the sum of all; None where every class is impossible."""
    top = max(p.log for p in products)
    if top == -math.inf:
        return None
    each = [math.exp(p.log - top) for p in products]
    return [x / math.fsum(each) for x in each]


def answered(
    estimator: NaiveBayes, table: Table, row: tuple[Any, int] | None, corrected: dict[str, ColumnShares]
) -> list[Part]:
    """Return the working of one row's answer: of the first of the table, if none is given."""
    model = estimator.model_
    block, at = (table.local().slice(0, 1), 0) if row is None else estimator._find_row(*row)
    found = row_parts(model, block, at, corrected)
    each = [line(said(p.column), " = ", said(p.value)) for p in found]
    parts: list[Part] = [Headline(("The row" if row is not None else "The first row",))]
    parts += [Sentence(line(joined(each, ", "), ".")), _same_rows(model, table, block, at)]
    for p in found:
        if p.left_out:
            parts.append(Sentence(line(said(p.column), f" has no factor: {p.left_out}.")))
    for part, values in zip(model.parts, found, strict=True):
        if not (isinstance(part, Summed) and values.density and of_part(part).squares):
            continue
        x: Line = (Value(values.at, 4, 6),)
        classes = zip(
            model.schema.predicted.labels,
            part.means(),
            model.variances[part.name],
            values.raw,
            strict=True,
        )
        for label, mean, variance, (factor,) in classes:
            left = line("density of ", said(part.name), " = ", said(values.value), " in ", said(label))
            written = density_line(x, bracketed(mean, 4, 6), (Value(variance, 4, 6),))
            parts.append(Formula(left, (written, factor.written)))
    corrects = any(model.options.smoothing(p.name, 1)[0] for p in model.parts if p.name in corrected)
    own = corrects and any(shares.m for shares in corrected.values())
    counted = bool(corrected)
    plain, smooth = _products(model, found, False), _products(model, found, True)
    if counted:
        mark = "" if own else ", as the model answers"
        parts += _product(model, f"Without the correction{mark}", plain)
        mark = ", as the model answers" if own else ", for comparison"
        parts += _product(model, f"With the correction{mark}", smooth)
    else:
        parts += _product(model, "The product", smooth)
    return [*parts, *_votes(model, found, own or not counted)]


def _same_rows(model: NaiveBayesModel, table: Table, block: Block, at: int) -> Sentence:
    """Say how many training rows have just these values: mostly none, so shares are multiplied instead."""
    rows = table.local().slice(0, table.rows)
    same = np.ones(table.rows, bool)
    for column in model.schema.used:
        if column.kind in CODED:
            same &= rows.codes(column.name) == block.codes(column.name)[at]
        elif column.kind == "numeric":
            same &= rows.values(column.name) == block.values(column.name)[at]
        else:
            return Sentence(("The columns are taken as independent given the class: shares are multiplied.",))
    assert rows.classes is not None
    labels = model.schema.predicted.labels
    counts = np.bincount(rows.classes[same], minlength=len(labels)).tolist()
    each = [line(said(label), f": {n}") for label, n in zip(labels, counts, strict=True)]
    words = " The columns are taken as independent given the class: shares are multiplied."
    return Sentence(
        line("Training rows with all of these values, ", joined(each, ", "), f".{words}"), "answer"
    )


def density_line(x: Line, mean: Line, variance: Line) -> Line:
    """Return the Gaussian density, written out."""
    below = (Root(line("2π·", variance)),)
    away = line("(", x, " − ", mean, ")", Raised(("2",)))
    return line(Over(("1",), below), "·e", Raised(line("−", Over(away, line("2·", variance)))))


def _products(model: NaiveBayesModel, found: list[RowValue], corrected: bool) -> list[ClassProduct]:
    priors = priors_of(model)
    out = []
    for c in range(len(model.classes)):
        prior = None if priors is None else priors[c]
        value = prior.value if isinstance(prior, CountedShare) else prior
        rows = [(p.corrected if corrected else p.raw) for p in found if not p.left_out]
        out.append(ClassProduct(tuple(f for each in rows for f in each[c]), value))
    return out


def _product(model: NaiveBayesModel, title: str, products: list[ClassProduct]) -> list[Part]:
    """Return the product of every class, with its prior, its logarithm, and the normalised answer."""
    labels, priors = model.schema.predicted.labels, priors_of(model)
    parts: list[Part] = [Headline((title,), 3)]
    for c, (label, product) in enumerate(zip(labels, products, strict=True)):
        factors = joined([f.written for f in product.factors], "·") or ("1",)
        steps = number_lines(product.likelihood, product.log_likelihood)
        if len(product.factors) == 1:  # one factor needs no product: itself, then its value
            steps = steps[-1:] if factors == steps[-1] else (factors, steps[-1])
        else:
            steps = (factors, *steps)
        parts.append(Formula(line("product for ", said(label)), steps))
        if priors is not None:
            prior = priors[c]
            written = prior.written if isinstance(prior, CountedShare) else (Value(prior),)
            with_it = line(Value(product.likelihood, 4, 5), "·", written)
            left = line("score of ", said(label), ", with its prior")
            parts.append(Formula(left, (with_it, *number_lines(product.score, product.log))))
        parts += _log(label, product)
    return [*parts, *_normalised(model, products)]


def _log(label: str, product: ClassProduct) -> list[Part]:
    """Return the logarithm of a score; an impossible class has none. The formula stands there all the same: a
    sheet without answers must not give away which product is 0.
    """
    if not product.possible:
        words = " is impossible: one of its factors is 0, so its product is 0 and has no logarithm."
        none = Formula(("ln of it",), (("ln 0, which is no number",),))
        return [none, Sentence(line(said(label), words), "answer")]
    logs = [
        *([math.log(product.prior)] if product.prior is not None else []),
        *(f.log for f in product.factors),
    ]
    return [Formula(("ln of it",), (summed(logs), (Value(product.log),)))]


def _normalised(model: NaiveBayesModel, products: list[ClassProduct]) -> list[Part]:
    """Return each class's share of the sum of all scores."""
    labels, shares = model.schema.predicted.labels, normalised(products)
    if shares is None:
        zeros = line("0 / (", joined([("0",)] * len(labels), " + "), ")")
        words = "Every class is impossible: the prior alone answers, and the answer says so."
        each = [Formula(line("P(", said(label), " | row)"), (zeros,)) for label in labels]
        return [*each, Sentence((words,), "answer")]
    parts: list[Part] = []
    for label, product, share in zip(labels, products, shares, strict=True):
        scores = [(Value(p.score, 4, 5),) for p in products]
        if any(p.possible and float(p.score) == 0 for p in products):  # too small: by their logarithms
            steps: tuple[Line, ...] = ((Value(share),),)
        else:
            below = line("(", joined(scores, " + "), ")")
            steps = (line(Value(product.score, 4, 5), " / ", below), (Value(share),))
        parts.append(Formula(line("P(", said(label), " | row)"), steps))
    best = labels[max(range(len(labels)), key=lambda c: (shares[c], -c))]
    return [*parts, Sentence(line("Answer: ", said(best), "."), "answer")]


def number_lines(number: Number, log: float) -> tuple[Line, ...]:
    """Return a number as a short fraction and then its value, where a person would write both; one that is
    too small for a double by its logarithm.
    """
    if number == 0 and math.isfinite(log):
        return (line("e", Raised((Value(log),))),)
    value: Line = (Value(number, 4, 5),)
    if isinstance(number, Fraction) and 1 < number.denominator < 1000 and 1000 % number.denominator:
        return ((f"{number.numerator}/{number.denominator}",), value)
    return (value,)


def _votes(model: NaiveBayesModel, found: list[RowValue], corrected: bool) -> list[Part]:
    """Return how each column votes: the logarithm of its factor in one class over that in another. Of two
    classes the vote is always for the second; of more it is for the answer against its rival, which a sheet
    without answers cannot name.
    """
    labels, first, second = model.schema.predicted.labels, 1, 0
    role: Role = "always"
    if len(labels) != 2:
        shares = normalised(_products(model, found, corrected))
        if shares is None or len(labels) < 2:
            return []
        first, second = sorted(range(len(labels)), key=lambda c: -shares[c])[:2]
        role = "answer"
    rows: list[tuple[Line, ...]] = []
    for part in found:
        each = part.corrected if corrected else part.raw
        if part.left_out:
            rows.append(((said(part.column),), (said(part.value),), ("0",), ("neither",)))
            continue
        a, b = (math.fsum(f.log for f in each[c]) for c in (first, second))
        rows.append(((said(part.column),), (said(part.value),), *_vote(labels, first, second, a, b)))
    head: tuple[Line, ...] = (("column",), ("value",), ("vote",), ("for",))
    words = line("A vote is ln R(", said(labels[first]), ") − ln R(", said(labels[second]), ")")
    side = line(": above 0 it is for ", said(labels[first]), ", below 0 for ", said(labels[second]), ".")
    return [
        Headline(("How the columns vote",), 3, role),
        Sentence(line(words, side), role),
        Listing(head, tuple(rows), frozenset({2, 3}), frozenset({2}), role=role),
    ]


def _vote(labels: tuple[str, ...], first: int, second: int, a: float, b: float) -> tuple[Line, Line]:
    """Return a vote and whom it is for; a share of 0 rules a class out."""
    if math.isfinite(a) and math.isfinite(b):
        away = a - b
        whom: Line = (said(labels[first if away > 0 else second]),) if abs(away) > 1e-12 else ("neither",)
        return (Value(away),), whom
    if a == b:
        return ("none",), ("rules both out",)
    gone = labels[second if math.isfinite(a) else first]
    return ("none",), line("rules out ", said(gone))


MOST_VALUES = 60  # values of a column that the page shows
VARIANCES = {
    "ml": "The variance is the sum of squares around the mean over the rows.",
    "unbiased": "The variance is the sum of squares around the mean over the rows less one.",
    "smoothed": "The variance is that of the rows and of two more with the variance of the whole column.",
}
BAYES_SHARED = {
    "classes": "All classes share one variance: the sum of their squares over the sum of their rows.",
    "columns": "All columns of a class share one variance.",
    "both": "All columns and classes share one variance.",
}


def bayes_parts(
    estimator: NaiveBayes, table: Table, title: str, row: tuple[Any, int] | None, whole: bool
) -> list[Part]:
    """Return the working of a fitted naive Bayes model."""
    model = estimator.model_
    _refuse(model)
    task = (
        "Count by hand how often each value occurs in each class, and answer the row with and without the "
        "correction.",
    )
    parts = opening(title, table, task, (*estimator.source_notes_, *estimator.notes_))
    parts += _classes(model)
    corrected = {}
    for part in model.parts:
        parts.append(Headline(line("Column ", said(part.name)), 2))
        if isinstance(part, Summed):
            parts += _numbers(model, part)
            continue
        found = shares_of(part, model.options)
        own = corrected[part.name] = laplace(found) if found.plain else found
        parts += _counted(model, part, found, own)
    return [*parts, *line_parts(model), *answered(estimator, table, row, corrected)]


def _refuse(model: NaiveBayesModel) -> None:
    """Refuse models that counting alone does not explain."""
    if model.calibration is not None:
        raise OptionError("a working shows shares as they are counted. Leave calibrate= out.")
    for part in model.parts:
        if isinstance(part, Worded) and (part.idf or part.distribution == "complement"):
            way = "tf-idf weights" if part.idf else "the other classes' words"
            raise OptionError(
                f"a working counts words, and this model reads {way}. Use words counted plainly."
            )


def _classes(model: NaiveBayesModel) -> list[Part]:
    """Return the rows and the prior of each class."""
    labels, priors = model.schema.predicted.labels, priors_of(model)
    parts: list[Part] = [Headline(("The classes",))]
    if priors is None:
        return [*parts, Sentence(("The classes have no prior: only the columns decide.",))]
    for label, prior in zip(labels, priors, strict=True):
        left = line("P(", said(label), ")")
        if isinstance(prior, CountedShare):
            parts.append(Formula(left, (prior.written, (Value(prior.value),))))
        else:
            parts.append(Formula(left, ((Value(Fraction(prior)),),)))
    return parts


def _counted(
    model: NaiveBayesModel, part: Counted | Worded, found: ColumnShares, own: ColumnShares
) -> list[Part]:
    """Return the shares of a column: of every class, of every value, as it was counted and corrected."""
    labels, names = model.schema.predicted.labels, value_names(model, part)
    kept = list(zip(names, found.raw, own.corrected, strict=True))[:MOST_VALUES]
    rows = tuple(
        (
            line(share_of(part.name, name, label), " ="),
            *(line(share[c].written, " = ", Value(share[c].value)) for share in (raw, smooth)),
        )
        for c, label in enumerate(labels)
        for name, raw, smooth in kept
    )
    head: tuple[Line, ...] = (("R",), ("as counted",), ("corrected",))
    parts: list[Part] = [_how(part, found, own), Listing(head, rows, frozenset({1, 2}))]
    if len(names) > MOST_VALUES:
        parts.append(Sentence((f"The first {MOST_VALUES} of {len(names):,} are shown.",)))
    gone = part.missing.tolist()
    if any(gone):
        each = [line(said(label), f": {n:,}") for label, n in zip(labels, gone, strict=True)]
        parts.append(Sentence(line("Without a value, and not counted, ", joined(each, ", "), ".")))
    if isinstance(part, Counted) and len(names) == len(labels) == 2:
        parts += _weight(part.name, names[1], labels, own.corrected[1])
    return parts


def share_of(column: str, value: str, label: str) -> Line:
    """Return R_f1(1,0): the share of the rows of class 0 in which f1 is 1."""
    return line("R", Lowered((said(column),)), "(", said(value), ",", said(label), ")")


def _weight(column: str, value: str, labels: tuple[str, ...], both: tuple[CountedShare, ...]) -> list[Part]:
    """Return the weight of a column of two values between two classes, written out."""
    against, own = both
    if not all(0 < s.value < 1 for s in both):
        return []
    alpha, beta = share_of(column, value, labels[1]), share_of(column, value, labels[0])
    words = line(
        *("The weight of ", said(column), " is ln α/(1 − α) − ln β/(1 − β), with α = ", alpha, " and β = "),
        *(beta, ", corrected. Above 0, ", said(column), " = ", said(value), " is a vote for "),
        *(said(labels[1]), "."),
    )
    logs = [math.log(s.value / (1 - s.value)) for s in (own, against)]
    odds = [line("ln ", Over(s.written, s.rest.written)) for s in (own, against)]
    less = line(Value(logs[0]), " − ", bracketed(logs[1]))
    steps = (joined(odds, " − "), less, (Value(logs[0] - logs[1]),))
    return [Sentence(words), Formula(line("weight of ", said(column)), steps)]


def _how(part: Counted | Worded, found: ColumnShares, own: ColumnShares) -> Sentence:
    """Say what R is and how it is corrected."""
    words = isinstance(part, Worded) and part.distribution != "bernoulli"
    of = "words" if words else "texts" if isinstance(part, Worded) else "rows"
    least = own.parts[0] * own.m if own.parts else Fraction(0)
    even = len(set(own.parts)) <= 1
    if even and least == 1:
        more = f"(count + 1)/({of} + {own.m}), one case more for each value"
    elif even:
        more = f"(count + {_plain(least)})/({of} + {_plain(own.m)})"
    else:
        more = f"(count + {_plain(own.m)}·p)/({of} + {_plain(own.m)}), p given for each value"
    own_words = (
        "The model itself makes no correction; beside it stands Laplace's" if found.plain else "Corrected"
    )
    name = said(part.name)
    if words:
        which = line("(w,c) is the share of the word w in the words of class c")
    elif isinstance(part, Worded):
        which = line("(w,c) is the share of the texts of class c that hold the word w")
    else:
        which = line("(a,c) is the share of the rows of class c in which ", name, " is a")
    return Sentence(line("R", Lowered((name,)), which, f": count/{of}. {own_words}: {more}."))


def _plain(number: Fraction) -> str:
    return f"{float(number):g}"


def _numbers(model: NaiveBayesModel, part: Summed) -> list[Part]:
    """Return mean and variance of a Gaussian column, or the rate of a Poisson column, by class."""
    if not of_part(part).squares:
        return _rates(model, part)
    labels, unit = model.schema.predicted.labels, model.schema[part.name].unit
    head: tuple[Line, ...] = (
        ("class",),
        ("rows",),
        ("mean",),
        ("sum of squares around it",),
        ("variance",),
    )
    columns = zip(labels, part.rows, part.means(), part.spread(), model.variances[part.name], strict=True)
    rows = tuple(
        (
            (said(label),),
            (Value(int(n)),),
            (quantity(float(mean), unit, 6),),
            (Value(Fraction(*squares)),),
            (Value(variance, 4, 6),),
        )
        for label, n, mean, squares, variance in columns
    )
    words = BAYES_SHARED.get(model.options.share, VARIANCES[part.variance])
    every = frozenset(range(1, len(head)))
    return [
        Sentence((f"A Gaussian for each class. {words}",)),
        Listing(head, rows, every, every),
        Formula(("density of x",), (density_line(("x",), ("mean",), ("variance",)),)),
    ]


def _rates(model: NaiveBayesModel, part: Summed) -> list[Part]:
    labels = model.schema.predicted.labels
    rates = smoothed_means(part, model.options, model.unit).tolist()
    head: tuple[Line, ...] = (("class",), ("rows",), ("mean",), ("rate",))
    rows = tuple(
        ((said(label),), (Value(int(n)),), (Value(mean),), (Value(rate),))
        for label, n, mean, rate in zip(labels, part.rows, part.means(), rates, strict=True)
    )
    m = model.options.smoothing(part.name, 1)[0]
    words = f"A Poisson distribution for each class; its rate is the mean with {m:g} rows of the mean of all."
    every = frozenset(range(1, len(head)))
    return [
        Sentence((words,)),
        Listing(head, rows, every, every),
        Formula(
            ("probability of x",),
            ((Over(line("rate", Raised(("x",)), "·e", Raised(("−rate",))), ("x!",)),),),
        ),
    ]
