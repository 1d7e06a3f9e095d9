"""Candidates to texts and back, and texts that are damaged."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import SCHEMA, random_tree

from tallystick.errors import ModelFileError
from tallystick.tree.model import Answers, Tree
from tallystick.tree.nodes import Candidates

READ = {"schema": SCHEMA, "unit": 1, "answers": Answers()}
seeds = st.integers(0, 10_000)


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


@pytest.mark.slow
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
