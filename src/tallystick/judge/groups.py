"""Rates and errors by group, what differs between groups, and thresholds between two classes.

1. What differs beyond chance, in one sentence: `differences()`. 2. Tables as text: `group_lines()`.
3. Rates of classes: entry `error_rates()`; errors of numbers: `error_sizes()`.
4. The columns that define groups, from options to names per row: `asked_groups()`, `groups_in()`.
5. Thresholds: `thresholds_of()`: what each finds, misses and costs; gain and lift.

group = rows with one value, or one range, of a column; rate = a share of rows with its interval;
miss = row of a class with another answer; false alarm = row of another class with this answer.
Laws: groups are sorted by size, the largest first; every rate has its interval; a sentence says what differs,
never whether that is fair; a threshold counts the answers of a model that decides by it; weight w is w rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.draw.svg import (
    Line,
    Picture,
    Span,
    Style,
    as_html,
    bar,
    brief,
    measured,
    percent,
    plain,
    table,
    wrapped,
)
from tallystick.errors import Argument, NoColumn, OptionError, clean, nearest, shown, some
from tallystick.judge.answers import average
from tallystick.kernels.check import code_dtype
from tallystick.model.decision import cost_table, costs_text, decide, of_threshold, refuse_unknown
from tallystick.schema import CODED, Column, Columns, Schema, Target, listed
from tallystick.stats import distributions
from tallystick.stats.exact import weighted_total
from tallystick.text import quantity

if TYPE_CHECKING:
    from tallystick.judge.result import FoldAnswers


# What differs between groups beyond chance: each group against all other rows, by the normal test of two
# shares. Holm's correction keeps the chance of any false difference at 5 %.

LEVEL, TOLD = 0.05, 3  # significance level; differences that the sentence names, the surest of each kind
FEWEST = 10  # rows on each side, below which a share is not compared


class ComparedGroup(Protocol):
    """One comparison of a group with all other rows: the quantity, and its p before the correction."""

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
        for i, group in differing_groups(rates):
            found = _compared(group["group"], what, (hits[i], rows[i]), (sum(hits), sum(rows)))
            if found is not None:
                made.append(found)
    return len(made), beyond_chance(made)


def differing_groups(groups: Sequence[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
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
    return str(rate_differences(rates, labels))


def rate_differences(rates: Sequence[dict[str, Any]], labels: Sequence[str]) -> GroupDifferences:
    """Return what is told of groups."""
    return group_differences(*differences(rates, labels), "errors, answers, misses or false alarms")


@dataclass(frozen=True, slots=True)
class GroupDifferences:
    """What was found: words before it, the surest difference of each kind, how many more there are, and the
    rule.
    """

    lead: str
    compared: tuple[ComparedGroup, ...] = ()
    more: int = 0
    rule: str = ""

    def __str__(self) -> str:
        if not self.compared:
            return self.lead
        more = f"; and {self.more:,} more" if self.more else ""
        return f"Beyond chance: {'; '.join(map(str, self.compared))}{more} ({self.rule})."


def group_differences(made: int, found: Sequence[D], what: str) -> GroupDifferences:
    """Return what was found in so many comparisons; what: all that was compared."""
    if not made:
        return GroupDifferences("The groups are too small to be compared.")
    rule = f"{made:,} comparisons of a group with all other rows, Holm's correction at 5 %"
    if not found:
        return GroupDifferences(f"No group differs beyond chance in {what} ({rule}).")
    surest = list({d.what: d for d in reversed(found)}.values())[::-1]
    result = tuple(sorted(surest, key=found.index)[:TOLD])
    return GroupDifferences(f"Beyond chance ({rule}):", result, len(found) - len(result), rule)


def _measures(
    rates: Sequence[dict[str, Any]], labels: Sequence[str]
) -> list[tuple[str, list[float], list[float]]]:
    """Return (what, hits[group], rows[group]); of two classes only the second, which implies the first."""
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


# Groups as lines of text: of classes answers, misses and false alarms; of numbers the errors.

MOST_CLASSES = 5  # classes whose rates the text shows; the data has all


def group_lines(result: Any, column: str, cells: int) -> list[Line]:
    """Return the groups of a column as tables, and what differs beyond chance."""
    found = result.by(column)
    tables = _numbers if result.shown[0] == "r2" else _classes
    said = wrapped(clean(result.said_by(column)), cells, "", "dim")
    return [*tables(result, column, found, cells), *said]


def _classes(result: Any, column: str, found: Sequence[dict[str, Any]], cells: int) -> list[Line]:
    top = max(g["high"] for g in found)
    rows = (
        (
            *_named(g),
            *_measured(g),
            Span(bar(g["error"] / top if top else 0, 12), "bar"),
        )
        for g in found
    )
    head = (clean(column), "rows", "error", "95 % interval", "")
    lines = table(head, rows, frozenset({1, 2, 3}), cells)
    two = len(result.classes) == 2
    return [*lines, (), *(_rates if two else _answers)(result, column, found, cells)]


def _rates(result: Any, column: str, found: Sequence[dict[str, Any]], cells: int) -> list[Line]:
    """Return of two classes how often the second is answered, missed and alarmed, and the share it is given
    beside the share that is so.
    """
    label = clean(result.classes[-1])
    rows = []
    for g in found:
        kept = g["calibration"][-1]
        rows.append(
            (
                Span(clean(g["group"])),
                Span(f"{g['answers'][-1]:.1%}"),
                Span(_ends(g["misses"][-1])),
                Span(_ends(g["false_alarms"][-1])),
                Span(f"{kept['given']:.1%}"),
                Span(_ends({"share": g["truth"][-1], "low": kept["low"], "high": kept["high"]})),
            )
        )
    head = (f"of {label}", "answered", "missed", "false alarms", "given", "is so")
    return table(head, rows, frozenset(range(1, 6)), cells)


def _ends(one: dict[str, float]) -> str:
    return f"{one['share']:.1%} ({100 * one['low']:.0f}-{100 * one['high']:.0f})"


def _answers(result: Any, column: str, found: Sequence[dict[str, Any]], cells: int) -> list[Line]:
    """Return how often each group is answered with each class, beside how often it is so."""
    full = [sum(g["rows"] * g["truth"][k] for g in found) for k in range(len(result.classes))]
    kept = sorted(sorted(range(len(full)), key=lambda k: (-full[k], k))[:MOST_CLASSES])
    rows = [
        (Span(clean(g["group"])), *(Span(f"{g['answers'][k]:.1%} ({g['truth'][k]:.1%})") for k in kept))
        for g in found
    ]
    head = ("answered (is so)", *(clean(result.classes[k]) for k in kept))
    return table(head, rows, frozenset(range(1, len(head))), cells)


def _numbers(result: Any, column: str, found: Sequence[dict[str, Any]], cells: int) -> list[Line]:
    rows = (
        (
            *_named(g),
            Span(brief(g["error"]["mean"]), "strong"),
            Span(_between(g["error"]), "dim"),
            Span(brief(g["over"]["mean"])),
            Span(_between(g["over"]), "dim"),
        )
        for g in found
    )
    head = (clean(column), "rows", "off by", "95 %", "answer - truth", "95 %")
    return table(head, rows, frozenset(range(1, 6)), cells)


def _named(group: dict[str, Any]) -> tuple[Span, Span]:
    return Span(clean(group["group"])), Span(f"{group['rows']:,.0f}")


def _between(one: dict[str, float]) -> str:
    return f"{brief(one['low'])} to {brief(one['high'])}"


def _measured(g: dict[str, Any]) -> tuple[Span, Span]:
    """Return the error of a group and its interval."""
    value, ends = measured(g["error"], g["low"], g["high"], ".4f")
    return Span(value, "strong"), Span(ends)


QUARTERS = 0.25, 0.5, 0.75  # quantiles at which a column of numbers is cut into groups
MOST = 20  # groups shown; the others are one
# Columns that define groups; with cuts as "age: 25, 40" or in a dict.
By = str | Iterable[str] | Mapping[str, Sequence[float] | None]


def error_rates(
    groups: NDArray[Any],
    truth: NDArray[np.int64],
    part: FoldAnswers,
    weights: NDArray[np.float64] | None,
    rule: NDArray[np.float64] | None,
) -> list[dict[str, Any]]:
    """Return per group: rows, error rate with interval, share of each true class, share of each answer; of
    each class its misses (rows of it with another answer, among rows of it), its false alarms (rows of other
    classes answered with it, among those), and its calibration (the mean share given to it).

    rule[truth, answer]: the costs that decide answers, None: the largest share does.
    """
    tested = np.flatnonzero(part.fold >= 0)
    truth, shares = truth[tested].astype(np.int64, copy=False), part.shares[tested]
    weight = np.ones(len(tested)) if weights is None else weights[tested]
    k, pairs = shares.shape[1], truth * shares.shape[1] + decide(shares, rule)
    out = []
    for name, here in largest_groups(groups, tested, weight):
        counts = np.bincount(pairs[here], weight[here], minlength=k * k).reshape(k, k)
        given = [weighted_total(shares[here, c], weight[here]) for c in range(k)]
        out.append(rates(name, counts.astype(float), given))
    return out


def rates(name: str, counts: NDArray[np.float64], given: Sequence[float]) -> dict[str, Any]:
    """Return the rates of one group that has rows, from counts[truth, answer] and the sum of the shares given
    to each class.
    """
    off = counts * ~np.eye(len(counts), dtype=bool)  # wrong answers are summed: a difference of sums may miss
    of_class, missed = _sums(counts), _sums(off)
    others = [math.fsum(of_class[:c] + of_class[c + 1 :]) for c in range(len(counts))]
    misses = [_rate(found, base) for found, base in zip(missed, of_class, strict=True)]
    alarms = [_rate(found, base) for found, base in zip(_sums(off.T), others, strict=True)]
    rows, wrong, kept = math.fsum(of_class), math.fsum(missed), []
    for total, held in zip(given, of_class, strict=True):
        low, high = distributions.wilson(held, rows)
        kept.append({"given": total / rows, "low": low, "high": high})
    low, high = distributions.wilson(wrong, rows)
    return {
        "misses": misses,
        "false_alarms": alarms,
        "calibration": kept,
        "answers": [said / rows for said in _sums(counts.T)],
        "error": wrong / rows,
        "group": name,
        "high": high,
        "low": low,
        "rows": rows,
        "truth": [held / rows for held in of_class],
    }


def _sums(counts: NDArray[np.float64]) -> list[float]:
    """Return the sum of each row, rounded once: it is never below that of some of its cells."""
    return [math.fsum(row) for row in counts.tolist()]


def _rate(found: float, base: float) -> dict[str, float]:
    low, high = distributions.wilson(found, base)
    return {"share": found / base if base else 0.0, "rows": base, "low": low, "high": high}


def largest_groups(
    groups: NDArray[Any], tested: NDArray[np.int64], weight: NDArray[np.float64]
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the name of each group and which of the tested rows are in it, the largest first; of many, the
    small ones as one. groups[row] of all rows; weight[tested row].
    """
    names = sorted({str(name) for name in groups})  # a list: an array pads all to the longest
    at = {name: g for g, name in enumerate(names)}
    own = np.fromiter((at[str(name)] for name in groups[tested]), np.int32, len(tested))
    for name, members in shown_groups(names, np.bincount(own, weight, minlength=len(names))):
        yield name, own == members[0] if len(members) == 1 else np.isin(own, members)


