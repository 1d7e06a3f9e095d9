"""The fitted scorecard: points per line of each column."""
