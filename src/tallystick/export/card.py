"""The printed card of a scorecard, as Markdown, CSV, a page for print or text: points to add up by hand.

Entry: `export_card()`. line = one row of the card; section = the lines of a column, or of a pair;
link = one score per class (of two classes there is one).
Law: every level and every digit of a line is there, so that a person with a pencil gets the same points; no
name leaves its cell. A method without a card refuses.
"""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Sequence
from typing import Any

from tallystick import methods
from tallystick.draw.svg import plain
from tallystick.errors import OptionError, clean, nearest, shown
from tallystick.export.form import printable
from tallystick.export.heading import heading
from tallystick.export.rules import cell as markdown_cell
from tallystick.export.standalone import harmless
from tallystick.export.targets import CARD_FORMATS
from tallystick.scorecard.card import Card, CardSection, card_of
from tallystick.scorecard.explain import card_form
from tallystick.scorecard.model import ScorecardModel

ALL = 1 << 30  # levels of a line, lines of a section: a printed card leaves nothing out
META = (
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
)
STYLE = """
@page { size: A4; margin: 15mm; }
body { font: 10pt/1.35 "Liberation Sans", Arial, sans-serif; color: #000; background: #fff; max-width: 180mm;
  margin: 8mm auto; padding: 0 4mm; }
h1 { font-size: 16pt; margin: 0 0 3mm; }
h2 { font-size: 11pt; margin: 0 0 1mm; }
section { break-inside: avoid; margin: 0 0 5mm; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 0.5pt solid #000; padding: 0.6mm 2mm; text-align: right; overflow-wrap: anywhere; }
th { border-bottom-width: 1.2pt; }
th:first-child, td:first-child { text-align: left; font-weight: normal; }
tr th:first-child { font-weight: bold; }
td.points { font-weight: bold; }
.sum td { height: 8mm; }
.scale th, .scale td { font-size: 8pt; padding: 0.6mm 1mm; white-space: nowrap; }
footer { font-size: 8pt; margin-top: 6mm; overflow-wrap: anywhere; }
@media print { body { margin: 0; padding: 0; max-width: none; } section { overflow: visible; } }
"""


def export_card(model: Any, sha256: str, format: str = CARD_FORMATS[0]) -> str:
    """Return the card of a model that has one."""
    if format not in CARD_FORMATS:
        raise OptionError(
            f"a card has no format {shown(format)}.{nearest(format, CARD_FORMATS)} "
            f"Use one of {', '.join(CARD_FORMATS)}."
        )
    text: str = methods.of_kind(model.kind).load("card")(model, sha256, format)
    return text


def no_card(model: Any, sha256: str, format: str) -> str:
    """Refuse a model of a method without a card."""
    words = methods.of_kind(model.kind).words
    raise OptionError(f"a model of {words} has no card. Fit a scorecard: ts.Scorecard(), or --model card.")


def scorecard(model: ScorecardModel, sha256: str, format: str) -> str:
    """Return the card of a scorecard."""
    card, head = card_of(model, ALL), heading(card_form(model, sha256))
    if format == "csv":
        return csv_card(card)
    return html_card(card, head) if format == "html" else markdown_card(card, head)


def card_rules(model: ScorecardModel, sha256: str, format: str) -> str:
    """Return the card where a tree has rules: as text, Markdown or JSON."""
    card, head = card_of(model, ALL), heading(card_form(model, sha256))
    if format == "markdown":
        return markdown_card(card, head)
    if format == "json":
        data = {"kind": model.kind, "sha256": sha256} | card.to_dict()
        return printable(json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)) + "\n"
    return "".join(f"# {line}\n" for line in head) + plain(card.text(100, ALL)) + "\n"


# -- cells --


def points_text(points: int) -> str:
    """Return points with their sign; nothing is 0."""
    return f"{points:+d}" if points else "0"


def headings(card: Card) -> list[str]:
    """Return the names of the columns after that of the line: points, rows, and shares of the classes."""
    if len(card.in_favour) == 1:
        return ["points", "rows", card.in_favour[0]]
    return [*card.in_favour, "rows"]


def body(card: Card, section: CardSection) -> list[list[str]]:
    """Return the lines of a section: text, points by link, rows, and of two classes the share."""
    out = []
    for line in section.lines:
        share = [f"{line.shares[1]:.1%}" if line.rows else ""] if len(card.in_favour) == 1 else []
        out.append([line.text, *map(points_text, line.points), f"{line.rows:,.10g}", *share])
    return out


