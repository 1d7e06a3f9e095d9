"""The fitted naive Bayes model: sums per class for each column, and the probabilities derived from them.

1. Parts, one per column: `Counted` (levels, booleans, bins), `Summed` (Gaussian, Poisson), `Worded` (text).
2. Entry: `NaiveBayesModel`: class counts, the parts, and the additive form that answers rows.
3. Bits of information per column: `strengths()`.

unit = the integer that a row of weight 1 adds to a count (counts / unit = weighted rows);
share = P(value | class), smoothed; term = a column's part of the log score, as a table or a line.
Laws: `from_dict(to_dict())` is the same model and predicts the same bits; adding two models adds their rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.bayes.options import DISTRIBUTIONS, BayesOptions, of_part
from tallystick.contracts import Block
from tallystick.errors import DataError, OptionError, shown, some
from tallystick.model.additive import (
    IDF_ONE,
    Additive,
    BinTerm,
    Calibration,
    LevelTerm,
    NormalTerm,
    Term,
    WordTerm,
)
from tallystick.model.decision import AnswerDecision, decide, in_force
from tallystick.predict.columns import in_blocks
from tallystick.predict.row import RowAnswer, RowCells, RowShares, row_reader
from tallystick.schema import Column, Note, Schema, Target
from tallystick.stats import exact

# Parts of columns: integers alone, sums per class; every probability is derived. `plus` adds the counts of
# other rows (sign 1) or takes them away (sign -1).


Counts = NDArray[np.int64]
Array = NDArray[np.float64]
LOG_TWO_PI = 1.8378770664093453


@dataclass(frozen=True)
class Counted:
    """Levels, booleans and bins: counts[value, class] and missing[class], in units; the values are named by
    `levels`, or are the bins between `cuts`.
    """

    name: str
    distribution: str
    counts: Counts
    missing: Counts
    levels: tuple[str, ...] = ()
    cuts: tuple[float, ...] = ()

    def shares(self, options: BayesOptions, unit: int) -> Array:
        """Return R[value, class] = (count + m p) / (rows + m); without rows and smoothing, p."""
        return _shares(self.counts, *options.smoothing(self.name, self.levels or len(self.counts)), unit)

    def unseen(self, options: BayesOptions, unit: int) -> Array | None:
        """Return the share[class] of a level never seen; None when there is no smoothing: the column is left
        out.
        """
        return _unseen(self.counts, *options.unseen(self.name, len(self.counts)), unit)

    def term(self, options: BayesOptions, unit: int) -> Term:
        if self.distribution != "binned":
            return level_terms([self], options, unit)[0]
        shares = self.shares(options, unit)
        table = np.zeros((len(shares) + 1, shares.shape[1]))
        table[:-1] = kernels.log(shares)
        return BinTerm(self.name, np.asarray(self.cuts, float), table)

    def plus(self, other: Counted, sign: int) -> Counted:
        """Return the part with the other's rows added (sign 1) or taken away (sign -1)."""
        return replace(
            self, counts=self.counts + sign * other.counts, missing=self.missing + sign * other.missing
        )

    def least(self) -> int:
        """Return the smallest count: negative when rows were taken away that had not been added."""
        return int(min(self.counts.min(initial=0), self.missing.min(initial=0)))

    def to_dict(self) -> dict[str, Any]:
        out = {
            "name": self.name,
            "counts": self.counts.tolist(),
            "distribution": self.distribution,
            "missing": self.missing.tolist(),
        }
        return out | ({"cuts": list(self.cuts)} if self.distribution == "binned" else {})


def level_terms(parts: Sequence[Counted], options: BayesOptions, unit: int) -> list[LevelTerm]:
    """Return the terms of columns of levels that have as many levels each, and are smoothed alike."""
    first, counts = parts[0], np.stack([part.counts for part in parts])
    columns, k, classes = counts.shape
    table = np.ones((columns, k + 2, classes))  # 1: missing and unseen add log 1 = 0
    table[:, :k] = _shares(counts, *options.smoothing(first.name, first.levels or k), unit)
    unseen = _unseen(counts, *options.unseen(first.name, k), unit)
    if unseen is not None:
        table[:, -1] = unseen
    tables = kernels.log(table)
    return [LevelTerm(part.name, tables[j]) for j, part in enumerate(parts)]


