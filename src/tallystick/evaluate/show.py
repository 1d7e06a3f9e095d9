"""Results as lines of text, for `print` and a terminal.

Knows results and how tables are set. Knows no terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallystick.draw.text import Line, Span, bar, clean, plain, table, wrapped

if TYPE_CHECKING:
    from tallystick.evaluate.compare import Comparison
    from tallystick.evaluate.crossval import CrossValidation
    from tallystick.evaluate.curve import LearningCurve
    from tallystick.evaluate.scores import Measure

CELLS = 100


def show_cross_validation(result: CrossValidation) -> str:
    """Return the measures with their intervals, and the confusion matrix."""
    rows = len(result.truth)
    repeats = f", {len(result.repeats)} times" if len(result.repeats) > 1 else ""
    lines: list[Line] = [(Span(f"{rows:,} rows, {result.how}{repeats}", "strong"),), ()]
    measures = [result.measure(m.name) for m in result.scores.measures]
    header = ("", "value", "95 % interval", "base rate")
    lines += table(header, (_measure(m) for m in measures), frozenset({1, 2, 3}), CELLS)
    lines += [(), *_confusion(result)]
    for column in result.groups:
        lines += [(), *_groups(result, column)]
    if result.stopped:
        lines.append((Span("stopped before the end: finished folds only", "note"),))
    return plain(lines)


def _measure(m: Measure) -> tuple[Span, ...]:
    base = "" if m.base is None else f"{m.base:.4f}"
    return (
        Span(m.name),
        Span(f"{m.value:.4f}", "strong"),
        Span(f"{m.low:.4f} to {m.high:.4f}"),
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
    return table(("truth \\ answer", *names), rows, frozenset(range(1, len(names) + 1)), CELLS)


def _groups(result: CrossValidation, column: str) -> list[Line]:
    found = result.by(column)
    top = max(g["high"] for g in found)
    rows = (
        (
            Span(clean(g["group"])),
            Span(f"{g['rows']:,.0f}"),
            Span(f"{g['error']:.4f}", "strong"),
            Span(f"{g['low']:.4f} to {g['high']:.4f}"),
            Span(bar(g["error"] / top if top else 0, 12), "bar"),
        )
        for g in found
    )
    return table((clean(column), "rows", "error", "95 % interval", ""), rows, frozenset({1, 2, 3}), CELLS)


def show_comparison(found: Comparison) -> str:
    """Return the table of methods, the razor's sentence and the checks."""
    lines: list[Line] = [(Span(f"predicting {clean(found.target)}, {found.how}", "strong"),), ()]
    worst = max(e.result.measure("log-loss").value for e in found.entries)
    rows = []
    for e in found.entries:
        accuracy, loss = e.result.measure("accuracy"), e.result.measure("log-loss")
        rows.append(
            (
                Span(
                    ("▸ " if e is found.chosen else "  ") + clean(e.name),
                    "strong" if e is found.chosen else "",
                ),
                Span(f"{accuracy.value:.4f}"),
                Span(f"{accuracy.low:.3f}-{accuracy.high:.3f}", "dim"),
                Span(f"{loss.value:.4f}"),
                Span(f"{loss.low:.3f}-{loss.high:.3f}", "dim"),
                Span(bar(loss.value / worst, 8), "bar"),
                Span("?" if e.numbers >= 10**9 else f"{e.numbers:,}"),
                Span("" if e.against_best is None else f"{e.against_best:.3f}", "dim"),
            )
        )
    header = ("method", "accuracy", "95 %", "log-loss", "95 %", "", "numbers", "p")
    lines += table(header, rows, frozenset({1, 2, 3, 4, 6, 7}), CELLS)
    lines += [(), *wrapped(found.why, CELLS, "razor: "), *wrapped(_settings(found), CELLS, "chosen: ")]
    for check in found.checks:
        lines += wrapped(clean(f"{check.text} {check.advice}"), CELLS, f"check {check.code}: ", "note")
    if found.stopped:
        lines.append((Span("stopped before the end: finished folds only", "note"),))
    return plain(lines)


def _settings(found: Comparison) -> str:
    return f"{found.chosen.name}" + (f" with {found.chosen.setting}" if found.chosen.setting else "")


def show_curve(curve: LearningCurve) -> str:
    """Return the error of each method at each size."""
    title = f"error on {curve.tested:,} rows held back, mean of {curve.repeats} subsets"
    lines: list[Line] = [(Span(f"predicting {clean(curve.target)}: {title}", "strong"),), ()]
    bands = [c.band() for c in curve.curves]
    rows = (
        (
            Span(f"{size:,}"),
            *(Span(f"{mean[i]:.4f} ± {(high[i] - low[i]) / 2:.4f}") for mean, low, high in bands),
        )
        for i, size in enumerate(curve.sizes)
    )
    header = ("rows taught", *(clean(c.name) for c in curve.curves))
    lines += table(header, rows, frozenset(range(len(header))), CELLS)
    lines += [(), (Span(f"always the most frequent class: {curve.base:.4f}", "dim"),)]
    return plain(lines)
