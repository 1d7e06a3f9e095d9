"""What judging asks of a method: to fit a table and answer rows, and the faster ways it may know.

Knows shapes of things. Law: every method has every member; `estimators/plain_method.py` has the plain
answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Block, Table
from tallystick.data.schema import Target
from tallystick.evaluate.folds import FoldPlan

Floats = NDArray[np.float64]


class FoldRows(Protocol):
    """Rows to be answered: a table, or rows held out."""

    @property
    def rows(self) -> int:
        """How many."""
        ...

    def blocks(self) -> Iterator[Any]:
        """Yield all rows once."""
        ...

    def answers(self, work: Callable[[Block], Floats]) -> Iterator[Floats]:
        """Yield work(block) of all rows, some at a time."""
        ...


class Answering(Protocol):
    """What judging needs of a fitted model."""

    def shares(self, block: Block) -> Floats:
        """Return P(class | row) [row, class]; a regression: the answers as [row, 0]."""
        ...


class Fits(Protocol):
    """What judging needs of a method, whoever wrote it.

    Its names begin with an underscore although rooms share them: every method is a public class, and what
    users see of it stays short. This page is their contract, and nobody asks a method for others.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters it was made with."""
        ...

    def _read(self, X: Any, y: Any = None, sample_weight: Any = None) -> Table:
        """Return the encoded table."""
        ...

    def _fit_table(self, table: Table) -> Any:
        """Learn from an encoded table."""
        ...

    def _fit_to_answer(self, table: Table) -> Any:
        """Learn from an encoded table to answer with `model_` and be forgotten: whatever else a fit finds may
        be left out. Law: it answers as `_fit_table` does, bit for bit.
        """
        ...

    @property
    def model_(self) -> Answering:
        """The fitted model."""
        ...

    def _numbers(self) -> int | None:
        """Return how many numbers a reader of the fitted model must look at; None: nobody says."""
        ...

    def _own_costs(self, target: Target) -> Sequence[Sequence[float]]:
        """Return `costs[class][answer]` by which answers are decided; nothing where the largest share is."""
        ...

    def _by_label(self, target: Target) -> Self:
        """Return the method with its numbers per class by label: a part of the rows may lack a class."""
        ...

    def _predict_table(self, table: Any) -> Floats | None:
        """Return shares[row, class] of rows as they were read; None: `model_` answers blocks."""
        ...

    def _cross_shares(self, table: Table, plan: FoldPlan) -> Floats | None:
        """Return out-of-fold shares[row, class]; the rows of the table are the pieces of the plan. None: each
        fold is fitted. Law: the shares are those of fitting fold by fold.
        """
        ...

    def _fit_settings(
        self, settings: Sequence[Any], training: Table, roughly: bool = False
    ) -> Iterable[Answering] | None:
        """Return, for each setting (an unfitted method of this class), a model that answers and is forgotten.

        Law: the models answer as those of fitting each setting alone do, to the precision a fit is carried
        to; roughly: near enough to tell which setting is best. Settings that come to the same may have one
        model. None: each must be fitted. It uses one thread.
        """
        ...

    def _grow_shares(
        self, table: Table, train: NDArray[np.int64], test: NDArray[np.int64], sizes: Sequence[int]
    ) -> Iterable[Floats | None] | None:
        """Return, for each of the rising sizes, shares[test row, class] of the model of train[:size].

        train and test are rows of the table; classes are the labels of the whole table, and a class that
        train[:size] does not have gets the share 0. Law: the shares are the bits that fitting
        `table.take(train[:size])` and answering `table.take(test, its schema)` gives. An item that is None
        (one class only, no usable column, a choice that cannot be added up) is fitted instead, and so is
        everything when None is returned. Called once per repeat, from several threads at once: it may not
        change the method, and uses one thread.
        """
        ...
