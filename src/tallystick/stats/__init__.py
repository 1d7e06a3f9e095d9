"""Statistics: zero, add, merge."""
