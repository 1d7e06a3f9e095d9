"""A density tree to plain data and back, and the shapes of its parts of the model file.

    nodes, branches  as those of trees (`models/tree/file.py`): a leaf is its rows [n], a test has four
                     entries more
    cells            for each column: the cuts of its numbers and whether they are whole; null for levels
    leaves           for each leaf, in node order: for each column the rows of its cells, missing last

Knows the shape of the model file's own part. Knows nothing of bytes, checksums or rows.
Law: `read(write(model))` is the same model; whatever else `read` accepts gives a density that sums to 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallystick.data.schema import Schema
from tallystick.errors import ModelFileError
from tallystick.models.density.cells import LARGEST_WHOLE, ColumnCells
from tallystick.models.density.model import DensityModel, reach_of
from tallystick.models.density.options import LARGEST, LEAST_ALPHA, MOST_ALPHA, MOST_PIECES, PRUNINGS
from tallystick.models.shapes import (
    Counts,
    FileKind,
    Flag,
    Listed,
    LongList,
    Maybe,
    Number,
    Numbers,
    Record,
    Rows,
    Text,
    Whole,
    wished,
)
from tallystick.models.tree.file import read_nodes, write_branches, write_nodes
from tallystick.models.tree.nodes import NO_CUT, Nodes

_CELLS = Maybe(Record({"cuts": Numbers(rising=True), "whole": Flag()}))
MODEL = Record(
    {
        "branches": LongList(),
        "cells": Listed(_CELLS),
        "leaves": Listed(Rows(Counts())),
        "nodes": LongList(),
    }
)
_SMALL = Whole(1, LARGEST)
PARAMETERS = wished(
    {
        "alpha": Number(LEAST_ALPHA, MOST_ALPHA),
        "max_depth": Maybe(_SMALL),
        "max_leaf_nodes": Maybe(_SMALL),
        "min_samples_leaf": _SMALL,
        "pieces": Whole(2, MOST_PIECES),
        "pruning": Maybe(Text(PRUNINGS)),
    }
)


def write(model: DensityModel) -> dict[str, Any]:
    """Return the model as lists."""
    cells = [{"cuts": list(own.cuts), "whole": own.whole} if own.numeric else None for own in model.cells]
    leaves = [[own[i].tolist() for own in model.counts] for i in range(len(model.leaves))]
    every = slice(0, len(model.nodes))
    tests = {"branches": write_branches(model.nodes, every), "nodes": write_nodes(model.nodes, every)}
    return tests | {"cells": cells, "leaves": leaves}


def read(data: Mapping[str, Any], schema: Schema, unit: int, alpha: float) -> DensityModel:
    """Build the model from `write`, or say in one line what is wrong with it."""
    _demand(len(data["cells"]) == len(schema.used), "the cells are not those of its columns")
    cells = tuple(_cells(given, column) for given, column in zip(data["cells"], schema.used, strict=True))
    nodes = read_nodes(data, schema)
    _check_tests(nodes, cells)
    leaves = data["leaves"]
    sizes = [own.k + 1 for own in cells]
    _demand(len(leaves) == nodes.leaves, "there are not as many distributions as leaves")
    _demand(
        all([len(c) for c in leaf] == sizes for leaf in leaves), "a leaf has not the cells of its columns"
    )
    counts = tuple(np.array([leaf[j] for leaf in leaves], np.int64) for j in range(len(cells)))
    weight = nodes.counts[nodes.leaf, 0]
    _demand(bool(weight.min() > 0), "a leaf has no rows")
    for own in counts:
        _demand(bool((own.sum(axis=1, dtype=np.float64) < 2.0**62).all()), "the rows of a leaf are too many")
        _demand(bool((own.sum(axis=1) == weight).all()), "the cells of a leaf do not add up to its rows")
    reach = reach_of(nodes, cells)
    for i, leaf in enumerate(np.flatnonzero(nodes.leaf).tolist()):
        for own, here in zip(counts, reach[leaf], strict=True):
            _demand(not own[i][~here].any(), "a leaf has rows that its tests send elsewhere")
    return DensityModel(schema, cells, nodes, counts, unit, alpha)


def _cells(given: Mapping[str, Any] | None, column: Any) -> ColumnCells:
    _demand((given is not None) == (column.kind == "numeric"), "the cells do not suit the kind of a column")
    if given is None:
        _demand(len(column.levels) > 0, "a column has no levels")
        return ColumnCells(column)
    cuts = tuple(map(float, given["cuts"]))
    low, high = column.low or 0.0, column.high or 0.0
    _demand(all(low < cut <= high for cut in cuts), "a number is cut outside its range")
    if given["whole"]:
        small = max(abs(low), abs(high)) <= LARGEST_WHOLE
        _demand(small and all(cut % 1 == 0.5 for cut in cuts), "whole numbers are not cut at halves")
    return ColumnCells(column, cuts, given["whole"])


def _check_tests(nodes: Nodes, cells: tuple[ColumnCells, ...]) -> None:
    """Every test has two branches, parts cells, and sends every value to one of them."""
    inner = np.flatnonzero(~nodes.leaf)
    _demand(bool((nodes.n_children[inner] == 2).all()), "a test has not two branches")
    _demand(bool((nodes.missing_branch[inner] >= 0).all()), "a test has no branch for missing values")
    _demand(bool((nodes.branch_of >= 0).all()), "a test has no branch for a level")
    for node in inner.tolist():
        own = cells[int(nodes.column[node])]
        known = not own.numeric or float(nodes.cut[node]) in (*own.cuts, NO_CUT)
        _demand(known, "a test cuts numbers within a piece")


def check(document: dict[str, Any], schema: Schema) -> None:
    """Raise ModelFileError unless there are columns, and none of text: building the model checks the rest."""
    _demand(bool(schema.used), "it has no columns")
    _demand(all(c.kind != "text" for c in schema.used), "a column is text")


def _demand(holds: bool, what: str) -> None:
    """Raise one line about the tree in the file unless the condition holds."""
    if not holds:
        raise ModelFileError(f"the density tree in the model file is damaged: {what}. Get the file again.")


FILE = FileKind(MODEL, PARAMETERS, check)
