"""Why this row, why this model, as data."""
