"""Why this row, why this model, as data; pictures are made from the data by `draw`."""

from __future__ import annotations

from tallystick.explain.rule import Posterior, bayes_rule

__all__ = ["Posterior", "bayes_rule"]
