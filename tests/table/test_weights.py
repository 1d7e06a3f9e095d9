"""Weights that are not whole: what counts as a row, and that only how rows compare matters."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

import tallystick as ts
from tallystick.estimator.base import from_data
from tallystick.table.block import row_unit, rows_counted
from tallystick.table.target import NEAR, UNIT, RowSelection, WeightSurvey

pytestmark = pytest.mark.slow

X, Y = load_breast_cancer(return_X_y=True)
N = len(Y)
TREES = {
    "tree": ts.DecisionTree,
    "leaves": lambda **g: ts.DecisionTree(min_samples_leaf=9, min_samples_split=30, **g),
    "id3": lambda **g: ts.DecisionTree.id3(min_samples_leaf=5, **g),
    "c45": ts.DecisionTree.c45,
    "cart": ts.DecisionTree.cart,
    "mdl": lambda **g: ts.DecisionTree(pruning="mdl", **g),
}


def test_whole_weights_are_so_many_rows_and_others_one_row_each():
    weights = np.array([3 * UNIT, UNIT // 3, UNIT, 5 * UNIT + 1])
    assert rows_counted(weights, 4, UNIT) == 4
    assert rows_counted(np.array([3, 4]), 2, 1) == 7
    assert rows_counted(None, 5, 1) == 5
    assert row_unit(70, 7, 1) == 1
    assert row_unit(7 * UNIT, 14, UNIT) == UNIT // 2


@pytest.mark.parametrize("last", [1.0, 0.5, 2.0**53 - 1, 2.0**61, 1e300, 1e-300])
def test_what_weights_come_to_does_not_depend_on_how_they_are_cut(last):
    weights = np.append(np.random.default_rng(0).integers(1, 9, 3 * NEAR).astype(float), last)
    whole, parts = WeightSurvey(True), WeightSurvey(True)
    copies = whole.add(weights, len(weights))
    several = [parts.add(some, len(some)) for some in np.array_split(weights, 10)]
    assert np.concatenate(several).tolist() == copies.tolist()
    assert copies.tolist() == np.clip(np.floor(weights), 1, 2.0**62).tolist()
    assert whole == parts
    assert whole.whole == (last not in (0.5, 1e-300))
    assert whole.total_weight == sum(map(Fraction, weights.tolist()))


def test_rows_with_a_value_are_counted_as_rows_and_as_copies():
    values, copies = np.array([1.0, np.nan, np.nan, 2.0]), np.array([5, 7, 1, 2])
    assert RowSelection(4, copies=copies).filled(values, 2).tolist() == [2, 7]
    assert RowSelection(4).filled(values, 2).tolist() == [2]
    assert RowSelection(4, copies=copies, whole=False).filled(values, 2)[0] == 2  # copies do not count


@pytest.mark.parametrize("threads", [1, 3])
def test_many_rows_with_missing_cells_and_whole_weights_are_so_many_copies(threads):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(25_000, 5))
    rows[rng.random(rows.shape) < 0.1] = np.nan
    told = np.where(rng.random(25_000) < 0.1, "a", "b")
    copies = rng.integers(0, 4, 25_000)
    for method in (ts.NaiveBayes(threads=threads), ts.DecisionTree(max_depth=3, threads=threads)):
        weighed = method.fit(rows, told, sample_weight=copies).to_bytes()
        assert weighed == method.fit(np.repeat(rows, copies, 0), np.repeat(told, copies)).to_bytes()


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("weight", [1 / N, 0.1, 0.5, 1.7, 33.3])
def test_equal_weights_give_the_tree_of_no_weights(name, weight):
    plain, weighed = TREES[name]().fit(X, Y), TREES[name]().fit(X, Y, np.full(N, weight))
    assert weighed.apply(X).tolist() == plain.apply(X).tolist()
    assert weighed.predict(X).tolist() == plain.predict(X).tolist()
    assert np.abs(weighed.predict_proba(X) - plain.predict_proba(X)).max() < 1e-6
    assert from_data(weighed.to_bytes()).predict_proba(X).tobytes() == weighed.predict_proba(X).tobytes()
    assert [n.code for n in weighed.notes_].count("weights-relative") == 1


@pytest.mark.parametrize("name", ["tree", "leaves", "cart"])
def test_a_constant_times_all_weights_changes_nothing(name):
    weights = np.random.default_rng(0).random(N) + 0.01
    first = TREES[name]().fit(X, Y, weights)
    for factor in (1 / N, 8.0, 1000.0):
        other = TREES[name]().fit(X, Y, weights * factor)
        assert other.predict(X).tolist() == first.predict(X).tolist()
        assert np.abs(other.predict_proba(X) - first.predict_proba(X)).max() < 1e-4


def test_leaves_of_a_regression_tree_have_their_rows():
    y = X[:, 0] + Y
    for least in (1, 2, 9):
        plain = ts.RegressionTree(min_samples_leaf=least).fit(X, y)
        weighed = ts.RegressionTree(min_samples_leaf=least).fit(X, y, np.full(N, 1 / N))
        sizes = np.unique(weighed.apply(X), return_counts=True)[1]
        assert sizes.min() == least
        assert weighed.get_n_leaves() == pytest.approx(plain.get_n_leaves(), rel=0.02)
        assert weighed.score(X, y) == pytest.approx(plain.score(X, y), abs=1e-3)


def test_bins_of_naive_bayes_do_not_depend_on_the_scale_of_weights():
    for distributions in ("binned", "auto"):
        plain = ts.NaiveBayes(distributions=distributions).fit(X, Y).model_
        weighed = ts.NaiveBayes(distributions=distributions).fit(X, Y, np.full(N, 1 / N)).model_
        assert [type(p) for p in weighed.parts] == [type(p) for p in plain.parts]
        cuts = [[getattr(part, "cuts", ()) for part in model.parts] for model in (weighed, plain)]
        assert cuts[0] == cuts[1]


def test_boosting_works():
    half = slice(None, None, 2), slice(1, None, 2)
    ours, known = (
        AdaBoostClassifier(tree, n_estimators=30, random_state=0).fit(X[half[0]], Y[half[0]])
        for tree in (ts.DecisionTree(max_depth=1), DecisionTreeClassifier(max_depth=1))
    )
    assert len(ours.estimators_) == 30
    assert ours.score(X[half[1]], Y[half[1]]) >= known.score(X[half[1]], Y[half[1]]) - 0.02


@pytest.mark.parametrize("name", ["leaves", "cart"])
def test_rows_on_disk_count_as_rows_in_memory(name):
    weights = np.random.default_rng(0).random(N) * 3
    known = TREES[name]().fit(X, Y, weights).to_bytes()
    assert TREES[name](memory="1GB").fit(X, Y, weights).to_bytes() == known


def test_rows_on_spark_count_as_rows_in_memory(spark):
    import pandas as pd

    frame = (
        pd.DataFrame(X[:, :6])
        .set_axis(list("abcdef"), axis=1)
        .assign(y=Y, w=np.random.default_rng(0).random(N) * 3)
    )
    far = spark.createDataFrame(frame)
    for make in (TREES["leaves"], lambda **g: ts.NaiveBayes(distributions="binned", **g)):
        near = make().fit(frame.drop(columns="w"), "y", frame["w"])
        assert make().fit(far, "y", "w").to_bytes() == near.to_bytes()


# -- importances --


def test_importances_weigh_nodes_as_the_criterion_does():
    r = np.random.default_rng(3)
    rows = r.random((4000, 3))
    y = ((rows[:, 0] < 0.05) | ((rows[:, 1] > 0.5) & (r.random(4000) < 0.3))).astype(int)
    weight = {0: 1.0, 1: 25.0}
    ours = ts.DecisionTree(
        criterion="entropy", cut_price=0, class_weight=weight, average=False, smoothing=0, max_depth=3
    ).fit(rows, y)
    known = DecisionTreeClassifier(criterion="entropy", class_weight=weight, max_depth=3).fit(rows, y)
    assert ours.feature_importances_ == pytest.approx(known.feature_importances_, abs=1e-6)
    copies = np.repeat(np.arange(4000), np.where(y == 1, 25, 1))
    twin = ts.DecisionTree(criterion="entropy", cut_price=0, average=False, smoothing=0, max_depth=3)
    assert ours.feature_importances_ == pytest.approx(
        twin.fit(rows[copies], y[copies]).feature_importances_, abs=1e-9
    )
    costly = ts.DecisionTree(
        criterion="entropy", cut_price=0, costs=[[0, 1], [25, 0]], average=False, smoothing=0, max_depth=3
    ).fit(rows, y)
    assert costly.feature_importances_ == pytest.approx(ours.feature_importances_, abs=1e-9)


def test_the_best_leaves_are_those_of_the_criterion():
    r = np.random.default_rng(3)
    rows = r.random((4000, 3))
    y = ((rows[:, 0] < 0.05) | ((rows[:, 1] > 0.5) & (r.random(4000) < 0.3))).astype(int)
    copies = np.repeat(np.arange(4000), np.where(y == 1, 25, 1))
    for leaves in (3, 5, 9):
        plain = {"criterion": "entropy", "cut_price": 0, "average": False, "max_leaf_nodes": leaves}
        ours = ts.DecisionTree(class_weight={0: 1, 1: 25}, **plain).fit(rows, y)
        twin = ts.DecisionTree(**plain).fit(rows[copies], y[copies])
        assert ours.apply(rows).tolist() == twin.apply(rows).tolist()


# -- counts beyond 32 bits --


def test_candidates_of_rows_in_parts_have_whole_counts():
    r = np.random.default_rng(5)
    x, z = r.random(30_000).round(3), r.integers(0, 4, 30_000).astype(float)
    y = (x + r.random(30_000) > 1).astype(int)
    x[::50] = np.nan
    tree = ts.DecisionTree.c45().fit(np.column_stack([x, z]), y)  # a row is 2^20 parts
    first, _ = tree.splits(0).to_dict()["candidates"][0]["branches"]
    cut = tree.model_.nodes.cut[0]
    assert first["counts"] == np.bincount(y[x < cut]).tolist()
