"""The errors of trees beside each other: in training, and among rows held out.

Knows counts. Knows nothing of trees or rows.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tallystick.draw.svg import as_html
from tallystick.models.tree.text import count

__all__ = ["ErrorsBeside", "TreeErrors"]


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
        told = f"{self.name}: {count(self.leaves, 'leaf')}, {_share(self.wrong, self.rows)} wrong in training"
        held = _share(self.held_out_wrong, self.held_out_rows)
        return told + (f", {held} held out" if self.held_out_rows else "")

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
