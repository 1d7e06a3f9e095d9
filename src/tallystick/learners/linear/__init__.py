"""Linear regression: from sums to weights."""

from tallystick.learners.linear.learner import LinearLearner

__all__ = ["LinearLearner"]
