"""Decision regions: what models answer everywhere on a plane of two columns.

Knows the estimators and how to ask them about a grid. Knows nothing of drawing.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.draw.panels import Axis
from tallystick.draw.regions import CELLS, MOST_POINTS, Region, RegionPoints, regions_picture
from tallystick.draw.svg import Picture
from tallystick.draw.text import clean
from tallystick.errors import OptionError, TallyWarning
from tallystick.estimators.judging import methods_named
from tallystick.evaluate.running import fresh
from tallystick.pictures.rows import chosen, complete, only, read

METHODS = ("tree", "bayes", "logistic")
KINDS = ("numeric", "levels", "ordered", "boolean")


def regions(
    data: Any,
    target: Any = None,
    *,
    methods: Sequence[str] | Mapping[str, Any] | None = None,
    draw: Sequence[str] | None = None,
    **shared: Any,
) -> Picture:
    """Return what models answer on the plane of two columns, side by side, with the rows on it.

    Every model is fitted on the two columns alone. The fuller the colour, the surer the answer.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows, as `fit` takes them.
    target : str or array, default None
        The name of the column to predict, or the labels.
    methods : list of str or dict, default None
        Methods or variants, such as "tree", or estimators by name; None is a tree, naive Bayes and logistic
        regression.
    draw : list of str, default None
        The two columns; None is the two most telling, columns of numbers first.
    **shared
        columns, kinds, engine, threads and memory, as every estimator takes them.

    Returns
    -------
    Picture
        SVG; `save` writes it.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"a": i % 7, "b": i % 5, "y": i % 7 > i % 5} for i in range(35)]
    >>> ts.pictures.regions(rows, "y", methods=["tree"])  # doctest: +ELLIPSIS
    <picture: ...>
    """
    models = methods_named(METHODS if methods is None else methods, shared)
    if not models:
        raise OptionError("no method to draw. Name one, such as tree.")
    table = read(data, target, shared)
    x, y = chosen(table, draw, 2, KINDS)
    plane = only(table, [x, y])
    rows = complete(table, [x, y])
    axes = _axis(plane, x, rows), _axis(plane, y, rows)
    grid = {name: _places(axis, cells) for name, axis, cells in zip((x, y), axes, CELLS, strict=True)}
    labels = table.schema.predicted.labels
    assert table.classes is not None
    few = rows[np.linspace(0, len(rows) - 1, min(MOST_POINTS, len(rows))).round().astype(np.int64)]
    drawn = [_region(name, model, plane, grid, few) for name, model in models.items()]
    spots = _spots(table, x, few, True), _spots(table, y, few, False)
    points = RegionPoints(spots[0], spots[1], table.classes[few].astype(np.int64).tolist())
    title = f"{clean(table.schema.predicted.name)} on {clean(x)} and {clean(y)}"
    return Picture(regions_picture(drawn, *axes, labels, points, title))


def _axis(table: Table, name: str, rows: NDArray[np.int64]) -> Axis:
    column = table.schema[name]
    if column.kind != "numeric":
        return Axis(clean(name), -0.5, len(column.levels) - 0.5, names=tuple(column.levels))
    values = table.column(name)[rows]
    low, high = float(values.min()), float(values.max())
    pad = 0.06 * ((high - low) or 1.0)
    return Axis(clean(name), low - pad, high + pad, unit=column.unit)


def _places(axis: Axis, cells: int) -> list[Any]:
    """Return the middle of every cell of an axis: numbers, or levels."""
    if axis.names:
        return list(axis.names)
    return [axis.low + (axis.high - axis.low) * (k + 0.5) / cells for k in range(cells)]


def _region(
    name: str, model: Any, plane: Table, grid: Mapping[str, Sequence[Any]], few: NDArray[np.int64]
) -> Region:
    import pyarrow as pa

    fitted = fresh(model)._fit_table(plane)
    (x, across), (y, up) = grid.items()
    cells = pa.table({x: list(across) * len(up), y: [b for b in up for _ in across]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TallyWarning)  # a plane goes beyond its rows, as everybody sees
        shares = np.asarray(fitted.predict_proba(cells)).reshape(len(up), len(across), -1)
    answers = np.concatenate([fitted.model_.shares(block).argmax(axis=1) for block in plane.blocks()])
    wrong = answers != plane.classes
    note = f"{plane.rows - int(wrong.sum()):,} of {plane.rows:,} rows right"
    return Region(name, shares, wrong[few].tolist(), note)


def _spots(table: Table, name: str, rows: NDArray[np.int64], across: bool) -> list[float]:
    """Return where rows lie on an axis; rows of one level are spread a little, that each is seen."""
    cells = table.column(name)[rows]
    if table.schema[name].kind == "numeric":
        return [float(v) for v in cells]
    step = 0.618034 if across else 0.754878  # two rows of numbers that never fall into a pattern together
    return [float(c) + 0.5 * ((k * step) % 1 - 0.5) for k, c in enumerate(cells.tolist())]
