"""Numbers per class: a name that is not a class is refused with the nearest."""

from __future__ import annotations

import warnings

import pytest

from tallystick.errors import OptionError, TallyWarning
from tallystick.estimator.rows import LONG, MANY_CLASSES, refuse_many, refuse_unknown
from tallystick.schema import Schema, Target


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


def test_one_line_says_before_the_work_that_many_classes_take_long():
    many = Schema((), Target("y", tuple(map(str, range(LONG + 1)))))
    with pytest.warns(TallyWarning, match=r"^target 'y' has 501 classes, and a scorecard has points"):
        refuse_many("scorecard", many)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        refuse_many("naive-bayes", many)
        refuse_many("scorecard", Schema((), Target("y", tuple(map(str, range(LONG))))))
    with pytest.warns(TallyWarning, match=r"^target 'y' has 5,001 classes, each counted in every column"):
        refuse_many("naive-bayes", Schema((), Target("y", tuple(map(str, range(MANY_CLASSES + 1))))))
