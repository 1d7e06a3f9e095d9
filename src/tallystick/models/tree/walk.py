"""Rows down the tree, by arrays.

Knows nodes and blocks of encoded rows. Knows nothing of names or shares.
Law: `stops` and `ways` agree on every row, and neither depends on how the rows were cut into blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.models.tree.nodes import SPREADS, STAYS, Nodes

Read = Callable[[int], NDArray[Any]]  # column number -> values (numeric) or codes of the rows


def branches_of(nodes: Nodes, node: int, cells: NDArray[Any]) -> NDArray[np.int64]:
    """Return the branch each cell takes at a node: STAYS and SPREADS included."""
    return taken(float(nodes.cut[node]), nodes.levels(node), int(nodes.missing_branch[node]), cells)


def taken(cut: float, levels: NDArray[np.int32], away: int, cells: NDArray[Any]) -> NDArray[np.int64]:
    """Return the branch each cell takes at a test: at a cut, or else by the branch of each level."""
    if cut == cut:
        return np.where(np.isnan(cells), away, (cells >= cut).astype(np.int64))
    table = np.full(len(levels) + 2, away, np.int64)  # the last two codes: missing and unseen
    table[: len(levels)] = levels
    branch: NDArray[np.int64] = table[cells]
    return branch


def stops(nodes: Nodes, read: Read, rows: int) -> NDArray[np.int64]:
    """Return the node where each row ends; the tree must not spread missing values."""
    out = np.zeros(rows, np.int64)
    waiting: list[tuple[int, NDArray[np.int64]]] = [(0, np.arange(rows))]
    while waiting:
        node, here = waiting.pop()
        if nodes.column[node] < 0 or not len(here):
            out[here] = node
            continue
        branch = branches_of(nodes, node, read(int(nodes.column[node]))[here])
        out[here[branch == STAYS]] = node
        for k, below in enumerate(nodes.branches(node).tolist()):
            waiting.append((below, here[branch == k]))
    return out


def spread(nodes: Nodes, shares: NDArray[np.float64], read: Read, rows: int) -> NDArray[np.float64]:
    """Return shares[row, class] where rows without a value go down all branches, weighted by their counts."""
    out = np.zeros((rows, shares.shape[1]))
    weight = nodes.weight
    waiting: list[tuple[int, NDArray[np.int64], NDArray[np.float64]]] = [(0, np.arange(rows), np.ones(rows))]
    while waiting:
        node, here, part = waiting.pop()
        if nodes.column[node] < 0 or not len(here):
            out[here] += part[:, None] * shares[node]
            continue
        branch = branches_of(nodes, node, read(int(nodes.column[node]))[here])
        everywhere, stays = branch == SPREADS, branch == STAYS
        out[here[stays]] += part[stays, None] * shares[node]
        for k, below in enumerate(nodes.branches(node).tolist()):
            own = branch == k
            rest = part[everywhere] * (
                weight[below] / weight[node] if weight[node] else 1 / nodes.n_children[node]
            )
            waiting.append(
                (below, np.concatenate([here[own], here[everywhere]]), np.concatenate([part[own], rest]))
            )
    return out


@dataclass(frozen=True, slots=True)
class Way:
    """One way of a row: how much of the row goes it, its steps as (node, branch taken), the last with STAYS.

    spread: the places in `steps` where the row went down all branches for want of a value.
    """

    part: float
    steps: tuple[tuple[int, int], ...]
    spread: tuple[int, ...] = ()


def ways(nodes: Nodes, cell: Callable[[int], Any]) -> list[Way]:
    """Return the ways of one row: one, or as many as it has parts. cell(column) is its value or code."""
    out, weight = [], nodes.weight
    waiting = [(0, Way(1.0, ()))]
    while waiting:
        node, way = waiting.pop()
        column = int(nodes.column[node])
        branch = int(branches_of(nodes, node, np.asarray([cell(column)]))[0]) if column >= 0 else STAYS
        if branch == STAYS:
            out.append(Way(way.part, (*way.steps, (node, STAYS)), way.spread))
            continue
        below = nodes.branches(node).tolist()
        for k, b in enumerate(below):
            steps = (*way.steps, (node, k))
            if branch == SPREADS:
                share = weight[b] / weight[node] if weight[node] else 1 / len(below)
                if share > 0:
                    waiting.append((b, Way(way.part * float(share), steps, (*way.spread, len(way.steps)))))
            elif k == branch:
                waiting.append((b, Way(way.part, steps, way.spread)))
    return out
