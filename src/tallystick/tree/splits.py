"""Reports on a fitted tree: prunings, differences of two trees, errors, candidate splits, use of columns.

In this order: `PruningPath`, the nested prunings with sizes and errors; `TreesBeside`, a grown tree beside
the best one (`beside()`); `TreeErrors`, in training and on held-out rows; rows in the branches of a
candidate split (`in_branches()`); `Splits`, the candidates of one node (`splits()`); columns:
`importances()`, `column_use()`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import errors
from tallystick.contracts import Block, Table
from tallystick.draw import svg
from tallystick.draw.charts import bar_chart, line_chart
from tallystick.draw.svg import Picture, as_html, framed
from tallystick.errors import OptionError, counted
from tallystick.model.conditions import missing_alone, plain_words, rows, tested
from tallystick.schema import CODED, Column
from tallystick.table.table import LocalTable
from tallystick.tree.model import Tree
from tallystick.tree.nodes import SPREADS, Candidates, branches_of, taken
from tallystick.tree.options import CRITERIA, VARIANCE
from tallystick.tree.prune import Held, Judged, LinkPath, validate, weakest_links
from tallystick.tree.view import WIDEST, Certificate, count, in_short, node_text, test_to

PARTS = ("training", "validation", "test")
DO = ("train", "validate", "test")  # the verb for each of PARTS


@dataclass(frozen=True, eq=False)
class PruningPath:
    """The nested prunings of a tree, the root alone first, with training and cross-validated error per
    row.

    Where rows were held out in the place of folds, `cv_error` is the error on the rows that validate,
    `test_error` that on the rows that test, and `rows` says how many train, validate and test, and
    `copies` how many of those that validate are among those that train.
    """

    alpha: NDArray[np.float64]
    leaves: NDArray[np.int64]
    error: NDArray[np.float64]
    cv_error: NDArray[np.float64] | None
    cv_se: NDArray[np.float64] | None
    minimum: int | None
    one_se: int | None
    root_error: float
    measure: str = "error"  # or "cost", where answers have costs
    test_error: NDArray[np.float64] | None = None
    rows: tuple[float, ...] = ()
    copies: int = 0

    @classmethod
    def of(cls, path: LinkPath, judged: Judged | None, measure: str = "error") -> PruningPath:
        """Return the table of a path, with or without cross-validation."""
        return cls(
            path.alpha,
            path.leaves,
            path.error,
            judged.cv_error if judged else None,
            judged.cv_se if judged else None,
            judged.minimum if judged else None,
            judged.one_se if judged else None,
            float(path.error[0]),
            measure,
        )

    @classmethod
    def of_parts(cls, parts: Sequence[Held], measure: str = "error") -> PruningPath:
        """Return the table of one tree with the rows that validate its prunings, and those that test them."""
        tree = parts[0].tree
        path = weakest_links(tree)
        judged = [validate(path, held) for held in parts]
        return replace(
            cls.of(path, judged[0], measure),
            test_error=judged[1].cv_error if len(judged) > 1 else None,
            rows=(float(tree.rows[0].sum()), *(float(held.weights.sum()) for held in parts)),
        )

    @property
    def cp(self) -> NDArray[np.float64]:
        """Alpha over the error of the root: the complexity parameter of rpart."""
        return self.alpha / self.root_error if self.root_error else self.alpha

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain data."""
        steps = []
        name = "validation" if self.rows else "cv"
        for k in range(len(self.alpha)):
            step: dict[str, Any] = {
                "alpha": float(self.alpha[k]),
                "cp": float(self.cp[k]),
                "leaves": int(self.leaves[k]),
                f"training_{self.measure}": float(self.error[k]),
            }
            if self.cv_error is not None and self.cv_se is not None:
                step[f"{name}_{self.measure}"] = float(self.cv_error[k])
                step[f"{name}_se"] = float(self.cv_se[k])
            if self.test_error is not None:
                step |= {f"test_{self.measure}": float(self.test_error[k])}
            steps.append(step)
        out: dict[str, Any] = {"minimum": self.minimum, "one_se": self.one_se, "steps": steps}
        if not self.rows:
            return out
        known = {"held_out_rows_in_training": self.copies} if self.copies else {}
        return out | known | {"rows": dict(zip(PARTS, self.rows, strict=False))}

    def __str__(self) -> str:
        columns = [
            _aligned("leaves", [f"{n:,}" for n in self.leaves]),
            _aligned("alpha", [f"{a:.7f}" for a in self.alpha]),
            _aligned(f"training {self.measure}", [f"{e:.5f}" for e in self.error]),
        ]
        if self.cv_error is not None and self.cv_se is not None:
            both = [f"{e:.5f} ± {s:.5f}" for e, s in zip(self.cv_error, self.cv_se, strict=True)]
            head = "validation" if self.rows else "cross-validated"
            columns.append([f"{head:<{len(both[0])}}", *both])
        if self.test_error is not None:
            columns.append(_aligned("test", [f"{e:.5f}" for e in self.test_error]))
        out = []
        if self.rows:
            each = [f"{counted(n, 'row')} {does}" for n, does in zip(self.rows, DO, strict=False)]
            known = f" ({self.copies:,} of them are among the training rows)" if self.copies else ""
            out.append(", ".join(each) + known)
        for k, cells in enumerate(zip(*columns, strict=True), -1):
            line = "  ".join(cells)
            marks = [m for m, at in (("least", self.minimum), ("1-SE", self.one_se)) if k == at]
            line += f"  ← {', '.join(marks)}" if marks else ""
            out.append(line.rstrip())
        if self.one_se is not None:
            out.append("1-SE: the smallest tree within one standard error of the least error.")
        return "\n".join(out)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return framed(self.picture(), text=str(self))

    def picture(self) -> Picture:
        """Return the errors against the size of the tree as a picture."""
        leaves = [float(n) for n in self.leaves]
        error = self.error.tolist()
        curves = [(f"training {self.measure}", leaves, error, error, error)]
        if self.cv_error is not None and self.cv_se is not None:
            low, high = (self.cv_error - self.cv_se).tolist(), (self.cv_error + self.cv_se).tolist()
            name = "validation" if self.rows else "cross-validated"
            held_out = f"{name} {self.measure} ± one standard error"
            curves.append((held_out, leaves, self.cv_error.tolist(), low, high))
        if self.test_error is not None:
            test = self.test_error.tolist()
            curves.append((f"test {self.measure}", leaves, test, test, test))
        marks = []
        if self.cv_error is not None and self.minimum is not None:
            held = self.cv_error[self.minimum]
            marks.append((leaves[self.minimum], float(held), f"least, {self.leaves[self.minimum]:,} leaves"))
        return Picture(line_chart(curves, "leaves", self.measure, log_x=leaves[-1] > 50, marks=marks))


