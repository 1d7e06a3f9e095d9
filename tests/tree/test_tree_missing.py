"""Missing itself is a test: known against missing, wherever it is the best split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from exports import fitted

import tallystick as ts
from tallystick.tree.nodes import NO_CUT

COLUMNS: dict[str, list[Any]] = {
    "numeric": [0.0, 0.0, 0.0, None, None],
    "levels": ["a", "b", "a", None, None],
    "ordered": ["low", "high", "low", None, None],
    "boolean": [True, True, False, None, None],
}
LEVELS = {"ordered": ["low", "high"]}
TREES = {
    "default": lambda **given: ts.DecisionTree(average=False, **given),
    "cart": lambda **given: ts.DecisionTree.cart(min_samples_split=2, min_samples_leaf=1, **given),
    "id3": ts.DecisionTree.id3,
    "regression": ts.RegressionTree,
}


def table(kind: str, regression: bool) -> pd.DataFrame:
    y = [1.5, 1.5, 1.5, 4.0, 4.0] if regression else ["no", "no", "no", "yes", "yes"]
    return pd.DataFrame({"x": pd.Series(COLUMNS[kind] * 4, dtype=object), "y": y * 4})


@pytest.mark.slow
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("kind", COLUMNS)
def test_known_is_split_from_missing(kind, tree, tmp_path):
    frame = table(kind, tree == "regression")
    levels = {"x": LEVELS[kind]} if kind in LEVELS else {}
    model = TREES[tree](columns=ts.Columns({"x": kind}, levels, keep=["x"])).fit(frame, "y")
    assert model.predict(frame).tolist() == frame["y"].tolist()
    assert "x is missing" in str(model)
    assert "if x is missing then" in str(model.rules())
    assert "x is missing" in str(model.splits(0))
    assert "x is missing" in str(model.explain({"x": None}))
    assert "x is missing" in model.picture()
    if tree != "id3" or kind == "numeric":
        assert "x is known" in str(model)
    path = tmp_path / "model.json"
    model.save(path)
    again = ts.load(path)
    assert again.predict(frame).tolist() == frame["y"].tolist()
    assert str(again.splits(0)) == str(model.splits(0))
    assert again.predict([{"x": None}]).tolist() == [frame["y"][3]]


def test_a_column_is_asked_again_below_the_test_of_its_missing_values():
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    y = np.where(x > 0, "high", "low")
    x[:100], y[:100] = np.nan, "none"
    tree = ts.DecisionTree(average=False).fit(pd.DataFrame({"x": x, "y": y}), "y")
    assert "x is missing" in str(tree)
    assert tree.score(pd.DataFrame({"x": x}), y) == 1


def test_c45_shares_missing_rows_out_and_makes_no_test_of_them():
    frame = table("levels", regression=False)
    tree = ts.DecisionTree.c45(columns=ts.Columns({"x": "levels"}, keep=["x"])).fit(frame, "y")
    assert tree.get_n_leaves() == 1


@pytest.mark.parametrize("name", ["tree", "regression tree"])
def test_the_trees_that_exports_are_tested_with_have_such_tests_on_every_kind(name):
    nodes, schema = fitted(name).model_.nodes, fitted(name).model_.schema
    kinds = set()
    for node in np.flatnonzero(nodes.column >= 0).tolist():
        levels = nodes.levels(node)
        if nodes.cut[node] == NO_CUT or (len(levels) and not levels.any()):
            kinds.add(schema.used[nodes.column[node]].kind)
    assert "numeric" in kinds
    assert "levels" in kinds


def entropy(counts: Any) -> float:
    shares = np.asarray(counts, float)
    shares = shares[shares > 0] / shares.sum()
    return float(-(shares * np.log2(shares)).sum())


@pytest.mark.parametrize("kind", COLUMNS)
def test_the_test_of_missing_values_pays_for_the_tests_it_was_chosen_from(kind):
    """Two values and missing rows: two cuts, by the side of the missing rows, and known against missing."""
    cells = {"numeric": [0.0, 1.0, None]}.get(kind, [*dict.fromkeys(COLUMNS[kind][:3]), None])
    frame = pd.DataFrame(
        {
            "x": pd.Series(np.repeat(np.array(cells, object), [20, 20, 8]), dtype=object),
            "y": ["no", "yes"] * 20 + ["yes"] * 8,
        }
    )
    known = ts.Columns({"x": kind}, {"x": LEVELS[kind]} if kind in LEVELS else {})
    for price in (1.0, 0.0):
        top = (
            ts.DecisionTree(cut_price=price, max_depth=1, columns=known)
            .fit(frame, "y")
            .splits(0)
            .candidates[0]
        )
        sizes = [sum(n) for n in top.counts]
        assert sizes == [40, 8]
        paid = (np.log2(3) if price else 0.0) / 48
        assert top.ratio == pytest.approx((top.gain - paid) / entropy(sizes))


def test_known_against_missing_that_gains_less_than_it_costs_is_not_asked():
    frame = pd.DataFrame({"x": ["a", "b"] * 30 + [None], "y": ["no", "yes", "yes", "no"] * 15 + ["yes"]})
    price = {"max_depth": 1, "average": False, "kinds": {"x": "levels"}}
    assert ts.DecisionTree(cut_price=0, **price).fit(frame, "y").get_n_leaves() == 2
    assert ts.DecisionTree(cut_price=1, **price).fit(frame, "y").get_n_leaves() == 1
