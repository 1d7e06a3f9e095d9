"""On how many rows a report compares, judges and draws: on all of them where that is quick.

Knows counted work: rows times columns times classes, words of texts one by one. Knows nothing of pages.
Laws: work is counted, never timed, so the same rows give the same sample and the same page; the model that is
drawn is fitted on all rows; what was done on a part of them is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.estimators.choosing import methods_to_try
from tallystick.estimators.judging import checked, compare_read
from tallystick.evaluate import Comparison, CrossValidation
from tallystick.evaluate.cases import some_rows
from tallystick.evaluate.compare import Entry, Watch, numbers
from tallystick.evaluate.crossval import FoldWay
from tallystick.evaluate.result import FoldAnswers
from tallystick.evaluate.running import fresh
from tallystick.evaluate.trials import Candidate
from tallystick.methods import COMPARED, NAMES, named

COMPARED_WORK = (
    90e6  # cells in all fits of a comparison; with more, methods are compared on a part of the rows
)
CURVE_WORK, CURVE_SHARE = 6e6, 1 / 12  # the same for learning curves; or this share of the table's cells
FEWEST = 2_000  # rows of such a part


@dataclass(frozen=True)
class ReportWork:
    """What is done on which rows: how many were compared, judged and drawn as a curve; 0: all.

    left_out: methods that were not tried, in words.
    """

    compared: int = 0
    judged: int = 0
    curve: int = 0
    left_out: str = ""


@dataclass(frozen=True)
class RowsOf:
    """Some rows of a table; rows[row of the part] is their number in the whole, None: all."""

    table: Table
    rows: NDArray[np.int64] | None = None


def tried(table: Table) -> tuple[tuple[str, ...], str]:
    """Return the methods to compare where none are named, and a sentence on those that are left out."""
    found = methods_to_try(table)
    gone = [named(m).words for m in COMPARED if m not in found]
    if not gone:
        return found, ""
    classes = len(table.schema.predicted.labels)
    return found, f"{' and '.join(gone).capitalize()} was not tried: it is slow with {classes} classes."


def cells(table: Table) -> float:
    """Return rows times columns times classes; of a text every word is a column."""
    texts = [c.name for c in table.schema.used if c.kind == "text"]
    words = sum(len(table.column(name).words) for name in texts)
    plain = table.rows * (len(table.schema.used) - len(texts))
    return float(plain + words) * len(table.schema.predicted.labels)


def part_for(table: Table, families: Iterable[str], fits: int, work: float) -> RowsOf:
    """Return as many rows as the methods can be fitted on `fits` times within so much work."""
    effort = sum(named(f).effort if f in NAMES else 1.0 for f in families)
    whole = cells(table) * effort * fits
    if whole <= work or table.weights is not None or table.rows <= FEWEST:
        return RowsOf(table)
    rows = some_rows(table, max(int(table.rows * work / whole), FEWEST))
    return RowsOf(table) if len(rows) == table.rows else RowsOf(table.take(rows), rows)


def part_to_compare(table: Table, made: Sequence[Candidate], folds: int) -> RowsOf:
    """Return the rows on which candidates are compared."""
    fits = [c.family for c in made for _ in c.settings if c.family != "majority"]
    return part_for(table, fits, folds, COMPARED_WORK)


def part_for_curve(table: Table, families: Iterable[str], repeats: int) -> RowsOf:
    """Return the rows of the learning curves; all their sizes together cost about two fits."""
    return part_for(table, families, 2 * repeats, max(CURVE_WORK, cells(table) * CURVE_SHARE))


def judged_on_all(
    found: Comparison[CrossValidation],
    table: Table,
    part: RowsOf,
    made: Sequence[Candidate],
    way: FoldWay,
    tell: Callable[[str], Watch],
) -> tuple[Comparison[CrossValidation], int]:
    """Return the comparison with the chosen method fitted on all rows, and judged on all where that is quick;
    and on how many rows it was judged, 0 for all. tell(what): who is told of the work.
    """
    entry = found.chosen
    candidate = next(c for c in made if c.name == entry.name)
    words, estimator = next(s for s in candidate.settings if s[0] == entry.setting)
    effort = named(entry.family).effort if entry.family in NAMES else 1.0
    if cells(table) * effort * way.folds <= COMPARED_WORK:
        one = Candidate(entry.name, entry.family, ((words, estimator),))
        watch = tell(f"judging {entry.name} on all rows")
        again = compare_read(table, way, [one], watch=watch)
        return replace(found, chosen=again.chosen, checks=again.checks), 0
    tell(f"fitting {entry.name} on all rows")
    model = fresh(estimator)._fit_table(table)._keep_profile(table)
    result = _spread(entry.result, table, part)
    fitted: Entry[Any] = replace(entry, model=model, numbers=numbers(model), result=result)
    told = checked(replace(found, chosen=fitted, checks=()), table, frozenset(), None)
    return replace(found, chosen=fitted, checks=told.checks), part.table.rows


def _spread(result: CrossValidation, table: Table, part: RowsOf) -> CrossValidation:
    """Return the answers to some rows as answers to all, of which the others were not tested."""
    labels = table.schema.predicted.labels
    at = np.array([labels.index(label) for label in result.classes])
    assert part.rows is not None
    assert table.classes is not None
    every = []
    for one in result.repeats:
        shares, fold = np.zeros((table.rows, len(labels))), np.full(table.rows, -1, np.int64)
        shares[np.ix_(part.rows, at)], fold[part.rows] = one.shares, one.fold
        every.append(FoldAnswers(shares, fold))
    return replace(result, classes=labels, truth=table.classes.astype(np.int64), repeats=tuple(every))
