"""Two trees of the same rows beside each other: how far a grown tree is from the best one.

Knows fitted trees. Knows nothing of rows: errors follow from the counts in the leaves.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tallystick.models.tree import Tree
from tallystick.models.tree.certificate import Certificate, in_short
from tallystick.models.tree.text import count

__all__ = ["TreesBeside", "beside"]


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

        lines = []
        for i in (0, 1):
            name = ("this tree", "the other")[i] + (", optimal" if i == self.optimal else "")
            lines.append(f"{name}: {self._told(self.loss[i])}, {size(i)}")
        lines.append(f"This tree has {_more(self.further, self.measure)} and {self._leaves()}.")
        if self.certificate is not None:
            lines.append(f"Certificate: {self.certificate}")
        return "\n".join(lines)

    __repr__ = __str__

    def _told(self, loss: float) -> str:
        return f"cost {in_short(loss)}" if self.measure == "cost" else f"{in_short(loss)} {self.measure}"

    def _leaves(self) -> str:
        if not self.more_leaves:
            return "as many leaves as the other"
        return f"{count(abs(self.more_leaves), 'leaf')} {'more' if self.more_leaves > 0 else 'fewer'}"


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
