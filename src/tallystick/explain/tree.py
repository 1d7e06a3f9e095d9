"""Why a tree says what it says: the way of one row, the candidates of one node, what each column is worth.

Knows fitted trees and encoded cells. Knows nothing of learners, files or terminals.
Law: every number follows from the counts shown beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block
from tallystick.draw import text as lines
from tallystick.draw.charts import bar_chart
from tallystick.draw.svg import Picture, as_html
from tallystick.draw.tree import Box, tree_picture
from tallystick.errors import OptionError
from tallystick.explain.interval import mixture_interval
from tallystick.explain.tree_rows import arriving, in_branches
from tallystick.models.tree import SPREADS, STAYS, Candidates, Tree
from tallystick.models.tree.sentences import Condition, away, condition, number, plain, rows
from tallystick.models.tree.show import WIDEST, node_text
from tallystick.models.tree.walk import path

UNNAMED = ("one group of levels", "the other levels")  # only few levels, or the best five, are kept by name
MOST_BOXES = 63  # of a picture; deeper branches are counted, not drawn


@dataclass(frozen=True)
class Step:
    """One step of a row's way: the test at a node as a sentence that held, and the rows before and after it.

    weight: the probability that the answer comes from this node; 1 at the end of the way unless the tree
    averages.
    """

    node: int
    sentence: str
    counts: tuple[float, ...]
    shares: tuple[float, ...]
    weight: float
    mean: float | None = None  # of the response, in regression


@dataclass(frozen=True)
class TreeExplanation:
    """Why a row got its answer."""

    tree: Tree
    steps: tuple[Step, ...]
    answer: Any
    shares: tuple[float, ...]
    interval: tuple[float, float] | None
    spread: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data."""
        labels = _labels(self.tree)
        return {
            "answer": self.answer,
            "interval": None if self.interval is None else list(self.interval),
            "interval_method": "95 % of the beta posterior of the answer's share, equal tails",
            "shares": dict(zip(labels, self.shares, strict=True)) if labels else list(self.shares),
            "steps": [
                {"counts": list(s.counts), "mean": s.mean, "node": s.node, "sentence": s.sentence,
                 "shares": list(s.shares), "weight": s.weight}
                for s in self.steps
            ],
        }  # fmt: skip

    def __str__(self) -> str:
        labels = _labels(self.tree)
        averaged = self.tree.averaged is not None
        out = []
        if labels:
            out.append("Counts: " + ", ".join(plain(label) for label in labels))
        wide = max(len(s.sentence) for s in self.steps)
        for k, step in enumerate(self.steps):
            counts = " ".join(rows(n, 1) for n in step.counts)
            weight = f"  weight {step.weight:.3f}" if averaged else ""
            counts += " rows" if step.mean is not None else ""
            weight = f"  mean {step.mean:.6g}" if step.mean is not None else weight
            mark = "  " if not k else "→ "
            out.append(f"{mark}{step.sentence:<{wide}}  {counts}{weight}")
        if self.spread:
            out.append("A value is missing: the row goes down all branches in proportion to their rows.")
        if labels:
            parts = ", ".join(f"{plain(n)} {s:.3f}" for n, s in zip(labels, self.shares, strict=True))
            between = (
                f" (95 % between {self.interval[0]:.3f} and {self.interval[1]:.3f})" if self.interval else ""
            )
            how = "weighted by how probable each pruning is: " if averaged else ""
            out.append(f"Answer: {plain(self.answer)}{between}; {how}{parts}")
        else:
            out.append(f"Answer: {self.answer:.6g}")
        return "\n".join(out)

    def picture(self) -> Picture:
        """Return the tree with the row's way set off."""
        return Picture(tree_svg(self.tree, lit={s.node for s in self.steps}))

    def _repr_html_(self) -> str:
        return self.picture()


def explain_row(tree: Tree, cell: Callable[[int], Any], shares: NDArray[np.float64]) -> TreeExplanation:
    """Return the way of one row. cell(column): its value or code; shares[class]: what the tree answered."""
    way = path(tree.nodes, cell)
    averaged = tree.averaged
    steps: list[Step] = []
    sentence = "all rows"
    for node, branch in way:
        ends = 1.0 if branch < 0 else 0.0
        weight = ends
        if averaged is not None:
            weight = float(averaged.reach[node] * (1.0 if ends else averaged.ends[node]))
        counts = tree.rows[node]
        total = counts.sum()
        shares_here = tuple((counts / total).tolist()) if total else ()
        mean = float(tree.nodes.mean[node]) if tree.regression else None
        steps.append(Step(node, sentence, tuple(counts.tolist()), shares_here, weight, mean))
        if branch >= 0:
            missing = _is_away(tree, node, cell)
            test = condition(tree.schema, tree.nodes, node, branch)
            sentence = (
                f"{plain(test.column.name)} is missing or unseen"
                if missing
                else _sentence(test, cell, tree, node)
            )
    spread = way[-1][1] == SPREADS
    if tree.regression:
        return TreeExplanation(tree, tuple(steps), float(shares[0]), tuple(shares.tolist()), None, spread)
    best = int(tree.decide(shares[None, :])[0])
    between = None if spread else _interval(tree, steps, best)
    answer = _labels(tree)[best]
    return TreeExplanation(tree, tuple(steps), answer, tuple(shares.tolist()), between, spread)


