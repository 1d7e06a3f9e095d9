"""What a fitted tree says of itself, and smaller trees made of it."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.tree.estimator import held_rows, pruning_note

ROWS = {
    "a": ["u", "v"] * 30,
    "b": ["k", "k", "l"] * 20,
    "y": ["p" if i % 2 == 0 or i % 11 == 0 else "q" for i in range(60)],
}


@pytest.fixture(scope="module")
def tree():
    return ts.DecisionTree.id3(stop_at_zero_gain=True).fit(ROWS, "y")


def test_the_pruning_path_goes_from_one_leaf_to_the_grown_tree(tree):
    leaves = tree.pruning_path(folds=0).leaves.tolist()
    assert leaves == sorted(leaves)
    assert (leaves[0], leaves[-1]) == (1, tree.get_n_leaves())


def test_a_price_that_nothing_is_worth_leaves_one_leaf_and_the_tree_as_it_was(tree):
    small = tree.prune(alpha=1.0)
    assert small.get_n_leaves() == 1
    assert tree.get_n_leaves() > 1
    assert any(note.code == "pruned" for note in small.notes_)


def test_the_root_asks_the_column_that_gains_most(tree):
    found = tree.splits(0)
    assert found.candidates[0].chosen
    assert found.candidates[0].column == "a"
    with pytest.raises(OptionError, match="node 99 is not there"):
        tree.splits(99)


def test_importances_and_use_are_by_column(tree):
    assert tree.feature_importances_.sum() == pytest.approx(1.0)
    assert tree.column_use().to_dict()["a"]["usage"] == 1.0


def test_a_long_tree_is_cut_where_asked(tree):
    assert tree.show(most=2).splitlines()[-2] == "… and 1 more branch; tree.show(most=3) tells all."
    assert tree.show(most=1).splitlines()[-2] == "… and 2 more branches; tree.show(most=3) tells all."


def test_an_unknown_way_to_prune_is_refused(tree):
    with pytest.raises(OptionError, match="cost"):
        tree.prune("cost-complexty")


def test_a_note_says_from_how_many_leaves_to_how_many(tree):
    small = tree.prune(alpha=1.0).model_
    note = pruning_note("cost-complexity", tree.model_, small, average=True)
    assert note.text.startswith(f"pruned (cost-complexity) from {tree.get_n_leaves()} to 1 leaf.")
    assert note.text.endswith("average=True is for trees that are not pruned.")


def test_a_note_on_a_tree_that_keeps_its_leaves_does_not_count_to_the_same_number_twice(tree):
    note = pruning_note("mdl", tree.model_, tree.model_, average=False)
    leaves = tree.get_n_leaves()
    assert note.text == f"nothing was pruned (mdl): the tree keeps its {leaves} leaves."


# -- scikit-learn's words --


def test_a_decision_path_is_every_node_from_the_root_to_the_end_as_in_scikit_learn():
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 0.2, 200) > 0
    tree = ts.DecisionTree.cart(max_depth=4, pruning=None).fit(X, y)
    found = tree.decision_path(X)
    assert found.shape == (200, len(tree.model_.nodes))
    ends, depth = tree.apply(X), tree.model_.nodes.depth
    assert (np.asarray(found.sum(axis=1)).ravel() == depth[ends] + 1).all()
    assert (np.asarray(found[:, 0].todense()) == 1).all()
    assert all(found[i, ends[i]] for i in range(200))
    rows = np.asarray(found.sum(axis=0)).ravel()
    assert (rows == tree.model_.nodes.weight).all()
    other = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y).decision_path(X)
    one = ts.DecisionTree.cart(max_depth=1, pruning=None).fit(X, y).decision_path(X)
    assert type(one) is type(other)
    assert one.shape == other.shape


@pytest.mark.parametrize("kind", ["DecisionTree", "RegressionTree"])
def test_minima_may_be_parts_of_the_rows(kind, tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 2))
    y = X[:, 0] > 0.2 if kind == "DecisionTree" else X[:, 0] + X[:, 1]
    make = getattr(ts, kind)
    part = make(min_samples_leaf=0.07, min_samples_split=0.2).fit(X, y)
    whole = make(min_samples_leaf=11, min_samples_split=30).fit(X, y)
    assert part.model_.to_dict() == whole.model_.to_dict()
    part.save(tmp_path / "t.tally.json")
    again = ts.load(tmp_path / "t.tally.json")
    assert again.min_samples_leaf == 0.07
    assert again.to_bytes() == part.to_bytes()
    copies = np.arange(150) % 3 + 1
    weighed = make(min_samples_leaf=0.07).fit(X, y, sample_weight=copies)
    repeated = make(min_samples_leaf=0.07).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    assert weighed.to_bytes() == repeated.to_bytes()


def test_a_file_written_in_pieces_is_the_file_of_all_nodes(monkeypatch, tmp_path):
    rng = np.random.default_rng(0)
    rows = {"a": rng.normal(size=300).tolist(), "g": rng.choice(list("uvw"), 300).tolist()}
    tree = ts.DecisionTree(level_splits="each").fit(rows, rng.choice(["p", "q"], 300))
    whole, plain = tree.to_bytes(), tree.to_dict()
    monkeypatch.setattr("tallystick.tree.model.WRITTEN", 7)
    tree.save(tmp_path / "t.json")
    assert (tmp_path / "t.json").read_bytes() == tree.to_bytes() == whole
    assert tree.to_dict() == plain


@pytest.mark.parametrize("weighed", [False, True])
def test_held_out_rows_of_one_class_at_one_node_are_one_row_of_their_weight(weighed):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (300, 2)).astype(float), rng.integers(0, 3, 300)
    weights = rng.integers(1, 4, 300) if weighed else None
    table = ts.DecisionTree()._read(X, y, weights)
    tree = ts.DecisionTree(max_depth=2).fit(X[y < 2], y[y < 2]).model_
    rows = np.arange(50, 250)
    found = held_rows(tree, table, rows)
    assert len(found.stops) <= 3 * len(tree.nodes) < len(rows)
    stops = np.concatenate([tree.stops(b) for b in table.take(rows, tree.schema).blocks()])
    truth = np.where(y[rows] < 2, y[rows], -1)  # a class that the tree does not know
    own = np.ones(200) if weights is None else weights[rows]
    for node, code, weight in zip(found.stops, found.truth, found.weights, strict=True):
        assert weight == own[(stops == node) & (truth == code)].sum()
    assert found.weights.sum() == own.sum()
