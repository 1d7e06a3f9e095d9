"""`NaiveBayes`: one model over mixed columns, each with its own distribution.

Knows the learner, the model and how to show it. Knows nothing of sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Engine, Model, Table
from tallystick.data.schema import Columns, Note, Schema, Wishes
from tallystick.data.table.picked import SIZE
from tallystick.data.text import label_text
from tallystick.engines.local import Local
from tallystick.estimators.classes import refuse_unknown
from tallystick.estimators.naive_bayes_updates import Updates
from tallystick.estimators.naive_bayes_views import BayesViews
from tallystick.models.naive_bayes import KIND, BayesOptions, NaiveBayesModel
from tallystick.models.plain import plain

if TYPE_CHECKING:
    from tallystick.estimators.bayes_inference import BayesInference
    from tallystick.evaluate.folds import FoldPlan
    from tallystick.learners.naive_bayes import NaiveBayesLearner


class NaiveBayes(Updates, BayesViews):
    """Naive Bayes on a whole table: levels, booleans, numbers and text side by side.

    Parameters
    ----------
    distributions : str or dict, default "auto"
        "gaussian", "binned", "poisson", "frequencies" (a matrix of counts or tf-idf), "multinomial", ... for
        all columns that it fits, or by column: {name: distribution}. "auto" chooses by what is in it.
    alpha : float or dict, default 1.0
        Cases added to the count of each value; one number, or by column.
    m, p : float or dict, default None
        The m-estimate (count + m * p) / (rows + m), which takes precedence over alpha; one number, or by
        column.
    priors : {"data", "uniform", "none"}, list or dict, default "data"
        The shares of the classes: those of the rows, equal ones, no prior at all, or a number for each.
    variance : {"ml", "unbiased", "smoothed"}, default None
        How the variance of a Gaussian column is computed; None is "smoothed" where "auto" chose that
        distribution, else "ml".
    share : {"none", "classes", "columns", "both"}, default "none"
        Which Gaussian columns have one variance together: none, those of all classes, of all columns, or all.
    words : {"counts", "tf-idf"}, default "counts"
        How the words of a text count.
    min_count : int, default 1
        How many rows a word must be in to be known.
    min_letters : int, default 1
        How many characters a word must have to be known (scikit-learn: 2).
    calibrate : bool, default False
        Whether shares are calibrated by cross-validation.
    class_weight : dict or "balanced", default None
        What a row of each class counts in the prior: {label: weight}; "balanced" makes classes equal.
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
    >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 5
    >>> model = ts.NaiveBayes(alpha=0.5).fit(rows, "play")
    >>> model.predict([{"sky": "rain"}]).tolist()
    ['yes']
    """

    _kind = KIND
    model_: NaiveBayesModel

    def __init__(
        self,
        *,
        distributions: str | Mapping[str, str] = "auto",
        alpha: float | Mapping[str, float] = 1.0,
        m: float | Mapping[str, float] | None = None,
        p: float | Mapping[str, Any] | None = None,
        priors: str | Sequence[float] | Mapping[str, float] = "data",
        variance: str | None = None,
        share: str = "none",
        words: str = "counts",
        min_count: int = 1,
        min_letters: int = 1,
        calibrate: bool = False,
        class_weight: str | Mapping[Any, float] | None = None,
        columns: Columns | None = None,
        kinds: Mapping[str, str] | None = None,
        engine: Engine | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
    ) -> None:
        self.distributions = distributions
        self.alpha = alpha
        self.m = m
        self.p = p
        self.priors = priors
        self.variance = variance
        self.share = share
        self.words = words
        self.min_count = min_count
        self.min_letters = min_letters
        self.calibrate = calibrate
        self.class_weight = class_weight
        self.columns = columns
        self.kinds = kinds
        self.engine = engine
        self.threads = threads
        self.memory = memory

    def _as_text(self) -> str:
        from tallystick.estimators.naive_bayes_text import naive_bayes_text

        return naive_bayes_text(self.model_)

    def _options(self) -> BayesOptions:
        given = self.class_weight
        if isinstance(given, Mapping):
            given = {label_text(label): weight for label, weight in given.items()}
        sums = self._in_parts and self.distributions == "auto"
        return BayesOptions(
            distributions="gaussian" if sums else self.distributions,
            alpha=self.alpha,
            m=self.m,
            p=self.p,
            priors=self.priors,
            variance=self.variance,
            share=self.share,
            words=self.words,
            min_count=self.min_count,
            min_letters=self.min_letters,
            calibrate=self.calibrate,
            class_weight=given,
        )

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table that `_fit_table` learns from."""
        table = super()._read(X, y, sample_weight)
        if isinstance(self.class_weight, Mapping) and table.schema.target is not None:
            refuse_unknown("class_weight", self.class_weight, table.schema.target)
        return table

    def _wishes(self) -> Wishes:
        wishes = super()._wishes()
        cut = self._options().distribution("", "numeric") in ("auto", "binned")  # of these values come first
        here = self._engine() == self._local()  # else somebody else adds them up
        return replace(
            wishes,
            min_count=plain(self.min_count),
            min_letters=plain(self.min_letters),
            sums=here,
            sample=SIZE if here and cut else 0,
        )

    def _learn(self, table: Table, engine: Engine) -> tuple[Model, tuple[Note, ...]]:
        from tallystick.estimators.folds import calibrated
        from tallystick.learners.fit import fit

        options = self._options()
        learner = replace(_learner(options, table), threads=self._local().threads)
        learner = replace(learner, rows=table.rows, budget=table.budget)
        model = fit(learner, table, engine)
        model.check()
        if options.calibrate:
            model = calibrated(model, table, engine, self._local().threads)
        return model, model.notes

    def _restore(self, document: Mapping[str, Any]) -> None:
        self.min_count = self.min_letters = 1  # a file tells these only where they say something
        self.class_weight = None
        self._set_stored(document["parameters"])
        schema = Schema.from_dict(document["schema"])
        rows = dict(document["rows"])
        model = NaiveBayesModel.from_dict(document["model"], schema, self._options(), rows["unit"])
        self._adopt(model, tuple(Note(**n) for n in document["notes"]), rows)
        self._set_columns(list(schema.given), named=True)

    def _numbers(self) -> int:
        """Return how many numbers a reader of the model must look at."""
        self._check_fitted()
        return self.model_.numbers()

    def _prior_only(self, block: Block, shares: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return the rows of a block that only the class shares could answer; shares: the block's."""
        return self.model_.prior_only(block, shares)

    def _may_be_prior(self, shares: NDArray[np.float64]) -> bool:
        """Say whether shares[class] of a row are those of the prior."""
        return shares.tobytes() == self.model_.prior_bytes

    def _cross_shares(self, table: Table, plan: FoldPlan) -> NDArray[np.float64] | None:
        """Return out-of-fold shares[piece, class] from one pass; the rows of the table are the pieces of the
        plan. None: this model must refit.
        """
        from tallystick.estimators.folds import cross_answers, holds_values, one_out_answers
        from tallystick.learners.naive_bayes.folds import question

        ask = question(_learner(self._options(), table), table.schema)
        if ask is None or self.calibrate or table.place == "far":
            return None
        if plan.twin is not None:
            return one_out_answers(ask, table, plan, self._engine(), _shares)
        if plan.fold.min() < 0 or not holds_values(ask, table, table.rows, len(plan.numbers)):
            return None
        return cross_answers(ask, table, plan, self._engine(), _shares, self._local().threads)

    def _fit_settings(
        self, settings: Sequence[Any], training: Table, roughly: bool = False
    ) -> Iterator[NaiveBayesModel] | None:
        """Return the model of each setting; those that differ in smoothing alone share sums."""
        from tallystick.learners.fit import fit

        if any(s.calibrate for s in settings):
            return None
        numeric = any(c.kind == "numeric" for c in training.schema.used)
        engine = training.engine or Local(1)
        fitted: dict[str, NaiveBayesModel] = {}
        made: dict[str, NaiveBayesModel] = {}  # without numbers some settings are the same

        def one(options: BayesOptions) -> NaiveBayesModel:
            known = options if numeric else replace(options, distributions="auto")
            sums, exact = repr(replace(known, alpha=1.0)), repr(known)
            if sums not in fitted:
                fitted[sums] = fit(_learner(options, training), training, engine)
            if exact not in made:
                made[exact] = replace(fitted[sums], options=options)
            return made[exact]

        return (one(setting._options()) for setting in settings)

    def _grow_shares(
        self, table: Table, train: NDArray[np.int64], test: NDArray[np.int64], sizes: Sequence[int]
    ) -> list[NDArray[np.float64] | None] | None:
        """Return shares[test row, class] of the model of train[:size] for rising sizes, from one pass: counts
        add up. None where a model must be fitted.
        """
        from tallystick.estimators.folds import grown_answers
        from tallystick.learners.naive_bayes.folds import question

        ask = question(_learner(self._options(), table), table.schema)
        if ask is None or self.calibrate or not table.schema.used or table.place == "far":
            return None
        return grown_answers(ask, table, train, test, sizes, _shares)

    def inference(
        self, X: Any, y: Any = None, sample_weight: Any = None, level: float = 0.95
    ) -> BayesInference:
        """Return what the training rows let one conclude: intervals of probabilities of new rows.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows of the fit again; others are an error.
        y : str or array, default None
            The labels, or the name of their column; None is the target's.
        sample_weight : array or str, default None
            The weights of the fit.
        level : float, default 0.95
            The level of the intervals.

        Returns
        -------
        BayesInference
            `.predict_interval(new)` gives low and high ends [row, class, 2].

        Examples
        --------
        >>> import tallystick as ts
        >>> rows = [{"sky": "rain" if n % 3 else "sun", "play": "no" if n % 4 else "yes"} for n in range(60)]
        >>> found = ts.NaiveBayes().fit(rows, "play").inference(rows, "play")
        >>> found.predict_interval({"sky": "sun"}).round(2).tolist()
        [[[0.52, 0.89], [0.11, 0.48]]]
        """
        from tallystick.estimators.bayes_inference import infer

        self._check_fitted()
        return infer(self, X, y, sample_weight, level)

    def predict_joint_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log(prior × product of shares), neither normalised nor calibrated.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.

        Returns
        -------
        array [row, class]
            In the order of `classes_`.
        """
        self._check_fitted()
        parts = list(self._each_block(X, self.model_.joint))
        return np.concatenate(parts) if parts else np.zeros((0, len(self.classes_)))


def _learner(options: BayesOptions, table: Table) -> NaiveBayesLearner:
    from tallystick.learners.naive_bayes import NaiveBayesLearner

    return NaiveBayesLearner(options, table.unit, row_unit=table.row_unit)


def _shares(model: NaiveBayesModel, rows: Table) -> NDArray[np.float64]:
    """Return P(class | row) of some rows."""
    return np.concatenate(list(rows.answers(model.shares)))
