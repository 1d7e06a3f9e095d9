"""Logistic regression as a model: weights that can be read, and what follows from them."""
