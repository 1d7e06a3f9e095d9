"""Rows that stay in a database."""
