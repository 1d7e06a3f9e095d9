import numpy as np
import pytest

import tallystick as ts
from tallystick.linear.file import coefficients
from tallystick.linear.work import gradients

ROWS = [
    {"x": x, "c": c, "y": y}
    for x, c, y in (
        (1.0, "a", 0),
        (1.5, "b", 0),
        (2.0, "a", 1),
        (3.0, "b", 1),
        (4.0, "a", 1),
        (2.2, "b", 0),
        (3.1, "a", 0),
        (None, "b", 1),
    )
] * 2


@pytest.mark.parametrize("settings", [{}, {"l2": 2.5}, {"l2": 0}, {"l2": 1, "standardize": False}])
@pytest.mark.parametrize("classes", [2, 3])
def test_at_the_models_own_weights_the_gradient_is_zero(settings, classes):
    rows = [r if classes == 2 else r | {"y": i % 3} for i, r in enumerate(ROWS)]
    estimator = ts.LogisticRegression(**settings).fit(rows, "y")
    model, table = estimator.model_, estimator._read(rows, "y")
    weights = tuple(tuple(c.weights) for c in coefficients(model))
    found = gradients(model, table, weights)
    assert max(abs(g.likelihood - g.pull) for g in found) < 1e-6
    assert found[0].log_likelihood == pytest.approx(model.fit.log_likelihood)


def test_the_gradient_at_zero_is_by_hand():
    rows = [{"x": x, "y": y} for x, y in ((1.0, 0), (2.0, 0), (3.0, 1), (6.0, 1))]
    estimator = ts.LogisticRegression(l2=1).fit(rows, "y")
    constant, x = gradients(estimator.model_, estimator._read(rows, "y"), ((0.0,), (0.0,)))
    assert constant.likelihood == 0
    assert x.likelihood == pytest.approx(-1 * 0.5 - 2 * 0.5 + 3 * 0.5 + 6 * 0.5)
    assert x.log_likelihood == pytest.approx(4 * np.log(0.5))
