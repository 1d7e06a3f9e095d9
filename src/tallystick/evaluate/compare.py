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
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.data.encode import Table
from tallystick.evaluate import intervals
from tallystick.evaluate.checks import Check
from tallystick.evaluate.crossval import Answers, CrossValidation, Progress, answer, fresh, run_folds
from tallystick.evaluate.folds import NEVER, Plan, deal_folds
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
            "how": self.how,
            "stopped": self.stopped,
            "target": self.target,
            "why": self.why,
        }

    def picture(self) -> str:
        """Return log-losses with their intervals as SVG, the chosen method set off."""
        from tallystick.draw.charts import dot_chart

        dots = []
        for entry in self.entries:
            loss = entry.result.measure("log-loss")
            dots.append((entry.name, loss.value, loss.low, loss.high, f"{_count(entry.numbers)} numbers"))
        return dot_chart(dots, "log-loss on new rows, with its 95 % interval", marked=self.chosen.name)

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
) -> Comparison:
    """Cross-validate every candidate on the same folds, fit each on all rows, and apply the razor."""
    plan = Plan(deal_folds(table, folds))
    parts = list(plan.parts())
    assert table.schema.target is not None
    labels = table.schema.target.labels
    shares = np.zeros((len(candidates), table.rows, len(labels)))
    spent = np.zeros((len(parts), len(candidates)))
    done = np.full(table.rows, NEVER, np.int64)

    def one(at: int) -> int:
        teach, test = parts[at]
        training = table.take(teach)
        tested = table.take(test, training.schema)
        chosen, seconds = choose(candidates, training)
        for i, (_, estimator) in enumerate(chosen):
            started = time.perf_counter()
            model = fresh(estimator, threads=1).fit_table(training)
            shares[i, test] = answer(model, training, tested, labels)
            spent[at, i] = seconds[i] + time.perf_counter() - started
        return at

    def finished(at: int) -> None:
        done[parts[at][1]] = plan.fold[parts[at][1]]

    stopped = run_folds(one, len(parts), finished, progress)
    results = [_result(table, Answers(s, done), folds, cost, stopped) for s in shares]
    return _conclude(candidates, table, results, spent.sum(axis=0))


def choose(
    candidates: Sequence[Candidate], training: Table
) -> tuple[list[tuple[str, Any]], NDArray[np.float64]]:
    """Return the setting of each candidate with the lowest log-loss over inner folds, and the seconds it
    took.

    The inner teaching parts are made once and serve every candidate.
    """
    seconds = np.zeros(len(candidates))
    tuned = [i for i, c in enumerate(candidates) if len(c.settings) > 1]
    out = [c.settings[0] for c in candidates]
    if not tuned:
        return out, seconds
    labels = training.schema.target.labels if training.schema.target else ()
    losses = {i: np.zeros(len(candidates[i].settings)) for i in tuned}
    for teach, test in Plan(deal_folds(training, INNER, key=1)).parts():
        inner = training.take(teach)
        tested = training.take(test, inner.schema)
        assert tested.classes is not None
        truth = training.classes[test].astype(np.int64)  # type: ignore[index]
        weight = np.ones(len(test)) if training.weights is None else training.weights[test].astype(np.float64)
        for i in tuned:
            started = time.perf_counter()
            for s, (_, estimator) in enumerate(candidates[i].settings):
                model = fresh(estimator, threads=1).fit_table(inner)
                losses[i][s] += float(
                    (weight * log_losses(truth, answer(model, inner, tested, labels))).sum()
                )
            seconds[i] += time.perf_counter() - started
    for i in tuned:
        out[i] = candidates[i].settings[int(np.argmin(losses[i]))]
    return out, seconds


def _result(table: Table, answers: Answers, folds: int, cost: Any, stopped: bool) -> CrossValidation:
    assert table.classes is not None
    assert table.schema.target is not None
    weights = None if table.weights is None else table.weights / table.unit
    how = f"{folds} stratified folds"
    return CrossValidation(
        table.schema.target.labels,
        table.classes.astype(np.int64),
        (answers,),
        weights,
        cost,
        how=how,
        stopped=stopped,
    )


def _conclude(
    candidates: Sequence[Candidate],
    table: Table,
    results: list[CrossValidation],
    seconds: NDArray[np.float64],
) -> Comparison:
    chosen, _ = choose(candidates, table)
    entries = []
    for candidate, (words, estimator), result, spent in zip(
        candidates, chosen, results, seconds, strict=True
    ):
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
    if entry is best:
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
