"""Why this row, why this model: as data that prints and draws."""
