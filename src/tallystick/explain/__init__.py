"""Why this row, why this model, as data; pictures are made from the data by `draw`."""
