"""Judging methods: folds, cross-validation, scores, comparison, groups, thresholds, checks."""