def _shares(counts: Counts, m: float, p: Any, unit: int) -> Array:
    """Return R[..., value, class] = (count + m p) / (rows + m); without rows and smoothing, p."""
    p = np.asarray(p, float).reshape(-1, 1)
    below = (counts.sum(-2) + m * unit)[..., None, :]
    out: Array
    if m * unit > 0:
        out = (counts + m * p * unit) / below
        return out
    with np.errstate(invalid="ignore", divide="ignore"):
        out = np.where(below == 0, p, (counts + m * p * unit) / below)
    return out


def _unseen(counts: Counts, m: float, p: float, unit: int) -> Array | None:
    """Return the share[..., class] of a level never seen; None without smoothing."""
    if m * p == 0:
        return None
    out: Array = m * p * unit / (counts.sum(-2) + m * unit)
    return out


def _distances(rows: int, sums: int, squares: int) -> exact.Unreduced:
    """Return the exact sum of squared distances from the mean. Common powers of two are divided out, because
    arithmetic with 2,000 bits takes most of the time of a small model.
    """
    rows = rows or 1  # without rows there are no sums
    whole = squares * rows - sums * sums
    even = min((whole & -whole).bit_length() - 1, exact.SQUARE_UNIT) if whole else exact.SQUARE_UNIT
    return exact.Unreduced(whole >> even, rows << (exact.SQUARE_UNIT - even))


@dataclass(frozen=True)
class Summed:
    """Gaussian and Poisson columns: rows[class] with a value, exact sums[class] as multiples of 2^-1074 and
    squares[class] as multiples of 2^-2148.
    """

    name: str
    distribution: str
    rows: Counts
    missing: Counts
    sums: tuple[int, ...]
    squares: tuple[int, ...]
    variance: str = "ml"  # the estimate, where squares are kept: one of `options.VARIANCES`

    def spread(self) -> list[exact.Unreduced]:
        """Return the exact sum of squared distances from the mean, per class."""
        return [*map(_distances, self.rows.tolist(), self.sums, self.squares)]

    def means(self) -> list[Fraction]:
        """Return the exact mean per class; a class without values takes the mean of all."""
        pairs = list(zip(self.rows.tolist(), self.sums, strict=True))
        n, s = sum(a for a, _ in pairs), sum(b for _, b in pairs)
        every = Fraction(s, n << exact.SUM_UNIT) if n else Fraction(0)
        return [Fraction(b, a << exact.SUM_UNIT) if a else every for a, b in pairs]

    @cached_property
    def whole_variance(self) -> exact.Unreduced:
        """The exact mean of squared distances from the mean of all classes together; 0 without rows."""
        rows = int(self.rows.sum())
        return _distances(rows, sum(self.sums), sum(self.squares)).times(1, max(rows, 1))

    def plus(self, other: Summed, sign: int) -> Summed:
        return replace(
            self,
            rows=self.rows + sign * other.rows,
            missing=self.missing + sign * other.missing,
            sums=tuple(a + sign * b for a, b in zip(self.sums, other.sums, strict=True)),
            squares=tuple(a + sign * b for a, b in zip(self.squares, other.squares, strict=True)),
        )

    def least(self) -> int:
        """Return a negative number when some count, or a sum of squares, is impossible."""
        pairs = zip(self.rows.tolist(), self.sums, self.squares, strict=True)
        impossible = any(n == 0 and (s or q) for n, s, q in pairs)
        way = of_part(self)
        impossible |= way.counts and any(s < 0 for s in self.sums)
        impossible |= way.squares and any(f.over < 0 for f in self.spread())
        return -1 if impossible else int(min(self.rows.min(initial=0), self.missing.min(initial=0)))

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {
            "distribution": self.distribution,
            "missing": self.missing.tolist(),
            "name": self.name,
            "sums": [exact.write(s, exact.SUM_UNIT) for s in self.sums],  # decimal text
        }
        if of_part(self).squares:
            out["squares"] = [exact.write(q, exact.SQUARE_UNIT) for q in self.squares]
            out["variance"] = self.variance
        return out


