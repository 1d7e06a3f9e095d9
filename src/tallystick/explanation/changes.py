"""Counterfactuals: the smallest changes of a row that give another answer, found by trying them, in words.

1. The result: `ChangedCell`, `Counterfactual`, `Counterfactuals`. 2. Entry: `counterfactuals()`.
3. The search over single columns, pairs, then greedy: `_ChangeSearch`.

step = one changed column; way = how its new value is written (`=`, `>=`, `<=`).
Laws: every change that is returned was tried; fewer columns come before more, a smaller step before a larger;
only columns that were allowed are changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import DataError, OptionError, clean, nearest, shown
from tallystick.io.frames import from_texts
from tallystick.schema import CODED, Column, Schema
from tallystick.table.encode import Matcher
from tallystick.text import quantity

Row = dict[str, str | None]
Answered = tuple[NDArray[np.int64], NDArray[np.float64]]  # class and share of each row
Answers = Callable[[list[dict[str, Any]]], Answered]

GRID = 33  # values of a number that are tried
MOST_LEVELS = 200  # levels of a column that are tried
HALVINGS = 40  # bisections between a value that works and the row's own
PAIRED, TRIED = 8, 3  # columns of which pairs are tried, and values of each
DEEPEST = 6  # columns changed together, at most


@dataclass(frozen=True)
class ChangedCell:
    """One column changed. way: "=", or ">=" and "<=" where every value tried beyond gives the answer too."""

    column: Column
    value: str
    size: float
    way: str = "="
    number: float = field(default=float("nan"), compare=False)

    @property
    def words(self) -> str:
        """The step as a condition."""
        sign = {"=": "=", ">=": "≥", "<=": "≤"}[self.way]
        return f"{clean(self.column.name)} {sign} {clean(self.value)}"


@dataclass(frozen=True)
class Counterfactual:
    """Changes of a row that together give another answer, with the share that it then has."""

    steps: tuple[ChangedCell, ...]
    answer: str
    share: float

    @property
    def row(self) -> Row:
        """The cells that change."""
        return {step.column.name: step.value for step in self.steps}

    @property
    def size(self) -> tuple[int, float]:
        """How many columns change, and by how much of their range in all."""
        return len(self.steps), sum(step.size for step in self.steps)

    def __str__(self) -> str:
        listed = " and ".join(step.words for step in self.steps)
        return f"With {listed} the answer would be {clean(self.answer)} ({100 * self.share:.0f} %)."


@dataclass(frozen=True)
class Counterfactuals:
    """The changes that were found, the smallest first. Prints a sentence for each."""

    answer: str
    share: float
    found: tuple[Counterfactual, ...]

    @property
    def summary(self) -> str:
        """What is answered now, and whether anything was found."""
        now = f"The answer is {clean(self.answer)} ({100 * self.share:.0f} %)"
        return f"{now}." if self.found else f"{now}, and no change that was tried gives another."

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        each = [{"answer": c.answer, "changes": c.row, "share": c.share, "text": str(c)} for c in self.found]
        return {"answer": self.answer, "counterfactuals": each, "share": self.share}

    def __str__(self) -> str:
        return "\n".join([self.summary, *map(str, self.found)])

    __repr__ = __str__


def counterfactuals(
    schema: Schema,
    row: Mapping[str, Any],
    answers: Answers,
    columns: Sequence[str] | None = None,
    answer: str | None = None,
    most: int = 5,
) -> Counterfactuals:
    """Return the smallest changes of a row after which `answers` gives another class, or the wanted one."""
    search = _ChangeSearch(schema, row, answers, columns, answer)
    found = search.alone()
    if len(found) < most:
        found += search.together()
    if not found:
        found += search.deeper()
    found = sorted(found, key=lambda c: (*c.size, -c.share, str(c)))[:most]
    return Counterfactuals(search.labels[search.now], search.sure, tuple(found))


class _ChangeSearch:
    """A row, the values that its columns may take, and the search among them."""

    def __init__(
        self,
        schema: Schema,
        row: Mapping[str, Any],
        answers: Answers,
        columns: Sequence[str] | None,
        answer: str | None,
    ) -> None:
        self.labels = schema.predicted.labels
        # A column written 1.234,5 reads the text 417.585 as 417585: its numbers are asked about as numbers.
        written = [c for c in schema.used if c.kind == "numeric" and c.written and not c.unit]
        row = dict(row)
        for c in written:  # 6.486,08 € is 6486.08
            if isinstance(text := row.get(c.name), str):
                read = float(Matcher(c, schema.marks, ".", True).run(from_texts([text]), 1).data[0])
                row[c.name] = text if math.isnan(read) else read

        def plainly(rows: list[Row]) -> Answered:
            numbers = [{c.name: _number(r[c.name]) for c in written} for r in rows]
            known = [{n: v for n, v in own.items() if v is not None} for own in numbers]
            return answers([r | own for r, own in zip(rows, known, strict=True)])

        self.answers = plainly
        self.by_effect: list[ChangedCell] = []  # single steps, the one that moves the share most first
        self.row: Row = {c.name: _text(row.get(c.name)) for c in schema.used}
        used = {c.name: c for c in schema.used}
        for name in columns or ():
            if name not in used:
                raise OptionError(f"the model has no column {shown(name)}.{nearest(name, tuple(used))}")
        if answer is not None and answer not in self.labels:
            raise OptionError(f"there is no class {shown(answer)}.{nearest(answer, self.labels)}")
        self.columns = [c for c in schema.used if columns is None or c.name in columns]
        found, shares = self.answers([self.row])
        self.now, self.sure = int(found[0]), float(shares[0, found[0]])
        self.wanted = None if answer is None else self.labels.index(answer)
        self.tries = {} if self.now == self.wanted else {c.name: self._values(c) for c in self.columns}

    # -- candidates --

    def _values(self, column: Column) -> list[ChangedCell]:
        now = self.row[column.name]
        if column.kind in CODED:
            levels = column.levels[:MOST_LEVELS]
            far = max(len(column.levels) - 1, 1)
            at = column.levels.index(now) if now in column.levels and column.kind == "ordered" else None
            sizes = [1.0 if at is None else abs(k - at) / far for k in range(len(levels))]
            return [ChangedCell(column, t, s) for t, s in zip(levels, sizes, strict=True) if t != now]
        reach = self._reach(column) if column.kind == "numeric" else None
        if reach is None or reach[0] == reach[1]:
            return []
        grid = np.linspace(*reach, GRID).tolist()
        return [step for v in grid if (step := self._number(column, v)).value != now]

    def _reach(self, column: Column) -> tuple[float, float] | None:
        """Return the range of a number in training; of a model that keeps none, one around the row's own."""
        if column.low is not None and column.high is not None:
            return column.low, column.high
        own = _number(self.row[column.name])
        return None if own is None else (own - 2 * max(abs(own), 1.0), own + 2 * max(abs(own), 1.0))

    def _number(self, column: Column, value: float) -> ChangedCell:
        text = quantity(value, column.unit, 12)
        own, reach = _number(self.row[column.name]), self._reach(column)
        far = reach[1] - reach[0] if reach is not None else 0.0
        size = 1.0 if own is None or not far else min(abs(value - own) / far, 1.0)
        return ChangedCell(column, text, size, number=value)

    def _ask(
        self, tries: list[list[ChangedCell]]
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.float64]]:
        """Return which of some changed rows have the answer that is looked for, their answers and shares."""
        rows = [self.row | {step.column.name: step.value for step in steps} for steps in tries]
        found, shares = self.answers(rows)
        good = found != self.now if self.wanted is None else found == self.wanted
        return good, found, shares

    # -- search --

    def alone(self) -> list[Counterfactual]:
        """Return the changes of one column: of a number the nearest below and above, of levels each."""
        tries = [[step] for steps in self.tries.values() for step in steps]
        if not tries:
            return []
        good, _, shares = self._ask(tries)
        moved = -shares[:, self.now] if self.wanted is None else shares[:, self.wanted]
        order = np.argsort(-moved, kind="stable").tolist()
        self.by_effect = [tries[k][0] for k in order]
        out: list[list[ChangedCell]] = []
        sides: dict[tuple[str, bool], ChangedCell] = {}
        for (step,), is_good in zip(tries, good.tolist(), strict=True):
            if not is_good:
                continue
            if step.column.kind in CODED:
                out.append([step])
                continue
            own = _number(self.row[step.column.name])
            side = step.column.name, own is not None and step.number > own
            if side not in sides or step.size < sides[side].size:
                sides[side] = step
        return self._results([*out, *([step] for step in sides.values())])

    def together(self) -> list[Counterfactual]:
        """Return pairs of columns of which none is enough by itself."""
        by_column: dict[str, list[ChangedCell]] = {}
        for step in self.by_effect:
            own = by_column.setdefault(step.column.name, [])
            if len(own) < TRIED:
                own.append(step)
        enough = {name for name in by_column if self._ask([[s] for s in self.tries[name]])[0].any()}
        names = [name for name in by_column if name not in enough][:PAIRED]
        tries = [[a, b] for p, q in combinations(names, 2) for a in by_column[p] for b in by_column[q]]
        if not tries:
            return []
        good = self._ask(tries)[0]
        best: dict[tuple[str, str], list[ChangedCell]] = {}
        for steps, is_good in zip(tries, good.tolist(), strict=True):
            key = steps[0].column.name, steps[1].column.name
            if is_good and key not in best:
                best[key] = steps
        return self._results(list(best.values()))

    def deeper(self) -> list[Counterfactual]:
        """Return one change of several columns, those that move the row farthest first, or none."""
        steps: list[ChangedCell] = []
        for step in self.by_effect:
            if step.column.name in {s.column.name for s in steps}:
                continue
            steps.append(step)
            if self._ask([steps])[0][0]:
                for needless in tuple(steps):  # without which the answer is the same
                    fewer = [s for s in steps if s is not needless]
                    if fewer and self._ask([fewer])[0][0]:
                        steps = fewer
                return self._results([steps])
            if len(steps) == DEEPEST:
                break
        return []

    # -- results --

    def _results(self, each: list[list[ChangedCell]]) -> list[Counterfactual]:
        out = []
        for steps in each:
            for k, step in enumerate(steps):
                if step.column.kind not in CODED:
                    steps = [*steps[:k], self._nearer(steps, k), *steps[k + 1 :]]
            good, found, shares = self._ask([steps])
            if good[0]:
                answer = int(found[0])
                out.append(Counterfactual(tuple(steps), self.labels[answer], float(shares[0, answer])))
        return out

    def _nearer(self, steps: list[ChangedCell], k: int) -> ChangedCell:
        """Return a step of a number with the nearest short number that is enough, and whether all beyond
        are.
        """
        step, own = steps[k], _number(self.row[steps[k].column.name])
        column = step.column

        def enough(values: list[float]) -> list[bool]:
            tried = [[*steps[:k], self._number(column, v), *steps[k + 1 :]] for v in values]
            return self._ask(tried)[0].tolist() if values else []

        best = step.number
        if own is not None and column.unit != "date":
            bad, best = own, step.number
            for _ in range(HALVINGS):
                middle = bad + (best - bad) / 2
                if middle in (bad, best):
                    break
                bad, best = (bad, middle) if enough([middle])[0] else (middle, best)
            best = self._short(best, bad, step.number, enough)
        up = own is None or best > own
        beyond = [s.number for s in self.tries[column.name] if (s.number > best if up else s.number < best)]
        way = (">=" if up else "<=") if own is not None and all(enough(beyond)) else "="
        return replace(self._number(column, best), way=way)

    @staticmethod
    def _short(best: float, bad: float, far: float, enough: Callable[[list[float]], list[bool]]) -> float:
        """Return a number of few figures from `best` on towards `far` that is enough."""
        for figures in range(1, 12):
            unit = 10.0 ** (np.floor(np.log10(max(abs(best), 1e-300))) + 1 - figures)
            turn = np.ceil if far > bad else np.floor
            short = float(f"{turn(best / unit) * unit:.12g}")
            if abs(short - best) <= 0.1 * abs(far - bad) + abs(best - bad) and enough([short])[0]:
                return short
        return best


def _text(value: Any) -> str | None:
    if value is None or value == "" or value != value:
        return None
    if isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_):
        return quantity(float(value), "", 12)
    return str(value)


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def refuse_other(row: Any) -> Mapping[str, Any]:
    """Return a row that is one: a dict of its values."""
    if not isinstance(row, Mapping):
        raise DataError(f"a row is a dict of values by column, not {shown(type(row).__name__)}.")
    return row