def shown_groups(names: Sequence[str], full: NDArray[Any]) -> list[tuple[str, list[int]]]:
    """Return the name of each group that is shown and which groups are in it, the largest first; of many, the
    small ones as one. full[group]: its rows.
    """
    order = sorted(range(len(names)), key=lambda g: (-full[g], names[g]))
    out = [(names[g], [g]) for g in order[:MOST] if full[g] > 0]
    if len(order) > MOST and full[order[MOST:]].any():
        out.append((f"({len(order) - MOST} smaller groups)", order[MOST:]))
    return out


# Errors of numbers by group: size and sign; differences by Welch's test of a group against all other rows.


@dataclass(frozen=True, slots=True)
class NumberDifference:
    """A mean of one group beside that of all other rows; p before the correction."""

    group: str
    what: str
    mean: float
    others: float
    p: float

    @property
    def figures(self) -> str:
        """Both figures."""
        return f"{brief(self.mean)}, elsewhere {brief(self.others)}"

    def __str__(self) -> str:
        return (
            f"{self.what} {brief(self.mean)} where it is {shown(self.group)}, {brief(self.others)} elsewhere"
        )


def error_sizes(
    groups: NDArray[Any], truth: Floats, part: FoldAnswers, weights: Floats | None
) -> list[dict[str, Any]]:
    """Return per group: rows, the mean size of the error with its interval, the mean of answer less truth
    with its interval, and the means of truth and answer.
    """
    tested = np.flatnonzero(part.fold >= 0)
    weight = np.ones(len(tested)) if weights is None else weights[tested]
    truth, answers = truth[tested], part.shares[tested, 0]
    away = answers - truth
    out = []
    for name, here in largest_groups(groups, tested, weight):
        own = weight[here]
        each = truth[here], answers[here], np.abs(away[here]), away[here]
        means = [average(values, own) for values in each]
        off = [values - mean for values, mean in zip(each[2:], means[2:], strict=True)]
        sums = [(weighted_total(one**2, own), weighted_total(one**3, own)) for one in off]
        out.append(sizes_of(name, float(own.sum()), means, sums))
    return out


