"""A density tree finds what hangs together, and nothing where nothing does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.density import learner
from tallystick.errors import DataError


def test_columns_that_know_nothing_of_each_other_are_one_leaf():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": rng.normal(size=1000), "b": rng.choice(["u", "v"], 1000), "c": rng.poisson(3, 1000)}
    )
    assert len(ts.DensityTree().fit(frame).leaves_) == 1


def test_two_groups_are_two_leaves():
    rng = np.random.default_rng(0)
    one = rng.random(1000) < 0.3
    frame = pd.DataFrame({"a": rng.normal(size=1000) + 10 * one, "b": rng.normal(size=1000) - 10 * one})
    tree = ts.DensityTree().fit(frame)
    assert len(tree.leaves_) == 2
    assert sorted(leaf.rows for leaf in tree.leaves_) == sorted([one.sum(), (~one).sum()])


def test_a_test_that_does_not_pay_is_kept_for_what_lies_below_it():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 800))
    frame = pd.DataFrame({"a": a, "b": b, "c": a ^ b}).replace({0: "no", 1: "yes"})
    assert len(ts.DensityTree().fit(frame).leaves_) == 4  # no column alone tells anything of another


@pytest.mark.slow
def test_questions_of_few_cells_at_a_time_give_the_same_tree(monkeypatch):
    rng = np.random.default_rng(4)
    group = rng.integers(0, 4, 600)
    frame = pd.DataFrame({f"x{i}": rng.normal(size=600) + 3 * (group == i % 4) for i in range(6)})
    whole = ts.DensityTree().fit(frame)
    assert len(whole.leaves_) > 2
    monkeypatch.setattr(learner, "MOST_CELLS", 1_000)
    assert ts.DensityTree().fit(frame).to_bytes() == whole.to_bytes()


def test_limits_of_depth_leaves_and_rows_are_kept():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(400, 3)).cumsum(axis=1), columns=list("abc"))
    tree = ts.DensityTree(pruning=None, min_samples_leaf=30, max_depth=3).fit(frame)
    assert tree.model_.nodes.depth.max() <= 3
    assert min(leaf.rows for leaf in tree.leaves_) >= 30
    assert len(ts.DensityTree(max_leaf_nodes=2).fit(frame).leaves_) == 2


def test_text_is_left_out_with_a_note_and_alone_refused():
    rows = [{"said": f"some words {i % 7} and more {i}", "n": i % 5} for i in range(60)]
    tree = ts.DensityTree(kinds={"said": "text"}).fit(rows)
    assert [c.name for c in tree.schema_.used] == ["n"]
    assert "column 'said' is text, which a density tree does not read, and is left out." in [
        n.text for n in tree.notes_
    ]
    tree.score_samples([{"n": 3}])  # the text need not be there
    with pytest.raises(DataError, match="needs a column of numbers or levels, and there is none"):
        ts.DensityTree(kinds={"said": "text"}).fit([{"said": r["said"]} for r in rows])
