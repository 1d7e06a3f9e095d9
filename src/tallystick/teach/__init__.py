"""Lessons, worked solutions, pictures of the ideas, and what the methods are made of."""
