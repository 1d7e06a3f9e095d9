"""Models in other languages, and what changed between two."""
