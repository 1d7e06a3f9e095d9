"""Compare methods on the same rows, and pick the simplest that is about as good as the best: the razor.

Knows answers, losses and counts of numbers. Knows nothing of learners: who calls it brings the methods.
Laws: of methods within one standard error of the best the one with the fewest numbers is taken; always
answering the same is taken only where no measure says that a method is better.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.draw.svg import Picture
from tallystick.errors import OptionError, counted
from tallystick.judge import folds as large
from tallystick.judge.answers import LossSums, losses_of
from tallystick.judge.checks import Check, figure
from tallystick.judge.costs import judged_by
from tallystick.judge.folds import NEVER, Dealing, FoldPlan, is_large, tidy
from tallystick.judge.out_of_core import FarDealing, FarFolds, FarJudging, judged_answers, setting_works
from tallystick.judge.result import BY_AREA, CrossValidation, FoldAnswers, RegressionValidation, difference
from tallystick.judge.run import (
    Fits,
    HeldOut,
    Progress,
    Steps,
    answer_settings,
    answered,
    fresh,
    run_folds,
    workers,
)
from tallystick.judge.scores import Measure, log_losses
from tallystick.model.decision import AnswerDecision
from tallystick.schema import Note
from tallystick.stats.exact import exact_total_of, nearest

# The trials of a comparison: each chooses settings inside its training rows, fits them and answers its test
# rows.
#
# Knows candidates, tables, folds and held-out rows. Knows nothing of learners, scores or how answers are
# judged. Laws: every candidate sees the same training and test rows; a setting is chosen on training rows
# alone; of two settings that score the same the earlier one is taken.


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
    def jobs(self) -> list[int]: ...

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


# The trials of a comparison whose rows stay with Spark: settings are chosen, fitted and asked there.
#
# Knows tables on Spark, methods and questions about answers. Law: the choices and the scores are those of
# the same rows here, bit for bit; what comes here are fitted models and sums.


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


ANSWERS_FIRST = ("accuracy", "log-loss", "auc")  # by which a method is told to be better than the baseline
BASELINE = "majority"  # the family of always answering the same
UNCOUNTED = 10**9  # numbers of a method that does not say how many it has
LESS_RIGHT = 0.05  # of the rows: a method that is less often right by more is not taken for its log-loss
WORDS = {
    "log-loss": "lowest log-loss",
    "mse": "lowest mean squared error",
    "auc": "highest AUC",
    "accuracy": "highest accuracy",
}


@dataclass(frozen=True)
class Watch:
    """Who is told how far a comparison is. progress: of the fits done; arrived: of the scores so far, each
    time a fold is done, as (name, rows, accuracy, log-loss) of each candidate.
    """

    progress: Progress | None = None
    arrived: Callable[[list[tuple[str, int, float, float]]], None] | None = None


class Result(Protocol):
    """What a comparison needs of a method's answers: those of classes, or of a regression."""

    @property
    def repeats(self) -> tuple[FoldAnswers, ...]:
        """The answers."""
        ...

    @property
    def how(self) -> str:
        """How rows were dealt, in words."""
        ...

    @property
    def stopped(self) -> bool:
        """Interrupted: only finished folds count."""
        ...

    @property
    def truth(self) -> NDArray[Any]:
        """truth[row]; of no row where the answers are not here."""
        ...

    @property
    def rows(self) -> int:
        """How many rows there are, copies counted."""
        ...

    @property
    def shown(self) -> tuple[str, str]:
        """The names of the measure people know and of the loss that decides."""
        ...

    @property
    def loss(self) -> float:
        """The loss that decides; the least is the best."""
        ...

    @property
    def beats_base(self) -> bool:
        """Whether the answers are better than the baseline's beyond chance, by any measure of them."""
        ...

    def beats_base_by(self, name: str) -> bool:
        """Say whether the answers are better than the baseline's beyond chance, by one measure."""
        ...

    @property
    def measures(self) -> tuple[Measure, ...]:
        """All measures."""
        ...

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """weights[row]."""
        ...

    @property
    def groups(self) -> dict[str, NDArray[Any]]:
        """The value of columns in each row, by which errors are told."""
        ...

    def measure(self, name: str) -> Measure:
        """Return one measure by name."""
        ...

    def by(self, column: str) -> list[dict[str, Any]]:
        """Return the errors for each value of a column."""
        ...

    def said_by(self, column: str) -> str:
        """Return what differs between its values beyond chance."""
        ...

    def fold_losses(self) -> NDArray[np.float64]:
        """Return the loss of every fold of every repeat."""
        ...

    def row_losses(self) -> tuple[NDArray[np.float64], NDArray[np.float64] | None] | None:
        """Return the loss and the weight of every tested row; None where there are none here."""
        ...


