"""A card as a picture and as a nomogram: its sections as panels, for one class against another.

Knows cards and how they are drawn. Knows no row. Law: the points drawn are those of the card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tallystick.data.text import quantity
from tallystick.draw.card import MOST_BARS, HeatMap, Mark, Panel, card_picture
from tallystick.draw.nomogram import Scale, nomogram
from tallystick.draw.text import clean
from tallystick.explain.card import Card, CardLine, CardSection, short_ranges

MOST_MARKS = 24  # of a line of the nomogram, the heaviest
Way = tuple[int, int]  # the class that points speak for, and the one against it


def card_svg(card: Card, way: Way) -> str:
    """Return the whole card, drawn, for one class against another."""
    label, against = card.classes[way[0]], card.classes[way[1]]
    base = card.lead(card.base, *way)
    sentence = (
        f"Begin with {base:+d} points and add one line of every column: {card.step} points double the odds "
        f"of {clean(label)} against {clean(against)}."
    )
    return card_picture(
        f"Scorecard for {clean(card.target)}", sentence, panels_of(card, way), card.step, (against, label)
    )


def panels_of(card: Card, way: Way) -> list[Panel | HeatMap]:
    """Return the sections in the order of the card as they are drawn, pairs last."""
    ordered = sorted(card.sections, key=lambda section: section.kind == "pair")
    return [panel_of(card, section, way) for section in ordered]


def panel_of(card: Card, section: CardSection, way: Way, least: int = 1) -> Panel | HeatMap:
    """Return one section as it is drawn; least: training rows that a line must have to tell their class."""
    if section.kind == "pair":
        return _heat_map(card, section, way, least)
    marks = [(line, _mark(card, line, way, least)) for line in section.lines]
    if section.kind == "words":
        ordered = _outer_words([m for _, m in marks])
        return Panel(f"{section.name} contains", tuple(ordered), left=len(marks) - len(ordered))
    names = section.axes[0]
    missing_at = len(names) - (1 if section.kind == "ranges" else 2)
    missing = next((m for line, m in marks if line.place == (missing_at,)), None)
    if section.kind == "ranges":
        found = {line.place[0]: m for line, m in marks}
        whole = tuple(found.get(i, Mark(names[i], 0, 0.0, f"{names[i]}: no rows")) for i in range(missing_at))
        return Panel(section.name, whole, section.cuts, missing, unit=section.unit)
    known = [m for line, m in marks if line.place[0] < missing_at]
    if len(known) > MOST_BARS:  # what most rows have is never among what is not drawn
        known.sort(key=lambda mark: -mark.rows)
    return Panel(section.name, tuple(known[:MOST_BARS]), None, missing, max(0, len(known) - MOST_BARS))


def _outer_words(marks: Sequence[Mark]) -> list[Mark]:
    """Return the words with most points for and against, as many of both where there are, by their points."""
    order = sorted(marks, key=lambda m: (-m.points, m.words))
    down = min(MOST_BARS // 2, sum(m.points < 0 for m in marks))
    up = min(MOST_BARS - down, len(marks) - down)
    kept = [*order[:up], *order[len(order) - down :]] if down else order[:up]
    return [replace(m, words=m.words.removeprefix("contains ")) for m in kept]


def _mark(card: Card, line: CardLine, way: Way, least: int) -> Mark:
    points = card.lead(line.points, *way)
    told = f"{clean(line.text)}: {points:+d} points; {counted_rows(line)}"
    if line.rows and line.rows >= least:
        told += f", {line.shares[way[0]]:.1%} {clean(card.classes[way[0]])}"
    return Mark(line.text, points, line.rows, told)


def counted_rows(line: CardLine) -> str:
    """Return the training rows on a line in words."""
    return f"{line.rows:,.10g} training row{'' if line.rows == 1 else 's'}"


def _heat_map(card: Card, section: CardSection, way: Way, least: int) -> HeatMap:
    """Return a pair without the lines that no row was on."""
    cells = {line.place: _mark(card, line, way, least) for line in section.lines}
    first, second = (
        [i for i in range(len(names)) if any(p[k] == i for p in cells)]
        for k, names in enumerate(section.axes)
    )
    return HeatMap(
        section.name,
        tuple(section.axes[0][i] for i in first),
        tuple(section.axes[1][j] for j in second),
        tuple(tuple(cells.get((i, j)) for j in second) for i in first),
    )


def card_nomogram(card: Card, way: Way) -> str:
    """Return the card as a nomogram: each section a line, each of its lines where its points lie."""
    scales = []
    for section in card.sections:
        marks = [(_short(section, line), float(card.lead(line.points, *way))) for line in section.lines]
        heavy = sorted(range(len(marks)), key=lambda i: (-abs(marks[i][1]), i))[:MOST_MARKS]
        scales.append(Scale(section.name, tuple(marks[i] for i in sorted(heavy))))
    scales.sort(key=lambda s: min(w for _, w in s.marks) - max(w for _, w in s.marks))
    label, against = card.classes[way[0]], card.classes[way[1]]
    title = f"{card.target}: {label} against {against}"
    return nomogram(title, scales, float(card.lead(card.base, *way)), (against, label), card.step)


def _short(section: CardSection, line: CardLine) -> str:
    """Return a range in few letters; other lines as they are."""
    if section.kind != "ranges" or not section.cuts or line.place[0] > len(section.cuts):
        return line.text
    return short_ranges([quantity(cut, section.unit) for cut in section.cuts])[line.place[0]]
