"""Why a tree is as it is: the candidates of one node, what each column is worth, the picture.

Knows fitted trees and encoded cells. Knows nothing of learners, files or terminals.
Law: every number follows from the counts shown beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.draw import text as lines
from tallystick.draw.charts import bar_chart
from tallystick.draw.notebook import framed
from tallystick.draw.svg import Picture, as_html
from tallystick.errors import OptionError
from tallystick.explain.tree_rows import BranchTest, _cells, arriving, in_branches
from tallystick.learners.criteria import CRITERIA, VARIANCE
from tallystick.models.tree import Candidates, Tree
from tallystick.models.tree.sentences import (
    missing_alone,
    plain,
    reachable,
    rows,
    tested,
)
from tallystick.models.tree.text import WIDEST, node_text

UNNAMED = ("one group of levels", "the other levels")  # only few levels, or the best five, are kept by name


def _labels(tree: Tree) -> tuple[str, ...]:
    return tree.schema.predicted.labels


@dataclass(frozen=True)
class CandidateTest:
    """A split that could have been made: the test of each branch and the rows it would take."""

    column: str
    tests: tuple[str, ...]
    gain: float
    ratio: float
    counts: tuple[tuple[float, ...], ...]
    means: tuple[float, ...]
    chosen: bool


@dataclass(frozen=True)
class Splits:
    """All candidate splits of one node, the best first. measures: what each number is, in words. alike: the
    columns, where rows of several classes have one value in each of them, so that no split gains anything.
    """

    tree: Tree
    node: int
    candidates: tuple[CandidateTest, ...]
    measures: tuple[tuple[str, str], ...] = ()
    alike: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the candidates as plain data."""
        return {
            "candidates": [
                {
                    "branches": [
                        {"counts": list(n), "test": t} for t, n in zip(c.tests, c.counts, strict=False)
                    ],
                    "chosen": c.chosen,
                    "column": c.column,
                    "gain": c.gain,
                    "gain_ratio": None if c.ratio != c.ratio else c.ratio,
                }
                for c in self.candidates
            ],
            "measures": dict(self.measures),
            "node": self.node,
        }

    _repr_html_ = as_html

    def _untried(self) -> list[str]:
        """Return why no test was tried: a table of zeros, where the rows are alike in every column."""
        if not self.alike:
            return ["No test was tried here."]
        names = [plain(name) for name in self.alike]
        wide = max([6, *map(lines.width, names)])
        head = "No test was tried here: the rows have one value in every column, and nothing parts them."
        table = [f"  {lines.padded(name, wide)}  0" for name in names]
        return [head, f"  {lines.padded('column', wide)}  gain", *table]

    def __str__(self) -> str:
        labels = _labels(self.tree)
        out = [f"Node {self.node}{_named(self.tree, self.node)}: {node_text(_by_leaf(self.tree), self.node)}"]
        if not self.candidates:
            return "\n".join([*out, *self._untried()])
        out += [f"{name}: {text}" for name, text in self.measures]
        if labels:
            out.append("Bars: " + ", ".join(plain(label) for label in labels))
        for c in self.candidates:
            ratio = f", gain ratio {c.ratio:.4f}" if c.ratio == c.ratio else ""
            mark = "→" if c.chosen else " "
            out.append(f"{mark} {plain(c.column)}: gain {c.gain:.4f}{ratio}")
            wide = max((lines.width(t) for t in c.tests), default=0)
            for k, (test, counts) in enumerate(zip(c.tests, c.counts, strict=False)):
                shown = " ".join(rows(n, 1) for n in counts)
                mean = f"mean {c.means[k]:.6g}" if c.means else _bars(counts)
                out.append(f"    {lines.padded(test, wide)}  {mean}  {shown}")
        return "\n".join(out)

    __repr__ = __str__


def _bars(counts: tuple[float, ...]) -> str:
    """Return one small bar per class, as high as its share of the branch."""
    total = sum(counts)
    return "".join(lines.HEIGHTS[min(7, int(8 * n / total))] if n else "·" for n in counts) if total else ""