def _is_away(tree: Tree, node: int, cell: Callable[[int], Any]) -> bool:
    """Tell whether the row has no known value for the test."""
    value = cell(int(tree.nodes.column[node]))
    if tree.nodes.cut[node] == tree.nodes.cut[node]:
        return bool(np.isnan(value))
    return int(value) >= len(tree.nodes.levels(node))


def _sentence(test: Condition, cell: Callable[[int], Any], tree: Tree, node: int) -> str:
    """Return the test that held, with the row's own value: `petalwidth < 0.8 (0.2)`."""
    value = cell(int(tree.nodes.column[node]))
    text = test.sentence(WIDEST, missing=False)
    if test.levels is None:
        return f"{text} ({number(float(value), test.column)})"
    return text if len(test.levels) == 1 else f"{text} ({plain(test.column.levels[int(value)])})"


def _interval(tree: Tree, steps: list[Step], best: int) -> tuple[float, float]:
    """Return the 95 % interval of the answer's share: each node of the way gives a beta distribution.

    Its parameters are the node's rows of and not of the class plus the smoothing; without smoothing half a
    row each.
    """
    a = tree.answers.smoothing
    plus = (a * float(tree.base[best]), a * (1 - float(tree.base[best]))) if a > 0 else (0.5, 0.5)
    parts = [
        (s.weight, s.counts[best] + plus[0], sum(s.counts) - s.counts[best] + plus[1])
        for s in steps
        if s.weight > 0
    ]
    return mixture_interval(parts)


def _labels(tree: Tree) -> tuple[str, ...]:
    return tree.schema.target.labels if tree.schema.target else ()


# -- the candidates of a node --


@dataclass(frozen=True)
class Candidate:
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
    """All candidate splits of one node, the best first."""

    tree: Tree
    node: int
    candidates: tuple[Candidate, ...]

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
            "node": self.node,
        }

    _repr_html_ = as_html

    def __str__(self) -> str:
        labels = _labels(self.tree)
        out = [f"Node {self.node}: {node_text(self.tree, self.node)}"]
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


def _bars(counts: tuple[float, ...]) -> str:
    """Return one small bar per class, as high as its share of the branch."""
    total = sum(counts)
    return "".join(lines.HEIGHTS[min(7, int(8 * n / total))] if n else "·" for n in counts) if total else ""


def splits(tree: Tree, node: int = 0, block: Block | None = None, most: int | None = None) -> Splits:
    """Return every candidate split of a node of the tree that is shown, or the best `most` of them.

    Rows of branches that were not kept with the candidates are counted from the training rows (`block`).
    """
    tree = tree.shown
    if not 0 <= node < len(tree.nodes):
        raise OptionError(f"node {node} is not there: the tree has nodes 0 to {len(tree.nodes) - 1}.")
    found = tree.all_candidates
    if found is None:
        raise OptionError("this tree was fitted without its candidate splits. Fit it again.")
    last = found.start[node + 1] if most is None else min(found.start[node] + most, found.start[node + 1])
    every = range(found.start[node], last)
    made = [_candidate(tree, node, found, c) for c in every]
    if block is not None and not all(c.counts for c in made):
        parts = arriving(tree, node, block)
        made = [
            m if m.counts else _counted(tree, found, c, m, block, parts)
            for c, m in zip(every, made, strict=True)
        ]
    return Splits(tree, node, tuple(made))


def _counted(
    tree: Tree, found: Candidates, c: int, made: Candidate, block: Block, parts: NDArray[np.float64]
) -> Candidate:
    """Return a candidate with the rows of its branches, counted from the training rows."""
    column, groups = tree.schema.used[int(found.column[c])], found.groups(c)
    counts, means = in_branches(tree, column, float(found.cut[c]), groups, block, parts)
    return replace(made, counts=counts, means=means)


