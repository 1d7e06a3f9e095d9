"""Count tables: how often each code meets each class, per node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import _kernels
from tallystick.kernels import check

Counts = NDArray[np.int64]
FULL = 1 << 32  # rows at which a cell of 32 bits could be full


def count_classes(
    classes: NDArray[Any], n_classes: int, weights: Counts | None = None, out: Counts | None = None
) -> Counts:
    """Return out[class] = rows (or weight) of each class; a given `out` is added to."""
    check.array("classes", classes, check.CODES, (None,))
    check.maybe("weights", weights, "int64", classes.shape)
    table = _table("out", out, (check.size("n_classes", n_classes),))
    _kernels.count_classes(classes, weights, table)
    return table


def count_codes(
    codes: NDArray[Any],
    classes: NDArray[Any],
    n_codes: int,
    n_classes: int,
    *,
    weights: Counts | None = None,
    nodes: NDArray[np.uint32] | None = None,
    n_nodes: int = 1,
    out: Counts | None = None,
) -> Counts:
    """Return out[node, code, class] = rows (or weight); [code, class] without nodes. A given `out` grows."""
    shape: tuple[int, ...] = (check.size("n_codes", n_codes), check.size("n_classes", n_classes))
    if nodes is not None:
        shape = (check.size("n_nodes", n_nodes), *shape)
    table = _table("out", out, shape)
    full = table if nodes is not None else table[None]
    _count([codes], classes, weights, nodes, [full])
    return table


def count_columns(
    columns: Sequence[NDArray[Any]],
    classes: NDArray[Any],
    n_codes: Sequence[int],
    n_classes: int,
    *,
    weights: Counts | None = None,
    nodes: NDArray[np.uint32] | None = None,
    n_nodes: int = 1,
    out: Sequence[Counts] | None = None,
) -> list[Counts]:
    """Return one table per column, each as `count_codes` gives it, in one call. A given `out` is added to."""
    if len(n_codes) != len(columns) or (out is not None and len(out) != len(columns)):
        raise ValueError(
            f"n_codes and out must have one entry per column; found {len(n_codes)} for {len(columns)}"
        )
    head = () if nodes is None else (check.size("n_nodes", n_nodes),)
    tables = []
    for j, size in enumerate(n_codes):
        shape = (*head, check.size(f"n_codes[{j}]", size), check.size("n_classes", n_classes))
        tables.append(_table(f"out[{j}]", None if out is None else out[j], shape))
    _count(columns, classes, weights, nodes, [t if head else t[None] for t in tables])
    return tables


def count_bins(
    columns: Sequence[NDArray[Any]],
    cuts: Sequence[NDArray[np.float64]],
    classes: NDArray[Any],
    *,
    weights: Counts | None = None,
    out: Sequence[Counts],
) -> None:
    """Add the rows (or weight) of each column of numbers to out[column][bin, class]: bin = cuts at or below
    the value; missing is len(cuts) + 1.
    """
    check.array("classes", classes, check.CODES, (None,))
    check.maybe("weights", weights, "int64", classes.shape)
    for j, (values, own, table) in enumerate(zip(columns, cuts, out, strict=True)):
        check.loose(f"columns[{j}]", values, check.NUMBERS, classes.shape)
        check.array(f"cuts[{j}]", own, "float64", (None,))
        check.writable(f"out[{j}]", table, "int64", (len(own) + 2, out[0].shape[1]))
    if columns:
        _kernels.count_bins(list(columns), list(cuts), classes, weights, list(out))


def _table(name: str, out: Counts | None, shape: tuple[int, ...]) -> Counts:
    return np.zeros(shape, np.int64) if out is None else check.writable(name, out, "int64", shape)


def _count(
    columns: Sequence[NDArray[Any]],
    classes: NDArray[Any],
    weights: Counts | None,
    nodes: NDArray[np.uint32] | None,
    tables: list[Counts],
) -> None:
    check.array("classes", classes, check.CODES, (None,))
    for j, codes in enumerate(columns):
        check.array("codes" if len(columns) == 1 else f"columns[{j}]", codes, check.CODES, classes.shape)
    check.maybe("weights", weights, "int64", classes.shape)
    check.maybe("nodes", nodes, "uint32", classes.shape)
    small = [j for j, codes in enumerate(columns) if _is_small(codes, tables[j])]
    plain = weights is None and nodes is None and classes.dtype == np.uint8 and len(classes) < FULL
    if plain and len(small) > 1:
        _kernels.count_joint([columns[j] for j in small], classes, [tables[j][0] for j in small])
        rest = sorted(set(range(len(columns))) - set(small))
        columns, tables = [columns[j] for j in rest], [tables[j] for j in rest]
    if columns:
        _kernels.count_columns(list(columns), classes, nodes, weights, tables)


def _is_small(codes: NDArray[Any], table: Counts) -> bool:
    """Say whether a column may be counted together with others."""
    return codes.dtype == np.uint8 and table[0].size <= _kernels.joint_cells
