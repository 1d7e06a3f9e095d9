"""The fitted logistic regression: a constant, one part per column, and how well it fitted.

Knows weights and the schema. Knows nothing of rows, solvers or engines. Laws: `from_dict(to_dict())` is the
same model and predicts the same bits; the constant and the parts, added up, are the log-odds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.schema import Note, Schema
from tallystick.models.additive import Additive, LevelTerm, LinearTerm, Term
from tallystick.models.decision import AnswerDecision, decide, in_force
from tallystick.models.float_rows import are_doubles, as_they_lie, in_blocks
from tallystick.models.logistic.options import LogisticOptions
from tallystick.models.logistic.parts import (
    Cells,
    Part,
    Product,
    ProductTerm,
    Slope,
    TextTerm,
    WordWeights,
    asked_of,
    on_average,
    part_from,
    product_values,
    says_something,
)

if TYPE_CHECKING:
    from tallystick.models.linear.model import LinearModel
    from tallystick.models.logistic.one_row import LogisticRow

KIND = "logistic-regression"
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """How the fit went. log_likelihood and null (class shares only) are sums over rows, by weight.

    l2: the prior in force. separation: "", "complete" or "quasi-complete". spread[link, link]: the mean
    over rows of p_a (1[a = b] - p_b), for marginal effects; empty when the curvature was not asked for.
    weights: those that were free. degrees: how many numbers they amount to, for AIC and BIC; None in model
    files from before it was kept.
    """

    l2: float
    log_likelihood: float
    null: float
    iterations: int
    rows: float
    weights: int
    separation: str = ""
    condition: float | None = None
    spread: tuple[tuple[float, ...], ...] = ()
    degrees: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out = {
            "condition": self.condition,
            "iterations": self.iterations,
            "l2": self.l2,
            "log_likelihood": self.log_likelihood,
            "null": self.null,
            "rows": self.rows,
            "separation": self.separation,
            "spread": [list(r) for r in self.spread],
            "weights": self.weights,
        }
        return out if self.degrees is None else out | {"degrees": self.degrees}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Fit:
        """Build from `to_dict()`."""
        fields = dict(data)
        fields["spread"] = tuple(tuple(float(v) for v in r) for r in data["spread"])
        return cls(**fields)


class FitTelling(Protocol):
    """What a model tells of its fit: known, or found when somebody first asks for it.

    errors: standard errors in the order of `coefficients` [coefficient][link], or empty. notes: what was
    found only then.
    """

    @property
    def fit(self) -> Fit:
        """How the fit went."""
        ...

    @property
    def errors(self) -> tuple[tuple[float, ...], ...]:
        """Standard errors."""
        ...

    @property
    def notes(self) -> tuple[Note, ...]:
        """What has to be said."""
        ...


@dataclass(frozen=True, slots=True)
class KnownFit:
    """What a model tells of its fit, known."""

    fit: Fit
    errors: tuple[tuple[float, ...], ...] = ()
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, told: FitTelling) -> KnownFit:
        """Return all that is told, found now: what it is found from may go."""
        return cls(told.fit, told.errors, told.notes)


@dataclass(frozen=True)
class LogisticModel:
    """constant[link]; parts in the order of the columns, products last.

    told: what it tells of its fit. reference: the class the others are compared with when printed.
    """

    schema: Schema
    options: LogisticOptions
    constant: Array
    parts: tuple[Part, ...]
    told: FitTelling
    reference: int
    decision: AnswerDecision | None = None

    kind = KIND
    calibration = None  # its shares are those of the fit

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle keeps: what is told of the fit, not the rows that would tell it."""
        return self.__dict__ | {"told": KnownFit.of(self.told)}

    @property
    def fit(self) -> Fit:
        """How the fit went."""
        return self.told.fit

    @property
    def errors(self) -> tuple[tuple[float, ...], ...]:
        """Standard errors in the order of `coefficients` [coefficient][link], or empty."""
        return self.told.errors

    @property
    def links(self) -> int:
        """One for two classes, else one per class."""
        return len(self.constant)

    @cached_property
    def answering(self) -> tuple[Part, ...]:
        """The parts with a weight that is not 0, which alone are asked for an answer."""
        return tuple(part for part in self.parts if says_something(part))

    @cached_property
    def asked(self) -> Schema:
        """The schema of the columns that new rows must have; tables of weights keep those of weight 0."""
        return asked_of(self.schema, self.answering)

    @property
    def labels(self) -> tuple[str, ...]:
        """The class labels."""
        return self.schema.predicted.labels

    def scores(self, block: Block) -> Array:
        """Return log scores [row, class]."""
        return self._answers(block, kernels.Answer.SCORES)

    def shares(self, block: Block) -> Array:
        """Return P(class | row) [row, class]."""
        return self._answers(block, kernels.Answer.SHARES)

    def decide(self, shares: Array) -> NDArray[np.int64]:
        """Return the class answered for shares[row, class]: the largest share, or as the decision says; of
        equals the first.
        """
        return decide(shares, in_force(self.decision))

    def record(self, row: Mapping[str, Any]) -> Array | None:
        """Return the shares [class] of one record; None when a cell has to be read as tables are."""
        return self._one_row.shares(row)

    @cached_property
    def _one_row(self) -> LogisticRow:
        from tallystick.models.logistic.one_row import LogisticRow

        return LogisticRow(self)

    def log_shares(self, block: Block) -> Array:
        """Return log P(class | row) [row, class], which does not end where a share is too small for a
        number.
        """
        return self.additive.log_shares(self.scores(block))

    def _answers(self, block: Block, answer: kernels.Answer) -> NDArray[Any]:
        plan = self._plan
        columns = plan.columns(block)
        out, finite = kernels.linear_answers(columns, block.rows, plan.scaling, plan.theta, answer)
        if finite:
            return out
        scores = kernels.linear_scores(columns, block.rows, plan.scaling, plan.theta)
        again = bounded_scores(self.additive, block, scores)
        return kernels.softmax(again) if answer == kernels.Answer.SHARES else again

    def floats(self, columns: Sequence[NDArray[Any]], rows: int) -> Array | None:
        """Return the shares of rows given as columns, all of the schema; None when they must be read."""
        return self._of_floats(columns, rows, kernels.Answer.SHARES)

    def best_of_floats(self, columns: Sequence[NDArray[Any]], rows: int) -> NDArray[np.uint32] | None:
        """Return what `decide` answers for the shares of `floats`, in half of the time; None where a
        decision decides.
        """
        if self.decision is not None:
            return None
        return self._of_floats(columns, rows, kernels.Answer.BEST)

    def _of_floats(
        self, columns: Sequence[NDArray[Any]], rows: int, answer: kernels.Answer
    ) -> NDArray[Any] | None:
        return answers_of_floats(self, self._plan, columns, rows, answer)

    @property
    def centred_constant(self) -> Array:
        """The constant [link] where every numeric column is at its centre."""
        here: Array = self._plan.theta[0]
        return here

    @cached_property
    def _plan(self) -> ScorePlan:
        return ScorePlan.of(self)

    @cached_property
    def additive(self) -> Additive:
        """The model as base and terms: what explanations, nomograms and exports read."""
        terms = [term_of(part, self._by_class) for part in self.answering]
        averages = [self._by_class(on_average(part)) for part in self.answering]
        return Additive(self._by_class(self.constant), terms, averages)

    def _by_class(self, weights: Array) -> Array:
        """Return weights[..., class] from weights[..., link]: two classes have 0 and the link's."""
        if self.links > 1:
            return weights
        out = np.zeros((*weights.shape[:-1], 2))
        out[..., 1] = weights[..., 0]
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return this model's own part of the model file."""
        return {
            "constant": self.constant.tolist(),
            "errors": [list(e) for e in self.errors],
            "fit": self.fit.to_dict(),
            "parts": [p.to_dict() for p in self.parts],
            "reference": self.reference,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], schema: Schema, options: LogisticOptions) -> LogisticModel:
        """Build the model from `to_dict()`; the reader of model files has checked the shape."""
        return cls(
            schema,
            options,
            np.array(data["constant"], float),
            tuple(part_from(p) for p in data["parts"]),
            KnownFit(Fit.from_dict(data["fit"]), tuple(tuple(e) for e in data["errors"])),
            int(data["reference"]),
        )


