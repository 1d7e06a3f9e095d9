"""Whoever can sum a statistic over the blocks of a table."""
