"""A tree says why: the way of a row, the candidates of a node, columns, pictures; and gives smaller trees."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import SCHEMA, random_rows, random_tree

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.estimator.base import from_data
from tallystick.stats.binning import group_bits
from tallystick.tree.explain import explain_row
from tallystick.tree.picture import tree_svg
from tallystick.tree.splits import importances, splits, usage

pytestmark = pytest.mark.slow

EXAMPLES = files("tallystick") / "examples"
VOTES, TENNIS = EXAMPLES / "votes.csv", EXAMPLES / "play-tennis.csv"
seeds = st.integers(0, 10_000)


@pytest.fixture(scope="module")
def votes():
    return ts.DecisionTree().fit(VOTES, "party")


@settings(max_examples=60, deadline=None)
@given(seeds, st.booleans())
def test_the_weights_of_the_way_give_the_answer(seed, averaged):
    tree = random_tree(seed, average=averaged, smoothing=2.0)
    block = random_rows(seed, 10)
    names = [c.name for c in SCHEMA.columns]
    answers = tree.shares(block)
    own = (tree.rows + 2 * tree.base) / (tree.rows.sum(axis=1, keepdims=True) + 2)
    for row in range(10):
        why = explain_row(tree, lambda j, row=row: block.columns[names[j]][row], answers[row])
        assert sum(s.weight for s in why.steps) == pytest.approx(1)
        if averaged:
            total = sum(s.weight * own[s.node] for s in why.steps)
            np.testing.assert_allclose(total, answers[row], atol=1e-12)
        assert why.interval[0] < why.interval[1]
        assert why.steps[-1].node == tree.stops(block)[row]
        counts = [sum(s.counts) for s in why.steps]
        assert counts == sorted(counts, reverse=True)
        assert str(why)


def test_an_explanation_says_each_test_with_the_rows_own_value():
    rows = [
        {"x": float(k), "colour": "red" if k % 3 else "blue", "y": "a" if k < 5 else "b"} for k in range(12)
    ]
    tree = ts.DecisionTree(average=False, smoothing=0.0).fit(rows, "y")
    why = tree.explain({"x": 7.25, "colour": "green"})
    assert [s.sentence for s in why.steps] == ["all rows", "x ≥ 4.5 (7.25)"]
    assert why.answer == "b"
    assert why.to_dict()["shares"] == {"a": 0, "b": 1}
    gone = tree.explain({"x": None, "colour": "red"})
    assert gone.steps[1].sentence == "x is missing"
    with pytest.raises(OptionError, match="row 3 is not there"):
        tree.explain(rows[:2], row=3)


def test_the_picture_of_an_explanation_lights_the_way_in_the_tree_shown(votes):
    line = VOTES.read_text().splitlines()
    why = votes.explain(dict(zip(line[0].split(","), line[1].split(","), strict=True)))
    boxes = [r for r in ET.fromstring(why._repr_html_()).iter() if r.tag.endswith("rect") and r.get("stroke")]
    lit = sum(r.get("stroke-width") == "2.5" for r in boxes)
    assert 1 <= lit <= len(why.steps)
    assert lit < len(boxes)


def test_a_long_tree_is_cut_and_says_how_to_see_all(votes):
    few = votes.show(most=4).splitlines()
    nodes = len(votes.model_.shown.nodes)
    assert few[-1] == f"… and {nodes - 4} more branches; tree.show(most={nodes}) tells all."
    assert votes.show(most=nodes) == str(votes)


def test_splits_name_every_column_with_its_gain_and_branches():
    tree = ts.DecisionTree.id3().fit(TENNIS, "Play")
    found = tree.splits(0)
    assert [c.column for c in found.candidates] == ["Outlook", "Humidity", "Wind", "Temperature"]
    assert [c.chosen for c in found.candidates] == [True, False, False, False]
    counts = {c.column: [list(n) for n in c.counts] for c in found.candidates}
    assert counts["Outlook"] == [[0, 4], [2, 3], [3, 2]]
    assert counts["Humidity"] == [[4, 3], [1, 6]]
    assert "Outlook = Overcast" in str(found)
    assert found.to_dict()["candidates"][0]["gain"] == pytest.approx(0.2467, abs=1e-4)
    with pytest.raises(OptionError, match="node 99 is not there"):
        tree.splits(99)


def test_a_loaded_tree_keeps_the_best_five_candidates(votes):
    again = from_data(votes.to_bytes())
    before, after = votes.splits(0).candidates, again.splits(0).candidates
    assert len(before) == 16
    assert [c.column for c in after] == [c.column for c in before[:5]]
    assert [c.counts for c in after] == [c.counts for c in before[:5]]


def test_the_best_candidates_are_the_first_of_all(votes):
    every = splits(votes.model_, 0).candidates
    assert splits(votes.model_, 0, most=2).candidates == every[:2] != every


@pytest.mark.parametrize("weights", ["balanced", {"0": 2.5}, {"1": 0.0}, {"0": 7, "2": 3}])
@pytest.mark.parametrize("copies", [None, "weights"])
def test_splits_of_a_tree_with_class_weights_count_rows(weights, copies):
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300).round(1)})
    y = np.digitize(X["a"] + X["b"] + rng.normal(size=300), [-0.5, 0.8]).astype(str)
    w = None if copies is None else rng.integers(1, 4, 300)
    tree = ts.DecisionTree(class_weight=weights, average=False, max_depth=3).fit(X, y, sample_weight=w)
    ones = np.ones(300) if w is None else w
    for candidate in tree.splits(0).candidates:
        cut = float(candidate.tests[0].rsplit("<", 1)[1])
        left = (X[candidate.column] < cut).to_numpy()
        rows = [[ones[side & (y == c)].sum() for c in "012"] for side in (left, ~left)]
        assert [list(n) for n in candidate.counts] == rows
    again = from_data(tree.to_bytes())
    assert [c.counts for c in again.splits(0).candidates] == [c.counts for c in tree.splits(0).candidates]


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_importances_sum_to_one_and_the_root_is_asked_of_all_rows(seed):
    tree = random_tree(seed)
    if len(tree.nodes) == 1:
        assert importances(tree).sum() == 0
        return
    assert importances(tree).sum() == pytest.approx(1)
    assert usage(tree)[tree.nodes.column[0]] == 1
    assert (usage(tree) <= 1 + 1e-12).all()


def test_importances_are_by_the_columns_given_to_fit(votes):
    assert len(votes.feature_importances_) == votes.n_features_in_ == 16
    assert votes.feature_importances_.argmax() == list(votes.feature_names_in_).index("physician-fee-freeze")
    assert "physician-fee-freeze" in str(votes.column_use()).splitlines()[1]


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(1, 12))
def test_a_picture_is_sound_xml_of_at_most_the_wanted_boxes(seed, most):
    tree = random_tree(seed)
    root = ET.fromstring(tree_svg(tree, most))
    assert root.tag.endswith("svg")
    below = max((int(n) for n in tree.nodes.n_children), default=0)
    boxes = [r for r in root.iter() if r.tag.endswith("rect") and r.get("stroke")]
    assert 1 <= len(boxes) <= max(most, 1 + below)


def test_hostile_names_stay_text_in_prints_and_pictures():
    rows = [{"<script>\x1b[2J": k, "y": "<b>" if k < 5 else "&"} for k in range(10)]
    tree = ts.DecisionTree(min_samples_split=2).fit(rows, "y")
    assert "<script" not in tree.picture()
    assert "\x1b" not in str(tree) + str(tree.rules()) + str(tree.splits(0)) + tree.picture()
    ET.fromstring(tree.picture())


KINDS = ["cost-complexity", "pessimistic", "mdl"]


@pytest.mark.parametrize("kind", KINDS)
def test_pruning_returns_a_new_smaller_tree_that_a_refit_gives_again(votes, kind):
    before = votes.to_bytes()
    small = votes.prune(kind)
    assert votes.to_bytes() == before
    assert small.get_n_leaves() < votes.get_n_leaves()
    assert small.score(VOTES) >= 0.94
    assert any(n.code == "pruned" for n in small.notes_)
    assert from_data(small.to_bytes()).to_bytes() == small.to_bytes()
    again = type(small)(**small.get_params(deep=False)).fit(VOTES, "party")
    assert again.to_bytes() == small.to_bytes()


def test_reduced_error_needs_rows_the_tree_has_not_seen(votes):
    with pytest.raises(OptionError, match="has not seen"):
        votes.prune("reduced-error")
    lines = VOTES.read_text().splitlines()
    names = lines[0].split(",")
    rows = [dict(zip(names, line.split(","), strict=True)) for line in lines[1:]]
    tree = ts.DecisionTree(average=False).fit(rows[::2], "party")
    small = tree.prune("reduced-error", rows[1::2])
    assert small.get_n_leaves() <= tree.get_n_leaves()
    assert small.score(rows[1::2], "party") >= tree.score(rows[1::2], "party")


def test_a_loaded_tree_asks_for_rows_where_it_needs_them(votes):
    again = from_data(votes.to_bytes())
    for ask in (
        again.prune,
        again.pruning_path,
        lambda: again.prune("pessimistic"),
        lambda: again.rules(drop=True),
    ):
        with pytest.raises(OptionError, match=r"do not keep them\. Pass data="):
            ask()
    assert again.prune("mdl").get_n_leaves() == votes.prune("mdl").get_n_leaves()
    assert again.prune("pessimistic", raising=False).get_n_leaves() < votes.get_n_leaves()
    # The answers to the training rows, which a loaded tree has not, are part of the profile.
    pruned = votes.prune("pessimistic").to_bytes(profile=False)
    assert again.prune("pessimistic", VOTES).to_bytes(profile=False) == pruned
    assert len(again.rules(drop=True, data=VOTES)) >= 1
    with pytest.raises(OptionError, match="kind must be one of"):
        votes.prune("with shears")


def test_the_pruning_path_is_a_table_and_a_picture(votes):
    path = votes.pruning_path(folds=5)
    assert path.leaves[0] == 1
    assert (np.diff(path.error) <= 0).all()
    assert path.one_se <= path.minimum
    assert math.isclose(path.cp[0] * path.root_error, path.alpha[0])
    assert "least" in str(path)
    assert len(path.to_dict()["steps"]) == len(path.alpha)
    ET.fromstring(path._repr_html_())
    assert votes.pruning_path(folds=0).cv_error is None


def test_dropping_conditions_gives_shorter_rules_with_a_default(votes):
    plain, short = votes.rules(), votes.rules(drop=True)
    assert sum(len(r.conditions) for r in short) <= sum(len(r.conditions) for r in plain)
    assert "otherwise" in str(short)
    assert short.to_dict()["default"] in ("democrat", "republican")


def test_a_node_has_one_number_in_apply_explain_show_and_splits(votes):
    inner = np.flatnonzero(votes.model_.nodes.column >= 0).tolist()
    why = votes.explain(VOTES, 2)
    assert votes.apply(VOTES)[2] == why.steps[-1].node
    for step in why.steps:
        found = votes.splits(step.node)
        assert str(found).startswith(f"Node {step.node} of the grown tree")
        assert bool(found.candidates) == (step.node in inner)
        if found.candidates:
            (chosen,) = [c for c in found.candidates if c.chosen]
            assert np.sum(chosen.counts) == sum(step.counts)
        else:
            assert "No test was tried here" in str(found)
    numbers = [int(line.split()[0]) for line in votes.show(nodes=True).splitlines()[4:]]
    assert numbers == votes.model_.shown_numbers.tolist()
    for number, line in zip(numbers, votes.show().splitlines()[4:], strict=True):
        counts = re.findall(r" ([\d,]+)", line.split("→")[0])[-2:] if "→" in line else None
        if counts:
            assert [int(n) for n in counts] == votes.model_.nodes.counts[number].tolist()
    with pytest.raises(OptionError, match=r"show\(nodes=True\) prints"):
        votes.splits(len(votes.model_.nodes))


@pytest.mark.parametrize("price", [0.0, 0.5])
def test_gains_and_ratios_are_what_the_print_says(price):
    def entropy(counts):
        p = np.array(counts, float)
        p = p[p > 0] / p.sum()
        return float(-(p * np.log2(p)).sum())

    rng = np.random.default_rng(8)
    X = {"a": rng.integers(0, 9, 80).astype(float).tolist(), "b": rng.choice(list("pqr"), 80).tolist()}
    y = (np.array(X["a"]) + rng.normal(size=80) * 3 > 4).astype(int).tolist()
    found = ts.DecisionTree(cut_price=price, average=False).fit(X, y).splits(0)
    for c in found.candidates:
        sizes = [sum(n) for n in c.counts]
        total = np.sum(c.counts, axis=0)
        gain = entropy(total) - sum(s * entropy(n) for s, n in zip(sizes, c.counts, strict=True)) / sum(sizes)
        bits = price * np.log2(len(set(X["a"])) - 1) if c.column == "a" else group_bits(3, 1)
        assert c.gain == pytest.approx(gain)
        assert c.ratio == pytest.approx(max(gain - bits / 80, 0) / entropy(sizes))
    told = dict(found.measures)
    assert ("cuts" in told["gain ratio"]) == (price > 0)
    assert "naming groups" in told["gain ratio"]
    assert f"gain ratio: {told['gain ratio']}" in str(found)
    assert found.to_dict()["measures"] == told


def test_the_gain_of_each_criterion_is_named():
    X, y = {"a": [1.0, 2.0, 3.0, 4.0]}, [0, 0, 1, 1]
    assert "Gini impurity" in str(ts.DecisionTree(criterion="gini").fit(X, y).splits())
    assert "in bits; the largest is chosen" in str(ts.DecisionTree.id3().fit(X, y).splits())
    told = ts.RegressionTree().fit(X, [1.0, 2.0, 4.0, 5.0]).splits()
    assert "gain: the variance" in str(told)
    assert "gain ratio" not in str(told)


def test_gains_of_a_regression_tree_are_decreases_of_the_mean_squared_error():
    from sklearn.tree import DecisionTreeRegressor

    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] * 3 + np.sin(X[:, 1]) + rng.normal(size=200)
    tree = ts.RegressionTree(max_depth=3).fit(X, y)
    nodes = tree.model_.nodes
    for node in np.flatnonzero(nodes.column >= 0).tolist():
        fall = nodes.deviance[node] - nodes.deviance[nodes.branches(node)].sum()
        assert nodes.gain[node] * nodes.weight[node] == pytest.approx(fall)
    assert tree.splits(0).candidates[0].gain == pytest.approx(nodes.gain[0])
    for least in (0.01, 0.1, 1.0):
        ours = ts.RegressionTree(min_impurity_decrease=least).fit(X, y).get_n_leaves()
        assert ours == DecisionTreeRegressor(min_impurity_decrease=least).fit(X, y).get_n_leaves()


@pytest.mark.parametrize("least", [0.003, 0.01, 0.03, 0.1])
@pytest.mark.parametrize("weights", [{0: 1.0, 1: 1.0}, {0: 1.0, 1: 9.0}, {0: 0.25, 1: 3.0}])
def test_min_impurity_decrease_weighs_nodes_as_the_classes_do(weights, least):
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(7)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] + 0.6 * X[:, 1] ** 2 + rng.normal(size=400) > 1.6).astype(int)
    given = {"criterion": "gini", "min_impurity_decrease": least}
    theirs = DecisionTreeClassifier(**given, class_weight=weights, random_state=0).fit(X, y)
    given |= {"cut_price": 0.0, "average": False}
    ours = ts.DecisionTree(**given, class_weight=weights).fit(X, y)
    assert ours.get_n_leaves() == theirs.get_n_leaves()
    copies = np.array([4 * weights[c] for c in y])  # whole, and in the same proportion
    assert ts.DecisionTree(**given).fit(X, y, copies).get_n_leaves() == theirs.get_n_leaves()
    on_disk = ts.DecisionTree(**given, class_weight=weights, memory="64 MB").fit(X, y)
    assert on_disk.to_bytes() == ours.to_bytes()


def test_a_regression_tree_is_explained_pruned_and_told_as_rules():
    rows = [{"x": k * 0.5, "z": k % 7, "y": 1.0 if k < 30 else 5.0 + k / 100} for k in range(60)]
    tree = ts.RegressionTree(min_samples_leaf=3).fit(rows, "y")
    why = tree.explain({"x": 2, "z": 3})
    assert why.answer == pytest.approx(1)
    assert why.steps[0].mean == pytest.approx(np.mean([r["y"] for r in rows]))
    assert "mean" in str(why)
    small = tree.prune("cost-complexity", alpha=1.0)
    assert [r.answer for r in small.rules()] == pytest.approx([1.0, np.mean([r["y"] for r in rows[30:]])])
    assert tree.pruning_path(folds=5).cv_error[-1] < tree.pruning_path(folds=5).cv_error[0]
    for kind in ("pessimistic", "mdl"):
        with pytest.raises(OptionError, match="needs classes"):
            tree.prune(kind)


def test_a_picture_keeps_the_level_when_the_name_of_the_column_is_long() -> None:
    name = "a-very-long-name-of-a-column-that-no-picture-has-room-for"
    tree = ts.DecisionTree(average=False).fit({name: ["n", "n", "y", "y"], "x": [1, 1, 1, 2]}, [0, 0, 1, 1])
    picture = tree.picture()
    assert "… = n" in picture
    assert "… = y" in picture


ALIKE = [(1, 0, "yes"), (1, 0, "no")]


@pytest.mark.filterwarnings("ignore::tallystick.TallyWarning")
@pytest.mark.parametrize("rows", [ALIKE, [*ALIKE, (0, 1, "no")] * 2])
def test_rows_that_are_alike_have_a_table_of_zeros_and_why(rows):
    table = [{"A": a, "B": b, "Y": y} for a, b, y in rows]
    tree = ts.DecisionTree.id3().fit(table, "Y")
    nodes = range(tree.get_n_leaves() * 2 - 1)
    node = next(n for n in nodes if tree.splits(n).alike)
    text = str(tree.splits(node))
    assert "No test was tried here: the rows have one value in every column, and nothing parts them." in text
    assert text.endswith("  column  gain\n  A       0\n  B       0")
    pure = [n for n in nodes if n != node and not tree.splits(n).candidates]
    assert all(tree.splits(n).alike == () for n in pure)
