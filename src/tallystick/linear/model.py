"""The fitted logistic and linear regressions: a constant, one part per column, and statistics of the fit.

1. Levels compared with a base level: `against_bases()`.
2. Parts: `Slope`, `Cells`, `WordWeights`, `Product`. 3. Their terms: `ProductTerm`, `TextTerm`.
4. Entry: `LogisticModel`, with `Fit`; `ScorePlan`: the weights as kernels take them.
5. Entry: `LinearModel`, with `LeastSquares`.

link = one class's score (linear: the one score); part = the weights of one column or product, in the user's
units; cell = a level, or missing; centre = the value a column is centred at, which stands for missing;
average = what a part adds to the average training row; base = the level that others are compared with.
Laws: `from_dict(to_dict())` is the same model and predicts the same bits; the constant and the parts, added
up, are the log-odds, or the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.linear.options import LinearOptions, LogisticOptions
from tallystick.model.additive import Additive, LevelTerm, LinearTerm, RowPart, Term, row_scores
from tallystick.model.decision import AnswerDecision, decide, in_force
from tallystick.predict.columns import are_doubles, as_they_lie, in_blocks
from tallystick.predict.row import RowAnswer, RowCells, RowShares, row_reader
from tallystick.schema import Note, Schema
from tallystick.stats.design_sums import Factor

# Levels compared with a base level.
# Under a prior every level has a weight, but a number added to all levels of a column and taken from the
# constant changes no answer: rows determine only differences. Law: the constant and the differences answer
# every known level as the weights do.

Key = frozenset[tuple[str, int | None]]  # what a weight is multiplied with: columns, with a code where coded
Terms = list[tuple[int, float]]
SQUARED = -2  # code that stands for a column multiplied with itself


def key_of(factors: Sequence[Factor]) -> Key:
    """Return what a product is multiplied with."""
    if len(factors) == 2 and factors[0] == factors[1]:
        return frozenset({(factors[0].column, None), (factors[0].column, SQUARED)})
    return frozenset((f.column, f.code) for f in factors)


def against_bases(keys: Sequence[Key | None], bases: Mapping[str, int], whole: str = "") -> dict[int, Terms]:
    """Return for each weight of a base level (or of a product with one) what it adds to the other weights:
    their places and factors. keys: of each weight, None for one that is 0 by definition. whole: the column
    whose levels stand in place of a constant.

    A base level is 1 less all other levels of its column, in products too.
    """
    place = {key: at for at, key in enumerate(keys) if key is not None}
    codes: dict[str, list[int]] = {}
    for key in place:
        if len(key) == 1:
            ((column, code),) = key
            if code is not None:
                codes.setdefault(column, []).append(code)
    out: dict[int, Terms] = {}
    for key, at in place.items():
        if not any(bases.get(column, -1) == code for column, code in key):
            continue
        terms: list[tuple[Key, float]] = [(frozenset(), 1.0)]
        for column, code in sorted(key, key=str):
            if bases.get(column, -1) != code:
                terms = [(own | {(column, code)}, f) for own, f in terms]
                continue
            others = [c for c in codes[column] if c != code]
            terms += [(own | {(column, c)}, -f) for own, f in terms for c in others]
        found: dict[int, float] = {}
        for own, f in terms:
            same = [own] if own or own in place else [frozenset({(whole, c)}) for c in codes.get(whole, [])]
            for term in same:
                if term in place:  # rows that miss a column have none of its products
                    found[place[term]] = found.get(place[term], 0.0) + f
        out[at] = sorted(found.items())
    return out


# Parts: what the model keeps of each column.

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Slope:
    """A numeric column: score += slope * x; missing counts as the mean (centre), plus a weight of its own
    if any.
    """

    name: str
    slope: Array  # [link]
    centre: float
    scale: float
    missing: Array | None = None  # [link]
    average: Array | None = None  # [link]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out: dict[str, Any] = {
            "centre": self.centre,
            "name": self.name,
            "part": "slope",
            "scale": self.scale,
            "slope": self.slope.tolist(),
        }
        out = out if self.missing is None else out | {"missing": self.missing.tolist()}
        return out | _average(self.average)


@dataclass(frozen=True)
class Cells:
    """A column of levels: weights[cell, link]: the levels, then missing. Unseen levels have weight 0.

    base: where every level has a weight, under a prior, the code of the level that tables compare the others
    with.
    """

    name: str
    weights: Array
    free: tuple[bool, ...]  # [cell]: False where the weight is 0 by definition
    average: Array | None = None  # [link]
    base: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out = {"free": list(self.free), "name": self.name, "part": "cells", "weights": self.weights.tolist()}
        out = out if self.base is None else out | {"base": self.base}
        return out | _average(self.average)


@dataclass(frozen=True)
class WordWeights:
    """A text column: score += weights[word] * value; value = (1 + ln count) * idf[word] over the row's
    length, or the count.
    """

    name: str
    weights: Array  # [word, link]
    idf: Array  # [word]; empty for plain counts
    average: Array | None = None  # [link]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out = {
            "idf": self.idf.tolist(),
            "name": self.name,
            "part": "words",
            "weights": self.weights.tolist(),
        }
        return out | _average(self.average)

    def text(self, block: Block) -> kernels.TextColumn:
        """Return the column of a block as the kernels take it."""
        starts, words, counts = block.words(self.name)
        plain = len(self.idf) == 0
        idf = np.append(np.ones(len(self.weights)) if plain else self.idf, 0.0)
        most = int(counts.max(initial=1))
        tf = np.arange(most + 1, dtype=float)
        if not plain:
            tf = 1.0 + kernels.log(np.maximum(np.arange(min(most, 4096) + 1, dtype=float), 1.0))
            tf[0] = 0.0
        weights = np.ascontiguousarray(self.weights)
        return kernels.TextColumn(
            starts, words, counts, idf, tf, not plain, 1.0, weights, kernels.NO_GRADIENT
        )


@dataclass(frozen=True)
class Product:
    """A product of two columns (or levels): score += slope * product; a missing product counts as its mean
    (centre).
    """

    name: str
    factors: tuple[Factor, ...]
    slope: Array
    centre: float
    scale: float
    average: Array | None = None  # [link]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out = {
            "centre": self.centre,
            "factors": [[f.column, f.code] for f in self.factors],
            "name": self.name,
            "part": "product",
            "scale": self.scale,
            "slope": self.slope.tolist(),
        }
        return out | _average(self.average)


Part = Slope | Cells | WordWeights | Product


def _average(average: Array | None) -> dict[str, Any]:
    return {} if average is None else {"average": average.tolist()}


def says_something(part: Part) -> bool:
    """Say whether some weight of a part is not 0."""
    if isinstance(part, Cells | WordWeights):
        return bool(part.weights.any())
    missing = part.missing if isinstance(part, Slope) else None
    return bool(part.slope.any()) or (missing is not None and bool(missing.any()))


def coefficients_of(part: Part) -> int:
    """Return how many lines of a table of weights a part has."""
    if isinstance(part, Cells):
        return len(part.weights)
    if isinstance(part, WordWeights):
        return 0
    return 1 + (isinstance(part, Slope) and part.missing is not None)


def asked_of(schema: Schema, parts: Sequence[Part]) -> Schema:
    """Return the schema of the columns that parts read: nobody must bring the others."""
    names = {f.column for p in parts if isinstance(p, Product) for f in p.factors}
    return schema.only(names | {p.name for p in parts if not isinstance(p, Product)})


def part_from(data: Mapping[str, Any]) -> Part:
    """Build a part from `to_dict()`; the reader of model files has checked the shape."""
    name, average = data["name"], np.array(data["average"], float) if "average" in data else None
    if data["part"] == "cells":
        return Cells(name, np.array(data["weights"], float), tuple(data["free"]), average, data.get("base"))
    if data["part"] == "words":
        return WordWeights(name, np.array(data["weights"], float), np.array(data["idf"], float), average)
    slope, centre, scale = np.array(data["slope"], float), float(data["centre"]), float(data["scale"])
    if data["part"] == "slope":
        missing = np.array(data["missing"], float) if "missing" in data else None
        return Slope(name, slope, centre, scale, missing, average)
    factors = tuple(Factor(c, c, code, 0.0, 0.0) for c, code in data["factors"])
    return Product(name, factors, slope, centre, scale, average)


def uncompared(parts: Sequence[Part], constant: bool) -> bool:
    """Say whether all levels of a column have a weight and no base is recorded: in model files from
    before it was kept, whose standard errors are of weights that rows do not determine.
    """
    cells = [p for p in parts if isinstance(p, Cells) and sum(p.free) > 1 and p.free[0]]
    open_ = [p for p in cells if p.base is None and all(p.free[:-1])]
    return len(open_) > (0 if constant else 1)  # without a constant one column stands in its place


def with_average(part: Part, average: Array) -> Part:
    """Return a part that knows what it adds to the average training row [link]."""
    if isinstance(part, Slope):  # there are many of these, and `replace` is slow
        return Slope(part.name, part.slope, part.centre, part.scale, part.missing, average)
    return replace(part, average=average)


def on_average(part: Part) -> Array:
    """Return what a part adds to the average training row [link], as far as its model file knows it."""
    if part.average is not None:
        return part.average
    if isinstance(part, Slope | Product):
        return part.slope * part.centre
    return np.zeros(part.weights.shape[1])


@dataclass(frozen=True)
class ProductTerm:
    """A product as a term of the additive form."""

    part: Product
    slope: Array  # [class]
    column: str = ""

    def add(self, scores: Array, block: Block) -> None:
        """Add slope * product; where it is missing, slope * centre."""
        values = product_values(self.part.factors, block)
        scores += np.where(np.isnan(values), self.part.centre, values)[:, None] * self.slope

    def row_part(self, place: Mapping[str, int]) -> None:
        """Return the part of one row."""
        return None


@dataclass(frozen=True)
class TextTerm:
    """Words as a term of the additive form."""

    part: WordWeights
    weights: Array  # [word, class]

    @property
    def words(self) -> Array:
        """The parts of the known words [word, class]."""
        return self.weights

    @property
    def column(self) -> str:
        """The text column."""
        return self.part.name

    def add(self, scores: Array, block: Block) -> None:
        """Add the parts of the row's words."""
        for row, parts in enumerate(self.by_word(block)):
            for _, part in parts:
                scores[row] += part

    def row_part(self, place: Mapping[str, int]) -> None:
        """Return the part of one row."""
        return None

    def by_word(self, block: Block) -> list[list[tuple[int, Array]]]:
        """Return each row's known words with their parts."""
        text = self.part.text(block)
        values = kernels.word_values(text)
        first = int(text.starts[0])
        out = []
        for row in range(block.rows):
            entries: Sequence[int] = range(int(text.starts[row]), int(text.starts[row + 1]))
            known = [(int(text.words[e]), float(values[e - first])) for e in entries]
            out.append([(w, self.weights[w] * v) for w, v in known if w < len(self.weights)])
        return out


