"""`card` for every estimator; what a card holds is in model_card.py, loaded when one is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallystick.estimators.model_card import ModelCard


class WithCard:
    """`card` for every estimator."""

    def card(self, data: Any = None, *, by: str | Iterable[str] = (), folds: int = 10) -> ModelCard:
        """Return the model's card: data, method, scores, groups, limits, notes, how to verify it.

        Parameters
        ----------
        data : path, frame, Arrow table, matrix or records, default None
            Rows with the target to judge it by. The training rows themselves are cross-validated with the
            model's parameters; other rows are answered by the model as it is. None: the card has no scores.
        by : str or list of str, default ()
            Columns to tell rates by, in the model or not; numbers are cut at their quartiles.
        folds : int, default 10
            How many folds, where the rows are those of the training.

        Returns
        -------
        ModelCard
            Prints as Markdown; `to_dict` and `to_json` have it as data.
        """
        from tallystick.estimators.model_card import model_card

        return model_card(self, data, (by,) if isinstance(by, str) else tuple(by), folds)
