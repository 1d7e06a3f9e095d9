"""What differs between groups beyond chance: each group beside all other rows, in one sentence.

Knows the rates of groups. Knows nothing of rows or models. The test of each comparison is that of two shares
(normal), and Holm's correction holds the chance that any of them is called different, where none is, at 5 %.
Law: it says what differs, with both figures; it never says whether that is fair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from tallystick.draw.text import percent
from tallystick.errors import shown

LEVEL, TOLD = 0.05, 3  # differences in the sentence: the surest of each kind
FEWEST = 10  # rows that a share needs on each side to be compared


class ComparedGroup(Protocol):
    """One comparison of a group with all other rows: of what, and its p before the correction."""

    @property
    def group(self) -> str:
        """The group."""
        ...

    @property
    def what(self) -> str:
        """What was compared."""
        ...

    @property
    def figures(self) -> str:
        """Both figures: `39.7 %, elsewhere 6.3 %`."""
        ...

    @property
    def p(self) -> float:
        """How likely so large a difference is by chance."""
        ...


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """A rate of one group beside that of all other rows; p before the correction."""

    group: str
    what: str
    share: float
    others: float
    p: float

    @property
    def figures(self) -> str:
        """Both figures."""
        return f"{percent(self.share)}, elsewhere {percent(self.others)}"

    def __str__(self) -> str:
        return f"{self.what} {self.share:.1%} where it is {shown(self.group)}, {self.others:.1%} elsewhere"


D = TypeVar("D", bound=ComparedGroup)


def differences(rates: Sequence[dict[str, Any]], labels: Sequence[str]) -> tuple[int, list[GroupDifference]]:
    """Return how many comparisons were made, and those that differ beyond chance, the surest first."""
    made: list[GroupDifference] = []
    for what, hits, rows in _measures(rates, labels):
        for i, group in told_apart(rates):
            found = _compared(group["group"], what, (hits[i], rows[i]), (sum(hits), sum(rows)))
            if found is not None:
                made.append(found)
    return len(made), beyond_chance(made)


def told_apart(groups: Sequence[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """Return the groups to compare with all other rows; of two the second alone, for the first would say the
    same again.
    """
    return list(enumerate(groups))[1:] if len(groups) == 2 else list(enumerate(groups))


def beyond_chance(made: list[D]) -> list[D]:
    """Return the comparisons that hold after Holm's correction, the surest first."""
    order = sorted(made, key=lambda d: (d.p, d.what, d.group))
    kept: list[D] = []
    for rank, one in enumerate(order):
        if one.p > LEVEL / (len(order) - rank):
            break
        kept.append(one)
    return kept


def sentence(rates: Sequence[dict[str, Any]], labels: Sequence[str]) -> str:
    """Return what differs beyond chance, or that nothing does."""
    return str(told_of(rates, labels))


def told_of(rates: Sequence[dict[str, Any]], labels: Sequence[str]) -> ToldDifferences:
    """Return what is told of groups."""
    return told_differences(*differences(rates, labels), "errors, answers, misses or false alarms")


@dataclass(frozen=True, slots=True)
class ToldDifferences:
    """What was found: words before it, the surest difference of each kind, how many more there are, and the
    rule.
    """

    lead: str
    told: tuple[ComparedGroup, ...] = ()
    more: int = 0
    rule: str = ""

    def __str__(self) -> str:
        if not self.told:
            return self.lead
        more = f"; and {self.more:,} more" if self.more else ""
        return f"Beyond chance: {'; '.join(map(str, self.told))}{more} ({self.rule})."


def told_differences(made: int, found: Sequence[D], what: str) -> ToldDifferences:
    """Return what was found in so many comparisons; what: all that was compared."""
    if not made:
        return ToldDifferences("The groups are too small to be compared.")
    rule = f"{made:,} comparisons of a group with all other rows, Holm's correction at 5 %"
    if not found:
        return ToldDifferences(f"No group differs beyond chance in {what} ({rule}).")
    surest = list({d.what: d for d in reversed(found)}.values())[::-1]
    told = tuple(sorted(surest, key=found.index)[:TOLD])
    return ToldDifferences(f"Beyond chance ({rule}):", told, len(found) - len(told), rule)


def _measures(
    rates: Sequence[dict[str, Any]], labels: Sequence[str]
) -> list[tuple[str, list[float], list[float]]]:
    """Return (what, hits[group], rows[group]); of two classes those of the second tell both."""
    rows = [float(g["rows"]) for g in rates]
    out = [("errors", [g["error"] * g["rows"] for g in rates], rows)]
    for k in range(len(labels)) if len(labels) > 2 else (len(labels) - 1,):
        label = shown(labels[k])
        out.append((f"answered {label}", [g["answers"][k] * g["rows"] for g in rates], rows))
        own = [g["truth"][k] * g["rows"] for g in rates]
        rest = [n - m for n, m in zip(rows, own, strict=True)]
        missed = [g["misses"][k]["share"] * m for g, m in zip(rates, own, strict=True)]
        out.append((f"misses of {label}", missed, own))
        alarms = [g["false_alarms"][k]["share"] * m for g, m in zip(rates, rest, strict=True)]
        out.append((f"false alarms of {label}", alarms, rest))
    return out


def _compared(
    group: str, what: str, own: tuple[float, float], every: tuple[float, float]
) -> GroupDifference | None:
    hits, rows = own
    rest, others = every[0] - hits, every[1] - rows
    if min(rows, others) < FEWEST:
        return None
    a, b, pooled = hits / rows, rest / others, every[0] / every[1]
    error = math.sqrt(max(pooled * (1 - pooled), 0.0) * (1 / rows + 1 / others))
    p = math.erfc(abs(a - b) / error / math.sqrt(2)) if error > 0 else 1.0
    return GroupDifference(group, what, a, b, p)
