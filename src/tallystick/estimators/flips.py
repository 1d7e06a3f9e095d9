"""Two models on the same rows: how many answers differ, which rows, and why; and `diff`, which asks for it.

Knows fitted models by what all share. Knows nothing of any learner. Law: an answer is that of `predict`.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallystick.data.source import open_source
from tallystick.draw.svg import as_html
from tallystick.errors import OptionError, counted, shown
from tallystick.estimators.rows import as_given
from tallystick.export.diff import Difference, Saved, compare, file_bytes
from tallystick.export.file import from_bytes

MOST = 20  # rows told one by one
CONDITIONS = 3  # of a way through a tree


@dataclass(frozen=True, slots=True)
class Flip:
    """One row, counted from 1, that two models answer differently: both answers with their shares (of a
    regression 0), and why each is given.
    """

    row: int
    before: str
    after: str
    shares: tuple[float, float]
    why: tuple[str, str]

    def __str__(self) -> str:
        one, two = self.shares
        sizes = ("", "") if not one and not two else (f" ({one:.0%})", f" ({two:.0%})")
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
        told = [
            dict(zip(names, (f.row, f.before, f.after, f.shares, f.why), strict=True)) for f in self.first
        ]
        ways = [{"before": a, "after": b, "rows": n} for a, b, n in self.ways]
        return {
            "name": self.name,
            "rows": self.rows,
            "flipped": self.count,
            "moved": self.moved,
            "ways": ways,
            "first": told,
        }

    def lines(self) -> list[str]:
        """Return the findings, a sentence each."""
        share = self.count / self.rows if self.rows else 0.0
        verb = "is" if self.count == 1 else "are"
        out = [
            f"{self.count:,} of {counted(self.rows, 'row')} of {self.name} ({share:.1%}) {verb} answered "
            f"differently; the {'answer' if self.regression else 'share of the answer'} moved by "
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
    from tallystick.estimators import load

    return load(model) if isinstance(model, str | os.PathLike) else model


def flips(a: Any, b: Any, data: Any) -> Flips:
    """Return which rows two fitted models of one target answer differently."""
    one, two = a.schema_.target, b.schema_.target
    if one is None or two is None or bool(one.labels) != bool(two.labels):
        raise OptionError("only models that predict the same column can be asked the same rows.")
    source = open_source(as_given(data))
    if not one.labels:
        return _regression(source, a.predict(source), b.predict(source))
    old, new = (np.asarray(m.predict(source)).astype(str) for m in (a, b))
    shares = [m.predict_proba(source) for m in (a, b)]
    labels = [{str(v): k for k, v in enumerate(m.classes_)} for m in (a, b)]
    differ = np.flatnonzero(old != new)
    ways = Counter(zip(old[differ].tolist(), new[differ].tolist(), strict=True))
    ordered = sorted(((*way, n) for way, n in ways.items()), key=lambda w: (-w[2], w[0], w[1]))
    moved = _moved(old, shares, labels)
    first = []
    for row in differ[:MOST].tolist():
        own = (float(shares[0][row].max()), float(shares[1][row].max()))
        why = (reason(a, source, row), reason(b, source, row))
        first.append(Flip(row + 1, shown(str(old[row])), shown(str(new[row])), own, why))
    told = tuple((shown(x), shown(y), n) for x, y, n in ordered)
    return Flips(source.name, len(old), len(differ), told, tuple(first), moved)


def _moved(answers: Any, shares: Any, places: Any) -> float:
    """Return how far the share of each first answer moved, in the mean; a class that is gone has share 0."""
    rows = np.arange(len(answers))
    own, other = (np.array([p.get(v, -1) for v in answers], np.int64) for p in places)
    after = np.where(other < 0, 0.0, shares[1][rows, np.maximum(other, 0)])
    return float(np.abs(shares[0][rows, own] - after).mean()) if len(rows) else 0.0


def _regression(source: Any, old: Any, new: Any) -> Flips:
    """Return the rows whose number changed, the largest changes first."""
    change = np.abs(new - old)
    order = [int(r) for r in np.argsort(-change, kind="stable") if change[r] > 0]
    first = tuple(Flip(r + 1, f"{old[r]:.6g}", f"{new[r]:.6g}", (0.0, 0.0), ("", "")) for r in order[:MOST])
    moved = float(change.mean()) if len(change) else 0.0
    return Flips(source.name, len(old), len(order), (), first, moved, True)


def reason(model: Any, source: Any, row: int) -> str:
    """Return in a few words why a model answers a row: what speaks most for it, or its last tests."""
    told = model.explain(source, row).to_dict()
    if told.get("reasons"):
        return _of_sum(told)
    if "steps" in told:
        steps = told["steps"][1:]
        weights = [step.get("weight", 0.0) for step in steps]
        end = weights.index(max(weights)) + 1 if any(weights) else len(steps)  # the pruning that counts most
        return " and ".join(str(step["sentence"]) for step in steps[:end][-CONDITIONS:])
    return " and ".join(map(str, told.get("conditions", ()))) or "no rule holds"


def _of_sum(told: dict[str, Any]) -> str:
    """Return the column that speaks most for the answer of a model that adds up."""
    at = [str(c) for c in told["classes"]].index(str(told["answer"]))

    def adds(reason: dict[str, Any]) -> float:
        others = [part for k, part in enumerate(reason["parts"]) if k != at]
        return float(reason["parts"][at] - max(others, default=0.0))

    top = max(told["reasons"], key=adds)
    return f"{top['column']} = {top['value']}"
