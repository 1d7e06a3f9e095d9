"""`compare`, `learning_curve`, the choice of a method by `fit`, and baselines and scikit-learn as methods.

1. Methods that are not ours: `Majority`, `Mean` (baselines) and `Foreign` (any scikit-learn estimator).
2. Entry: `compare()` and `learning_curve()`: several methods on the same folds.
3. Entry: `choose()`: the method that `tally fit` takes where none is named.

candidate = a method with one setting or several; shared = options that every estimator takes.
Laws: the choice depends on the rows, not on their order; the model is that of naming the chosen method.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import Any, Literal, Self, overload

import numpy as np
from numpy.typing import NDArray

from tallystick.bayes.estimator import NaiveBayes
from tallystick.contracts import Block, Table
from tallystick.engine import STEPS_DONE, check_progress
from tallystick.errors import DataError, NoParameter, OptionError, counted, nearest, shown, some, warn
from tallystick.estimator.base import Estimator, PlainMethod
from tallystick.io.open import is_spark, open_source, opened
from tallystick.io.scratch import size_text
from tallystick.judge.answers import average, class_weights
from tallystick.judge.checks import (
    LEFT_OUT,
    Check,
    check_codes,
    check_columns,
    check_held,
    check_result,
    check_table,
    check_text,
    no_better,
)
from tallystick.judge.compare import INNER, Candidate, Comparison, Entry, Watch, best_method, compare_table
from tallystick.judge.crossval import (
    FoldOptions,
    LearningCurve,
    curve_table,
    held_words,
    no_dealing,
    read_again,
)
from tallystick.judge.folds import some_rows, tidy
from tallystick.judge.groups import By, asked_by, names_by
from tallystick.judge.result import DECIDING, CrossValidation, RegressionValidation
from tallystick.judge.run import HeldOut, cost_matrix, fresh, hold, judged_cost, training_loss
from tallystick.methods import COMPARED, CURVED, NAMES, REGRESSIONS, named, of_kind, variant
from tallystick.model.decision import AnswerDecision
from tallystick.schema import listed
from tallystick.stats.exact import FEWER_NODES, LargeTree
from tallystick.tree.estimator import RegressionTree

SLACK = 1e-3  # by which the shares of a row may miss a sum of 1: they may be floats of 16 bits


@dataclass(frozen=True)
class Same:
    """A constant model. answer[class], or [0] in a regression."""

    answer: NDArray[np.float64]

    def shares(self, block: Block) -> NDArray[np.float64]:
        """Return the answer for every row."""
        return np.tile(self.answer, (block.rows, 1))


class Majority(PlainMethod):
    """Answers every row with the class shares of the training rows: the baseline as a method."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return no parameters: there are none."""
        return {}

    def _fit_table(self, table: Table) -> Self:
        """Count the classes."""
        full = class_weights(table)
        self.model_ = Same(full / full.sum())
        return self

    def _numbers(self) -> int:
        """Return how many shares there are to read: one less than classes."""
        return len(self.model_.answer) - 1


