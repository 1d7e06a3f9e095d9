"""A scorecard on the HTML page: sentences, pictures, lines as tables, the points of a row (`card_section()`).

Law: every number is the card's own; without raw rows no line of a single training row gives its class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallystick.contracts import Table
from tallystick.description.columns import ColumnView
from tallystick.draw.svg import class_words, percent
from tallystick.errors import counted
from tallystick.reports.answer import Name, Sentence, reached, say, strongest
from tallystick.reports.context import PageData, pulls
from tallystick.reports.weights import pair, scales_data
from tallystick.scorecard.card import (
    Card,
    CardLine,
    CardSection,
    Way,
    axis_ends,
    card_of,
    counted_rows,
    first_lines,
    panel_of,
    panel_picture,
)
from tallystick.scorecard.explain import beside, explain
from tallystick.scorecard.model import LinePoints, ScorecardModel

MOST_PANELS = 24  # sections drawn; all stand in the table
FEW_PANELS = 6  # of a card that is shown small
MOST_LINES = 60  # of a section in the table
MOST_REASONS = 4
FEW = 0.01  # share of the rows below which a line is not mentioned in a sentence


def card_sentences(model: ScorecardModel, table: Table, views: Sequence[ColumnView]) -> list[Sentence]:
    """Return what the strongest column says, and how far apart its lines are in points."""
    weights = pulls(model, table)
    known = {v.name for v in views}
    order = [n for n in sorted(weights, key=lambda n: (-weights[n], n)) if n in known and weights[n] > 0]
    if not order:
        return [say("No column of the card has points: it gives every row the same shares.")]
    first = strongest(table, views, order, reached(model, table))
    card = card_of(model)
    section = next((s for n in order for s in card.sections if s.columns == (n,)), card.sections[0])
    assert table.classes is not None
    rows = np.bincount(table.classes, table.weights, minlength=len(card.classes)).astype(np.float64)
    # the second of two classes against the first, else the two most frequent
    label, against = (1, 0) if len(rows) == 2 else np.argsort(-rows, kind="stable").tolist()[:2]
    return [first, _apart(card, section, (label, against), (rows / rows.sum()).tolist())]


def _apart(card: Card, section: CardSection, way: Way, base: Sequence[float]) -> Sentence:
    """Return the best and the worst line of a section, with the training rows behind them.
    base[class]: shares of all rows.
    """
    rows = sum(line.rows for line in section.lines)
    lines = [line for line in section.lines if line.rows > max(1, FEW * rows)]
    lines = lines if len(lines) > 1 else list(section.lines)
    low, high = (f(lines, key=lambda line: card.lead(line.points, *way)) for f in (min, max))
    label, against = card.classes[way[0]], card.classes[way[1]]
    ends = [
        say(
            "{} where it {} ({})",
            f"{card.lead(line.points, *way):+d}",
            say("{}" if section.kind == "words" else "is {}", Name(line.text)),
            _behind(card, section, line, way, base[way[0]]),
        )
        for line in (low, high)
    ]
    of = (
        say("{}", Name(class_words(label)))
        if len(card.classes) == 2
        else say("{} against {}", Name(class_words(label)), Name(class_words(against)))
    )
    return say(
        "On the card, the points of {} go from {} to {}; {} points double the odds of {}.",
        Name(section.name),
        *ends,
        card.step,
        of,
    )


def _behind(card: Card, section: CardSection, line: CardLine, way: Way, base: float) -> Sentence:
    """Return the rows of a line, and why its points go the other way than their share of a class."""
    share, lead = line.shares[way[0]], card.lead(line.points, *way)
    other = "words" if section.kind == "words" else "columns"
    against = len(card.classes) == 2 and lead * (share - base) < 0
    given = f", of all rows {percent(base)}: points given the other {other}" if against else ""
    return say("{}, {} of them {}{}", counted_rows(line), percent(share), Name(card.classes[way[0]]), given)


def card_section(page: PageData, model: ScorecardModel) -> dict[str, Any]:
    """Return the chosen card: its rule, its panels, its lines, and scales that move."""
    card, way = card_of(model), pair(page)
    return {
        "kind": "card",
        "scales": scales_data(page, model, step=model.step),
        "card": _card(page, card, way, MOST_PANELS)
        | {"tables": _tables(page, card), "beside": beside_bayes(model, way)},
    }


def card_small(page: PageData, model: ScorecardModel) -> dict[str, Any]:
    """Return a card that was not chosen: its rule and its first panels."""
    return {"kind": "card", "card": _card(page, card_of(model), pair(page), FEW_PANELS)}


def _card(page: PageData, card: Card, way: Way, most: int) -> dict[str, Any]:
    least = 1 if page.row is not None else 2
    panels = [panel_of(card, section, way, least) for section in card.sections]
    ends = axis_ends(panels)
    return {
        "rule": card.rule(),
        "panels": [{"svg": panel_picture(p, ends), "pair": p.pair} for p in panels[:most]],
        "left": max(0, len(panels) - most),
        "out": list(card.left_out),
        "way": [card.classes[way[0]], card.classes[way[1]]],
        "lines": counted(sum(len(s.lines) for s in card.sections), "line"),
    }


def beside_bayes(model: ScorecardModel, way: Way) -> dict[str, Any] | None:
    """Return the points beside those of counting alone on the same lines, columns that differ in sign first;
    None where the card does not keep enough to count.
    """
    if not any(isinstance(part, LinePoints) for part in model.parts):
        return None
    found = beside(model, way)
    columns = sorted(found.columns, key=lambda c: not c.opposite)
    return {
        "sentence": found.sentence(),
        "base": [signed(p) for p in found.base],
        "columns": [
            {
                "name": c.name,
                "opposite": c.opposite,
                "lines": [
                    {"text": x.text, "learnt": signed(x.learnt), "counted": signed(x.counted)}
                    for x in c.lines[:MOST_LINES]
                ],
                "left": max(0, len(c.lines) - MOST_LINES),
            }
            for c in columns
        ],
    }


def signed(points: int) -> str:
    """Return points as they stand on a card."""
    return f"{points:+d}" if points else "0"


def _tables(page: PageData, card: Card) -> list[dict[str, Any]]:
    """Return every section with its lines; the share is that of the class that points speak for."""
    one = len(card.in_favour) == 1
    out = []
    for section in card.sections:
        rows = [
            {
                "text": line.text,
                "points": [signed(p) for p in line.points],
                "rows": f"{line.rows:,.10g}",
                "share": percent(line.shares[1]) if one and _shown(page, line) else "",
            }
            for line in first_lines(section, MOST_LINES)
        ]
        left = max(0, len(section.lines) - MOST_LINES)
        out.append({"name": section.name, "rows": rows, "left": left, "one": one, "classes": card.in_favour})
    return out


def _shown(page: PageData, line: CardLine) -> bool:
    """Say whether the class shares of a line may be shown: not of a single row where no row may be."""
    return line.rows > 0 and (page.row is not None or line.rows >= 2)


def card_reasons(model: ScorecardModel, table: Table, row: int, way: Way) -> list[dict[str, str]]:
    """Return what a row begins with, then its parts that weigh most for one class against another, in
    points.
    """
    found = explain(model, table.local().slice(row, row + 1))
    base = round(found.base[way[0]] - found.base[way[1]])
    leads = [(round(r.parts[way[0]] - r.parts[way[1]]), r.column, r.value) for r in found.reasons]
    leads.sort(key=lambda r: (-abs(r[0]), r[1]))
    return [{"points": signed(base), "words": "to begin with"}] + [
        {"points": f"{p:+d}", "words": f"{name} = {value}"} for p, name, value in leads[:MOST_REASONS] if p
    ]
