"""Numbers per class: a name that is not a class is refused with the nearest."""

from __future__ import annotations

import pytest

from tallystick.data.schema import Target
from tallystick.errors import OptionError
from tallystick.estimators.classes import refuse_unknown


def test_labels_are_known_however_they_are_written():
    refuse_unknown("class_weight", {"no": 1, "yes": 2}, Target("y", ("no", "yes")))
    refuse_unknown("class_weight", {0: 1, 1.0: 2}, Target("y", ("0", "1"), "integer"))
    refuse_unknown("class_weight", {True: 2}, Target("y", ("false", "true"), "boolean"))
    refuse_unknown("class_weight", {}, Target("y", ("no", "yes")))


def test_a_misspelt_class_is_named_with_all_classes():
    with pytest.raises(
        OptionError, match=r"^priors names 'yse', which is not a class\..* 'yes'\? The classes are"
    ):
        refuse_unknown("priors", {"no": 0.5, "yse": 0.5}, Target("y", ("no", "yes")))
