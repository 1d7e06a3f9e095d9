"""What a tree says of a row can be checked: intervals hold their answer, parts add up, levels can arrive."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import SCHEMA, random_rows, random_tree

import tallystick as ts
from tallystick.stats.distributions import searched
from tallystick.tree.explain import MOST_PARTS, explain_row
from tallystick.tree.model import ClassWeights

seeds = st.integers(0, 10_000)
XOR = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}


def rows_of(seed: int, n: int = 200) -> tuple[dict[str, list], list[str]]:
    """Rows of three classes, one of them rare, with numbers, levels and missing values."""
    rng = np.random.default_rng(seed)
    x, level = rng.normal(size=n), rng.integers(0, 12, n)
    y = np.digitize(x + 0.4 * (level % 3) + rng.normal(size=n) * 0.7, [-1.0, 1.8])
    gone = rng.random((2, n)) < 0.15
    return {
        "x": [None if g else float(v) for g, v in zip(gone[0], x, strict=True)],
        "c": [None if g else f"l{k:02}" for g, k in zip(gone[1], level, strict=True)],
        "z": rng.normal(size=n).tolist(),
    }, [f"k{k}" for k in y]


def row_of(X: dict[str, list], k: int) -> dict:
    return {name: values[k] for name, values in X.items()}


@pytest.mark.parametrize("weight", [0.2, 1.0, 3.0])
def test_the_interval_of_a_weighted_share_is_that_of_the_plain_share_weighted_alike(weight):
    from scipy.stats import beta

    X, y = {"x": [0.0] * 40 + [1.0] * 60}, ["a"] * 30 + ["b"] * 10 + ["a"] * 25 + ["b"] * 35
    tree = ts.DecisionTree(average=False, smoothing=0.0, class_weight={"b": weight}).fit(X, y)
    why = tree.explain({"x": 1.0})
    heavy = {"a": 1.0, "b": weight}
    own, other = heavy[why.answer], heavy["b" if why.answer == "a" else "a"]
    rows = {"a": 25, "b": 35}[why.answer]
    plain = beta.interval(0.95, rows + 0.5, 60 - rows + 0.5)
    assert why.interval == pytest.approx([own * p / (own * p + other * (1 - p)) for p in plain])
    assert "extended" not in why.interval_method


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(seeds, st.booleans(), st.sampled_from([0.0, 0.3, 2.0]), st.booleans(), st.lists(st.floats(0, 9)))
def test_the_interval_holds_the_share_of_the_answer(seed, average, smoothing, by_share, weights):
    labels = SCHEMA.target.labels
    own = tuple((*weights, *(1.0,) * len(labels))[: len(labels)])
    if not any(own):
        own = ()
    tree = random_tree(
        seed,
        average=average and smoothing > 0,
        smoothing=smoothing,
        weights=ClassWeights(own, by_share) if own else None,
    )
    block = random_rows(seed, 8)
    names, answers = [c.name for c in SCHEMA.columns], tree.shares(block)
    for row in range(8):
        why = explain_row(tree, lambda j, row=row: block.columns[names[j]][row], answers[row])
        share = why.shares[labels.index(why.answer)]
        assert why.interval[0] <= share <= why.interval[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [{"class_weight": {"k2": 5}}, {"class_weight": "balanced"}, {"priors": [0.1, 0.1, 0.8]}],
)
@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("missing", ["learned", "fractions"])
def test_weights_priors_and_averaging_leave_the_share_inside_its_interval(given, average, missing):
    X, y = rows_of(1)
    tree = ts.DecisionTree(average=average, max_depth=4, missing_values=missing, **given).fit(X, y)
    for k in range(0, 200, 23):
        why = tree.explain(row_of(X, k))
        share = why.to_dict()["shares"][why.answer]
        assert why.interval[0] <= share <= why.interval[1]
        assert why.interval[1] - why.interval[0] < 1
        assert "weights of the classes" in why.interval_method
        assert "rows weighted by their class" in str(why)


@pytest.mark.slow
@pytest.mark.parametrize("average", [True, False])
def test_the_parts_of_a_row_with_missing_values_add_up_to_its_answer(average):
    X, y = rows_of(2)
    ways = {"missing_values": "fractions", "level_splits": "each"}
    tree = ts.DecisionTree(average=average, min_samples_leaf=2, **ways).fit(X, y)
    blank = {"x": None, "c": None, "z": 0.1}
    why = tree.explain(blank)
    assert sum(p.part for p in why.parts) == pytest.approx(1)
    total = sum(p.part * np.array(p.answer) for p in why.parts)
    np.testing.assert_allclose(total, tree.predict_proba([blank])[0], atol=1e-12)
    assert set(why.missing) == {"x", "c"}
    told = str(why).splitlines()
    start = next(k for k, line in enumerate(told) if "are missing or unseen" in line)
    sizes = [p.part for p in why.parts]
    assert sizes == sorted(sizes, reverse=True)
    if len(sizes) > MOST_PARTS:
        assert f"in {len(sizes) - MOST_PARTS} more parts" in told[start + MOST_PARTS + 1]
    best = list(tree.classes_).index(why.answer)
    product = re.match(r"  (\S+) × (\S+) (\S+) ", told[start + 1])
    assert float(product[1]) == pytest.approx(sizes[0], abs=6e-4)
    assert product[2] == why.answer
    assert float(product[3]) == pytest.approx(why.parts[0].answer[best], abs=6e-4)
    assert len(why.to_dict()["parts"]) == len(sizes)
    ET.fromstring(why._repr_html_())


def test_a_known_row_of_a_fractional_tree_has_no_parts():
    X, y = rows_of(3)
    tree = ts.DecisionTree.c45().fit(X, y)
    why = tree.explain({"x": 0.3, "c": "l03", "z": 0.0})
    assert not why.parts
    assert "parts" not in why.to_dict()


def test_a_regression_leaf_has_students_interval_of_its_mean():
    from scipy.stats import t

    rng = np.random.default_rng(5)
    x = rng.normal(size=90)
    y = np.where(x > 0, 5.0, 1.0) + rng.normal(size=90)
    tree = ts.RegressionTree(max_depth=1).fit({"x": x.tolist()}, y.tolist())
    why = tree.explain({"x": 2.0})
    leaf = y[tree.apply({"x": x.tolist()}) == why.steps[-1].node]
    error = leaf.std(ddof=1) / np.sqrt(len(leaf)) * np.sqrt(searched(0.5 * np.log2(89)))  # of 89 cuts
    expected = t.interval(0.95, len(leaf) - 1, leaf.mean(), error)
    assert why.interval == pytest.approx(expected)
    data = why.to_dict()
    assert "shares" not in data
    assert all("shares" not in step for step in data["steps"])
    assert f"the leaf's {len(leaf)} rows" in data["interval_method"]
    assert "95 % between" in str(why).splitlines()[-1]


def test_a_regression_leaf_of_one_row_says_why_it_has_no_interval():
    tree = ts.RegressionTree().fit({"x": [1.0, 2.0, 3.0]}, [1.0, 5.0, 9.0])
    why = tree.explain({"x": 1.0})
    assert why.interval is None
    assert str(why).endswith("Answer: 1 (no interval: the leaf has 1 row, too few to show a spread)")


def test_weighted_rows_give_the_interval_and_the_spread_of_as_many_rows():
    x, y = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 2.0, 4.0, 9.0, 8.0, 10.0]
    once = ts.RegressionTree(max_depth=1).fit({"x": x * 4}, y * 4)
    halves = ts.RegressionTree(max_depth=1).fit({"x": x * 4}, y * 4, sample_weight=[0.5] * 24)
    assert halves.explain({"x": 1.0}).interval == pytest.approx(once.explain({"x": 1.0}).interval)
    assert [r.spread for r in halves.rules()] == pytest.approx([r.spread for r in once.rules()])
    assert halves.pruning_path(folds=0).error == pytest.approx(once.pruning_path(folds=0).error)


@pytest.mark.slow
def test_branches_list_only_levels_that_can_arrive():
    rng = np.random.default_rng(0)
    c = rng.integers(0, 20, 600)
    y = (rng.random(600) < (c * 7 % 20) / 20).astype(int)
    z = rng.integers(0, 2, 600)
    tree = ts.DecisionTree(average=False).fit(
        {"c": [f"l{k:02}" for k in c], "z": [f"v{k}" for k in z]}, (y ^ (z & (c > 10))).tolist()
    )
    nodes, schema = tree.model_.nodes, tree.model_.schema
    c_at = [k.name for k in schema.used].index("c")
    told = tree.show(most=10_000).splitlines()[2:]
    checked = 0
    arriving = {0: set(range(20))}
    for node in range(1, len(nodes)):
        up = int(nodes.parent[node])
        arriving[node] = arriving[up]
        if nodes.column[up] == c_at:
            branch = nodes.branches(up).tolist().index(node)
            arriving[node] = arriving[up] & set(np.flatnonzero(nodes.levels(up) == branch).tolist())
            named = {int(k) for k in re.findall(r"l(\d\d)", told[node])}
            assert named <= arriving[node]
            if "more}" not in told[node]:
                assert named == arriving[node]
            checked += arriving[up] != set(range(20))
    assert checked > 3
    for k in range(0, 20, 3):
        for step in tree.explain({"c": f"l{k:02}", "z": "v0"}).steps[1:]:
            assert {int(n) for n in re.findall(r"l(\d\d)", step.sentence)} <= arriving[step.node]


def test_the_heading_names_both_accuracies_of_an_averaged_tree():
    rows = [[1, 1], [1, 3], [3, 1], [3, 3]]  # numbers: of yes and no they would be a truth table
    tree = ts.DecisionTree().fit(rows, [0, 1, 1, 0])
    assert tree.score(rows, [0, 1, 1, 0]) == 1
    head = str(tree).splitlines()
    assert "4 leaves, 7 nodes," in head[0]
    assert head[0].endswith("training accuracy of this tree 1.0000 (4 of 4)")
    assert "is the root alone: 4 rows do not prove that any test helps" in head[1]
    assert head[2].endswith("training accuracy of the averaged answers 1.0000 (4 of 4)")
    assert "predictions average over all prunings" in str(tree.rules())
    plain = ts.DecisionTree(average=False).fit(XOR, [0, 1, 1, 0])
    assert "averag" not in str(plain) + str(plain.rules())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"class_weight": {"k2": 5}}, "A row counts by its class (k0 1, k1 1, k2 5)"),
        ({"class_weight": "balanced"}, "All rows of a class together count (k0 1, k1 1, k2 1)"),
        ({"priors": {"k0": 0.1, "k1": 0.1, "k2": 0.8}}, "together count (k0 0.1, k1 0.1, k2 0.8)"),
        ({"costs": [[0, 1, 1], [1, 0, 1], [9, 9, 0]]}, "the class of the least expected cost"),
    ],
)
def test_a_tree_says_why_a_rarer_class_can_be_its_answer(given, said):
    X, y = rows_of(6)
    tree = ts.DecisionTree(max_depth=3, **given).fit(X, y)
    (line,) = [line for line in str(tree).splitlines() if said in line]
    assert "fewer rows" in line


def test_a_picture_lists_only_levels_that_can_arrive():
    c = [f"l{k}" for k in range(6)] * 20
    y = [[0, 1, 0, 2, 3, 2][k % 6] for k in range(120)]
    tree = ts.DecisionTree(average=False, criterion="entropy").fit({"c": c}, y)
    texts = [t.text for t in ET.fromstring(tree.picture()).iter() if t.tag.endswith("text")]
    leaves = [t.removesuffix(" or missing") for t in texts if t and t.startswith("c ")]
    assert {"c = l1", "c in {l0, l2}", "c in {l3, l5}", "c = l4"} <= set(leaves)


def test_the_pruning_path_of_a_tree_with_costs_speaks_of_costs():
    X, y = rows_of(6)
    costs = [[0, 1, 1], [1, 0, 1], [9, 9, 0]]
    path = ts.DecisionTree(max_depth=3, average=False, costs=costs).fit(X, y).pruning_path(folds=3)
    assert "training cost" in str(path).splitlines()[0]
    assert "error" not in str(path).splitlines()[0]
    assert {"training_cost", "cv_cost"} <= set(path.to_dict()["steps"][0])
    plain = ts.DecisionTree(max_depth=3, average=False).fit(X, y).pruning_path(folds=0)
    assert "training error" in str(plain).splitlines()[0]
