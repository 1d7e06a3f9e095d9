"""The fitted naive Bayes model: class counts, one part per column, and the additive form that follows from
them.

Knows sums, options and the schema. Knows nothing of rows, files or engines.
Laws: `from_dict(to_dict())` is the same model and predicts the same bits; adding two models adds their rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.schema import Column, Note, Schema, Target
from tallystick.errors import DataError, OptionError, shown, some
from tallystick.models import exact
from tallystick.models.additive import Additive, Calibration, Term
from tallystick.models.decision import AnswerDecision, decide, in_force
from tallystick.models.float_rows import in_blocks
from tallystick.models.naive_bayes.columns import Array, Counted, Counts, Part, Summed, Worded, level_terms
from tallystick.models.naive_bayes.distributions import DISTRIBUTIONS, of_part
from tallystick.models.naive_bayes.options import BayesOptions

if TYPE_CHECKING:
    from tallystick.models.naive_bayes.one_row import BayesRow

KIND = "naive-bayes"
SMOOTHING = 2  # cases with the whole column's variance that "smoothed" adds to each class
LEAST, MOST = 1e-290, 1e290  # variances that densities can be computed with
FLOOR = exact.Unreduced(1, 10**6)  # no variance is below this share of its column's variance over all classes


@dataclass(frozen=True)
class NaiveBayesModel:
    """classes[class]: rows of each class in units of 1 / unit; parts: what is kept of each column, in schema
    order.
    """

    schema: Schema
    options: BayesOptions
    unit: int
    classes: Counts
    parts: tuple[Part, ...]
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

    def record(self, row: Mapping[str, Any]) -> Array | None:
        """Return the shares [class] of one record; None when a cell has to be read as tables are."""
        return self._one_row.shares(row)

    def floats(self, columns: Sequence[NDArray[Any]], rows: int) -> Array | None:
        """Return the shares of rows given as columns, all of the schema; None: they must be read."""
        return in_blocks(self.schema, columns, rows, self.shares, lie=self.additive.numbers)

    def best_of_floats(self, columns: Sequence[NDArray[Any]], rows: int) -> NDArray[np.int64] | None:
        """Return what `decide` answers for the shares of `floats`."""
        lie = self.additive.numbers
        return in_blocks(self.schema, columns, rows, lambda b: self.decide(self.shares(b)), lie=lie)

    @cached_property
    def _one_row(self) -> BayesRow:
        from tallystick.models.naive_bayes.one_row import BayesRow

        return BayesRow(self)

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

    def part(self, column: str) -> Part:
        """Return what is kept of one column."""
        return next(p for p in self.parts if p.name == column)

    def _base(self) -> Array:
        """Return the logarithms of the priors, times what a row of each class counts for."""
        given = self.options.class_weight
        if given is None:
            return self._priors()
        if isinstance(given, str):  # balanced
            rows = np.maximum(self.classes.astype(float), 1e-9)
            return self._priors() + kernels.log(float(self.classes.sum()) / (len(rows) * rows))
        target = self.schema.predicted
        known = {target.label_of(label): float(weight) for label, weight in given.items()}
        return self._priors() + kernels.log(np.array([known.get(label, 1.0) for label in target.labels]))

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

    def _term(self, part: Part) -> Term:
        if isinstance(part, Counted):
            return self._levels.get(part.name) or part.term(self.options, self.unit)
        if isinstance(part, Summed):
            if of_part(part).together is not None:
                return self._together[part.name]
            term = of_part(part).term
            normal = self.variances.get(part.name, [])
            return part.normal_term(normal) if term is None else term(part, self.options, self.unit)
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
        """variances[column][class] of the Gaussian columns, shared as asked for, never below the column's
        floor.
        """
        parts = [p for p in self.parts if isinstance(p, Summed) and of_part(p).squares]
        shared = shared_variances(parts, self.options.share, self.unit)
        out = {}
        for part, values in zip(parts, shared, strict=True):
            least = part.whole_variance.times(*FLOOR)
            out[part.name] = [as_double(least if v.below(least) else v) for v in values]
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


def as_double(value: exact.Unreduced) -> float:
    """Return the nearest double; 1 for 0, the smallest or infinity for a variance beyond all doubles."""
    if value.over == 0:
        return 1.0
    try:
        return value.over / value.under or 5e-324  # a quotient of whole numbers is rounded once
    except OverflowError:
        return math.inf


def _part(data: Mapping[str, Any], column: Column, classes: Counts) -> Part:
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


def shared_variances(parts: Sequence[Summed], share: str, unit: int) -> list[list[exact.Unreduced]]:
    """Return variance[column][class], exact; what is shared is the sum of squares over the sum of rows.

    Unbiased: one row less for each mean that was estimated. Smoothed: two cases with the variance of the
    whole column are added, where nothing is shared. A class without values takes the whole column's variance.
    """
    spreads = [p.spread() for p in parts]
    rows = [p.rows.tolist() for p in parts]
    free = [[max(n - unit * (p.variance == "unbiased"), 0) for n in p.rows.tolist()] for p in parts]
    classes = range(len(rows[0]) if rows else 0)
    out: list[list[exact.Unreduced]] = []
    for j, part in enumerate(parts):
        added = SMOOTHING * unit if part.variance == "smoothed" and share == "none" else 0
        line = []
        for c in classes:
            js = range(len(parts)) if share in ("columns", "both") else [j]
            cs = classes if share in ("classes", "both") else [c]
            divisor = sum(free[i][d] for i in js for d in cs) + added
            shared = [spreads[i][d] for i in js for d in cs]
            if added:
                shared.append(part.whole_variance.times(added))
            spread = reduce(exact.Unreduced.plus, shared)
            line.append(spread.times(1, divisor) if divisor and rows[j][c] else part.whole_variance)
        out.append(line)
    return out
