"""What a logistic regression keeps of each column: weights in the user's units, where its column was centred,
and what it adds to the average training row.

Knows columns and weights. Knows nothing of fitting. w[link]: one link for two classes (the log-odds of the
second), else one per class. average[link]: the mean over the training rows of what the part adds; model files
from before it was kept have none, and are measured from what they know: numbers and products from their mean,
levels and words from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.data.schema import Schema
from tallystick.models.logistic.design import Factor

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
    """Say whether all levels of a column have a weight and nothing says which is the base: in model files
    from before it was kept, whose standard errors are of weights that rows do not determine.
    """
    cells = [p for p in parts if isinstance(p, Cells) and sum(p.free) > 1 and p.free[0]]
    open_ = [p for p in cells if p.base is None and all(p.free[:-1])]
    return len(open_) > (0 if constant else 1)  # without a constant one column stands in its place


def with_average(part: Part, average: Array) -> Part:
    """Return a part that knows what it adds to the average training row [link]."""
    if isinstance(part, Slope):  # of these there are many, and to copy one field by field takes long
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
    with np.errstate(over="ignore", invalid="ignore"):  # a product beyond all doubles is bounded later
        for factor in factors[1:]:
            out = out * factor.values(block)
    return out