@dataclass(frozen=True)
class Worded:
    """Text columns. counts[word, class]; missing[class]: rows without text; documents[class]: rows with text.

    counts are words ("multinomial", "complement"), documents with the word ("bernoulli"), or tf-idf weights
    as multiples of 2^-20 when idf[word] is given (multiples of 2^-16).
    """

    name: str
    distribution: str
    counts: Counts
    missing: Counts
    documents: Counts
    idf: tuple[int, ...] = ()

    def shares(self, options: BayesOptions, unit: int) -> Array:
        """Return the share of each word among the words (or documents) of a class, smoothed."""
        scale = unit * (2**20 if self.idf else 1)
        counts = self.counts / scale
        if self.distribution == "bernoulli":
            m, p = options.smoothing(self.name, 2)
            out: Array = (counts + m * p) / np.where((total := self.documents / unit + m) == 0, 1, total)
            return out
        m, p = options.smoothing(self.name, max(len(counts), 1))
        if self.distribution == "complement":
            counts = counts.sum(1, keepdims=True) - counts
        total = counts.sum(0) + m
        out = (counts + m * p) / np.where(total == 0, 1, total)
        return out

    def term(self, options: BayesOptions, unit: int) -> Term:
        """Return a part per word, and for Bernoulli words the part of all words being absent."""
        shares = self.shares(options, unit)
        present = np.zeros(shares.shape[1])
        if self.distribution == "bernoulli":
            absent = kernels.log(1.0 - shares)
            if len(absent):  # added in order: the same bits on every machine
                present = np.ascontiguousarray(np.add.accumulate(absent, axis=0)[-1])
            table = kernels.log(shares) - absent
        else:
            table = kernels.log(shares)
            if self.distribution == "complement":
                table = -table
        table = np.vstack([table, np.zeros((1, shares.shape[1]))])
        idf = np.array([*self.idf, 0], np.int64) if self.idf else None
        return WordTerm(self.name, table, present, "once" if self.distribution == "bernoulli" else "all", idf)

    def plus(self, other: Worded, sign: int) -> Worded:
        return replace(
            self,
            counts=self.counts + sign * other.counts,
            missing=self.missing + sign * other.missing,
            documents=self.documents + sign * other.documents,
        )

    def least(self) -> int:
        return int(min(a.min(initial=0) for a in (self.counts, self.missing, self.documents)))

    def to_dict(self) -> dict[str, Any]:
        out = {
            "name": self.name,
            "counts": self.counts.tolist(),
            "distribution": self.distribution,
            "missing": self.missing.tolist(),
        }
        return out | ({"idf": list(self.idf)} if self.idf else {})

    def as_multinomial(self) -> Worded:
        """The same words read as shares of their own class, which complement weights are not."""
        return replace(self, distribution="multinomial")


BayesPart = Counted | Summed | Worded


def idf_of(documents: Counts, rows: int) -> tuple[int, ...]:
    """Return 1 + ln((1 + rows) / (1 + documents[word])) as multiples of 2^-16, rounded."""
    logs = 1.0 + kernels.log((1.0 + rows) / (1.0 + documents.astype(float)))
    return tuple(np.rint(logs * IDF_ONE).astype(np.int64).tolist())


KIND = "naive-bayes"
SMOOTHING = 2  # rows with the whole column's variance that "smoothed" adds to each class
LEAST, MOST = 1e-290, 1e290  # range of variances for which densities can be computed
FLOOR = exact.Unreduced(1, 10**6)  # no variance is below this share of its column's variance over all classes


