"""`report()`: describe, compare, train and draw, then write one HTML file; and the report on what changed.

Parts: on how many rows each step works; the change report (`report(new, against=model)`); `report()`.
work = cells (rows, columns, classes) times fits. Laws: the same rows, parameters and name of the data give
the same bytes; work is counted, never timed; the model that is drawn is fitted on all rows; the page says
which steps used a part of them.
"""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, overload

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from tallystick import __version__
from tallystick.bayes.estimator import NaiveBayes
from tallystick.contracts import Table
from tallystick.description.changes import Changes, ColumnChange, changes, verdict
from tallystick.description.columns import Description
from tallystick.description.text import describe_table
from tallystick.draw.charts import pair_bars
from tallystick.engine import STEPS_DONE, check_progress
from tallystick.errors import ContinuousTarget, DataError, OptionError, shown
from tallystick.estimator.verify import ordered, row_of
from tallystick.files import as_path, keep_apart
from tallystick.io.open import files_behind, open_source
from tallystick.io.scratch import budget
from tallystick.judge.api import (
    Methods,
    candidates_of,
    checked,
    compare_read,
    curve_read,
    methods_named,
    methods_to_try,
)
from tallystick.judge.checks import LEFT_OUT
from tallystick.judge.compare import Candidate, Comparison, Watch, best_method, numbers
from tallystick.judge.crossval import FoldOptions, LearningCurve
from tallystick.judge.folds import NEVER, check_repeats, empty, is_large, some_rows, tidy
from tallystick.judge.groups import By, names_by
from tallystick.judge.result import CrossValidation, FoldAnswers
from tallystick.judge.run import fresh
from tallystick.methods import COMPARED, NAMES, REGRESSIONS, named, of_kind
from tallystick.model.file import save
from tallystick.predict.row import as_given
from tallystick.reports.context import PageData
from tallystick.reports.page import asset, policy, report_page, templates
from tallystick.tree.estimator import RegressionTree

# On how many rows a report compares, judges and draws curves: on all where that is quick.

COMPARED_WORK = 60e6  # cells in all fits of a comparison; of more, methods are compared on a part of the rows
MOST_FOLDED = 40e6  # cells in all fits: with more there are HALF of the folds, unless they were given
FOLDS, HALF = 10, 5
CURVE_WORK = 2e6  # cells in all fits of the learning curves; of more, a part of the rows is used
CURVE_SIZES = 5  # points of a curve: a picture needs no more
CURVE_ROWS = 10  # rows that a learning curve needs
FEWEST, MOST = 2_000, 200_000  # rows of such a part; scores of more differ by less than they are rounded to


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
class TablePart:
    """Some rows of a table; rows[row of the part] is their number in the whole, None: all."""

    table: Table
    rows: NDArray[np.int64] | None = None


def tried(table: Table) -> tuple[tuple[str, ...], str]:
    """Return the methods to compare where none are named, and a sentence on those that are left out."""
    if table.response is not None:
        return REGRESSIONS, ""
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


def part_for(table: Table, families: Iterable[str], fits: int, work: float) -> TablePart:
    """Return as many rows as the methods can be fitted on `fits` times within so much work."""
    whole = cells(table) * _effort(families) * fits
    if (whole <= work and table.rows <= MOST) or table.weights is not None or table.rows <= FEWEST:
        return TablePart(table)
    rows = some_rows(table, min(max(int(table.rows * work / whole), FEWEST), MOST))
    return TablePart(table) if len(rows) == table.rows else TablePart(table.take(rows), rows)


def folds_for(table: Table, made: Sequence[Candidate]) -> int:
    """Return into how many folds the rows are dealt where nobody said: ten, or five where ten are long. With
    so many rows a model of four fifths of them answers as one of nine tenths does.
    """
    quick = cells(table) * _effort(_fits(made)) * FOLDS <= MOST_FOLDED
    return FOLDS if quick or table.response is not None else HALF


def part_to_compare(table: Table, made: Sequence[Candidate], folds: int) -> TablePart:
    """Return the rows on which candidates are compared."""
    return part_for(table, _fits(made), folds, COMPARED_WORK)


def _fits(made: Sequence[Candidate]) -> list[str]:
    """Return the family of every fit that a fold needs."""
    return [c.family for c in made for _ in c.settings if c.family != "majority"]


def _effort(families: Iterable[str]) -> float:
    return sum(named(f).effort if f in (*NAMES, *REGRESSIONS) else 1.0 for f in families)


