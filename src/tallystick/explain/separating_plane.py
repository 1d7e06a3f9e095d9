"""Is there a plane between the classes? The plane itself, or a proof that none exists, by linear
programming.

Knows tables and designs; scipy is loaded when this is called. The proof that no plane separates completely
is a mean of rows of one class that is also a mean of rows of the others (each row signed by its class adds
up to 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.read.reader import read_table, read_to_disk
from tallystick.data.schema import Wishes
from tallystick.data.source import open_source
from tallystick.data.source.size import budget, told
from tallystick.draw.svg import as_html
from tallystick.draw.text import Span, clean, plain, table
from tallystick.errors import Argument, DataError, OptionError, counted
from tallystick.models.logistic.design import Design, design_of

Array = NDArray[np.float64]
LOOSE = 1e-7
COPIES = 16  # of its matrix that a linear program takes in memory, about


@dataclass(frozen=True)
class Separability:
    """kind: "complete", "quasi-complete" or "none". plane[class][name]: weights along which the classes lie
    apart, of numbers brought to -1..1, the constant under "(constant)"; margin: the least lead of a row's own
    class. certificate[row]: weights that sum to 1 and prove that no plane separates completely; empty when
    one does. pairs: of several classes, the same for each two of them alone.
    """

    kind: str
    plane: dict[str, dict[str, float]]
    margin: float
    certificate: dict[int, float]
    pairs: dict[tuple[str, str], Separability] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.kind == "complete"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out = {
            "kind": self.kind,
            "plane": self.plane,
            "margin": self.margin,
            "certificate": self.certificate,
        }
        if not self.pairs:
            return out
        pairs = [{"classes": list(pair)} | found.to_dict() for pair, found in self.pairs.items()]
        return out | {"pairs": pairs}

    _repr_html_ = as_html

    def __str__(self) -> str:
        if not self.pairs:
            return "\n".join([self._what("the classes"), *self._planes()])
        lines = [f"{clean(a)}, {clean(b)}: {found._what('they')}" for (a, b), found in self.pairs.items()]
        if self.kind == "quasi-complete":
            lines.append(
                "All together: planes set some rows apart from some classes, not all (quasi-completely)"
            )
        else:
            lines.append(f"All together: {self._what('the classes')}")
        return "\n".join([*lines, *self._planes()])

    def _what(self, classes: str) -> str:
        if self.kind == "complete":
            return f"{classes} are separated completely, by a margin of {self.margin:.3g}"
        if self.kind == "quasi-complete":
            return f"{classes} are separated quasi-completely: they touch"
        them = "them" if classes == "they" else classes
        return f"no plane separates {them}; {counted(len(self.certificate), 'row')} prove it"

    def _planes(self) -> list[str]:
        """Return a table of the weights of each class, largest first."""
        several = len(self.plane) > 1
        rows = [
            [clean(label), clean(name), f"{weight:+.4g}"][not several :]
            for label, weights in self.plane.items()
            for name, weight in sorted(weights.items(), key=lambda own: (-abs(own[1]), own[0]))
            if abs(weight) > LOOSE
        ]
        if not rows:
            return []
        of = f"towards {clean(next(iter(self.plane)))}" if not several else "towards the class"
        header = ["class", "column", of][not several :]
        note = "Weights of numbers brought to -1..1, and of levels that are 0 or 1:"
        lines = table(
            header, [[Span(text) for text in row] for row in rows], frozenset({len(header) - 1}), 10_000
        )
        return ["", note, plain(lines)]

    __repr__ = __str__


def separable(X: Any, y: Any, kinds: Any = None, memory: int | str | None = None) -> Separability:
    """Return whether a plane separates the classes; where one does, logistic regression without a prior has
    no finite weights.

    Parameters
    ----------
    X : path, frame, Arrow table, matrix or records
        The rows.
    y : str or array
        The name of the column of classes, or the labels.
    kinds : dict, default None
        {column: kind}, as every estimator takes it.
    memory : str or int, default None
        How much memory to work in, such as "1GB". A linear program has all rows in memory: more of them than
        that holds are refused before it begins.

    Returns
    -------
    Separability
        Its `kind` is "complete", "quasi-complete" or "none"; it holds the plane, or the rows that prevent
        one.

    Examples
    --------
    >>> import tallystick as ts
    >>> ts.separable({"dose": [1, 2, 3, 4]}, ["no", "no", "yes", "yes"]).kind
    'complete'
    """
    if y is None:
        raise OptionError(
            "separable needs y, and the target y is None. Pass labels, or the name of a column of X."
        )
    rows = _read(X, y, Wishes(dict(kinds or {})), memory)
    assert rows.classes is not None
    names, Z, levels = columns_of(rows)
    labels, classes = rows.schema.predicted.labels, rows.classes.astype(int)
    found = _between(names, Z, classes, labels, levels)
    if len(labels) == 2:
        return found
    pairs = {}
    for a, b in combinations(range(len(labels)), 2):
        own = np.flatnonzero((classes == a) | (classes == b))
        two = _between(names, Z[own], (classes[own] == b).astype(int), (labels[a], labels[b]), levels)
        proof = {int(own[row]): weight for row, weight in two.certificate.items()}
        pairs[labels[a], labels[b]] = replace(two, certificate=proof)
    return replace(found, pairs=pairs)


def _between(
    names: list[str], Z: Array, classes: NDArray[Any], labels: tuple[str, ...], levels: list[slice]
) -> Separability:
    """Return whether planes separate classes, of rows Z[row, column]."""
    from scipy.optimize import linprog

    gaps, owners = leads(Z, classes, len(labels))
    k = gaps.shape[1]
    # 1. The largest least lead: t <= lead of every row, |w| <= 1.
    first = linprog(
        np.append(np.zeros(k), -1.0),
        A_ub=np.column_stack([-gaps, np.ones(len(gaps))]),
        b_ub=np.zeros(len(gaps)),
        bounds=[(-1, 1)] * k + [(None, 1)],
        method="highs",
    )
    if first.status != 0:
        raise DataError(f"the linear program has no solution: {first.message}")
    if -first.fun > LOOSE:
        plane = plane_of(first.x[:k], names, labels, levels)
        return Separability("complete", plane, float(-first.fun), {})
    proof: dict[int, float] = {}
    for row, weight in zip(owners, -first.ineqlin.marginals, strict=True):
        if weight > LOOSE:
            proof[int(row)] = proof.get(int(row), 0.0) + float(weight)
    # 2. No row behind, as many ahead as possible.
    second = linprog(-gaps.sum(0), A_ub=-gaps, b_ub=np.zeros(len(gaps)), bounds=[(-1, 1)] * k, method="highs")
    if second.status == 0 and -second.fun > LOOSE * len(gaps):
        return Separability("quasi-complete", plane_of(second.x, names, labels, levels), 0.0, proof)
    return Separability("none", {}, float(-first.fun), proof)


def _read(X: Any, y: Any, wishes: Wishes, memory: int | str | None) -> Table:
    """Return the rows; on disk where memory is given, and then not more than a program in it has room for."""
    if memory is None:
        return read_table(open_source(X), wishes, y)
    size = budget(memory)
    table = read_to_disk(open_source(X, memory=memory), size, wishes, y)
    design, labels = design_of(table.schema), len(table.schema.predicted.labels)
    width = 1 + len(design.dense) + sum(len(c.column.levels) + 1 for c in design.coded)
    lines, many = (table.rows, 1) if labels == 2 else (table.rows * (labels - 1), labels)
    needed = 8 * lines * width * many * COPIES
    if needed > size:
        raise DataError(
            f"a linear program of {table.rows:,} rows needs about {told(needed)} of memory, and {told(size)} "
            "is given. Take some of the rows (where no plane separates some, none separates all), or pass ",
            Argument("memory", f"{-(-needed >> 30)}GB"),
            ".",
        )
    return table


def columns_of(table: Table) -> tuple[list[str], Array, list[slice]]:
    """Return names and Z[row, column]: the constant, numbers brought to -1..1 (missing 0), and 0/1 levels;
    and where the levels of each column are, that of missing cells among them.
    """
    design: Design = design_of(table.schema)
    if design.texts:
        raise DataError(
            "separable looks at columns, not at words. Leave text columns out (",
            Argument("kinds", {"name": "out"}),
            ").",
        )
    block = table.slice(0, table.rows)
    names, columns = ["(constant)"], [np.ones(table.rows)]
    for dense in design.dense:
        low, high = dense.bounds
        half = (high - low) / 2 or 1.0
        columns.append(np.nan_to_num((dense.values(block) - (low + high) / 2) / half))
        names.append(dense.name)
    levels = []
    for coded in design.coded:
        codes = block.codes(coded.column.name)
        texts = [f"{coded.column.name} = {t}" for t in coded.column.levels]
        texts += [f"{coded.column.name} is missing"] * (coded.column.missing > 0)
        levels.append(slice(len(names), len(names) + len(texts)))
        for code, text in enumerate(texts):
            columns.append((codes == code).astype(float))
            names.append(text)
    return names, np.column_stack(columns), levels


def leads(Z: Array, classes: NDArray[Any], n_classes: int) -> tuple[Array, NDArray[np.int64]]:
    """Return the lead of a row's own class over each other as a line in the weights, and the row of each
    line.
    """
    rows, p = Z.shape
    if n_classes == 2:
        return Z * np.where(classes == 1, 1.0, -1.0)[:, None], np.arange(rows)
    lines, owners = [], []
    for c in range(n_classes):
        mine = np.flatnonzero(classes == c)
        for d in range(n_classes):
            if d == c:
                continue
            line = np.zeros((len(mine), n_classes * p))
            line[:, c * p : (c + 1) * p] = Z[mine]
            line[:, d * p : (d + 1) * p] = -Z[mine]
            lines.append(line)
            owners.append(mine)
    return np.concatenate(lines), np.concatenate(owners)


def plane_of(
    w: Array, names: list[str], labels: tuple[str, ...], levels: Sequence[slice] = ()
) -> dict[str, dict[str, float]]:
    """Return weights by class and name; two classes have one plane, towards the second. What most levels of a
    column have, as every row has one of them, is the constant's: a column that says nothing has no weights.
    """
    table = w.reshape(1 if len(labels) == 2 else len(labels), -1).copy()
    for part in table:
        for own in levels:
            values, counts = np.unique(np.round(part[own], 9), return_counts=True)
            usual = values[np.lexsort((np.abs(values), -counts))[0]]
            part[own] -= usual
            part[0] += usual
    parts = {labels[1]: table[0]} if len(labels) == 2 else dict(zip(labels, table, strict=True))
    return {label: dict(zip(names, map(float, part), strict=True)) for label, part in parts.items()}