@dataclass(frozen=True)
class NaiveBayesModel:
    """classes[class]: rows of each class, in units (a row of weight 1 counts `unit`); parts: what is kept of
    each column, in schema order.
    """

    schema: Schema
    options: BayesOptions
    unit: int
    classes: Counts
    parts: tuple[BayesPart, ...]
    calibration: Calibration | None = None
    notes: tuple[Note, ...] = ()
    decision: AnswerDecision | None = None

    kind = KIND

    @cached_property
    def additive(self) -> Additive:
        """The model as base and terms, before calibration."""
        self.check()
        return Additive(self._base(), [self._term(part) for part in self.parts])

    @cached_property
    def calibrated(self) -> Additive:
        """The base after calibration: answers a row that every class scored impossible."""
        base = self.additive.base
        c = self.calibration
        return Additive(base if c is None else c.slope * base + np.array(c.shift), self.additive.terms)

    def joint(self, block: Block) -> Array:
        """Return log(prior * product of shares) [row, class], not normalised."""
        return self.additive.scores(block)

    def scores(self, block: Block) -> Array:
        """Return log scores [row, class], calibrated if the model is."""
        scores = self.joint(block)
        if self.calibration is not None:
            scores = self.calibration.slope * scores + np.array(self.calibration.shift)
        return scores

    def shares(self, block: Block) -> Array:
        """Return P(class | row) [row, class]; a row that every class scored impossible has the prior's."""
        return self.calibrated.shares(self.scores(block))[0]

    def prior_only(self, block: Block, shares: Array) -> NDArray[np.bool_]:
        """Return the rows that only the prior could answer; shares: those of the block."""
        alike = (shares == self._prior).all(axis=1)
        return self.calibrated.shares(self.scores(block))[1] if alike.any() else alike

    @cached_property
    def _prior(self) -> Array:
        return self.calibrated.shares(self.calibrated.base[None, :])[0]

    @cached_property
    def prior_bytes(self) -> bytes:
        """The shares of a row that only the prior can answer, as bytes."""
        return self._prior.tobytes()

    def decide(self, shares: Array) -> NDArray[np.int64]:
        """Return the class answered for shares[row, class]: the largest share, or as the decision says; of
        equals the first.
        """
        return decide(shares, in_force(self.decision))

    def of_columns(
        self, columns: Sequence[NDArray[Any]], rows: int, best: bool = False
    ) -> NDArray[Any] | None:
        """Return the shares of rows given as columns of numbers; best: what `decide` answers for them."""
        work = (lambda block: self.decide(self.shares(block))) if best else self.shares
        return in_blocks(self.schema, columns, rows, work, lie=self.additive.numbers)

    @cached_property
    def shares_of_row(self) -> RowShares:
        """Answers rows given as dicts."""

        def answer_of(place: Mapping[str, int]) -> RowAnswer | None:
            scores_of = self.additive.row_scores(place)
            if scores_of is None:
                return None
            calibration = self.calibration or Calibration(1.0, (0.0,) * len(self.classes))
            slope, shift = calibration.slope, np.array(calibration.shift)

            def answer(cells: RowCells) -> Array:
                scores = slope * np.array([scores_of(cells)]) + shift
                lost = scores.max() == -math.inf  # no class is possible
                shares: Array = self.calibrated.shares(scores)[0] if lost else kernels.softmax(scores)
                return np.array(shares[0])

            return answer

        return row_reader(self.schema, answer_of)

    def log_shares(self, block: Block) -> Array:
        """Return log P(class | row) [row, class], which does not end where a share is too small for a
        number.
        """
        return self.calibrated.log_shares(self.scores(block))

    def check(self) -> None:
        """Raise where the options do not fit the rows, or a variance is not a number: before anybody keeps
        the model.
        """
        self._base()
        for name, values in self.variances.items():
            if not all(LEAST <= v <= MOST for v in values):
                raise DataError(
                    f"column {shown(name)} has a variance of {min(values):.3g} to {max(values):.3g}, which "
                    "a Gaussian cannot be computed with. Multiply the column by a power of ten, or use "
                    f"distributions={{{shown(name)}: 'binned'}}."
                )

    def numbers(self) -> int:
        """Return how many free numbers there are to read: priors, then per column and class a mean and a
        variance (fewer where variances are shared), a rate, or one share less than there are values.
        """
        k = len(self.classes)
        total, gaussian = k - 1, 0
        for part in self.parts:
            if isinstance(part, Summed):
                total += k
                gaussian += of_part(part).squares
            else:
                each = isinstance(part, Worded) and part.distribution == "bernoulli"  # one share per word
                total += k * (len(part.counts) - (not each))
        columns = min(gaussian, 1) if self.options.share in ("columns", "both") else gaussian
        return total + columns * (1 if self.options.share in ("classes", "both") else k)

    def part(self, column: str) -> BayesPart:
        """Return what is kept of one column."""
        return next(p for p in self.parts if p.name == column)

    def _base(self) -> Array:
        """Return the logarithms of the priors, times what a row of each class counts for."""
        given = self.options.class_weight
        if given is None:
            return self._priors()
        target = self.schema.predicted
        if isinstance(given, str):  # balanced
            rows = np.maximum(self.classes.astype(float), 1e-9)
            weights = float(self.classes.sum()) / (len(rows) * rows)
        else:
            known = {target.label_of(label): float(weight) for label, weight in given.items()}
            weights = np.array([known.get(label, 1.0) for label in target.labels])
        return self._priors() + kernels.log(weights)

    def _priors(self) -> Array:
        priors, k = self.options.priors, len(self.classes)
        if isinstance(priors, str):
            # Complement words are scored without a prior, as the method is defined; beside other columns it
            # is kept.
            alone = bool(self.parts) and all(p.distribution == "complement" for p in self.parts)
            if priors == "none" or (priors == "data" and alone):
                return np.zeros(k)
            if priors == "uniform":
                return np.full(k, -kernels.log(np.array([float(k)]))[0])
            return kernels.log(self.classes.astype(float)) - kernels.log(
                np.array([float(self.classes.sum())])
            )
        return kernels.log(given_priors(priors, self.schema.predicted))

    def _term(self, part: BayesPart) -> Term:
        if isinstance(part, Counted):
            return self._levels.get(part.name) or part.term(self.options, self.unit)
        if isinstance(part, Summed):
            if of_part(part).together is not None:
                return self._together[part.name]
            term = of_part(part).term
            if term is not None:
                return term(part, self.options, self.unit)
            means, variance = np.array([float(f) for f in part.means()]), np.array(self.variances[part.name])
            return NormalTerm(part.name, means, 0.5 / variance, -0.5 * (LOG_TWO_PI + kernels.log(variance)))
        return part.term(self.options, self.unit)

    @cached_property
    def _levels(self) -> dict[str, Term]:
        """The terms of columns of levels by name, those of one shape found at once, where all are smoothed
        alike.
        """
        shapes: dict[int, list[Counted]] = {}
        for part in self.parts if self.options.alike else ():
            if isinstance(part, Counted) and part.distribution != "binned":
                shapes.setdefault(len(part.counts), []).append(part)
        terms = (t for parts in shapes.values() for t in level_terms(parts, self.options, self.unit))
        return {term.column: term for term in terms}

    @cached_property
    def _together(self) -> dict[str, Term]:
        """The terms of columns that belong to one whole, by name."""
        out: dict[str, Term] = {}
        for way in DISTRIBUTIONS.values():
            own = [p for p in self.parts if isinstance(p, Summed) and p.distribution == way.name]
            if way.together is not None and own:
                out |= way.together(own, self.options, self.unit)
        return out

    @cached_property
    def variances(self) -> dict[str, list[float]]:
        """variances[column][class] of the Gaussian columns, never below the column's floor.

        What is shared is the sum of squares over the sum of rows. Unbiased: one row less for each mean that
        was estimated. Smoothed: two cases with the variance of the whole column are added, where nothing is
        shared. A class without values takes the whole column's variance.
        """
        share, unit = self.options.share, self.unit
        parts = [p for p in self.parts if isinstance(p, Summed) and of_part(p).squares]
        spreads = [p.spread() for p in parts]
        free = [[max(n - unit * (p.variance == "unbiased"), 0) for n in p.rows.tolist()] for p in parts]
        classes, out = range(len(self.classes)), {}
        for j, part in enumerate(parts):
            added = SMOOTHING * unit if part.variance == "smoothed" and share == "none" else 0
            least, values = part.whole_variance.times(*FLOOR), []
            for c in classes:
                js = range(len(parts)) if share in ("columns", "both") else [j]
                cs = classes if share in ("classes", "both") else [c]
                divisor = sum(free[i][d] for i in js for d in cs) + added
                shared = [spreads[i][d] for i in js for d in cs]
                if added:
                    shared.append(part.whole_variance.times(added))
                value = part.whole_variance
                if divisor and part.rows[c]:
                    value = reduce(exact.Unreduced.plus, shared).times(1, divisor)
                values.append(_as_double(least if value.below(least) else value))
            out[part.name] = values
        return out

    def plus(self, other: NaiveBayesModel, sign: int = 1) -> NaiveBayesModel:
        """Return the model of the rows of both, or (sign -1) of the rows of this one without the other's.

        Raises, with nothing changed, when the models do not fit together or a count would become negative.
        """
        parts = tuple(a.plus(b, sign) for a, b in zip(self.parts, other.parts, strict=True))  # type: ignore[arg-type]
        out = replace(self, classes=self.classes + sign * other.classes, parts=parts)
        if out.classes.min(initial=0) < 0:
            raise DataError(
                "cannot forget: a class would have fewer than 0 rows. These rows were never learned."
            )
        for part in parts:
            if part.least() < 0:
                raise DataError(
                    f"cannot forget: a count of column {shown(part.name)} would fall below 0. "
                    "These rows were never learned."
                )
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return this model's own part of the model file."""
        out: dict[str, Any] = {"classes": self.classes.tolist(), "columns": [p.to_dict() for p in self.parts]}
        if self.calibration is not None:
            out["calibration"] = {"shift": list(self.calibration.shift), "slope": self.calibration.slope}
        return out

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], schema: Schema, options: BayesOptions, unit: int
    ) -> NaiveBayesModel:
        """Build the model from `to_dict()`; the reader of model files has checked the shape."""
        classes = np.array(data["classes"], np.int64)
        parts = tuple(_part(c, schema[c["name"]], classes) for c in data["columns"])
        given = data.get("calibration")
        calibration = (
            Calibration(float(given["slope"]), tuple(float(s) for s in given["shift"])) if given else None
        )
        return cls(schema, options, unit, classes, parts, calibration)


