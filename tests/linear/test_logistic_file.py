"""The logistic regression's part of the model file: what does not fit the schema is refused."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
from small_models import LOGISTIC, SCHEMA, logistic

from tallystick.errors import DataError, ModelFileError
from tallystick.linear.file import FILE, MODEL, check, refuse_beyond
from tallystick.linear.model import Slope

GOOD = {"model": logistic().to_dict(), "parameters": {**LOGISTIC}}


def test_a_good_file_passes():
    MODEL.check(GOOD["model"], "model", {})
    check(GOOD, SCHEMA)
    assert FILE.check is check


def broken(change):
    document = deepcopy(GOOD)
    change(document["model"], document["parameters"])
    return document


BAD = {
    "not those of the class labels": lambda m, p: m.update(constant=[0.0, 0.0]),
    "not those of the schema": lambda m, p: m["parts"].pop(),
    "is levels, not fit for words": lambda m, p: m["parts"][1].update(part="words"),
    "needs a weight for each of 2 levels and missing": lambda m, p: m["parts"][1]["weights"].pop(),
    "1 standard errors for 5 coefficients": lambda m, p: m.update(errors=[[0.1]]),
    "solver must be one of": lambda m, p: p.update(solver="luck"),
}


@pytest.mark.parametrize("says", BAD)
def test_a_file_that_does_not_fit_is_refused_with_its_line(says):
    with pytest.raises(ModelFileError, match=says):
        check(broken(BAD[says]), SCHEMA)


@pytest.mark.parametrize("factor", [["nobody", None], ["x", 1], ["a", None], ["a", 2], ["a", "r"], ["x"]])
def test_a_product_names_columns_and_levels_of_the_schema(factor):
    part = {"part": "product", "name": "p", "factors": [factor, ["x", None]], "centre": 0.0, "scale": 1.0}
    document = broken(lambda m, p: m["parts"].append(part | {"slope": [1.0]}))
    with pytest.raises(ModelFileError, match="the product 'p' names no"):
        check(document, SCHEMA)


def test_weights_beyond_what_a_file_holds_name_their_column():
    refuse_beyond(logistic(), ())
    steep = Slope("x", np.array([1e301]), 0.0, 1e-305)
    with pytest.raises(DataError, match=r"column 'x' spreads by about 1e-305, which gives weights beyond"):
        refuse_beyond(logistic(parts=(steep,)), ())