def _named(tree: Tree, node: int) -> str:
    """Return which tree is meant, where there are two, and the test that leads to the node."""
    grown = " of the grown tree" if tree.averaged is not None else ""
    up = int(tree.nodes.parent[node])
    if up < 0:
        return grown
    test = reachable(tree.schema, tree.nodes, up, tree.nodes.branches(up).tolist().index(node))
    return f"{grown} ({test.sentence(WIDEST)})"


def _by_leaf(tree: Tree) -> Tree:
    """Return the tree that answers by its own counts."""
    return tree if tree.averaged is None else replace(tree, answers=replace(tree.answers, average=False))


def measures(criterion: str | None, cut_price: float, groups: bool = False) -> tuple[tuple[str, str], ...]:
    """Say what gain and gain ratio are under a criterion (None: regression), and which is chosen.

    groups: some column may be split into groups of three or more levels, missing being one where cuts have a
    price.
    """
    wins = "; the largest is chosen"
    if groups:
        wins += ", less the price of naming groups of three or more levels"
    if criterion is None:
        return (("gain", VARIANCE + wins),)
    gain = CRITERIA[criterion].gain
    top = "gain"
    if cut_price > 0:
        top = (
            "(gain less, where values have an order, the price of choosing among n cuts, "
            f"{cut_price:g}·log2(n)/rows)"
        )
    ratio = f"{top} / split information, the entropy of the branches' sizes"
    if not CRITERIA[criterion].by_ratio:
        return ("gain", gain + wins), ("gain ratio", ratio)
    priced = " less price" if cut_price > 0 else ""
    return ("gain", gain), ("gain ratio", f"{ratio}{wins} of columns with at least average gain{priced}")


def splits(
    tree: Tree, node: int = 0, table: Callable[[], Table] | None = None, most: int | None = None
) -> Splits:
    """Return every candidate split of a node, or the best `most` of them; nodes have the grown tree's
    numbers.

    Rows of branches that were not kept with the candidates are counted from the training rows (`table()`).
    """
    if not 0 <= node < len(tree.nodes):
        raise OptionError(
            f"node {node} is not there: the tree has nodes 0 to {len(tree.nodes) - 1}. "
            "show(nodes=True) prints their numbers."
        )
    found = tree.candidates_of(np.array([node]))
    if found is None:
        raise OptionError("this tree was fitted without its candidate splits. Fit it again.")
    every = range(len(found.column))[:most]
    made = [_candidate(tree, node, found, c) for c in every]
    bare = [i for i, one in enumerate(made) if not one.counts]
    if table is not None and bare:
        tests = [_test_of(tree, found, every[i]) for i in bare]
        for i, (counts, means) in zip(bare, in_branches(tree, node, tests, table()), strict=True):
            made[i] = replace(made[i], counts=counts, means=means)
    alike = () if made or table is None else _alike(tree, node, table())
    return Splits(tree, node, tuple(made), alike=alike)


def _alike(tree: Tree, node: int, table: Table) -> tuple[str, ...]:
    """Return the columns, where the rows of a node are of several classes and have one value in each column;
    nothing where they are not, or are not here.
    """
    if tree.regression or table.place != "memory" or any(c.kind == "text" for c in tree.schema.used):
        return ()
    block = table.slice(0, table.rows)
    here = arriving(tree, node, block, 1.0) > 0
    assert block.classes is not None
    if len(np.unique(block.classes[here])) < 2:
        return ()
    if any(len(np.unique(_cells(column, block)[here])) > 1 for column in tree.schema.used):
        return ()
    return tuple(column.name for column in tree.schema.columns)


def _test_of(tree: Tree, found: Candidates, c: int) -> BranchTest:
    return BranchTest(tree.schema.used[int(found.column[c])], float(found.cut[c]), found.groups(c))


