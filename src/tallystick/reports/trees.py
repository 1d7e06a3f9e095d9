"""A tree for the page: its nodes as data that the page's script draws, and a still picture.

Knows fitted trees. Knows nothing of HTML. Laws: numbers of nodes are those of the tree that is shown;
`origin` gives each its number in the grown tree, which the exported model speaks of; words and parts are
those of the still picture (`explain/tree_boxes.py`); what a node's counts leave out is told by its rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tallystick.draw.tree import AskedColumn
from tallystick.explain.tree import splits
from tallystick.explain.tree_boxes import (
    branch_words,
    drawn_nodes,
    mean_places,
    node_answers,
    node_lines,
    tree_svg,
)
from tallystick.models.tree import Tree
from tallystick.models.tree.sentences import footnote
from tallystick.reports.asked_columns import asked_data

STILL = 15  # boxes of the still picture: more cannot be read on paper
OPEN = 40  # nodes of a tree that starts unfolded
FIRST = 3  # depths that are open in a larger tree
MOST_TABLES = 150  # nodes whose candidate splits are shown, the largest first
CANDIDATES = 6  # splits shown of each
MOST_CELLS = 20_000  # numbers in all counts; with more, a node keeps its largest classes
LARGEST = 8  # classes that a node keeps then
MOST_NODES = 4_000  # of the tree on the page, those of most rows; the others are counted


def tree_data(tree: Tree, asked: Mapping[int, AskedColumn]) -> dict[str, Any]:
    """Return the tree as plain data: parents, tests, counts, answers, candidates; asked: by node.

    left: how many nodes below one are not on the page, by node.
    """
    shown = tree.shown
    nodes = shown.nodes
    kept = drawn_nodes(shown, MOST_NODES, whole=False)
    place = {node: k for k, node in enumerate(kept)}
    inner = [n for n in kept if nodes.column[n] >= 0]
    told = with_candidates(shown, kept)
    left = {n: int(nodes.end[n]) - n - 1 for n in inner if n + 1 not in place}
    answers = None if tree.regression else node_answers(tree)
    lines = node_lines(tree, answers, kept)
    return {
        "parent": [place.get(p, -1) for p in nodes.parent[kept].tolist()],
        "branch": [branch_words(shown, n) for n in kept],
        "lines": [
            [*words, f"… {left[n]:,} more"] if n in left else list(words)
            for n, words in zip(kept, lines, strict=True)
        ],
        "asks": [shown.schema.used[int(c)].name if c >= 0 else "" for c in nodes.column[kept]],
        "counts": _counts(shown.rows[kept]),
        "rows": [_short(float(r)) for r in shown.rows[kept].sum(axis=1)],
        "answer": [0] * len(kept) if answers is None else answers.label[kept].tolist(),
        "origin": tree.shown_numbers[kept].tolist(),
        "left": {str(place[n]): count for n, count in left.items()},
        "tables": {str(place[n]): _table(shown, n) for n in told} if shown.candidates is not None else {},
        "spreads": {str(place[n]): asked_data(column) for n, column in asked.items() if n in place},
        "open": len(nodes) <= OPEN,
        "first": FIRST,
    } | ({"level": [round(float(v), 4) for v in mean_places(shown)[kept]]} if tree.regression else {})


def with_candidates(shown: Tree, kept: Sequence[int] | None = None) -> list[int]:
    """Return the nodes of the page's tree whose candidate splits it shows. kept: those on the page."""
    nodes = shown.nodes
    kept = drawn_nodes(shown, MOST_NODES, whole=False) if kept is None else kept
    inner = [n for n in kept if nodes.column[n] >= 0]
    return sorted(inner, key=lambda n: (-int(nodes.weight[n]), n))[:MOST_TABLES]


def _counts(rows: Any) -> list[Any]:
    """Return counts[node][class], or {class: count} of the largest classes where there are too many."""
    if rows.size <= MOST_CELLS:
        return [[_short(float(n)) for n in line] for line in rows]
    out: list[Any] = []
    for line in rows:
        order = np.argsort(-line, kind="stable")[:LARGEST].tolist()
        out.append({str(k): _short(float(line[k])) for k in order if line[k] > 0})
    return out


def _short(number: float) -> float | int:
    return int(number) if number == int(number) else round(number, 2)


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
    left = len(shown.nodes) - len(drawn_nodes(shown, MOST_NODES, whole=False))
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
        "left": f"{left:,}" if left else "",
        "kept": f"{len(shown.nodes) - left:,}",
    }
