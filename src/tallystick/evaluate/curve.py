"""Learning curves: the error on new rows against the number of training rows.

Knows tables, and anything that can fit a table and answer a block. Knows nothing of learners.
Law: every method sees the same subsets; a smaller subset is part of the larger one of the same repeat, and
subsets depend on what rows hold, not on their order; a whole weight is its copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.draw.svg import Picture
from tallystick.errors import DataError, OptionError, shown
from tallystick.evaluate import large
from tallystick.evaluate.cases import Cases, InParts, case_keys, cases_of, count_cases
from tallystick.evaluate.costs import named, own_costs
from tallystick.evaluate.far_curve import FarSubsets, parts_end
from tallystick.evaluate.far_dealing import Dealer
from tallystick.evaluate.far_sums import judged, largest_share
from tallystick.evaluate.folds import check_repeats, in_pieces
from tallystick.evaluate.method import Fits
from tallystick.evaluate.running import Progress, Steps, answer, fresh, run_folds, workers

Floats = NDArray[np.float64]
TESTED = 1 / 3  # of the rows test in every repeat
MOST_TESTED = 5_000  # more test rows cost time and tell nothing new
POINTS = 10
MOST_POINTS = 1_000  # each is a fit of every method in every repeat, and a page shows no more


@dataclass(frozen=True)
class Curve:
    """error[repeat, size] and loss[repeat, size] of one method."""

    name: str
    error: Floats
    loss: Floats

    def band(self, what: str = "error") -> tuple[Floats, Floats, Floats]:
        """Return mean[size], and mean ± 2 standard errors over the repeats."""
        values: Floats = getattr(self, what)
        mean = values.mean(axis=0)
        half = 2 * values.std(axis=0, ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.zeros_like(mean)
        return mean, mean - half, mean + half


@dataclass(frozen=True)
class LearningCurve:
    """Curves of several methods over the same sizes."""

    target: str
    sizes: tuple[int, ...]
    curves: tuple[Curve, ...]
    base: float
    tested: int
    repeats: int
    stopped: bool = False
    left_out: str = ""  # a sentence, where a method could not learn from the table

    def to_dict(self) -> dict[str, Any]:
        """Return the curves as plain data."""
        methods = []
        for curve in self.curves:
            error, low, high = curve.band()
            methods.append(
                {
                    "error": error.tolist(),
                    "high": high.tolist(),
                    "log_loss": curve.band("loss")[0].tolist(),
                    "low": low.tolist(),
                    "name": curve.name,
                }
            )
        return {
            "base_error": self.base,
            "left_out": self.left_out,
            "methods": methods,
            "repeats": self.repeats,
            "sizes": list(self.sizes),
            "stopped": self.stopped,
            "target": self.target,
            "tested": self.tested,
        }

    def picture(self) -> Picture:
        """Return the curves as SVG."""
        from tallystick.draw.charts import line_chart

        data = self.to_dict()
        return Picture(
            line_chart(
                [(m["name"], data["sizes"], m["error"], m["low"], m["high"]) for m in data["methods"]],
                x="training rows",
                y="error on new rows",
                level=("most frequent class", self.base),
                log_x=True,
            )
        )

    def _repr_html_(self) -> str:
        from tallystick.draw.notebook import framed

        return framed(self.picture(), text=str(self))

    def __str__(self) -> str:
        from tallystick.evaluate.text import show_curve

        return show_curve(self)

    __repr__ = __str__


def curve_table(
    methods: Mapping[str, Fits],
    table: Table,
    sizes: Sequence[int] | int | None = None,
    repeats: int = 20,
    progress: Progress | None = None,
) -> LearningCurve:
    """Train every method on growing subsets, `repeats` times, and test each on rows held out in that
    repeat. sizes: of the subsets, or how many there are.
    """
    dealer: Dealer | None = table.dealer()
    many = count_cases(table) if dealer is None else dealer.cases
    if many < 10:
        raise DataError(f"a learning curve needs at least 10 rows, found {many:,}. Add rows.")
    check_repeats(repeats)
    tested = min(int(many * TESTED), MOST_TESTED)
    steps = _sizes(sizes, many, many - tested)
    error, loss = (np.full((len(methods), repeats, len(steps)), np.nan) for _ in range(2))
    told = Steps(repeats * len(methods), progress, "curves")
    parts: Subsets | FarSubsets
    parts = Subsets.of(table, tested, steps) if dealer is None else FarSubsets(table, dealer, tested, steps)

    def one(repeat: int) -> int:
        error[:, repeat], loss[:, repeat] = parts.curves(repeat, methods.values(), told)
        return repeat

    finished: list[int] = []
    stopped = run_folds(one, repeats, finished.append, at_once=workers(table))
    base = 1 - parts.base()
    kept = sorted(finished)
    curves = tuple(Curve(n, error[m, kept], loss[m, kept]) for m, n in enumerate(methods))
    return LearningCurve(table.schema.predicted.name, tuple(steps), curves, base, tested, len(kept), stopped)


@dataclass(frozen=True)
class Subsets:
    """The subsets of a learning curve. tested: how many cases test; sizes: of subsets."""

    cases: Cases
    table: Table
    tested: int
    sizes: Sequence[int]

    @classmethod
    def of(cls, table: Table, tested: int, sizes: Sequence[int]) -> Subsets:
        """Return the subsets of a table."""
        plain = table.weights is None and large.is_large(table)
        cases = Cases(None, None, case_keys(table)) if plain else cases_of(table)
        return cls(cases, table, tested, sizes)

    def base(self) -> float:
        """Return the share of the most frequent class."""
        return largest_share(self.table)

    def curves(self, repeat: int, models: Iterable[Fits], told: Steps) -> tuple[Floats, Floats]:
        """Return error[model, size] and loss[model, size] of one repeat."""
        table, test, train, places = subsets(self.cases, self.table, repeat + 1, self.tested, self.sizes)
        each = []
        for model in models:
            each.append(_one_curve(model, table, train, test, places))
            told.one()
        return np.array([error for error, _ in each]), np.array([loss for _, loss in each])


def subsets(
    cases: Cases, table: Table, key: int, tested: int, sizes: Sequence[int]
) -> tuple[Table, NDArray[np.int64], NDArray[np.int64], list[int]]:
    """Return the table, or, where rows have weights, those of its rows that are used, in pieces where copies
    of one are in several parts; the rows that test and those that train, part by part, which depend on what
    they hold and on the key; and how many of the latter each subset has.
    """
    if cases.sizes is None:
        order = cases.order_within(key, table)
        return table, order[:tested], order[tested:], list(sizes)
    ends_at = parts_end(tested, sizes)
    plan = in_pieces(table, cases, InParts(key, ends_at), ends_at[-1])
    order = np.argsort(plan.fold, kind="stable")
    ends = np.searchsorted(plan.fold[order], np.arange(len(sizes) + 1), side="right")
    return plan.pieces(table), order[: ends[0]], order[ends[0] :], (ends[1:] - ends[0]).tolist()


def _sizes(sizes: Sequence[int] | int | None, many: int, most: int) -> list[int]:
    whole = isinstance(sizes, int | np.integer) and not isinstance(sizes, bool)
    if sizes is None or (whole and 1 <= sizes <= MOST_POINTS):  # type: ignore[operator]
        points = min(POINTS if sizes is None else int(sizes), many)  # type: ignore[arg-type]
        return sorted({int(s) for s in np.geomspace(min(10, most), most, points).round()})
    try:
        out = sorted({int(s) for s in sizes})  # type: ignore[union-attr]
    except (TypeError, ValueError, OverflowError):
        raise OptionError(
            f"sizes must be a list of numbers of rows, or how many sizes (up to {MOST_POINTS:,}), not "
            f"{shown(sizes)}."
        ) from None
    if not out or out[0] < 1 or out[-1] > most:
        raise OptionError(
            f"sizes must lie between 1 and {most:,} (a third of the {many:,} rows is for testing), "
            f"not {shown(out)}."
        )
    return out


def _one_curve(
    model: Fits, table: Table, train: NDArray[np.int64], test: NDArray[np.int64], sizes: Sequence[int]
) -> tuple[Floats, Floats]:
    """Return error[size] and loss[size]; a method that can add counts gives its shares size by size
    (`_grow_shares`).
    """
    grown = model._grow_shares(table, train, test, sizes)
    steps = [None] * len(sizes) if grown is None else grown
    assert table.classes is not None
    rule = own_costs(model, table.schema.predicted, table.schema.predicted.labels)
    model = named(model, table.schema.predicted)
    truth = table.classes[test].astype(np.int64)
    weights = None if table.weights is None else table.weights[test]
    error, loss = np.empty(len(sizes)), np.empty(len(sizes))
    for at, (size, found) in enumerate(zip(sizes, steps, strict=True)):
        part = _fitted_shares(model, table, train[:size], test) if found is None else found
        told = judged(truth, part, rule, weights)
        error[at], loss[at] = told.error, told.mean_loss
    return error, loss


def _fitted_shares(model: Fits, table: Table, train: NDArray[np.int64], test: NDArray[np.int64]) -> Floats:
    """Return shares[test row, class]; a subset of one class answers that class, one without a usable column
    its shares.
    """
    assert table.classes is not None
    training = table.take(train).near()
    labels = table.schema.predicted.labels
    if len(training.schema.predicted.labels) < 2 or not training.schema.used:
        weight = None if table.weights is None else table.weights[train]
        full = np.bincount(table.classes[train], weight, minlength=len(labels))
        return np.tile(full / full.sum(), (len(test), 1))
    fitted = fresh(model, threads=1)._fit_to_answer(training)
    return answer(fitted, training, table.take(test, training.schema).near(), labels)
