"""The trials of a comparison: each chooses settings inside its training rows, fits them and answers its test
rows.

Knows candidates, tables, folds and held-out rows. Knows nothing of learners, scores or how answers are
judged. Laws: every candidate sees the same training and test rows; a setting is chosen on training rows
alone; of two settings that score the same the earlier one is taken.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.evaluate import large
from tallystick.evaluate.far_sums import losses_of
from tallystick.evaluate.folds import NEVER, Dealing, FoldPlan
from tallystick.evaluate.held_out import HeldOut
from tallystick.evaluate.measures import log_losses
from tallystick.evaluate.running import Progress, Steps, answer_settings
from tallystick.stats.exact import exact_total_of

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


class TrialRows(Protocol):
    """Rows to train on and rows to answer, wherever they are."""

    def inner(self) -> Generator[InnerRows | None, None, None]:
        """Yield INNER parts of the training rows that choose among settings; None: there are fewer."""
        ...

    def answer(self, numbers: Sequence[int], settings: Sequence[Any]) -> None:
        """Fit settings, those of the candidates of these numbers, and answer the test rows by them."""
        ...

    def release(self) -> None:
        """Let go what is kept."""
        ...


class InnerRows(Protocol):
    """A part of training rows that settings are tried on: most train, the others test."""

    def losses(self, settings: Sequence[Any]) -> list[float]:
        """Return the summed loss of each setting on the rows that test."""
        ...


class Trials(Protocol):
    """All trials of a comparison. jobs: their numbers; NEVER is one that chooses on all rows."""

    @property
    def jobs(self) -> list[int]: ...  # noqa: D102

    def trial(self, job: int) -> TrialRows:
        """Return the rows of a job."""
        ...


# ---- rows that are here ----


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
        """Return one fold; NEVER: all rows, none of which is answered."""
        if number == NEVER:
            return Trial(self.table, large.numbers(self.table), self.table, np.zeros(0, np.int64))
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


class TrialsHere:
    """Trials whose answers are here: shares[candidate][row, class], and done[row], the fold that answered.
    With rows held out the one trial chooses for the models that are kept.
    """

    def __init__(self, parts: Folds | FittedOnce, candidates: int, dealing: Dealing) -> None:
        self.parts, self.dealing = parts, dealing
        self.labels = labels_of(parts.table)
        shape = parts.rows, max(len(self.labels), 1)
        self.shares = [large.empty(parts.table, shape, np.float64) for _ in range(candidates)]
        self.done = large.empty(parts.table, parts.rows, np.int64)
        self.done[:] = NEVER

    @property
    def jobs(self) -> list[int]:
        """The trials, and one that chooses on all rows."""
        return [*([NEVER] if isinstance(self.parts, Folds) else []), *self.parts.numbers]

    def trial(self, job: int) -> TrialHere:
        """Return the rows of a job."""
        return TrialHere(self, self.parts.trial(job))

    def finished(self, job: int) -> None:
        """Count the test rows of a job in."""
        if job != NEVER:
            here = self.parts.plan.tested(job) if isinstance(self.parts, Folds) else slice(None)
            self.done[here] = job

    def so_far(self, names: Sequence[str]) -> list[tuple[str, int, float, float]]:
        """Return of each candidate its name, the rows answered, their accuracy and their mean log-loss."""
        rows = np.flatnonzero(self.done != NEVER)
        table = self.parts.table
        if not len(rows) or table.classes is None or isinstance(self.parts, FittedOnce):
            return []
        truth = table.classes[rows].astype(np.int64)
        out = []
        for name, every in zip(names, self.shares, strict=True):
            shares = every[rows]
            right = float((shares.argmax(axis=1) == truth).mean())
            out.append((name, len(rows), right, float(log_losses(truth, shares).mean())))
        return out


@dataclass(frozen=True)
class TrialHere:
    """A trial whose rows are here."""

    of: TrialsHere
    own: Trial

    def inner(self) -> Generator[InnerPart | None, None, None]:
        """Yield INNER parts of the training rows; None: there are fewer."""
        plan = self.of.dealing.inner(self.own.training, INNER, self.own.rows)
        training = plan.pieces(self.own.training)
        for number in range(INNER):
            yield InnerPart.of(training, *plan.part(number)) if number in plan.numbers else None

    def answer(self, numbers: Sequence[int], settings: Sequence[Any]) -> None:
        """Fit settings, those of the candidates of these numbers, and keep their answers."""
        found = answer_settings(settings, self.own.training, self.own.tested, self.of.labels)
        for i, shares in zip(numbers, found, strict=True):
            self.of.shares[i][self.own.at] = shares

    def release(self) -> None:
        """The rows go with the trial."""


@dataclass(frozen=True)
class InnerPart:
    """Some rows of a training part that train, and those, test[row], that are tested."""

    whole: Table
    training: Table
    tested: Table
    test: NDArray[np.int64]

    @classmethod
    def of(cls, whole: Table, train: NDArray[np.int64], test: NDArray[np.int64]) -> InnerPart:
        """Return a part of a training part."""
        training = whole.take(train)
        return cls(whole, training, whole.take(test, training.schema), test)

    def losses(self, settings: Sequence[Any]) -> list[float]:
        """Return the summed loss of each setting on the tested rows."""
        each = answer_settings(settings, self.training, self.tested, labels_of(self.whole), roughly=True)
        return [loss_of(self.whole, self.test, shares) for shares in each]


def _no_parts() -> Generator[None, None, None]:
    """Yield INNER times that there is no part: nothing is chosen."""
    for _ in range(INNER):
        yield None


# ---- the work ----


class Work:
    """All trials of a comparison. The job NEVER chooses on all rows, for the models that are kept."""

    def __init__(self, candidates: Sequence[Candidate], trials: Trials, progress: Progress | None) -> None:
        self.candidates, self.trials, self.jobs = candidates, trials, trials.jobs
        self.seconds = np.zeros((len(self.jobs), len(candidates)))  # a job writes to its own row
        self.picked: dict[int, list[int]] = {}  # by trial: the number of each candidate's setting
        self.steps = Steps(len(self.jobs) * (INNER + 1), progress, "fits")

    def one(self, at: int) -> int:
        """Do one job and return its place."""
        job, seconds = self.jobs[at], self.seconds[at]
        trial = self.trials.trial(job)
        try:
            picked = self._choose(trial, np.zeros_like(seconds) if job == NEVER else seconds)
            self.picked[job] = picked
            for family in families(self.candidates) if job != NEVER else ():
                started = time.perf_counter()
                trial.answer(family, [self.candidates[i].settings[picked[i]][1] for i in family])
                seconds[family] += (time.perf_counter() - started) / len(family)
        finally:
            trial.release()
        self.steps.one()
        return at

    def _choose(self, trial: TrialRows, seconds: Floats) -> list[int]:
        """Return the setting of each candidate with the lowest loss over inner folds.

        The inner training parts are made once and serve every candidate.
        """
        out = [0] * len(self.candidates)
        tuned = [i for i, c in enumerate(self.candidates) if len(c.settings) > 1]
        losses = {i: np.zeros(len(self.candidates[i].settings)) for i in tuned}
        with closing(trial.inner() if tuned else _no_parts()) as parts:
            for part in parts:
                for i in tuned if part is not None else ():
                    started = time.perf_counter()
                    assert part is not None
                    losses[i] += part.losses([estimator for _, estimator in self.candidates[i].settings])
                    seconds[i] += time.perf_counter() - started
                self.steps.one()
        for i in tuned:
            out[i] = int(np.argmin(losses[i]))
        return out

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


def loss_of(table: Table, rows: NDArray[np.int64], shares: Floats) -> float:
    """Return the summed log-loss of some rows, or of a regression their squared errors, in units of the
    table.
    """
    every, weights = large.steps(len(rows)), table.weights
    return exact_total_of(
        (losses_of(table, shares[s], rows[s]), None if weights is None else weights[rows[s]]) for s in every
    )
