"""Whether what is to be kept fits in the memory of this machine, said before it is asked for.

Knows sizes. Knows nothing of rows. Small things are not looked at: asking for what there is takes longer.
"""

from __future__ import annotations

from tallystick.data.source.size import LEAST, memory, told
from tallystick.errors import DataError, OptionError

SMALL = 1 << 28  # bytes that any machine has
LEFT = 24 << 20  # bytes that reading rows to disk leaves in the heaps of a process
READING = 3  # and this part of a budget at most: less is read at once in a small one
FEWER_NODES = "Set max_depth or a larger min_samples_leaf, or give more memory."


class LargeTree(OptionError):  # noqa: N818  named for what it is of
    """A tree that a budget has no room for."""


def most_nodes(each: int, budget: int) -> int:
    """Return how many nodes of a tree a budget of bytes holds. each: bytes that a node takes."""
    held = max(budget, LEAST)
    return (held - min(LEFT, held // READING)) // each


def refuse_large_tree(nodes: int, each: int, budget: int) -> None:
    """Refuse a tree of more nodes than a budget of bytes holds. each: bytes that a node takes."""
    if nodes > (most := most_nodes(each, budget)):
        raise LargeTree(
            f"this tree has more than {most:,} nodes, for which memory={told(budget)} has no room. "
            + FEWER_NODES
        )


def refuse_beyond_memory(needed: int, what: str, cure: str) -> None:
    """Refuse what would take more bytes than there are. what: in the plural; cure: a sentence."""
    if needed > SMALL and needed > (there := memory()):
        raise DataError(f"{what} take about {told(needed)} of memory, and there are {told(there)}. {cure}")