def term_of(part: Part, by_class: Callable[[Array], Array]) -> Term:
    """Return a part as a term of the additive form. by_class: weights[..., class] from weights[..., link]."""
    if isinstance(part, Slope):
        slope = by_class(part.slope)
        gone = slope * part.centre if part.missing is None else slope * part.centre + by_class(part.missing)
        return LinearTerm(part.name, slope, np.zeros(len(slope)), gone)
    if isinstance(part, Cells):
        table = by_class(part.weights)
        return LevelTerm(part.name, np.concatenate([table, np.zeros((1, table.shape[1]))]))
    if isinstance(part, WordWeights):
        return TextTerm(part, by_class(part.weights))
    return ProductTerm(part, by_class(part.slope), part.name)


def bounded_scores(additive: Additive, block: Block, scores: Array) -> Array:
    """Return scores[row, class] where rows beyond all doubles are added up again, each part at most 1e300."""
    again = np.tile(additive.base, (block.rows, 1))
    for term in additive.terms:
        part = np.zeros_like(again)
        term.add(part, block)
        again += np.clip(np.nan_to_num(part, nan=0.0), -1e300, 1e300)
    return np.where(np.isfinite(scores).all(axis=1, keepdims=True), scores, again)


def answers_of_floats(
    model: LogisticModel | LinearModel,
    plan: ScorePlan,
    columns: Sequence[NDArray[Any]],
    rows: int,
    answer: kernels.Answer,
) -> NDArray[Any] | None:
    """Return the answers to rows given as columns, all of the schema; None where they must be read."""

    def of_block(block: Block) -> NDArray[Any] | None:
        ask = kernels.answers_of_numbers if lie else kernels.linear_answers
        found, fine = ask(plan.columns(block), block.rows, plan.scaling, plan.theta, answer)
        return found if fine else None

    lie: frozenset[str] = frozenset()
    slopes = all(isinstance(part, Slope) for part in model.answering)
    # Of slopes alone an infinite number gives no finite score, so it need not be looked for.
    if slopes and are_doubles(model.schema, columns):
        return of_block(as_they_lie(model.schema, columns, rows))
    if all(isinstance(part, Slope) and part.missing is None for part in plan.dense):
        lie = frozenset(part.name for part in plan.dense)
    return in_blocks(model.schema, columns, rows, of_block, by_rows=True, lie=lie)


