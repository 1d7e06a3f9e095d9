"""How a fitted classifier answers: by the largest probability, or by costs or a threshold kept with it.

Knows decisions and classifiers by what all share. Knows nothing of any learner.
Laws: no probability changes; the decision is in the model file, so whoever answers by the file answers by it.
"""

from __future__ import annotations

from typing import Any, Self, TypeVar

from tallystick.errors import warn
from tallystick.estimators.base import Estimator
from tallystick.models.decision import AnswerDecision, decision_of

E = TypeVar("E", bound=Estimator)


class Deciding(Estimator):
    """Set, see and remove the decision of a fitted classifier."""

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


def undecided(estimator: E) -> E:
    """Return the same fitted estimator, rows kept with it included, that answers without a decision."""
    out = object.__new__(type(estimator))
    out.__dict__.update(estimator.__dict__)
    out._decide_by(None)
    return out
