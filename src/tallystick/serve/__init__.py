"""Models by HTTP."""
