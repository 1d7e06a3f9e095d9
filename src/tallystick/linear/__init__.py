"""Logistic and linear regression, and inference."""
