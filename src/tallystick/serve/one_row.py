"""One row at a time, without a table on the way: what most requests bring.

Knows plain Python values and fitted classifiers. Cells that need reading (a number written as text, a level
that the model does not know) are not for here: the answer is None, and the caller goes the long way.
Law: where it answers, it answers what the long way answers, and says the same of the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tallystick.data.schema import ABSENT, CODED
from tallystick.data.text import EXACT, WRITTEN_OUT

if TYPE_CHECKING:
    from tallystick.estimators import Classifier


class OneAnswer(NamedTuple):
    """The answer to a row. best: the number of its class; missing, outside: columns."""

    best: int
    shares: list[float]
    missing: list[str]
    outside: list[str]


class OneRow:
    """A classifier, ready for single rows."""

    def __init__(self, estimator: Classifier) -> None:
        self.estimator = estimator
        used = estimator._asked.used
        self.able = all(c.kind in CODED or c.kind == "numeric" for c in used)
        self.numbers = [
            (c.name, -EXACT if c.low is None else c.low, EXACT if c.high is None else c.high)
            for c in used
            if c.kind == "numeric"
        ]
        self.levels = [(c.name, frozenset(c.levels), ABSENT in c.levels) for c in used if c.kind in CODED]

    def answer(self, row: Mapping[str, Any]) -> OneAnswer | None:
        """Return the answer to a row; None where only a table can read it, or say what it lacks."""
        found = self._looked_at(row)
        if found is None:
            return None
        estimator = self.estimator
        shares = estimator.model_.record(row)
        if shares is None or estimator._may_be_prior(shares):
            return None
        best = int(estimator._decide(shares[None, :])[0])
        return OneAnswer(best, shares.tolist(), *found)

    def _looked_at(self, row: Mapping[str, Any]) -> tuple[list[str], list[str]] | None:
        """Return the columns without a value and those outside the range of the fit."""
        missing: list[str] = []
        outside: list[str] = []
        if not self.able:
            return None
        try:
            for name, low, high in self.numbers:
                cell = row[name]
                if type(cell) is float or type(cell) is int:
                    if not -EXACT <= cell <= EXACT:
                        return None
                    if not low <= cell <= high:
                        outside.append(name)
                elif cell is None:
                    missing.append(name)
                else:
                    return None
            for name, levels, absent in self.levels:
                cell = row[name]
                if type(cell) is int and -WRITTEN_OUT < cell < WRITTEN_OUT:
                    cell = str(cell)
                if cell is None and not absent:
                    missing.append(name)
                elif type(cell) is not str or cell not in levels:
                    return None
        except KeyError:
            return None
        return missing, outside
