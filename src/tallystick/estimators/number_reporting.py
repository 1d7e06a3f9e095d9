"""What `report` does where the target is a number: describe the columns, compare the methods for numbers.

Knows the estimators and which jobs to run. Knows nothing of pages.
Law: the same rows, parameters and name of the data give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.description import Description, describe_table
from tallystick.estimators.judging import Methods, candidates_of, compare_read, methods_named
from tallystick.estimators.report_work import ReportWork, part_to_compare, spread
from tallystick.evaluate import Comparison
from tallystick.evaluate.compare import Watch, best_method
from tallystick.evaluate.crossval import FoldWay
from tallystick.evaluate.result import FoldAnswers
from tallystick.evaluate.running import fresh
from tallystick.methods import REGRESSIONS


def described_numbers(name: str, table: Any, threads: int | None, form: str) -> Description:
    """Return the description of the columns beside a target of numbers."""
    bare = replace(table, schema=replace(table.schema, target=None), response=None, notes=table.notes)
    return describe_table(name, bare, threads, form)


def compared_numbers(
    table: Table, methods: Methods | None, folds: int, shared: Mapping[str, Any], watch: Watch
) -> tuple[Comparison[Any], ReportWork]:
    """Return the methods compared, each as it is and tuned (a tree as it is grown is too large to read); on a
    part of the rows where that would be long, and the chosen one then fitted on all.
    """
    wanted: Methods = REGRESSIONS if methods is None else methods
    methods_named(wanted, shared, regression=True)
    made = candidates_of(wanted, True, shared)
    part = part_to_compare(table, made, folds)
    found = compare_read(part.table, FoldWay.of(folds, None, None), made, watch=watch)
    entry, why = best_method(found)
    if part.rows is None:
        return replace(found, chosen=entry, why=why), ReportWork()
    model = fresh(entry.model)._fit_table(table)._keep_profile(table)
    result = _spread(entry.result, table, part.rows)
    entry = replace(entry, model=model, numbers=model._numbers(), result=result)
    return replace(found, chosen=entry, why=why), ReportWork(part.table.rows, part.table.rows)


def _spread(result: Any, table: Table, rows: NDArray[np.int64]) -> Any:
    """Return the answers to some rows as answers to all, of which the others were not tested."""
    shares, fold = spread(table, 1)
    shares[rows], fold[rows] = result.repeats[0].shares, result.fold
    return replace(result, truth=table.response, repeats=(FoldAnswers(shares, fold),))
