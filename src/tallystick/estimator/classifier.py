"""The base classes of estimators by target: `Classifier` for classes, then `Regressor` for numbers.

shares = the probabilities [row, class] that the model gives; decision = the rule from shares to a label.
Law: a label is `decide(shares)`, whoever asks; shares are those of `_shares`, whatever the rows came in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Model, Table
from tallystick.errors import DataError, TargetError, counted, warn
from tallystick.estimator.base import Estimator
from tallystick.io.open import opened
from tallystick.model.decision import AnswerDecision, decision_of
from tallystick.predict.row import are_floats
from tallystick.schema import Note

if TYPE_CHECKING:
    from tallystick.explanation.changes import Counterfactuals
    from tallystick.explanation.effects import ColumnEffect, PairEffect


E = TypeVar("E", bound=Estimator)


def undecided(estimator: E) -> E:
    """Return the same fitted estimator, rows kept with it included, that answers without a decision."""
    out = object.__new__(type(estimator))
    out.__dict__.update(estimator.__dict__)
    out._decide_by(None)
    return out


class Classifier(Estimator):
    """Fit, predict and score for estimators of classes."""

    _estimator_type = "classifier"
    classes_: NDArray[Any]

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        self._float_labels = are_floats(X, y)
        return super()._read(X, y, sample_weight)

    def _adopt(self, model: Model, notes: tuple[Note, ...], rows: dict[str, Any]) -> None:
        super()._adopt(model, notes, rows)
        self.classes_ = np.array(model.schema.predicted.values())
        if self._float_labels and model.schema.predicted.type == "integer":
            self.classes_ = self.classes_.astype(np.float64)

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | ({"float_labels": True} if self._float_labels else {})

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._float_labels = state.pop("float_labels", False)
        super().__setstate__(state)

    @property
    def decision_(self) -> AnswerDecision | None:
        """How probabilities become an answer, as `set_decision` set it; None: the largest is answered."""
        self._check_fitted()
        found: AnswerDecision | None = self.model_.decision
        return found

    def set_decision(self, *, costs: Any = None, threshold: float | None = None, of: Any = None) -> Self:
        """Answer by costs or by a threshold from now on; it is kept in the model file.

        Probabilities stay as they are: only the answered label changes. A new fit begins without a decision.

        Parameters
        ----------
        costs : dict or table, default None
            {class: {answer: cost}}: a row of that class that gets that answer costs so much; what is not
            named costs 1 if wrong, 0 if right. Or `costs[class][answer]`. The answer is the one of least
            expected cost.
        threshold : float, default None
            Of two classes: `of` is answered where its probability is above this number, else the other.
        of : label, default None
            The class of the threshold; it must be named with one.

        Returns
        -------
        self
            The estimator.

        Examples
        --------
        >>> import tallystick as ts
        >>> rows = [{"sky": "sun", "play": "no"}] * 3 + [{"sky": "sun", "play": "yes"}]
        >>> model = ts.NaiveBayes().fit(rows, "play")
        >>> model.predict_one({"sky": "sun"})
        'no'
        >>> model.set_decision(threshold=0.2, of="yes").predict_one({"sky": "sun"})
        'yes'
        """
        self._check_fitted()
        self._decide_by(decision_of(self.schema_.predicted, costs, threshold, of))
        return self

    def clear_decision(self) -> Self:
        """Answer by the largest probability again, or by the `costs` of a tree or rules.

        Returns
        -------
        self
            The estimator.
        """
        self._check_fitted()
        self._decide_by(None)
        return self

    def _keep_decision(self, decision: AnswerDecision | None) -> None:
        """Take over the decision of the model before, where the classes are still its."""
        if decision is None:
            return
        same = decision.labels == self.schema_.predicted.labels
        self._decide_by(decision if same else None)
        if not same:
            warn(f"the classes changed, so the decision ({decision}) is gone. Set it again by set_decision.")

    def _decide(self, shares: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the place in `classes_` that is answered for shares[row, class]: the largest share, or as
        `set_decision` or the `costs` of a tree say; of equals the first. Every label is decided here.
        """
        self._check_fitted()
        return self.model_.decide(shares)

    def _prior_only(self, block: Block, shares: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return the rows of a block that only the class shares could answer; shares: the block's."""
        return np.zeros(block.rows, bool)

    def _may_be_prior(self, shares: NDArray[np.float64]) -> bool:
        """Say whether shares[class] of a row are those that `_prior_only` has to be asked about."""
        return False

    def predict_proba(
        self, X: Any, *, lenient: bool = False, missing_columns: str = "error"
    ) -> NDArray[np.float64]:
        """Return P(class | row).

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        array [row, class]
            In the order of `classes_`. NaN for a row of a file that cannot be read.
        """
        return self._shares(X, lenient=lenient, missing_columns=missing_columns)

    def predict_proba_one(
        self, row: Mapping[str, Any], *, lenient: bool = False, missing_columns: str = "error"
    ) -> NDArray[np.float64]:
        """Return P(class | row) of a single row; quicker than a table of one row.

        Parameters
        ----------
        row : dict
            The values of one row, by column.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        array [class]
            In the order of `classes_`.
        """
        return self._shares_of_one(row, lenient=lenient, missing_columns=missing_columns)

    def predict_one(
        self, row: Mapping[str, Any], *, lenient: bool = False, missing_columns: str = "error"
    ) -> Any:
        """Return the class of a single row, as `predict` answers it.

        Parameters
        ----------
        row : dict
            The values of one row, by column.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        label
            One of `classes_`.
        """
        shares = self._shares_of_one(row, lenient=lenient, missing_columns=missing_columns)
        return self.classes_[self.model_.decide(shares[None, :])[0]]

    def predict_interval(
        self, X: Any, *, lenient: bool = False, missing_columns: str = "error"
    ) -> NDArray[np.float64]:
        """Return an approximate 95 % interval of each probability: how far it could lie elsewhere had other
        rows of the same kind been seen.

        Trees and rules: the beta distribution of the rows behind the answer, wider for what the search for
        tests takes from them. Scorecards: from the curvature at the fit; of more than about 180 lines by
        classes the largest part of how errors go together is kept, the rest is taken for independent.
        Logistic regression and naive Bayes: `inference(rows).predict_interval(X)`. No interval holds what the
        choice of a model adds, nor a change of the population; and none is of what a single row will turn out
        to be.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        array [row, class, 2]
            The lower and the upper end; `predict_proba` lies between them.
        """
        from tallystick.predict.answers import intervals

        return intervals(self, X, lenient=lenient, missing_columns=missing_columns)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of P(class | row), also where the share itself is too small for a number.

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
        parts = list(self._each_block(X, self.model_.log_shares))
        return np.concatenate(parts) if parts else np.zeros((0, len(self.classes_)))

    def predict(self, X: Any, *, lenient: bool = False, missing_columns: str = "error") -> NDArray[Any]:
        """Return the class of each row: the most probable, or as `set_decision` or the `costs` of a tree say;
        of equals the first in `classes_`.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        array [row]
            Labels; None for a row of a file that cannot be read.
        """
        quick = self._best_of_floats  # half of the time (benchmarks/trees.py, logistic.py)
        return self._answered(X, self._labels, quick, lenient=lenient, missing_columns=missing_columns)

    def _labels(self, shares: NDArray[np.float64]) -> NDArray[Any]:
        """Return the classes of rows by their shares; None of a row that could not be read."""
        out: NDArray[Any] = self.classes_[self.model_.decide(shares)]
        if (unread := np.isnan(shares[:, 0])).any():
            out = out.astype(object)
            out[unread] = None
        return out

    def _best_of_floats(self, columns: Sequence[NDArray[Any]], rows: int) -> NDArray[Any] | None:
        """Return the classes of rows given as columns of numbers; None when they must be read."""
        best = self.model_.of_columns(columns, rows, best=True)
        return None if best is None else self.classes_.take(best)

    def counterfactuals(
        self,
        row: Mapping[str, Any],
        answer: str | None = None,
        *,
        columns: Sequence[str] | None = None,
        most: int = 5,
    ) -> Counterfactuals:
        """Return the smallest changes of a row that give another answer: "with income >= 32,000 the answer
        would be yes".

        Parameters
        ----------
        row : dict
            The values of one row, by column.
        answer : str, default None
            The class that is wanted; None is any other than the row has now.
        columns : list of str, default None
            The columns that may change; None is all of them.
        most : int, default 5
            How many to return.

        Returns
        -------
        Counterfactuals
            A sentence for each, the fewest columns and the smallest steps first.

        Examples
        --------
        >>> import tallystick as ts
        >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 10
        >>> print(ts.NaiveBayes().fit(rows, "play").counterfactuals({"sky": "sun"}).found[0])
        With sky = rain the answer would be yes (92 %).
        """
        from tallystick.explanation.changes import counterfactuals, refuse_other

        self._check_fitted()

        def answers(rows: list[dict[str, str | None]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
            shares = self.predict_proba(rows)
            return self._decide(shares), shares

        wanted = None if answer is None else self.schema_.predicted.label_of(answer)
        known = self.schema_ if self.profile_ is None else self.profile_.ranged(self.schema_)
        return counterfactuals(known, refuse_other(row), answers, columns, wanted, most)

    def effect(self, column: str | Sequence[str], X: Any, *, of: Any = None) -> ColumnEffect | PairEffect:
        """Return what the model answers, on average over rows, when a column has one value in all of them.

        Parameters
        ----------
        column : str or two of them
            The column: of numbers, levels, ordered or boolean; of two the plane of both.
        X : path, frame, Arrow table, matrix or records
            The rows to average over, the training rows say, with the columns of the fit.
        of : label, default None
            The class whose probability is told; None is the last in `classes_`.

        Returns
        -------
        ColumnEffect or PairEffect
            For each value the mean probability, the band that holds 80 of 100 rows, and its rows; of two
            columns the mean probabilities on their plane.

        Examples
        --------
        >>> import tallystick as ts
        >>> rows = [{"sky": "sun", "play": "no"}, {"sky": "rain", "play": "yes"}] * 10
        >>> [p.value for p in ts.NaiveBayes().fit(rows, "play").effect("sky", rows).points]
        ['rain', 'sun']
        """
        from tallystick.explanation.effects import effect_of
        from tallystick.model.decision import class_number

        self._check_fitted()
        target = self.schema_.predicted
        label = len(target.labels) - 1 if of is None else class_number(target, of)
        return effect_of(self.model_, [matched.block for matched in self._blocks(X)], column, label)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy on labelled rows.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : str or array, default None
            The labels, or the name of their column; None is the target's.
        sample_weight : array or str, default None
            The weight of each row; None is 1.

        Returns
        -------
        float
            The share of rows that are answered correctly.
        """
        from tallystick.io.open import with_each_row
        from tallystick.judge.run import class_labels_of as labels_of
        from tallystick.judge.run import weights_of

        self._check_fitted()
        X = with_each_row(X)
        truth = labels_of(X, self.schema_.predicted.name if y is None else y, self.schema_)
        found = self.predict(X)
        read = np.array([label is not None for label in found]) if found.dtype == object else slice(None)
        if len(found) != len(truth):
            raise TargetError(
                f"y has {len(truth):,} labels for {counted(len(found), 'row')}. Pass one per row."
            )
        right = (found == self.classes_[np.maximum(truth, 0)]) & (truth >= 0)
        weights = None if sample_weight is None else weights_of(X, sample_weight, len(found))[read]
        return float(np.average(right[read], weights=weights))

    def __sklearn_tags__(self) -> Any:
        """Return tags for scikit-learn, which is loaded when this is called."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(allow_nan=True, string=True, categorical=True, sparse=True),
        )


# Regression: answers, their intervals, and scores.
# Law: an answer is `shares[row, 0]` of the model, whoever asks.


class Regressor(Estimator):
    """Predict and score for estimators of a number."""

    _estimator_type = "regressor"
    _regression: ClassVar[Literal[True]] = True

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table that `_fit_table` learns from."""
        alone = isinstance(y, str) or (isinstance(y, np.ndarray) and y.ndim == 0)
        if isinstance(y, Sized) and not alone and len(y) == 1:
            raise DataError("one sample (row) is too few to learn from. Give at least two rows.")
        return super()._read(X, y, sample_weight)

    def predict(
        self, X: Any, *, lenient: bool = False, missing_columns: str = "error"
    ) -> NDArray[np.float64]:
        """Return the number answered for each row: of a tree the mean response of its leaf.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        array [row]
            The answers. NaN for a row of a file that cannot be read.
        """
        return np.ascontiguousarray(self._shares(X, lenient=lenient, missing_columns=missing_columns)[:, 0])

    def predict_one(
        self, row: Mapping[str, Any], *, lenient: bool = False, missing_columns: str = "error"
    ) -> float:
        """Return the number answered for a single row, as `predict` answers it.

        Parameters
        ----------
        row : dict
            The values of one row, by column.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        float
            The answer.
        """
        return float(self._shares_of_one(row, lenient=lenient, missing_columns=missing_columns)[0])

    def predict_interval(
        self, X: Any, *, lenient: bool = False, missing_columns: str = "error"
    ) -> NDArray[np.float64]:
        """Return a 95 % interval of the mean of new rows like each, by Student's t; not of a single row.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix, records or dict
            New rows, with the columns of the fit; a dict of values is one row.
        lenient : bool, default False
            Whether cells that cannot be read as numbers count as missing; otherwise they are an error.
        missing_columns : {"error", "as-missing"}, default "error"
            What to do about columns of the fit that are not there.

        Returns
        -------
        array [row, 2]
            The lower and the upper end; NaN where a leaf has one row, or a row goes down several branches.
        """
        from tallystick.predict.answers import intervals

        return intervals(self, X, lenient=lenient, missing_columns=missing_columns)[:, 0]

    def effect(self, column: str | Sequence[str], X: Any) -> ColumnEffect | PairEffect:
        """Return what the model answers, on average over rows, when a column has one value in all of them.

        Parameters
        ----------
        column : str or two of them
            The column: of numbers, levels, ordered or boolean; of two the plane of both.
        X : path, frame, Arrow table, matrix or records
            The rows to average over, the training rows say, with the columns of the fit.

        Returns
        -------
        ColumnEffect or PairEffect
            For each value the mean answer, its band, and its rows; of two columns the mean answers on their
            plane.
        """
        from tallystick.explanation.effects import effect_of

        self._check_fitted()
        return effect_of(self.model_, [matched.block for matched in self._blocks(X)], column, 0)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return R²: the share of the response's variance that the model explains on these rows.

        Parameters
        ----------
        X : path, frame, Arrow table, matrix or records
            The rows.
        y : str or array, default None
            The responses, or the name of their column; None is the target's.
        sample_weight : array or str, default None
            The weight of each row; None is 1.

        Returns
        -------
        float
            R², 1 for perfect answers.
        """
        self._check_fitted()
        X = opened(X)
        table = self._read(X, self.schema_.predicted.name if y is None else y, sample_weight)
        truth = table.response
        assert truth is not None
        found = self.predict(X)
        if len(found) != len(truth):
            raise DataError(f"{len(found) - len(truth):,} rows have no response. Leave them out to score.")
        weights = np.ones(len(truth)) if table.weights is None else table.weights.astype(np.float64)
        middle = float(np.average(truth, weights=weights))
        spread = float((weights * (truth - middle) ** 2).sum())
        lost = float((weights * (truth - found) ** 2).sum())
        return 1.0 - lost / spread if spread else float(lost == 0)

    def __sklearn_tags__(self) -> Any:
        """Return tags for scikit-learn, which is loaded when this is called."""
        from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags

        return Tags(
            estimator_type="regressor",
            target_tags=TargetTags(required=True),
            regressor_tags=RegressorTags(),
            input_tags=InputTags(allow_nan=True, string=True, categorical=True, sparse=True),
        )
