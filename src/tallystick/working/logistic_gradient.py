"""Likelihood and gradient of a logistic regression at some weights, summed row by row as a person does it.

Knows fitted models and encoded rows. Knows nothing of documents or solvers.
Law: at the model's own weights every gradient is 0 but for rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tallystick.models.logistic.coefficients import coefficients
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.logistic.parts import Cells, Product, Slope, product_values

if TYPE_CHECKING:
    from tallystick.contracts import Block, Table

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gradient:
    """One weight's part of the gradient. likelihood: Σ x·(y − P) over the rows; pull: of the prior."""

    name: str
    link: int
    weight: float
    likelihood: float
    pull: float
    log_likelihood: float


def gradients(model: LogisticModel, table: Table, weights: tuple[tuple[float, ...], ...]) -> list[Gradient]:
    """Return the gradient of every free weight, in the user's units. weights[coefficient][link]."""
    block = table.slice(0, table.rows)
    assert block.classes is not None
    columns, scales = design(model, block)
    w = np.array(weights)
    scores = columns @ w
    if model.links == 1:
        scores = np.hstack([np.zeros((len(scores), 1)), scores])
    away = scores - scores.max(axis=1, keepdims=True)
    shares = np.exp(away) / np.exp(away).sum(axis=1, keepdims=True)
    total = float(np.log(shares[np.arange(len(shares)), block.classes]).sum())
    truth = block.classes[:, None] == np.arange(shares.shape[1])[None, :]
    rest = truth - shares
    first = 1 if model.links == 1 else 0
    out = []
    for link in range(model.links):
        for k, c in enumerate(coefficients(model)):
            if c.free:
                steep = float(columns[:, k] @ rest[:, link + first])
                pull = model.fit.l2 * scales[k] ** 2 * w[k, link] if c.column else 0.0
                out.append(Gradient(c.name, link, float(w[k, link]), steep, float(pull), total))
    return out


def design(model: LogisticModel, block: Block) -> tuple[Array, Array]:
    """Return columns[row, coefficient], and by what each is divided where the prior is on standardised
    numbers.
    """
    columns, scales = [np.ones(block.rows)], [1.0]
    for part in model.parts:
        if isinstance(part, Cells):
            size = len(model.schema[part.name].levels)
            codes = np.minimum(block.codes(part.name), size)
            columns += [(codes == k).astype(float) for k in range(size + 1)]
            scales += [1.0] * (size + 1)
            continue
        assert isinstance(part, Slope | Product)
        values = product_values(part.factors, block) if isinstance(part, Product) else block.values(part.name)
        gone = np.isnan(values)
        columns.append(np.where(gone, part.centre, values))
        scales.append(part.scale if model.options.standardize else 1.0)
        if isinstance(part, Slope) and part.missing is not None:
            columns.append(gone.astype(float))
            scales.append(1.0)
    return np.stack(columns, axis=1), np.array(scales)
