"""How a logistic regression fits its training rows: residuals, leverage, influence; and Hosmer and
Lemeshow's groups.

Knows fitted rows of two classes. Law: the squares of the deviance residuals add up to minus twice the
log-likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick import kernels
from tallystick.draw.svg import as_html
from tallystick.draw.text import Line, Span, clean, plain, table, wrapped
from tallystick.errors import OptionError, counted, shown
from tallystick.explain.logistic import p_words
from tallystick.explain.logistic_rows import FittedRows
from tallystick.explain.tails import chi_square_tail
from tallystick.models.logistic.model import LogisticModel
from tallystick.models.plain import is_whole

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
SHOWN = 10


@dataclass(frozen=True)
class Residuals:
    """By row: its number in the data (from 0), the class, the share of the class that the odds are of,
    residuals of both kinds, leverage and Cook's distance. A row with a whole weight stands for its copies;
    its figures are those of one.
    """

    of: str
    row: Whole
    label: tuple[str, ...] = field(repr=False)
    share: Array
    deviance: Array
    pearson: Array
    leverage: Array
    cooks_distance: Array

    def largest(self, most: int = SHOWN, by: str = "cooks_distance") -> list[dict[str, Any]]:
        """Return the rows that stand out, the largest first.

        Parameters
        ----------
        most : int, default 10
            How many rows.
        by : {"cooks_distance", "leverage", "deviance", "pearson"}, default "cooks_distance"
            What they are ordered by; residuals by their size.

        Returns
        -------
        list of dict
            Row, class and figures of each.
        """
        figures = ("cooks_distance", "leverage", "deviance", "pearson")
        if by not in figures:
            raise OptionError(f"by must be one of {', '.join(figures)}, not {shown(by)}.")
        size = np.abs(getattr(self, by))
        order = np.lexsort((self.row, -size))[:most]
        return [
            {
                "row": int(self.row[i]),
                "class": self.label[i],
                "share": float(self.share[i]),
                **{name: float(getattr(self, name)[i]) for name in figures},
            }
            for i in order.tolist()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        names = ("row", "share", "deviance", "pearson", "leverage", "cooks_distance")
        return {"class": list(self.label)} | {name: getattr(self, name).tolist() for name in names}

    def lines(self) -> list[Line]:
        """Return the rows of most influence as lines."""
        header = [
            "row",
            "class",
            f"P({clean(self.of)})",
            "deviance residual",
            "Pearson",
            "leverage",
            "Cook's distance",
        ]
        rows = [
            [
                Span(text)
                for text in (
                    f"{row['row']:,}",
                    clean(row["class"]),
                    f"{row['share']:.4f}",
                    f"{row['deviance']:+.4f}",
                    f"{row['pearson']:+.4f}",
                    f"{row['leverage']:.4f}",
                    f"{row['cooks_distance']:.4f}",
                )
            ]
            for row in self.largest()
        ]
        head = f"The {counted(len(rows), 'row')} of most influence, of {len(self.row):,}; counted from 0."
        return [(Span(head),), *table(header, rows, frozenset({0, 2, 3, 4, 5, 6}), 10_000)]

    _repr_html_ = as_html

    def __str__(self) -> str:
        return plain(self.lines())

    __repr__ = __str__


def residuals_of(model: LogisticModel, rows: FittedRows, places: Whole | None) -> Residuals:
    """Return the residuals of all rows; places[row]: their rows in the data, None: as they come."""
    share, own, _ = rows.second
    toward = model.reference == 0  # the odds are those of the second class
    p = share if toward else 1.0 - share
    hit = own == (1 if toward else 0)
    right = np.maximum(np.where(hit, p, 1.0 - p), 1e-300)
    deviance = np.where(hit, 1.0, -1.0) * np.sqrt(-2.0 * kernels.log(right))
    pearson = np.where(hit, 1.0, -1.0) * np.sqrt((1.0 - right) / right)
    h, k = rows.leverage, rows.found.problem.weights
    cooks = pearson**2 * h / (k * (1.0 - h) ** 2)
    labels = tuple(model.labels[c] for c in own.tolist())
    at = np.arange(len(p)) if places is None else places
    return Residuals(model.labels[1 if toward else 0], at, labels, p, deviance, pearson, h, cooks)


@dataclass(frozen=True)
class HosmerLemeshow:
    """groups: low and high share, rows, rows of the class, and how many the shares expect."""

    of: str
    groups: tuple[tuple[float, float, float, float, float], ...]

    @property
    def statistic(self) -> float:
        """Chi-square over the groups."""
        return sum((o - e) ** 2 / (e * (1.0 - e / n)) for _, _, n, o, e in self.groups if 0 < e < n)

    @property
    def freedom(self) -> int:
        """Groups less 2."""
        return max(len(self.groups) - 2, 0)

    @property
    def p(self) -> float:
        """The probability of such a statistic if the shares are right."""
        return chi_square_tail(self.statistic, self.freedom) if self.freedom else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        names = ("low", "high", "rows", "observed", "expected")
        groups = [dict(zip(names, group, strict=True)) for group in self.groups]
        return {"groups": groups, "statistic": self.statistic, "freedom": self.freedom, "p": self.p}

    def lines(self, cells: int = 80) -> list[Line]:
        """Return the groups as lines, with the caveat below."""
        header = [f"P({clean(self.of)})", "rows", "observed", "expected"]
        rows = [
            [Span(t) for t in (f"{low:.4f} .. {high:.4f}", f"{n:,.10g}", f"{o:,.10g}", f"{e:,.2f}")]
            for low, high, n, o, e in self.groups
        ]
        told = (
            f"χ² {self.statistic:.4f} with {counted(self.freedom, 'degree')} of freedom, p {p_words(self.p)}."
        )
        caveat = (
            "A small p says that the shares are off somewhere. The test depends on the number of groups, "
            "sees little in few rows and everything in many, and these are the rows of the fit: look at the "
            "calibration of rows held out (cross_validate) before you trust it."
        )
        return [
            *table(header, rows, frozenset({1, 2, 3}), 10_000),
            *wrapped(told, cells),
            *wrapped(caveat, cells),
        ]

    _repr_html_ = as_html

    def __str__(self) -> str:
        return plain(self.lines())

    __repr__ = __str__


def hosmer_lemeshow(model: LogisticModel, rows: FittedRows, groups: int) -> HosmerLemeshow:
    """Return the groups, cut at the quantiles of the shares as R's hoslem.test does."""
    if not is_whole(groups) or groups < 3:
        raise OptionError(f"groups must be a whole number of at least 3, not {shown(groups)}.")
    share, own, copies = rows.second
    toward = model.reference == 0
    p, hit = (share, own == 1) if toward else (1.0 - share, own == 0)
    cuts = np.unique(quantiles(p, copies, np.arange(groups + 1) / groups))
    if len(cuts) < 4:
        raise OptionError(
            f"the model gives {counted(len(np.unique(p)), 'distinct share')}: too few to cut into groups."
        )
    at = np.maximum(np.searchsorted(cuts, p, "left") - 1, 0)  # (low, high], the first with its low end
    sums = [np.bincount(at, w, len(cuts) - 1) for w in (copies, copies * hit, copies * p)]
    found = zip(cuts[:-1], cuts[1:], *sums, strict=True)
    return HosmerLemeshow(
        model.labels[1 if toward else 0],
        tuple(tuple(float(v) for v in group) for group in found),  # type: ignore[misc]
    )


def quantiles(values: Array, copies: Array, at: Array) -> Array:
    """Return the quantiles of values, each so many times, between neighbours as a line (R's type 7)."""
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(copies[order])
    place = at * (ends[-1] - 1.0)
    low = np.floor(place + 1e-9)
    below = values[order][np.searchsorted(ends, low, "right").clip(max=len(order) - 1)]
    above = values[order][np.searchsorted(ends, low + 1.0, "right").clip(max=len(order) - 1)]
    out: Array = below + np.maximum(place - low, 0.0) * (above - below)
    return out
