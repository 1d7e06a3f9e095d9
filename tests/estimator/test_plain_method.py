"""Every method has all that judging asks for; what it does not do better is answered plainly."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.estimator.base import PlainMethod
from tallystick.judge.api import Foreign, Majority, Mean
from tallystick.judge.run import Fits
from tallystick.methods import METHODS
from tallystick.schema import Target

OURS = [method.load("estimator") for method in METHODS]
ASKED = [name for name, member in vars(Fits).items() if callable(member) or isinstance(member, property)]
ASKED = [name for name in ASKED if not name.startswith(("__", "_abc", "_is_"))]


@pytest.mark.parametrize("kind", [*OURS, Foreign, Majority, Mean], ids=lambda kind: kind.__name__)
def test_a_method_has_all_that_judging_asks_for(kind):
    found_by_fitting = {"model_", "_read"}  # methods of others answer as they do, from rows already read
    assert {name for name in ASKED if not hasattr(kind, name)} <= found_by_fitting
    assert issubclass(kind, PlainMethod)


def test_the_plain_answers_are_to_fit_and_to_ask():
    plain, target, none = PlainMethod(), Target("y", ("a", "b")), np.zeros(0, np.int64)
    assert plain._by_label(target) is plain
    assert (plain._kind, plain._numbers(), plain._own_costs(target)) == ("", None, ())
    asked = (
        plain._predict_table(None),
        plain._cross_shares(None, None),
        plain._fit_settings([], None),
    )
    assert (*asked, plain._grow_shares(None, none, none, ())) == (None,) * 4


def test_only_methods_with_a_model_file_have_a_kind():
    assert [kind._kind for kind in OURS] == [method.kind for method in METHODS]
    assert (Majority._kind, Mean._kind, Foreign._kind) == ("", "", "")
    assert ts.NaiveBayes._kind == "naive-bayes"
