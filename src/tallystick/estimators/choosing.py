"""Which method? The simplest of those about as good as the best, each as it is: what `tally fit` takes where
none is named.

Knows the comparison. Knows nothing of files or screens. Laws: the choice depends on the rows, not on their
order; it is of the method alone: the model is the one that naming the method gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tallystick.contracts import Table
from tallystick.errors import DataError
from tallystick.estimators.judging import Progress, candidates_of, check_measure, compare_read
from tallystick.estimators.naive_bayes import NaiveBayes
from tallystick.estimators.regression_tree import RegressionTree
from tallystick.evaluate.cases import some_rows
from tallystick.evaluate.checks import LEFT_OUT
from tallystick.evaluate.compare import Entry, Watch, best_method
from tallystick.evaluate.crossval import FoldWay
from tallystick.methods import COMPARED, REGRESSIONS, named

WORK = 200_000  # rows times columns times classes that are compared; of larger tables a part is
FEWEST = 1_000  # rows of that part
SLOW_WORK = 60_000  # the same, up to which methods that are slow with many classes are tried
UNJUDGED = "bayes"  # taken where the rows are too few to be dealt into folds


@dataclass(frozen=True)
class ChosenMethod:
    """A method, why it was taken in sentences, and how it was judged; None: the rows are too few for that."""

    family: str
    why: str
    entry: Entry[Any] | None = None
    rows: int = 0  # that were compared

    def judged(self) -> Any:
        """Return how the method was judged, cross-validated."""
        assert self.entry is not None
        return self.entry.result

    def estimator(self, shared: Mapping[str, Any]) -> Any:
        """Return the method as it is, not fitted."""
        return named(self.family).load("estimator")(**shared)


def choose(
    data: Any,
    target: Any,
    *,
    folds: int = 10,
    regression: bool = False,
    measure: str = "log-loss",
    progress: Progress | None = None,
    **shared: Any,
) -> ChosenMethod:
    """Compare all methods as they are, for classes or for numbers, and return the one to take."""
    check_measure(measure, regression)
    reader: Any = RegressionTree(**shared) if regression else NaiveBayes(**shared)
    table = reader._read(data, target)
    rows = _most(table)
    part = table if table.rows <= rows else table.take(some_rows(table, rows))
    made = candidates_of(REGRESSIONS if regression else methods_to_try(part), False, shared)
    try:
        found = compare_read(
            part, FoldWay.of(folds, None, None), made, watch=Watch(progress), measure=measure
        )
    except DataError as error:
        taken = REGRESSIONS[0] if regression else UNJUDGED
        words = named(taken).words
        return ChosenMethod(taken, f"The methods could not be compared: {error} {words} is taken.")
    entry, why = best_method(found)
    left = [check.text for check in found.checks if check.code in LEFT_OUT]
    if part is not table:
        left.append(f"To save time, methods were compared on {part.rows:,} of the {table.rows:,} rows.")
    return ChosenMethod(entry.family, " ".join([*left, why]), entry, part.rows)


def methods_to_try(table: Table) -> tuple[str, ...]:
    """Return the methods to try: with more than two classes only those that are quick there, unless the
    table is small.
    """
    classes = len(table.schema.predicted.labels)
    small = table.rows * len(table.schema.used) * classes <= SLOW_WORK
    return tuple(m for m in COMPARED if classes == 2 or small or not named(m).few_classes)


def _most(table: Table) -> int:
    """Return how many rows are compared."""
    each = max(len(table.schema.used), 1) * max(len(table.schema.predicted.labels), 1)
    return max(WORK // each, FEWEST)
