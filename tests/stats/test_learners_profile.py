"""A profile is a function of the multiset of rows: counted again here by hand, in any order, on any path."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick as ts
from tallystick.model.profile import PERCENTS


def frame(n=500, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "x": np.where(rng.random(n) < 0.1, np.nan, x),
            "spike": np.where(rng.random(n) < 0.6, 0.0, np.exp(9 * rng.random(n))),
            "sky": rng.choice(["sun", "rain", None], n),
            "said": [" ".join(rng.choice(["good", "bad", "film"], 2)) if i % 9 else "" for i in range(n)],
            "y": np.where(x + rng.normal(size=n) > 0, "yes", "no"),
        }
    )


KINDS = {"said": "text"}


def by_hand(values, weights):
    """The values at PERCENTS, and the weight at each and between neighbours."""
    there = (values == values) & (weights > 0)
    values, weights = values[there], weights[there]
    order = np.argsort(values, kind="stable")
    values, upto = values[order], np.cumsum(weights[order])
    ranks = [max(-(-int(upto[-1]) * p // 100), 1) for p in PERCENTS]
    kept = sorted({float(values[np.searchsorted(upto, rank)]) for rank in ranks})
    counts = []
    for i, value in enumerate(kept):
        if i:
            inside = (values > kept[i - 1]) & (values < value)
            counts.append(int(weights[order][inside].sum()))
        counts.append(int(weights[order][values == value].sum()))
    return kept, counts


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_and_values_are_those_of_the_rows(weighted):
    data = frame()
    weights = np.arange(len(data)) % 4 if weighted else np.ones(len(data), int)
    model = ts.NaiveBayes(kinds=KINDS).fit(data, "y", sample_weight=weights if weighted else None)
    own = dict(zip([c.name for c in model.schema_.used], model.profile_.columns, strict=True))
    for name in ("x", "spike"):
        kept, counts = by_hand(data[name].to_numpy(), weights)
        assert own[name].values.tolist() == kept
        assert own[name].counts.tolist() == counts
        assert own[name].missing == weights[data[name].isna()].sum()
    assert own["sky"].counts.tolist() == [weights[data["sky"] == v].sum() for v in ("rain", "sun")]
    assert own["sky"].missing == weights[data["sky"].isna()].sum()
    has = [weights[data["said"].str.contains(w)].sum() for w in model.schema_["said"].words]
    assert own["said"].counts.tolist() == has
    assert own["said"].missing == weights[data["said"] == ""].sum()
    assert model.profile_.target.counts.tolist() == [weights[data["y"] == v].sum() for v in ("no", "yes")]


@pytest.mark.slow
@given(st.lists(st.sampled_from([0.0, -1.5, 2.0, 1e300, -1e300, 5e-324, float("nan")]), min_size=2))
def test_any_numbers_are_told_exactly(values):
    x = np.array([*values, 1.0])
    y = (np.arange(len(x)) % 2).astype(str)
    model = ts.DecisionTree(columns=ts.Columns({"x0": "numeric"}, keep=["x0"])).fit(x[:, None], y)
    if not model.schema_.used:  # a column of one value
        return
    own = model.profile_.columns[0]
    assert (own.values.tolist(), own.counts.tolist()) == by_hand(x, np.ones(len(x), int))


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard, ts.DecisionTree, ts.RuleList, ts.RegressionTree],
)
def test_no_order_no_disk_and_no_thread_changes_a_byte(make):
    data = frame(800).drop(columns="said")
    target = "y"
    if make is ts.RegressionTree:
        data["y"] = np.nan_to_num(data["x"]) ** 2 + data["spike"]
    first = make().fit(data, target)
    assert first.profile_ is not None
    shuffled = data.sample(frac=1, random_state=3).reset_index(drop=True)
    assert make(threads=2).fit(shuffled, target).to_bytes() == first.to_bytes()
    assert make(memory="32MB").fit(shuffled, target).to_bytes() == first.to_bytes()


def test_a_weight_is_so_many_copies_in_the_profile():
    data = frame(200).drop(columns="said")
    weights = np.arange(200) % 3
    copies = data.loc[np.repeat(np.arange(200), weights)]
    one = ts.NaiveBayes().fit(data, "y", sample_weight=weights)
    assert one.profile_.to_dict() == ts.NaiveBayes().fit(copies, "y").profile_.to_dict()


def test_columns_beyond_a_group_are_asked_for_as_well(monkeypatch):
    from tallystick.stats import profile

    data = frame(300)
    whole = ts.NaiveBayes(kinds=KINDS).fit(data, "y").to_bytes()
    monkeypatch.setattr(profile, "TOGETHER", 1)
    assert ts.NaiveBayes(kinds=KINDS).fit(data, "y").to_bytes() == whole


def test_a_column_without_any_number_has_no_values():
    data = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [np.nan] * 4, "y": list("uvuv")})
    model = ts.DecisionTree(columns=ts.Columns(kinds={"b": "numeric"}, keep=["b"])).fit(data, "y")
    for column, own in zip(model.schema_.used, model.profile_.columns, strict=True):
        assert own.missing == (4 if column.name == "b" else 0)
