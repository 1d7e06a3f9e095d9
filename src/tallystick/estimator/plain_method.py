"""What judging asks of a method, answered plainly: no faster way than to fit, no costs of its own.

Knows nothing of any method: each overrides what it can do better. Law: this is `evaluate.method.Fits`:
nobody who judges has to ask what a method has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tallystick.schema import Target

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tallystick.contracts import Table
    from tallystick.judge.folds import FoldPlan
    from tallystick.judge.run import Answering


class PlainMethod:
    """A method that is fitted and asked, setting by setting and fold by fold."""

    _kind: ClassVar[str] = ""  # what its model files say; nothing where it has none

    def _fit_table(self, table: Table) -> Self:
        """Learn from an encoded table."""
        raise NotImplementedError

    def _fit_to_answer(self, table: Table) -> Self:
        """Learn from an encoded table to answer and be forgotten."""
        return self._fit_table(table)

    def _numbers(self) -> int | None:
        """Return how many numbers a reader of the model must look at; None: nobody says."""
        return None

    def _own_costs(self, target: Target) -> Sequence[Sequence[float]]:
        """Return costs[class][answer] by which answers are decided; nothing where the largest share is."""
        return ()

    def _keep_profile(self, table: Table) -> Self:
        """Keep what the rows of the fit look like, where the model is written to a file."""
        return self

    def _by_label(self, target: Target) -> Self:
        """Return the method with its numbers per class by label: a part of the rows may lack a class."""
        return self

    def _predict_table(self, table: Any) -> NDArray[np.float64] | None:
        """Return shares[row, class] of rows as they were read; None: `model_` answers blocks."""
        return None

    def _cross_shares(self, table: Table, plan: FoldPlan) -> NDArray[np.float64] | None:
        """Return out-of-fold shares[row, class] by a faster way; None: each fold is fitted."""
        return None

    def _fit_settings(
        self, settings: Sequence[Any], training: Table, roughly: bool = False
    ) -> Iterable[Answering] | None:
        """Return a model of each setting by a faster way; None: each is fitted."""
        return None

    def _grow_shares(
        self, table: Table, train: NDArray[np.int64], test: NDArray[np.int64], sizes: Sequence[int]
    ) -> Iterable[NDArray[np.float64] | None] | None:
        """Return shares[test row, class] of the model of train[:size] for rising sizes; None: each is
        fitted.
        """
        return None