class Foreign(PlainMethod):
    """A scikit-learn estimator on the rows as they were read, in a pandas frame with the columns that are
    used.
    """

    def __init__(self, estimator: Any, frame: Any) -> None:
        if not hasattr(estimator, "fit") or not hasattr(estimator, "predict"):
            raise OptionError(
                f"{shown(type(estimator).__name__)} cannot be compared: it has no fit and predict."
            )
        self.estimator = estimator
        self.frame = frame

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the estimator and its rows."""
        return {"estimator": self.estimator, "frame": self.frame}

    def _rows(self, table: Any) -> Any:
        """Return the rows of a table, or rows held out, as a frame of the columns that are used."""
        if isinstance(table, HeldOut):
            return raw_frame(table.data)[self.names_]
        frame = self.frame[list(table.schema.needed)]
        places = table.local().kept
        return frame if places is None else frame.iloc[places]

    def _fit_table(self, table: Table) -> Self:
        """Fit a copy of the estimator on the table's rows."""
        self.fitted_ = copy.deepcopy(self.estimator)
        self.names_ = [c.name for c in table.schema.used]
        weights = {} if table.weights is None else {"sample_weight": table.weights / table.unit}
        self.labels_: NDArray[Any] | None = None
        truth: Any = table.response
        if table.classes is not None:
            self.labels_ = np.array(table.schema.predicted.values())
            truth = self.labels_[table.classes]
        self.fitted_.fit(self._rows(table), truth, **weights)
        return self

    def _predict_table(self, table: Any) -> NDArray[np.float64]:
        """Return P(class | row) [row, class]; an estimator without shares gives 1 to its answer. Regression:
        [row, 0].
        """
        rows = self._rows(table)
        if self.labels_ is None:
            return self._numbers_of(self.fitted_.predict(rows), "predict", (len(rows), 1))
        out = np.zeros((len(rows), len(self.labels_)))
        if hasattr(self.fitted_, "predict_proba"):
            at = self._classes_of(getattr(self.fitted_, "classes_", ()), "classes_")
            out[:, at] = self._shares_of(self.fitted_.predict_proba(rows), (len(rows), len(at)))
            return out
        answers = self._classes_of(self.fitted_.predict(rows), "predict")
        if len(answers) != len(rows):
            raise DataError(
                f"predict of {self._called} gave {counted(len(answers), 'answer')} for "
                f"{counted(len(rows), 'row')}. Correct the estimator, or leave it out."
            )
        out[np.arange(len(rows)), answers] = 1
        return out

    @property
    def _called(self) -> str:
        return shown(type(self.fitted_).__name__)

    def _classes_of(self, given: Any, how: str) -> list[int]:
        """Return the numbers of the classes that an estimator names."""
        assert self.labels_ is not None
        place = {label: k for k, label in enumerate(self.labels_.tolist())}
        named = np.asarray(given).ravel().tolist()
        if other := [label for label in named if label not in place]:
            raise DataError(
                f"{how} of {self._called} names {shown(other[0])}, which is not a class: {some(place)}. "
                "Correct the estimator, or leave it out."
            )
        return [place[label] for label in named]

    def _shares_of(self, given: Any, shape: tuple[int, int]) -> NDArray[np.float64]:
        """Return the shares that an estimator gave; a score of other numbers would say nothing."""
        shares = self._numbers_of(given, "predict_proba", shape)
        wrong = (shares.min(axis=1, initial=0) < -SLACK) | (np.abs(shares.sum(axis=1) - 1) > SLACK)
        if len(rows := np.flatnonzero(wrong)):
            raise DataError(
                f"predict_proba of {self._called} gave {some(shares[rows[0]].tolist())} for a row "
                f"({counted(len(rows), 'row')} of {len(shares):,}). Shares are from 0 to 1, and 1 together: "
                "correct the estimator, or leave it out."
            )
        return shares

    def _numbers_of(self, given: Any, how: str, shape: tuple[int, int]) -> NDArray[np.float64]:
        """Return what an estimator gave as numbers [row, answer]."""
        said = f"{how} of {self._called} gave"
        cure = f"It must give numbers of shape {shape}: correct the estimator, or leave it out."
        try:
            numbers = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            raise DataError(f"{said} something that is not a number. {cure}") from None
        numbers = numbers[:, None] if numbers.ndim == 1 and shape[1] == 1 else numbers
        if numbers.shape != shape:
            raise DataError(f"{said} numbers of shape {numbers.shape}. {cure}")
        if count := int((~np.isfinite(numbers)).any(axis=1).sum()):
            raise DataError(f"{said} NaN or infinity in {counted(count, 'row')} of {len(numbers):,}. {cure}")
        return numbers

    def _numbers(self) -> int | None:
        """Return the weights of a linear model that are not 0, or the nodes of a tree; others do not say."""
        last = self.fitted_.steps[-1][1] if hasattr(self.fitted_, "steps") else self.fitted_
        if hasattr(last, "coef_"):
            constant = np.asarray(getattr(last, "intercept_", 0.0))
            return int(np.count_nonzero(last.coef_) + np.count_nonzero(constant))
        return int(last.tree_.node_count) if hasattr(last, "tree_") else None


