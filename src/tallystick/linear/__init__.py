"""Logistic and linear regression: estimators, learners, solvers, inference, worked solutions."""
