"""Are the classes separated, and by which columns? Then the likelihood has no highest point, and only a
prior answers.

A direction of weights separates completely when every row's own class is strictly ahead of every other
along it, and quasi-completely when none is behind another and some are ahead of some. Directions come from
the solver: the weights themselves, or a last step that is long although the gradient is gone. Each is
checked on all rows by one question. A level or word whose rows all lack a class needs no direction: that
class may fall there for ever.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Note
from tallystick.errors import some
from tallystick.learners.logistic.problem import Problem
from tallystick.learners.logistic.repeats import parameter_columns
from tallystick.stats.gradients import Meetings, Sides

Array = NDArray[np.float64]
LOOSE = 1e-5  # of the range of scores: less than this is a touch
MOST = 12  # columns tried when looking for those that separate


@dataclass(frozen=True)
class SeparationVerdict:
    """kind: "", "complete" or "quasi-complete"; the columns that do it."""

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
        for table, found, side in zip(tables, kinds, sides, strict=True):
            if found == kind:
                names = yield from fewest(problem, table, side)
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
    loose = LOOSE * max(abs(least), abs(highest))
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
    loose = LOOSE * np.maximum(reach, 1e-300)
    moved = reach > np.maximum(LOOSE * reach.max(axis=-1, keepdims=True), 1e-12)
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