def sizes_of(
    name: str, rows: float, means: Sequence[float], sums: Sequence[tuple[float, float]]
) -> dict[str, Any]:
    """Return the figures of one group that has rows. means: of the truth, the answer, the size of the error
    and answer less truth; sums: of the squares and cubes of what the last two are away from their means.
    """
    items = []
    for mean, (squares, cubes) in zip(means[2:], sums, strict=True):
        low, high = distributions.of_sums(rows, mean, squares, cubes)
        items.append({"mean": mean, "low": low, "high": high, "variance": squares / rows})
    return {
        "group": name,
        "rows": rows,
        "error": items[0],
        "over": items[1],
        "truth": means[0],
        "answer": means[1],
    }


def number_sentence(found: Sequence[dict[str, Any]]) -> str:
    """Return what differs between groups beyond chance, or that nothing does."""
    return str(number_differences(found))


def number_differences(found: Sequence[dict[str, Any]]) -> GroupDifferences:
    """Return what is told of groups."""
    made = []
    for key, what in (("error", "size of the error"), ("over", "answer less truth")):
        for k, group in differing_groups(found):
            rest = [g for j, g in enumerate(found) if j != k]
            one = _compared_numbers(group["group"], what, _moments([group], key), _moments(rest, key))
            made += [] if one is None else [one]
    return group_differences(len(made), beyond_chance(made), "the size of the error or the side it is on")


