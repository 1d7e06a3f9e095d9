"""Whoever can sum a statistic over the blocks of a table."""

from __future__ import annotations
