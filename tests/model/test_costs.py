"""What answers cost, as users write it: by label, in a table, and refused by name."""

from __future__ import annotations

import pytest

from tallystick.errors import OptionError
from tallystick.model.decision import cost_table, refuse_unknown
from tallystick.schema import Target

TARGET = Target("y", ("no", "yes"))


def test_costs_come_as_a_table_or_by_label():
    assert cost_table([[0, 1], [5, 0]], TARGET) == ((0.0, 1.0), (5.0, 0.0))
    assert cost_table({"yes": {"no": 5}}, TARGET) == ((0.0, 1.0), (5.0, 0.0))
    assert cost_table(None, TARGET) == ()


@pytest.mark.parametrize("given", [[[0, 1]], [[0, -1], [1, 0]], [[0, 0], [0, 0]], {"yes": 5}, "dear"])
def test_costs_that_make_no_sense_are_refused(given):
    with pytest.raises(OptionError, match="costs must be numbers from 0 up"):
        cost_table(given, TARGET)


def test_a_name_that_is_not_a_class_is_refused_with_the_nearest():
    with pytest.raises(OptionError, match=r"costs name 'yse', which is not a class\. Did you mean 'yes'\?"):
        refuse_unknown({"no": {"yse": 2}}, TARGET)
    refuse_unknown({"no": {"yes": 2}}, TARGET)
    refuse_unknown([[0, 1], [1, 0]], TARGET)