class Mean(PlainMethod):
    """Answers every row with the mean response of the training rows: the baseline of a regression."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return no parameters: there are none."""
        return {}

    def _fit_table(self, table: Table) -> Self:
        """Take the mean."""
        assert table.response is not None
        weights = np.ones(table.rows) if table.weights is None else table.weights / table.unit
        self.model_ = Same(np.array([average(table.response, weights)]))
        return self

    def _numbers(self) -> int:
        """Return 1: the mean."""
        return 1


def raw_frame(data: Any) -> Any:
    """Return the rows of a source as a pandas frame, in their order, as they were read."""
    if type(data).__module__.startswith("pandas"):
        return data
    from tallystick.io.frames import one_table

    source = open_source(data)
    return one_table(source.batches(), source.columns).to_pandas()


# `compare` and `learning_curve`, with the settings that each method is tuned over.

Progress = Callable[[int, int, str], None]
SEARCHED = "optimal"  # the family of optimal trees
SEARCH = 20_000_000_000  # rows times columns that all searches of a comparison may visit: some minutes
SMALL_SEARCH = 20_000  # cells of a table, up to which each search keeps its own limit
LONG = 100e6  # rows times columns times classes of all fits, beyond which they take minutes
SHARED = ("columns", "kinds", "engine", "threads", "memory")  # options that every estimator takes
Methods = Sequence[str] | Mapping[str, Any]  # names as `methods.variant` takes them, or estimators by name


