"""A fitted tree as boxes: what stands in each, and the picture of them.

Knows fitted trees. Knows nothing of layout, pages or rows of a table.
Law: a leaf's box tells what the model answers there (smoothed, weighted and averaged as it answers), and the
share of its own rows in brackets; every other box tells the share of its rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.text import class_words, cut, percent
from tallystick.draw.tree import MANY, OTHERS, AskedColumn, Box, bar_parts, tree_picture
from tallystick.models.tree import SPREADS, STAYS, Tree
from tallystick.models.tree.sentences import fitted, footnote, plain, reachable, rows
from tallystick.models.tree.text import node_text

MOST_BOXES = 63  # of a picture; deeper branches are counted, not drawn
BRANCH, LABEL = 46, 22  # letters of a branch's words, and of a class beside its share


@dataclass(frozen=True)
class NodeAnswers:
    """What the model answers to the rows of each node that is shown: the class, and the ends of its share.

    Where answers are averaged over all prunings, rows that come to one leaf of the tree that is shown can go
    on in the grown tree, and their shares differ.
    """

    label: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def told(self, node: int) -> str:
        """Return `91.9 %`, or `91.9 to 98.2 %` where rows of the node are answered differently."""
        ends = [percent(float(end[node])) for end in (self.low, self.high)]
        if ends[0] == ends[1]:
            return ends[0]
        return f"{ends[0].removesuffix(' %')} to {ends[1]}"


def node_answers(tree: Tree) -> NodeAnswers:
    """Return what the model answers at the nodes that are shown."""
    shown, origin = tree.shown, tree.shown_numbers
    nodes = tree.nodes
    ending = nodes.weight - np.bincount(
        nodes.parent[1:], nodes.weight[1:], minlength=len(nodes)
    )  # rows whose way ends at the node
    label = shown.labels.copy()
    low = shown.node_shares[np.arange(len(label)), label]
    high = low.copy()
    for k in np.flatnonzero(shown.nodes.leaf).tolist():
        below = np.arange(origin[k], nodes.end[origin[k]])
        below = below[ending[below] > 0] if (ending[below] > 0).any() else below[:1]
        weights, shares = np.maximum(ending[below], 1), tree.node_shares[below]
        label[k] = tree.decide((weights @ shares / weights.sum())[None, :])[0]
        ends = shares[:, label[k]]
        low[k], high[k] = ends.min(), ends.max()
    return NodeAnswers(label, low, high)


def node_lines(
    tree: Tree, answers: NodeAnswers | None, some: Iterable[int] | None = None
) -> list[tuple[str, ...]]:
    """Return the words of each node that is shown, or of some of them; answers: None for a regression
    tree.
    """
    shown = tree.shown
    return [_lines(shown, answers, node) for node in (range(len(shown.nodes)) if some is None else some)]


def _lines(tree: Tree, answers: NodeAnswers | None, node: int) -> tuple[str, ...]:
    nodes, counts = tree.nodes, tree.rows[node]
    total = rows(nodes.counts[node].sum(), tree.unit)
    many = f"{total} {'row' if total == '1' else 'rows'}"
    if answers is None:
        return f"{nodes.mean[node]:.5g}", many
    label = int(answers.label[node])
    name = cut(class_words(plain(tree.schema.predicted.labels[label])), LABEL)
    own = percent(float(counts[label] / counts.sum())) if counts.sum() else ""
    if nodes.column[node] < 0:
        return f"{name} {answers.told(node)}", f"({own} of {many})" if own else f"({many})"
    out = [f"{many} · {name} {own}".rstrip()]
    if len(counts) > MANY and counts.sum():  # colours come again: the next classes by name
        out.append(_next_best(tree, node, label))
    if nodes.missing_branch[node] in (STAYS, SPREADS):
        lost = "go all ways" if nodes.missing_branch[node] == SPREADS else "end here"
        out.append(f"missing values {lost}")
    return tuple(out)


def _next_best(tree: Tree, node: int, label: int) -> str:
    """Return the two classes that follow the first."""
    counts, labels = tree.rows[node], tree.schema.predicted.labels
    order = [c for c in np.argsort(-counts, kind="stable").tolist() if c != label and counts[c]][:2]
    names = [
        f"{cut(class_words(plain(labels[c])), 8)} {percent(float(counts[c] / counts.sum()))}" for c in order
    ]
    return f"then {', '.join(names)}" if names else "no other class"


def mean_places(tree: Tree) -> NDArray[np.float64]:
    """Return where the mean of each node of a regression tree lies between the lowest and the highest."""
    means = tree.nodes.mean
    low, high = float(means.min()), float(means.max())
    return np.asarray((means - low) / ((high - low) or 1.0))


def branch_words(tree: Tree, node: int) -> str:
    """Return the test that leads to a node in words that fit a box; `all rows` for the root."""
    up = int(tree.nodes.parent[node])
    if up < 0:
        return "all rows"
    branch = tree.nodes.branches(up).tolist().index(node)
    return fitted(reachable(tree.schema, tree.nodes, up, branch), BRANCH)


def tree_svg(
    tree: Tree,
    most: int = MOST_BOXES,
    lit: Set[int] = frozenset(),
    spreads: Mapping[int, AskedColumn] | None = None,
) -> str:
    """Return the tree that is shown as SVG; at most `most` boxes, the rest is counted.

    lit: nodes to set off, by their numbers in the grown tree. spreads: how the rows of a node that is shown
    lie on the column it asks, where somebody knows.
    """
    shown, numbers = tree.shown, tree.shown_numbers.tolist()
    answers = None if tree.regression else node_answers(tree)
    places = mean_places(shown) if tree.regression else None
    drawn = drawn_nodes(shown, most)
    lines = dict(zip(drawn, node_lines(tree, answers, drawn), strict=True))
    place = {node: k for k, node in enumerate(drawn)}
    boxes = []
    for node in drawn:
        left = int(shown.nodes.end[node]) - node - 1 if node + 1 not in place else 0
        more = (f"… {left:,} more",) if left else ()
        counts = shown.rows[node]
        parts = bar_parts(counts / counts.sum()) if counts.sum() and places is None else ()
        if places is not None:  # the mean, on the range of all means
            parts = ((0, float(places[node])), (OTHERS, 1.0 - float(places[node])))
        boxes.append(
            Box(
                place.get(int(shown.nodes.parent[node]), -1),
                branch_words(shown, node),
                (*lines[node], *more),
                parts,
                float(shown.nodes.weight[node]) / (float(shown.nodes.weight[0]) or 1.0),
                -1 if answers is None else int(answers.label[node]),
                bool(shown.nodes.column[node] < 0),
                numbers[node] in lit,
                (spreads or {}).get(node) if not left else None,
                node_text(shown, node),
            )
        )
    labels = [class_words(plain(label)) for label in shown.schema.predicted.labels]
    name = plain(shown.schema.predicted.name)
    return tree_picture(boxes, labels, f"Decision tree for {name}", footnote(shown.schema, shown.nodes))


def drawn_nodes(tree: Tree, most: int, whole: bool = True) -> list[int]:
    """Return the nodes to draw, brothers together: whole depths first, or else the largest nodes wherever
    they are.
    """
    nodes, out = tree.nodes, {0}
    inner = np.flatnonzero(~nodes.leaf)
    depth = nodes.depth[inner] if whole else np.zeros(len(inner))
    for node in inner[np.lexsort((inner, -nodes.weight[inner], depth))].tolist():
        below = nodes.branches(node).tolist()
        if node in out and len(out) + len(below) <= max(most, 1 + len(below)):
            out |= set(below)
    return sorted(out)
