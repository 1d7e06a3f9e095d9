"""Density trees: options, model, learner, estimator."""
