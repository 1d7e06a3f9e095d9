"""Intervals: widened by what they say, and as wide as it takes to hold the truth; benchmarks/coverage.py is
the large version.
"""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

import tallystick as ts
from tallystick.stats import distributions as intervals
from tallystick.stats.distributions import searched

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "coverage.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("coverage_of_intervals", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_intervals_of_folds_and_rows_hold_the_truth(script):
    held = {}
    for kind in ("slope", "either"):
        for seed in range(10):
            for name, hits in script.covered(kind, "decision tree", 120, seed, folds=5).items():
                held.setdefault((kind, name), []).extend(hits)
    least = {  # of 10 tables, of 50 rows; in brackets as rows and the beta posterior alone have it
        ("slope", "log-loss"): 9,  # (6)
        ("either", "accuracy"): 7,  # (5)
        ("either", "log-loss"): 9,  # (7)
        ("slope", "a row"): 40,  # (34)
        ("slope", "a row, one tree"): 44,  # (29)
        ("either", "a row, one tree"): 40,  # (37)
    }
    assert {key: sum(held[key]) >= many for key, many in least.items()} == dict.fromkeys(least, True)


def test_folds_widen_an_interval_and_rows_held_out_do_not(script):
    columns, y, _ = script.draw("slope", 200, np.random.default_rng(0))
    data = {**columns, "y": y.tolist()}
    dealt = ts.cross_validate(ts.NaiveBayes(), data, "y", folds=5)
    by_rows, found = dealt.scores["accuracy"], dealt.measure("accuracy")
    assert found.widened >= 1 + 5 / 4
    ends = [
        found.value + (end - found.value) * math.sqrt(found.widened) for end in (by_rows.low, by_rows.high)
    ]
    assert (found.low, found.high) == pytest.approx((max(ends[0], 0), min(ends[1], 1)))
    assert "trained on all of these rows" in found.to_dict()["of"]
    assert "trained on all of these rows" in str(dealt).replace("\n", " ")
    once = ts.cross_validate(ts.NaiveBayes(), data, "y", folds=(0.7, 0.3))
    assert once.measure("accuracy") == once.scores["accuracy"]
    assert "of the one model that answered" in str(once).replace("\n", " ")


def test_the_spread_of_the_folds_widens_further():
    even, apart = np.full(10, 0.8), np.array([0.5, 1.0] * 5)
    assert intervals.widening(even, 0.03, 10) == pytest.approx(1 + 10 / 9)
    assert intervals.widening(apart, 0.03, 10) == pytest.approx((1 + 10 / 9) * np.var(apart, ddof=1) / 0.009)
    assert intervals.widening(even, 0.03, 1) == 1.0


def test_what_was_looked_for_among_more_counts_less():
    assert searched(0.0) == pytest.approx(1.0, abs=1e-9)
    assert searched(math.log2(10)) == pytest.approx((2.8070337683 / 1.9599639845) ** 2, rel=1e-6)  # 0.0025
    assert [searched(b) for b in (1, 5, 50, 5_000)] == sorted(searched(b) for b in (1, 5, 50, 5_000))
