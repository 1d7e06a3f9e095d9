"""A model as PMML."""
