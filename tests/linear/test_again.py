"""An optimum found again is that of the fit; with weights held it is the best of those that are left."""

from __future__ import annotations

import numpy as np
import pytest
from loan_tables import loans

import tallystick as ts
from tallystick.linear.path import found_held


def test_nothing_held_is_the_fit():
    frame, _ = loans()
    model = ts.LogisticRegression(l2=0).fit(frame, "paid")
    found = model.inference(frame)
    assert -found.found.point.loss == pytest.approx(model.summary().log_likelihood, rel=1e-14)
    none = np.zeros(int(found.found.problem.free.sum()), bool)
    assert found.drive(found_held(found.found, none)).loss == pytest.approx(found.found.point.loss, rel=1e-14)


def test_weights_held_at_their_estimate_change_nothing_and_elsewhere_cost_something():
    frame, _ = loans()
    found = ts.LogisticRegression(l2=0).fit(frame, "paid").inference(frame)
    best, w = found.found.point.loss, found.found.point.w
    held = np.zeros(len(w), bool)
    held[2] = True
    assert found.drive(found_held(found.found, held, w)).loss == pytest.approx(best, rel=1e-13)
    assert found.drive(found_held(found.found, held, w + 1.0)).loss > best + 1.0
    assert found.drive(found_held(found.found, held)).loss > best
