"""The fitted linear regression: a constant, one part per column, and how well it fitted.

Knows weights and the schema. Knows nothing of rows, solvers or engines. Laws: `from_dict(to_dict())` is the
same model and predicts the same bits; the constant and the parts, added up, are the answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.schema import Schema
from tallystick.models.additive import Additive
from tallystick.models.linear.options import LinearOptions
from tallystick.models.logistic.model import ScorePlan, answers_of_floats, bounded_scores, term_of
from tallystick.models.logistic.parts import (
    Part,
    asked_of,
    coefficients_of,
    on_average,
    part_from,
    says_something,
)

if TYPE_CHECKING:
    from tallystick.models.logistic.one_row import LogisticRow

KIND = "linear-regression"
Array = NDArray[np.float64]


@dataclass(frozen=True)
class LeastSquares:
    """How the fit went. error: the sum of the squared errors over rows, by weight; null: that of the mean (of
    0, without a constant).

    l2: the penalty in force. weights: those that were free. degrees: how many numbers they amount to.
    """

    l2: float
    error: float
    null: float
    iterations: int
    rows: float
    weights: int
    degrees: float
    condition: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    @property
    def freedom(self) -> float:
        """The rows beyond the numbers that the weights amount to; what the noise is measured by."""
        return self.rows - self.degrees

    @property
    def variance(self) -> float:
        """The variance of the noise: squared errors by the degrees of freedom; NaN where there are none."""
        return self.error / self.freedom if self.freedom > 1e-9 else math.nan


@dataclass(frozen=True)
class LinearModel:
    """constant[1]; parts in the order of the columns, products last.

    errors: standard errors in the order of `coefficients` [coefficient][1], or empty. covariance[i][j <= i]:
    of the same, in the response's unit, of columns about their centre and over their scale; or empty.
    """

    schema: Schema
    options: LinearOptions
    constant: Array
    parts: tuple[Part, ...]
    fit: LeastSquares
    errors: tuple[tuple[float, ...], ...] = ()
    covariance: tuple[tuple[float, ...], ...] = ()

    kind = KIND
    links = 1
    calibration = None
    decision = None

    @cached_property
    def answering(self) -> tuple[Part, ...]:
        """The parts with a weight that is not 0 or not sure to be 0, which intervals of answers ask for."""
        out, at = [], 1
        for part in self.parts:
            many = coefficients_of(part)
            if says_something(part) or any(
                error for errors in self.errors[at : at + many] for error in errors
            ):
                out.append(part)
            at += many
        return tuple(out)

    @cached_property
    def asked(self) -> Schema:
        """The schema of the columns that new rows must have; tables of weights keep those of weight 0."""
        return asked_of(self.schema, self.answering)

    def shares(self, block: Block) -> Array:
        """Return the answers [row, 0]."""
        plan = self.plan
        scores, finite = kernels.linear_answers(
            plan.columns(block), block.rows, plan.scaling, plan.theta, kernels.Answer.SCORES
        )
        found = np.ascontiguousarray(scores[:, 1:])
        return found if finite else bounded_scores(self.additive, block, found)

    def decide(self, shares: Array) -> NDArray[np.int64]:
        """Return 0 for every row: a number is not a class."""
        return np.zeros(len(shares), np.int64)

    def record(self, row: Mapping[str, Any]) -> Array | None:
        """Return the answer [0] to one record; None when a cell has to be read as tables are."""
        scores = self._one_row.scores(row)
        return None if scores is None else np.array([scores[1]])

    @cached_property
    def _one_row(self) -> LogisticRow:
        from tallystick.models.logistic.one_row import LogisticRow

        return LogisticRow(self)

    def floats(self, columns: Sequence[NDArray[Any]], rows: int) -> Array | None:
        """Return the answers of rows given as float columns, all of the schema; None when they must be
        read.
        """
        scores = kernels.Answer.SCORES
        found = answers_of_floats(self, self.plan, columns, rows, scores)
        return None if found is None else np.ascontiguousarray(found[:, 1:])

    def best_of_floats(self, columns: Sequence[NDArray[Any]], rows: int) -> None:
        """Return None: there is no class."""

    def log_shares(self, block: Block) -> Array:
        """Return the logarithm of the answers."""
        return kernels.log(self.shares(block))

    @property
    def centred_constant(self) -> Array:
        """The constant [1] where every numeric column is at its centre."""
        here: Array = self.plan.theta[0]
        return here

    @cached_property
    def plan(self) -> ScorePlan:
        """The weights as the kernels take them."""
        return ScorePlan.of(self)

    @cached_property
    def additive(self) -> Additive:
        """The model as base and terms: what explanations and exports read."""
        terms = [term_of(part, lambda weights: weights) for part in self.answering]
        return Additive(self.constant, terms, [on_average(part) for part in self.answering])

    def to_dict(self) -> dict[str, Any]:
        """Return this model's own part of the model file."""
        return {
            "constant": self.constant.tolist(),
            "covariance": [list(row) for row in self.covariance],
            "errors": [list(e) for e in self.errors],
            "fit": self.fit.to_dict(),
            "parts": [p.to_dict() for p in self.parts],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], schema: Schema, options: LinearOptions) -> LinearModel:
        """Build the model from `to_dict()`; the reader of model files has checked the shape."""
        return cls(
            schema,
            options,
            np.array(data["constant"], float),
            tuple(part_from(p) for p in data["parts"]),
            LeastSquares(**data["fit"]),
            tuple(tuple(e) for e in data["errors"]),
            tuple(tuple(row) for row in data["covariance"]),
        )
