"""A model as one SQL SELECT, in the words of some databases."""
