"""A model as one C header."""