def _moments(groups: Sequence[dict[str, Any]], key: str) -> tuple[float, float, float]:
    """Return rows, mean and variance of groups together."""
    rows = sum(g["rows"] for g in groups)
    if not rows:
        return 0.0, 0.0, 0.0
    mean = sum(g["rows"] * g[key]["mean"] for g in groups) / rows
    square = sum(g["rows"] * (g[key]["variance"] + (g[key]["mean"] - mean) ** 2) for g in groups) / rows
    return rows, mean, square


def _compared_numbers(
    group: str, what: str, own: tuple[float, float, float], rest: tuple[float, float, float]
) -> NumberDifference | None:
    if min(own[0], rest[0]) < FEWEST:
        return None
    parts = [variance / (rows - 1) for rows, _, variance in (own, rest)]
    error = math.sqrt(sum(parts))
    if error == 0.0:
        return NumberDifference(group, what, own[1], rest[1], 1.0 if own[1] == rest[1] else 0.0)
    freedom = sum(parts) ** 2 / sum(
        part**2 / (rows - 1) for part, (rows, _, _) in zip(parts, (own, rest), strict=True)
    )
    p = 2 * distributions.student_tail(abs(own[1] - rest[1]) / error, freedom)
    return NumberDifference(group, what, own[1], rest[1], p)


def asked_by(by: Any, weight: Any = None) -> By:
    """Return the columns that groups are asked by, in a form that is false where there are none: names may
    come as an array, and None is no name. weight: a column that is none of them, where it is a name.
    """
    found: By = by if isinstance(by, Mapping) else listed("by", () if by is None else by)
    known = [weight] if isinstance(weight, str) else []
    refuse_weights(dict.fromkeys(asked_groups(found, known) if known else (), "by"), weight)
    return found


def asked_groups(by: By, known: Iterable[str]) -> dict[str, tuple[float, ...] | None]:
    """Return the columns that groups are asked by, each with the numbers where its ranges begin, None: its
    levels, or its quartiles. known: names of columns, which are never read as a name and numbers.
    """
    if isinstance(by, Mapping):
        return {name: None if cuts is None else _cuts(name, cuts) for name, cuts in by.items()}
    names = frozenset(known)
    out: dict[str, tuple[float, ...] | None] = {}
    for text in asked_by(by):
        if not isinstance(text, str):
            raise OptionError(f"by must be names of columns, not {shown(text)}.")
        name, colon, numbers = text.rpartition(":")
        if text in names or not colon or not (names and name.strip() in names):
            out[text] = None
            continue
        try:
            cuts = [float(part) for part in numbers.split(",")]
        except ValueError:
            raise OptionError(
                f"the ranges of {shown(name)} are not numbers: {shown(numbers.strip())}. "
                f"Write {name.strip()}: 25, 40, 60."
            ) from None
        out[name.strip()] = _cuts(name, cuts)
    return out


def _cuts(name: str, cuts: Sequence[float]) -> tuple[float, ...]:
    """Return numbers that rise, each once."""
    try:
        found = tuple(float(cut) for cut in cuts)
    except (TypeError, ValueError):
        raise OptionError(
            f"the ranges of {shown(name)} begin at numbers that rise, not {shown(cuts)}. "
            "Write for example [25, 40, 60]."
        ) from None
    if not found or not all(a < b for a, b in pairwise(found)) or not np.isfinite(found).all():
        raise OptionError(
            f"the ranges of {shown(name)} begin at numbers that rise, not {shown(list(cuts))}. "
            "Write for example 25, 40, 60."
        )
    return found


Again = Callable[[Any], Table]  # (reader) -> the same rows by another reader


@contextmanager
def naming(options: Mapping[str, str]) -> Iterator[None]:
    """Name the argument in errors on a column that does not exist: column -> argument."""
    try:
        yield
    except NoColumn as error:
        if error.name not in options:
            raise
        raise error.named_by(options[error.name]) from None


