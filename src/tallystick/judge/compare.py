"""Comparison of methods on the same rows: trials on folds, the result, and the razor that picks the simplest.

1. `Candidate`, `Trials`: each trial chooses a setting inside its training rows, fits, answers its test rows.
2. Entry: `compare_table()`, which returns a `Comparison` of `Entry`s, the best first.
3. The razor: `razor()`, `best_method()`: the simplest method about as good as the best.

trial = one candidate on one fold; job = one fold, all candidates; setting = an unfitted estimator;
numbers = how many numbers a reader of the model must look at: its complexity.
Laws: every candidate sees the same training and test rows; a setting is chosen on training rows alone; of
settings with equal scores the first is taken; of methods within one standard error of the best the one with
the fewest numbers is taken, the baseline only where no measure says that a method is better.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.draw.svg import Picture
from tallystick.errors import OptionError, counted
from tallystick.judge import folds as large
from tallystick.judge.answers import log_losses, losses_of
from tallystick.judge.checks import Check, figure
from tallystick.judge.folds import NEVER, Dealing, FoldPlan, is_large, tidy
from tallystick.judge.result import BY_AREA, CrossValidation, FoldAnswers, RegressionValidation, difference
from tallystick.judge.run import (
    Fits,
    HeldOut,
    Progress,
    Steps,
    answer_settings,
    answered,
    fresh,
    judged_by,
    run_folds,
    workers,
)
from tallystick.judge.scores import Measure
from tallystick.model.decision import AnswerDecision
from tallystick.schema import Note
from tallystick.stats.exact import exact_total_of

# Trials.

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


class Trials:
    """All trials of a comparison: the folds of a table, or one with rows held out. The job NEVER chooses
    settings on all rows, for the models that are kept; with rows held out the one trial does.

    shares[candidate][row, class]: the answers to the pieces of the plan, or to the rows held out; done[row]:
    the fold that answered it, NEVER where none has yet.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        table: Table,
        dealing: Dealing,
        rows: FoldPlan | HeldOut,
        progress: Progress | None = None,
    ) -> None:
        self.candidates, self.dealing = candidates, dealing
        self.plan = rows if isinstance(rows, FoldPlan) else None
        self.held = None if isinstance(rows, FoldPlan) else rows
        self.table = table if self.plan is None else self.plan.pieces(table)
        self.labels = labels_of(table)
        many = self.table.rows if self.held is None else self.held.rows
        shape = many, max(len(self.labels), 1)
        self.shares = [large.empty(table, shape, np.float64) for _ in candidates]
        self.done = large.empty(table, many, np.int64)
        self.done[:] = NEVER
        self.jobs = [0] if self.plan is None else [NEVER, *self.plan.numbers]
        self.seconds = np.zeros((len(self.jobs), len(candidates)))  # a job writes to its own row
        self.picked: dict[int, list[int]] = {}  # by job: the index of each candidate's chosen setting
        self.steps = Steps(len(self.jobs) * (INNER + 1), progress, "fits")

    def one(self, at: int) -> int:
        """Do one job and return its place."""
        job, seconds = self.jobs[at], self.seconds[at]
        if self.plan is None or job == NEVER:
            training, rows = self.table, large.numbers(self.table)
        else:
            rows, test = self.plan.part(job)
            training = self.table.take(rows)
        self.picked[job] = self._choose(training, rows, np.zeros_like(seconds) if job == NEVER else seconds)
        if job != NEVER:
            tested = self.table.take(test, training.schema) if self.held is None else self.held
            for family in families(self.candidates):
                started = time.perf_counter()
                settings = [self.candidates[i].settings[self.picked[job][i]][1] for i in family]
                found = answer_settings(settings, training, tested, self.labels)
                for i, shares in zip(family, found, strict=True):
                    self.shares[i][test if self.held is None else slice(None)] = shares
                seconds[family] += (time.perf_counter() - started) / len(family)
        self.steps.one()
        return at

    def _choose(self, training: Table, rows: NDArray[np.int64], seconds: Floats) -> list[int]:
        """Return the setting of each candidate with the lowest loss over inner folds of training rows; rows:
        their numbers among all. The inner training parts are made once and serve every candidate.
        """
        out = [0] * len(self.candidates)
        losses = {i: np.zeros(len(c.settings)) for i, c in enumerate(self.candidates) if len(c.settings) > 1}
        plan = self.dealing.inner(training, INNER, rows) if losses else None
        whole = training if plan is None else plan.pieces(training)
        for number in range(INNER):
            if plan is not None and number in plan.numbers:
                train, test = plan.part(number)
                inner = whole.take(train)
                tested = whole.take(test, inner.schema)
                for i, own in losses.items():
                    started = time.perf_counter()
                    settings = [estimator for _, estimator in self.candidates[i].settings]
                    found = answer_settings(settings, inner, tested, self.labels, roughly=True)
                    own += [loss_of(whole, test, shares) for shares in found]
                    seconds[i] += time.perf_counter() - started
            self.steps.one()
        for i, own in losses.items():
            out[i] = int(np.argmin(own))
        return out

    def finished(self, at: int) -> None:
        """Count the test rows of a job in."""
        job = self.jobs[at]
        if job != NEVER:
            self.done[slice(None) if self.plan is None else self.plan.tested(job)] = job

    def so_far(self) -> list[tuple[str, int, float, float]]:
        """Return of each candidate its name, the rows answered, their accuracy and their mean log-loss."""
        rows = np.flatnonzero(self.done != NEVER)
        if not len(rows) or self.table.classes is None or self.held is not None:
            return []
        truth = self.table.classes[rows].astype(np.int64)
        out = []
        for candidate, every in zip(self.candidates, self.shares, strict=True):
            shares = every[rows]
            right = float((shares.argmax(axis=1) == truth).mean())
            out.append((candidate.name, len(rows), right, float(log_losses(truth, shares).mean())))
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


