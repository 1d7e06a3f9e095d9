"""What is proven of a tree that was searched for: how much any tree loses, and how much this one does.

Knows numbers and words. Knows nothing of rows or of how the search went.
Law: `bound` holds for every tree within the limits, whether the search was cut off or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from tallystick.models.tree.text import count

__all__ = ["ENDS", "Certificate", "in_short"]

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
