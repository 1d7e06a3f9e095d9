"""`report`: describe, compare, train and draw, then one HTML file from all of it.

Knows the estimators and which jobs to run. Knows nothing of pages: the report room makes those from data.
Law: the same rows, parameters and name of the data give the same bytes.
"""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, overload

from tallystick.contracts import Table
from tallystick.data.source import open_source
from tallystick.data.source.door import files_behind
from tallystick.data.source.size import budget
from tallystick.description import Description, describe_table
from tallystick.engines.local import STEPS_DONE, check_progress
from tallystick.errors import ContinuousTarget, DataError, OptionError, shown
from tallystick.estimators.change_report import ChangeReport, change_report
from tallystick.estimators.judging import Methods, candidates_of, compare_read, curve_read, methods_named
from tallystick.estimators.naive_bayes import NaiveBayes
from tallystick.estimators.number_reporting import compared_numbers, described_numbers
from tallystick.estimators.regression_tree import RegressionTree
from tallystick.estimators.report_work import (
    CURVE_SIZES,
    HALF,
    ReportWork,
    folds_for,
    judged_on_all,
    part_for_curve,
    part_to_compare,
    tried,
)
from tallystick.estimators.row_order import ordered, row_of
from tallystick.estimators.rows import as_given
from tallystick.evaluate import Comparison, CrossValidation, LearningCurve
from tallystick.evaluate.compare import Entry, Watch, best_method
from tallystick.evaluate.crossval import FoldWay
from tallystick.evaluate.folds import check_repeats
from tallystick.evaluate.groups import By, names_by
from tallystick.evaluate.large import tidy
from tallystick.evaluate.trials import Candidate
from tallystick.export import save
from tallystick.files.apart import keep_apart
from tallystick.methods import named, of_kind
from tallystick.reports import Ingredients, number_page, page

Progress = Callable[[int, int, str], None]
FEWEST = 10  # rows that a learning curve needs


