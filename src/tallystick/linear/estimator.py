"""Formulas, and the estimators `LinearRegression` and `LogisticRegression`.

1. Formulas such as `default ~ income + age * region`: `fit_formula()`, `parse()`.
2. Entry: `LinearRegression`: least squares and ridge. 3. Entry: `LogisticRegression`.

offset = a numeric column that is added to the score with weight 1.
Law: a formula only names columns and products: fitting with these gives a model of the same bytes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Engine, Model, Table
from tallystick.draw.svg import Picture
from tallystick.engine import Local
from tallystick.errors import DataError, NotFitted, OptionError, shown, some, warn
from tallystick.estimator.classifier import Classifier, Regressor
from tallystick.estimator.rows import refuse_unknown
from tallystick.io.open import is_spark, open_source
from tallystick.io.source import ChosenColumns
from tallystick.linear.file import coefficients, refuse_beyond
from tallystick.linear.model import KIND, LINEAR_KIND, KnownFit, LinearModel, LogisticModel, WordWeights
from tallystick.linear.options import UNTOLD, LinearOptions, LogisticOptions
from tallystick.model.decision import class_number
from tallystick.model.file import is_number, plain
from tallystick.predict.row import as_given
from tallystick.schema import ColumnOptions, Columns, Note, Schema
from tallystick.tree.options import text_notes

if TYPE_CHECKING:
    from tallystick.linear.inference import Inference
    from tallystick.linear.path import PathPoint, PenaltyPath
    from tallystick.linear.solvers import SolverStep
    from tallystick.linear.summary import LinearSummary, Summary


_OFFSET = re.compile(r"offset\((.+)\)")
_DO = "Columns are joined by + and *, products are a:b; make any other column first"


@dataclass(frozen=True)
class ParsedFormula:
    """What a formula names: target, columns in its order, pairs with a product, the offset, and whether there
    is a constant.
    """

    target: str
    columns: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    offset: str | None = None
    constant: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that it reads."""
        return (*self.columns, *([] if self.offset is None else [self.offset]), self.target)

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters that say the same, those that are not as usual."""
        out: dict[str, Any] = {}
        if self.pairs:
            out["interactions"] = list(self.pairs)
        if self.offset is not None:
            out["offset"] = self.offset
        if not self.constant:
            out["fit_intercept"] = False
        return out


def fit_formula(kind: Any, text: str, X: Any, sample_weight: Any, settings: Mapping[str, Any]) -> Any:
    """Return the model of a formula, fitted on the columns that it names."""
    formula = parse(text)
    if twice := sorted(set(formula.settings) & set(settings)):
        raise OptionError(f"{twice[0]} is said by the formula and by {twice[0]}=. Say it once.")
    if is_spark(X):
        raise DataError("a formula picks columns here. On Spark select them: fit(frame.select(...), target).")
    names = list(formula.names)
    if isinstance(sample_weight, str):
        names.append(sample_weight)
    model = kind(**settings, **formula.settings)
    chosen = ChosenColumns(open_source(as_given(X), memory=model._local().memory), names)
    return model.fit(chosen, formula.target, sample_weight)


def parse(text: Any) -> ParsedFormula:
    """Return what a formula names."""
    if not isinstance(text, str) or text.count("~") != 1:
        raise OptionError(
            f"a formula is a text such as 'default ~ income + age * region', not {shown(text)}."
        )
    try:
        from formulaic import Formula as Parsed
        from formulaic.errors import FormulaicError
    except ImportError:
        raise OptionError(
            "formulas are read by formulaic, which is not installed. pip install 'tallystick[formula]'"
        ) from None
    before, _, after = text.partition("~")
    if not before.strip():
        raise OptionError(f"formula {shown(text)} must have one column before ~.")
    if re.search(r"(^|[+*:\s])\.($|[+*:\s])", after):
        raise OptionError(f"formula {shown(text)} has '.'; name the columns.")
    try:
        parsed = Parsed(text)
        left, right = list(parsed.lhs), list(parsed.rhs)
    except (FormulaicError, SyntaxError, AttributeError, TypeError, ValueError) as error:
        why = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise OptionError(f"formula {shown(text)} cannot be read: {why}.") from None
    terms = [[_name(factor, text) for factor in term.factors] for term in right]
    if len(left) != 1 or len(left[0].factors) != 1:
        raise OptionError(f"formula {shown(text)} must have one column before ~.")
    (target,) = (_name(factor, text) for factor in left[0].factors)
    offsets = [
        found[1].strip("` ") for term in terms if len(term) == 1 and (found := _OFFSET.fullmatch(term[0]))
    ]
    if len(offsets) > 1:
        raise OptionError(f"formula {shown(text)} has {len(offsets)} offsets. Add them up in one column.")
    plain = [term for term in terms if not (len(term) == 1 and _OFFSET.fullmatch(term[0]))]
    return _of_terms(text, target, plain, offsets[0] if offsets else None)


def _of_terms(text: str, target: str, terms: list[list[str]], offset: str | None) -> ParsedFormula:
    columns = [term[0] for term in terms if len(term) == 1 and term[0] != "1"]
    pairs = [(term[0], term[1]) for term in terms if len(term) == 2]
    if longer := [":".join(term) for term in terms if len(term) > 2]:
        raise OptionError(f"formula {shown(text)} has {shown(longer[0])}: products are of two columns.")
    for pair in pairs:
        if lacking := [name for name in pair if name not in columns]:
            raise OptionError(
                f"formula {shown(text)} has the product {shown(':'.join(pair))} without {shown(lacking[0])} "
                f"itself. Write {'*'.join(pair)}."
            )
    for name in (*columns, *([] if offset is None else [offset])):
        if _call(name):
            raise OptionError(f"formula {shown(text)} has {shown(name)}, which is not a column. {_DO}.")
    if not columns:
        raise OptionError(f"formula {shown(text)} names no column after ~.")
    constant = ["1"] in terms or [] in terms
    return ParsedFormula(target, tuple(columns), tuple(pairs), offset, constant)


def _name(factor: Any, text: str) -> str:
    """Return a factor as it is written; what formulaic would compute is refused, but for the offset."""
    name, how = str(factor.expr), factor.eval_method.value
    if how == "python" and not _OFFSET.fullmatch(name):
        raise OptionError(f"formula {shown(text)} has {shown(name)}, which is not a column. {_DO}.")
    return name


def _call(name: str) -> bool:
    return bool(re.fullmatch(r"\w+\(.*\)", name))


# Linear regression.

CV_FOLDS = 5  # folds that choose the penalty under l2="cv"


class LinearRegression(Regressor):
    """Linear regression of a number on a whole table: numbers, levels and booleans side by side; with a
    penalty (ridge) or without (least squares).

    Parameters
    ----------
    l2 : float, "auto" or "cv", default "auto"
        The penalty λ on the squares of weights beside the squared errors (scikit-learn's alpha): a number, 0
        for least squares, "auto" for the one under which the rows are most probable, "cv" for the best in
        cross-validation.
    standardize : bool, default True
        Whether the penalty acts on standardised numbers. Coefficients are in your units either way.
    interactions, polynomial : {1, 2} or list of pairs; {1, 2}, default 1
        interactions=2 adds products of all pairs of columns, named `a × b`, [("age", "region")] of some;
        polynomial=2 squares of numbers, and products of numbers and yes/no columns.
    fit_intercept : bool, default True
        Whether there is a constant. Without one a missing number counts as 0.
    base_levels : dict, default None
        The level that the others of a column are compared with; None is the most frequent, and the first
        with l2=0.
    columns : ts.Columns, default None
        What you know of the columns: kinds, levels, marks of missing values, columns to keep.
    kinds : dict, default None
        Short for `columns=ts.Columns(kinds=...)`.
    engine : ts.Local or ts.Spark, default None
        Who sums the rows; None is this machine. It changes no model.
    threads, memory : int; int or str, default None
        Short for `engine=ts.Local(threads=..., memory=...)`: all cores, and all rows in memory.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"rooms": n % 4, "rent": 100.0 * (n % 4) + 20} for n in range(20)]
    >>> ts.LinearRegression(l2=0).fit(rows, "rent").predict([{"rooms": 5}]).round(6).tolist()
    [520.0]
    """

    _kind = LINEAR_KIND
    model_: LinearModel

    def __init__(
        self,
        *,
        l2: float | str = "auto",
        standardize: bool = True,
        interactions: int | Sequence[tuple[str, str]] = 1,
        polynomial: int = 1,
        fit_intercept: bool = True,
        base_levels: Mapping[str, Any] | None = None,
        columns: Columns | None = None,
        kinds: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
    ) -> None:
        self.l2 = l2
        self.standardize = standardize
        self.interactions = interactions
        self.polynomial = polynomial
        self.fit_intercept = fit_intercept
        self.base_levels = base_levels
        self.columns = columns
        self.kinds = kinds
        self.engine = engine
        self.threads = threads
        self.memory = memory

    @classmethod
    def from_formula(cls, formula: str, X: Any, sample_weight: Any = None, **settings: Any) -> Self:
        """Return the model of a formula, fitted: short for naming its columns and `interactions=`.

        Parameters
        ----------
        formula : str
            Such as "rent ~ rooms + age * region": a + b, products a:b, both a * b, no constant + 0, odd names
            in backticks.
        X : path, frame, Arrow table or records
            The rows; columns that the formula does not name are not read.
        sample_weight : array or str, default None
            The weight of each row; None is 1.
        **settings
            Further parameters, e.g. l2=0.

        Returns
        -------
        LinearRegression
            The fitted model.

        Examples
        --------
        >>> import tallystick as ts
        >>> rows = [{"a": n % 5, "b": n % 3, "c": n, "y": n % 5 - n % 3} for n in range(90)]
        >>> ts.LinearRegression.from_formula("y ~ a * b", rows, l2=0).coef_names_
        ['a', 'b', 'a × b']
        """

        made: Self = fit_formula(cls, formula, X, sample_weight, settings)
        return made

    def _options(self) -> LinearOptions:
        return LinearOptions.of(self)

    @property
    def _asked(self) -> Schema:
        return self.model_.asked

    def _learn(self, table: Table, engine: Engine) -> tuple[Model, tuple[Note, ...]]:
        from tallystick.engine import fit
        from tallystick.linear.least_squares import LinearLearner
        from tallystick.linear.prepare import unasked_notes

        options = self._options()
        notes = list(text_notes(table.schema, "a linear regression does not read"))
        learner = LinearLearner(options, table.unit, notes=notes)
        path: PenaltyPath | None = None
        if options.l2 == "cv":
            path = self._path(table, engine, options)
            text = f"l2 = {path.best:g} had the lowest error in {CV_FOLDS}-fold cross-validation."
            notes.append(Note("prior-chosen", text))
            learner = replace(learner, chosen=path.best)
        model = fit(learner, table, engine)
        refuse_beyond(model, model.errors)
        notes += unasked_notes(model.schema, model.asked)
        self._chosen = path
        return model, tuple(notes)

    def _path(self, table: Table, engine: Engine, options: LinearOptions) -> PenaltyPath:
        """Return the errors of five folds along the penalties: the sums of a fold are taken from all."""
        from tallystick.judge.folds import halves
        from tallystick.linear.least_squares import STRENGTHS, equations_of, fold_errors
        from tallystick.linear.path import PenaltyPath, drive

        found = drive(equations_of(options, table.schema, table.unit), table, engine)
        folds = halves(table, CV_FOLDS)
        parts = [found.read(engine.total(left_out, found.question())) for _, left_out in folds]
        return PenaltyPath(STRENGTHS, tuple(fold_errors(found, parts, options).tolist()))

    def _restore(self, document: Mapping[str, Any]) -> None:
        for name, untold in UNTOLD.items():  # a file has these only where they are not the default
            setattr(self, name, untold)
        self._set_stored(document["parameters"])
        schema = Schema.from_dict(document["schema"])
        model = LinearModel.from_dict(document["model"], schema, self._options())
        self._adopt(model, tuple(Note(**n) for n in document["notes"]), dict(document["rows"]))
        self._set_columns(list(schema.given), named=True)

    def summary(self, level: float = 0.95) -> LinearSummary:
        """Return the statistician's table: estimates, standard errors, t, p, intervals, R², F, AIC.

        Parameters
        ----------
        level : float, default 0.95
            What the intervals are to hold.

        Returns
        -------
        LinearSummary
            Prints well; `.to_dict()` is plain data.
        """
        from tallystick.linear.summary import LinearSummary
        from tallystick.stats.distributions import check_level

        self._check_fitted()
        return LinearSummary(self.model_, check_level(level))

    def predict_interval(
        self,
        X: Any,
        *,
        of: str = "mean",
        level: float = 0.95,
        lenient: bool = False,
        missing_columns: str = "error",
    ) -> NDArray[np.float64]:
        """Return an interval of each answer, by Student's t.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.
        of : {"mean", "row"}, default "mean"
            Of the mean of new rows like each, or of a single new row, whose noise comes on top.
        level : float, default 0.95
            What the interval is to hold.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        array [row, 2]
            The lower and the upper end.
        """
        from tallystick.linear.summary import interval_at
        from tallystick.stats.distributions import check_level

        self._check_fitted()
        if of not in ("mean", "row"):
            raise OptionError(f"of must be 'mean' or 'row', not {of!r}.")
        check_level(level)
        found = self._each_block(
            X,
            lambda block: interval_at(self.model_, block, level, of == "row"),
            lenient=lenient,
            missing_columns=missing_columns,
        )
        return np.concatenate([np.zeros((0, 1, 2)), *found])[:, 0]

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights [coefficient] in your units, without the constant, in the order of `coef_names_`."""
        from tallystick.linear.file import coefficients

        self._check_fitted()
        return np.array([float(c.weights[0]) for c in coefficients(self.model_)[1:] if c.free])

    @property
    def coef_names_(self) -> list[str]:
        """The names of the weights in `coef_`."""
        from tallystick.linear.file import coefficients

        self._check_fitted()
        return [c.name for c in coefficients(self.model_)[1:] if c.free]

    @property
    def intercept_(self) -> float:
        """The constant."""
        self._check_fitted()
        return float(self.model_.constant[0])

    @property
    def path_(self) -> PenaltyPath:
        """The errors along the penalties, of a fit with l2="cv"; no model file keeps it."""
        self._check_fitted()
        if self._chosen is None:
            raise NotFitted(
                "there is no path_ of this model: only a fit with l2='cv' has one, and model files do not "
                "keep it. Fit with l2='cv'."
            )
        return self._chosen

    def _as_text(self) -> str:
        return str(self.summary())

    def _in_notebook(self) -> str:
        return self.summary()._repr_html_()

    def _numbers(self) -> int:
        """Return how many weights are not 0, the constant among them."""
        from tallystick.linear.file import coefficients

        self._check_fitted()
        return sum(int(np.count_nonzero(c.weights)) for c in coefficients(self.model_))

    _chosen: PenaltyPath | None = None