def _aligned(head: str, cells: list[str]) -> list[str]:
    """Return a heading and its cells, all of one width."""
    wide = max(len(head), *map(len, cells))
    return [f"{text:>{wide}}" for text in (head, *cells)]


# ---- two trees of the same rows: errors and leaves of a grown tree beside the optimal one ----


@dataclass(frozen=True)
class TreesBeside:
    """loss[i], leaves[i], depth[i] of the first and the second tree; measure: what the loss counts. optimal:
    which of the two has the certificate, None if neither has.
    """

    measure: str
    loss: tuple[float, float]
    leaves: tuple[int, int]
    depth: tuple[int, int]
    optimal: int | None = None
    certificate: Certificate | None = None

    @property
    def further(self) -> float:
        """How much more the first tree loses than the second."""
        return self.loss[0] - self.loss[1]

    @property
    def more_leaves(self) -> int:
        """How many leaves more the first tree has than the second."""
        return self.leaves[0] - self.leaves[1]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self) | {"further": self.further, "more_leaves": self.more_leaves}

    def __str__(self) -> str:
        def size(i: int) -> str:
            return f"{count(self.leaves[i], 'leaf')}, depth {self.depth[i]}"

        def loss(value: float) -> str:
            cost = self.measure == "cost"
            return f"cost {in_short(value)}" if cost else f"{in_short(value)} {self.measure}"

        lines = []
        for i in (0, 1):
            name = ("this tree", "the other")[i] + (", optimal" if i == self.optimal else "")
            lines.append(f"{name}: {loss(self.loss[i])}, {size(i)}")
        leaves = "as many leaves as the other"
        if self.more_leaves:
            leaves = f"{count(abs(self.more_leaves), 'leaf')} {'more' if self.more_leaves > 0 else 'fewer'}"
        lines.append(f"This tree has {_more(self.further, self.measure)} and {leaves}.")
        if self.certificate is not None:
            lines.append(f"Certificate: {self.certificate}")
        return "\n".join(lines)

    __repr__ = __str__


