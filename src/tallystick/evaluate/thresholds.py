"""Where to draw the line between two classes: what every threshold finds, misses and costs, and what the rows
with the highest probabilities hold.

Knows probabilities, truth and costs of answers to rows that the model had not seen. Knows nothing of models
or folds. Laws: a threshold counts what a model that decides by it answers (`models/decision.py`); at 0.5
stand the answers by the largest probability; a row of weight w counts as w rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.schema import Target
from tallystick.draw.svg import Picture, as_html
from tallystick.draw.text import Line, Span, Style, clean, plain, table, wrapped
from tallystick.errors import OptionError, nearest, shown, some
from tallystick.models.costs import cost_table, refuse_unknown
from tallystick.models.decision import costs_told, decide, of_threshold

Floats = NDArray[np.float64]

SHOWN = (
    0.05,
    0.1,
    0.2,
    0.3,
    0.4,
    0.5,
    0.6,
    0.7,
    0.8,
    0.9,
    0.95,
)  # thresholds in the table, if none are asked
APART = 1e-9  # probabilities nearer than that are not told apart by a threshold
CURVE = 200  # points of a curve at most


@dataclass(frozen=True)
class RankedRows:
    """Rows of two classes by their probabilities: shares[distinct, class] rising in the second class,
    hits[distinct, class]: the weight of the rows of each class there.
    """

    shares: Floats
    hits: Floats

    @classmethod
    def of(cls, truth: NDArray[Any], shares: Floats, weight: Floats) -> RankedRows:
        """Rank truth[row], shares[row, class], weight[row]."""
        values, first, at = np.unique(shares[:, 1], return_index=True, return_inverse=True)
        hits = [np.bincount(at, weight * (truth == c), minlength=len(values)) for c in (0, 1)]
        return cls(shares[first], np.stack(hits, axis=1))

    def above(self, thresholds: Floats, of: int) -> Floats:
        """Return rows[threshold, class] that a class is answered for above each threshold, rising; at exactly
        the threshold the first class is answered.
        """
        shares, hits = (self.shares[:, 1], self.hits) if of else (self.shares[::-1, 0], self.hits[::-1])
        below = np.searchsorted(shares, thresholds, "right" if of else "left")
        passed = np.vstack([np.zeros(2), hits.cumsum(axis=0)])
        return np.asarray(passed[-1] - passed[below])

    def counts(self, threshold: float, target: Target, of: int) -> Floats:
        """Return counts[truth, answer] where a class is answered above a threshold."""
        decision = of_threshold(target, threshold, target.labels[of])
        answer = decide(self.shares, decision.table)
        return np.stack([self.hits[answer == c].sum(axis=0) for c in (0, 1)], axis=1)


@dataclass(frozen=True)
class Threshold:
    """One threshold: found, missed: rows of the class that are answered so, or not; alarms, cleared: rows of
    the other class that are answered as the class, or not. saving: the cost at 0.5 less the cost here.
    """

    threshold: float
    found: float
    missed: float
    alarms: float
    cleared: float
    cost: float
    saving: float = 0.0

    @property
    def rows(self) -> float:
        """All rows."""
        return self.found + self.missed + self.alarms + self.cleared

    @property
    def answered(self) -> float:
        """The share of all rows that are answered as the class."""
        return (self.found + self.alarms) / self.rows if self.rows else 0.0

    @property
    def gain(self) -> float:
        """The share of the rows of the class that are found (recall)."""
        own = self.found + self.missed
        return self.found / own if own else 0.0

    @property
    def precision(self) -> float | None:
        """The share of the rows so answered that are of the class; None where no row is."""
        said = self.found + self.alarms
        return self.found / said if said else None

    @property
    def lift(self) -> float | None:
        """How many times more often the class is met among the rows so answered than among all; None where
        no row is.
        """
        base = (self.found + self.missed) / self.rows if self.rows else 0.0
        return None if self.precision is None or not base else self.precision / base

    def to_dict(self) -> dict[str, Any]:
        """Return the threshold as plain data."""
        names = ("threshold", "found", "missed", "alarms", "cleared", "cost", "saving")
        more = ("answered", "gain", "precision", "lift")
        return {name: getattr(self, name) for name in (*names, *more)}


@dataclass(frozen=True)
class Thresholds:
    """What each threshold of a class costs, the cheapest of all, and gain and lift of the rows with the
    highest probabilities. `costs[truth][answer]` in the order of `labels`.
    """

    labels: tuple[str, ...]
    of: str
    costs: tuple[tuple[float, ...], ...]
    points: tuple[Threshold, ...]
    best: Threshold
    half: Threshold
    ranked: RankedRows = field(repr=False)

    @property
    def other(self) -> str:
        """The class that is answered below the threshold."""
        return next(label for label in self.labels if label != self.of)

    @cached_property
    def gains(self) -> tuple[tuple[float, float, float], ...]:
        """(share of all rows, gain, lift) of the rows with the highest probabilities, from none to all."""
        at = self.labels.index(self.of)
        hits = self.ranked.hits[::-1] if at else self.ranked.hits
        rows, own = np.cumsum(hits.sum(axis=1)), np.cumsum(hits[:, at])
        keep = thin(len(rows))
        total, ups = float(rows[-1]), max(float(own[-1]), 1e-300)
        taken = [(float(rows[k]) / total, float(own[k]) / ups) for k in keep.tolist()]
        return ((0.0, 0.0, taken[0][1] / taken[0][0]), *((a, g, g / a) for a, g in taken))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "best": self.best.to_dict(),
            "costs": [list(row) for row in self.costs],
            "gains": [list(point) for point in self.gains],
            "half": self.half.to_dict(),
            "labels": list(self.labels),
            "of": self.of,
            "thresholds": [point.to_dict() for point in self.points],
        }

    def picture(self, kind: str = "cost") -> Picture:
        """Return "cost", "gain" or "lift" as a picture."""
        from tallystick.draw.panels import Axis, ChartCurve, chart

        if kind == "cost":
            cuts = all_cuts(self.ranked, self.labels.index(self.of), np.array(self.costs))
            keep = thin(len(cuts.cost))
            x, y = ((cuts.low + cuts.high) / 2)[keep].tolist(), cuts.cost[keep].tolist()
            axes = Axis(f"threshold of {self.of}"), Axis("cost", 0.0, max(y) or 1.0)
        elif kind in ("gain", "lift"):
            x = [point[0] for point in self.gains]
            y = [point[1 if kind == "gain" else 2] for point in self.gains]
            words = {"gain": f"share of {self.of} found", "lift": "lift"}[kind]
            axes = Axis("share of rows taken, the most probable first"), Axis(words, 0.0, max(1.0, *y))
        else:
            raise OptionError(f"there is no picture {shown(kind)} of thresholds. Use cost, gain or lift.")
        return Picture(
            chart([ChartCurve(self.of, x, y)], *axes, f"{kind} of {self.of}", diagonal=kind == "gain")
        )

    _repr_html_ = as_html

    def __str__(self) -> str:
        from tallystick.evaluate.text import cells

        of, other = clean(self.of), clean(self.other)
        title = f"{of} is answered where its probability is above the threshold, else {other}"
        lines: list[Line] = [*wrapped(title, cells(), "", "strong"), ()]
        header = ("threshold", "found", "missed", "false alarms", "cleared", "cost", "saving", "gain", "lift")
        points = sorted(
            {p.threshold: p for p in (*self.points, self.best)}.values(), key=lambda p: p.threshold
        )
        rows = [_cells(point, point.threshold == self.best.threshold) for point in points]
        lines += table(header, rows, frozenset(range(1, len(header))), cells())
        lines += [(), *wrapped(clean(self.told), cells(), "cheapest: ")]
        lines += wrapped(f"costs: {clean(costs_told(self.costs, self.labels))}", cells(), "", "dim")
        lines += wrapped(
            f"saving: against the threshold 0.5; gain: the share of {of} that is found", cells(), "", "dim"
        )
        return plain(lines)

    __repr__ = __str__

    @property
    def told(self) -> str:
        """The cheapest threshold in a sentence."""
        best, half = self.best, self.half
        if best.threshold == half.threshold or best.saving <= 0:
            return f"0.5, a cost of {_number(half.cost)}: no other threshold is cheaper."
        part = f" ({best.saving / half.cost:.0%})" if half.cost > 0 else ""
        return (
            f"{best.threshold:.6g}, a cost of {_number(best.cost)} against {_number(half.cost)} at 0.5: "
            f"{_number(best.saving)}{part} saved. It was chosen on the rows it is counted on, so this is a "
            "little hopeful."
        )


def thresholds_of(
    ranked: RankedRows, labels: tuple[str, ...], costs: Any, of: str, at: Sequence[float] | None
) -> Thresholds:
    """Return what thresholds of a class cost. at: those of the table; the cheapest is found among all."""
    target = Target("the target", labels)
    refuse_unknown(costs, target)
    prices = cost_table(costs, target) or ((0.0, 1.0), (1.0, 0.0))
    place, table_ = _place(target, of), np.array(prices)
    half = _point(0.5, ranked.counts(0.5, target, place), place, table_)
    points = []
    for threshold in SHOWN if at is None else at:
        counts = ranked.counts(threshold, target, place)
        points.append(_against(half, _point(float(threshold), counts, place, table_)))
    best = _against(half, cheapest_cut(ranked, place, table_, half))
    return Thresholds(labels, labels[place], prices, tuple(points), best, half, ranked)


def cheapest_cut(ranked: RankedRows, of: int, costs: Floats, half: Threshold) -> Threshold:
    """Return the cheapest threshold, of equals the one nearest to 0.5."""
    cuts = all_cuts(ranked, of, costs)
    if not len(cuts.cost) or half.cost <= cuts.cost.min():
        return half
    same = np.flatnonzero(cuts.cost == cuts.cost.min())
    away = np.abs((cuts.low + cuts.high)[same] / 2 - 0.5)
    return cuts.point(int(same[np.argmin(away)]), costs)


def thin(size: int) -> NDArray[np.int64]:
    """Return the places of at most CURVE points of a curve, the ends kept."""
    return np.unique(np.linspace(0, size - 1, min(size, CURVE)).astype(np.int64))


@dataclass(frozen=True)
class Cuts:
    """Every threshold that tells rows apart: between neighbouring probabilities low[cut] and high[cut];
    above[cut, class]: the rows above it; cost[cut].
    """

    of: int
    low: Floats
    high: Floats
    above: Floats
    total: Floats
    cost: Floats

    def point(self, cut: int, costs: Floats) -> Threshold:
        """Return one of them."""
        counts = np.empty((2, 2))
        counts[:, self.of], counts[:, 1 - self.of] = self.above[cut], self.total - self.above[cut]
        return _point(between(float(self.low[cut]), float(self.high[cut])), counts, self.of, costs)


def all_cuts(ranked: RankedRows, of: int, costs: Floats) -> Cuts:
    """Return a threshold between every two neighbouring probabilities of a class."""
    shares, hits = (ranked.shares[:, 1], ranked.hits) if of else (ranked.shares[::-1, 0], ranked.hits[::-1])
    above = np.vstack([hits[::-1].cumsum(axis=0)[::-1], np.zeros(2)])  # rows at or above each probability
    edges = np.concatenate([[0.0], shares, [1.0]])
    apart = np.diff(edges) >= APART
    total = above[0]
    spent = above @ costs[:, of] + (total - above) @ costs[:, 1 - of]
    return Cuts(of, edges[:-1][apart], edges[1:][apart], above[apart], total, spent[apart])


def between(low: float, high: float) -> float:
    """Return a number of few digits between two probabilities, near their middle."""
    middle = (low + high) / 2
    for digits in range(1, 17):
        short = round(middle, digits)
        if low < short < high:
            return short
    return middle


def _place(target: Target, of: Any) -> int:
    label = target.label_of(of)
    if label not in target.labels:
        raise OptionError(
            f"of={shown(of)} is not a class.{nearest(str(of), target.labels)} Classes: {some(target.labels)}."
        )
    return target.labels.index(label)


def _point(threshold: float, counts: Floats, of: int, costs: Floats) -> Threshold:
    """Return a threshold of counts[truth, answer]."""
    found, missed = float(counts[of, of]), float(counts[of, 1 - of])
    alarms, cleared = float(counts[1 - of, of]), float(counts[1 - of, 1 - of])
    return Threshold(threshold, found, missed, alarms, cleared, float((counts * costs).sum()))


def _against(half: Threshold, point: Threshold) -> Threshold:
    return replace(point, saving=half.cost - point.cost)


def _cells(point: Threshold, best: bool) -> tuple[Span, ...]:
    """Return the cells of a line of the table."""
    counts = [f"{n:,.6g}" for n in (point.found, point.missed, point.alarms, point.cleared)]
    lift = "" if point.lift is None else f"{point.lift:.2f}"
    texts = [*counts, _number(point.cost), _number(point.saving), f"{point.gain:.1%}", lift]
    style: Style = "strong" if best else ""
    mark = "▸ " if best else "  "
    return (Span(f"{mark}{point.threshold:.6g}", style), *(Span(text, style) for text in texts))


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"
