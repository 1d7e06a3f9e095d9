"""Fields of numbers over a plane: areas of one code as few rectangles, and lines of equal value.

Knows grids of numbers. Knows no axes, no model and no data set.
Laws: areas cover the grid once, whatever their number; a line of equal value lies where neighbouring
numbers lie on both sides of it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Edge = tuple[int, int, int]  # row, column, 0: to the right, 1: upwards
# Of the four corners (1: here, 2: right, 4: right above, 8: above) those over the level name the sides that
# a line crosses: 0 below, 1 right, 2 above, 3 left. The two saddles are cut so that low corners meet.
CROSSED = {
    1: ((3, 0),),
    2: ((0, 1),),
    3: ((3, 1),),
    4: ((1, 2),),
    5: ((3, 0), (1, 2)),
    6: ((0, 2),),
    7: ((3, 2),),
    8: ((2, 3),),
    9: ((2, 0),),
    10: ((0, 1), (2, 3)),
    11: ((2, 1),),
    12: ((1, 3),),
    13: ((1, 0),),
    14: ((0, 3),),
}


def areas(codes: NDArray[np.int64], cell: tuple[float, float]) -> dict[int, str]:
    """Return, for every code, a path over its cells: codes[row, column], the first row at the top."""
    wide, high = cell
    open_: dict[tuple[int, int, int], int] = {}  # (code, start, end) of a run: the row it began in
    found: dict[int, list[str]] = {}

    def close(run: tuple[int, int, int], began: int, ended: int) -> None:
        code, start, end = run
        across, down = _short((end - start) * wide), _short((ended - began) * high)
        found.setdefault(code, []).append(
            f"M{_short(start * wide)} {_short(began * high)}h{across}v{down}h-{across}z"
        )

    for row, line in enumerate(codes):
        ends = [*np.flatnonzero(np.diff(line)).tolist(), len(line) - 1]
        starts = [0, *(e + 1 for e in ends[:-1])]
        runs = {(int(line[a]), a, b + 1) for a, b in zip(starts, ends, strict=True)}
        for gone in [run for run in open_ if run not in runs]:
            close(gone, open_.pop(gone), row)
        for run in runs:
            open_.setdefault(run, row)
    for run, began in open_.items():
        close(run, began, len(codes))
    return {code: "".join(sorted(found[code])) for code in sorted(found)}


def level_lines(values: Floats, level: float) -> list[list[tuple[float, float]]]:
    """Return the lines along which values[row, column] equal a level, as points (column, row)."""
    links: dict[Edge, list[Edge]] = {}
    over = values > level
    corner = over[:-1, :-1] + 2 * over[:-1, 1:] + 4 * over[1:, 1:] + 8 * over[1:, :-1]
    for i, j in np.argwhere((corner > 0) & (corner < 15)).tolist():
        sides: tuple[Edge, ...] = ((i, j, 0), (i, j + 1, 1), (i + 1, j, 0), (i, j, 1))
        for a, b in CROSSED[int(corner[i, j])]:
            links.setdefault(sides[a], []).append(sides[b])
            links.setdefault(sides[b], []).append(sides[a])
    return [[_place(values, level, edge) for edge in line] for line in _joined(links)]


def _joined(links: dict[Edge, list[Edge]]) -> Iterable[list[Edge]]:
    """Yield runs of edges, those with an end first, closed ones last."""
    for start in sorted(links, key=lambda e: (len(links[e]), e)):
        line = [start]
        while links[line[-1]]:
            following = links[line[-1]].pop()
            links[following].remove(line[-1])
            line.append(following)
        if len(line) > 1:
            yield line


def _place(values: Floats, level: float, edge: Edge) -> tuple[float, float]:
    i, j, up = edge
    a, b = values[i, j], values[i + up, j + 1 - up]
    part = float((level - a) / (b - a)) if b != a else 0.5
    return (j, i + part) if up else (j + part, i)


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
