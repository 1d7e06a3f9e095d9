"""The tree as a model: walking, averaging over prunings, reading and writing, printing."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_tree import shape
from trees import REGRESSION, SCHEMA, Rows, prunings, random_nodes, random_rows, random_tree

import tallystick as ts
from tallystick.errors import ModelFileError, OptionError
from tallystick.models.tree import SPREADS, STAYS, Answers, Candidates, Nodes, Tree
from tallystick.models.tree.average import log_gamma
from tallystick.models.tree.nodes import _shape as nodes_shape
from tallystick.models.tree.prior import prior_of_tests
from tallystick.models.tree.walk import ways

seeds = st.integers(0, 10_000)
READ = {"schema": SCHEMA, "unit": 1, "answers": Answers()}


@st.composite
def preorders(draw):
    """The number of branches of each node, depth first."""
    out, waiting = [], 1
    while waiting:
        branches = draw(st.sampled_from([0, 0, 2, 2, 3, 5])) if len(out) + waiting < 60 else 0
        out.append(branches)
        waiting += branches - 1
    return out


@given(preorders())
def test_the_shape_of_a_preorder_is_what_a_stack_reads(branches):
    parent, children = shape(branches)
    first, child, above = nodes_shape(np.array(branches, np.int32))
    assert above.tolist() == parent
    assert child.tolist() == children
    assert [c for n, k in enumerate(branches) for c in child[first[n] : first[n] + k].tolist()] == children


@pytest.mark.parametrize("branches", [[0, 0], [2, 0], [2, 0, 0, 0], [3, 0, 0]])
def test_what_is_not_one_tree_is_refused(branches):
    with pytest.raises(ValueError, match=r"no parent|lead nowhere"):
        nodes_shape(np.array(branches, np.int32))


def by_enumeration(tree: Tree) -> tuple[np.ndarray, float]:
    """Sum over all prunings of probability times shares, with math.lgamma; and the probability of the
    best.
    """
    a, base, counts, nodes = tree.answers.smoothing, tree.base, tree.rows, tree.nodes
    keep = np.full(len(nodes), tree.answers.keep or 0.5)
    if tree.answers.keep is None:
        keep = prior_of_tests(tree.schema, nodes, counts.sum(axis=1))
    own = (counts + a * base) / (counts.sum(axis=1, keepdims=True) + a)
    logs, answers = [], []
    for pruning in prunings(nodes):
        log, answer = 0.0, np.zeros_like(own)
        for node, ends in pruning.items():
            if nodes.column[node] >= 0:
                log += math.log(1 - keep[node]) if ends else math.log(keep[node])
            if ends:
                log += math.lgamma(a) - math.lgamma(a + counts[node].sum())
                log += sum(
                    math.lgamma(n + a * b) - math.lgamma(a * b)
                    for n, b in zip(counts[node], base, strict=True)
                )
                answer[node : nodes.end[node]] = own[node]
            else:
                answer[node] = own[node]  # of a row that stays here
        logs.append(log)
        answers.append(answer)
    weights = np.exp(np.array(logs) - max(logs))
    weights /= math.fsum(weights)
    total = np.array(
        [
            [math.fsum(w * x for w, x in zip(weights, column, strict=True)) for column in row]
            for row in np.array(answers).transpose(1, 2, 0)
        ]
    )
    return total, weights.max()


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([0.5, 1.0, 2.0, 5.0]), st.sampled_from([None, 0.1, 0.5, 0.9]))
def test_average_is_the_sum_over_every_pruning(seed, smoothing, keep):
    tree = random_tree(seed, most=6, average=True, smoothing=smoothing, keep=keep)
    expected, best = by_enumeration(tree)
    np.testing.assert_allclose(tree.node_shares, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(tree.node_shares.sum(axis=1), 1, atol=1e-12)
    assert math.isclose(math.exp(tree.averaged.log_best), best, rel_tol=1e-9)


def test_a_test_is_the_less_probable_the_more_tests_it_was_chosen_from():
    rng = np.random.default_rng(5)
    X = {
        "number": rng.normal(size=300).tolist(),
        "levels": rng.choice(list("pqrst"), 300).tolist(),
        "lost": rng.choice(np.array(["u", "v", None], object), 300).tolist(),
        "ordered": rng.choice(["low", "middle", "high"], 300).tolist(),
    }
    y = rng.integers(0, 2, 300)
    order = ["low", "middle", "high"]
    tree = ts.DecisionTree(columns=ts.Columns({"ordered": "ordered"}, {"ordered": order})).fit(X, y).model_
    nodes, rows = tree.nodes, tree.counted.sum(axis=1)
    found = prior_of_tests(tree.schema, nodes, rows)
    asked = set()
    for node in np.flatnonzero(nodes.column >= 0).tolist():
        name = tree.schema.used[nodes.column[node]].name
        asked.add(name)
        second = int((nodes.branch_of[nodes.branch_start[node] : nodes.branch_start[node + 1]] == 1).sum())
        m = {"number": rows[node] - 1, "ordered": 2, "lost": 2 * 3 / 2}.get(name)
        if name == "levels":
            m = 4 * math.comb(5, second) / 2
        assert found[node] == pytest.approx(1 / (1 + math.sqrt(4 * m)))
    assert asked == set(X)


def test_the_most_probable_pruning_is_the_one_shown():
    tree = next(
        t for s in range(100) if len((t := random_tree(s, most=6, average=True, smoothing=2.0)).nodes) > 8
    )
    shown = tree.shown
    assert shown.averaged is None
    assert len(shown.nodes) <= len(tree.nodes)
    assert (shown.nodes.counts[0] == tree.nodes.counts[0]).all()
    assert "averaged over all prunings" in str(tree)


@settings(max_examples=200, deadline=None)
@given(st.floats(1e-8, 1e9))
def test_log_gamma_is_right(x):
    assert math.isclose(log_gamma(np.array([x]))[0], math.lgamma(x), rel_tol=2e-14, abs_tol=2e-14)


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_walking_a_block_and_walking_one_row_agree(seed):
    tree, block = random_tree(seed), random_rows(seed, 60)
    stops = tree.stops(block)
    names = [c.name for c in SCHEMA.columns]
    for row in range(block.rows):
        (way,) = ways(tree.nodes, lambda j, row=row: block.columns[names[j]][row])
        assert way.part == 1
        assert way.steps[-1][0] == stops[row]
    parts = [Rows({k: v[a:b] for k, v in block.columns.items()}, b - a) for a, b in ((0, 7), (7, 60))]
    assert np.array_equal(np.concatenate([tree.shares(p) for p in parts]), tree.shares(block))


def test_a_cut_itself_goes_right_and_a_missing_value_goes_where_the_tree_says():
    nodes = one_test(missing=0)
    tree = Tree(SCHEMA, nodes)
    x = np.array([4.9, 5.0, 5.1, np.nan])
    assert tree.stops(Rows({"x": x}, 4)).tolist() == [1, 2, 2, 1]
    stays = Tree(SCHEMA, one_test(missing=STAYS))
    assert stays.stops(Rows({"x": x}, 4)).tolist() == [1, 2, 2, 0]


def test_spread_rows_are_answered_by_all_branches_in_proportion():
    tree = Tree(SCHEMA, one_test(missing=SPREADS))
    shares = tree.shares(Rows({"x": np.array([np.nan, 1.0])}, 2))
    np.testing.assert_allclose(shares[0], tree.rows[0] / tree.rows[0].sum(), atol=1e-15)
    np.testing.assert_allclose(shares[1], [1, 0, 0])


def one_test(missing: int) -> Nodes:
    return Nodes(
        counts=np.array([[3, 1, 2], [3, 0, 0], [0, 1, 2]]),
        column=np.array([0, -1, -1], np.int32),
        cut=np.array([5.0, np.nan, np.nan]),
        n_children=np.array([2, 0, 0], np.int32),
        branch_start=np.zeros(4, np.int64),
        branch_of=np.empty(0, np.int32),
        missing_branch=np.array([missing, STAYS, STAYS], np.int32),
        gain=np.array([0.5, 0, 0]),
    )


def test_an_empty_branch_answers_like_the_node_above():
    nodes = one_test(missing=0)
    nodes.counts[1], nodes.counts[2] = [0, 0, 0], [3, 1, 2]
    tree = Tree(SCHEMA, nodes)
    np.testing.assert_allclose(tree.node_shares[1], [3 / 6, 1 / 6, 2 / 6])


def test_equal_shares_take_the_first_class():
    nodes = one_test(missing=0)
    nodes.counts[2] = [0, 1, 1]
    assert Tree(SCHEMA, nodes).labels[2] == 1


def test_costs_decide_the_answer():
    costs = ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 9.0, 0.0))
    nodes = one_test(missing=0)
    nodes.counts[2] = [0, 2, 1]
    assert Tree(SCHEMA, nodes).labels[2] == 1
    assert Tree(SCHEMA, nodes, answers=Answers(costs=costs)).labels[2] == 2


@settings(max_examples=100, deadline=None)
@given(seeds, st.booleans())
def test_a_tree_survives_its_own_data(seed, regression):
    schema = REGRESSION if regression else SCHEMA
    tree = Tree(schema, random_nodes(seed, regression=regression))
    again = Tree.from_dict(tree.to_dict(), schema, 1, Answers())
    for name in (
        "counts",
        "column",
        "cut",
        "n_children",
        "branch_start",
        "branch_of",
        "missing_branch",
        "gain",
        "mean",
        "deviance",
    ):
        np.testing.assert_array_equal(getattr(again.nodes, name), getattr(tree.nodes, name), err_msg=name)
    assert again.to_dict() == tree.to_dict()
    assert again.kind == ("regression-tree" if regression else "decision-tree")


def broken(change):
    tree = next(t for s in range(200) if 1 in (t := random_tree(s)).nodes.column and 0 in t.nodes.column)
    data = copy.deepcopy(tree.to_dict())
    change(data)
    return data


def first_test(data):
    return next(row for row in data["nodes"] if len(row) == 7 and row[4] is not None)


DAMAGE = {
    "no node": lambda d: d.update(nodes=[]),
    "a node too many": lambda d: d["nodes"].append([0, 0, 0]),
    "a node too few": lambda d: d["nodes"].pop(),
    "a short node": lambda d: d["nodes"][-1].pop(),
    "a node that is not a list": lambda d: d["nodes"].__setitem__(0, 7),
    "a count that is true": lambda d: d["nodes"][-1].__setitem__(0, True),
    "a count that is a fraction": lambda d: d["nodes"][-1].__setitem__(0, 1.5),
    "a negative count": lambda d: d["nodes"][-1].__setitem__(0, -1),
    "a huge count": lambda d: d["nodes"][-1].__setitem__(0, 10**30),
    "counts that do not add up": lambda d: d["nodes"][0].__setitem__(0, d["nodes"][0][0] + 1),
    "an unknown column": lambda d: first_test(d).__setitem__(3, 4),
    "a negative column": lambda d: first_test(d).__setitem__(3, -1),
    "a cut on levels": lambda d: first_test(d).__setitem__(3, 1),
    "no cut on a number": lambda d: first_test(d).__setitem__(4, None),
    "an endless cut": lambda d: first_test(d).__setitem__(4, math.inf),
    "a cut beyond doubles": lambda d: first_test(d).__setitem__(4, 10**400),
    "a cut that is text": lambda d: first_test(d).__setitem__(4, "5"),
    "a missing branch that is not there": lambda d: first_test(d).__setitem__(5, 2),
    "a missing branch below all": lambda d: first_test(d).__setitem__(5, -3),
    "a gain that is not a number": lambda d: first_test(d).__setitem__(6, None),
    "a level without a branch number": lambda d: d["branches"][0].pop(),
    "a branch that is not there": lambda d: d["branches"][0].__setitem__(0, 9),
    "a branch below all": lambda d: d["branches"][0].__setitem__(0, -2),
    "a test without branches": lambda d: d["branches"].pop(),
    "branches that are not a list": lambda d: d.update(branches=3),
    "too few candidates": lambda d: d.update(candidates=["[]"]),
    "candidates that are not text": lambda d: d.update(candidates=[1] * sum(len(r) == 7 for r in d["nodes"])),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_tree_is_refused_in_one_line(damage):
    with pytest.raises(ModelFileError) as caught:
        Tree.from_dict(broken(DAMAGE[damage]), **READ)
    assert "\n" not in str(caught.value)


def test_the_print_names_columns_levels_counts_and_the_way_of_missing_values():
    text = str(Tree(SCHEMA, one_test(missing=1)))
    assert text.splitlines() == [
        "Tree for y: 6 rows, 2 leaves, 3 nodes, depth 1, training accuracy 0.8333 (5 of 6)",
        "Counts: no, perhaps, yes",
        "all rows             3 1 2   no 0.500",
        "├─ x < 5             3 0 0 → no 1.000",
        "└─ x ≥ 5 or missing  0 1 2 → yes 0.667",
    ]


def test_averaging_without_smoothing_is_refused():
    with pytest.raises(OptionError, match="smoothing above 0"):
        Answers(average=True)


def tried(tree: Tree) -> Candidates:
    """Two candidates for each test: its own, and one on x."""
    nodes = tree.nodes
    tests = np.flatnonzero(nodes.column >= 0)
    sizes = np.where(nodes.column >= 0, 2, 0)
    own = [nodes.levels(int(n)) if np.isnan(nodes.cut[n]) else np.empty(0, np.int32) for n in tests]
    pairs = [part for levels in own for part in (levels, np.empty(0, np.int32))]
    first = np.minimum(nodes.counts[tests], 1)
    counts = np.stack([first, nodes.counts[tests] - first], axis=1).reshape(-1, 3)
    return Candidates(
        start=np.concatenate([[0], np.cumsum(sizes)]),
        column=np.stack([nodes.column[tests], np.zeros(len(tests))], axis=1).reshape(-1).astype(np.int32),
        cut=np.stack([nodes.cut[tests], np.full(len(tests), 2.5)], axis=1).reshape(-1),
        branch_start=np.concatenate([[0], np.cumsum([len(p) for p in pairs])]).astype(np.int64),
        branch_of=np.concatenate([np.empty(0, np.int32), *pairs]).astype(np.int32),
        gain=np.tile([0.25, 0.125], len(tests)),
        ratio=np.tile([0.5, np.nan], len(tests)),
        count_start=np.concatenate([[0], np.cumsum(np.tile([0, 2], len(tests)))]),
        counts=counts,
    )


@settings(max_examples=50, deadline=None)
@given(seeds)
def test_candidates_survive_their_texts(seed):
    tree = random_tree(seed)
    whole = Tree(SCHEMA, tree.nodes, candidates=tried(tree))
    again = Tree.from_dict(whole.to_dict(), **READ)
    found, wanted = again.all_candidates, whole.all_candidates
    if found is None:
        assert not whole.to_dict()["candidates"]
        return
    for name in (
        "start",
        "column",
        "cut",
        "branch_start",
        "branch_of",
        "gain",
        "ratio",
        "count_start",
        "counts",
    ):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)
    assert again.to_dict() == whole.to_dict()


BAD_TEXTS = [
    "", "[", "{}", "[1]", "[[]]", "[[0,1,2]]", "[[9,2.5,0.1,0.2]]", "[[0,null,0.1,0.2]]", "[[1,2.5,0.1,0.2]]",
    "[[0,2.5,true,0.2]]",
    "[[0,2.5,0.1,0.2,[1,2]]]", "[[0,2.5,0.1,0.2,[999,999,999]]]", "[[0,2.5,0.1,0.2,[0,0,-1]]]",
    "[[0,1e999,0.1,0.2]]", "[[0,2.5,0.1,0.2,[],[0]]]", "[[0,2.5,0.1,0.2,[],[],[1]]]", "[[0,2.5,0.1,0.2,{}]]",
    "[" * 5000, "[[0,2.5,0.1,0.2]" + ",[0,2.5,0.1,0.2]" * 5 + "]",
]  # fmt: skip


@pytest.mark.parametrize("text", BAD_TEXTS)
def test_a_damaged_text_of_candidates_is_refused_when_it_is_read(text):
    tree = next(t for s in range(100) if len((t := random_tree(s)).nodes) > 1)
    tests = int((tree.nodes.column >= 0).sum())
    data = tree.to_dict() | {"candidates": [text] * tests}
    with pytest.raises(ModelFileError, match="candidate splits of node 0"):
        _ = Tree.from_dict(data, **READ).all_candidates
