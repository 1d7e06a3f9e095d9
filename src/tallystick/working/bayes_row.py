"""The product of naive Bayes for one row, factor by factor.

Knows fitted models and one encoded row. Knows nothing of documents. Laws: a product of counted shares is an
exact fraction; a share of 0 makes its class impossible and stays 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from tallystick.contracts import Block
from tallystick.explain.naive_bayes import value_names
from tallystick.models.naive_bayes import Counted, NaiveBayesModel, Part, Summed, Worded
from tallystick.models.naive_bayes.distributions import of_part, smoothed_means
from tallystick.working.bayes_shares import ColumnShares, CountedShare, exact
from tallystick.working.pieces import Line, Number, Raised, Value, line


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
    return [_part(model, part, block, row, corrected) for part in model.parts]


def _part(
    model: NaiveBayesModel, part: Part, block: Block, row: int, corrected: dict[str, ColumnShares]
) -> RowValue:
    if isinstance(part, Summed):
        return _number(model, part, float(block.values(part.name)[row]))
    if isinstance(part, Worded):
        return _words(model, part, block, row, corrected[part.name])
    return _value(model, part, block, row, corrected[part.name])


def _number(model: NaiveBayesModel, part: Summed, x: float) -> RowValue:
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
        told = f"{x:.12g} ({names[at]})"
    else:
        at = int(block.codes(part.name)[row])
        if at == len(names):
            return RowValue(part.name, "missing", left_out="it is missing")
        if at > len(names):
            return _unseen(model, part)
        told = names[at]
    raw = tuple((_factor(s),) for s in found.raw[at])
    return RowValue(part.name, told, raw, tuple((_factor(s),) for s in found.corrected[at]))


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
    told = ", ".join(f"{known[w]} ×{n}" if n > 1 else known[w] for w, n in here.items() if w < len(known))
    if part.distribution == "bernoulli":
        pairs = [(k, 1, k in here) for k in range(len(known))] if here else []
    else:
        pairs = [(w, n, True) for w, n in here.items() if w < len(known)]
    if not pairs:
        return RowValue(part.name, told or "no known word", left_out="it holds no known word")
    every = range(len(model.classes))
    raw = tuple(tuple(_factor(found.raw[w][c], n, there) for w, n, there in pairs) for c in every)
    own = tuple(tuple(_factor(found.corrected[w][c], n, there) for w, n, there in pairs) for c in every)
    return RowValue(part.name, told, raw, own)


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
