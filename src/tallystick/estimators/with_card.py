"""`card` for every estimator; what a card holds is in model_card.py, loaded when one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallystick.estimators.model_card import ModelCard
    from tallystick.evaluate.groups import By


class WithCard:
    """`card` for every estimator."""

    def card(self, data: Any = None, *, by: By = (), folds: int = 10) -> ModelCard:
        """Return the model's card: data, method, scores, groups, limits, notes, how to verify it.

        Parameters
        ----------
        data : path, frame, Arrow table, matrix or records, default None
            Rows with the target to judge it by. The training rows themselves are cross-validated with the
            model's parameters; other rows are answered by the model as it is. None: the card has no scores.
        by : str, list of str or dict, default ()
            Columns to tell rates by, in the model or not. Numbers are cut at their quartiles, or where you
            say: "age: 25, 40, 60" or {"age": [25, 40, 60]}.
        folds : int, default 10
            How many folds, where the rows are those of the training.

        Returns
        -------
        ModelCard
            Prints as Markdown; `to_dict` and `to_json` have it as data.
        """
        from tallystick.estimators.model_card import model_card

        return model_card(self, data, by, folds)
