"""Sums of scorecards by the device code, on a processor: the bytes of the card learnt in memory."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from gpu_tables import table
from gpu_twin import twin

import tallystick as ts
import tallystick.engines.gpu as room

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_scorecards_have_the_same_bytes(classes, weighted):
    X, y = table(20 + classes, n=600, classes=classes)
    X = X[["single", "rounded", "level", "flag"]]
    weights = np.random.default_rng(1).integers(1, 4, len(X)) if weighted else None
    here = ts.Scorecard().fit(X, y, weights)
    with twin() as device:
        there = ts.Scorecard(engine=ts.Gpu()).fit(X, y, weights)
        assert room._devices[0].cards == {}
    assert {"logistic_sums", "count_codes"} <= set(device.launched)
    assert there.to_bytes() == here.to_bytes()


def test_what_is_kept_for_a_table_goes_with_it():
    """A table that nobody released dies, and the next may have its number."""
    X, y = table(23, n=600)
    with twin() as device:
        for seed in range(4):
            own = ts.Scorecard()._read(X[["single", "level"]], np.roll(y, seed))
            ts.Scorecard(engine=ts.Gpu())._fit_table(own)
            assert room._devices[0].cards
            del own
            gc.collect()
            assert room._devices[0].cards == {}
    assert device.launched


def test_a_sample_of_rows_has_the_same_sums():
    from tallystick.kernels import Curvature
    from tallystick.models.scorecard.axes import LevelAxis, RangeAxis
    from tallystick.stats.cards import CardLayout, CardSums, LineCounts, RowSample
    from tallystick.stats.gradients import Copies

    X, y = table(31, n=900)
    found = ts.Scorecard()._read(X[["single", "level"]], y)
    levels = found.schema["level"].levels
    axes = (
        RangeAxis("single", (-0.5, 0.0, 0.7)),
        LevelAxis("level", tuple(range(len(levels)))),
    )
    layout = CardLayout(axes)
    theta = np.random.default_rng(0).normal(size=(1 + layout.lines, 1))
    for sample in (RowSample(), RowSample(axes, 3)):
        question = CardSums(layout, theta, 30, Copies(), Curvature.PAIRS, sample)
        with twin():
            there = ts.Gpu().total(found, question)
        here = ts.Local(1).total(found, question)
        for name in ("loss", "gradient", "squares"):
            np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
    with twin():
        counted = ts.Gpu().total(found, LineCounts(layout, 2))
    np.testing.assert_array_equal(counted, ts.Local(1).total(found, LineCounts(layout, 2)))