def compare_in_time(
    table: Table, made: Sequence[Candidate], way: FoldOptions, steps: _Steps
) -> tuple[Comparison[Any], ReportWork]:
    """Return the methods compared, on a part of the rows where that would be long. The chosen one is then
    fitted on all of them, and of classes judged on all where that is quick.
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
    left = tuple(check for check in found.checks if check.code in LEFT_OUT)
    candidate = next(c for c in made if c.name == entry.name)
    words, estimator = next(s for s in candidate.settings if s[0] == entry.setting)
    quick = cells(table) * _effort([entry.family]) * way.folds <= COMPARED_WORK and table.rows <= MOST
    if quick and table.response is None:
        steps.done(50, f"judging {entry.name} on all rows")
        watch = Watch(steps.part(50, 66, f"judging {entry.name} on all rows"))
        only = Candidate(entry.name, entry.family, ((words, estimator),))
        whole = compare_read(table, way, [only], watch=watch)
        found = replace(found, chosen=whole.chosen, checks=(*left, *whole.checks))
        return found, ReportWork(part.table.rows)
    steps.done(50, f"fitting {entry.name} on all rows")
    model = fresh(estimator)._fit_table(table)._keep_profile(table)
    result = _over_all_rows(entry.result, table, part.rows)
    entry = replace(entry, model=model, numbers=numbers(model), result=result)
    found = replace(found, chosen=entry)
    if table.response is None:
        found = checked(replace(found, checks=left), table, frozenset(), None)
    return found, ReportWork(part.table.rows, part.table.rows)


def _over_all_rows(result: Any, table: Table, rows: NDArray[np.int64]) -> Any:
    """Return the answers to some rows as answers to all, of which the others were not tested."""
    labels = table.schema.predicted.labels
    at = np.array([labels.index(label) for label in result.classes]) if labels else np.zeros(1, np.int64)
    every = []
    for one in result.repeats:
        shares = empty(table, (table.rows, max(len(labels), 1)), np.float64)
        fold = empty(table, table.rows, np.int64)
        fold[:] = NEVER
        shares[np.ix_(rows, at)], fold[rows] = one.shares, one.fold
        every.append(FoldAnswers(shares, fold))
    if not labels:
        return replace(result, truth=table.response, repeats=tuple(every))
    assert table.classes is not None
    truth = table.classes if is_large(table) else table.classes.astype(np.int64)
    return replace(result, classes=labels, truth=truth, repeats=tuple(every))


def learning_curves(
    table: Table, methods: Mapping[str, Any], repeats: int, steps: _Steps
) -> tuple[LearningCurve | None, int]:
    """Return the learning curves, and of how many rows they are, 0 for all; None when they are not wanted or
    the rows are too few.
    """
    if not repeats or not methods or table.rows < CURVE_ROWS:
        return None, 0
    families = [of_kind(m._kind).name for m in methods.values()]
    part = part_for(table, families, 2 * repeats, CURVE_WORK)  # all sizes together cost about two fits
    some = 0 if part.rows is None else part.table.rows
    what = f"learning curves{f' on {some:,} rows' if some else ''}"
    try:
        return curve_read(part.table, methods, CURVE_SIZES, repeats, steps.part(66, 92, what)), some
    except DataError:  # some rows have no target, and too few are left
        return None, 0


# The change report, `report(new, against=model)`: what changed in the rows since a model was fitted.


STYLES = ("frame", "tables", "changes")
SHOWN = 14  # levels or bins drawn; the rest is one pair
KNOWN = {"total variation": "{:.0%}", "mean in standard deviations": "{:.2f} deviations"}


def change_page(found: Changes, title: str = "", model: str = "") -> str:
    """Return the page; title: what it calls the data, model: what the model's file is called."""
    style = "\n".join(asset(f"{name}.css") for name in STYLES)
    script = f"{asset('theme.js')}\ndocument.documentElement.classList.add('js');\ntallyTheme();"
    return (
        templates()
        .get_template("changes.html")
        .render(
            found=found,
            title=title or found.name,
            model=model or f"a {found.kind}",
            verdict=verdict(found),
            answers=None if found.answers is None else entry(found.answers),
            columns=[entry(column) for column in found.ranked],
            changed=bool(found),
            version=__version__,
            style=Markup(style),
            script=Markup(script),
            policy=policy(style, script),
        )
    )


def entry(column: ColumnChange) -> dict[str, Any]:
    """Return one column as the page shows it."""
    shift = column.shift
    form = "{:.0%}" if shift is None else KNOWN.get(shift.measure, "{:.0%}")
    return {
        "name": column.name,
        "kind": column.kind,
        "changed": bool(column.findings),
        "findings": column.findings,
        "strays": column.strays,
        "untold": column.untold,
        "moved": "" if shift is None else form.format(shift.value),
        "named": shift is not None and shift.beyond,  # among the findings
        "limit": "" if shift is None else form.format(shift.limit),
        "psi": "" if shift is None or shift.psi is None else f"{shift.psi:.2f}",
        "missing": ""
        if column.missing is None or column.missing == (0.0, 0.0)
        else " → ".join(f"{share:.1%}" for share in column.missing),
        "bars": pair_bars(drawn(column), f"{column.name} before and after") if column.parts else "",
    }


