"""Two models on the same rows: `diff`, how many answers differ, in which rows, and why.

1. `Flip` (one row), `Flips` (the result). 2. Entry: `diff()`; `flips()` for two fitted models and rows.
3. `MetAnswers`: counts batch by batch; `reason()`: why a model answers a row.

flip = a row that both models answer differently; before, after = the answers of the first and second model.
Laws: an answer is that of `predict`; rows are read in batches, and only the MOST that are listed are kept.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.draw.svg import as_html
from tallystick.errors import OptionError, counted, shown
from tallystick.export.diff import Difference, Saved, compare, file_bytes
from tallystick.io.open import open_source
from tallystick.model.file import from_bytes
from tallystick.predict.row import as_given
from tallystick.stats.exact import digits, joined, nearest

Floats = NDArray[np.float64]
MOST = 10  # rows listed one by one
CONDITIONS = 3  # conditions of a path through a tree that a reason shows


@dataclass(frozen=True, slots=True)
class Flip:
    """One row, counted from 1, that two models answer differently: both answers with their probabilities (of
    a regression 0), and why each is given.
    """

    row: int
    before: str
    after: str
    shares: tuple[float, float]
    why: tuple[str, str]

    def __str__(self) -> str:
        one, two = self.shares
        sizes = ("", "")
        if one or two:
            sizes = (f" (probability of {self.before} {one:.1%})", f" (of {self.after} {two:.1%})")
        text = f"row {self.row:,}: {self.before}{sizes[0]}, now {self.after}{sizes[1]}"
        old, new = self.why
        return (
            text + (f"; before because of {old}" if old else "") + (f"; now because of {new}" if new else "")
        )


@dataclass(frozen=True, slots=True)
class Flips:
    """The answers of two models to the rows of one file. ways: (before, after, rows), the most frequent
    first. first: the first of the rows, each told. moved: the mean absolute change of the answer's share; of
    a regression of the answer.
    """

    name: str
    rows: int
    count: int
    ways: tuple[tuple[str, str, int], ...]
    first: tuple[Flip, ...]
    moved: float
    regression: bool = False

    def __bool__(self) -> bool:
        return self.count > 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        names = ("row", "before", "after", "shares", "why")
        items = [
            dict(zip(names, (f.row, f.before, f.after, f.shares, f.why), strict=True)) for f in self.first
        ]
        ways = [{"before": a, "after": b, "rows": n} for a, b, n in self.ways]
        return {
            "name": self.name,
            "rows": self.rows,
            "flipped": self.count,
            "moved": self.moved,
            "ways": ways,
            "first": items,
        }

    def lines(self) -> list[str]:
        """Return the findings, a sentence each."""
        share = self.count / self.rows if self.rows else 0.0
        verb = "is" if self.count == 1 else "are"
        out = [
            f"{self.count:,} of {counted(self.rows, 'row')} of {self.name} ({share:.1%}) {verb} answered "
            f"differently; the {'answer' if self.regression else 'probability of the answer'} moved by "
            f"{self.moved:.4g} on average"
        ]
        out += [f"{n:,} from {a} to {b}" for a, b, n in self.ways]
        out += [str(flip) for flip in self.first]
        rest = self.count - len(self.first)
        return out + ([f"and {counted(rest, 'more row')}"] if rest and self.first else [])

    _repr_html_ = as_html

    def __str__(self) -> str:
        first, *rest = self.lines()
        return "\n".join([first, *(f"  {text}" for text in rest)])

    __repr__ = __str__


def diff(
    a: str | os.PathLike[str] | Saved, b: str | os.PathLike[str] | Saved, *, on: Any = None
) -> Difference:
    """Say in words what changed from one model to another: the largest changes first.

    Parameters
    ----------
    a, b : path or fitted model
        The model before and the model after; both of one kind.
    on : path, frame, Arrow table, matrix or records, default None
        Rows to ask both models: how many are answered differently, which, and why.

    Returns
    -------
    Difference
        Prints a sentence per change; `changes` has them as data, and it is false where nothing changed.
        `largest` are the shares, points or odds that moved most, `flips` the answers that differ.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 5
    >>> ts.diff(ts.NaiveBayes().fit(rows, "play"), ts.NaiveBayes(alpha=2).fit(rows, "play"))
    parameter, alpha changed from 1.0 to 2.0
    """
    found = compare(from_bytes(file_bytes(a)), from_bytes(file_bytes(b)))
    return found if on is None else replace(found, flips=flips(_loaded(a), _loaded(b), on))


def _loaded(model: Any) -> Any:
    from tallystick.estimator.base import load

    return load(model) if isinstance(model, str | os.PathLike) else model


def flips(a: Any, b: Any, data: Any) -> Flips:
    """Return which rows two fitted models of one target answer differently."""
    one, two = a.schema_.target, b.schema_.target
    if one is None or two is None or bool(one.labels) != bool(two.labels):
        raise OptionError("only models that predict the same column can be asked the same rows.")
    source = open_source(as_given(data))
    walk = side_by_side(*(m._each_block(source, m.model_.shares, unread="keep") for m in (a, b)))
    if not one.labels:
        return _regression(source, walk)
    names = [[str(v) for v in m.classes_] for m in (a, b)]
    met = MetAnswers(*names)
    for old, new in walk:
        met.add((a._decide(old), b._decide(new)), (old, new))
    first = []
    for row, before, after, own in met.first:
        why = (reason(a, source, row), reason(b, source, row))
        first.append(Flip(row + 1, shown(before), shown(after), own, why))
    found = tuple((shown(x), shown(y), n) for x, y, n in met.ordered_ways())
    return Flips(source.name, met.rows, met.count, found, tuple(first), met.moved)


def side_by_side(one: Iterator[Floats], two: Iterator[Floats]) -> Iterator[tuple[Floats, Floats]]:
    """Yield the answers of two iterators over the same rows, cut so that both have the same rows."""
    held: list[Floats] = [np.zeros((0, 0))] * 2
    while True:
        for at, walk in enumerate((one, two)):
            if not len(held[at]):
                held[at] = next(walk, held[at])
        n = min(map(len, held))
        if not n:
            return
        yield held[0][:n], held[1][:n]
        held = [part[n:] for part in held]


class MetAnswers:
    """Counts of the answers of two models to the same rows, added batch by batch.

    first: of the first rows that differ (row, before, after, shares). A row that could not be read has the
    answer None.
    """

    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        self.names = [*dict.fromkeys([*before, *after]), str(None)]
        self.into = [np.array([*map(self.names.index, own), -1]) for own in (before, after)]
        place = {name: k for k, name in enumerate(after)}
        self.there = np.array([place.get(name, -1) for name in before], np.int64)  # of each class before
        self.ways: Counter[tuple[str, str]] = Counter()
        self.first: list[tuple[int, str, str, tuple[float, float]]] = []
        self.rows = self.count = self.read = 0
        self._sum = digits(np.empty(0))

    def add(self, best: tuple[Any, Any], shares: tuple[Floats, Floats]) -> None:
        """Add the answers to some rows: best[row] and shares[row, class] of both models."""
        known = [~np.isnan(part[:, 0]) for part in shares]
        old, new = (into[np.where(k, b, -1)] for into, k, b in zip(self.into, known, best, strict=True))
        differ = np.flatnonzero(old != new)
        for row in differ[: MOST - len(self.first)].tolist():
            own = (float(shares[0][row, best[0][row]]), float(shares[1][row, best[1][row]]))
            self.first.append((self.rows + row, self.names[old[row]], self.names[new[row]], own))
        pairs, counts = np.unique(np.stack([old[differ], new[differ]]), axis=1, return_counts=True)
        for (x, y), n in zip(pairs.T.tolist(), counts.tolist(), strict=True):
            self.ways[self.names[x], self.names[y]] += n
        self._add_moved(best[0], shares, np.flatnonzero(known[0] & known[1]))
        self.rows += len(old)
        self.count += len(differ)

    def _add_moved(self, best: Any, shares: tuple[Floats, Floats], rows: Any) -> None:
        """Add how far the share of each first answer moved; a class that is gone has share 0."""
        own, other = best[rows], self.there[best[rows]]
        after = np.where(other < 0, 0.0, shares[1][rows, np.maximum(other, 0)])
        self._sum = joined(self._sum, digits(np.abs(shares[0][rows, own] - after)))
        self.read += len(rows)

    @property
    def moved(self) -> float:
        """How far the share of the first answer moved, in the mean of the rows that both could read."""
        return nearest(self._sum) / self.read if self.read else 0.0

    def ordered_ways(self) -> list[tuple[str, str, int]]:
        """Return (before, after, rows), the most frequent first."""
        return sorted(((*way, n) for way, n in self.ways.items()), key=lambda w: (-w[2], w[0], w[1]))


def _regression(source: Any, walk: Iterator[tuple[Floats, Floats]]) -> Flips:
    """Return the rows whose number changed, the largest changes first."""
    rows = count = read = 0
    most: list[tuple[float, int, float, float]] = []  # of the largest changes (-change, row, old, new)
    total = digits(np.empty(0))
    for old, new in ((x[:, 0], y[:, 0]) for x, y in walk):
        change = np.abs(new - old)
        known = change[~np.isnan(change)]
        top = [int(r) for r in np.argsort(-change, kind="stable")[:MOST] if change[r] > 0]
        most += [(-float(change[r]), rows + r, float(old[r]), float(new[r])) for r in top]
        most = sorted(most)[:MOST]
        total = joined(total, digits(known))
        rows, count, read = rows + len(old), count + int((known > 0).sum()), read + len(known)
    first = tuple(Flip(r + 1, f"{x:.6g}", f"{y:.6g}", (0.0, 0.0), ("", "")) for _, r, x, y in most)
    return Flips(source.name, rows, count, (), first, nearest(total) / read if read else 0.0, True)


def reason(model: Any, source: Any, row: int) -> str:
    """Return in a few words why a model answers a row: what speaks most for it, or its last tests."""
    found = model.explain(source, row).to_dict()
    if found.get("reasons"):
        return _of_sum(found)
    if "steps" in found:
        steps = found["steps"][1:]
        weights = [step.get("weight", 0.0) for step in steps]
        end = weights.index(max(weights)) + 1 if any(weights) else len(steps)  # up to the largest step
        return " and ".join(str(step["sentence"]) for step in steps[:end][-CONDITIONS:])
    return " and ".join(map(str, found.get("conditions", ()))) or "no rule holds"


def _of_sum(given: dict[str, Any]) -> str:
    """Return the column that speaks most for the answer of a model that adds up."""
    at = [str(c) for c in given["classes"]].index(str(given["answer"]))

    def adds(reason: dict[str, Any]) -> float:
        others = [part for k, part in enumerate(reason["parts"]) if k != at]
        return float(reason["parts"][at] - max(others, default=0.0))

    top = max(given["reasons"], key=adds)
    return f"{top['column']} = {top['value']}"
