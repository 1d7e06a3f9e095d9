"""Separated classes: then the likelihood has no maximum without a prior. By linear programming, or in a fit.

1. Entry: `separable()`: a plane between classes, or a proof that none exists, which returns a `Separability`.
2. Inside a fit, from directions of the solver: `look()`, which returns a `SeparationVerdict`.

lead = score of a row's own class less that of another; ahead = lead above 0; sides = extremes of leads by
pair. A direction of weights separates completely when every row is ahead of every other class along it, and
quasi-completely when none is behind and some are ahead. Directions come from the solver: the weights, or a
last step that is long although the gradient is gone. Each is checked on all rows by one question. A level or
word whose rows all lack a class needs no direction: that class may fall there for ever.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.draw.svg import Span, as_html, plain, table
from tallystick.errors import Argument, DataError, OptionError, clean, counted, some
from tallystick.io.open import open_source
from tallystick.io.scratch import budget, size_text
from tallystick.linear.prepare import Problem, parameter_columns
from tallystick.schema import ColumnOptions, Note
from tallystick.stats.design_sums import Design, Meetings, Sides, design_of
from tallystick.table.reader import read_table, read_to_disk

# By linear programming. The proof that no plane separates completely: weights under which a mean of rows of
# one class equals a mean of rows of the others (rows signed by their class add up to 0).

Array = NDArray[np.float64]
LOOSE = 1e-7  # tolerance of the linear program: less is 0
COPIES = 16  # memory of a linear program, in copies of its matrix, about


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
    rows = _read(X, y, ColumnOptions(dict(kinds or {})), memory)
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
    """Return whether planes separate the classes of rows Z[row, column]."""
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


def _read(X: Any, y: Any, wishes: ColumnOptions, memory: int | str | None) -> Table:
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
            f"a linear program of {table.rows:,} rows needs about {size_text(needed)} of memory, and "
            f"{size_text(size)} is given. Take some of the rows (where no plane separates some, none "
            "separates all), or pass ",
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
    block = table.local().slice(0, table.rows)
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


# Inside a fit.

LOOSE_TOLERANCE = 1e-5  # part of the range of scores: a smaller lead counts as 0
MOST = 12  # columns tried when looking for those that separate


@dataclass(frozen=True)
class SeparationVerdict:
    """kind: "", "complete" or "quasi-complete"; columns: those that separate."""

    kind: str = ""
    columns: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Say it."""
        one = len(self.columns) == 1
        verb = "separates" if one else "separate"
        what = "the classes completely" if self.kind == "complete" else "some rows (quasi-completely)"
        return (
            f"{'Column' if one else 'Columns'} {some(self.columns, 8)} {verb} {what}: without a prior the "
            "weights would grow without bound."
        )

    def note(self, l2: float, l1: float = 0.0) -> Note:
        """Say it, and what was done."""
        prior = ", ".join(f"{name} = {v:.4g}" for name, v in (("l2", l2), ("l1", l1)) if v)
        done = f"They come from the prior ({prior}); standard errors are withheld."
        return Note("separation", f"{self.text} {done}", count=len(self.columns))


def look(problem: Problem, directions: list[Array]) -> Generator[Any, Any, SeparationVerdict]:
    """Return the verdict over candidate directions w[weight], with the fewest columns that still separate."""
    problem = replace(problem, fixed=None)  # an offset is finite: it keeps no row on its side
    tables = [problem.theta(d)[0] for d in directions]
    sides, _ = yield ask(problem, tables)
    kinds = [kind_of(*margins(side)) for side in sides]
    for kind in ("complete", "quasi-complete"):
        for weights, found, side in zip(tables, kinds, sides, strict=True):
            if found == kind:
                names = yield from fewest(problem, weights, side)
                return SeparationVerdict(kind, names)
    return SeparationVerdict()


def ahead(problem: Problem, w: Array, needed: float) -> Generator[Any, Any, bool]:
    """Is some row's class so far ahead of another that weights may have run until the gradient was `needed`
    per row? Then that row pulls no more than this, so its other class has about that share at most.
    """
    sides, _ = yield ask(problem, [replace(problem, fixed=None).theta(w)[0]])
    return margins(sides[0])[1] > -math.log(min(10.0 * needed * problem.rows, 0.1))