def _candidate(tree: Tree, node: int, found: Candidates, c: int) -> Candidate:
    column = tree.schema.used[int(found.column[c])]
    cut = float(found.cut[c])
    groups = found.groups(c)
    if cut == cut:
        tests = [Condition(column, high=cut), Condition(column, low=cut)]
    else:
        tests = [
            Condition(column, levels=tuple(np.flatnonzero(groups == b).tolist()))
            for b in range(int(groups.max(initial=-1)) + 1)
        ]
    named = tuple(t.sentence(WIDEST) for t in tests) or UNNAMED
    at = slice(int(found.count_start[c]), int(found.count_start[c + 1]))
    own = float(tree.nodes.cut[node])
    chosen = int(found.column[c]) == int(tree.nodes.column[node]) and (
        own == cut or (own != own and cut != cut)
    )
    counts, means = found.counts[at], found.mean[at] if len(found.mean) else np.empty(0)
    if chosen and not len(counts):
        below = tree.nodes.branches(node)
        counts, means = tree.nodes.counts[below], tree.nodes.mean[below] if tree.regression else means
    return Candidate(
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
    0.

    When the answers are averaged, each test counts with the probability that it is used.
    """
    nodes = tree.nodes
    inner = np.flatnonzero(nodes.column >= 0)
    worth = np.maximum(nodes.gain[inner], 0) * (nodes.weight[inner] / nodes.weight[0])
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
        return self.picture()

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


def column_use(tree: Tree) -> ColumnUse:
    """Return importance and usage of every column."""
    names = tuple(c.name for c in tree.schema.used)
    return ColumnUse(names, tuple(importances(tree).tolist()), tuple(usage(tree).tolist()))


# -- the picture --


def tree_svg(tree: Tree, most: int = MOST_BOXES, lit: set[int] | None = None) -> str:
    """Return the tree that is shown as SVG; at most `most` boxes, the rest is counted."""
    if lit and tree.averaged is not None:  # the numbers are those of the grown tree
        _, kept = tree.nodes.cut_back(tree.averaged.best)
        lit = {k for k, node in enumerate(kept.tolist()) if node in lit}
    tree = tree.shown
    drawn = _drawn(tree, most)
    place = {node: k for k, node in enumerate(drawn)}
    boxes = [_box(tree, node, place, lit or set()) for node in drawn]
    labels = [plain(label) for label in _labels(tree)]
    name = plain(tree.schema.target.name) if tree.schema.target else ""
    return tree_picture(boxes, labels, f"Decision tree for {name}")


def _drawn(tree: Tree, most: int) -> list[int]:
    """Return the nodes to draw: whole depths, largest nodes first, brothers together."""
    nodes = tree.nodes
    drawn = {0}
    for node in sorted(
        np.flatnonzero(~nodes.leaf).tolist(), key=lambda n: (nodes.depth[n], -nodes.weight[n], n)
    ):
        below = nodes.branches(node).tolist()
        if node in drawn and len(drawn) + len(below) <= max(most, 1 + len(below)):
            drawn |= set(below)
    return sorted(drawn)


def _shortened(sentence: str, name: str, cells: int) -> str:
    """Return a sentence that fits; its column's name gives way first, for the rest tells branches apart."""
    rest = sentence.removeprefix(name)
    if lines.width(sentence) > cells and rest != sentence:
        sentence = lines.cut(name, max(10, cells - lines.width(rest))) + rest
    return lines.cut(sentence, cells)


def _box(tree: Tree, node: int, place: dict[int, int], lit: set[int]) -> Box:
    nodes = tree.nodes
    up = int(nodes.parent[node])
    branch = ""
    if up >= 0:
        k = nodes.branches(up).tolist().index(node)
        test = condition(tree.schema, nodes, up, k)
        sentence = _shortened(test.sentence(20, missing=False), plain(test.column.name), 34)
        branch = sentence + (" or missing" if test.missing else "")
    ends = nodes.column[node] < 0
    total = rows(nodes.counts[node].sum(), tree.unit)
    counts = tree.rows[node]
    shares = tuple((counts / counts.sum()).tolist()) if counts.sum() and not tree.regression else ()
    words = []
    if tree.regression:
        words.append(f"{nodes.mean[node]:.5g}")
    else:
        best = int(tree.labels[node])
        words.append(lines.cut(plain(_labels(tree)[best]), 24))
    share = f", {int(100 * max(shares))}%" if shares else ""  # 100% only where it is all of them
    words.append(f"{total} {'row' if total == '1' else 'rows'}{share}")
    if not ends and node + 1 not in place:
        words.append(f"… {int(nodes.end[node]) - node - 1} more")
    elif not ends and nodes.missing_branch[node] in (STAYS, SPREADS):
        words.append(lines.cut(away(nodes, node), 30))
    return Box(
        place.get(up, -1), branch, tuple(words), shares, bool(ends), node in lit, node_text(tree, node)
    )