def settings(family: str, shared: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return at most eight settings of a family that inner folds choose from, the simplest model first."""
    method = named(family)
    kind = method.load("estimator")
    return tuple((words, kind(**own, **shared)) for words, own in method.tuned)


@overload
def compare(
    data: Any, target: Any = None, *, regression: Literal[True], **given: Any
) -> Comparison[RegressionValidation]: ...


@overload
def compare(data: Any, target: Any = None, **given: Any) -> Comparison[CrossValidation]: ...


def compare(
    data: Any,
    target: Any = None,
    *,
    methods: Methods | None = None,
    others: Mapping[str, Any] | Iterable[Any] = (),
    tuned: bool = True,
    folds: int | Sequence[float] = 10,
    groups: str | None = None,
    time: str | None = None,
    held_out: Any = None,
    regression: bool = False,
    by: By = (),
    cost: Any = None,
    threshold: Any = None,
    measure: str = "log-loss",
    ignore: Iterable[str] = (),
    sample_weight: Any = None,
    progress: Progress | None = None,
    **shared: Any,
) -> Comparison[Any]:
    """Cross-validate the methods, as they are and tuned, beside the most frequent class; choose the simplest
    of those within one standard error of the best.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows, as `fit` takes them.
    target : str or array, default None
        The name of the column to predict, or the labels.
    methods : list of str or dict, default None
        The methods to compare: "tree", a variant such as "id3", either with settings, "tree:max_depth=3", or
        estimators by name; None is all of them that are plain.
    others : dict or list, default ()
        scikit-learn estimators to compare with, in a list or by name; they get the rows in a pandas frame.
    tuned : bool, default True
        Whether each method is also tuned: inner folds choose among a few settings.
    folds : int or list of float, default 10
        How many folds, or shares (train, test) or (train, validate, test): settings are then chosen on the
        rows for validation.
    groups : str, default None
        A column whose equal values stay in one fold. It is not learned from.
    time : str, default None
        A column: each fold is answered by a model trained on earlier rows only. It is not learned from.
    held_out : rows or (X, y), default None
        Other rows, with the target, to test on instead of folds.
    regression : bool, default False
        Whether the target is a number: the methods for numbers beside the mean, by their mean squared error.
    by : str, list of str or dict, default ()
        Columns to tell errors, answers, misses and false alarms of the chosen method by, in the model or not.
        Numbers are cut at their quartiles, or where you say: "age: 25, 40, 60" or {"age": [25, 40, 60]}.
    cost : dict or table, default None
        {class: {answer: cost}} (not named: 1 for a wrong answer, 0 for a right one) or `cost[class][answer]`.
        It decides the answers of methods without `costs` of their own.
    threshold : float or dict, default None
        Of two classes: answer the rarer one where its probability is above this number; or {class: number}.
    measure : {"log-loss", "auc", "accuracy"}, default "log-loss"
        By which methods are compared and one is chosen. Settings are tuned by log-loss.
    ignore : list of str, default ()
        Codes of checks that are not wanted.
    sample_weight : array or str, default None
        The weight of each row; None is 1.
    progress : function, default None
        Called as progress(done, total, what) while the work goes on.
    **shared
        columns, kinds, engine, threads and memory, as every estimator takes them.

    Returns
    -------
    Comparison
        An entry per method, the best first, the chosen one with its reason, and the checks.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 10
    >>> ts.compare(rows, "play", methods=["tree", "bayes"], tuned=False, folds=4).chosen.name
    'decision tree'
    """
    check_codes(ignore)
    check_measure(measure, regression)
    check_shared("compare", compare, shared)
    check_progress(progress, STEPS_DONE)
    by = asked_by(by, sample_weight)
    methods = (REGRESSIONS if regression else COMPARED) if methods is None else methods
    methods_named(methods, shared, regression=regression)
    data = data if is_spark(data) else opened(data)
    if held_out is not None:
        no_dealing(groups, time)
    way = FoldOptions.of(folds, groups, time)
    if way.one_out:
        raise OptionError("compare takes a number of folds or shares; leave-one-out is for cross_validate.")
    reader: Any = RegressionTree(**shared) if regression else NaiveBayes(**shared)
    table = way.read(reader, data, target, sample_weight)
    if by and held_out is not None:
        raise OptionError("by= counts the rows of folds. For rows held out: model.card(rows, by=...).")
    again = partial(read_again, data=data, target=target, weight=sample_weight)
    groups_of = names_by(fresh(reader), again, table, by, not is_spark(data)) if by else {}
    held = None if held_out is None else hold(held_out, way.lean(table), reader)
    made = candidates_of(methods, tuned, shared, data, others)
    fits = fits_of(made, way.fitting(table).folds if held is None and not way.shares else 1)
    if table.rows * len(table.schema.used) > SMALL_SEARCH:
        made = with_bounded_search(made, fits)
    if line := long_work(table, made, fits):
        warn(line)
    watch = Watch(progress)
    cost = judged_cost(cost, threshold, table)
    found = compare_read(table, way, made, held=held, cost=cost, ignore=ignore, watch=watch, measure=measure)
    return with_groups(found, groups_of) if groups_of else found


def check_measure(measure: Any, regression: bool) -> None:
    """Refuse a measure that methods cannot be compared by."""
    if measure not in DECIDING or (regression and measure != DECIDING[0]):
        known = "numbers are compared by mse alone" if regression else f"classes: {some(DECIDING)}"
        raise OptionError(f"measure cannot be {shown(measure)}. Measures of {known}.")


def check_shared(name: str, function: Callable[..., Any], shared: Mapping[str, Any]) -> None:
    """Refuse an option that neither the function of this name has nor all estimators."""
    own = [key for key, p in signature(function).parameters.items() if p.kind is not p.VAR_KEYWORD]
    known = [*own, *SHARED]
    for wrong in (key for key in shared if key not in SHARED):
        raise NoParameter(
            f"{name} has no option {shown(wrong)}.{nearest(wrong, known)} Known: {', '.join(known)}."
        )


def fits_of(candidates: Sequence[Candidate], folds: int) -> list[int]:
    """Return how often each candidate is fitted in a comparison: on every training part, once more on all
    rows, and there for every setting on the inner folds.
    """
    each = (len(c.settings) * INNER + 1 if len(c.settings) > 1 else 1 for c in candidates)
    return [(folds + 1) * n for n in each]


def with_bounded_search(candidates: Sequence[Candidate], fits: Sequence[int]) -> list[Candidate]:
    """Return the candidates, where all searches for optimal trees together end after SEARCH; one whose own
    limit the user set keeps it. Work is counted, not timed: the same rows give the same trees.
    """
    searches = [i for i, c in enumerate(candidates) if c.family == SEARCHED]
    most = SEARCH // max(sum(fits[i] for i in searches), 1)
    out = list(candidates)
    for i in searches:
        bounded = []
        for words, estimator in out[i].settings:
            own = fresh(estimator)
            if own.max_work == type(own)().max_work:
                own.set_params(max_work=most)
            bounded.append((words, own))
        out[i] = replace(out[i], settings=tuple(bounded))
    return out


def long_work(table: Table, candidates: Sequence[Candidate], fits: Sequence[int]) -> str:
    """Return a line on work that takes minutes, to be said before it; empty where it does not. A level of a
    column weighs as a hundredth of a column.
    """
    columns = len(table.schema.used) + sum(len(c.levels) for c in table.schema.used) / 100
    known = [c.family in (*NAMES, *REGRESSIONS) for c in candidates]
    efforts = [named(c.family).effort if k else 1.0 for c, k in zip(candidates, known, strict=True)]
    effort = sum(e * n for e, n, c in zip(efforts, fits, candidates, strict=True) if c.family != "majority")
    if table.rows * columns * max(len(table.schema.predicted.labels), 1) * effort < LONG:
        return ""
    every = sum(n for n, c in zip(fits, candidates, strict=True) if c.family != "majority")
    searched = [e.max_work for c in candidates if c.family == SEARCHED for _, e in c.settings]
    search = (
        f" The search for an optimal tree ends after max_work={searched[0]:,} in each." if searched else ""
    )
    return (
        f"{every:,} fits on {counted(table.rows, 'row')} and {counted(len(table.schema.used), 'column')} may "
        f"take minutes: name fewer methods or folds, or leave out the tuning, to have it sooner.{search}"
    )


def with_groups(found: Comparison[Any], groups: Mapping[str, Any]) -> Comparison[Any]:
    """Return the comparison with results that can be split by groups: column -> its value in each row."""
    entries = tuple(replace(e, result=replace(e.result, groups=dict(groups))) for e in found.entries)
    chosen = next(e for e in entries if e.name == found.chosen.name)
    return replace(found, entries=entries, chosen=chosen)


def compare_read(
    table: Table,
    way: FoldOptions,
    candidates: Sequence[Candidate],
    *,
    held: HeldOut | None = None,
    cost: Any = None,
    ignore: Iterable[str] = (),
    watch: Watch | None = None,
    measure: str = "log-loss",
) -> Comparison[Any]:
    """Compare candidates on a table that was read before, and check it."""
    dealing = way.dealing(table)
    way, lean = way.fitting(table), way.lean(table)
    aim = table.schema.predicted
    prices = cost
    if not isinstance(cost, AnswerDecision):
        prices = cost_matrix(cost, aim, aim.labels if held is None else held.labels)
    families = {c.family: c.family for c in candidates if c.family in NAMES}
    names, left = able(lean, families) if families else ([], "")
    candidates = [c for c in candidates if c.family in names or c.family not in families]
    how = way.words(table) if held is None else held_words(lean, held)

    def run(some: Sequence[Candidate]) -> Comparison[Any]:
        return compare_table(some, lean, way.folds, prices, watch, dealing, how, held, measure)

    found = _where_there_is_room(run, candidates, lean)
    left_out = (note for note in table.notes if note.code == "column-left-out")
    found = replace(found, notes=(*table.source_notes, *left_out))
    if left:
        advice = "Use naive Bayes, logistic regression or a scorecard for text."
        found = replace(found, checks=(*found.checks, Check("text-alone", left, advice)))
    return checked(found, lean, frozenset(ignore), held)


def _where_there_is_room(
    run: Callable[[Sequence[Candidate]], Comparison[Any]], candidates: Sequence[Candidate], table: Table
) -> Comparison[Any]:
    """Return the comparison, without candidates whose trees the budget has no room for; where no other method
    is left, that is an error.
    """
    try:
        return run(candidates)
    except LargeTree as error:
        refused = error.with_traceback(None)  # frees the tree that did not fit
    tidy(table)
    rest = [c for c in candidates if _has_room(c, table)]
    if len(rest) == len(candidates) or all(c.family == "majority" for c in rest):
        raise refused
    gone = some([c.name for c in candidates if c not in rest])
    text = f"memory={size_text(table.budget)} has no room for all nodes of a tree: left out {gone}."
    return replace(run(rest), checks=(Check("large-tree", text, FEWER_NODES),))


def _has_room(candidate: Candidate, table: Table) -> bool:
    """Say whether every setting of a candidate has room for all rows; what grows no tree always has."""
    if candidate.family not in NAMES + REGRESSIONS or not named(candidate.family).grows:
        return True
    try:
        for _, estimator in candidate.settings:
            fresh(estimator)._fit_table(table)  # with its split candidates, as the final fit
    except LargeTree:
        return False
    finally:
        tidy(table)
    return True


def able(table: Table, methods: Mapping[str, str]) -> tuple[list[str], str]:
    """Return the methods (name: family) that can learn from the table, and a sentence where some are left
    out: a tree does not read text.
    """
    rest = [name for name, family in methods.items() if not family or named(family).reads_text]
    if len(rest) == len(methods) or any(c.kind != "text" for c in table.schema.used):
        return list(methods), ""
    if not rest:
        fit = ", ".join(name for name in NAMES if named(name).reads_text)
        raise OptionError(f"a tree does not read text, and all columns hold text. Use: {fit}.")
    gone = some([name for name in methods if name not in rest])
    return rest, f"all columns hold text, which a tree does not read: left out {gone}."


def candidates_of(
    methods: Methods, tuned: bool, shared: Mapping[str, Any], data: Any = None, others: Any = ()
) -> list[Candidate]:
    """Return the baseline (the most frequent class; of methods for numbers the mean), the methods as they
    are, the plain ones tuned, and the user's own.
    """
    out: list[Candidate] = []
    if isinstance(methods, Mapping):
        out += [Candidate(name, of_kind(m._kind).name, (("", m),)) for name, m in methods.items()]
    else:
        for chosen in map(variant, methods):
            family = chosen.method.name
            out.append(Candidate(chosen.words, family, (("", chosen.make(shared)),)))
            if tuned and chosen.plain and chosen.method.tuned:
                out.append(Candidate(f"{chosen.words}, tuned", family, settings(family, shared)))
    numeric = bool(out) and all(named(c.family).regression for c in out)
    base = ("mean", Mean()) if numeric else ("most frequent class", Majority())
    out.insert(0, Candidate(base[0], "majority", (("", base[1]),)))
    own = _named(() if others is None else others)
    if own:
        if is_spark(data):
            raise OptionError(
                "others= need the rows in one place, and they are on Spark. Collect them: frame.toArrow()."
            )
        frame = raw_frame(data)
        out += [Candidate(n, "yours", (("", Foreign(e, frame)),)) for n, e in own.items()]
    return out


def learning_curve(
    data: Any,
    target: Any = None,
    *,
    methods: Methods | None = None,
    sizes: Sequence[int] | int | None = None,
    repeats: int = 20,
    sample_weight: Any = None,
    progress: Progress | None = None,
    **shared: Any,
) -> LearningCurve:
    """Train methods on subsets of growing size and test each on held-out rows.

    Parameters
    ----------
    data : path, frame, Arrow table, matrix or records
        The rows, as `fit` takes them.
    target : str or array, default None
        The name of the column to predict, or the labels.
    methods : list of str or dict, default None
        Methods, such as "tree", variants, "bayes-gaussian-shared", either with settings, "tree:max_depth=3",
        or estimators by name; None is naive Bayes, logistic regression and the scorecard.
    sizes : list of int, or int, default None
        The numbers of training rows, or how many of them from 10 up to two thirds of the rows; None is ten.
    repeats : int, default 20
        How many subsets of each size.
    sample_weight : array or str, default None
        The weight of each row; None is 1.
    progress : function, default None
        Called as progress(done, total, what) while the work goes on.
    **shared
        columns, kinds, engine, threads and memory, as every estimator takes them.

    Returns
    -------
    LearningCurve
        The error and the log loss of each method against the number of training rows.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 10
    >>> curve = ts.learning_curve(rows, "play", methods=["bayes"], sizes=[4, 8], repeats=2)
    >>> curve.sizes
    (4, 8)
    """
    check_shared("learning_curve", learning_curve, shared)
    check_progress(progress, STEPS_DONE)
    methods = CURVED if methods is None else methods
    chosen = methods_named(methods, shared)
    if not chosen:
        raise OptionError(f"no method to draw a curve of. Use: {', '.join(NAMES)}.")
    table = next(iter(chosen.values()))._read(data, target, sample_weight).near()
    return curve_read(table, chosen, sizes, repeats, progress)


def methods_named(methods: Methods, shared: Mapping[str, Any], *, regression: bool = False) -> dict[str, Any]:
    """Return the estimators of methods for classes, or for numbers, by what they are called."""
    if isinstance(methods, Mapping):
        for name, method in methods.items():
            if not isinstance(method, Estimator):
                raise OptionError(
                    f"{shown(name)} is not an estimator of Tallystick but a {shown(type(method).__name__)}. "
                    "Pass others= of compare for estimators of scikit-learn."
                )
        return dict(methods)
    if isinstance(methods, str):
        raise OptionError(f"methods must be a list of names. Pass methods=[{shown(methods)}].")
    found = [variant(name) for name in listed("methods", methods)]
    for one in found:
        if one.method.regression and not regression:
            raise OptionError(
                f"{shown(one.name)} is for numbers. Pass regression=True, or use: {', '.join(NAMES)}."
            )
        if regression and not one.method.regression:
            raise OptionError(
                f"{shown(one.name)} is for classes; the target is a number. Use: {', '.join(REGRESSIONS)}."
            )
    return {one.words: one.make(shared) for one in found}


def curve_read(
    table: Table,
    chosen: Mapping[str, Any],
    sizes: Sequence[int] | int | None,
    repeats: int,
    progress: Progress | None = None,
) -> LearningCurve:
    """Draw the curves of methods, by name, on a table that was read before. sizes: these, or so many."""
    kinds = {name: of_kind(m._kind).name for name, m in chosen.items()}
    names, left = able(table, kinds)
    found = curve_table({name: chosen[name] for name in names}, table, sizes, repeats, progress)
    return replace(found, left_out=left)


def _named(others: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    if isinstance(others, Mapping):
        return dict(others)
    found = [others] if hasattr(others, "fit") else listed("others", others)
    names = [type(e).__name__ for e in found]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(
                f"others= has {names.count(name)} estimators that are called {shown(name)}. Give them names: "
                "others={'mine': ..., 'other': ...}."
            )
    return dict(zip(names, found, strict=True))


def checked(
    found: Comparison[Any], table: Table, ignore: frozenset[str], held: HeldOut | None
) -> Comparison[Any]:
    """Return the comparison with the checks of its table and of the chosen method."""
    checks = [*found.checks, *check_table(table)]
    checks += () if table.schema.regression else check_columns(table)
    if held is not None:
        checks += check_held(held)
    entry = found.chosen
    if entry.family in (*NAMES, *REGRESSIONS) and not named(entry.family).reads_text:
        checks += check_text(table, entry.name)
    if entry.family == "majority":
        checks += no_better([e for e in found.entries if e is not entry], entry)
    elif not table.schema.regression:
        checks += check_result(entry.result, training_loss(entry.model, table), entry.name)
    for family in {e.family: None for e in found.entries}:
        checks += named(family).load("checks")(table) if family in NAMES else ()
    return replace(found, checks=tuple(c for c in checks if c.code not in ignore))


# The choice of a method where none is named: the simplest of those within a standard error of the best, each
# with its default settings.

WORK = 200_000  # rows times columns times classes up to which all rows are compared, else a sample
FEWEST = 1_000  # rows of that sample at least
SLOW_WORK = 60_000  # rows times columns times classes up to which methods slow with many classes are tried
UNJUDGED = "bayes"  # the method for rows that are too few to be dealt into folds


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
            part, FoldOptions.of(folds, None, None), made, watch=Watch(progress), measure=measure
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
