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
from tallystick.evaluate.checks import LEFT_OUT
from tallystick.evaluate.compare import Entry, Watch, numbers
from tallystick.evaluate.crossval import FoldWay
from tallystick.evaluate.folds import NEVER
from tallystick.evaluate.large import empty, is_large
from tallystick.evaluate.result import FoldAnswers
from tallystick.evaluate.running import fresh
from tallystick.evaluate.trials import Candidate
from tallystick.methods import COMPARED, NAMES, REGRESSIONS, named

COMPARED_WORK = (
    60e6  # cells in all fits of a comparison; with more, methods are compared on a part of the rows
)
MOST_FOLDED = 40e6  # the same: with more, and nobody's wish, rows are dealt into HALF of the usual folds
FOLDS, HALF = 10, 5
CURVE_WORK = 2e6  # the same for learning curves
CURVE_SIZES = 5  # points of a curve: a picture needs no more
FEWEST, MOST = 2_000, 200_000  # rows of such a part; scores of more differ by less than they are told in


@dataclass(frozen=True)
class ReportWork:
    """What is done on which rows: how many were compared, judged and drawn as a curve; 0: all.

    left_out: methods that were not tried, in words. halved: fewer folds than usual were dealt.
    """

    compared: int = 0
    judged: int = 0
    curve: int = 0
    left_out: str = ""
    halved: bool = False


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
    """Return rows times columns times classes (of a number: one); of a text every word is a column."""
    texts = [c.name for c in table.schema.used if c.kind == "text"]
    words = sum(len(table.column(name).words) for name in texts)
    plain = table.rows * (len(table.schema.used) - len(texts))
    return float(plain + words) * max(len(table.schema.predicted.labels), 1)


def part_for(table: Table, families: Iterable[str], fits: int, work: float) -> RowsOf:
    """Return as many rows as the methods can be fitted on `fits` times within so much work."""
    whole = cells(table) * _effort(families) * fits
    if (whole <= work and table.rows <= MOST) or table.weights is not None or table.rows <= FEWEST:
        return RowsOf(table)
    rows = some_rows(table, min(max(int(table.rows * work / whole), FEWEST), MOST))
    return RowsOf(table) if len(rows) == table.rows else RowsOf(table.take(rows), rows)


def folds_for(table: Table, made: Sequence[Candidate]) -> int:
    """Return into how many folds the rows are dealt where nobody said: ten, or five where ten are long. With
    so many rows a model of four fifths of them answers as one of nine tenths does.
    """
    return FOLDS if cells(table) * _effort(_fits(made)) * FOLDS <= MOST_FOLDED else HALF


def part_to_compare(table: Table, made: Sequence[Candidate], folds: int) -> RowsOf:
    """Return the rows on which candidates are compared."""
    return part_for(table, _fits(made), folds, COMPARED_WORK)


def part_for_curve(table: Table, families: Iterable[str], repeats: int) -> RowsOf:
    """Return the rows of the learning curves; all their sizes together cost about two fits."""
    return part_for(table, families, 2 * repeats, CURVE_WORK)


def _fits(made: Sequence[Candidate]) -> list[str]:
    """Return the family of every fit that a fold needs."""
    return [c.family for c in made for _ in c.settings if c.family != "majority"]


def _effort(families: Iterable[str]) -> float:
    return sum(named(f).effort if f in (*NAMES, *REGRESSIONS) else 1.0 for f in families)


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
    left = tuple(check for check in found.checks if check.code in LEFT_OUT)
    candidate = next(c for c in made if c.name == entry.name)
    words, estimator = next(s for s in candidate.settings if s[0] == entry.setting)
    if cells(table) * _effort([entry.family]) * way.folds <= COMPARED_WORK and table.rows <= MOST:
        one = Candidate(entry.name, entry.family, ((words, estimator),))
        watch = tell(f"judging {entry.name} on all rows")
        again = compare_read(table, way, [one], watch=watch)
        return replace(found, chosen=again.chosen, checks=(*left, *again.checks)), 0
    tell(f"fitting {entry.name} on all rows")
    model = fresh(estimator)._fit_table(table)._keep_profile(table)
    result = _spread(entry.result, table, part)
    fitted: Entry[Any] = replace(entry, model=model, numbers=numbers(model), result=result)
    told = checked(replace(found, chosen=fitted, checks=left), table, frozenset(), None)
    return replace(found, chosen=fitted, checks=told.checks), part.table.rows


def _spread(result: CrossValidation, table: Table, part: RowsOf) -> CrossValidation:
    """Return the answers to some rows as answers to all, of which the others were not tested."""
    labels = table.schema.predicted.labels
    at = np.array([labels.index(label) for label in result.classes])
    assert part.rows is not None
    assert table.classes is not None
    every = []
    for one in result.repeats:
        shares, fold = spread(table, len(labels))
        shares[np.ix_(part.rows, at)], fold[part.rows] = one.shares, one.fold
        every.append(FoldAnswers(shares, fold))
    truth = table.classes if is_large(table) else table.classes.astype(np.int64)
    return replace(result, classes=labels, truth=truth, repeats=tuple(every))


def spread(table: Table, answers: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return shares[row, answer] and fold[row] of rows of which none is tested yet."""
    shares, fold = empty(table, (table.rows, answers), np.float64), empty(table, table.rows, np.int64)
    fold[:] = NEVER
    return shares, fold
