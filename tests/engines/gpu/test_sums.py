"""Sums of naive Bayes by the device code, on a processor: those of the kernels, bit for bit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from gpu_tables import table
from gpu_twin import twin
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.stats.bayes import Ask, BayesSums


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=False, width=64), min_size=1, max_size=30),
    st.integers(1, 6),
    st.booleans(),
)
def test_moments_are_exact_for_any_doubles(values, classes, single):
    column = np.array(values, np.float64)
    if single:
        with np.errstate(over="ignore", invalid="ignore"):
            column = column.astype(np.float32).astype(np.float64)
        column[np.isinf(column)] = np.nan
    frame = pd.DataFrame({"x": column})
    y = np.arange(len(column)) % classes
    from tallystick.data.read.reader import read_table
    from tallystick.data.source import open_source

    if len(set(y)) < 2 or np.isnan(column).all():
        return
    found = read_table(open_source(frame), ts.NaiveBayes(kinds={"x": "numeric"})._wishes(), y)
    if "x" not in [c.name for c in found.schema.used]:
        return
    question = BayesSums((Ask("x", "moments"),), len(found.schema.predicted.labels))
    with twin() as device:
        there = ts.Gpu().total(found, question)
    here = ts.Local(1).total(found, question)
    assert there.keys() == here.keys()
    assert {"add_singles", "add_doubles"} & set(device.launched)
    for name in here:
        np.testing.assert_array_equal(there[name], here[name])


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3, 9])
@pytest.mark.parametrize("distributions", ["auto", "binned"])
@pytest.mark.parametrize("weighted", [False, True])
def test_naive_bayes_has_the_same_bytes(classes, distributions, weighted):
    X, y = table(classes, classes=classes)
    weights = np.random.default_rng(1).integers(0, 4, len(X)) if weighted else None
    here = ts.NaiveBayes(distributions=distributions).fit(X, y, weights)
    with twin() as device:
        there = ts.NaiveBayes(distributions=distributions, engine=ts.Gpu()).fit(X, y, weights)
    assert {"count_codes", "count_bins"} & set(device.launched)
    assert there.to_bytes() == here.to_bytes()


def test_gaussian_naive_bayes_and_words_have_the_same_bytes():
    rng = np.random.default_rng(4)
    words = np.array(["to", "be", "or", "not", "that", "is", "the", "question", "whether", "tis", "nobler"])
    texts = [" ".join(rng.choice(words, rng.integers(0, 30))) for _ in range(400)]
    X = pd.DataFrame({"text": texts, "x": rng.normal(size=400)})
    y = rng.integers(0, 3, 400)
    for how in ("counts", "once", "tf-idf"):
        settings = {"distributions": {"x": "gaussian"}, "kinds": {"text": "text"}, "words": how}
        try:
            here = ts.NaiveBayes(**settings).fit(X, y)
        except OptionError:
            continue
        with twin() as device:
            there = ts.NaiveBayes(**settings, engine=ts.Gpu()).fit(X, y)
        assert {"add_singles", "add_doubles"} & set(device.launched)
        assert there.to_bytes() == here.to_bytes()