def dense_values(part: Slope | Product, block: Block) -> list[Array]:
    """Return what a part multiplies [row], and where it is missing if that has a weight."""
    if isinstance(part, Product):
        return [product_values(part.factors, block)]
    values = block.values(part.name)
    return [values] if part.missing is None else [values, np.isnan(values).astype(np.float64)]


@dataclass(frozen=True)
class ScorePlan:
    """The weights as the kernels take them: dense columns about their centre, so that missing is 0."""

    dense: Sequence[Slope | Product]
    coded: Sequence[Cells]
    words: Sequence[WordWeights]
    starts: Sequence[int]
    scaling: Array
    theta: Array

    def columns(self, block: Block) -> kernels.DenseColumns:
        """Return the columns of a block as kernels take them."""
        return kernels.DenseColumns(
            [v for part in self.dense for v in dense_values(part, block)],
            [block.codes(c.name) for c in self.coded],
            self.starts,
            [w.text(block) for w in self.words],
        )

    @classmethod
    def of(cls, model: LogisticModel | LinearModel) -> ScorePlan:
        """Return the plan of a model."""
        parts = model.answering
        dense = [p for p in parts if isinstance(p, Slope | Product)]
        coded = [p for p in parts if isinstance(p, Cells)]
        constant, centres, rows = model.constant.copy(), [], []
        for p in dense:
            constant = constant + p.slope * p.centre
            centres.append(p.centre)
            rows.append(p.slope)
            if isinstance(p, Slope) and p.missing is not None:
                centres.append(0.0)
                rows.append(p.missing)
        starts, at = [], 0
        unseen, cells = np.zeros((1, model.links)), list[Array]()
        for c in coded:
            starts.append(at)
            cells += [c.weights, unseen]
            at += len(c.weights) + 1
        theta = np.concatenate([np.array([constant, *rows]).reshape(-1, model.links), *cells])
        scaling = np.stack([np.array(centres, float), np.ones(len(centres))])
        return cls(dense, coded, [p for p in parts if isinstance(p, WordWeights)], starts, scaling, theta)
