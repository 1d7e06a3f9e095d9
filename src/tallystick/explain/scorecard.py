"""Why a scorecard answers as it does: the points of a row, line by line, and what cost it most.

Knows fitted cards and blocks. Knows nothing of estimators or pictures. Law: base and points, added up,
are the score to the bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.data.text import quantity
from tallystick.draw.text import clean
from tallystick.errors import counted
from tallystick.explain.naive_bayes import Explanation, Reason
from tallystick.explain.reasons import ReasonCode, best_reference
from tallystick.explain.reasons import reasons as codes_of
from tallystick.models.scorecard.axes import LevelAxis, RangeAxis
from tallystick.models.scorecard.model import ScorecardModel
from tallystick.models.scorecard.parts import LinePoints, Part, WordPoints

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CardExplanation(Explanation):
    """Points from base to sum, and the reason codes of the row: what cost it most points of `towards`,
    against the best line of each section.
    """

    codes: tuple[ReasonCode, ...] = ()
    towards: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        codes = [code.to_dict() for code in self.codes]
        return super().to_dict() | {"reason_codes": codes, "towards": self.towards}

    def __str__(self) -> str:
        lines = [f"  {i}. {code}" for i, code in enumerate(self.codes, 1)]
        if lines:
            lines.insert(0, f"what cost it most points of {clean(self.towards)}:")
        return "\n".join([super().__str__(), *lines])

    __repr__ = __str__


def explain(model: ScorecardModel, block: Block, row: int = 0) -> CardExplanation:
    """Return why one row of a block is answered as it is: the base, then the points of each line it is on,
    and what cost it most.
    """
    parts = model.additive.parts(block)[row]
    scores = np.add.accumulate(parts, axis=0)[-1]
    reasons = [
        Reason(part.name, value_of(model, part, block, row), tuple(own.tolist()))
        for part, own in zip(model.parts, parts[1:], strict=True)
    ]
    shares = model.shares(block)[row : row + 1]
    towards = 1 if model.links == 1 else int(model.decide(shares)[0])
    codes = codes_of(model, block, best_reference(model), label=towards, rows=[row])[0]
    return CardExplanation(
        model.labels,
        tuple(parts[0].tolist()),
        tuple(reasons),
        tuple(scores.tolist()),
        tuple(shares[0].tolist()),
        False,
        "base",
        "points",
        model.decision,
        codes,
        model.labels[towards],
    )


def value_of(model: ScorecardModel, part: Part, block: Block, row: int) -> str:
    """Return the cells of a row that a part looks at, in words."""
    if isinstance(part, WordPoints):
        starts, words, _ = block.words(part.name)
        said = set(words[int(starts[row]) : int(starts[row + 1])].tolist()) & set(part.words)
        names = [model.schema[part.name].words[w] for w in sorted(said)]
        return ", ".join(names) if names else counted(0, "known word")
    axes = [part.axis] if isinstance(part, LinePoints) else [part.axis.first, part.axis.second]
    return " and ".join(cell_of(model, axis, block, row) for axis in axes)


def cell_of(model: ScorecardModel, axis: RangeAxis | LevelAxis, block: Block, row: int) -> str:
    """Return one cell of a row in words."""
    if isinstance(axis, RangeAxis):
        x = float(block.values(axis.name)[row])
        return "missing" if math.isnan(x) else quantity(x, model.schema[axis.name].unit)
    levels = model.schema[axis.name].levels
    return [*levels, "missing", "a new level"][int(block.codes(axis.name)[row])]
