"""A tree as an SVG picture: boxes are nodes, the root on the left, lines are branches.

In this order: drawing boxes (`Box`, `tree_picture()`); a fitted tree as boxes (entry `tree_svg()`).
The page's viewer (`reports/assets/tree.js`) draws the same boxes by the same measures, so that a saved
picture and the page look alike. Laws: everything drawn is in the boxes it was given; leaves stand in their
order, from top to bottom; a part of a bar is as long as its share, and what is not drawn by class is one
grey part.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.svg import Svg, class_words, colour, cut, percent, width
from tallystick.model.conditions import fitted, footnote, plain_words, rows
from tallystick.tree.model import Tree
from tallystick.tree.nodes import SPREADS, STAYS
from tallystick.tree.view import node_text, test_to

BREAK = "\x1f"
WIDE, WIDEST, ROOM, GAP, PAD = 212.0, 344.0, 60.0, 12.0, 9.0  # of a box; of a question; between boxes; inside
HEAD, LINE, BAR, TALL = 15.0, 14.0, 9.0, 30.0  # a line of the question, of the words; the bar; the small bars
CELLS = 27  # letters of the question that fit into a line
LETTER, SMALL_LETTER = 6.3, 5.8  # about the width of a letter at 12 pixels, and at 11
THICK = 30.0  # a branch that all rows take
OTHERS, GREY = -1, "#c3c9d0"  # the classes that have no part of their own
MANY, LARGEST_DRAWN = 8, 5  # classes that have their own colours; with more, the largest of a box are drawn


@dataclass(frozen=True)
class AskedColumn:
    """How the rows of a box lie on the column it asks: one bar per range or value, parted by class.

    bars[k]: rows of each class of `classes` (OTHERS: the remaining ones). cuts: between which bars the
    question divides, as shares of the width. under: what stands under the bars. Where a value lies: between
    the `ends` of all bars, or in the bar that has its place in `values`.
    """

    column: str
    classes: tuple[int, ...]
    bars: tuple[tuple[float, ...], ...]
    cuts: tuple[float, ...] = ()
    under: tuple[str, ...] = ()
    ends: tuple[float, float] | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Box:
    """One node: the box it comes from (-1: none), the question's answer that leads to it, its lines of text.

    parts: (class, share) in the order of drawing. rows: its share of all rows. answer: the class ahead, whose
    colour the branch has. strong: a leaf, drawn with a full line. lit: on the way of the row that is
    explained. spread: the column it asks. hint: shown when the pointer rests on it.
    """

    parent: int
    branch: str
    lines: tuple[str, ...]
    parts: tuple[tuple[int, float], ...] = ()
    rows: float = 0.0
    answer: int = OTHERS
    strong: bool = False
    lit: bool = False
    spread: AskedColumn | None = None
    hint: str = ""

    @property
    def head(self) -> list[str]:
        """The branch in at most two lines."""
        return headed(self.branch, CELLS)

    @property
    def tall(self) -> float:
        """How high the box is."""
        small = LINE + TALL + (LINE if self.spread.under else 4.0) if self.spread else 0.0
        bar = BAR + 6 if self.parts else 0.0
        return 2 * PAD + HEAD * len(self.head) + small + bar + LINE * len(self.lines)


def bar_parts(shares: Sequence[float]) -> tuple[tuple[int, float], ...]:
    """Return the parts of a bar: every class, or of many the largest here and the others together."""
    every = [(k, float(share)) for k, share in enumerate(shares)]
    if len(every) > MANY:
        largest = sorted(every, key=lambda part: (-part[1], part[0]))[:LARGEST_DRAWN]
        every = [*largest, (OTHERS, max(0.0, float(sum(shares)) - sum(share for _, share in largest)))]
    return tuple(part for part in every if part[1] > 1e-12)


def tone(number: int) -> dict[str, Any]:
    """Return how a class is filled: its colour, paler where the colours come again; grey for the others."""
    if number < 0:
        return {"fill": GREY}
    return {"fill": colour(number), "opacity": 0.6 if (number // MANY) % 2 else None}


def headed(text: str, cells: int) -> list[str]:
    """Return a text in at most two lines of so many cells."""
    if width(text) <= cells:
        return [text] if text else []
    apart = textwrap.wrap(text.replace("_", f"_{BREAK} "), cells)  # a name may go on after an underscore
    lines = [line.replace(f"{BREAK} ", "").replace(BREAK, "") for line in apart]
    return [cut(lines[0], cells), cut(" ".join(lines[1:]), cells)] if len(lines) > 1 else lines


def tree_picture(boxes: Sequence[Box], legend: Sequence[str], title: str, note: str = "") -> str:
    """Return the tree as SVG; boxes stand in preorder. note: a footnote."""
    depth = [0] * len(boxes)
    for k, box in enumerate(boxes):
        depth[k] = depth[box.parent] + 1 if box.parent >= 0 else 0
    middle, height = _places(boxes)
    longest = max((width(line) for box in boxes for line in box.lines), default=0)
    box_wide = min(max(WIDE, 2 * PAD + SMALL_LETTER * longest), WIDEST)
    wide = max(2 * PAD + (box_wide + ROOM) * max(depth) + box_wide, 300.0)
    rows: list[list[tuple[int, str]]] = []  # of the legend: class and name
    used = wide
    for k, name in enumerate(legend if len(legend) <= MANY else ()):
        own = width(name) * LETTER + 30
        if not rows or (used and used + own > wide):
            rows.append([])
            used = 0.0
        rows[-1].append((k, name))
        used += own
    grey = "The largest classes of each group are drawn; grey: the others." if len(legend) > MANY else ""
    notes = [line for text in (grey, note) if text for line in textwrap.wrap(text, int(wide / LETTER))]
    svg = Svg(wide, height + 20 * len(rows) + LINE * len(notes) + PAD, title)
    lit, left = any(box.lit for box in boxes), [PAD + (box_wide + ROOM) * d for d in depth]
    for k, box in enumerate(boxes):
        if box.parent >= 0:
            _branch(svg, box, (left[k], middle[box.parent], middle[k]), lit)
    for k, box in enumerate(boxes):
        _box(svg, (left[k], middle[k] - box.tall / 2, box_wide), box)
    for n, row in enumerate(rows):
        at = PAD
        for k, name in row:
            svg.rect(at, height + 20 * n + 2, 12, 12, fill=colour(k))
            svg.text(at + 17, height + 20 * n + 12, name, 12)
            at += width(name) * LETTER + 30
    for n, line in enumerate(notes):
        svg.text(PAD, height + 20 * len(rows) + LINE * n + 10, line, 11)
    return str(svg)


def _places(boxes: Sequence[Box]) -> tuple[list[float], float]:
    """Return the middle of each box, and how high all is: a box beside the middle of its branches, each
    subtree in a strip of its own.
    """
    below: list[list[int]] = [[] for _ in boxes]
    for k, box in enumerate(boxes):
        if box.parent >= 0:
            below[box.parent].append(k)
    strip = [box.tall for box in boxes]
    inner = [0.0] * len(boxes)
    for k in range(len(boxes) - 1, -1, -1):
        inner[k] = sum(strip[b] for b in below[k]) + GAP * max(len(below[k]) - 1, 0)
        strip[k] = max(strip[k], inner[k])
    top, middle = [PAD] * len(boxes), [0.0] * len(boxes)
    for k in range(len(boxes)):
        at = top[k] + (strip[k] - inner[k]) / 2
        for b in below[k]:
            top[b], at = at, at + strip[b] + GAP
    for k in range(len(boxes) - 1, -1, -1):
        half = boxes[k].tall / 2
        own = top[k] + strip[k] / 2
        if below[k]:
            own = (middle[below[k][0]] + middle[below[k][-1]]) / 2
        middle[k] = float(np.clip(own, top[k] + half, top[k] + strip[k] - half))
    return middle, strip[0] + 2 * PAD


def _branch(svg: Svg, box: Box, at: tuple[float, float, float], lit: bool) -> None:
    x2, y1, y2 = at
    x1, half = x2 - ROOM, x2 - ROOM / 2
    svg.path(
        f"M{x1:.1f},{y1:.1f} C{half:.1f},{y1:.1f} {half:.1f},{y2:.1f} {x2:.1f},{y2:.1f}",
        stroke=colour(box.answer) if box.answer >= 0 else "#8a939c",
        stroke_width=max(1.5, THICK * box.rows) + (1 if box.lit else 0),
        opacity=0.8 if box.lit else 0.2 if lit else 0.5,
    )


def _box(svg: Svg, at: tuple[float, float, float], box: Box) -> None:
    left, top, wide = at
    inside, letters = wide - 2 * PAD, int((wide - 2 * PAD) / SMALL_LETTER)
    strong = box.strong or box.lit
    svg.rect(
        left,
        top,
        wide,
        box.tall,
        box.hint,
        rx=6,
        fill="#ffffff",
        stroke="#333333" if strong else "#999999",
        stroke_width=2.5 if box.lit else 1.5 if strong else 1,
    )
    y = top + PAD
    for line in box.head:
        svg.text(left + PAD, y + 11, line, 12, fill="#222222", font_weight="bold")
        y += HEAD
    if box.parts:
        at_x = left + PAD
        for number, share in box.parts:
            svg.rect(at_x, y + 1, share * inside, BAR, **tone(number))
            at_x += share * inside
        y += BAR + 6
    for line in box.lines:
        svg.text(left + PAD, y + 10, cut(line, letters), 11, fill="#222222")
        y += LINE
    if box.spread is not None:
        _spread(svg, (left + PAD, y, inside), box.spread)


def _spread(svg: Svg, at: tuple[float, float, float], spread: AskedColumn) -> None:
    """Draw the small bars under the name of their column, and lines where the question divides them."""
    left, top, wide = at
    foot = top + LINE + TALL
    svg.text(left, top + 10, cut(f"asks {spread.column}", int(wide / SMALL_LETTER)), 11, fill="#222222")
    each, most = wide / max(len(spread.bars), 1), max((sum(bar) for bar in spread.bars), default=0.0) or 1.0
    for k, bar in enumerate(spread.bars):
        up = foot
        for number, weight in zip(spread.classes, bar, strict=True):
            part = (TALL - 2) * weight / most
            if part > 0:
                svg.rect(left + each * k + 0.5, up - part, max(each - 1, 0.5), part, **tone(number))
            up -= part
    svg.line(left, foot, left + wide, foot, opacity=0.5, stroke="#222222")
    for share in spread.cuts:
        x = left + wide * share
        svg.line(x, top + LINE + 1, x, foot + 3, stroke="#222222", stroke_width=1.5)
    if spread.ends is not None and len(spread.under) == 2:
        svg.text(left, foot + 11, spread.under[0], 10, fill="#222222")
        svg.text(left + wide, foot + 11, spread.under[1], 10, fill="#222222", text_anchor="end")
    else:
        for k, word in enumerate(spread.under):
            svg.text(left + each * (k + 0.5), foot + 11, word, 10, fill="#222222", text_anchor="middle")


# ---- a fitted tree as boxes: the texts of each ----
#
# Law: a leaf's box shows the model's answer there (smoothed, weighted and averaged), and the share of its own
# rows in brackets; every other box shows the share of its rows.


MOST_BOXES = 63  # boxes of a picture; deeper branches are counted, not drawn
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

    def share_text(self, node: int) -> str:
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


def node_lines(tree: Tree, answers: NodeAnswers | None, node: int) -> tuple[str, ...]:
    """Return the words of a node of the tree that is shown; answers: None for a regression tree."""
    nodes, counts = tree.nodes, tree.rows[node]
    total = rows(nodes.counts[node].sum(), tree.unit)
    many = f"{total} {'row' if total == '1' else 'rows'}"
    if answers is None:
        return f"{nodes.mean[node]:.5g}", many
    label = int(answers.label[node])
    name = cut(class_words(plain_words(tree.schema.predicted.labels[label])), LABEL)
    own = percent(float(counts[label] / counts.sum())) if counts.sum() else ""
    if nodes.column[node] < 0:
        return f"{name} {answers.share_text(node)}", f"({own} of {many})" if own else f"({many})"
    out = [f"{many} · {name} {own}".rstrip()]
    if len(counts) > MANY and counts.sum():  # colours come again: the next classes by name
        labels = tree.schema.predicted.labels
        order = [c for c in np.argsort(-counts, kind="stable").tolist() if c != label and counts[c]][:2]
        names = [
            f"{cut(class_words(plain_words(labels[c])), 8)} {percent(float(counts[c] / counts.sum()))}"
            for c in order
        ]
        out.append(f"then {', '.join(names)}" if names else "no other class")
    if nodes.missing_branch[node] in (STAYS, SPREADS):
        lost = "go all ways" if nodes.missing_branch[node] == SPREADS else "end here"
        out.append(f"missing values {lost}")
    return tuple(out)


def mean_places(tree: Tree) -> NDArray[np.float64]:
    """Return where the mean of each node of a regression tree lies between the lowest and the highest."""
    means = tree.nodes.mean
    low, high = float(means.min()), float(means.max())
    return np.asarray((means - low) / ((high - low) or 1.0))


def branch_words(tree: Tree, node: int) -> str:
    """Return the test that leads to a node in words that fit a box; `all rows` for the root."""
    test = test_to(tree, node)
    return "all rows" if test is None else fitted(test, BRANCH)


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
                (*node_lines(shown, answers, node), *more),
                parts,
                float(shown.nodes.weight[node]) / (float(shown.nodes.weight[0]) or 1.0),
                -1 if answers is None else int(answers.label[node]),
                bool(shown.nodes.column[node] < 0),
                numbers[node] in lit,
                (spreads or {}).get(node) if not left else None,
                node_text(shown, node),
            )
        )
    labels = [class_words(plain_words(label)) for label in shown.schema.predicted.labels]
    name = plain_words(shown.schema.predicted.name)
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