def refuse_target(options: Mapping[str, str], schema: Schema) -> None:
    """Refuse the target among the columns of groups or folds: column -> argument that named it."""
    name = schema.predicted.name
    if name in options and name not in schema.given:
        raise OptionError(
            Argument(options[name]), f" names column {shown(name)}, which is the target. Name another column."
        )


def refuse_weights(options: Mapping[str, str], weight: Any) -> None:
    """Refuse the column of weights among the columns of groups or folds: column -> argument that named it."""
    if isinstance(weight, str) and weight in options:
        raise OptionError(
            Argument(options[weight]), f" names column {shown(weight)}, which has the weights. Name another."
        )


def names_by(reader: Any, read: Again, table: Table, by: By, ordered: bool = True) -> dict[str, NDArray[Any]]:
    """Return the value of some columns in each row as text. Columns that are kept out of the table are read
    for this alone. ordered: rows that are read again are in the same order, else they are known by what they
    hold.
    """
    kinds_of = {c.name: c.kind for c in table.schema.used}
    asked = asked_groups(by, (*table.schema.given, *kinds_of))
    ranged = [name for name, cuts in asked.items() if cuts and kinds_of.get(name) != "numeric"]
    gone = [name for name in asked if name not in kinds_of or name in ranged]
    aside = table
    if gone:
        refuse_target(dict.fromkeys(gone, "by"), table.schema)
        known = Columns.of(reader.columns, reader.kinds)
        again = {} if ordered else table.schema.kinds_again()
        kinds: dict[str, str] = {n: again.get(n, "out") for n in table.schema.given if n not in gone}
        kinds |= dict.fromkeys(ranged, "numeric")
        reader.set_params(columns=replace(known, kinds=kinds, keep=gone), kinds=None)
        with naming(dict.fromkeys(gone, "by")):
            aside = read(reader)
        texts = [name for name in gone if aside.schema[name].kind == "text"]
        if texts:
            reader.set_params(columns__kinds={**kinds, **dict.fromkeys(texts, "levels")})
            aside = read(reader)
    parts = {name: groups_in(aside if name in gone else table, name, cuts) for name, cuts in asked.items()}
    same: Any = slice(None)
    if gone and not ordered:
        same = alike(table, aside, [parts[name][1] for name in parts if name in gone])
    return {
        name: np.array(names, object)[groups[same] if name in gone else groups]
        for name, (names, groups) in parts.items()
    }


def alike(table: Table, aside: Table, groups: Sequence[NDArray[Any]] = ()) -> NDArray[np.int64]:
    """Return for each row of a table one that holds the same in another reading of the rows, which has more
    columns: rows without an order are known by what they hold. Of equal rows the first has the least groups,
    groups[column][row of the other reading]: those of the first column, then of the next.
    """
    kinds = {c.name: c.kind for c in table.schema.used}
    other = [c.name for c in aside.schema.used if kinds.get(c.name) != c.kind]  # not there, or not numbers
    places = np.empty(table.rows, np.int64)
    held = [_held(one, [name for name in other if kinds.get(name) in CODED], other) for one in (table, aside)]
    places[np.lexsort(held[0])] = np.lexsort((*reversed(groups), *held[1]))
    return places


def _held(table: Table, cut: Sequence[str], other: Sequence[str]) -> list[NDArray[Any]]:
    """Return what rows hold, as keys of `numpy.lexsort`: numbers of the columns `cut`, the weight, and a hash
    of all but `other` columns.
    """
    weights = [] if table.weights is None else [table.weights]
    return [*(_group_numbers(table, name) for name in cut), *weights, table.without(other).row_hashes()]


def _group_numbers(table: Table, name: str) -> NDArray[Any]:
    """Return a column's numbers, of levels those that they say."""
    column, data = table.schema[name], np.asarray(table.column(name))
    if column.kind not in CODED:
        return data
    said = np.full(len(column.levels) + 2, np.nan)
    for code, text in enumerate(column.levels):
        with suppress(ValueError):
            said[code] = float(text)
    return np.asarray(said[data])


def range_names(column: Column, cuts: Sequence[float]) -> list[str]:
    """Return what the ranges between cuts of a column of numbers are called, and rows without one."""
    ends = ["", *(quantity(c, column.unit, 6) for c in cuts), ""]
    texts = [
        f"{a} to below {b}" if a and b else f"below {b}" if b else f"{a} or more" for a, b in pairwise(ends)
    ]
    return [*texts, "(missing)"]


def grouped_column(table: Table, name: str) -> Column:
    """Return a column whose values are groups."""
    used = [c.name for c in table.schema.used]
    if name not in used:
        raise OptionError(f"column {shown(name)} is not one that the model uses.{nearest(name, used)}")
    column = table.schema[name]
    if column.kind not in CODED and column.kind != "numeric":
        raise OptionError(f"column {shown(name)} is {column.kind}; groups need levels or numbers.")
    return column


