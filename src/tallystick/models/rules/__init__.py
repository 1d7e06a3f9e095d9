"""Rules: conditions, answers and counts, and the least expression of what they say."""
