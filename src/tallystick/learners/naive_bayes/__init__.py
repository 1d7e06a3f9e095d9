"""Naive Bayes as decisions on totals."""

from tallystick.learners.naive_bayes.learner import NaiveBayesLearner

__all__ = ["NaiveBayesLearner"]
