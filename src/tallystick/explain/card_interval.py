"""How sure a card is of a row: an interval of each probability, from the standard errors of its lines.

Knows fitted cards and blocks. Law: the interval holds the probability that the whole points give.

A model file keeps the standard error of each line, not how the errors of different columns go together. The
error of a sum is at most the sum of the errors, whatever they have to do with each other: that is taken here.
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
    """Return the most that the standard error of each sum of points can be [row, link]."""
    if model.parts and not model.errors:
        raise OptionError("this card keeps no standard errors of its points. Fit it again.")
    out = np.zeros((block.rows, model.links))
    for part, errors in zip(model.parts, model.errors, strict=True):
        if isinstance(part, WordPoints):
            starts, words, _ = block.words(part.name)
            whole = np.zeros((part.size + 1, model.links))
            whole[list(part.words)] = errors
            rows = np.repeat(np.arange(block.rows), np.diff(starts))
            np.add.at(out, rows, whole[np.minimum(words, part.size)])
        else:
            out += errors[part.axis.codes(block)]
    return out


def card_interval(model: ScorecardModel, block: Block) -> Array:
    """Return low and high ends of each probability [row, class, 2], of about 95 %."""
    errors = card_errors(model, block) * model.slope
    scores, shares = model.scores(block), model.shares(block)
    if model.links == 1:
        odds = np.stack([scores[:, 0] - scores[:, 1], scores[:, 1] - scores[:, 0]], axis=1)
        spread = np.repeat(errors, 2, axis=1)
    else:
        rest = np.maximum(1.0 - shares, 1e-300)
        odds = kernels.log(np.maximum(shares, 1e-300)) - kernels.log(rest)
        others = (shares[:, None, :] * (1.0 - np.eye(model.links))) / rest[:, :, None]  # [row, class, other]
        spread = errors + np.einsum("rco,ro->rc", others, errors)
    ends = [_share(odds - NORMAL_975 * spread), _share(odds + NORMAL_975 * spread)]
    return np.stack([np.minimum(ends[0], shares), np.maximum(ends[1], shares)], axis=2)


def _share(odds: Array) -> Array:
    """Return probabilities of log-odds."""
    flat = np.ascontiguousarray(odds.reshape(-1))
    both: Array = kernels.softmax(np.stack([np.zeros(len(flat)), flat], axis=1))[:, 1]
    return both.reshape(odds.shape)
