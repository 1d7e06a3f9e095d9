"""Minimum description length: the pruning that takes the fewest bits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import SCHEMA, prunings, random_tree

from tallystick.tree.prune import shortest

pytestmark = pytest.mark.slow

seeds = st.integers(0, 10_000)


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_mdl_is_the_pruning_of_least_length(seed):
    tree = random_tree(seed, most=5)

    def length(pruning):
        bits = 0.0
        for node, is_end in pruning.items():
            bits += 1
            counts = tree.rows[node]
            if is_end:
                n, k = counts.sum(), len(counts)
                bits -= (math.lgamma(k / 2) - math.lgamma(n + k / 2)) / math.log(2)
                bits -= sum(math.lgamma(c + 0.5) - math.lgamma(0.5) for c in counts) / math.log(2)
            else:
                column = SCHEMA.used[tree.nodes.column[node]]
                bits += 2  # log2 of four columns
                if column.kind == "numeric":
                    bits += math.log2(max(counts.sum() - 1, 1))
                elif tree.nodes.n_children[node] == 2 and len(column.levels) > 2:
                    bits += len(column.levels) - 1
        return bits

    lengths = {tuple(sorted(p.items())): length(p) for p in prunings(tree.nodes)}
    pruned = shortest(tree)
    nodes, kept = tree.nodes.cut_back(np.zeros(len(tree.nodes), bool))
    assert len(kept) == len(nodes) == len(tree.nodes)
    found = min(lengths.values())
    best = [p for p, bits in lengths.items() if bits <= found + 1e-9]
    assert any(sum(end for _, end in p) == pruned.nodes.leaves for p in best)