ANSWERS_FIRST = ("accuracy", "log-loss", "auc")  # measures that say whether a method beats the baseline
BASELINE = "majority"  # the family of always answering the same
UNCOUNTED = 10**9  # taken for the numbers of a method that does not say how many it has
LESS_RIGHT = 0.05  # accuracy that a method may be behind another and still be taken for its log-loss
WORDS = {
    "log-loss": "lowest log-loss",
    "mse": "lowest mean squared error",
    "auc": "highest AUC",
    "accuracy": "highest accuracy",
}


@dataclass(frozen=True)
class Watch:
    """Callbacks of a comparison. progress: with the fits done; arrived: after each fold, with the scores so
    far as (name, rows, accuracy, log-loss) of each candidate.
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
    dealing: Dealing | None = None,
    how: str = "",
    held: HeldOut | None = None,
    measure: str = "log-loss",
) -> Comparison[Any]:
    """Judge every candidate on the same folds, or on the same rows held out; fit each on all rows, and apply
    the razor. measure: of `result.DECIDING`, by which classes are judged.
    """
    dealing, watch = dealing or Dealing(), watch or Watch()
    how = how or f"{folds} stratified folds"
    if measure == "auc" and is_large(table):
        raise OptionError(BY_AREA)
    rows = dealing.outer(table, folds) if held is None else held
    trials = Trials(candidates, table, dealing, rows, watch.progress)

    def finished(at: int) -> None:
        trials.finished(at)
        if watch.arrived is not None:
            watch.arrived(trials.so_far())

    stopped = run_folds(trials.one, len(trials.jobs), finished, enough=3, at_once=workers(table))
    weights = None if table.weights is None or held is not None else table.weights / table.unit
    labels = labels_of(table) if held is None else held.labels
    results: list[CrossValidation | RegressionValidation] = []
    for shares, candidate in zip(trials.shares, candidates, strict=True):
        if trials.plan is None:
            assert held is not None
            answers, truth = held.judged(shares), held.truth
        else:
            answers = answered(shares, trials.done, trials.plan, table, trials.table)
            truth = _truth(table, answers.large)
        if table.schema.regression:
            results.append(RegressionValidation(truth, (answers,), weights, how, stopped))
            continue
        prices, own = judged_by(cost, candidate.settings[0][1], table.schema.predicted, labels)
        judged = CrossValidation(labels, truth, (answers,), weights, prices, None, how, stopped, {}, own)
        results.append(replace(judged, decides=measure))
    return _conclude(candidates, table, results, trials)


def _truth(table: Table, large: bool) -> NDArray[Any]:
    """Return the truth of each row; large: in as few bytes as it has."""
    if table.response is not None:
        return table.response
    assert table.classes is not None
    return table.classes.astype(table.classes.dtype if large else np.int64, copy=False)


def _conclude(
    candidates: Sequence[Candidate], table: Table, results: list[Any], trials: Trials
) -> Comparison[Any]:
    entries: list[Entry[Any]] = []
    seconds = trials.seconds.sum(axis=0)
    for candidate, chosen, result, spent in zip(candidates, trials.settings(), results, seconds, strict=True):
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
    found = model._numbers()
    return UNCOUNTED if found is None else found


def razor(entries: Sequence[Entry[R]]) -> tuple[Entry[R], str]:
    """Return the simplest entry within one standard error of the best loss, and why, in a sentence.

    The error is that of the difference between the two on the same rows; their p is of the same difference.

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
    if known is None:  # better by the deciding measure, if not by one standard error
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
