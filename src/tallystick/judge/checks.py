"""Results of judging as lines of text, and the checks of tables and results, each with a code and advice.

1. Text: `show_cross_validation()`, `show_regression()`, `show_comparison()`, `show_curve()`.
2. Checks: `Check`; `check_table()` looks at rows alone, `check_result()` at out-of-fold answers. A check is
   ignored by its code.

cells = characters of a line; aside = the measure that is shown but decides nothing; bars = error bars.
Law: no line is wider than WIDE, as long as the names of methods and classes leave room.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tallystick.contracts import Table
from tallystick.draw.svg import Line, Span, bar, p_value, plain, table, width, wrapped
from tallystick.errors import Message, OptionError, clean, counted, for_reader, nearest, shown
from tallystick.judge import folds
from tallystick.judge.answers import class_weights
from tallystick.judge.groups import group_lines
from tallystick.judge.result import DECIDING
from tallystick.schema import listed
from tallystick.stats.distributions import OF
from tallystick.stats.leakage import ADVICE, findings
from tallystick.stats.values import ValueRanges, one_label
from tallystick.table.block import conflicts
from tallystick.table.suspicious_values import merging, say_variants, sentinels, variants

if TYPE_CHECKING:
    from tallystick.judge.compare import Comparison, Entry
    from tallystick.judge.crossval import LearningCurve
    from tallystick.judge.result import CrossValidation, RegressionValidation
    from tallystick.judge.run import HeldOut
    from tallystick.judge.scores import Measure


# Results as lines of text, for `print` and a terminal.

WIDE = 100  # characters: no table is wider
TITLES = {"r2": "R²", "mse": "squared error", "auc": "AUC"}
ASIDE, BARS = 3, 6  # columns of the table of a comparison: the measure aside, the bars
GIVE_WAY = (BARS, 2, 5)  # columns dropped when the table is too wide: bars, then intervals


def cells() -> int:
    """Return how wide lines may be: as the terminal, at most 100; 80 in a pipe."""
    return max(40, min(WIDE, shutil.get_terminal_size((80, 24)).columns))


def figure(value: float) -> str:
    """Return a number with four digits after the point, or five digits in all when it is large."""
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.5g}" if abs(value) < 1e5 else f"{value:.4g}"


def show_cross_validation(result: CrossValidation) -> str:
    """Return the measures with their intervals, and the confusion matrix."""
    return plain(cross_validation_lines(result))


def cross_validation_lines(result: CrossValidation) -> list[Line]:
    """Return the lines of `show_cross_validation`, for a terminal or a notebook."""
    lines: list[Line] = [(Span(_heading(result), "strong"),), ()]
    measures = [result.measure(m.name) for m in result.scores.measures]
    header = ("", "value", "95 % interval", "baseline")
    lines += table(header, (_measure(m) for m in measures), frozenset({1, 2, 3}), cells())
    lines += [*wrapped(_of(measures[0]), cells(), "", "dim"), (), *_confusion(result)]
    for column in result.groups:
        lines += [(), *group_lines(result, column, cells())]
    if result.stopped:
        lines.append((Span("stopped before the end: finished folds only", "note"),))
    return lines


def _heading(result: CrossValidation | RegressionValidation) -> str:
    """Return how many rows were judged, how, and how large the folds are."""
    repeats = f", {len(result.repeats)} times" if len(result.repeats) > 1 else ""
    return f"{counted(result.rows, 'row')}, {clean(result.how)}{sizes(result)}{repeats}"


def sizes(result: CrossValidation | RegressionValidation) -> str:
    """Return how many test rows a fold has, in words."""
    found = [n for r in result.repeats for n in r.sizes(result.weights) if n]
    low, high = min(found, default=0), max(found, default=0)
    if high <= 1 or found == [result.rows]:  # said already
        return ""
    if len(found) == 1:
        return f": {counted(low, 'row')}"
    return f", {counted(low, 'row')} each" if low == high else f", {low:,} to {high:,} rows each"


def show_regression(result: RegressionValidation) -> str:
    """Return the measures with their intervals; the base is always answering the mean."""
    lines: list[Line] = [(Span(_heading(result), "strong"),), ()]
    header = ("", "value", "95 % interval", "baseline")
    lines += table(header, (_measure(m) for m in result.measures), frozenset({1, 2, 3}), cells())
    lines += wrapped(_of(result.measures[0]), cells(), "", "dim")
    for column in result.groups:
        lines += [(), *group_lines(result, column, cells())]
    if result.stopped:
        lines.append((Span("stopped before the end: finished folds only", "note"),))
    return plain(lines)


def _of(m: Measure) -> str:
    """Return the sentence on what the intervals are of."""
    wide = ", widened because folds share rows and differ" if m.widened > 1 else ""
    return f"intervals: of {OF[m.widened > 1]}{wide}"


def _measure(m: Measure) -> tuple[Span, ...]:
    base = "" if m.base is None else figure(m.base)
    return (
        Span(m.name),
        Span(figure(m.value), "strong"),
        Span(f"{figure(m.low)} to {figure(m.high)}"),
        Span(base, "dim"),
    )


def _confusion(result: CrossValidation) -> list[Line]:
    scores, most = result.scores, 12
    if len(scores.classes) > most:
        return [(Span(f"confusion of {len(scores.classes)} classes: see .to_dict()", "dim"),)]
    names = [clean(c) for c in scores.classes]
    rows = (
        (Span(name), *(Span(f"{v:,.0f}", "strong" if i == j else "") for j, v in enumerate(line)))
        for i, (name, line) in enumerate(zip(names, scores.confusion.tolist(), strict=True))
    )
    return table(("truth \\ answer", *names), rows, frozenset(range(1, len(names) + 1)), cells())


def show_comparison(found: Comparison[Any]) -> str:
    """Return the table of methods, the razor's sentence and the checks."""
    return plain(comparison_lines(found))


