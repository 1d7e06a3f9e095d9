"""Pruning: a smaller tree from a grown one, each way by its own rule, each giving a new tree.

Knows nodes, errors and code lengths. Knows nothing of files, folds or how a tree was grown.
"""

from __future__ import annotations

from tallystick.learners.prune.held_out import reduced_error
from tallystick.learners.prune.length import shortest
from tallystick.learners.prune.pessimistic import Bound, normal_quantile, pessimistic
from tallystick.learners.prune.weakest import Held, Judged, Path, judge, weakest_links

KINDS = ("cost-complexity", "pessimistic", "reduced-error", "mdl")

__all__ = [
    "KINDS",
    "Bound",
    "Held",
    "Judged",
    "Path",
    "judge",
    "normal_quantile",
    "pessimistic",
    "reduced_error",
    "shortest",
    "weakest_links",
]
