"""Results as lines of text, for `print` and a terminal.

Knows results, how tables are set, and how wide the terminal is (80 when there is none). Law: no line is wider
than that, so long as the names of methods and classes leave room.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from tallystick.draw.text import Line, Span, bar, clean, p_value, plain, table, width, wrapped
from tallystick.errors import counted
from tallystick.evaluate.group_text import group_lines
from tallystick.evaluate.intervals import OF
from tallystick.evaluate.result import DECIDING

if TYPE_CHECKING:
    from tallystick.evaluate.compare import Comparison, Entry
    from tallystick.evaluate.curve import LearningCurve
    from tallystick.evaluate.measures import Measure
    from tallystick.evaluate.regression import RegressionValidation
    from tallystick.evaluate.result import CrossValidation

WIDE = 100  # cells: no table is set wider
TITLES = {"r2": "R²", "mse": "squared error", "auc": "AUC"}
ASIDE, BARS = 3, 6  # columns of a comparison: a measure that decides nothing, the bars
GIVE_WAY = (BARS, 2, 5)  # columns of a comparison that go when it is too wide: bars, then the intervals


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
    """Return of what the intervals are intervals."""
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
    many = first.rows if first.repeats[0].judged is not None else len(first.truth)
    how = f"{counted(many, 'row')}, {clean(found.how)}{sizes(first)}"
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
            told = e.result.scores.thresholds(e.result.cost)
            each = [told.half.cost / told.half.rows, told.best.cost / told.best.rows]
            cells_ = [Span(figure(each[0])), Span(figure(each[1])), Span(f"{told.best.threshold:.6g}")]
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


CURVE_CELL = 15  # 0.1234 ± 0.0012


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
