"""The weights of a linear regression on the page: the surest first, as the summary has them."""

from __future__ import annotations

import tallystick as ts
from tallystick.linear.summary import LinearSummary
from tallystick.reports.weights import number_weights


def test_weights_are_those_of_the_summary_the_surest_first():
    rows = [{"x": i % 10, "z": (7 * i) % 11, "y": 2.0 * (i % 10) + 0.1 * ((3 * i) % 7)} for i in range(80)]
    model = ts.LinearRegression().fit(rows, "y").model_
    found = number_weights(None, model)
    figures = {f.name: f for f in LinearSummary(model).figures}
    order = [abs(figures[row["name"]].t) for row in found["rows"]]
    assert order == sorted(order, reverse=True)
    assert len(order) == len(figures)
    assert found["rows"][0]["name"] == "x"