def _candidate(tree: Tree, node: int, found: Candidates, c: int) -> CandidateTest:
    column = tree.schema.used[int(found.column[c])]
    cut = float(found.cut[c])
    groups = found.groups(c)
    own = float(tree.nodes.cut[node])
    chosen = int(found.column[c]) == int(tree.nodes.column[node]) and (
        own == cut or (own != own and cut != cut)
    )
    alone = missing_alone(cut, groups)
    every = 2 if alone or cut == cut else int(groups.max(initial=-1)) + 1
    each = chosen and 0 < every < int(tree.nodes.n_children[node])  # missing rows have the last branch
    lost = 1 if alone else every if each else -1  # the branch that only missing rows take
    tests = [tested(column, cut, groups, b, b == lost) for b in range(every + each)]
    named = tuple(t.sentence(WIDEST) for t in tests) or UNNAMED
    at = slice(int(found.count_start[c]), int(found.count_start[c + 1]))
    counts, means = found.counts[at], found.mean[at] if len(found.mean) else np.empty(0)
    if chosen and not len(counts):
        below = tree.nodes.branches(node)
        counts, means = tree.nodes.counts[below], tree.nodes.mean[below] if tree.regression else means
    return CandidateTest(
        column.name,
        named,
        float(found.gain[c]),
        float(found.ratio[c]),
        tuple(tuple(n) for n in (counts / tree.unit).tolist()),
        tuple(means.tolist()),
        chosen,
    )


# -- columns --


def importances(tree: Tree) -> NDArray[np.float64]:
    """Return the share of each column in all gain: sum of (gain · rows) over its tests; sums to 1 or is all
    0. Rows count as in the criterion: with the weights of their classes and the costs of their errors.

    When the answers are averaged, each test counts with the probability that it is used.
    """
    nodes = tree.nodes
    inner = np.flatnonzero(nodes.column >= 0)
    worth = np.maximum(nodes.gain[inner], 0) * (tree.heavy[inner] / tree.heavy[0])
    if tree.averaged is not None:
        worth = worth * tree.averaged.reach[inner] * (1 - tree.averaged.ends[inner])
    out = np.zeros(len(tree.schema.used))
    np.add.at(out, nodes.column[inner], worth)
    total = out.sum()
    return out / total if total > 0 else out


def usage(tree: Tree) -> NDArray[np.float64]:
    """Return the share of the training rows that meet a test of each column (C5.0's attribute usage)."""
    tree = tree.shown
    nodes = tree.nodes
    out = np.zeros(len(tree.schema.used))
    asked: list[frozenset[int]] = []  # columns asked above each node
    for node in range(len(nodes)):
        up = int(nodes.parent[node])
        above = asked[up] | {int(nodes.column[up])} if up >= 0 else frozenset()
        asked.append(above)
        column = int(nodes.column[node])
        if column >= 0 and column not in above:
            out[column] += nodes.weight[node] / nodes.weight[0]
    return out


@dataclass(frozen=True)
class ColumnUse:
    """What each column is worth to a tree, and how often it is asked."""

    columns: tuple[str, ...]
    importance: tuple[float, ...]
    usage: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return both as plain data."""
        return {
            name: {"importance": i, "usage": u}
            for name, i, u in zip(self.columns, self.importance, self.usage, strict=True)
        }

    def picture(self) -> Picture:
        """Return the importance of each column as bars, the largest first."""
        order = sorted(range(len(self.columns)), key=lambda j: (-self.importance[j], self.columns[j]))
        bars = [(self.columns[j], self.importance[j]) for j in order if self.importance[j] > 0]
        return Picture(bar_chart(bars, "share of all gain", "importance of columns"))

    def _repr_html_(self) -> str:
        return framed(self.picture(), text=str(self))

    def __str__(self) -> str:
        order = sorted(
            range(len(self.columns)), key=lambda j: (-self.importance[j], -self.usage[j], self.columns[j])
        )
        wide = max(6, *(lines.width(lines.clean(c)) for c in self.columns))
        out = [f"{'column':<{wide}}  importance                 asked of"]
        for j in order:
            if self.usage[j] > 0 or self.importance[j] > 0:
                bar = lines.padded(lines.bar(self.importance[j], 20), 20)
                name = lines.padded(lines.clean(self.columns[j]), wide)
                out.append(f"{name}  {self.importance[j]:.3f} {bar} {self.usage[j]:6.1%} of rows")
        return "\n".join(out)

    __repr__ = __str__


def column_use(tree: Tree) -> ColumnUse:
    """Return importance and usage of every column."""
    names = tuple(c.name for c in tree.schema.used)
    return ColumnUse(names, tuple(importances(tree).tolist()), tuple(usage(tree).tolist()))
