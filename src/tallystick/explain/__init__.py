"""Why this row, why this model, as data."""

MOST_REASONS = 4  # of a row, unless told otherwise
