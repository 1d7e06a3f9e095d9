"""Errors by group as lines of text: of classes what is answered, missed and alarmed; of numbers how far off.

Knows results of judging. Law: every rate stands beside its interval, and the sentence says what differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallystick.draw.svg import brief
from tallystick.draw.text import Line, Span, bar, clean, measured, table, wrapped

MOST_CLASSES = 5  # whose answers are told beside each other; data has all


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