R = TypeVar("R", bound=Result)


@dataclass(frozen=True)
class Entry(Generic[R]):
    """One row of a comparison. `numbers`: how many numbers a reader of the model must look at."""

    name: str
    family: str
    result: R
    setting: str
    numbers: int
    seconds: float
    model: Any = field(repr=False, default=None)
    against_best: float | None = None  # p of the corrected resampled t-test

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {
            "against_best": self.against_best,
            "family": self.family,
            "measures": [m.to_dict() for m in self.result.measures],
            "name": self.name,
            "numbers": self.numbers,
            "setting": self.setting,
        }


@dataclass(frozen=True)
class Comparison(Generic[R]):
    """Methods on the same folds, the best first; `chosen` is the razor's, `why` its reason in a sentence."""

    target: str
    entries: tuple[Entry[R], ...]
    chosen: Entry[R]
    why: str
    how: str
    checks: tuple[Check, ...] = ()
    stopped: bool = False
    notes: tuple[Note, ...] = ()  # how the rows were read, and the columns that are left out

    @property
    def best(self) -> Entry[R]:
        """The entry with the lowest loss."""
        return self.entries[0]

    @property
    def model(self) -> Any:
        """The chosen method, fitted on all rows."""
        return self.chosen.model

    def __getitem__(self, name: str) -> Entry[R]:
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        by = self.chosen.result.groups
        groups = [
            {
                "column": name,
                "groups": self.chosen.result.by(name),
                "said": self.chosen.result.said_by(name),
            }
            for name in by
        ]
        return ({"groups": groups} if by else {}) | {
            "best": self.best.name,
            "checks": [c.to_dict() for c in self.checks],
            "chosen": self.chosen.name,
            "entries": [e.to_dict() for e in self.entries],
            "fold_sizes": self.best.result.repeats[0].sizes(self.best.result.weights),
            "how": self.how,
            "notes": [n.to_dict() for n in self.notes],
            "stopped": self.stopped,
            "target": self.target,
            "why": self.why,
        }

    def picture(self) -> Picture:
        """Return losses with their intervals as SVG, the chosen method set off."""
        from tallystick.draw.charts import dot_chart

        dots, name = [], self.best.result.shown[1]
        for entry in self.entries:
            loss = entry.result.measure(name)
            dots.append((entry.name, loss.value, loss.low, loss.high, _count(entry.numbers)))
        words = f"{WORDS[name].split(' ', 1)[1]} on new rows, with its 95 % interval"
        return Picture(dot_chart(dots, words, marked=self.chosen.name))

    def _repr_html_(self) -> str:
        from tallystick.draw.svg import framed, html_lines
        from tallystick.judge.checks import comparison_lines

        return framed(html_lines(comparison_lines(self)), self.picture())

    def __str__(self) -> str:
        from tallystick.judge.checks import show_comparison

        return show_comparison(self)

    __repr__ = __str__


def compare_table(
    candidates: Sequence[Candidate],
    table: Table,
    folds: int = 10,
    cost: NDArray[np.float64] | AnswerDecision | None = None,
    watch: Watch | None = None,
    dealing: Dealing | FarDealing | None = None,
    how: str = "",
    held: HeldOut | None = None,
    measure: str = "log-loss",
) -> Comparison[Any]:
    """Judge every candidate on the same folds, or on the same rows held out; fit each on all rows, and apply
    the razor. measure: of `result.DECIDING`, by which classes are judged.
    """
    dealing, watch = dealing or Dealing(), watch or Watch()
    how = how or f"{folds} stratified folds"
    if measure == "auc" and (is_large(table) or isinstance(dealing, FarDealing)):
        raise OptionError(BY_AREA)
    if isinstance(dealing, FarDealing):
        if held is not None:
            once = HeldTrials.of(dealing, table, held, len(candidates))
            return _compare_held(candidates, once, cost, watch, how, measure)
        far = FarTrials.of(dealing, table, folds, len(candidates))
        return _compare_far(candidates, far, cost, watch, how, measure)
    parts = Folds.of(table, dealing.outer(table, folds)) if held is None else FittedOnce(table, held)
    trials = TrialsHere(parts, len(candidates), dealing)
    work = Work(candidates, trials, watch.progress)

    def finished(at: int) -> None:
        trials.finished(work.jobs[at])
        if watch.arrived is not None:
            watch.arrived(trials.so_far([c.name for c in candidates]))

    stopped = run_folds(work.one, len(work.jobs), finished, enough=3, at_once=workers(table))

    def answers(shares: NDArray[np.float64]) -> FoldAnswers:
        if not isinstance(parts, Folds):
            return FoldAnswers(shares, trials.done)
        return answered(shares, trials.done, parts.plan, table, parts.table)

    results = [
        _result(table, answers(shares), (how, stopped), (cost, candidate), held)
        for shares, candidate in zip(trials.shares, candidates, strict=True)
    ]
    return _conclude(candidates, table, results, work, measure)