def _more(difference: float, measure: str) -> str:
    if difference == 0:
        return f"the same {measure}" if measure == "cost" else f"as many {measure}"
    if measure == "cost":
        return f"a cost {in_short(abs(difference))} {'higher' if difference > 0 else 'lower'}"
    return f"{in_short(abs(difference))} {measure} {'more' if difference > 0 else 'fewer'}"


def beside(first: Tree, second: Tree) -> TreesBeside:
    """Return two trees of the same rows beside each other."""
    proofs = [tree.certificate for tree in (first, second)]
    at = next((i for i, proof in enumerate(proofs) if proof is not None), None)
    judge = first if at is None else (first, second)[at]
    proof = judge.certificate
    both = (first, second)
    measure = proof.measure if proof else "squared error" if first.regression else "errors"
    losses = [_loss(tree, judge) if proof or not tree.regression else tree.training_error() for tree in both]
    return TreesBeside(
        measure,
        (losses[0], losses[1]),
        (first.nodes.leaves, second.nodes.leaves),
        (int(first.nodes.depth.max()), int(second.nodes.depth.max())),
        at,
        proof,
    )


def _loss(tree: Tree, judge: Tree) -> float:
    """Return the training loss of a tree's answers, counted as another tree's certificate counts."""
    leaf = tree.nodes.leaf
    rows, answers = tree.rows[leaf], tree.labels[leaf]
    size = rows.shape[1]
    costs = np.array(judge.answers.costs) if judge.certificate and judge.answers.costs else 1.0 - np.eye(size)
    if judge.certificate and judge.answers.weights is not None:
        costs = costs * judge.answers.weights.of_mean_one(judge.nodes.counts[0])[:, None]
    return float((rows * costs.T[answers]).sum())


# ---- errors of trees, in training and on held-out rows ----


@dataclass(frozen=True)
class TreeErrors:
    """How many rows a tree answers wrongly: of those it was grown on, and of those held out (of 0 where none
    were).
    """

    name: str
    leaves: int
    wrong: float
    rows: float
    held_out_wrong: float = 0.0
    held_out_rows: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    def __str__(self) -> str:
        text = f"{self.name}: {count(self.leaves, 'leaf')}, {_share(self.wrong, self.rows)} wrong in training"
        held = _share(self.held_out_wrong, self.held_out_rows)
        return text + (f", {held} held out" if self.held_out_rows else "")

    __repr__ = __str__


def _share(wrong: float, rows: float) -> str:
    return f"{wrong:,.10g} of {rows:,.10g} ({wrong / max(rows, 1e-300):.1%})"


@dataclass(frozen=True)
class ErrorsBeside:
    """The errors of a tree, and of others of the same rows."""

    trees: tuple[TreeErrors, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"trees": [tree.to_dict() for tree in self.trees]}

    def __str__(self) -> str:
        return "\n".join(map(str, self.trees))

    __repr__ = __str__
    _repr_html_ = as_html


# ---- training rows in the branches of a candidate split, counted again where growing did not keep them ----
#
# Law: a row without a value of the column is in no branch; a row that arrives in parts counts with its part.


