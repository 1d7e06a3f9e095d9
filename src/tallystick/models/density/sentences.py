"""A leaf of a density tree in a sentence: which rows come there, and where they lie in each column.

Knows fitted counts and names. Knows nothing of layout. Law: every share told is that of training rows in the
leaf, and every range told ends where pieces end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.models.density.cells import ColumnCells
from tallystick.models.density.model import DensityModel
from tallystick.models.tree.sentences import number, plain

MOST = 0.9  # the share of a leaf's rows that a range or a few levels are to hold
LEAST_BITS = 0.05  # columns that differ less from all rows are not told
FEW_LEVELS = 2


@dataclass(frozen=True, slots=True)
class Trait:
    """A column in a leaf: in words, the share of the leaf's rows that this holds of, the same of all rows,
    and how far the column differs there from all rows, in bits a row.
    """

    column: str
    words: str
    share: float
    overall: float
    bits: float

    def __str__(self) -> str:
        return self.words if self.share == 1.0 else f"{self.words} ({percent(self.share)})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "column": self.column,
            "words": self.words,
            "share": self.share,
            "overall": self.overall,
            "bits": self.bits,
        }


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf: its number, its rows, their share of all rows, and all columns, the most telling first."""

    number: int
    rows: float
    share: float
    traits: tuple[Trait, ...]

    def told(self, most: int) -> tuple[Trait, ...]:
        """Return the columns worth telling, at most so many: those that differ from all rows."""
        differs = tuple(t for t in self.traits if t.bits >= LEAST_BITS)
        return (differs or self.traits)[:most]

    def sentence(self, most: int = 5) -> str:
        """Return `12 % of rows: age 18 to 25 (85 %), home = rents`."""
        return f"{percent(self.share)} of rows: {', '.join(map(str, self.told(most)))}"

    def __str__(self) -> str:
        return self.sentence()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "leaf": self.number,
            "rows": self.rows,
            "share": self.share,
            "sentence": self.sentence(),
            "columns": [t.to_dict() for t in self.traits],
        }


def percent(share: float) -> str:
    """Return `12 %`; small shares with one digit more, and never 0 % or 100 % of what is neither."""
    if 0 < share < 0.001:
        return "under 0.1 %"
    text = f"{100 * share:.1f}" if share < 0.0995 else f"{100 * share:.0f}"
    return "over 99 %" if text == "100" and share < 1 else f"{text.removesuffix('.0')} %"


def leaves_of(model: DensityModel) -> tuple[Leaf, ...]:
    """Return all leaves, in the order of the tree."""
    rows = model.nodes.counts[:, 0]
    whole = [own.sum(axis=0) for own in model.counts]
    out = []
    for i, node in enumerate(model.leaves.tolist()):
        traits = [
            trait(own, model.counts[j][i], whole[j], model.counts[j][i] > 0)
            for j, own in enumerate(model.cells)
        ]
        order = sorted(range(len(traits)), key=lambda j: (-traits[j].bits, j))
        share = float(rows[node] / rows[0])
        out.append(Leaf(i, float(rows[node] / model.unit), share, tuple(traits[j] for j in order)))
    return tuple(out)


def trait(
    own: ColumnCells, rows: NDArray[np.int64], whole: NDArray[np.int64], there: NDArray[np.bool_]
) -> Trait:
    """Return what a column is like in a leaf. rows[cell, missing last]; whole: of all rows."""
    share, known = rows / rows.sum(), whole / whole.sum()
    logs = kernels.log2(np.where(there, share, 1.0)) - kernels.log2(np.where(there, known, 1.0))
    bits = float(np.add.accumulate(share * logs)[-1])
    cells, words = _missing(own) if 2 * rows[-1] > rows.sum() else _known(own, rows)
    held, all_held = (float(part[cells].sum() / part.sum()) for part in (rows, whole))
    return Trait(own.name, f"{plain(own.name)} {words}", held, all_held, max(bits, 0.0))


def _missing(own: ColumnCells) -> tuple[NDArray[np.int64], str]:
    return np.array([own.k]), "missing"


def _known(own: ColumnCells, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], str]:
    """Return the cells that hold most of the known rows, and their words."""
    counts, total = rows[:-1], int(rows[:-1].sum())
    if own.numeric or own.column.kind == "ordered":
        low, high = _middle(counts, total)
        cells = np.arange(low, high + 1)
        return cells, _range(own, low, high)
    order = np.argsort(-counts, kind="stable")
    enough = [int(counts[order[:n]].sum()) >= MOST * total for n in (1, FEW_LEVELS)]
    few = FEW_LEVELS if own.k > FEW_LEVELS and enough == [False, True] else 1
    cells = order[:few]
    return cells, "= " + " or ".join(plain(own.column.levels[c]) for c in cells.tolist())


def _middle(counts: NDArray[np.int64], total: int) -> tuple[int, int]:
    """Return the first and the last of the fewest neighbouring cells that hold most rows; of equals those
    with most rows, then the lowest.
    """
    ends = np.concatenate([[0], np.cumsum(counts)])
    best: tuple[int, int, int] | None = None
    for low in range(len(counts)):
        high = int(np.searchsorted(ends, ends[low] + MOST * total, side="left"))
        if high > len(counts):
            break
        found = high - low, -int(ends[high] - ends[low]), low
        best = found if best is None else min(best, found)
    assert best is not None
    return best[2], best[2] + best[0] - 1


def _range(own: ColumnCells, low: int, high: int) -> str:
    if not own.numeric:
        levels = own.column.levels
        return f"= {plain(levels[low])}" if low == high else f"{plain(levels[low])} to {plain(levels[high])}"
    column = own.column
    first = own.column.low if low == 0 else float(own.edges[low])
    last = own.column.high if high == own.k - 1 else float(own.edges[high + 1])
    assert first is not None
    assert last is not None
    if own.whole:
        first, last = float(np.ceil(first)), float(np.floor(last))
    one, two = (number(float(f"{end:.4g}") if not own.whole else end, column) for end in (first, last))
    return f"= {one}" if one == two else f"{one} to {two}"
