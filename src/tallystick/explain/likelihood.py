"""How probable labelled rows are under a model of both rows and classes.

Knows two numbers. Law: what is impossible is said in words, never as an infinite number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallystick.draw.svg import as_html


@dataclass(frozen=True)
class Likelihood:
    """Natural logarithms of how probable labelled rows are: with their classes, and their classes alone."""

    rows: int
    data: float
    conditional: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; a probability of 0 has no logarithm, and is None."""
        told = {"conditional": self.conditional, "data": self.data}
        return {"rows": self.rows} | {k: v if np.isfinite(v) else None for k, v in told.items()}

    _repr_html_ = as_html

    def __str__(self) -> str:
        def line(words: str, value: float) -> str:
            if not np.isfinite(value):
                return f"{words:<45} none: some row has probability 0"
            return f"{words:<45} {value:.4f}, {value / max(self.rows, 1):.4f} a row"

        return "\n".join(
            [
                line("data likelihood, log P(row, class)", self.data),
                line("conditional likelihood, log P(class | row)", self.conditional),
            ]
        )

    __repr__ = __str__