Branches = tuple[tuple[tuple[float, ...], ...], tuple[float, ...]]  # counts of each branch, and its mean


def arriving(tree: Tree, node: int, block: Block, scale: float | None = None) -> NDArray[np.float64]:
    """Return how many rows each row counts for at a node: its weight, or the part of it that comes there.
    scale: what a weight of 1 counts for; None: the block is all rows, and tells it.
    """
    weights = np.ones(block.rows) if block.weights is None else block.weights.astype(np.float64)
    parts: NDArray[np.float64] = weights * (tree.rows[0].sum() / weights.sum() if scale is None else scale)
    nodes = tree.nodes
    while node > 0:
        above = int(nodes.parent[node])
        below = nodes.branches(above)
        column = tree.schema.used[int(nodes.column[above])]
        branch = branches_of(nodes, above, _cells(column, block))
        share = nodes.weight[node] / max(nodes.weight[above], 1)
        parts = parts * np.where(branch == SPREADS, share, (branch >= 0) & (below[branch] == node))
        node = above
    return parts


@dataclass(frozen=True)
class BranchTest:
    """A test that a node could make, as candidates have it."""

    column: Column
    cut: float
    groups: NDArray[np.int32]

    @property
    def alone(self) -> bool:
        """Does it part missing rows from all others?"""
        return missing_alone(self.cut, self.groups)

    @property
    def branches(self) -> int:
        """How many there are."""
        return 2 if self.alone or self.cut == self.cut else int(self.groups.max(initial=-1)) + 1

    def sums(self, tree: Tree, block: Block, parts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rows of each branch [branch, class]; in regression rows and sum of the response."""
        branch = taken(self.cut, self.groups, 1 if self.alone else -1, _cells(self.column, block))
        every = range(self.branches)
        if block.classes is not None:
            size = len(tree.schema.predicted.labels)
            counts = [np.bincount(block.classes[branch == b], parts[branch == b], size) for b in every]
            return np.array(counts, np.float64).reshape(-1, size)
        response = block.response if block.response is not None else np.zeros(block.rows)
        both = [(parts[branch == b].sum(), (parts * response)[branch == b].sum()) for b in every]
        return np.array(both, np.float64).reshape(-1, 2)


def in_branches(tree: Tree, node: int, tests: Sequence[BranchTest], rows: Table) -> list[Branches]:
    """Return the training rows of each branch of some tests: per class, or all of them and their mean in
    regression. Rows on disk are counted block by block.
    """
    parts: Iterable[Block] = rows.blocks() if rows.budget else [rows.local().slice(0, rows.rows)]
    scale = tree.rows[0].sum() / rows.weight
    total: list[Any] = [0.0] * len(tests)
    for block in parts:
        own = arriving(tree, node, block, scale)
        total = [sums + test.sums(tree, block, own) for sums, test in zip(total, tests, strict=True)]
    if not tree.regression:
        return [(tuple(tuple(n) for n in sums.tolist()), ()) for sums in total]
    return [
        (tuple((n,) for n, _ in sums.tolist()), tuple(s / n if n else float("nan") for n, s in sums.tolist()))
        for sums in total
    ]


def _cells(column: Column, block: Block) -> NDArray[np.generic]:
    return block.codes(column.name) if column.kind in CODED else block.values(column.name)


# ---- the candidates of one node ----

UNNAMED = ("one group of levels", "the other levels")  # only few levels, or the best five, are kept by name


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

    def __str__(self) -> str:
        tree, labels = self.tree, self.tree.schema.predicted.labels
        # which tree is meant, where there are two, and the test that leads to the node
        named = " of the grown tree" if tree.averaged is not None else ""
        if (way := test_to(tree, self.node)) is not None:
            named += f" ({way.sentence(WIDEST)})"
        if tree.averaged is not None:  # the node answers by its own counts
            tree = replace(tree, answers=replace(tree.answers, average=False))
        out = [f"Node {self.node}{named}: {node_text(tree, self.node)}"]
        if not self.candidates and not self.alike:
            return "\n".join([*out, "No test was tried here."])
        if not self.candidates:  # a table of zeros: the rows are alike in every column
            names = [plain_words(name) for name in self.alike]
            wide = max([6, *map(svg.width, names)])
            head = "No test was tried here: the rows have one value in every column, and nothing parts them."
            zeros = [f"  {svg.padded(name, wide)}  0" for name in names]
            return "\n".join([*out, head, f"  {svg.padded('column', wide)}  gain", *zeros])
        out += [f"{name}: {text}" for name, text in self.measures]
        if labels:
            out.append("Bars: " + ", ".join(plain_words(label) for label in labels))
        for c in self.candidates:
            ratio = f", gain ratio {c.ratio:.4f}" if c.ratio == c.ratio else ""
            mark = "→" if c.chosen else " "
            out.append(f"{mark} {plain_words(c.column)}: gain {c.gain:.4f}{ratio}")
            wide = max((svg.width(t) for t in c.tests), default=0)
            for k, (test, counts) in enumerate(zip(c.tests, c.counts, strict=False)):
                shown = " ".join(rows(n, 1) for n in counts)
                mean = f"mean {c.means[k]:.6g}" if c.means else _bars(counts)
                out.append(f"    {svg.padded(test, wide)}  {mean}  {shown}")
        return "\n".join(out)

    __repr__ = __str__


def _bars(counts: tuple[float, ...]) -> str:
    """Return one small bar per class, as high as its share of the branch."""
    total = sum(counts)
    return "".join(svg.HEIGHTS[min(7, int(8 * n / total))] if n else "·" for n in counts) if total else ""


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


def splits(tree: Tree, node: int = 0, table: Table | None = None, most: int | None = None) -> Splits:
    """Return every candidate split of a node, or the best `most` of them; nodes have the grown tree's
    numbers.

    Rows of branches that were not kept with the candidates are counted from the training rows.
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
        tests = [
            BranchTest(tree.schema.used[int(found.column[c])], float(found.cut[c]), found.groups(c))
            for c in (every[i] for i in bare)
        ]
        for i, (counts, means) in zip(bare, in_branches(tree, node, tests, table), strict=True):
            made[i] = replace(made[i], counts=counts, means=means)
    alike = () if made or table is None else _alike(tree, node, table)
    return Splits(tree, node, tuple(made), alike=alike)


def _alike(tree: Tree, node: int, table: Table) -> tuple[str, ...]:
    """Return the columns, where the rows of a node are of several classes and have one value in each column;
    nothing where they are not, or are not here.
    """
    local = isinstance(table, LocalTable) and not table.budget
    if tree.regression or not local or any(c.kind == "text" for c in tree.schema.used):
        return ()
    block = table.local().slice(0, table.rows)
    here = arriving(tree, node, block, 1.0) > 0
    assert block.classes is not None
    if len(np.unique(block.classes[here])) < 2:
        return ()
    if any(len(np.unique(_cells(column, block)[here])) > 1 for column in tree.schema.used):
        return ()
    return tuple(column.name for column in tree.schema.columns)


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


# ---- importance and use of columns ----


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
        wide = max(6, *(svg.width(errors.clean(c)) for c in self.columns))
        out = [f"{'column':<{wide}}  importance                 asked of"]
        for j in order:
            if self.usage[j] > 0 or self.importance[j] > 0:
                bar = svg.padded(svg.bar(self.importance[j], 20), 20)
                name = svg.padded(errors.clean(self.columns[j]), wide)
                out.append(f"{name}  {self.importance[j]:.3f} {bar} {self.usage[j]:6.1%} of rows")
        return "\n".join(out)

    __repr__ = __str__


def column_use(tree: Tree) -> ColumnUse:
    """Return importance and usage of every column."""
    names = tuple(c.name for c in tree.schema.used)
    return ColumnUse(names, tuple(importances(tree).tolist()), tuple(usage(tree).tolist()))
