"""How good, of numbers: the figures of the page are those of the result."""

from __future__ import annotations

import pytest

import tallystick as ts

pytestmark = pytest.mark.slow


def test_methods_and_groups_have_the_figures_of_the_results():
    rows = [{"x": i % 12, "c": "uv"[i % 2], "y": i % 12 + 0.3 * (i % 5)} for i in range(120)]
    found = ts.report(rows, "y", regression=True, methods=["regression"], folds=3, by="c")
    for entry in found.comparison.entries:
        assert f">{entry.result.measure('r2').value:.3f}<" in found.html
    assert "Answer less truth" in found.html
    assert "No group differs beyond chance" in found.html
