"""Rows of a target of numbers: the furthest off first, one for each leaf."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts

pytestmark = pytest.mark.slow


def test_the_row_that_is_furthest_off_comes_first():
    rows = [
        {"x": i % 12, "c": "uv"[i % 2], "y": float(i % 12) + (500.5 if i == 7 else 0.0)} for i in range(120)
    ]
    found = ts.report(rows, "y", regression=True, methods=["regression"], folds=3)
    result = found.comparison.chosen.result
    at = int(np.argmax(np.abs(result.answers - result.truth)))
    assert result.truth[at] == 507.5
    first = found.html.split("Furthest off")[1].split("</p>")[1]
    assert "<b>507.5</b>, answered" in first
    assert "stand for a leaf" in found.html
