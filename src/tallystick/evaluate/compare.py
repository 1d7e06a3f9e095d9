"""Compare methods on the same folds, and pick the simplest that is about as good as the best: the razor.

Knows candidates, tables and folds. Knows nothing of learners: who calls it brings the methods.
Laws: every candidate sees the same teaching and test rows; a setting is chosen on teaching rows alone; of
two settings
that score the same the earlier one is taken.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.encode import Table
from tallystick.draw.svg import Picture
from tallystick.evaluate import intervals
from tallystick.evaluate.checks import Check
from tallystick.evaluate.folds import NEVER, Dealing, Plan
from tallystick.evaluate.result import Answers, CrossValidation
from tallystick.evaluate.running import Progress, Steps, answer_settings, fresh, run_folds, workers
from tallystick.evaluate.scores import log_losses

INNER = 5  # folds inside the teaching part, for choosing a setting
MOST_SETTINGS = 8


@dataclass(frozen=True)
class Candidate:
    """A method to be compared: one setting, or several of which inner folds choose one.

    `settings`: (words, unfitted estimator), the simplest first.
    """

    name: str
    family: str
    settings: tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Entry:
    """One row of a comparison. `numbers`: how many numbers a reader of the model must look at."""

    name: str
    family: str
    result: CrossValidation
    setting: str
    numbers: int
    seconds: float
    model: Any = field(repr=False, default=None)
    against_best: float | None = None  # p of the corrected resampled t-test

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        measures = [self.result.measure(m.name).to_dict() for m in self.result.scores.measures]
        return {
            "against_best": self.against_best,
            "family": self.family,
            "measures": measures,
            "name": self.name,
            "numbers": self.numbers,
            "setting": self.setting,
        }


@dataclass(frozen=True)
class Comparison:
    """Methods on the same folds, the best first; `chosen` is the razor's, `why` its reason in a sentence."""

    target: str
    entries: tuple[Entry, ...]
    chosen: Entry
    why: str
    how: str
    checks: tuple[Check, ...] = ()
    stopped: bool = False

    @property
    def best(self) -> Entry:
        """The entry with the lowest log-loss."""
        return self.entries[0]

    @property
    def model(self) -> Any:
        """The chosen method, fitted on all rows."""
        return self.chosen.model

    def __getitem__(self, name: str) -> Entry:
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        return {
            "best": self.best.name,
            "checks": [c.to_dict() for c in self.checks],
            "chosen": self.chosen.name,
            "entries": [e.to_dict() for e in self.entries],
            "fold_sizes": list(Plan(self.best.result.fold).sizes),
            "how": self.how,
            "stopped": self.stopped,
            "target": self.target,
            "why": self.why,
        }

    def picture(self) -> Picture:
        """Return log-losses with their intervals as SVG, the chosen method set off."""
        from tallystick.draw.charts import dot_chart

        dots = []
        for entry in self.entries:
            loss = entry.result.measure("log-loss")
            dots.append((entry.name, loss.value, loss.low, loss.high, f"{_count(entry.numbers)} numbers"))
        words = "log-loss on new rows, with its 95 % interval"
        return Picture(dot_chart(dots, words, marked=self.chosen.name))

    def _repr_html_(self) -> str:
        return self.picture()

    def __str__(self) -> str:
        from tallystick.evaluate.show import show_comparison

        return show_comparison(self)


def compare_table(
    candidates: Sequence[Candidate],
    table: Table,
    folds: int = 10,
    cost: NDArray[np.float64] | None = None,
    progress: Progress | None = None,
    dealing: Dealing | None = None,
    how: str = "",
) -> Comparison:
    """Cross-validate every candidate on the same folds, fit each on all rows, and apply the razor."""
    dealing = dealing or Dealing()
    work = _Work(candidates, table, dealing, dealing.outer(table, folds), progress)
    stopped = run_folds(work.one, len(work.folds) + 1, work.finished, enough=3, at_once=workers(table))
    done = Answers(np.zeros((0, 0)), work.done)
    how = how or f"{folds} stratified folds"
    results = [_result(table, replace(done, shares=s), how, cost, stopped) for s in work.shares]
    return _conclude(candidates, table, results, work)