def group_names(table: Table, name: str, cuts: tuple[float, ...] | None = None) -> NDArray[Any]:
    """Return the value of a column in each row as text: see `groups_in`."""
    names, groups = groups_in(table, name, cuts)
    return np.asarray(np.array(names, object)[groups])


def groups_in(
    table: Table, name: str, cuts: tuple[float, ...] | None = None
) -> tuple[tuple[str, ...], NDArray[Any]]:
    """Return the sorted names of a column's groups, and the group of each row; numbers are cut at the given
    cuts, or else at their quartiles.
    """
    column, data = grouped_column(table, name), table.column(name)
    if column.kind == "numeric" and not cuts:
        known = data[~np.isnan(data)]
        cuts = tuple(np.unique(np.quantile(known, QUARTERS)).tolist()) if len(known) else ()
    if column.kind in CODED:
        texts, codes = [*column.levels, "(missing)", "(unseen)"], data
    else:
        starts = np.array(cuts or (), float)
        texts = range_names(column, cuts or ())
        codes = np.where(np.isnan(data), len(texts) - 1, np.searchsorted(starts, data, "right"))
    names = sorted(set(texts))
    at = {name: g for g, name in enumerate(names)}
    return tuple(names), np.array([at[text] for text in texts], code_dtype(len(names)))[codes]


# Thresholds between two classes: what each finds, misses and costs (answers as in `model/decision.py`; 0.5 is
# the largest probability), and gain and lift of the rows with the highest probabilities.

Floats = NDArray[np.float64]

SHOWN = (
    0.05,
    0.1,
    0.2,
    0.3,
    0.4,
    0.5,
    0.6,
    0.7,
    0.8,
    0.9,
    0.95,
)  # thresholds in the table, if none are given
APART = 1e-9  # probabilities that differ by less have no threshold between them
CURVE = 200  # points of a curve at most


@dataclass(frozen=True)
class RankedRows:
    """Rows of two classes by their probabilities: shares[distinct, class] rising in the second class,
    hits[distinct, class]: the weight of the rows of each class there.
    """

    shares: Floats
    hits: Floats

    @classmethod
    def of(cls, truth: NDArray[Any], shares: Floats, weight: Floats) -> RankedRows:
        """Rank truth[row], shares[row, class], weight[row]."""
        values, first, at = np.unique(shares[:, 1], return_index=True, return_inverse=True)
        hits = [np.bincount(at, weight * (truth == c), minlength=len(values)) for c in (0, 1)]
        return cls(shares[first], np.stack(hits, axis=1))

    def above(self, thresholds: Floats, of: int) -> Floats:
        """Return rows[threshold, class] that a class is answered for above each threshold, rising; at exactly
        the threshold the first class is answered.
        """
        shares, hits = (self.shares[:, 1], self.hits) if of else (self.shares[::-1, 0], self.hits[::-1])
        below = np.searchsorted(shares, thresholds, "right" if of else "left")
        passed = np.vstack([np.zeros(2), hits.cumsum(axis=0)])
        return np.asarray(passed[-1] - passed[below])

    def counts(self, threshold: float, target: Target, of: int) -> Floats:
        """Return counts[truth, answer] where a class is answered above a threshold."""
        decision = of_threshold(target, threshold, target.labels[of])
        answer = decide(self.shares, decision.table)
        return np.stack([self.hits[answer == c].sum(axis=0) for c in (0, 1)], axis=1)


@dataclass(frozen=True)
class Threshold:
    """One threshold: found, missed: rows of the class that are answered so, or not; alarms, cleared: rows of
    the other class that are answered as the class, or not. saving: the cost at 0.5 less the cost here.
    """

    threshold: float
    found: float
    missed: float
    alarms: float
    cleared: float
    cost: float
    saving: float = 0.0

    @property
    def rows(self) -> float:
        """All rows."""
        return self.found + self.missed + self.alarms + self.cleared

    @property
    def answered(self) -> float:
        """The share of all rows that are answered as the class."""
        return (self.found + self.alarms) / self.rows if self.rows else 0.0

    @property
    def gain(self) -> float:
        """The share of the rows of the class that are found (recall)."""
        own = self.found + self.missed
        return self.found / own if own else 0.0

    @property
    def precision(self) -> float | None:
        """The share of the rows so answered that are of the class; None where no row is."""
        said = self.found + self.alarms
        return self.found / said if said else None

    @property
    def lift(self) -> float | None:
        """How many times more often the class is met among the rows so answered than among all; None where
        no row is.
        """
        base = (self.found + self.missed) / self.rows if self.rows else 0.0
        return None if self.precision is None or not base else self.precision / base

    def to_dict(self) -> dict[str, Any]:
        """Return the threshold as plain data."""
        names = ("threshold", "found", "missed", "alarms", "cleared", "cost", "saving")
        more = ("answered", "gain", "precision", "lift")
        return {name: getattr(self, name) for name in (*names, *more)}


