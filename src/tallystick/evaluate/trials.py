"""The trials of a comparison: each chooses settings inside its training rows, fits them and answers its test
rows.

Knows candidates, tables, folds and held-out rows. Knows nothing of learners, scores or how answers are
judged. Laws: every candidate sees the same training and test rows; a setting is chosen on training rows
alone; of two settings that score the same the earlier one is taken.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.evaluate import large
from tallystick.evaluate.folds import NEVER, Dealing, FoldPlan
from tallystick.evaluate.held_out import HeldOut
from tallystick.evaluate.measures import log_losses
from tallystick.evaluate.running import Progress, Steps, answer_settings
from tallystick.stats.exact import exact_total

Floats = NDArray[np.float64]
INNER = 5  # folds inside the training part, for choosing a setting


@dataclass(frozen=True)
class Candidate:
    """A method to be compared: one setting, or several of which inner folds choose one.

    `settings`: (words, unfitted estimator), the simplest first.
    """

    name: str
    family: str
    settings: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Trial:
    """Rows to train on and rows to answer. rows: which of all rows train; at: where the answers go."""

    training: Table
    rows: NDArray[np.int64]
    tested: Table | HeldOut
    at: NDArray[np.int64]


@dataclass(frozen=True)
class Folds:
    """Trials that are folds of one table, whose rows are the pieces of a plan."""

    table: Table
    plan: FoldPlan

    @classmethod
    def of(cls, table: Table, plan: FoldPlan) -> Folds:
        """Return the trials of a table's plan."""
        return cls(plan.pieces(table), plan)

    @property
    def rows(self) -> int:
        """How many rows have answers."""
        return self.table.rows

    @property
    def numbers(self) -> list[int]:
        """The folds."""
        return self.plan.numbers

    def trial(self, number: int) -> Trial:
        """Return one fold."""
        train, test = self.plan.part(number)
        training = self.table.take(train)
        return Trial(training, train, self.table.take(test, training.schema), test)


@dataclass(frozen=True)
class FittedOnce:
    """The one trial of a table and rows held out from another source."""

    table: Table
    held: HeldOut

    @property
    def rows(self) -> int:
        """How many rows have answers."""
        return self.held.rows

    @property
    def numbers(self) -> list[int]:
        """There is one."""
        return [0]

    def trial(self, _: int) -> Trial:
        """Return the one."""
        return Trial(self.table, np.arange(self.table.rows), self.held, np.arange(self.held.rows))


