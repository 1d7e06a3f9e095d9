"""Rows that stay with Spark."""