def comparison_lines(found: Comparison[Any]) -> list[Line]:
    """Return the lines of `show_comparison`, for a terminal or a notebook."""
    room = cells()
    first = found.entries[0].result
    how = f"{counted(len(first.truth), 'row')}, {clean(found.how)}{sizes(first)}"
    lines: list[Line] = [(Span(f"predicting {clean(found.target)}: {how}", "strong"),), ()]
    worst = max(e.result.loss for e in found.entries)
    aside = "" if "r2" in first.shown else next(n for n in DECIDING if n not in first.shown)
    known, third, loss = (TITLES.get(name, name) for name in (first.shown[0], aside, first.shown[1]))
    rows = [_entry(found, e, worst, aside) for e in found.entries]
    header = ("method", known, "95 %", third, loss, "95 %", "", "numbers", "p")
    shown = [j for j in range(len(header)) if j != ASIDE or any(row[ASIDE].text for row in rows)]
    for gone in GIVE_WAY:
        widths = [max(width(header[j]), *(width(row[j].text) for row in rows)) + 2 for j in shown]
        if sum(widths) - 2 > room:
            shown.remove(gone)
    right = frozenset(at for at, j in enumerate(shown) if j not in (0, BARS))
    lines += table([header[j] for j in shown], ([row[j] for j in shown] for row in rows), right, room)
    lines += [(), *wrapped(clean(found.why), room, "razor: "), *wrapped(_settings(found), room, "chosen: ")]
    lines += cost_lines(found)
    for column in found.chosen.result.groups:
        lines += [(), *group_lines(found.chosen.result, column, room)]
    for check in found.checks:
        lines += wrapped(clean(f"{check.text} {check.advice}"), room, f"check {check.code}: ", "note")
    for note in found.notes:
        lines += wrapped(clean(note.text), room, "note: ", "note")
    if found.stopped:
        lines.append((Span("stopped before the end: finished folds only", "note"),))
    return lines


def cost_lines(found: Comparison[Any]) -> list[Line]:
    """Return what the answers of each method cost a row, where errors have prices, the cheapest first."""
    priced = [e for e in found.entries if any(m.name == "cost" for m in _measures(e))]
    if not priced:
        return []
    two = priced[0].result.scores.ranked is not None
    rows = []
    for e in sorted(priced, key=lambda e: e.result.measure("cost").value):
        cost, cells_ = e.result.measure("cost"), []
        if two:
            result = e.result.scores.thresholds(e.result.cost)
            each = [result.half.cost / result.half.rows, result.best.cost / result.best.rows]
            cells_ = [Span(figure(each[0])), Span(figure(each[1])), Span(f"{result.best.threshold:.6g}")]
        rows.append(
            [Span(clean(e.name)), Span(figure(cost.value), "strong"), Span(_between(cost), "dim"), *cells_]
        )
    header = ["cost of a row", "as decided", "95 %"]
    if two:
        header += ["at 0.5", "cheapest", "at"]
    out = [(), *table(header, rows, frozenset(range(1, len(header))), cells())]
    if two:
        positive = clean(priced[0].result.scores.positive)
        said = f"cheapest: by threshold of {positive}, chosen on the rows it is counted on: a little hopeful"
        out += wrapped(said, cells(), "", "dim")
    return [*out, ()]


