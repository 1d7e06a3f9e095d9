"""A tree as lines of text (entry `show()`): a line per branch with counts and shares; and `Certificate`.

Law: every share printed is that of the answer in the counts printed beside it; where that need not be the
largest (class weights, costs) the heading says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.errors import page_limit
from tallystick.model.conditions import (
    Condition,
    away,
    fitted,
    footnote,
    number,
    plain_words,
    reachable,
    rows,
)
from tallystick.tree.nodes import SPREADS

if TYPE_CHECKING:
    from tallystick.tree.model import Tree


MOST_CLASSES = 5  # with more, only the largest counts of a node are shown
WIDEST = 60  # letters of a list of levels
CELLS, LEAST = 80, 22  # letters of a line, and those that a test gets at least
TEXT_ENDS, GOES_ON = (
    {3: "└─ ", 2: "└ ", 1: "└"},
    {3: "├─ ", 2: "├ ", 1: "├"},
)  # by how far a level is indented
SHOWN_AS = {
    "answers": "Shown is the smallest pruning of a {} that gives the averaged answers.",
    "grown": "Shown is the {}, whose leaves need not answer as the average does.",
}


def show(tree: Tree, most: int = 200, nodes: bool = False) -> str:
    """Return the tree in lines: a heading, the root, and one line per branch (at most `most`).

    nodes: with the number of each node in front, in an averaged tree its number in the grown tree.
    """
    picture = tree.shown
    lines = heading(tree)
    shown = min(len(picture.nodes), page_limit(most))
    widths = []
    if not tree.regression:
        counts = picture.nodes.counts
        widths = [max(len(rows(n, tree.unit)) for n in counts[:, k]) for k in range(counts.shape[1])]
    each = [node_text(picture, node, widths) for node in range(shown)]
    # where a line would be longer than CELLS, deep tests are indented less and long ones shortened
    room = CELLS - 2 - max((len(text) for text in each), default=0)
    texts = _indented(picture, shown, 3, 0)
    if max((len(text) for text in texts), default=0) > room:
        deepest = int(picture.nodes.depth[:shown].max())
        step = next((s for s in (3, 2) if s * deepest + LEAST <= room), 1)
        texts = _indented(picture, shown, step, max(room, LEAST + step * deepest))
    body = list(zip(texts, each, strict=True))
    if nodes:
        last = len(str(tree.shown_numbers[-1]))
        numbers = tree.shown_numbers[: len(body)].tolist()
        body = [(f"{n:>{last}}  {text}", counts) for n, (text, counts) in zip(numbers, body, strict=False)]
    wide = max((len(text) for text, _ in body), default=0)
    lines += [f"{text:<{wide}}  {counts}".rstrip() for text, counts in body]
    left = len(picture.nodes) - len(body)
    if left > 0:
        more = f"{left:,} more {'branch' if left == 1 else 'branches'}"
        lines.append(f"… and {more}; tree.show(most={len(picture.nodes)}) tells all.")
    if note := footnote(tree.schema, picture.nodes):
        lines.append(note)
    return "\n".join(lines)


def heading(tree: Tree) -> list[str]:
    """Return the lines above the root: what is answered, from how many rows, how big, how right."""
    picture, target = tree.shown, tree.schema.target
    nodes = picture.nodes
    name = plain_words(target.name) if target else ""
    total = picture.rows[0].sum()
    size = f"{count(nodes.leaves, 'leaf')}, {count(len(nodes), 'node')}, depth {int(nodes.depth.max())}"
    of_this = " of this tree" if tree.averaged is not None else ""
    lines = [f"Tree for {name}: {count(total, 'row')}, {size}, {_right(picture, of_this)}"]
    if tree.averaged is not None:
        share = float(np.exp(tree.averaged.log_best))
        sure = f"probability {share:.3g}" if share >= 0.001 else "one of very many, none of them probable"
        grown = f"grown tree of {count(tree.nodes.leaves, 'leaf')}"
        if tree.shown_as == "probable":
            lines.append(f"It is the most probable pruning ({sure}) of a {grown}.")
        else:
            lines.append(
                f"The most probable pruning ({sure}) is the root alone: {count(total, 'row')} do not prove "
                f"that any test helps. {SHOWN_AS[tree.shown_as].format(grown)}"
            )
        lines.append(f"Answers are averaged over all prunings: {_right(tree, ' of the averaged answers')}")
    elif tree.of_truth_table and nodes.leaves > 1:
        lines.append(
            "Its leaves answer, not an average over prunings: no leaf has two classes, and there are as many "
            "rows as combinations of levels."
        )
    # why the answer need not be the class of most rows
    if (weights := tree.answers.weights) is not None:
        what = "All rows of a class together count" if weights.by_share else "A row counts by its class"
        labels = tree.schema.predicted.labels
        each = [f"{plain_words(n)} {w:.6g}" for n, w in zip(labels, weights.weights, strict=True)]
        some = ", ".join([*each[:MOST_CLASSES], *(["…"] if len(each) > MOST_CLASSES else [])])
        lines.append(
            f"{what} ({some}), so that a class of fewer rows can be the answer; the counts and shares below "
            "are of rows that count equally."
        )
    if tree.decision is not None:
        lines.append(f"The answer is {plain_words(str(tree.decision))}.")
    elif tree.answers.costs:
        lines.append("The answer is the class of the least expected cost; it can be a class of fewer rows.")
    if tree.certificate is not None:
        lines.append(f"Certificate: {tree.certificate}")
    if target and not tree.regression and len(target.labels) <= MOST_CLASSES:
        lines.append("Counts: " + ", ".join(plain_words(label) for label in target.labels))
    if _spreads(picture):
        lines.append(f"At every test {away(nodes, 0)}.")
    return lines


def count(number: float, what: str) -> str:
    """Return `1 leaf`, `2 leaves`, `1,000 rows`."""
    many = "leaves" if what == "leaf" else f"{what}s"
    return f"{rows(number, 1)} {what if number == 1 else many}"


def _right(tree: Tree, whose: str) -> str:
    """Return how well the leaves answer the training rows."""
    total, wrong = tree.rows[0].sum(), tree.training_error()
    if tree.regression:
        root = float(tree.nodes.deviance[0])
        return f"training MSE {wrong / total:.6g}, R² {1 - wrong / root if root else 0.0:.4f}"
    if tree.answers.costs:
        return f"training cost{whose} {wrong:.6g} ({wrong / total:.4f} per row)"
    return f"training accuracy{whose} {1 - wrong / total:.4f} ({rows(total - wrong, 1)} of {rows(total, 1)})"


def test_to(tree: Tree, node: int) -> Condition | None:
    """Return the test that leads to a node; None of the root."""
    up = int(tree.nodes.parent[node])
    if up < 0:
        return None
    return reachable(tree.schema, tree.nodes, up, tree.nodes.branches(up).tolist().index(node))


def _indented(tree: Tree, count: int, step: int, room: int) -> list[str]:
    """Return the tests of the first nodes, each level `step` further in. room: of a line, 0: any."""
    nodes, spreads = tree.nodes, _spreads(tree)
    spaces: list[str] = [""] * len(nodes)
    out = []
    for node in range(count):
        text, test = "all rows", test_to(tree, node)
        if test is not None:
            up = int(nodes.parent[node])
            last = node == int(nodes.branches(up)[-1])
            text = spaces[up] + (TEXT_ENDS[step] if last else GOES_ON[step])
            text += fitted(test, room - len(text)) if room else test.sentence(WIDEST)
            spaces[node] = spaces[up] + ("   " if last else "│  ")[:step]
        if nodes.column[node] >= 0 and nodes.missing_branch[node] < 0 and not spreads:
            text += f" ({away(nodes, node)})"
        out.append(text)
    return out


def _spreads(tree: Tree) -> bool:
    """Tell whether missing values go down all branches at every test; then it is said once."""
    ways = tree.nodes.missing_branch[tree.nodes.column >= 0]
    return len(ways) > 0 and bool((ways == SPREADS).all())


def node_text(tree: Tree, node: int, widths: list[int] | None = None) -> str:
    """Return counts and answer of one node: `50 0 0 → setosa 1.000`; a test has no arrow."""
    nodes, target = tree.nodes, tree.schema.predicted
    arrow = "→" if nodes.column[node] < 0 else " "
    weight = nodes.counts[node].sum()
    if tree.regression:
        spread = float(np.sqrt(nodes.deviance[node] * tree.unit / weight)) if weight else 0.0
        mean = number(float(f"{nodes.mean[node]:.6g}"))
        wide = len(rows(nodes.counts[0].sum(), tree.unit)) if widths is not None else 0
        return f"{rows(weight, tree.unit):>{wide}} rows {arrow} {mean} ± {spread:.4g}"
    counts = nodes.counts[node]
    best = int(tree.labels[node])
    share = counts[best] / weight if weight else 0.0
    answer = f"{arrow} {plain_words(target.labels[best])}" + (f" {share:.3f}" if weight else "")
    if len(counts) <= MOST_CLASSES:
        widths = widths or [0] * len(counts)
        shown = " ".join(f"{rows(n, tree.unit):>{w}}" for n, w in zip(counts, widths, strict=True))
        return f"{shown} {answer}"
    order = np.argsort(-counts, kind="stable")[:3]
    parts = [f"{plain_words(target.labels[k])} {rows(counts[k], tree.unit)}" for k in order if counts[k]]
    rest = weight - counts[order].sum()
    if rest:
        parts.append(f"others {rows(rest, tree.unit)}")
    return f"{rows(weight, tree.unit)} rows {answer} ({', '.join(parts)})" if weight else f"0 rows {answer}"


# ---- the certificate of an optimal tree ----
#
# Law: `bound` holds for every tree within the limits, whether the search was cut off or not.


ENDS = ("proven", "max_work", "seconds", "interrupted")


@dataclass(frozen=True)
class Certificate:
    """found, bound: training loss plus `leaf_price` for each leaf, of this tree and at least of any other.

    measure: what the loss counts: errors, weighted errors (class weights) or cost (costs). max_depth,
    max_leaf_nodes: which trees are meant, None without such a limit. loss, leaves: of this tree. ended: how
    the search ended. work: how much it took, in rows times columns looked at.
    """

    measure: str
    max_depth: int | None
    max_leaf_nodes: int | None
    leaf_price: float
    loss: float
    leaves: int
    found: float
    bound: float
    ended: str
    work: int

    @property
    def proven(self) -> bool:
        """Whether no tree is better."""
        return self.bound >= self.found

    @property
    def gap(self) -> float:
        """How much better another tree might be."""
        return max(self.found - self.bound, 0.0)

    @property
    def reproducible(self) -> bool:
        """Whether another run must give this tree: a clock or an interrupt did not end the search."""
        return self.ended in ("proven", "max_work")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; `from_dict` reads the fields alone."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Certificate:
        """Return the certificate of checked plain data."""
        return cls(**{f.name: data[f.name] for f in fields(cls)})

    @property
    def trees(self) -> str:
        """Which trees are meant, in words: `tree of depth 3`."""
        few = "" if self.max_leaf_nodes is None else f"at most {count(self.max_leaf_nodes, 'leaf')}"
        deep = "" if self.max_depth is None else f"depth {self.max_depth}"
        return "tree of " + (f"{deep} and {few}" if deep and few else deep or few)

    def __str__(self) -> str:
        makes, fewer = ("costs", "less") if self.measure == "cost" else ("makes", "fewer")
        what = "" if self.measure == "cost" else f" {self.measure}"
        own = f"{in_short(self.found)}"
        price = ""
        if self.leaf_price:
            price = f" with {in_short(self.leaf_price)} added for each leaf"
            own += f" ({in_short(self.loss)} and {count(self.leaves, 'leaf')})"
        least = f"no {self.trees} {makes} {fewer} than {in_short(self.bound)}{what}{price}"
        first = f"{least}; this one {makes} {own}"
        if self.proven:
            return first + "."
        why = {"max_work": "at max_work", "seconds": "by the clock", "interrupted": "by hand"}[self.ended]
        return f"{first}. The search was stopped {why}: at most {in_short(self.gap)} can still be gained."


def in_short(value: float) -> str:
    """Return a number as people write it."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.6g}"
