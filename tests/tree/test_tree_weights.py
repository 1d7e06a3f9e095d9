"""Trees of rows with heavy or fractional weights: one table, one model, and every class keeps its weight."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import DataError
from tallystick.io.open import open_source
from tallystick.table.reader import read_table, read_to_disk

ROWS = 400
WEIGHTS = {
    "fractions": lambda rng: rng.random(ROWS) * 4,
    "a survey": lambda rng: rng.random(ROWS) * 1_000,
    "a large survey": lambda rng: rng.random(ROWS) * 1e5,
    "up to the most": lambda rng: rng.random(ROWS) * 2**31 / ROWS,
    "heavy copies": lambda rng: np.floor(rng.random(ROWS) * 2**52) + 1,
}
CLASS_WEIGHTS = [None, "balanced", {"low": 1, "high": 3}, {"low": 0.3, "high": 0.7}, {"low": 1e-4}]
METHODS = {
    "entropy": lambda **given: ts.DecisionTree(**given),
    "gini": lambda **given: ts.DecisionTree.cart(**given),
    "fractions": lambda **given: ts.DecisionTree.c45(**given),
}


class Blockwise:
    """An engine that takes no shortcut: it adds up blocks, the last rows first."""

    def total(self, table, question):
        total = question.zero()
        for at in range(table.rows, 0, -70):
            total = question.merge(total, question.add(question.zero(), table.slice(max(at - 70, 0), at)))
        return total


def frame(missing=True):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(ROWS, 2)).round(1)
    sky = rng.choice(["sun", "rain", "fog"], ROWS).astype(object)
    high = x[:, 0] + (sky == "sun") + rng.normal(size=ROWS) * 0.7 > 0.9
    if missing:
        x[rng.random(ROWS) < 0.1, 1] = np.nan
        sky[rng.random(ROWS) < 0.1] = None
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "sky": sky, "y": np.where(high, "high", "low")})


def weights_of(name):
    return WEIGHTS[name](np.random.default_rng(3))


@pytest.mark.slow
@pytest.mark.parametrize("class_weight", CLASS_WEIGHTS, ids=str)
@pytest.mark.parametrize("weights", [w for w in WEIGHTS if w != "heavy copies"])
@pytest.mark.parametrize("method", METHODS)
def test_weighted_rows_give_one_model_whoever_sums(method, weights, class_weight):
    same_everywhere(METHODS[method], frame(), weights_of(weights), class_weight=class_weight, max_depth=4)


@pytest.mark.slow
@pytest.mark.parametrize("class_weight", CLASS_WEIGHTS, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_heavy_copies_give_one_model_whoever_sums(method, class_weight):
    rows, weights = frame(missing=False), weights_of("heavy copies")
    same_everywhere(METHODS[method], rows, weights, class_weight=class_weight, max_depth=4)


def same_everywhere(method, rows, weights, **given):
    """Fit in memory, block by block, and on disk with memory for the rows and without."""
    here = read_table(open_source(rows), None, "y", weights)
    expected = method(**given)._fit_table(here).to_bytes()
    assert method(**given, engine=Blockwise())._fit_table(here).to_bytes() == expected
    assert method(**given, engine=ts.Local(threads=2))._fit_table(here).to_bytes() == expected
    for budget in (32 << 20, 25_000):
        disk = read_to_disk(open_source(rows), budget, None, "y", weights)
        assert disk.holds(40) == (budget > 25_000)
        assert method(**given)._fit_table(disk).to_bytes() == expected
        disk.release()


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["fractions", "a large survey"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_weighted_rows_give_one_model_on_spark(spark, weights, class_weight):
    rows = frame().assign(w=weights_of(weights))
    tree = ts.DecisionTree(class_weight=class_weight, max_depth=4)
    here = tree.fit(rows.drop(columns="w"), "y", sample_weight=rows["w"]).to_bytes()
    far = spark.createDataFrame(rows).repartition(3)
    assert tree.fit(far, "y", sample_weight="w").to_bytes() == here


@pytest.mark.parametrize("weight", [1, 0.37, 2**20 + 0.5, 2.0**24 + 0.5, 2**50])
def test_a_class_weight_counts_the_same_whatever_rows_weigh(weight):
    rows = frame(missing=False).drop(columns="sky").head(64)
    given = {"class_weight": {"high": 3, "low": 1}, "max_depth": 3, "pruning": None, "cut_price": 0}
    light = ts.DecisionTree(**given).fit(rows, "y")
    heavy = ts.DecisionTree(**given).fit(rows, "y", sample_weight=np.full(64, weight))
    assert heavy.model_.nodes.column.tolist() == light.model_.nodes.column.tolist()
    np.testing.assert_array_equal(heavy.model_.nodes.cut, light.model_.nodes.cut)
    np.testing.assert_allclose(heavy.model_.nodes.gain, light.model_.nodes.gain, rtol=1e-6)


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_the_gain_of_a_large_survey_is_that_of_its_counts(criterion):
    rows, weights = frame(missing=False), weights_of("up to the most")
    tree = ts.DecisionTree(criterion=criterion, class_weight="balanced", max_depth=1, pruning=None)
    nodes = tree.fit(rows, "y", sample_weight=weights).model_.nodes
    share = nodes.counts / nodes.counts[0]  # "balanced": the classes weigh the same at the root
    parts = share / share.sum(axis=1, keepdims=True)
    impurity = 1 - (parts**2).sum(axis=1) if criterion == "gini" else -(parts * np.log2(parts)).sum(axis=1)
    gain = impurity[0] - (impurity[1:] * share[1:].sum(axis=1)).sum() / 2
    assert nodes.gain[0] == pytest.approx(gain, rel=1e-4)


def test_weights_beyond_parts_of_rows_are_refused_in_one_line():
    weights = np.full(ROWS, 2.0**40)
    with pytest.raises(DataError, match=r"sum to 4.4e\+14, .* parts of 1/1,048,576, .*8.8e\+12. Scale them"):
        ts.DecisionTree.c45().fit(frame(), "y", sample_weight=weights)
    ts.DecisionTree.c45().fit(frame(missing=False), "y", sample_weight=weights)  # nothing is shared out


@pytest.mark.slow
@pytest.mark.parametrize("weights", ["fractions", "a survey", "up to 4 million"])
def test_weighted_responses_give_one_model_whoever_sums(weights):
    rng = np.random.default_rng(3)
    heavy = rng.random(ROWS) * 2**22 / ROWS if weights == "up to 4 million" else weights_of(weights)
    rows = frame()
    rows["y"] = rows["a"] + rng.normal(size=ROWS)
    given = {"max_depth": 4}
    here = read_table(open_source(rows), None, "y", heavy, regression=True)
    expected = ts.RegressionTree(**given)._fit_table(here).to_bytes()
    assert ts.RegressionTree(**given, engine=Blockwise())._fit_table(here).to_bytes() == expected
    for budget in (32 << 20, 25_000):
        disk = read_to_disk(open_source(rows), budget, None, "y", heavy, regression=True)
        assert ts.RegressionTree(**given)._fit_table(disk).to_bytes() == expected
        disk.release()


def test_weights_too_heavy_to_add_up_responses_are_refused_in_one_line():
    rows = pd.DataFrame({"x": np.arange(20) / 4, "y": np.arange(20.0)})
    heavy = np.full(20, 2.0**54)  # copies: weights that are not whole are scaled
    with pytest.raises(DataError, match=r"too heavy .*\(\d+ bits? (are|is) left .*: ratios stay\.$"):
        ts.RegressionTree().fit(rows, "y", heavy)
    tree = ts.RegressionTree(max_depth=1).fit(rows, "y", np.full(20, 5e6 + 0.5))
    assert tree.model_.nodes.mean[0] == pytest.approx(9.5, abs=0.05)
    ts.RegressionTree().fit(rows.assign(y=1.0), "y", heavy)  # nothing to add up
