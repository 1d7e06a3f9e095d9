"""Decisions on totals: the loop, and the methods that ask and update."""
