"""What a table holds: columns, what predicts the target, what changed."""
