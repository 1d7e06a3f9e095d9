"""Encoded rows: cells to codes, in memory and on disk."""
