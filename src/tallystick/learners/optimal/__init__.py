"""The tree with the fewest training errors, searched for and proven."""

from __future__ import annotations

from tallystick.learners.optimal.learner import OptimalLearner
from tallystick.learners.optimal.options import OptimalOptions

__all__ = ["OptimalLearner", "OptimalOptions"]
