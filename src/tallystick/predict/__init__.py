"""Answers to rows."""