def _compare_far(
    candidates: Sequence[Candidate], trials: FarTrials, cost: Any, watch: Watch, how: str, measure: str
) -> Comparison[Any]:
    """Return the comparison of rows that stay far: their answers stay too."""
    table = trials.table
    results: list[Any] = []
    target = table.schema.predicted
    work = Work(candidates, trials, watch.progress)
    try:
        everything = len(work.jobs)
        if run_folds(work.one, everything, lambda _: None, enough=everything, at_once=workers(table)):
            raise KeyboardInterrupt  # answers come when all folds are done
        for i, candidate in enumerate(candidates):
            if table.schema.regression:
                results.append(RegressionValidation.elsewhere([trials.judged(i, None, None)], how))
                continue
            prices, own = judged_by(cost, candidate.settings[0][1], target, target.labels)
            judged = trials.judged(i, prices if own is None else own, prices)
            results.append(CrossValidation.elsewhere(target.labels, [judged], (prices, own), how))
    finally:
        trials.release()
    return _conclude(candidates, table, results, work, measure)


def _compare_held(
    candidates: Sequence[Candidate], trials: HeldTrials, cost: Any, watch: Watch, how: str, measure: str
) -> Comparison[Any]:
    """Return the comparison of rows that stay far, judged on rows held out."""
    work = Work(candidates, trials, watch.progress)
    stopped = run_folds(work.one, len(work.jobs), lambda _: None, at_once=1)
    none = np.zeros(0, np.int64)
    results = [
        _result(trials.table, FoldAnswers(shares, none), (how, stopped), (cost, candidate), trials.held)
        for shares, candidate in zip(trials.shares, candidates, strict=True)
    ]
    return _conclude(candidates, trials.table, results, work, measure)


def _result(
    table: Table,
    answers: FoldAnswers,
    how: tuple[str, bool],
    costs: tuple[Any, Candidate],
    held: HeldOut | None,
) -> CrossValidation | RegressionValidation:
    labels = labels_of(table) if held is None else held.labels
    weights = None
    if held is not None:
        answers, truth = held.judged(answers.shares), held.truth
    else:
        weights = None if table.weights is None else table.weights / table.unit
        truth = _truth(table, answers.large)
    if table.schema.regression:
        return RegressionValidation(truth, (answers,), weights, *how)
    prices, own = judged_by(costs[0], costs[1].settings[0][1], table.schema.predicted, labels)
    return CrossValidation(labels, truth, (answers,), weights, prices, None, *how, own_costs=own)


def _truth(table: Table, large: bool) -> NDArray[Any]:
    """Return the truth of each row; large: in as few bytes as it has."""
    if table.response is not None:
        return table.response
    assert table.classes is not None
    return table.classes.astype(table.classes.dtype if large else np.int64, copy=False)


def _conclude(
    candidates: Sequence[Candidate], table: Table, results: list[Any], work: Work, measure: str
) -> Comparison[Any]:
    entries: list[Entry[Any]] = []
    if not table.schema.regression:
        results = [replace(result, decides=measure) for result in results]
    seconds = work.seconds.sum(axis=0)
    for candidate, chosen, result, spent in zip(candidates, work.settings(), results, seconds, strict=True):
        words, estimator = candidate.settings[chosen]
        tidy(table)
        model = fresh(estimator)._fit_table(table)._keep_profile(table)
        entries.append(
            Entry(candidate.name, candidate.family, result, words, numbers(model), float(spent), model)
        )
    order = sorted(range(len(entries)), key=lambda i: (entries[i].result.loss, entries[i].numbers, i))
    best = entries[order[0]]
    ranked = tuple(_against(entries[i], best) for i in order)
    picked, why = razor(ranked)
    return Comparison(
        table.schema.predicted.name,
        ranked,
        picked,
        why,
        results[0].how,
        stopped=any(r.stopped for r in results),
    )


def numbers(model: Fits) -> int:
    """Return how many numbers a reader of the model must look at; a foreign method that does not say counts
    as many.
    """
    told = model._numbers()
    return UNCOUNTED if told is None else told


