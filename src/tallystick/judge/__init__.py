"""Folds, scores, comparison, groups, checks."""