def tables(card: Card, section: CardSection) -> list[tuple[str, list[str], list[list[str]]]]:
    """Return title, head and lines of each table of a section: a pair is a two-way table for each link,
    with the rows in brackets.
    """
    if section.kind != "pair":
        return [("", [section.name, *headings(card)], body(card, section))]
    at = {line.place: line for line in section.lines}
    rows, columns = (
        [i for i in range(len(axis)) if any(p[side] == i for p in at)]
        for side, axis in enumerate(section.axes)
    )
    head = [f"{section.columns[0]} \\ {section.columns[1]}", *(section.axes[1][j] for j in columns)]
    out = []
    for link, label in enumerate(card.in_favour):
        lines = []
        for i in rows:
            found = [at.get((i, j)) for j in columns]
            cells = [f"{points_text(f.points[link])} ({f.rows:,.10g})" if f else "0 (0)" for f in found]
            lines.append([section.axes[0][i], *cells])
        title = "points (rows)" if len(card.in_favour) == 1 else f"points for {label} (rows)"
        out.append((title, head, lines))
    return out


def beginning(card: Card) -> list[list[str]]:
    """Return the line of the base."""
    return [["begin with", *map(points_text, card.base)]]


# -- Markdown --


def markdown_card(card: Card, head: Sequence[str]) -> str:
    """Return the card as Markdown."""
    lines = [f"# Scorecard for {markdown_cell(card.target)}", ""]
    lines += [f"{markdown_cell(sentence)}\n" for sentence in card.rule()]
    for section in card.sections:
        lines += [f"## {markdown_cell(section.name)}", ""]
        for title, names, rows in tables(card, section):
            lines += [f"{markdown_cell(title)}\n"] if title else []
            lines += [*_markdown_table(names, rows), ""]
    if len(card.in_favour) == 1:
        ladder = [[points_text(points), f"{share:.1%}"] for points, share in card.ladder()]
        lines += [
            "## Points and probability",
            "",
            *_markdown_table(["points", card.in_favour[0]], ladder),
            "",
        ]
    if card.left_out:
        lines += [f"No points: {', '.join(map(markdown_cell, card.left_out))}.", ""]
    return "\n".join([*lines, *(f"- {markdown_cell(line.strip())}" for line in head)]) + "\n"


def _markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    listed = [[markdown_cell(text) for text in row] for row in (head, *rows)]
    marks = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(row)} |" for row in (listed[0], marks, *listed[1:])]


# -- CSV --


def csv_card(card: Card) -> str:
    """Return the card as CSV: a record a line, the base first; points and shares of classes as numbers."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    points = ["points"] if len(card.in_favour) == 1 else [f"points {c}" for c in card.in_favour]
    names = ["section", "line", *points, "rows", *(f"share {c}" for c in card.classes)]
    write.writerow([harmless(name) for name in names])
    write.writerow(["", "begin with", *card.base])
    for section in card.sections:
        for line in section.lines:
            shares = line.shares if line.rows else [""] * len(card.classes)
            names = [harmless(section.name), harmless(line.text)]
            write.writerow([*names, *line.points, f"{line.rows:.17g}", *shares])
    write.writerow(["", "points that double the odds", *[card.step] * len(card.base)])
    for sentence in card.answering():
        write.writerow(["", harmless(sentence)])
    return out.getvalue()


# -- a page --


def html_card(card: Card, head: Sequence[str]) -> str:
    """Return the card as a page for print: A4, black on white, no script, nothing loaded."""
    title = f"Scorecard for {_text(card.target)}"
    names = ["", *(["points"] if len(card.in_favour) == 1 else card.in_favour)]
    parts = [f"<h1>{title}</h1>", *(f"<p>{_text(sentence)}</p>" for sentence in card.rule())]
    parts.append(_html_section("", names, beginning(card), len(names)))
    for section in card.sections:
        for said, columns, rows in tables(card, section):
            bold = len(columns) if said else len(names)
            parts.append(_html_section(f"{section.name}: {said}" if said else "", columns, rows, bold))
    parts.append(_html_section("", names, [["sum of the points", *[""] * len(card.base)]], 1, "sum"))
    if len(card.in_favour) == 1:
        ladder = ["points", *(points_text(points) for points, _ in card.ladder())]
        shares = [card.in_favour[0], *(f"{share:.1%}" for _, share in card.ladder())]
        parts.append(_html_section("", ladder, [shares], 1, "scale"))
    if card.left_out:
        parts.append(f"<p>No points: {', '.join(map(_text, card.left_out))}.</p>")
    parts.append(f"<footer>{'<br>'.join(_text(line) for line in head)}</footer>")
    inside = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>{META}<title>{title}</title>'
        f"<style>{STYLE}</style></head>\n<body>\n{inside}\n</body>\n</html>\n"
    )


def _text(text: str) -> str:
    return html.escape(clean(text))


def _html_section(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], bold: int, kind: str = ""
) -> str:
    """Return a table; cells from the second to `bold` are points."""
    top = "".join(f'<th scope="col">{_text(name)}</th>' for name in head)
    lines = []
    for row in rows:
        marks = [' class="points"' if 0 < i < bold else "" for i in range(len(row))]
        cells = [f"<td{mark}>{_text(text)}</td>" for mark, text in zip(marks, row, strict=True)]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    named = (f' class="{kind}"' if kind else "", f"<h2>{_text(title)}</h2>" if title else "")
    whole = f"<table><thead><tr>{top}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    return f"<section{named[0]}>{named[1]}{whole}</section>"