def razor(entries: Sequence[Entry[R]]) -> tuple[Entry[R], str]:
    """Return the simplest entry within one standard error of the best loss, and why, in a sentence.

    The error is that of the difference between the two on the same rows, by which their p is told too.

    The baseline is not taken where a method is better beyond chance by another measure: shares that are too
    sure of themselves lose by log-loss what their answers gain. For the same reason no method is taken by
    log-loss whose answers are clearly less often right than those of another.
    """
    rivals = [e for e in entries if not _less_right(e, entries)]
    if len(rivals) < len(entries) and entries[0] not in rivals:
        picked, why = razor(rivals)
        right = [e.result.measure("accuracy").value for e in (entries[0], picked)]
        return picked, (
            f"{entries[0].name} has the lowest log-loss, {figure(entries[0].result.loss)}, but is right in "
            f"{right[0]:.1%} of the rows, and {picked.name} in {right[1]:.1%}. Of the methods that are as "
            f"often right, {why}"
        )
    if len(rivals) < len(entries):
        return razor(rivals)
    picked, why = _simplest(entries)
    if picked.family != BASELINE:
        return picked, why
    better = [e for e in entries if e.family != BASELINE and e.result.beats_base]
    if not better:
        return picked, why
    own, why = _simplest(better)
    loss = own.result.shown[1]
    known = next((name for name in ANSWERS_FIRST if name != loss and own.result.beats_base_by(name)), None)
    if known is None:  # better by the measure that decides, if not by a standard error of all
        return own, why
    good = own.result.measure(known)
    assert good.base is not None
    values = [figure(entry.result.measure(loss).value) for entry in (own, picked)]
    sound = "ranking" if known == "auc" else "answers"
    return own, (
        f"{own.name} is chosen for its {'AUC' if known == 'auc' else known}, {figure(good.value)} "
        f"against {figure(good.base)} of {picked.name}, though its {loss}, {values[0]}, is not "
        f"clearly better than {values[1]}"
        + (f": rely on its {sound}, not on its probabilities as they stand." if loss == "log-loss" else ".")
    )


def _less_right(entry: Entry[R], entries: Sequence[Entry[R]]) -> bool:
    """Say whether another method is right so much more often that log-loss, which decides, cannot make up for
    it: by LESS_RIGHT at least, and beyond both 95 % intervals. Where errors have prices, to be right is not
    the aim. The baseline stays, for `razor` to say why it is not taken.
    """
    prices = any(m.name == "cost" for m in entry.result.measures)
    if entry.family == BASELINE or prices or entry.result.shown[1] != "log-loss":
        return False
    own = entry.result.measure("accuracy")
    others = [e.result.measure("accuracy") for e in entries]
    return any(own.value <= m.value - LESS_RIGHT and own.high < m.low for m in others)


def best_method(found: Comparison[R]) -> tuple[Entry[R], str]:
    """Return the razor's entry among the methods, and why. Always answering the same is not a model to keep
    or to draw: where it would do as well, that is said.
    """
    methods = [e for e in found.entries if e.family != BASELINE]
    if found.chosen.family != BASELINE or not methods:
        return found.chosen, found.why
    entry, why = razor(methods)
    why = f"{why[:1].upper()}{why[1:]}"
    return entry, f"No method is clearly better than always answering the most frequent class. {why}"


def _simplest(entries: Sequence[Entry[R]]) -> tuple[Entry[R], str]:
    best, name = entries[0], entries[0].result.shown[1]
    errors = [difference(e.result, best.result)[0] for e in entries[1:]]
    away = [e.result.loss - best.result.loss for e in entries[1:]]
    near = [best, *(e for e, far, error in zip(entries[1:], away, errors, strict=True) if far <= error)]
    picked = min(near, key=lambda e: (e.numbers, e.result.loss))
    values = [figure(e.result.measure(name).value) for e in (picked, best)]
    first = f"{best.name} has the {WORDS[name]}, {values[1]}"
    if picked is best and len(near) == 1:
        return best, f"{first}, and no other method is within one standard error of it."
    if picked is best:
        return best, (
            f"{first}, and is the simplest of the {len(near)} methods within one standard error "
            f"of it ({_count(best.numbers)} to read)."
        )
    error = errors[entries.index(picked) - 1]
    return picked, (
        f"{picked.name} is the simplest method ({_count(picked.numbers)} to read) within one standard error "
        f"of the {WORDS[name]}: {values[0]} against {values[1]} of {best.name} ({_count(best.numbers)}), on "
        f"the same rows; the error of the difference is {figure(error)}."
    )


def _count(n: int) -> str:
    return "uncounted numbers" if n >= UNCOUNTED else counted(n, "number")


def _against(entry: Entry[R], best: Entry[R]) -> Entry[R]:
    return entry if entry is best else replace(entry, against_best=difference(entry.result, best.result)[1])