class Work:
    """All trials of a comparison. The job 0 chooses on all rows, for the models that are kept; with rows held
    out the one trial does that itself.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        trials: Folds | FittedOnce,
        dealing: Dealing,
        progress: Progress | None,
    ) -> None:
        self.candidates, self.trials, self.dealing = candidates, trials, dealing
        self.labels = labels_of(trials.table)
        shape = trials.rows, max(len(self.labels), 1)
        self.shares = [large.empty(trials.table, shape, np.float64) for _ in candidates]
        self.done = large.empty(trials.table, trials.rows, np.int64)
        self.done[:] = NEVER
        self.jobs = [*([NEVER] if isinstance(trials, Folds) else []), *trials.numbers]
        self.seconds = np.zeros((len(self.jobs), len(candidates)))  # a job writes to its own row
        self.picked: dict[int, list[int]] = {}  # by trial: the number of each candidate's setting
        self.steps = Steps(len(self.jobs) * (INNER + 1), progress, "fits")

    def one(self, at: int) -> int:
        """Do one job and return its place."""
        job = self.jobs[at]
        if job == NEVER:
            table = self.trials.table
            self.picked[job] = self._choose(table, large.numbers(table), np.zeros(len(self.candidates)))
        else:
            trial = self.trials.trial(job)
            self.picked[job] = self._choose(trial.training, trial.rows, self.seconds[at])
            self._answer(trial, self.picked[job], self.seconds[at])
        self.steps.one()
        return at

    def _answer(self, trial: Trial, picked: list[int], seconds: Floats) -> None:
        for family in families(self.candidates):
            started = time.perf_counter()
            settings = [self.candidates[i].settings[picked[i]][1] for i in family]
            found = answer_settings(settings, trial.training, trial.tested, self.labels)
            for i, shares in zip(family, found, strict=True):
                self.shares[i][trial.at] = shares
            seconds[family] += (time.perf_counter() - started) / len(family)

    def so_far(self) -> list[tuple[str, int, float, float]]:
        """Return of each candidate its name, the rows answered, their accuracy and their mean log-loss."""
        rows = np.flatnonzero(self.done != NEVER)
        table = self.trials.table
        if not len(rows) or table.classes is None or isinstance(self.trials, FittedOnce):
            return []
        truth = table.classes[rows].astype(np.int64)
        out = []
        for candidate, every in zip(self.candidates, self.shares, strict=True):
            shares = every[rows]
            right = float((shares.argmax(axis=1) == truth).mean())
            out.append((candidate.name, len(rows), right, float(log_losses(truth, shares).mean())))
        return out

    def finished(self, at: int) -> None:
        """Count the test rows of a job in."""
        job = self.jobs[at]
        if job != NEVER:
            here = self.trials.plan.tested(job) if isinstance(self.trials, Folds) else slice(None)
            self.done[here] = job

    def _choose(self, training: Table, rows: NDArray[np.int64], seconds: Floats) -> list[int]:
        """Return the setting of each candidate with the lowest loss over inner folds.

        The inner training parts are made once and serve every candidate.
        """
        out = [0] * len(self.candidates)
        tuned = [i for i, c in enumerate(self.candidates) if len(c.settings) > 1]
        if not tuned:
            for _ in range(INNER):
                self.steps.one()
            return out
        losses = {i: np.zeros(len(self.candidates[i].settings)) for i in tuned}
        plan = self.dealing.inner(training, INNER, rows)
        training = plan.pieces(training)
        for number in range(INNER):
            if number in plan.numbers:
                self._try(training, plan.part(number), losses, seconds)
            self.steps.one()
        for i in tuned:
            out[i] = int(np.argmin(losses[i]))
        return out

    def _try(
        self,
        training: Table,
        part: tuple[NDArray[np.int64], NDArray[np.int64]],
        losses: dict[int, Floats],
        seconds: Floats,
    ) -> None:
        """Add to losses[candidate][setting] those of one inner fold."""
        train, test = part
        inner = training.take(train)
        tested = training.take(test, inner.schema)
        weights = np.ones(len(test)) if training.weights is None else training.weights[test].astype(float)
        for i in losses:
            started = time.perf_counter()
            settings = [estimator for _, estimator in self.candidates[i].settings]
            each = answer_settings(settings, inner, tested, labels_of(training), roughly=True)
            losses[i] += [loss_of(training, test, shares, weights) for shares in each]
            seconds[i] += time.perf_counter() - started

    def settings(self) -> list[int]:
        """Return the setting of each candidate for the models of all rows; stopped before it was chosen: the
        one that most folds chose.
        """
        if NEVER in self.picked:
            return self.picked[NEVER]
        each = np.array(list(self.picked.values())).T
        return [int(np.argmax(np.bincount(row))) for row in each]


def families(candidates: Sequence[Candidate]) -> list[list[int]]:
    """Return the candidates of each family and class: these may be fitted together."""
    out: dict[Any, list[int]] = {}
    for i, c in enumerate(candidates):
        out.setdefault((c.family, type(c.settings[0][1])), []).append(i)
    return list(out.values())


def labels_of(table: Table) -> tuple[str, ...]:
    """Return the classes of a table; a regression has none."""
    return table.schema.predicted.labels


def loss_of(table: Table, rows: NDArray[np.int64], shares: Floats, weights: Floats) -> float:
    """Return the summed log-loss of some rows, or of a regression their squared errors."""
    if table.response is not None:
        return exact_total(weights * (table.response[rows] - shares[:, 0]) ** 2)
    assert table.classes is not None
    return exact_total(weights * log_losses(table.classes[rows].astype(np.int64), shares))
