"""The fitted scorecard: a base, whole points per line of each column, and what they add up to.

Knows points and the schema. Knows nothing of rows, sums or engines. Laws: `from_dict(to_dict())` is the
same model and predicts the same bits; the log-odds are the base and the points added up, times ln 2 over
`step`: a person with a pencil gets the very probability.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.schema import Schema
from tallystick.models.additive import Additive, Calibration
from tallystick.models.decision import AnswerDecision, decide, in_force
from tallystick.models.float_rows import in_blocks
from tallystick.models.scorecard.options import ScorecardOptions
from tallystick.models.scorecard.parts import LinePoints, PairPoints, Part, WordPoints, part_from
from tallystick.models.scorecard.spread import CardSpread

if TYPE_CHECKING:
    from tallystick.models.scorecard.one_row import CardRow

KIND = "scorecard"
LN2 = 0.6931471805599453
Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class CardFit:
    """How the fit went; losses are means over the training rows, by weight.

    loss: before rounding; rounded: of the whole points; null: of the class shares. rows: what the training
    rows weigh, class weights not counted. degrees: how many
    numbers the points amount to. evidence: log of how probable the rows are, as the priors were chosen.
    """

    loss: float
    rounded: float
    null: float
    rows: float
    degrees: float
    evidence: float
    passes: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {name: getattr(self, name) for name in sorted(self.__dataclass_fields__)}


@dataclass(frozen=True)
class ScorecardModel:
    """base[link] and parts in the order of the columns, pairs last.

    step: points that double the odds, in force. errors[part][line][link]: standard errors of points, or
    empty. left_out: columns that the rows gave no points. spread: how the errors go together; None where a
    file does not tell.
    """

    schema: Schema
    options: ScorecardOptions
    step: int
    base: Whole
    parts: tuple[Part, ...]
    fit: CardFit
    unit: int = 1
    errors: tuple[Array, ...] = ()
    left_out: tuple[str, ...] = ()
    spread: CardSpread | None = None
    decision: AnswerDecision | None = None

    kind = KIND

    @property
    def labels(self) -> tuple[str, ...]:
        """The class labels."""
        return self.schema.predicted.labels

    @property
    def links(self) -> int:
        """One for two classes, else one per class."""
        return len(self.base)

    @property
    def slope(self) -> float:
        """What one point adds to the log-odds."""
        return LN2 / self.step

    @property
    def calibration(self) -> Calibration:
        """Points to log-odds, as exports take it: score * slope + shift."""
        return Calibration(self.slope, (0.0,) * len(self.labels))

    @property
    def lines(self) -> int:
        """How many lines of the card have points: what the razor counts."""
        return sum(int(np.count_nonzero(part.points.any(axis=1))) for part in self.parts)

    @cached_property
    def additive(self) -> Additive:
        """The model in points as base and terms: what explanations, nomograms and exports read."""
        terms = [part.term(self._by_class(part.points)) for part in self.parts]
        averages = [self.average(part) for part in self.parts]
        return Additive(self._by_class(self.base), terms, averages)

    def _by_class(self, points: Whole) -> Array:
        """Return points[..., class] from points[..., link]: two classes have 0 and the link's."""
        if self.links > 1:
            return points.astype(np.float64)
        out = np.zeros((*points.shape[:-1], 2))
        out[..., 1] = points[..., 0]
        return out

    def average(self, part: Part) -> Array:
        """Return what a part adds to the average training row [class]."""
        table, weight = self._by_class(part.points), part.rows.sum(axis=1).astype(np.float64)
        total = self.fit.rows * self.unit if isinstance(part, WordPoints) else math.fsum(weight.tolist())
        sums = [math.fsum((weight * table[:, c]).tolist()) for c in range(table.shape[1])]
        return np.array(sums) / max(total, 1e-300)

    def points(self, block: Block) -> Array:
        """Return base and points added up [row, class]: whole numbers."""
        return self.additive.scores(block)

    def scores(self, block: Block) -> Array:
        """Return log scores [row, class]."""
        return self.slope * self.points(block)

    def shares(self, block: Block) -> Array:
        """Return P(class | row) [row, class]."""
        return kernels.softmax(self.scores(block))

    def decide(self, shares: Array) -> NDArray[np.int64]:
        """Return the class answered for shares[row, class]: the largest share, or as the decision says; of
        equals the first.
        """
        return decide(shares, in_force(self.decision))

    def record(self, row: Mapping[str, Any]) -> Array | None:
        """Return the shares [class] of one record; None when a cell has to be read as tables are."""
        return self._one_row.shares(row)

    @cached_property
    def _one_row(self) -> CardRow:
        from tallystick.models.scorecard.one_row import CardRow

        return CardRow(self)

    def floats(self, columns: Sequence[NDArray[Any]], rows: int) -> Array | None:
        """Return the shares of rows given as columns, all of the schema; None: they must be read."""
        return in_blocks(self.schema, columns, rows, self.shares, lie=self._lie)

    def best_of_floats(self, columns: Sequence[NDArray[Any]], rows: int) -> NDArray[np.int64] | None:
        """Return what `decide` answers for the shares of `floats`."""
        return in_blocks(self.schema, columns, rows, lambda b: self.decide(self.shares(b)), lie=self._lie)

    @property
    def _lie(self) -> frozenset[str]:
        """The columns of numbers that are read as they lie: pairs read doubles."""
        paired = {name for part in self.parts if isinstance(part, PairPoints) for name in part.columns}
        return self.additive.numbers - paired

    def log_shares(self, block: Block) -> Array:
        """Return log P(class | row) [row, class]."""
        return self.additive.log_shares(self.scores(block))

    def to_dict(self) -> dict[str, Any]:
        """Return this model's own part of the model file."""
        own = {} if self.spread is None else {"spread": self.spread.to_dict()}
        return own | {
            "base": self.base.tolist(),
            "errors": [e.tolist() for e in self.errors],
            "fit": self.fit.to_dict(),
            "left_out": list(self.left_out),
            "parts": [part.to_dict() for part in self.parts],
            "step": self.step,
        }

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], schema: Schema, options: ScorecardOptions, unit: int
    ) -> ScorecardModel:
        """Build the model from `to_dict()`; the reader of model files has checked the shape."""
        words = {c.name: len(c.words) for c in schema.columns if c.kind == "text"}
        lines = sum(len(p["points"]) for p in data["parts"])
        return cls(
            schema,
            options,
            int(data["step"]),
            np.array(data["base"], np.int64),
            tuple(part_from(p, words) for p in data["parts"]),
            CardFit(**data["fit"]),
            unit,
            tuple(np.array(e, np.float64) for e in data["errors"]),
            tuple(data["left_out"]),
            CardSpread.from_dict(data["spread"], lines) if "spread" in data else None,
        )


__all__ = ["KIND", "CardFit", "LinePoints", "PairPoints", "ScorecardModel", "WordPoints"]
