"""The weights by name, in the order of their standard errors."""

from __future__ import annotations

import numpy as np
import pytest
from small_models import logistic

from tallystick.linear.file import coefficients, compared
from tallystick.linear.model import Cells, Slope


def test_every_weight_has_a_name_and_a_reference_level_is_not_free():
    found = coefficients(logistic())
    assert [c.name for c in found] == ["(constant)", "x", "a = r", "a = s", "a is missing"]
    assert [c.free for c in found] == [True, True, False, True, True]
    assert [c.weights.tolist() for c in found] == [[0.5], [0.25], [0.0], [1.0], [-3.0]]
    assert (found[3].column, found[3].level) == ("a", "s")
    assert found[0].errors is None


def test_missing_numbers_have_a_line_where_they_have_a_weight():
    cells = Cells("a", np.zeros((3, 1)), (False, True, True))
    slope = Slope("x", np.array([1.0]), 0.0, 1.0, missing=np.array([2.0]))
    found = compared(logistic(parts=(slope, cells), errors=tuple((float(i),) for i in range(6))))
    assert [(c.name, c.errors) for c in found[1:3]] == [("x", (1.0,)), ("x is missing", (2.0,))]


def test_as_many_errors_as_coefficients_are_needed():
    with pytest.raises(ValueError, match="zip"):
        compared(logistic(errors=((0.1,),)))
