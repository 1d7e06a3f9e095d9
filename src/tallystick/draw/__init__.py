"""Data to pictures: as lines of text here (`draw.text`). Knows no model and no data set."""
