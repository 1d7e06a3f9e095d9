"""Naive Bayes in the model file: counts that do not add up are refused."""

from __future__ import annotations

from copy import deepcopy

import pytest
from small_models import BAYES, SCHEMA, bayes

from tallystick.bayes.file import FILE, check
from tallystick.errors import ModelFileError
from tallystick.schema import Schema

GOOD = {"model": bayes().to_dict(), "parameters": {**BAYES}, "rows": {"count": 8, "unit": 1}}
X, A = 0, 1


def test_a_good_file_passes():
    FILE.model.check(GOOD["model"], "model", {})
    check(GOOD, SCHEMA)


BAD = {
    "the class counts sum to 8, not to 9 rows": lambda d, m: d["rows"].update(count=9),
    "needs rows": lambda d, m: m.update(classes=[0, 0]),
    "not those of the schema": lambda d, m: m["columns"][A].update(name="x"),
    "is levels, not fit for gaussian": lambda d, m: m["columns"].pop(A) and m["columns"][X].update(name="a"),
    "misses more rows than a class has": lambda d, m: m["columns"][A].update(missing=[5, 0]),
    "in class 0 sum to 3, not to 4 rows": lambda d, m: m["columns"][A]["counts"].__setitem__(1, [0, 3]),
    "has 1 rows of counts, needs 2": lambda d, m: m["columns"][A]["counts"].pop(),
    "cannot come from 4 rows": lambda d, m: m["columns"][X].update(sums=["400", "12"]),
    "alpha must be a number": lambda d, m: d["parameters"].update(alpha=-1),
    "priors has 3 numbers": lambda d, m: d["parameters"].update(priors=[0.2, 0.2, 0.6]),
}


@pytest.mark.parametrize("says", BAD)
def test_a_file_whose_counts_do_not_fit_is_refused_with_its_line(says):
    document = deepcopy(GOOD)
    BAD[says](document, document["model"])
    with pytest.raises(ModelFileError, match=says):
        check(document, SCHEMA)


def test_a_file_without_labels_is_refused():
    with pytest.raises(ModelFileError, match="needs class labels"):
        check(GOOD, Schema(SCHEMA.columns, None))


def test_sums_are_exact_decimal_texts():
    broken = deepcopy(GOOD["model"])
    broken["columns"][X]["sums"] = ["0.3", "12"]  # no double is 0.3
    with pytest.raises(ModelFileError, match="must be an exact sum of doubles"):
        FILE.model.check(broken, "model", {})
