"""C4.5 as Weka's J48 grows and prunes it: trees that J48 3.6.14 made of tables with missing values.

tests/files/j48.json: tables (columns l* are levels, n* numbers), and for each line of J48's tree depth,
column and (in a leaf) class, rows and errors.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallystick as ts

pytestmark = pytest.mark.slow

CASES = json.loads((Path(__file__).resolve().parents[1] / "files" / "j48.json").read_text())


def lines(tree: Any, node: int = 0, depth: int = 0) -> list[list[Any]]:
    """Return the tree as J48 prints it."""
    nodes, schema = tree.nodes, tree.schema
    name, out = schema.used[nodes.column[node]].name, []
    for below in nodes.branches(node).tolist():
        if nodes.column[below] >= 0:
            out += [[depth, name], *lines(tree, below, depth + 1)]
            continue
        counts = nodes.counts[below] / tree.unit
        told = nodes.counts[below if counts.sum() else node]  # a leaf without rows says its parent's class
        label = schema.target.labels[int(np.argmax(told))]
        out.append([depth, name, label, counts.sum(), counts.sum() - counts.max()])
    return out


@pytest.mark.parametrize("case", range(len(CASES)))
def test_trees_and_counts_are_those_of_j48(case):
    """Raising shares rows without a value by the rows that come, and raises the last of equal branches."""
    frame = pd.read_csv(io.StringIO("\n".join(CASES[case]["table"])))
    kinds = {c: "levels" if c[0] == "l" else "numeric" for c in frame.columns if c != "y"}
    got = lines(ts.DecisionTree.c45(kinds=kinds).fit(frame, "y").model_)
    wanted = CASES[case]["j48"]
    assert [line[:3] for line in got] == [line[:3] for line in wanted]
    for ours, theirs in zip(got, wanted, strict=True):
        assert ours[3:] == pytest.approx(theirs[3:], abs=0.0151)  # J48 prints two decimals
