"""Fitted numbers with their schema: readable, portable, without data or engine."""
