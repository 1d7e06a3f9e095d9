"""One HTML page from results."""
