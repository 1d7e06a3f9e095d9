"""Rule lists and sets."""
