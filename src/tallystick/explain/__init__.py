"""Why this row, why this model, as data."""

from __future__ import annotations

from tallystick.explain.planes import Separability, separable
from tallystick.explain.rule import Posterior, bayes_rule

__all__ = ["Posterior", "Separability", "bayes_rule", "separable"]