@dataclass(frozen=True)
class Thresholds:
    """What each threshold of a class costs, the cheapest of all, and gain and lift of the rows with the
    highest probabilities. `costs[truth][answer]` in the order of `labels`.
    """

    labels: tuple[str, ...]
    of: str
    costs: tuple[tuple[float, ...], ...]
    points: tuple[Threshold, ...]
    best: Threshold
    half: Threshold
    ranked: RankedRows = field(repr=False)

    @property
    def other(self) -> str:
        """The class that is answered below the threshold."""
        return next(label for label in self.labels if label != self.of)

    @cached_property
    def gains(self) -> tuple[tuple[float, float, float], ...]:
        """(share of all rows, gain, lift) of the rows with the highest probabilities, from none to all."""
        at = self.labels.index(self.of)
        hits = self.ranked.hits[::-1] if at else self.ranked.hits
        rows, own = np.cumsum(hits.sum(axis=1)), np.cumsum(hits[:, at])
        keep = thin(len(rows))
        total, ups = float(rows[-1]), max(float(own[-1]), 1e-300)
        taken = [(float(rows[k]) / total, float(own[k]) / ups) for k in keep.tolist()]
        return ((0.0, 0.0, taken[0][1] / taken[0][0]), *((a, g, g / a) for a, g in taken))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "best": self.best.to_dict(),
            "costs": [list(row) for row in self.costs],
            "gains": [list(point) for point in self.gains],
            "half": self.half.to_dict(),
            "labels": list(self.labels),
            "of": self.of,
            "thresholds": [point.to_dict() for point in self.points],
        }

    def picture(self, kind: str = "cost") -> Picture:
        """Return "cost", "gain" or "lift" as a picture."""
        from tallystick.draw.charts import Axis, ChartCurve, chart

        if kind == "cost":
            cuts = all_cuts(self.ranked, self.labels.index(self.of), np.array(self.costs))
            keep = thin(len(cuts.cost))
            x, y = ((cuts.low + cuts.high) / 2)[keep].tolist(), cuts.cost[keep].tolist()
            axes = Axis(f"threshold of {self.of}"), Axis("cost", 0.0, max(y) or 1.0)
        elif kind in ("gain", "lift"):
            x = [point[0] for point in self.gains]
            y = [point[1 if kind == "gain" else 2] for point in self.gains]
            words = {"gain": f"share of {self.of} found", "lift": "lift"}[kind]
            axes = Axis("share of rows taken, the most probable first"), Axis(words, 0.0, max(1.0, *y))
        else:
            raise OptionError(f"there is no picture {shown(kind)} of thresholds. Use cost, gain or lift.")
        return Picture(
            chart([ChartCurve(self.of, x, y)], *axes, f"{kind} of {self.of}", diagonal=kind == "gain")
        )

    _repr_html_ = as_html

    def __str__(self) -> str:
        from tallystick.judge.checks import cells

        of, other = clean(self.of), clean(self.other)
        title = f"{of} is answered where its probability is above the threshold, else {other}"
        lines: list[Line] = [*wrapped(title, cells(), "", "strong"), ()]
        header = ("threshold", "found", "missed", "false alarms", "cleared", "cost", "saving", "gain", "lift")
        points = sorted(
            {p.threshold: p for p in (*self.points, self.best)}.values(), key=lambda p: p.threshold
        )
        rows = [_cells(point, point.threshold == self.best.threshold) for point in points]
        lines += table(header, rows, frozenset(range(1, len(header))), cells())
        lines += [(), *wrapped(clean(self.sentence), cells(), "cheapest: ")]
        lines += wrapped(f"costs: {clean(costs_text(self.costs, self.labels))}", cells(), "", "dim")
        lines += wrapped(
            f"saving: against the threshold 0.5; gain: the share of {of} that is found", cells(), "", "dim"
        )
        return plain(lines)

    __repr__ = __str__

    @property
    def sentence(self) -> str:
        """The cheapest threshold in a sentence."""
        best, half = self.best, self.half
        if best.threshold == half.threshold or best.saving <= 0:
            return f"0.5, a cost of {_number(half.cost)}: no other threshold is cheaper."
        part = f" ({best.saving / half.cost:.0%})" if half.cost > 0 else ""
        return (
            f"{best.threshold:.6g}, a cost of {_number(best.cost)} against {_number(half.cost)} at 0.5: "
            f"{_number(best.saving)}{part} saved. It was chosen on the rows it is counted on, so this is a "
            "little hopeful."
        )