# Logistic regression.


class LogisticRegression(Classifier):
    """Logistic regression on a whole table: numbers, levels, booleans and text side by side.

    It ends where the gradient is at most 1e-8 per row and the step still to go at most 1e-8 in standardised
    weights, or where rounding leaves nothing more to gain (`docs/logistic.md`); else there is an error,
    unless `max_iter` set a budget.

    Parameters
    ----------
    l2 : float, "auto" or "cv", default "auto"
        The strength of the Gaussian prior (1/κ², scikit-learn's 1/C): a number, 0 for maximum likelihood,
        "auto" for the one under which the rows are most probable, "cv" for the best in cross-validation.
    l1 : float, default 0.0
        The strength of the Laplace prior, for sparse models.
    standardize : bool, default True
        Whether the priors act on standardised numbers. Coefficients are in your units either way.
    class_weight : dict or "balanced", default None
        What a row of each class counts: {label: weight}.
    reference : label, default None
        The class that the others are compared with; None is the first of two, the last of several.
    interactions, polynomial : {1, 2} or list of pairs; {1, 2}, default 1
        interactions=2 adds products of all pairs of columns, named `a × b`, [("age", "region")] of some;
        polynomial=2 squares of numbers, and products of numbers and yes/no columns.
    fit_intercept : bool, default True
        Whether there is a constant. Without one a missing number counts as 0.
    base_levels : dict, default None
        The level that the others of a column are compared with; None is the most frequent, and the first
        with l2=0.
    offset : str, default None
        A numeric column that is added to the log-odds as it is, with weight 1. For two classes.
    firth : bool, default False
        Whether Firth's correction (Jeffreys' prior) takes the place of the prior: weights stay finite where
        the classes are separated.
    words : {"tf-idf", "counts"}, default "tf-idf"
        How the words of a text count.
    min_letters : int, default 1
        How many characters a word must have to be known (scikit-learn: 2).
    solver : str, default "auto"
        "auto", "newton", "lbfgs", "conjugate-gradient" or "gradient".
    max_iter : int, default None
        A budget of steps: where it ends before the optimum, the weights are those reached, without standard
        errors, and a warning and a note say so. None is the solver's own limit, beyond which there is an
        error.
    eta, tolerance : float, default None
        With solver="gradient": the length of a step, in standardised weights, and the gradient per row at
        which it ends; None is 1 over the most curvature there can be, and 1e-10.
    trace : bool, default False
        Whether every step is kept in `trace_`, with its weights.
    columns : ts.Columns, default None
        What you know of the columns: kinds, levels, marks of missing values, columns to keep.
    kinds : dict, default None
        Short for `columns=ts.Columns(kinds=...)`.
    engine : ts.Local, ts.Spark or ts.Sql, default None
        Who sums the rows; None is this machine. It changes no model.
    threads, memory : int; int or str, default None
        Short for `engine=ts.Local(threads=..., memory=...)`: all cores, and all rows in memory.

    Examples
    --------
    >>> import tallystick as ts
    >>> rows = [{"dose": n, "cured": n > 4} for n in range(10)] * 3
    >>> model = ts.LogisticRegression(l2=1.0).fit(rows, "cured")
    >>> model.predict([{"dose": 9}]).tolist()
    [True]
    """

    _kind = KIND
    model_: LogisticModel

    def __init__(
        self,
        *,
        l2: float | str = "auto",
        l1: float = 0.0,
        standardize: bool = True,
        class_weight: str | Mapping[Any, float] | None = None,
        reference: Any = None,
        interactions: int | Sequence[tuple[str, str]] = 1,
        polynomial: int = 1,
        fit_intercept: bool = True,
        base_levels: Mapping[str, Any] | None = None,
        offset: str | None = None,
        firth: bool = False,
        words: str = "tf-idf",
        min_letters: int = 1,
        solver: str = "auto",
        max_iter: int | None = None,
        eta: float | None = None,
        tolerance: float | None = None,
        trace: bool = False,
        columns: Columns | None = None,
        kinds: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
    ) -> None:
        self.l2 = l2
        self.l1 = l1
        self.standardize = standardize
        self.class_weight = class_weight
        self.reference = reference
        self.interactions = interactions
        self.polynomial = polynomial
        self.fit_intercept = fit_intercept
        self.base_levels = base_levels
        self.offset = offset
        self.firth = firth
        self.words = words
        self.min_letters = min_letters
        self.solver = solver
        self.max_iter = max_iter
        self.eta = eta
        self.tolerance = tolerance
        self.trace = trace
        self.columns = columns
        self.kinds = kinds
        self.engine = engine
        self.threads = threads
        self.memory = memory

    @classmethod
    def from_formula(cls, formula: str, X: Any, sample_weight: Any = None, **settings: Any) -> Self:
        """Return the model of a formula, fitted: short for naming its columns, `interactions=` and `offset=`.

        Parameters
        ----------
        formula : str
            Such as "default ~ income + age * region": a + b, products a:b, both a * b, no constant + 0,
            an offset(column), odd names in backticks.
        X : path, frame, Arrow table or records
            The rows; columns that the formula does not name are not read.
        sample_weight : array or str, default None
            The weight of each row; None is 1.
        **settings
            Further parameters, e.g. l2=0.

        Returns
        -------
        LogisticRegression
            The fitted model.

        Examples
        --------
        >>> import tallystick as ts
        >>> rows = [{"a": n % 5, "b": n % 3, "c": n, "y": n * n % 7 > 3} for n in range(90)]
        >>> ts.LogisticRegression.from_formula("y ~ a * b", rows, l2=0).coef_names_
        ['a', 'b', 'a × b']
        """

        made: Self = fit_formula(cls, formula, X, sample_weight, settings)
        return made

    def _options(self) -> LogisticOptions:
        return LogisticOptions.of(self)

    def _wishes(self) -> ColumnOptions:
        wished, letters = super()._wishes(), plain(self.min_letters)
        return wished if type(letters) is int and letters == 1 else replace(wished, min_letters=letters)

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table that `_fit_table` learns from."""
        table = super()._read(X, y, sample_weight)
        if isinstance(self.class_weight, Mapping) and table.schema.target is not None:
            refuse_unknown("class_weight", self.class_weight, table.schema.target)
        return table

    @property
    def _asked(self) -> Schema:
        return self.model_.asked

    def _learn(self, table: Table, engine: Engine) -> tuple[Model, tuple[Note, ...]]:
        return self._learnt(table, engine, probes=True)

    def _learn_to_answer(self, table: Table, engine: Engine) -> tuple[Model, tuple[Note, ...]]:
        """Return the model without a look for classes that only the prior keeps from being separated."""
        return self._learnt(table, engine, probes=False)

    def _learnt(self, table: Table, engine: Engine, probes: bool) -> tuple[Model, tuple[Note, ...]]:
        from tallystick.engine import fit
        from tallystick.linear.learner import LogisticLearner
        from tallystick.linear.path import drive
        from tallystick.linear.prepare import unasked_notes

        options = self._options()
        notes: list[Note] = []
        steps: list[SolverStep] = []
        chosen: PenaltyPath | None = None
        from tallystick.table.table import held

        rows = held(table) if probes else table  # kept for questions that are asked later
        later = None if rows is None or self.trace else partial(drive, table=rows, engine=Local(1))
        learner = LogisticLearner(
            options, table.unit, probes, trace=steps, keep_weights=self.trace, notes=notes, later=later
        )
        if options.l2 == "cv":
            chosen = self._path(table, engine, options)
            notes.append(
                Note("prior-chosen", f"l2 = {chosen.best:g} had the lowest loss in 5-fold cross-validation.")
            )
            learner = replace(learner, chosen=chosen.best)
        model = fit(learner, table, engine)
        refuse_beyond(model, model.errors if isinstance(model.fit_stats, KnownFit) else ())
        notes += unasked_notes(model.schema, model.asked)
        for note in notes:
            if note.code == "not-converged":
                warn(note.text)
        self._chosen = chosen
        self.trace_ = tuple(steps) if self.trace else ()
        return model, tuple(notes)

    @property
    def notes_(self) -> tuple[Note, ...]:
        """What was dropped, merged, guessed or found on the way; separated classes are looked for when
        somebody first asks.
        """
        return self._notes + self.model_.fit_stats.notes

    def _path(self, table: Table, engine: Engine, options: LogisticOptions) -> PenaltyPath:
        """Return the losses of five folds along the strengths of the prior."""
        from tallystick.judge.folds import halves
        from tallystick.linear.path import choose

        return choose(halves(table, 5), engine, options, table.schema, table.unit)

    def _fit_settings(
        self, settings: Sequence[Any], training: Table, roughly: bool = False
    ) -> Iterator[PathPoint | LogisticModel] | None:
        """Return what answers for each setting by one path, when only the strength of l2 differs."""
        from tallystick.linear.path import path_points

        strengths = [s.l2 for s in settings]
        first, *others = [{**s.get_params(deep=False), "l2": 1.0} for s in settings]
        plain = all(is_number(v) and v > 0 for v in strengths) and not self.l1
        if not plain or any(params != first for params in others):
            return None
        order = sorted(range(len(settings)), key=lambda i: -strengths[i])
        options = LogisticOptions.of(type(self)(**first))
        engine, falling = training.engine or Local(1), [float(strengths[i]) for i in order]
        points = path_points(training, engine, options, falling, training.unit, roughly)
        answering = (point.answering if roughly else point.model for point in points)
        found = dict(zip(order, answering, strict=True))
        return (found[i] for i in range(len(settings)))

    def _restore(self, document: Mapping[str, Any]) -> None:
        self.min_letters = 1  # a file has these only where they are not the default
        self.eta = self.tolerance = self.base_levels = self.offset = None
        self.fit_intercept, self.firth = True, False
        self._set_stored(document["parameters"])
        schema = Schema.from_dict(document["schema"])
        model = LogisticModel.from_dict(document["model"], schema, self._options())
        self._adopt(model, tuple(Note(**n) for n in document["notes"]), dict(document["rows"]))
        self._set_columns(list(schema.given), named=True)

    # -- explanations --

    def summary(self) -> Summary:
        """Return the statistician's table: estimates, standard errors, odds ratios, marginal effects, fit."""
        from tallystick.linear.summary import Summary

        self._check_fitted()
        return Summary(self.model_)

    def inference(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        errors: str = "curvature",
        groups: Any = None,
        level: float = 0.95,
    ) -> Inference:
        """Return what needs the training rows: covariance, robust and clustered errors, tests of whole
        columns, profile intervals, effects of levels, residuals, influence (`docs/inference.md`).

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows of the fit; others are an error.
        y : str or array, default None
            The labels, or the name of their column; None is the target's.
        sample_weight : array or str, default None
            The weight of each row, as in the fit.
        errors : {"curvature", "HC0", "HC1"}, default "curvature"
            Where standard errors come from: the curvature of the likelihood, or robust, the sandwich of
            the rows' scores; HC1 is n/(n-k) times HC0.
        groups : array or str, default None
            The group of each row, or the name of its column, for clustered standard errors.
        level : float, default 0.95
            What intervals are to hold.

        Returns
        -------
        Inference
            Prints as a table; `tests()`, `profile()`, `effects()`, `residuals()` and `hosmer_lemeshow()`
            tell the rest.

        Examples
        --------
        >>> import tallystick as ts
        >>> rows = [{"dose": n % 10, "cured": n % 7 > 3 or n % 10 > 6} for n in range(60)]
        >>> found = ts.LogisticRegression(l2=0).fit(rows, "cured").inference(rows)
        >>> round(found.tests()["dose"].likelihood_ratio, 3)
        14.478
        """
        from tallystick.linear.inference import infer

        self._check_fitted()
        return infer(self, X, y, sample_weight, errors, groups, level)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the log-odds of the second class, or of several classes a score for each.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.

        Returns
        -------
        array [row] or [row, class]
            Two classes: above 0 where the second of `classes_` is more probable.
        """
        self._check_fitted()
        found = list(self._each_block(X, self.model_.scores))
        scores = np.concatenate([np.zeros((0, len(self.classes_))), *found])
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def nomogram(self, label: Any = None, against: Any = None) -> Picture:
        """Return the model as a picture: each column a line, each value where its weight lies, measured from
        the average training row as in `explain`.

        A model with products of columns or with text has no nomogram: an error says so.

        Parameters
        ----------
        label : label, default None
            One class; None is the last.
        against : label, default None
            The class it is compared with; None is the first other.

        Returns
        -------
        Picture
            SVG; `save` writes it.
        """
        from tallystick.draw.planes import Scale, nomogram
        from tallystick.linear.summary import scales

        self._check_fitted()
        labels = self.model_.labels
        c = self._class(label) if label is not None else len(labels) - 1
        d = self._class(against) if against is not None else (0 if c else 1)
        if c == d:
            raise OptionError(
                f"a nomogram compares two classes, and both are {shown(labels[c])}. "
                f"The classes are {some(labels)}."
            )
        start = self.model_.additive.start
        base = float(start[c] - start[d])
        lines = [Scale(name, tuple(marks)) for name, marks in scales(self.model_, c, d, self._usual_ranges())]
        lines.sort(key=lambda s: min(w for _, w in s.marks) - max(w for _, w in s.marks))
        return Picture(
            nomogram(f"{self.schema_.predicted.name}: {labels[c]} against {labels[d]}", lines, base)
        )

    def forest(self) -> Picture:
        """Return the odds ratios with their 95 % intervals as a picture, on a logarithmic scale."""
        from tallystick.draw.charts import Effect, forest

        figures = [f for f in self.summary().figures if f.name != "(constant)"]
        classes = list(dict.fromkeys(f.of for f in figures))
        effects = []
        for f in figures:
            low, high = f.interval or (f.estimate, f.estimate)
            name = f"{f.name} ({f.of})" if len(classes) > 1 else f.name
            effects.append(Effect(name, f.estimate, low, high))
        of = f" = {classes[0]}" if len(classes) == 1 else ""
        captions = "dark: the interval leaves out 1", "no intervals: see the summary"
        note = captions[0] if any(f.error is not None for f in figures) else captions[1]
        return Picture(forest(f"Odds ratios for {self.schema_.predicted.name}{of}", effects, note))

    def trace_picture(self) -> Picture:
        """Return the gradient norm of every step as a picture; fit with trace=True."""
        from tallystick.draw.charts import line_chart

        if not self.trace_:
            raise OptionError("there is no trace. Fit with trace=True.")
        x = [float(s.iteration) for s in self.trace_]
        y = [math.log10(max(s.gradient, 1e-300)) for s in self.trace_]
        return Picture(line_chart([("gradient norm", x, y, y, y)], "iteration", "log10 of the gradient norm"))

    def _class(self, label: Any) -> int:
        return class_number(self.schema_.predicted, label)

    def _in_notebook(self) -> str:
        from tallystick.draw.svg import framed, html_lines
        from tallystick.linear.summary import no_scales

        table = html_lines(self.summary().lines())
        return framed(table) if no_scales(self.model_) else framed(self.nomogram(), table)

    def picture(self, label: Any = None, against: Any = None) -> Picture:
        """Return the model as a picture: its nomogram for two classes.

        Parameters
        ----------
        label : label, default None
            One class; None is the last.
        against : label, default None
            The class it is compared with; None is the first other.

        Returns
        -------
        Picture
            SVG; `save` writes it.
        """
        return self.nomogram(label, against)

    def _as_text(self) -> str:
        return str(self.summary())

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights [link, coefficient] in your units, without the constant, in the order of `coef_names_`."""
        self._check_fitted()
        return np.array([c.weights for c in coefficients(self.model_)[1:] if c.free]).T

    @property
    def coef_names_(self) -> list[str]:
        """The names of the weights in `coef_`."""
        self._check_fitted()
        return [c.name for c in coefficients(self.model_)[1:] if c.free]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The constant [link]."""
        self._check_fitted()
        return self.model_.constant

    @property
    def n_iter_(self) -> NDArray[np.int64]:
        """The steps of the solver, in an array of one."""
        self._check_fitted()
        return np.array([max(self.model_.fit.iterations, 1)])

    @property
    def path_(self) -> PenaltyPath:
        """The losses along the strengths of the prior, of a fit with l2="cv"; no model file keeps it."""
        self._check_fitted()
        if self._chosen is None:
            raise NotFitted(
                "there is no path_ of this model: only a fit with l2='cv' has one, and model files do not "
                "keep it. Fit with l2='cv'."
            )
        return self._chosen

    def _numbers(self) -> int:
        """Return how many weights are not 0, the constants among them."""
        self._check_fitted()
        weights = [c.weights for c in coefficients(self.model_)]
        weights += [part.weights for part in self.model_.parts if isinstance(part, WordWeights)]
        return sum(int(np.count_nonzero(w)) for w in weights)

    _chosen: PenaltyPath | None = None
