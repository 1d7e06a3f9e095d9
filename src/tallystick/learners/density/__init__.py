"""How a density tree is learnt: cells of columns, tests by gain in log-likelihood, pruning by length."""

from tallystick.learners.density.learner import DensityLearner

__all__ = ["DensityLearner"]