def thresholds_of(
    ranked: RankedRows, labels: tuple[str, ...], costs: Any, of: str, at: Sequence[float] | None
) -> Thresholds:
    """Return what thresholds of a class cost. at: those of the table; the cheapest is found among all."""
    target = Target("the target", labels)
    refuse_unknown(costs, target)
    prices = cost_table(costs, target) or ((0.0, 1.0), (1.0, 0.0))
    place, table_ = _place(target, of), np.array(prices)
    half = _point(0.5, ranked.counts(0.5, target, place), place, table_)
    points = []
    for threshold in SHOWN if at is None else at:
        counts = ranked.counts(threshold, target, place)
        points.append(_against(half, _point(float(threshold), counts, place, table_)))
    best = _against(half, cheapest_cut(ranked, place, table_, half))
    return Thresholds(labels, labels[place], prices, tuple(points), best, half, ranked)


def cheapest_cut(ranked: RankedRows, of: int, costs: Floats, half: Threshold) -> Threshold:
    """Return the cheapest threshold, of equals the one nearest to 0.5."""
    cuts = all_cuts(ranked, of, costs)
    if not len(cuts.cost) or half.cost <= cuts.cost.min():
        return half
    same = np.flatnonzero(cuts.cost == cuts.cost.min())
    away = np.abs((cuts.low + cuts.high)[same] / 2 - 0.5)
    return cuts.point(int(same[np.argmin(away)]), costs)


def thin(size: int) -> NDArray[np.int64]:
    """Return the places of at most CURVE points of a curve, the ends kept."""
    return np.unique(np.linspace(0, size - 1, min(size, CURVE)).astype(np.int64))


@dataclass(frozen=True)
class Cuts:
    """Every threshold that separates rows: between neighbouring probabilities low[cut] and high[cut];
    above[cut, class]: the rows above it; cost[cut].
    """

    of: int
    low: Floats
    high: Floats
    above: Floats
    total: Floats
    cost: Floats

    def point(self, cut: int, costs: Floats) -> Threshold:
        """Return one of them."""
        counts = np.empty((2, 2))
        counts[:, self.of], counts[:, 1 - self.of] = self.above[cut], self.total - self.above[cut]
        return _point(thresholds_between(float(self.low[cut]), float(self.high[cut])), counts, self.of, costs)


def all_cuts(ranked: RankedRows, of: int, costs: Floats) -> Cuts:
    """Return a threshold between every two neighbouring probabilities of a class."""
    shares, hits = (ranked.shares[:, 1], ranked.hits) if of else (ranked.shares[::-1, 0], ranked.hits[::-1])
    above = np.vstack([hits[::-1].cumsum(axis=0)[::-1], np.zeros(2)])  # rows at or above each probability
    edges = np.concatenate([[0.0], shares, [1.0]])
    apart = np.diff(edges) >= APART
    total = above[0]
    spent = above @ costs[:, of] + (total - above) @ costs[:, 1 - of]
    return Cuts(of, edges[:-1][apart], edges[1:][apart], above[apart], total, spent[apart])


def thresholds_between(low: float, high: float) -> float:
    """Return a number of few digits between two probabilities, near their middle."""
    middle = (low + high) / 2
    for digits in range(1, 17):
        short = round(middle, digits)
        if low < short < high:
            return short
    return middle


def _place(target: Target, of: Any) -> int:
    label = target.label_of(of)
    if label not in target.labels:
        raise OptionError(
            f"of={shown(of)} is not a class.{nearest(str(of), target.labels)} Classes: {some(target.labels)}."
        )
    return target.labels.index(label)


def _point(threshold: float, counts: Floats, of: int, costs: Floats) -> Threshold:
    """Return a threshold of counts[truth, answer]."""
    found, missed = float(counts[of, of]), float(counts[of, 1 - of])
    alarms, cleared = float(counts[1 - of, of]), float(counts[1 - of, 1 - of])
    return Threshold(threshold, found, missed, alarms, cleared, float((counts * costs).sum()))


def _against(half: Threshold, point: Threshold) -> Threshold:
    return replace(point, saving=half.cost - point.cost)


def _cells(point: Threshold, best: bool) -> tuple[Span, ...]:
    """Return the cells of a line of the table."""
    counts = [f"{n:,.6g}" for n in (point.found, point.missed, point.alarms, point.cleared)]
    lift = "" if point.lift is None else f"{point.lift:.2f}"
    texts = [*counts, _number(point.cost), _number(point.saving), f"{point.gain:.1%}", lift]
    style: Style = "strong" if best else ""
    mark = "▸ " if best else "  "
    return (Span(f"{mark}{point.threshold:.6g}", style), *(Span(text, style) for text in texts))


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"