def _measures(e: Entry[Any]) -> Any:
    """Return the measures of an entry; those of numbers have no prices."""
    return e.result.scores.measures if "accuracy" in e.result.shown else ()


def _entry(found: Comparison[Any], e: Entry[Any], worst: float, aside: str) -> list[Span]:
    """Return the cells of one method. aside: the measure that stands between the two that are led with."""
    third = "" if aside not in {m.name for m in e.result.measures} else figure(e.result.measure(aside).value)
    known, loss = (e.result.measure(name) for name in e.result.shown)
    mine = e is found.chosen
    return [
        Span(("▸ " if mine else "  ") + clean(e.name), "strong" if mine else ""),
        Span(figure(known.value)),
        Span(_between(known), "dim"),
        Span(third),
        Span(figure(loss.value)),
        Span(_between(loss), "dim"),
        Span(bar(e.result.loss / worst if worst else 0.0, 8), "bar"),
        Span("?" if e.numbers >= 10**9 else f"{e.numbers:,}"),
        Span("" if e.against_best is None else p_value(e.against_best), "dim"),
    ]


def _between(m: Measure) -> str:
    """Return an interval; ends below 0 or above 10 are set apart. Its value has four digits: the ends have
    them too, where it would lie outside of them.
    """
    if m.low >= 0 and m.high < 10:
        form = ".3f" if float(f"{m.low:.3f}") <= float(figure(m.value)) <= float(f"{m.high:.3f}") else ".4f"
        return f"{m.low:{form}}-{m.high:{form}}"
    return " to ".join(f"{end:,.0f}" if 100 <= abs(end) < 1e6 else f"{end:.3g}" for end in (m.low, m.high))


def _settings(found: Comparison[Any]) -> str:
    return clean(found.chosen.name + (f" with {found.chosen.setting}" if found.chosen.setting else ""))


CURVE_CELL = 15  # characters of 0.1234 ± 0.0012


def _halves(name: str) -> tuple[str, str]:
    """Return a name in two lines of about the same length."""
    words = name.split(" ")
    parts = [(" ".join(words[:k]), " ".join(words[k:])) for k in range(1, len(words) + 1)]
    return min(parts, key=lambda both: max(map(width, both)))


def show_curve(curve: LearningCurve) -> str:
    """Return the error of each method at each size."""
    title = f"error on {counted(curve.tested, 'row')} held out, mean of {counted(curve.repeats, 'subset')}"
    lines: list[Line] = [(Span(f"predicting {clean(curve.target)}: {title}", "strong"),), ()]
    bands = [c.band() for c in curve.curves]
    rows = (
        (
            Span(f"{size:,}"),
            *(Span(f"{mean[i]:.4f} ± {(high[i] - low[i]) / 2:.4f}") for mean, low, high in bands),
        )
        for i, size in enumerate(curve.sizes)
    )
    header = ["training rows", *(clean(c.name) for c in curve.curves)]
    shown_rows = list(rows)
    if sum(max(width(name), CURVE_CELL) + 2 for name in header) > cells():  # names in two lines, not cut
        halves = [_halves(name) for name in header]
        header = [first for first, _ in halves]
        shown_rows = [tuple(Span(second) for _, second in halves), *shown_rows]
    lines += table(header, shown_rows, frozenset(range(len(header))), cells())
    lines += [(), (Span(f"always the most frequent class: {curve.base:.4f}", "dim"),)]
    if curve.left_out:
        lines += wrapped(clean(curve.left_out), cells(), "note: ", "note")
    if curve.stopped:
        lines.append((Span("stopped before the end: finished repeats only", "note"),))
    return plain(lines)


RARE = 0.1  # part of an equal share: a class with less makes accuracy a poor guide
FEW = 10  # rows of a class that folds need
OVERFIT = 2.0  # out-of-fold log-loss over training log-loss, beyond which a model overfits
IDENTIFIER_ROWS, IDENTIFIER_SHARE = 20, 0.9  # rows, and distinct levels per row: above, an identifier
UNLESS = "Leave it out unless it means something for new rows."
NUMBERED = f"It looks like an identifier, given class by class. {UNLESS}"
WRONG_SHARE = 0.05  # difference between predicted and observed share that is reported
DEPENDENT = 0.1  # bits that two columns share given the class, beyond chance: more is reported

