"""Logistic regression: from sums to weights."""

from tallystick.learners.logistic.learner import LogisticLearner

__all__ = ["LogisticLearner"]
