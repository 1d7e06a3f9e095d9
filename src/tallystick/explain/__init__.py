"""Why this row, why this model, as data."""

from __future__ import annotations

from tallystick.explain.rule import Posterior, bayes_rule
from tallystick.explain.planes import Separability, separable

__all__ = ["Posterior", "Separability", "bayes_rule", "separable"]
