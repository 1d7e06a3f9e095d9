"""Every candidate of a node is told: the test of each branch, and the rows it would take."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts

SETTINGS = {
    "two groups": {},
    "a branch per level": {"level_splits": "each"},
    "entropy": {"criterion": "entropy"},
    "Gini": {"criterion": "gini"},
    "weights that lose bits": {"class_weight": {"a": 1.0, "b": 0.3, "c": 1e-7}},
}


def mixed(rows: int = 400, lost: float = 0.1) -> pd.DataFrame:
    """Eight columns of levels, two of numbers, some cells missing."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({f"l{j}": rng.choice(list("pqrstu")[: 2 + j % 5], rows) for j in range(8)})
    frame = frame.assign(n=rng.normal(size=rows).round(1), m=rng.integers(0, 30, rows).astype(float))
    frame = frame.mask(rng.random(frame.shape) < lost)
    parts = (frame["l0"] == "p", frame["l4"] == "q", frame["n"] > 0)
    signal = sum(part.astype(float) for part in parts) + rng.random(rows)
    return frame.assign(y=np.array(list("abc"))[np.digitize(signal, [1.0, 2.0])], z=signal)


def check(tree, node: int, columns: int, exact: bool) -> None:
    found = tree.splits(node).candidates
    rows = sum(tree.model_.shown.rows[node])
    assert len(found) == columns or node  # further down a column may have one value left
    for c in found:
        assert len(c.tests) == len(c.counts) >= 2, c.column
        assert sum(map(sum, c.counts)) <= rows + 1e-6
        if exact:  # no cell is missing: every row is in a branch
            assert sum(map(sum, c.counts)) == pytest.approx(rows)
        assert f"{c.column}: gain" in str(tree.splits(node))


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("lost", [0.0, 0.1])
def test_every_column_has_the_rows_of_its_branches(setting, lost):
    frame = mixed(lost=lost).drop(columns="z")
    tree = ts.DecisionTree(max_depth=3, average=False, **SETTINGS[setting]).fit(frame, "y")
    for node in np.flatnonzero(tree.model_.nodes.column >= 0)[:6].tolist():
        check(tree, node, 10, exact=lost == 0)


@pytest.mark.parametrize("kind", ["groups", "each"])
def test_every_column_of_a_regression_has_rows_and_means(kind):
    frame = mixed().drop(columns="y")
    tree = ts.RegressionTree(max_depth=2, level_splits=kind).fit(frame, "z")
    check(tree, 0, 10, exact=False)
    for c in tree.splits(0).candidates:
        assert len(c.means) == len(c.counts)
        if kind == "each" and c.column.startswith("l") and not c.chosen:
            sums = sum(n[0] * m for n, m in zip(c.counts, c.means, strict=True))
            assert sums == pytest.approx(frame["z"][frame[c.column].notna()].sum())


def test_rows_that_come_in_parts_are_counted_in_parts():
    frame = mixed().drop(columns="z")
    tree = ts.DecisionTree.c45(min_samples_leaf=2, pruning=None).fit(frame, "y")
    for node in (0, *tree.model_.nodes.branches(0).tolist()):
        for c in tree.splits(node).candidates:
            assert len(c.tests) == len(c.counts) >= 2
    for c in tree.splits(0).candidates:
        if c.column.startswith("l") and not c.chosen:
            assert sum(map(sum, c.counts)) == pytest.approx(frame[c.column].notna().sum())
    first, second = tree.model_.nodes.branches(0).tolist()[:2]
    for node in (first, second):  # a row without the root's value is in both, in parts
        whole = sum(tree.model_.rows[node])
        counts = [sum(map(sum, c.counts)) for c in tree.splits(node).candidates]
        assert all(n <= whole + 1e-6 for n in counts)
        assert any(n != int(n) for n in counts)


def test_levels_beyond_sixty_four_have_rows_without_names_but_the_best_five():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"l{j}": rng.integers(0, 80, 900).astype(str) + "x" for j in range(7)})
    low = (frame["l3"].str[:1] < "4").to_numpy()  # groups that pay: a leaf tells no candidates
    frame["y"] = np.where(low ^ (rng.random(900) < 0.1), "a", "b")
    tree = ts.DecisionTree(max_depth=1, average=False).fit(frame, "y")
    found = tree.splits(0).candidates
    assert [c.tests[0] == "one group of levels" for c in found] == [False] * 5 + [True] * 2
    assert all(sum(map(sum, c.counts)) == 900 for c in found)


def test_candidates_stand_in_the_order_of_their_ratios_below_zero_too():
    rng = np.random.default_rng(0)
    tree = ts.DecisionTree(max_depth=1, average=False).fit(rng.normal(size=(200, 9)), rng.integers(0, 2, 200))
    found = tree.splits(0).candidates
    ratios = [c.ratio for c in found if not c.chosen]
    assert min(ratios) < 0
    assert ratios == sorted(ratios, reverse=True)