def lacking(problem: Problem) -> Generator[Any, Any, SeparationVerdict]:
    """Return the columns with a level, a word, or a number missing or not, whose rows all lack a class."""
    d = problem.design
    met, there, *words = yield Meetings(d, 2 if len(problem.links) == 1 else len(problem.links))
    present = met[0]

    def lacks(table: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.asarray(table.any(axis=1) & ~table[:, present].all(axis=1), np.bool_)

    found = lacks(met)
    found[1 : 1 + len(d.dense)] |= lacks(there)
    if not d.constant:
        found = lacks(met) & problem.free
    names = [name for name, hit in zip(parameter_columns(d), found, strict=True) if hit]
    names += [text.name for text, table in zip(d.texts, words, strict=True) if lacks(table[:-1]).any()]
    return SeparationVerdict("quasi-complete", tuple(dict.fromkeys(names))) if names else SeparationVerdict()


def ask(problem: Problem, tables: list[Array]) -> Sides:
    """Ask for the sides of standardised weights theta[parameter, link]."""
    scales = problem.scales
    scaling = np.stack([scales.centre, 1.0 / scales.scale])
    classes = 2 if len(problem.links) == 1 else len(problem.links)
    return Sides(problem.design, scaling, tuple(np.ascontiguousarray(t) for t in tables), classes)


def margins(side: Array) -> tuple[float, float]:
    """Return the least and the highest margin of a row's own class over another class that has rows, for
    side[pair, 4]. Over any other, not the nearest: a class that falls leaves the rest side by side.
    """
    low_a, high_a, low_b, high_b = side[np.isfinite(side).all(axis=1)].T
    return float(min(low_a.min(), -high_b.max())), float(max(high_a.max(), -low_b.min()))


def kind_of(least: float, highest: float) -> str:
    """Return what margins between these ends mean."""
    loose = LOOSE_TOLERANCE * max(abs(least), abs(highest))
    if least > loose:
        return "complete"
    return "quasi-complete" if least >= -loose and highest > loose else ""


def status(side: Array) -> NDArray[np.int64]:
    """Return for side[..., pair, 4] per pair of classes: 2 apart, 1 touching, 0 mixed or, beside the widest
    pair, together.
    """
    low_a, high_a, low_b, high_b = (side[..., end] for end in range(4))
    reach = np.maximum(high_a, high_b) - np.minimum(low_a, low_b)
    gap = low_a - high_b
    loose = LOOSE_TOLERANCE * np.maximum(reach, 1e-300)
    moved = reach > np.maximum(LOOSE_TOLERANCE * reach.max(axis=-1, keepdims=True), 1e-12)
    return np.where(moved & (gap > loose), 2, np.where(moved & (gap >= -loose), 1, 0))


def fewest(problem: Problem, table: Array, side: Array) -> Generator[Any, Any, tuple[str, ...]]:
    """Return the columns, strongest first, after which the pairs of classes are as far apart as along the
    whole.
    """
    names = parameter_columns(problem.design)
    strength: dict[str, float] = {}
    sizes = (np.ptp(table, axis=1) if table.shape[1] > 1 else np.abs(table[:, 0])).tolist()
    for name, size in zip(names[1:], sizes[1:], strict=True):
        strength[name] = max(strength.get(name, 0.0), size)
    order = sorted((n for n in strength if strength[n] > 0), key=lambda n: (-strength[n], n))[:MOST]
    if not order:
        return ()
    place = {name: k for k, name in enumerate(order)}
    rank = np.array([-1, *(place.get(name, MOST) for name in names[1:])])[:, None]
    tries = [np.where(rank <= k, table, 0.0) for k in range(len(order))]
    found, _ = yield ask(problem, tries)
    enough = (status(found) >= status(side)).all(axis=-1)
    return tuple(order[: int(np.argmax(enough)) + 1] if enough.any() else order)
