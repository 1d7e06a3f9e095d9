"""What the best tree is the best of: the parameters, and what they may be.

Knows names and numbers. Knows nothing of rows.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from tallystick.data.schema import Schema
from tallystick.errors import OptionError, shown
from tallystick.learners.tree_options import check_one_of, check_whole_option
from tallystick.models.plain import is_number, is_whole, make_plain

__all__ = ["MOST_LEAVES", "OptimalOptions"]

MOST_LEAVES = 2**16  # of any tree: nothing larger can be searched


@dataclass(frozen=True)
class OptimalOptions:
    """Parameters of the search; `OptimalTree` says what they mean and has their defaults."""

    max_depth: int | None
    max_leaf_nodes: int | None
    leaf_price: float
    class_weight: Any
    costs: Any
    max_work: int | None

    def __post_init__(self) -> None:
        make_plain(self, tuple(f.name for f in fields(self)))
        check_whole_option("max_depth", self.max_depth, 1, optional=True)
        check_whole_option("max_leaf_nodes", self.max_leaf_nodes, 2, optional=True)
        if self.max_work is not None and not (is_whole(self.max_work) and 1 <= self.max_work < 2**60):
            raise OptionError(
                f"max_work must be a whole number of at least 1 or None, not {shown(self.max_work)}."
            )
        if self.max_depth is None and self.max_leaf_nodes is None:
            raise OptionError("an optimal tree needs a limit of its size. Pass max_depth or max_leaf_nodes.")
        if isinstance(self.class_weight, str):
            check_one_of("class_weight", self.class_weight, ("balanced",))
        if not (is_number(self.leaf_price) and 0 <= self.leaf_price < 1e12):
            raise OptionError(f"leaf_price must be a number from 0 up, not {shown(self.leaf_price)}.")

    def size(self, rows: int) -> tuple[int, int]:
        """Return the most depth and leaves, also of rows: a tree has no more leaves than rows."""
        most = min(rows, MOST_LEAVES if self.max_leaf_nodes is None else self.max_leaf_nodes)
        depth = most - 1 if self.max_depth is None else min(self.max_depth, max(most - 1, 0))
        return max(depth, 0), max(min(most, 1 << min(depth, 16)), 1)

    def parts(self, schema: Schema, unit: int) -> int:
        """Return into how many parts a row can be shared out: a missing value goes down one branch."""
        return 1

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)
