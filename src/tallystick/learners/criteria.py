"""The criteria by which splits of a classification tree are scored: one small object each, listed once.

Knows words and what the kernels call each. Knows nothing of rows or counts: the formulas are in
`src/kernels/tree/score.hpp`.
"""

from __future__ import annotations

from dataclasses import dataclass

BITS = "the entropy of the node less the mean entropy of the branches, in bits"
VARIANCE = "the variance of the node's rows less the mean variance in the branches"  # of a regression tree


@dataclass(frozen=True)
class Criterion:
    """One way to score a split.

    name: what `criterion=` and the model file call it. kernel: its name in `kernels.trees.CRITERIA`. gain:
    what the gain of a split is, in words. by_ratio: whether the largest gain ratio is chosen, not the largest
    gain.
    """

    name: str
    kernel: str
    gain: str = BITS
    by_ratio: bool = False


CRITERIA = {
    criterion.name: criterion
    for criterion in (
        Criterion("entropy", "entropy"),
        Criterion("gain-ratio", "ratio", by_ratio=True),
        Criterion("gini", "gini", "the Gini impurity of the node less the mean impurity of the branches"),
    )
}
