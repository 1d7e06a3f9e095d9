"""The fitted linear regression, its options and its part of the model file."""
