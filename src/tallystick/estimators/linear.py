"""`LinearRegression`: least squares and ridge on a whole table, with the statistician's table.

Knows the learner, the model and how to show it. Knows nothing of sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Engine, Model, Table
from tallystick.data.schema import Columns, Note, Schema
from tallystick.errors import NotFitted, OptionError
from tallystick.estimators.regressor import Regressor
from tallystick.estimators.tree_settings import text_notes
from tallystick.models.linear.model import KIND, LinearModel
from tallystick.models.linear.options import UNTOLD, LinearOptions
from tallystick.models.logistic.file import refuse_beyond

if TYPE_CHECKING:
    from tallystick.explain.linear import LinearSummary
    from tallystick.learners.logistic.path import PenaltyPath

CV_FOLDS = 5


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

    _kind = KIND
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
        from tallystick.estimators.formula import fit_formula

        made: Self = fit_formula(cls, formula, X, sample_weight, settings)
        return made

    def _options(self) -> LinearOptions:
        return LinearOptions.of(self)

    @property
    def _asked(self) -> Schema:
        return self.model_.asked

    def _learn(self, table: Table, engine: Engine) -> tuple[Model, tuple[Note, ...]]:
        from tallystick.learners.fit import fit
        from tallystick.learners.linear import LinearLearner
        from tallystick.learners.logistic.repeats import unasked_notes

        options = self._options()
        notes = list(text_notes(table.schema, "a linear regression does not read"))
        learner = LinearLearner(options, table.unit, notes=notes)
        path: PenaltyPath | None = None
        if options.l2 == "cv":
            path = self._path(table, engine, options)
            told = f"l2 = {path.best:g} had the lowest error in {CV_FOLDS}-fold cross-validation."
            notes.append(Note("prior-chosen", told))
            learner = replace(learner, chosen=path.best)
        model = fit(learner, table, engine)
        refuse_beyond(model, model.errors)
        notes += unasked_notes(model.schema, model.asked)
        self._chosen = path
        return model, tuple(notes)

    def _path(self, table: Table, engine: Engine, options: LinearOptions) -> PenaltyPath:
        """Return the errors of five folds along the penalties: the sums of a fold are taken from all."""
        from tallystick.evaluate.far_folds import halves
        from tallystick.learners.linear.learner import equations_of
        from tallystick.learners.linear.normal import STRENGTHS, fold_errors
        from tallystick.learners.logistic.path import PenaltyPath, drive

        found = drive(equations_of(options, table.schema, table.unit), table, engine)
        folds = halves(table, CV_FOLDS)
        parts = [found.read(engine.total(left_out, found.question())) for _, left_out in folds]
        return PenaltyPath(STRENGTHS, tuple(fold_errors(found, parts, options).tolist()))

    def _restore(self, document: Mapping[str, Any]) -> None:
        for name, untold in UNTOLD.items():  # a file tells these only where they say something
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
        from tallystick.explain.linear import LinearSummary
        from tallystick.explain.tails import check_level

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
        from tallystick.explain.linear import interval_at
        from tallystick.explain.tails import check_level

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
        from tallystick.models.logistic.coefficients import coefficients

        self._check_fitted()
        return np.array([float(c.weights[0]) for c in coefficients(self.model_)[1:] if c.free])

    @property
    def coef_names_(self) -> list[str]:
        """The names of the weights in `coef_`."""
        from tallystick.models.logistic.coefficients import coefficients

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
        from tallystick.models.logistic.coefficients import coefficients

        self._check_fitted()
        return sum(int(np.count_nonzero(c.weights)) for c in coefficients(self.model_))

    _chosen: PenaltyPath | None = None
