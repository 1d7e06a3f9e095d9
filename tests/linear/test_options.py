"""The options of a linear regression: what makes no sense is refused, and what a file tells."""

from __future__ import annotations

import tallystick as ts
from tallystick.linear.options import LinearOptions


def test_a_file_tells_what_is_not_as_usual():
    usual = LinearOptions.of(ts.LinearRegression())
    assert usual.to_dict() == {"l2": "auto", "standardize": True, "interactions": 1, "polynomial": 1}
    given = ts.LinearRegression(l2=0, interactions=[("b", "a")], fit_intercept=False, base_levels={"c": 1})
    assert LinearOptions.of(given).to_dict() == {
        "l2": 0.0,
        "standardize": True,
        "interactions": [["a", "b"]],
        "polynomial": 1,
        "fit_intercept": False,
        "base_levels": {"c": "1"},
    }