def _as_double(value: exact.Unreduced) -> float:
    """Return the nearest double; 1 for 0, the smallest or infinity for a variance beyond all doubles."""
    if value.over == 0:
        return 1.0
    try:
        return value.over / value.under or 5e-324  # a quotient of whole numbers is rounded once
    except OverflowError:
        return math.inf


def _part(data: Mapping[str, Any], column: Column, classes: Counts) -> BayesPart:
    missing = np.array(data["missing"], np.int64)
    name, distribution = data["name"], data["distribution"]
    if column.kind == "text":
        counts = np.array(data["counts"], np.int64).reshape(-1, len(classes))
        return Worded(name, distribution, counts, missing, classes - missing, tuple(data.get("idf", ())))
    if "counts" in data:
        counts = np.array(data["counts"], np.int64).reshape(-1, len(classes))
        return Counted(
            name, distribution, counts, missing, column.levels, tuple(map(float, data.get("cuts", ())))
        )
    sums = tuple(exact.read(s, exact.SUM_UNIT) for s in data["sums"])
    squares = tuple(exact.read(q, exact.SQUARE_UNIT) for q in data.get("squares", ["0"] * len(classes)))
    return Summed(name, distribution, classes - missing, missing, sums, squares, data.get("variance", "ml"))


def given_priors(priors: Sequence[float] | Mapping[str, float], target: Target) -> Array:
    """Return the given priors in class order: a number per class that sum to 1."""
    if isinstance(priors, Mapping):
        by_text = {target.label_of(k): v for k, v in priors.items()}
        if lacking := [label for label in target.labels if label not in by_text]:
            raise OptionError(f"priors has no number for the class {some(lacking)}. Give one for each class.")
        priors = [by_text[label] for label in target.labels]
    try:
        values = np.asarray(priors, float)
    except (TypeError, ValueError):
        raise OptionError(f"priors must be numbers; found {shown(priors)}.") from None
    if values.shape != (len(target.labels),):
        raise OptionError(
            f"priors has {values.size} numbers for {len(target.labels)} classes. Give one for each class."
        )
    if not (values >= 0).all() or abs(float(values.sum()) - 1) > 1e-6:
        raise OptionError(f"priors must be at least 0 and sum to 1, not to {float(values.sum()):g}.")
    return values


