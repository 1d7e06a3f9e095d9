"""The design of a linear regression: that of a logistic one, with the response as one more dense column.

So the sums of logistic regression's first questions hold all that least squares need: columns by columns and
columns by response. Knows designs and blocks. Knows nothing of weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.models.logistic.design import Dense, Design, Factor

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ResponseFactor(Factor):
    """The response, where a design has it beside the columns."""

    def values(self, block: Block) -> Array:
        """Return the response [row]."""
        assert block.response is not None
        return block.response


def with_response(design: Design, low: float, high: float) -> Design:
    """Return the design with the response, from `low` to `high`, as its last dense column."""
    response = ResponseFactor("", "", None, low, high)
    return replace(design, dense=(*design.dense, Dense("", (response,))))


def response_at(design: Design) -> int:
    """Return the place of the response among the parameters of `with_response(design, ...)`."""
    return 1 + len(design.dense)
