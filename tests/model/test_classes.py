"""Weights of classes are numbers above 0 by label, or balanced."""

from __future__ import annotations

import pytest

from tallystick.errors import OptionError
from tallystick.model.decision import check_weights


def test_what_makes_sense_passes():
    for given in (None, "balanced", {"yes": 2, "no": 0.5}):
        check_weights(given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("balance", "class_weight must be one of 'balanced', not 'balance'. Did you mean"),
        ([1, 2], "class_weight must be None, 'balanced' or weights by class"),
        ({"yes": 0}, "class_weight of 'yes' must be above 0"),
        ({"yes": "much"}, "class_weight of 'yes' must be above 0"),
    ],
)
def test_what_does_not_is_named(given, words):
    with pytest.raises(OptionError, match=words):
        check_weights(given)