def drawn(column: ColumnChange) -> list[tuple[str, float, float]]:
    """Return the parts that are drawn: all of numbers and of a few levels, else those that moved most."""
    if len(column.parts) <= SHOWN or column.kind == "numeric":
        return list(column.parts)
    order = sorted(range(len(column.parts)), key=lambda i: -abs(column.parts[i][2] - column.parts[i][1]))
    kept = sorted(order[:SHOWN])
    rest = [column.parts[i] for i in order[SHOWN:]]
    sums = (sum(p[1] for p in rest), sum(p[2] for p in rest))
    return [*(column.parts[i] for i in kept), (f"{len(rest):,} others", *sums)]


@dataclass(frozen=True)
class ChangeReport:
    """A finished page on what changed, with the findings it was made from."""

    html: str = field(repr=False)
    changes: Changes = field(repr=False)
    files: tuple[str, ...] = field(default=(), repr=False)  # what it read: the page is not saved over it

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, whole or not at all; never over the data that it is about."""
        keep_apart([self.files], {"path=": path})
        save(path, self.html.encode(), "page")

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as plain data."""
        return self.changes.to_dict()

    def _repr_html_(self) -> str:
        frame = 'sandbox="allow-scripts" width="100%" height="640" title="what changed"'
        return f'<iframe {frame} srcdoc="{html.escape(self.html, quote=True)}"></iframe>'

    def __str__(self) -> str:
        return str(self.changes)

    __repr__ = __str__


def change_report(data: Any, against: Any, title: str = "", threads: int | None = None) -> ChangeReport:
    """Return the page on new rows beside the training rows of a fitted model, or of a model file."""
    from tallystick.estimator.base import load

    stored = isinstance(against, str | os.PathLike)
    model = load(against) if stored else against
    source = open_source(as_given(data))
    found = changes(source, model, threads)
    name = os.path.basename(as_path(against)) if stored else ""
    files = (*source.files, *((as_path(against),) if stored else ()))
    return ChangeReport(change_page(found, title, name), found, files)


# `report()`, and the result it returns.


Progress = Callable[[int, int, str], None]


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
    is_number = table.response is not None
    tidy(table)
    described = describe_table(source.name, _without_numbers(table), reader._local().threads, source.form)
    tidy(table)
    methods, left = tried(table) if methods is None else (methods, "")
    estimators = methods_named(methods, shared, regression=is_number)
    # a tree of numbers is too large to read as it is grown: it is always tuned
    made = candidates_of(methods, tuned or is_number, shared)
    way = FoldOptions.of(folds_for(table, made) if folds is None else folds, None, None).fitting(table)
    found, work = compare_in_time(table, made, way, steps)
    found = found if rows else without_single_rows(found, table)
    tidy(table)
    compared = {entry.name for entry in found.entries}
    estimators = {name: method for name, method in estimators.items() if name in compared}
    curve, drawn = (None, 0) if is_number else learning_curves(table, estimators, repeats, steps)
    work = replace(work, curve=drawn, left_out=left, halved=folds is None and way.folds == HALF)
    raw = partial(row_of, source) if rows else None
    decimal = source.reading.decimal or "."
    parts = PageData(
        title or source.name, table, described, found, curve, groups, raw, way.folds, work, decimal
    )
    steps.done(92, "drawing the page")
    tidy(table)
    text, answer = report_page(parts)
    steps.done(100, "drawing the page")
    finished = Report(text, answer, found.model, found, described, source.files)
    if path is not None:
        finished.save(path)
    return finished


def _without_numbers(table: Any) -> Any:
    """Return a table whose target, if it is a number, is left out: a description counts classes."""
    if table.response is None:
        return table
    return replace(table, schema=replace(table.schema, target=None), response=None, notes=table.notes)


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


class _Steps:
    """One bar for all jobs, in hundredths of their usual time: each says how much of its part is done."""

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


def without_single_rows(found: Comparison[Any], table: Table) -> Comparison[Any]:
    """Return the comparison with models in which no row stands alone, such as in a leaf of its own."""
    entries = []
    for entry in found.entries:
        if entry.family not in ("majority", "yours"):
            model = named(entry.family).load("guarded")(entry.model, table)
            if model is not entry.model:
                entry = replace(entry, model=model, numbers=model._numbers())
        entries.append(entry)
    chosen = next(e for e in entries if e.name == found.chosen.name)
    return replace(found, entries=tuple(entries), chosen=chosen)