def product_values(factors: Sequence[Factor], block: Block) -> Array:
    """Return the product [row]; NaN where a factor is missing."""
    out = factors[0].values(block)
    with np.errstate(over="ignore", invalid="ignore"):  # an overflow is bounded later
        for factor in factors[1:]:
            out = out * factor.values(block)
    return out


KIND = "logistic-regression"


@dataclass(frozen=True)
class Fit:
    """Statistics of the fit. log_likelihood and null (class shares only) are sums over rows, by weight.

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


class FitStats(Protocol):
    """Statistics of a fit: known, or computed on first use.

    errors: standard errors in the order of `coefficients` [coefficient][link], or empty. notes: what was
    noticed only then.
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
    """Statistics of a fit that are known."""

    fit: Fit
    errors: tuple[tuple[float, ...], ...] = ()
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, stats: FitStats) -> KnownFit:
        """Return all of it, found now: what it is found from may go."""
        return cls(stats.fit, stats.errors, stats.notes)


@dataclass(frozen=True)
class LogisticModel:
    """constant[link]; parts in the order of the columns, products last.

    fit_stats: how the fit went. reference: the class the others are compared with when printed.
    """

    schema: Schema
    options: LogisticOptions
    constant: Array
    parts: tuple[Part, ...]
    fit_stats: FitStats
    reference: int
    decision: AnswerDecision | None = None

    kind = KIND
    calibration = None  # its probabilities need none

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle keeps: the figures of the fit, not the rows that they are found from."""
        return self.__dict__ | {"fit_stats": KnownFit.of(self.fit_stats)}

    @property
    def fit(self) -> Fit:
        """How the fit went."""
        return self.fit_stats.fit

    @property
    def errors(self) -> tuple[tuple[float, ...], ...]:
        """Standard errors in the order of `coefficients` [coefficient][link], or empty."""
        return self.fit_stats.errors

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

    @cached_property
    def shares_of_row(self) -> RowShares:
        """Answers rows given as dicts."""

        def answer_of(place: Mapping[str, int]) -> RowAnswer | None:
            scores_of = self._plan.row_scores(place)
            if scores_of is None:
                return None

            def answer(cells: RowCells) -> Array | None:
                scores = scores_of(cells)
                # an overflow is bounded part by part, which needs a block
                return kernels.softmax(np.array([scores]))[0] if math.isfinite(sum(scores)) else None

            return answer

        return row_reader(self.asked, answer_of)

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

    def of_columns(
        self, columns: Sequence[NDArray[Any]], rows: int, best: bool = False
    ) -> NDArray[Any] | None:
        """Return the shares of rows given as columns of numbers; best: what `decide` answers for them, in
        half of the time.
        """
        if best and self.decision is not None:
            shares = self.of_columns(columns, rows)
            return None if shares is None else self.decide(shares)
        answer = kernels.Answer.BEST if best else kernels.Answer.SHARES
        return answers_of_columns(self, self._plan, columns, rows, answer)

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


def answers_of_columns(
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

    def row_scores(self, place: Mapping[str, int]) -> Callable[[RowCells], Sequence[float]] | None:
        """Return what gives the scores of one row, of one link 0 and its own; None where products or words
        are asked for. Added up as the kernels do: dense columns about their centre, then the coded ones.
        """
        single = self.theta.shape[1] == 1

        def by_class(weights: Array) -> list[float]:
            return [0.0, *weights.tolist()] if single else weights.tolist()

        def slope_part(part: Slope) -> RowPart:
            at, centre, slopes = place[part.name], part.centre, by_class(part.slope)
            missing = by_class(np.zeros(len(part.slope)) if part.missing is None else part.missing)

            def of_row(cells: RowCells) -> list[float]:
                z = cells[at] - centre
                return [slope * z for slope in slopes] if z == z else missing

            return of_row

        if self.words or any(isinstance(part, Product) for part in self.dense):
            return None
        parts = [slope_part(part) for part in self.dense if isinstance(part, Slope)]
        for cells in self.coded:
            weights = [by_class(row) for row in cells.weights] + [[0.0] * (self.theta.shape[1] + single)]
            level = LevelTerm(cells.name, np.array(weights))
            parts.append(level.row_part(place))
        return row_scores(by_class(self.theta[0]), parts)


# Linear regression.

LINEAR_KIND = "linear-regression"


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

    kind = LINEAR_KIND
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

    @cached_property
    def shares_of_row(self) -> RowShares:
        """Answers rows given as dicts."""

        def answer_of(place: Mapping[str, int]) -> RowAnswer | None:
            scores_of = self.plan.row_scores(place)
            if scores_of is None:
                return None

            def answer(cells: RowCells) -> Array | None:
                score = scores_of(cells)[1]
                return np.array([score]) if math.isfinite(score) else None

            return answer

        return row_reader(self.asked, answer_of)

    def of_columns(
        self, columns: Sequence[NDArray[Any]], rows: int, best: bool = False
    ) -> NDArray[Any] | None:
        """Return the answers [row, 0] to rows given as columns of numbers."""
        found = answers_of_columns(self, self.plan, columns, rows, kernels.Answer.SCORES)
        return None if found is None else np.ascontiguousarray(found[:, 1:])

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