# Information of each column about the class, in bits: for prints and rankings, never for a stored number.

POINTS = 97  # grid points over which a Gaussian is averaged, to 6 standard deviations on each side


def strengths(model: NaiveBayesModel) -> dict[str, float]:
    """Return bits[column]: the mean of log2 P(value | class) / P(value)."""
    weights = model.classes / max(int(model.classes.sum()), 1)
    return {part.name: _strength(model, part, weights) for part in model.parts}


def _strength(model: NaiveBayesModel, part: BayesPart, weights: Array) -> float:
    if isinstance(part, Summed):
        return _of_sums(model, part, weights)
    if isinstance(part, Worded) and part.distribution == "complement":
        part = part.as_multinomial()
    shares = part.shares(model.options, model.unit)
    if isinstance(part, Counted) or part.distribution != "bernoulli":
        return _information(shares, weights)
    both = np.stack([shares, 1 - shares])  # each word by itself, then summed
    return float(sum(_information(both[:, w], weights) for w in range(both.shape[1])))


def _information(shares: Array, weights: Array) -> float:
    """Return sum over value, class of weight * share * log2(share / mean share)."""
    mean = shares @ weights
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(shares > 0, shares * kernels.log2(shares / mean[:, None]), 0.0)
    return float(max((bits @ weights).sum(), 0.0))


def _of_sums(model: NaiveBayesModel, part: Summed, weights: Array) -> float:
    means, wide = np.array([float(m) for m in part.means()]), of_part(part).variance
    squared = np.array(model.variances[part.name]) if wide is None else np.maximum(wide(means), 1e-12)
    deviations = np.sqrt(squared)
    # [class, point, class] stays below 32 MB, so that a thousand classes get few points
    grid = np.linspace(-6, 6, max(9, min(POINTS, 4_000_000 // len(means) ** 2)) | 1)
    mass = kernels.exp(-0.5 * grid * grid)
    mass /= mass.sum()
    x = means[:, None] + deviations[:, None] * grid  # [class, point]
    distance = (x[:, :, None] - means) / deviations  # [class, point, class]
    logs = -0.5 * distance * distance - kernels.log(deviations)
    top = logs.max(axis=2, keepdims=True)
    mean = kernels.log((kernels.exp(logs - top) * weights).sum(axis=2)) + top[:, :, 0]
    own = np.stack([logs[c, :, c] for c in range(len(means))])
    bits = ((own - mean) * mass).sum(axis=1) / np.log(2.0)
    return float(max((bits * weights).sum(), 0.0))
