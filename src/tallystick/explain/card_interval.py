"""How sure a card is of a row: an interval of each probability, from the covariance of its points.

Knows fitted cards and blocks. Law: the interval holds the probability that the whole points give.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.contracts import Block
from tallystick.errors import OptionError
from tallystick.explain.interval import NORMAL_975
from tallystick.models.scorecard.model import ScorecardModel
from tallystick.models.scorecard.parts import WordPoints

Array = NDArray[np.float64]


def card_errors(model: ScorecardModel, block: Block) -> Array:
    """Return the standard error of each sum of points [row, link]."""
    if model.spread is None:
        raise OptionError("this card does not keep how the errors of its points go together. Fit it again.")
    errors = np.concatenate([model.spread.base[None, :], *model.errors])  # [1 + line, link]
    out = np.zeros((block.rows, model.links))
    for k, (whole, unit) in enumerate(zip(model.spread.factors, model.spread.units, strict=True)):
        factor = whole * unit
        with np.errstate(over="ignore"):  # a file may tell any error
            squares = errors[:, k] ** 2
        own = np.maximum(squares - (factor**2).sum(axis=0), 0.0)  # goes together with no other line
        sums = _added_up(model, block, np.concatenate([factor, own[None, :]]))
        out[:, k] = np.sqrt((sums[:, :-1] ** 2).sum(axis=1) + sums[:, -1])
    return out


def _added_up(model: ScorecardModel, block: Block, table: Array) -> Array:
    """Return what the lines of each row, and the base, add up to [row, number]; table[number, 1 + line]."""
    out = np.repeat(table[None, :, 0], block.rows, axis=0)
    start = 1
    for part in model.parts:
        own = table[:, start : start + len(part.points)].T
        start += len(part.points)
        if isinstance(part, WordPoints):
            starts, words, _ = block.words(part.name)
            whole = np.zeros((part.size + 1, len(table)))
            whole[list(part.words)] = own
            rows = np.repeat(np.arange(block.rows), np.diff(starts))
            np.add.at(out, rows, whole[np.minimum(words, part.size)])
        else:
            out += own[part.axis.codes(block)]
    return out


def card_interval(model: ScorecardModel, block: Block) -> Array:
    """Return low and high ends of each probability [row, class, 2], of about 95 %."""
    errors = card_errors(model, block) * model.slope
    scores, shares = model.scores(block), model.shares(block)
    if model.links == 1:
        odds = np.stack([scores[:, 0] - scores[:, 1], scores[:, 1] - scores[:, 0]], axis=1)
        spread = np.repeat(errors, 2, axis=1)
    else:  # the odds against all others move with the points of each as the others share what is left
        rest = np.maximum(1.0 - shares, 1e-300)
        odds = kernels.log(np.maximum(shares, 1e-300)) - kernels.log(rest)
        others = (shares[:, None, :] * (1.0 - np.eye(model.links))) / rest[:, :, None]  # [row, class, other]
        spread = np.sqrt(errors**2 + np.einsum("rco,ro->rc", others**2, errors**2))
    ends = [_share(odds - NORMAL_975 * spread), _share(odds + NORMAL_975 * spread)]
    return np.stack([np.minimum(ends[0], shares), np.maximum(ends[1], shares)], axis=2)


def _share(odds: Array) -> Array:
    """Return probabilities of log-odds."""
    flat = np.ascontiguousarray(odds.reshape(-1))
    both: Array = kernels.softmax(np.stack([np.zeros(len(flat)), flat], axis=1))[:, 1]
    return both.reshape(odds.shape)