@dataclass(frozen=True)
class Report:
    """A finished page, with what it was made from. `model`: the chosen method, fitted on all rows.

    `answer`: the sentences of the first section.
    """

    html: str = field(repr=False)
    answer: tuple[str, ...]
    model: Any
    comparison: Comparison[CrossValidation] = field(repr=False)
    description: Description = field(repr=False)
    files: tuple[str, ...] = field(default=(), repr=False)  # what it read: the page is not saved over it

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, whole or not at all; never over the data that it is about."""
        keep_apart([self.files], {"path=": path})
        save(path, self.html.encode(), "page")

    def to_dict(self) -> dict[str, Any]:
        """Return what the page was made from as plain data."""
        return {"comparison": self.comparison.to_dict(), "description": self.description.to_dict()}

    def _repr_html_(self) -> str:
        frame = 'sandbox="allow-scripts allow-downloads" width="100%" height="640" title="report"'
        return f'<iframe {frame} srcdoc="{html.escape(self.html, quote=True)}"></iframe>'

    def __str__(self) -> str:
        size = len(self.html.encode())
        return f"report on {self.comparison.target}: {self.comparison.chosen.name}, {size:,} bytes of HTML"

    __repr__ = __str__


@overload
def report(data: Any, target: str, **wanted: Any) -> Report: ...
@overload
def report(data: Any, target: None = None, *, against: Any, **wanted: Any) -> ChangeReport: ...
def report(
    data: Any,
    target: str | None = None,
    *,
    against: Any = None,
    path: str | os.PathLike[str] | None = None,
    methods: Methods | None = None,
    tuned: bool = False,
    folds: int | None = None,
    repeats: int = 5,
    rows: bool = True,
    regression: bool | None = None,
    by: By = (),
    title: str = "",
    progress: Progress | None = None,
    **shared: Any,
) -> Report | ChangeReport:
    """Make one HTML page that says what decides the target, how well it is predicted, by which model, and
    why; or what changed in new rows since a model was fitted.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows, as `fit` takes them.
    target : str, default None
        The name of the column to predict. It must be given, except with `against`.
    against : path or fitted model, default None
        A model: the page then says what changed in the rows, and in its answers, since it was fitted.
    path : str or path, default None
        Where to write the page; None: nowhere, until `save`.
    methods : list of str or dict, default None
        The methods to compare, as `ts.compare` takes them; None is all of them.
    tuned : bool, default False
        Whether each method is also tuned, as in `ts.compare`.
    folds : int, default None
        How many folds; None: 10, and 5 where ten would be long.
    repeats : int, default 5
        How many subsets of each size the learning curve has.
    rows : bool, default True
        Whether the page may hold rows of the data; False also leaves out leaves of a tree with a single row.
    regression : bool, default None
        Whether the target is a number; None: where it has too many different ones to be classes. The page
        then tells how far off the methods for numbers are, each as it is and tuned.
    by : str, list of str or dict, default ()
        Columns to count errors by; none given: those whose groups differ most. Numbers are cut at their
        quartiles, or where you say: "age: 25, 40, 60" or {"age": [25, 40, 60]}.
    title : str, default ""
        What the page calls the data; empty: the name of its source.
    progress : function, default None
        Called as progress(done, total, what) while the work goes on.
    **shared
        columns, kinds, engine, threads and memory, as every estimator takes them.

    Returns
    -------
    Report
        The page as `html`, the chosen `model`, and what the page was made from; with `against` the `changes`.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 10
    >>> print(ts.report(rows, "play", methods=["tree"], folds=2).answer[0])
    One column, sky, predicts play correctly for all rows. ...
    """
    check_progress(progress, STEPS_DONE)
    check_repeats(repeats, least=0)  # none: no learning curve
    if against is not None:
        changed = change_report(data, against, title, shared.get("threads"))
        if path is not None:
            changed.save(path)
        return changed
    if not isinstance(target, str):
        raise OptionError(f"report takes the name of the target column, not {shown(type(target).__name__)}.")
    keep_apart([files_behind(data)], {"path=": path})
    steps = _Steps(progress)
    steps.done(0, "reading and describing")
    source, table, reader = _read_once(data, target, shared, regression)
    groups = names_by(type(reader)(**shared), lambda other: other._read(source, target), table, by)
    if table.response is not None:
        wish = _NumberWish(methods, folds or 10, rows, title or source.name)
        return _saved(_of_numbers(source, table, groups, wish, shared, steps), path)
    tidy(table)
    described = describe_table(source.name, table, reader._local().threads, source.form)
    tidy(table)
    methods, left = tried(table) if methods is None else (methods, "")
    named = methods_named(methods, shared)
    made = candidates_of(methods, tuned, shared)
    way = FoldWay.of(folds_for(table, made) if folds is None else folds, None, None).fitting(table)
    found, work = _compared(table, made, way, steps)
    found = found if rows else without_single_rows(found, table)
    tidy(table)
    curve, drawn = _curve(table, _compared_ones(named, found), repeats, steps)
    work = replace(work, curve=drawn, left_out=left, halved=folds is None and way.folds == HALF)
    raw = partial(row_of, source) if rows else None
    decimal = source.reading.decimal or "."
    parts = Ingredients(
        title or source.name, table, described, found, curve, groups, raw, way.folds, work, decimal
    )
    steps.done(92, "drawing the page")
    tidy(table)
    text, answer = page(parts)
    steps.done(100, "drawing the page")
    return _saved(Report(text, answer, found.model, found, described, source.files), path)


def _compared_ones(methods: Mapping[str, Any], found: Comparison[Any]) -> Mapping[str, Any]:
    """Return the methods without those that a comparison left out."""
    names = {entry.name for entry in found.entries}
    return {name: method for name, method in methods.items() if name in names}


def _saved(made: Report, path: str | os.PathLike[str] | None) -> Report:
    """Return the report, written where it is wanted."""
    if path is not None:
        made.save(path)
    return made


def _read_once(
    data: Any, target: str, shared: Mapping[str, Any], regression: bool | None
) -> tuple[Any, Table, Any]:
    """Return the rows in an order of their content, their table, and its reader: of classes, or of numbers
    where the target is one.
    """
    readers: list[Any] = [NaiveBayes(**shared), RegressionTree(**shared)]
    used = readers[1 if regression else 0]

    def read(source: Any) -> Table:
        nonlocal used
        try:
            return used._read(source, target)  # type: ignore[no-any-return]
        except ContinuousTarget:
            if regression is not None:
                raise
            used = readers[1]
            return used._read(source, target)  # type: ignore[no-any-return]

    memory = used._local().memory
    room = 0 if memory is None else budget(memory)
    source, table = ordered(open_source(as_given(data), memory=memory), read, room)
    return source, table, used


@dataclass(frozen=True)
class _NumberWish:
    """What is wanted of a page on a target of numbers."""

    methods: Methods | None
    folds: int
    rows: bool
    title: str


def _of_numbers(
    source: Any, table: Table, groups: Mapping[str, Any], wish: _NumberWish, shared: Any, steps: _Steps
) -> Report:
    """Return the report of a target of numbers."""
    described = described_numbers(source.name, table, shared.get("threads"), source.form)
    watch = Watch(steps.part(8, 90, "comparing methods for numbers"))
    found, work = compared_numbers(table, wish.methods, wish.folds, shared, watch)
    found = found if wish.rows else without_single_rows(found, table)
    steps.done(92, "drawing the page")
    raw = partial(row_of, source) if wish.rows else None
    decimal = source.reading.decimal or "."
    parts = Ingredients(wish.title, table, described, found, None, groups, raw, wish.folds, work, decimal)
    text, answer = number_page(parts)
    steps.done(100, "drawing the page")
    return Report(text, answer, found.model, found, described, source.files)


class _Steps:
    """One bar for all jobs, in hundredths of their usual time: each tells how much of its part is done."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress

    def done(self, count: int, what: str) -> None:
        """Say that so much of all is done."""
        if self.progress is not None:
            self.progress(count, 100, what)

    def part(self, start: int, end: int, what: str) -> Progress | None:
        """Return the callback of one job, which takes the bar from start to end."""
        if self.progress is None:
            return None
        return lambda done, total, _: self.done(start + (end - start) * done // max(total, 1), what)


def _compared(
    table: Table, made: Sequence[Candidate], way: FoldWay, steps: _Steps
) -> tuple[Comparison[CrossValidation], ReportWork]:
    """Return the methods compared, with the one to draw fitted on all rows; on a part of them where that
    would be long.
    """
    part = part_to_compare(table, made, way.folds)
    some = "" if part.rows is None else f" on {part.table.rows:,} rows"
    what = f"comparing {len(made) - 1} method{'s' * (len(made) != 2)}{some}, {way.folds} folds"
    steps.done(8, what)
    found = compare_read(part.table, way, made, watch=Watch(steps.part(8, 50, what)))
    entry, why = best_method(found)
    found = replace(found, chosen=entry, why=why)
    if part.rows is None:
        return found, ReportWork()

    def tell(what: str) -> Watch:
        steps.done(50, what)
        return Watch(steps.part(50, 66, what))

    found, judged = judged_on_all(found, table, part, made, way, tell)
    return found, ReportWork(part.table.rows, judged)


def without_single_rows(found: Comparison[CrossValidation], table: Table) -> Comparison[CrossValidation]:
    """Return the comparison with models in which no row stands alone, such as in a leaf of its own."""
    entries = tuple(_refitted(e, table) for e in found.entries)
    chosen = next(e for e in entries if e.name == found.chosen.name)
    return replace(found, entries=entries, chosen=chosen)


def _refitted(entry: Entry[CrossValidation], table: Table) -> Entry[CrossValidation]:
    if entry.family in ("majority", "yours"):
        return entry
    model = named(entry.family).load("guarded")(entry.model, table)
    return entry if model is entry.model else replace(entry, model=model, numbers=model._numbers())


def _curve(
    table: Table, methods: Mapping[str, Any], repeats: int, steps: _Steps
) -> tuple[LearningCurve | None, int]:
    """Return the learning curves, and of how many rows they are, 0 for all; None when they are not wanted or
    the rows are too few.
    """
    if not repeats or not methods or table.rows < FEWEST:
        return None, 0
    part = part_for_curve(table, [of_kind(m._kind).name for m in methods.values()], repeats)
    some = 0 if part.rows is None else part.table.rows
    what = f"learning curves{f' on {some:,} rows' if some else ''}"
    try:
        return curve_read(part.table, methods, CURVE_SIZES, repeats, steps.part(66, 92, what)), some
    except DataError:  # some rows have no target, and too few are left
        return None, 0
