"""How far each column moves the scores of an additive model over the rows: the columns that matter, in order.

Knows additive models and tables. Law: a column that says the same of every row pulls 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallystick import methods
from tallystick.contracts import Table
from tallystick.models.tree import Tree

SAMPLE = 20_000  # rows looked at; the table's rows are in an order of their content


def face_of(model: Any) -> Any:
    """Return the face that a model's method has in a report (`faces.Face`)."""
    return methods.of_kind(model.kind).load("report")


def pulls(model: Any, table: Table) -> dict[str, float]:
    """Return how far each column moves the model, by the rule of its method."""
    found: dict[str, float] = face_of(model).pulls(model, table)
    return found


def additive_pulls(model: Any, table: Table) -> dict[str, float]:
    """Return, by column, the standard deviation of its part of the score over the rows, mean over classes."""
    block = table.slice(0, min(table.rows, SAMPLE))
    base, names = model.additive, [t.column for t in model.additive.terms]
    out: dict[str, float] = {}
    for name, term in zip(names, base.terms, strict=True):
        part = np.zeros((block.rows, len(base.base)))
        term.add(part, block)
        part = np.where(np.isfinite(part), part, -20.0)
        part -= part.mean(axis=1, keepdims=True)
        out[name] = out.get(name, 0.0) + float(part.std(axis=0).mean())
    return out


def card_pulls(model: Any, table: Table) -> dict[str, float]:
    """Return what `additive_pulls` tells, a pair counting for both of its columns."""
    out: dict[str, float] = {}
    found = additive_pulls(model, table)
    for part in model.parts:
        for name in part.columns:
            out[name] = out.get(name, 0.0) + found[part.name]
    return out


def tree_pulls(tree: Tree, table: Table) -> dict[str, float]:
    """Return each column's share of all gain in the tree that is shown."""
    from tallystick.explain.tree import importances

    names = [c.name for c in tree.schema.used]
    return dict(zip(names, importances(tree).tolist(), strict=True))
