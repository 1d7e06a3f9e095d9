"""A tree for the page: its nodes as data that the page's script draws, and a still picture.

Knows fitted trees. Knows nothing of HTML. Laws: numbers of nodes are those of the tree that is shown;
`origin` gives each its number in the grown tree, which the exported model speaks of; words and parts are
those of the still picture (`explain/tree_boxes.py`); what a node's counts leave out is told by its rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallystick.draw.tree import AskedColumn
from tallystick.explain.tree import splits
from tallystick.explain.tree_boxes import branch_words, node_answers, node_lines, tree_svg
from tallystick.models.tree import Tree
from tallystick.models.tree.sentences import footnote
from tallystick.reports.asked_columns import asked_data

STILL = 15  # boxes of the still picture: more cannot be read on paper
OPEN = 40  # nodes of a tree that starts unfolded
FIRST = 3  # depths that are open in a larger tree
MOST_TABLES = 150  # nodes whose candidate splits are shown, the largest first
CANDIDATES = 6  # splits shown of each
MOST_CELLS = 60_000  # numbers in all counts; with more, a node keeps its largest classes


def tree_data(tree: Tree, asked: Mapping[int, AskedColumn]) -> dict[str, Any]:
    """Return the tree as plain data: parents, tests, counts, answers, candidates; asked: by node."""
    shown = tree.shown
    nodes = shown.nodes
    origin = tree.shown_numbers.tolist()
    inner = np.flatnonzero(nodes.column >= 0)
    told = sorted(inner.tolist(), key=lambda n: (-float(nodes.weight[n]), n))[:MOST_TABLES]
    answers = node_answers(tree)
    return {
        "parent": nodes.parent.tolist(),
        "branch": [branch_words(shown, n) for n in range(len(nodes))],
        "lines": [list(words) for words in node_lines(tree, answers)],
        "asks": [shown.schema.used[int(c)].name if c >= 0 else "" for c in nodes.column],
        "counts": _counts(shown),
        "rows": [float(r) for r in shown.rows.sum(axis=1)],
        "answer": answers.label.tolist(),
        "origin": origin,
        "tables": {str(n): _table(shown, n) for n in told} if shown.all_candidates is not None else {},
        "spreads": {str(n): asked_data(column) for n, column in asked.items()},
        "open": len(nodes) <= OPEN,
        "first": FIRST,
    }


def _counts(tree: Tree) -> list[Any]:
    """Return counts[node][class], or pairs [class, count] of the largest classes where there are too many."""
    rows = tree.rows
    if rows.size <= MOST_CELLS:
        return [[int(n) if n == int(n) else round(float(n), 2) for n in line] for line in rows]
    out: list[Any] = []
    for line in rows:
        order = np.argsort(-line, kind="stable")[:8].tolist()
        out.append({str(k): round(float(line[k]), 2) for k in order if line[k] > 0})
    return out


def _table(tree: Tree, node: int) -> list[list[Any]]:
    """Return the best candidate splits: column, tests, gain, gain ratio, whether it was chosen."""
    found = splits(tree, node, most=CANDIDATES).candidates
    out = []
    for c in found:
        ratio = None if c.ratio != c.ratio else round(c.ratio, 4)
        out.append([c.column, " | ".join(c.tests[:2]), round(c.gain, 4), ratio, int(c.chosen)])
    return out


def tree_facts(tree: Tree, asked: Mapping[int, AskedColumn]) -> dict[str, Any]:
    """Return what is said beside the tree."""
    shown = tree.shown
    return {
        "leaves": f"{shown.nodes.leaves:,}",
        "nodes": f"{len(shown.nodes):,}",
        "depth": int(shown.nodes.depth.max()),
        "averaged": tree.averaged is not None,
        "shown_as": tree.shown_as if tree.averaged is not None else "",
        "footnote": footnote(tree.schema, shown.nodes),
        "grown": f"{tree.nodes.leaves:,}",
        "still": tree_svg(tree, STILL, spreads=asked),
        "tables": min(MOST_TABLES, int((shown.nodes.column >= 0).sum())),
    }
