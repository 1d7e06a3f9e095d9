"""Naive Bayes: options, model, learner, updates, folds, explanations, worked solutions."""
