"""The trials of a comparison whose rows stay with Spark: settings are chosen, fitted and asked there.

Knows tables on Spark, methods and questions about answers. Law: the choices and the scores are those of the
same rows here, bit for bit; what comes here are fitted models and sums.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.evaluate.far_dealing import FarDealing, FarFolds
from tallystick.evaluate.far_folds import FarJudging, judged_answers, setting_works
from tallystick.evaluate.far_sums import LossSums
from tallystick.evaluate.folds import NEVER
from tallystick.evaluate.held_out import HeldOut
from tallystick.evaluate.running import answer_settings
from tallystick.evaluate.trials import INNER
from tallystick.stats.exact import nearest

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FarTrials:
    """Trials that are folds of rows where they are. table: what is learned from; folds: as it was asked for;
    works[candidate][test]: how the rows of a test are answered.
    """

    dealing: FarDealing
    table: Table
    folds: int
    parts: FarFolds
    works: list[list[Any]]

    @classmethod
    def of(cls, dealing: FarDealing, table: Table, folds: int, candidates: int) -> FarTrials:
        """Deal the rows."""
        parts = dealing.outer(folds)
        works = [[None] * len(parts.tested) for _ in range(candidates)]
        return cls(dealing, table, folds, parts, works)

    @property
    def jobs(self) -> list[int]:
        """The tests, and one job that chooses on all rows."""
        return [NEVER, *range(len(self.parts.tested))]

    def trial(self, job: int) -> FarTrial:
        """Return the rows of a job."""
        return FarTrial(self, self.table if job == NEVER else self.parts.training(job), job)

    def judged(self, candidate: int, rule: Floats | None, cost: Floats | None) -> Any:
        """Return what follows from the answers of a candidate to all rows."""
        return judged_answers(self.parts, self.works[candidate], FarJudging(rule, cost))

    def release(self) -> None:
        """Let go the rows in folds."""
        self.parts.release()


@dataclass(frozen=True)
class FarTrial:
    """The rows of one job: what trains, and the fold that is answered."""

    of: FarTrials
    training: Table
    job: int

    def inner(self) -> Generator[FarPart | None, None, None]:
        """Yield INNER parts of the training rows; None: there are fewer."""
        outer = None if self.job == NEVER else (self.job, self.of.folds)
        return inner_parts(self.of.dealing, self.training, outer)

    def answer(self, numbers: Sequence[int], settings: Sequence[Any]) -> None:
        """Fit settings, those of the candidates of these numbers: they answer when all folds are fitted."""
        works = setting_works(settings, self.training, self.of.parts.schema)
        for i, work in zip(numbers, works, strict=True):
            self.of.works[i][self.job] = work

    def release(self) -> None:
        """Let go the training rows."""
        if self.job != NEVER:
            self.training.release()


@dataclass(frozen=True)
class HeldTrials:
    """The one trial of rows where they are and rows held out, which are here. shares[candidate][row, class]:
    answers to these.
    """

    dealing: FarDealing
    table: Table
    held: HeldOut
    shares: list[Floats]
    jobs: ClassVar[list[int]] = [0]

    @classmethod
    def of(cls, dealing: FarDealing, table: Table, held: HeldOut, candidates: int) -> HeldTrials:
        """Return the trial, not answered yet."""
        shape = held.rows, max(len(table.schema.predicted.labels), 1)  # a number has no labels
        return cls(dealing, table, held, [np.zeros(shape) for _ in range(candidates)])

    def trial(self, _: int) -> HeldTrials:
        """Return the one."""
        return self

    def inner(self) -> Generator[FarPart | None, None, None]:
        """Yield INNER parts of the training rows; None: there are fewer."""
        return inner_parts(self.dealing, self.table, None)

    def answer(self, numbers: Sequence[int], settings: Sequence[Any]) -> None:
        """Fit settings, those of the candidates of these numbers, and keep their answers."""
        found = answer_settings(settings, self.table, self.held, self.table.schema.predicted.labels)
        for i, shares in zip(numbers, found, strict=True):
            self.shares[i][:] = shares

    def release(self) -> None:
        """The rows are those of the table."""


def inner_parts(
    dealing: FarDealing, training: Table, outer: tuple[int, int] | None
) -> Generator[FarPart | None, None, None]:
    """Yield INNER parts of training rows (outer: see `FarDealing.inner`); None: there are fewer."""
    parts = dealing.inner(training, INNER, outer)
    try:
        for number in range(INNER):
            if number >= len(parts.tested):
                yield None
                continue
            part = FarPart(parts, number, parts.training(number))
            try:
                yield part
            finally:
                part.training.release()
    finally:
        parts.release()


@dataclass(frozen=True)
class FarPart:
    """Rows that train, and the number of the test that they train for."""

    parts: FarFolds
    number: int
    training: Table

    def losses(self, settings: Sequence[Any]) -> list[float]:
        """Return the summed loss of each setting on the tested rows."""
        parts = self.parts
        works = setting_works(settings, self.training, parts.schema, roughly=True)
        found = parts.rows.total(LossSums(tuple(works)), parts.tested[self.number])
        return [nearest(one) for one in found]
