"""Pruning: a smaller tree from a grown one, each way by its own rule, each giving a new tree.

Knows nodes, errors and code lengths, and how the model file names a way. Knows nothing of how a tree was
grown or how rows are dealt into folds: whoever prunes brings trees without a fold, and its rows.
"""

from __future__ import annotations

from tallystick.learners.prune.held_out import reduced_error
from tallystick.learners.prune.length import shortest
from tallystick.learners.prune.methods import (
    HELD_OUT,
    METHODS,
    CostComplexity,
    DescriptionLength,
    Pessimistic,
    Pruning,
    from_file,
    is_pruning,
    pruning_of,
    to_file,
)
from tallystick.learners.prune.pessimistic import Bound, normal_quantile, pessimistic
from tallystick.learners.prune.weakest import Held, Judged, LinkPath, judge, validate, weakest_links

__all__ = [
    "HELD_OUT",
    "METHODS",
    "Bound",
    "CostComplexity",
    "DescriptionLength",
    "Held",
    "Judged",
    "LinkPath",
    "Pessimistic",
    "Pruning",
    "from_file",
    "is_pruning",
    "judge",
    "normal_quantile",
    "pessimistic",
    "pruning_of",
    "reduced_error",
    "shortest",
    "to_file",
    "validate",
    "weakest_links",
]
