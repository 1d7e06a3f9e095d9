"""The criteria of a tree: each has a name of its own, and the kernels know it."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.kernels import trees
from tallystick.kernels.trees import GrowColumn, Grower, GrowRules
from tallystick.tree.options import CRITERIA


def test_every_criterion_is_one_that_the_kernels_know_and_none_twice():
    kernels = [c.kernel for c in CRITERIA.values()]
    assert set(kernels) <= set(trees.CRITERIA)
    assert len(set(kernels)) == len(kernels)
    assert all(name == c.name for name, c in CRITERIA.items())


@pytest.mark.parametrize(("name", "gain"), [("entropy", 1.0), ("gain-ratio", 1.0), ("gini", 0.5)])
def test_the_gain_of_two_even_classes_told_apart(name, gain):
    column = GrowColumn("numeric", np.array([0.0, 0.0, 1.0, 1.0]))
    labels = np.array([0, 0, 1, 1], np.uint8)
    grower = Grower((column,), [0], GrowRules(CRITERIA[name].kernel), classes=2, labels=labels)
    grower.run()
    assert grower.arrays()["gain"][0] == pytest.approx(gain)