CODES = {
    "imbalance": "a class is rare",
    "giveaway": "one column gives the target away",
    "identifier": "a column that looks like an identifier is used",
    "overfitting": "the model fits its training rows far better than new ones",
    "calibration": "the shares differ from what happens",
    "dependence": "columns depend on each other, and naive Bayes takes them as independent",
    "few-rows": "a class has too few rows",
    "labels-alike": "two classes may be one class spelt in two ways",
    "training-rows": "held-out rows are also among the training rows",
    "repeated-rows": "rows occur in the table more than once",
    "conflicts": "equal rows have different classes",
    "sentinel": "a number may stand for missing",
    "text-alone": "a method that does not read text is left out",
    "text-unread": "the chosen method does not read a column of text",
    "large-tree": "a method whose tree memory= has no room for is left out",
    "baseline": "no better than always answering the most frequent class",
}
LEFT_OUT = frozenset({"text-alone", "large-tree"})  # codes that say that methods were not compared


@dataclass(frozen=True, slots=True)
class Check:
    """Something that needs attention: a stable code, what was found, what to do."""

    code: str
    text: str
    advice: str
    column: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the check as plain data."""
        return {
            "advice": for_reader(self.advice),
            "code": self.code,
            "column": self.column,
            "text": for_reader(self.text),
        }


def check_codes(ignore: Iterable[str]) -> frozenset[str]:
    """Return the codes to ignore; an unknown code is an error."""
    codes = listed("ignore", ignore)
    for code in sorted((code for code in codes if code not in list(CODES)), key=str):
        raise OptionError(
            f"there is no check {shown(code)}.{nearest(code, list(CODES))} Known: {', '.join(CODES)}."
        )
    return frozenset(codes)


def check_table(table: Table) -> Iterator[Check]:
    """Yield the checks of the rows alone."""
    if not table.schema.regression:
        yield from _classes(table)
    copies = table.rows - folds.distinct(table.row_hashes(), table)
    if copies:
        yield Check(
            "repeated-rows",
            f"{counted(copies, 'row')} {'is a copy' if copies == 1 else 'are copies'} of another row; folds "
            f"deal {'it' if copies == 1 else 'them'} like other rows.",
            "Make sure that copies are separate cases; if not, name groups to keep them together.",
        )
    if not table.schema.regression:
        yield from _mixed(table)
    yield from _marks(table)
    for column in table.schema.used:
        if table.rows >= IDENTIFIER_ROWS and len(column.levels) >= IDENTIFIER_SHARE * table.rows:
            yield Check(
                "identifier",
                f"column {shown(column.name)} has {counted(len(column.levels), 'level')} in "
                f"{counted(table.rows, 'row')}.",
                UNLESS,
                column.name,
            )


def _classes(table: Table) -> Iterator[Check]:
    """Yield that classes may be one, or that a class has few rows or is rare."""
    labels, full = table.schema.predicted.labels, class_weights(table) / table.unit
    alike = variants(labels, full.tolist()) if table.schema.predicted.type == "text" else []
    if alike:
        yield Check(
            "labels-alike",
            f"classes that may be one: {say_variants(alike)}.",
            Message("If they are one, pass ", merging(alike), "."),
            table.schema.predicted.name,
        )
    spelt = {label for (label, _), _ in alike}
    own = np.array([label not in spelt for label in labels])
    rarest = int(np.argmin(np.where(own, full, np.inf)))
    if full[rarest] < FEW:
        yield Check(
            "few-rows",
            f"class {shown(labels[rarest])} has {counted(round(full[rarest]), 'row')}.",
            f"Collect at least {FEW} rows of each class, or join rare classes.",
        )
    elif full[rarest] < RARE * full.sum() / len(labels):
        yield Check(
            "imbalance",
            f"class {shown(labels[rarest])} is {full[rarest] / full.sum():.2%} of the rows.",
            "Judge by balanced accuracy, average precision or cost, not by accuracy.",
        )


def check_held(held: HeldOut) -> Iterator[Check]:
    """Yield that held-out rows were training rows too: such answers are no evidence on new rows."""
    if held.copies:
        yield Check(
            "training-rows",
            f"{held.copies:,} of {len(held.truth):,} held-out rows, target included, also stand in the "
            "training rows.",
            "Remove them from one of the two, unless equal rows are separate cases.",
        )


def _mixed(table: Table) -> Iterator[Check]:
    """Yield that equal rows have different classes, with the error no model can avoid."""
    found = conflicts(table)
    if found.lost > 0:
        yield Check(
            "conflicts",
            f"{found.rows:,.10g} rows are equal to others but of another class: at least {found.lost:,.10g} "
            f"of {found.total:,.10g} rows will be answered wrongly by any model.",
            "Look for a column that tells them apart, or for wrong labels.",
        )


def _marks(table: Table) -> Iterator[Check]:
    """Yield the numbers that are frequent and far from all others."""
    ranker = table.ranker()
    for column in table.schema.used:
        if column.kind == "numeric" and not column.unit:
            if ranker is not None:
                order = ranker.ranked(column.name, one_label, 1)
                distinct, counts = ValueRanges(order, np.zeros(1, np.int64)).few
            else:
                codes, distinct = table.local().ranks(column.name)
                counts = folds.counts(codes, len(distinct) + 1)[:-1]
            for mark in sentinels(column.name, distinct, counts):
                yield Check("sentinel", mark.found, mark.cure, column.name)


def check_result(result: CrossValidation, training_loss: float | None, name: str) -> Iterator[Check]:
    """Yield the checks of the out-of-fold answers of one method."""
    accuracy, loss = result.measure("accuracy"), result.measure("log-loss")
    assert loss.base is not None
    worse = loss.low >= loss.base or (accuracy.base is not None and accuracy.high <= accuracy.base)
    if worse and not result.beats_base:
        yield Check(
            "baseline",
            f"{name}: log-loss {loss.value:.4f}, {loss.base:.4f} by always predicting the class frequencies.",
            "These columns do not predict the target; look for others.",
        )
    if training_loss is not None and loss.value > OVERFIT * training_loss + 0.1 * loss.base:
        yield Check(
            "overfitting",
            f"{name}: log-loss {training_loss:.4f} on its training rows, {loss.value:.4f} on new ones.",
            "Prune, smooth or penalise more, or add rows.",
        )
    off = [b for b in result.scores.curves["calibration"] if not b["low"] <= b["predicted"] <= b["high"]]
    worst = max(off, key=lambda b: abs(b["observed"] - b["predicted"]), default=None)
    many = len(off) > len(result.scores.curves["calibration"]) / 2 and len(off) >= 3
    if many and worst is not None and abs(worst["observed"] - worst["predicted"]) >= WRONG_SHARE:
        yield Check(
            "calibration",
            f"{name}: predicted share {worst['predicted']:.0%}, observed share {worst['observed']:.0%}.",
            "Where the shares themselves matter, use another method, or calibrate naive Bayes.",
        )


def check_text(table: Table, name: str) -> Iterator[Check]:
    """Yield that a method that does not read text leaves columns of text out."""
    for column in table.schema.used:
        if column.kind == "text":
            yield Check(
                "text-unread",
                f"column {shown(column.name)} holds text, which the chosen method ({name}) does not read.",
                "Compare it with naive Bayes or logistic regression of the text.",
                column.name,
            )


def no_better(others: Sequence[Entry[Any]], base: Entry[Any]) -> Iterator[Check]:
    """Yield that the razor took the most frequent class, because no method is clearly better."""
    if others:
        yield Check(
            "baseline",
            f"{others[0].name}: {base.result.shown[1]} {figure(others[0].result.loss)}, "
            f"{figure(base.result.loss)} for {base.name}.",
            "These columns do not predict the target; look for others.",
        )


def check_columns(table: Table) -> Iterator[Check]:
    """Yield the columns that alone predict the target nearly perfectly, by value or by being missing, and the
    numbers whose order does.
    """
    for column, found in findings(table, table.schema.used):
        text = f"column {shown(column.name)} {found.found}."
        if found.ordered:
            yield Check("identifier", text, NUMBERED, column.name)
        else:
            yield Check("giveaway", text, ADVICE, column.name)


def as_it_is(estimator: Any, table: Table) -> Any:
    """Return the estimator: its model shows no single row."""
    return estimator


def no_checks(table: Table) -> Iterator[Check]:
    """Yield nothing: no table misleads the method more than another."""
    yield from ()