class _Work:
    """All folds of a comparison: each chooses settings inside its teaching rows, fits them and answers its
    test rows. The job 0 chooses on all rows, for the models that are kept.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        table: Table,
        dealing: Dealing,
        plan: Plan,
        progress: Progress | None,
    ) -> None:
        assert table.schema.target is not None
        self.candidates, self.table, self.dealing, self.plan = candidates, table, dealing, plan
        self.labels = table.schema.target.labels
        self.shares = np.zeros((len(candidates), table.rows, max(len(self.labels), 1)))
        self.done = np.full(table.rows, NEVER, np.int64)
        self.folds = plan.numbers
        self.seconds = np.zeros((len(self.folds) + 1, len(candidates)))
        self.picked: dict[int, list[int]] = {}  # by job: the number of each candidate's setting
        self.steps = Steps((len(self.folds) + 1) * (INNER + 1), progress, "fits")
        self.chosen: list[int] | None = None

    def one(self, job: int) -> int:
        """Do one job and return its number."""
        if job == 0:
            self.chosen = self._choose(self.table, np.arange(self.table.rows), 0)
            self.steps.one()
            return 0
        teach, test = self.plan.part(self.folds[job - 1])
        training = self.table.take(teach)
        tested = self.table.take(test, training.schema)
        self.picked[job] = picked = self._choose(training, teach, job)
        for family in _families(self.candidates):
            started = time.perf_counter()
            settings = [self.candidates[i].settings[picked[i]][1] for i in family]
            for i, shares in zip(
                family, answer_settings(settings, training, tested, self.labels), strict=True
            ):
                self.shares[i, test] = shares
            self.seconds[job, family] += (time.perf_counter() - started) / len(family)
        self.steps.one()
        return job

    def finished(self, job: int) -> None:
        """Count the test rows of a job in."""
        if job:
            self.done[self.plan.fold == self.folds[job - 1]] = self.folds[job - 1]

    def _choose(self, training: Table, rows: NDArray[np.int64], job: int) -> list[int]:
        """Return the setting of each candidate with the lowest log-loss over inner folds.

        The inner teaching parts are made once and serve every candidate.
        """
        out = [0] * len(self.candidates)
        tuned = [i for i, c in enumerate(self.candidates) if len(c.settings) > 1]
        if not tuned:
            for _ in range(INNER):
                self.steps.one()
            return out
        losses = {i: np.zeros(len(self.candidates[i].settings)) for i in tuned}
        plan = self.dealing.inner(training, INNER, rows)
        weights = np.ones(training.rows) if training.weights is None else training.weights.astype(np.float64)
        for number in range(INNER):
            if number in plan.numbers:
                teach, test = plan.part(number)
                inner = training.take(teach)
                tested = training.take(test, inner.schema)
                for i in tuned:
                    started = time.perf_counter()
                    settings = [estimator for _, estimator in self.candidates[i].settings]
                    each = answer_settings(settings, inner, tested, _labels(training))
                    losses[i] += [loss_of(training, test, shares, weights) for shares in each]
                    self.seconds[job, i] += time.perf_counter() - started
            self.steps.one()
        for i in tuned:
            out[i] = int(np.argmin(losses[i]))
        return out

    def settings(self) -> list[int]:
        """Return the setting of each candidate for the models of all rows; stopped before it was chosen: the
        one that most folds chose.
        """
        if self.chosen is not None:
            return self.chosen
        each = np.array(list(self.picked.values())).T
        return [int(np.argmax(np.bincount(row))) for row in each]


def _families(candidates: Sequence[Candidate]) -> list[list[int]]:
    """Return the candidates of each family that are ours and so may be fitted together; others alone."""
    out: dict[Any, list[int]] = {}
    for i, c in enumerate(candidates):
        together = hasattr(c.settings[0][1], "answer_settings")
        out.setdefault((c.family, type(c.settings[0][1])) if together else i, []).append(i)
    return list(out.values())


def _labels(table: Table) -> tuple[str, ...]:
    assert table.schema.target is not None
    return table.schema.target.labels


def loss_of(
    table: Table, rows: NDArray[np.int64], shares: NDArray[np.float64], weights: NDArray[np.float64]
) -> float:
    """Return the summed log-loss of some rows, or of a regression their squared errors."""
    if table.response is not None:
        return float((weights[rows] * (table.response[rows] - shares[:, 0]) ** 2).sum())
    assert table.classes is not None
    return float((weights[rows] * log_losses(table.classes[rows].astype(np.int64), shares)).sum())


def _result(table: Table, answers: Answers, how: str, cost: Any, stopped: bool) -> CrossValidation:
    assert table.classes is not None
    weights = None if table.weights is None else table.weights / table.unit
    return CrossValidation(
        _labels(table),
        table.classes.astype(np.int64),
        (answers,),
        weights,
        cost,
        how=how,
        stopped=stopped,
    )


def _conclude(
    candidates: Sequence[Candidate], table: Table, results: list[CrossValidation], work: _Work
) -> Comparison:
    entries = []
    seconds = work.seconds[1:].sum(axis=0)
    for candidate, chosen, result, spent in zip(candidates, work.settings(), results, seconds, strict=True):
        words, estimator = candidate.settings[chosen]
        model = fresh(estimator).fit_table(table)
        entries.append(
            Entry(candidate.name, candidate.family, result, words, numbers(model), float(spent), model)
        )
    order = sorted(range(len(entries)), key=lambda i: (entries[i].result.log_loss, entries[i].numbers, i))
    best = entries[order[0]]
    ranked = tuple(_against(entries[i], best) for i in order)
    picked, why = razor(ranked)
    assert table.schema.target is not None
    return Comparison(
        table.schema.target.name, ranked, picked, why, results[0].how, stopped=any(r.stopped for r in results)
    )


def numbers(model: Any) -> int:
    """Return how many numbers a reader of the model must look at; a foreign method that does not say counts
    as many.
    """
    told = getattr(model, "numbers", None)
    return int(told()) if callable(told) else 10**9


def razor(entries: Sequence[Entry]) -> tuple[Entry, str]:
    """Return the simplest entry within one standard error of the best log-loss, and why, in a sentence."""
    best = entries[0]
    loss, error = best.result.log_loss, standard_error(best.result)
    near = [e for e in entries if e.result.log_loss <= loss + error]
    picked = min(near, key=lambda e: (e.numbers, e.result.log_loss))
    lowest = f"{best.name} has the lowest log-loss, {loss:.4f}"
    if picked is best and len(near) == 1:
        return best, f"{lowest}, and no other method is within one standard error ({error:.4f}) of it."
    if picked is best:
        return best, (
            f"{lowest}, and is the simplest of the {len(near)} methods within one standard error "
            f"({error:.4f}) of it ({_count(best.numbers)} numbers to read)."
        )
    return picked, (
        f"{picked.name} is the simplest method ({_count(picked.numbers)} numbers to read) within one "
        f"standard error ({error:.4f}) of the lowest log-loss: {picked.result.log_loss:.4f} against "
        f"{loss:.4f} of {best.name} ({_count(best.numbers)} numbers)."
    )


def _count(n: int) -> str:
    return "uncounted" if n >= 10**9 else f"{n:,}"


def standard_error(result: CrossValidation) -> float:
    """Return the standard error of the mean log-loss over the tested rows."""
    part = result.repeats[0]
    rows = np.flatnonzero(part.fold >= 0)
    losses = log_losses(result.truth[rows], part.shares[rows])
    weight = np.ones(len(rows)) if result.weights is None else result.weights[rows]
    n = float(weight.sum())
    away = losses - float((weight * losses).sum()) / n
    return math.sqrt(float((weight * away**2).sum()) / max(n - 1, 1) / n)


def _against(entry: Entry, best: Entry) -> Entry:
    if entry is best or len(best.result.fold_means()) < 2:  # one part tells nothing of the spread
        return entry
    p = resampled_t_test(entry.result, best.result)
    return Entry(
        entry.name, entry.family, entry.result, entry.setting, entry.numbers, entry.seconds, entry.model, p
    )


def resampled_t_test(a: CrossValidation, b: CrossValidation, name: str = "log-loss") -> float:
    """Return the two-sided p of equal means over the same folds, corrected for teaching rows that folds
    share.

    The variance of J fold differences is taken times (1/J + test rows / teaching rows), as Nadeau and
    Bengio do.
    """
    away = a.fold_means(name) - b.fold_means(name)
    many = len(away)
    spread = float(np.var(away, ddof=1)) if many > 1 else 0.0
    if spread == 0.0:
        return 1.0 if not away.any() else 0.0
    folds = many / len(a.repeats)
    t = abs(float(away.mean())) / math.sqrt(spread * (1 / many + 1 / (folds - 1)))
    return 2 * intervals.student_tail(t, many - 1)
