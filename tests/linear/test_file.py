"""The linear regression's part of the model file: what does not fit the schema is refused."""

from __future__ import annotations

from copy import deepcopy

import pytest

import tallystick as ts
from tallystick.errors import ModelFileError
from tallystick.linear.file import LINEAR_FILE as FILE
from tallystick.linear.file import LINEAR_MODEL as MODEL
from tallystick.linear.file import check_linear as check

ROWS = [{"x": i % 7 - 2.5, "c": "abc"[i % 3], "y": i % 7 + (i % 3) * 2.0 + i % 5 / 4} for i in range(40)]
FITTED = ts.LinearRegression(l2=0).fit(ROWS, "y")
GOOD = FITTED.to_dict()


def test_a_good_file_passes():
    MODEL.check(GOOD["model"], "model", {})
    check(GOOD, FITTED.schema_)
    assert FILE.check is check


BAD = {
    "answers a number": lambda m, p: m.update(constant=[0.0, 0.0]),
    "not those of the schema": lambda m, p: m["parts"].pop(),
    "needs a weight for each of 3 levels": lambda m, p: m["parts"][1]["weights"].pop(),
    "the standard errors are not those of 6 coefficients": lambda m, p: m.update(errors=[[0.1]]),
    "not those of 6 coeffi": lambda m, p: m["covariance"][2].pop(),
    "l2 must be a number": lambda m, p: p.update(l2=-1.0),
}


@pytest.mark.parametrize("says", BAD)
def test_a_bad_file_is_refused(says):
    document = deepcopy(GOOD)
    BAD[says](document["model"], document["parameters"])
    with pytest.raises(ModelFileError, match=says):
        check(document, FITTED.schema_)
