"""Parts of the page as HTML: the templates of the studio, with the report's beside them.

Knows jinja2 and results. Law: everything that came from a user is escaped by the template, as in a report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any

import jinja2

from tallystick import __version__
from tallystick.data.schema import KINDS
from tallystick.evaluate.compare import Comparison, Entry
from tallystick.methods import VARIANTS
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.inks import inks
from tallystick.reports.page import environment, model_section
from tallystick.reports.quality import judged_section
from tallystick.reports.rows import rows_section
from tallystick.reports.sections import report_style, sections_script
from tallystick.reports.thresholds import costs_section, threshold_section
from tallystick.reports.what_if import what_if
from tallystick.studio.reading import OpenTable

CHOICES = tuple((v.name, v.words, v.method.compared) for v in VARIANTS if not v.method.regression)
TEXTS = {
    "html": b"text/html; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "css": b"text/css; charset=utf-8",
}
SCRIPTS = ("studio.js", "hand.js", "columns.js", "methods.js", "model.js", "small.js")


@cache
def templates() -> jinja2.Environment:
    """Return the templates of this room, and behind them those of the report."""
    out = environment()
    assert out.loader is not None
    out.loader = jinja2.ChoiceLoader([jinja2.PackageLoader("tallystick.studio", "assets"), out.loader])
    return out


def render(template: str, **given: Any) -> str:
    """Return a part of the page."""
    return templates().get_template(template).render(**given)


def page() -> str:
    """Return the page itself, before anything is known."""
    return render("studio.html", version=__version__, methods=CHOICES)


@cache
def file(name: str) -> tuple[bytes, bytes] | None:
    """Return a file that the page may ask for, and its type; None: there is none of this name."""
    if name == "report.css":
        text = report_style()
    elif name == "report.js":
        text = sections_script()
    elif name in ("studio.css", *SCRIPTS):
        text = (resources.files("tallystick.studio") / "assets" / name).read_text(encoding="utf-8")
    else:
        return None
    return text.encode(), TEXTS[name.rpartition(".")[2]]


def columns_html(part: dict[str, Any]) -> str:
    """Return the columns with their kinds, distributions and warnings."""
    return render("columns.html", part=part, kinds=KINDS)


def ingredients(reading: OpenTable, found: Comparison[Any], entry: Entry[Any], folds: int) -> Ingredients:
    """Return what the sections of a page are made from, with this entry as the chosen one."""
    told = replace(found, chosen=entry)
    return Ingredients(
        reading.asked.name, reading.table, reading.description, told, row=reading.row, folds=folds
    )


def methods_html(given: Ingredients, found: Comparison[Any], own: bool) -> str:
    """Return the scores side by side and the razor's sentence. own: the model shown is the user's own."""
    judged = judged_section(given)
    for line in judged["methods"]:
        line["chosen"] = line["name"] == found.chosen.name
    why = given.comparison.why
    return render(
        "methods.html",
        judged=judged,
        why=why[:1].upper() + why[1:],
        shown=given.chosen.name,
        given=given,
        own=own,
    )


def decide_part(given: Ingredients) -> dict[str, Any] | None:
    """Return the threshold of two classes, or the costs of more, as the report has them, with a button that
    keeps them; None where there is nothing to decide.
    """
    judged = {"threshold": threshold_section(given), "costs": costs_section(given)}
    data = {key: part["data"] for key, part in judged.items() if part}
    if not data:
        return None
    kept = given.model.decision
    html = render("decide.html", judged=judged, kept="" if kept is None else str(kept))
    return {"html": html, "data": data, "labels": list(given.labels), "palette": inks(given)}


def model_part(given: Ingredients) -> dict[str, Any]:
    """Return the sections of the model and of the what-if form, and the data that lets them move."""
    starts = rows_section(given)["starts"] if given.chosen.result is not None else []
    ask = what_if(given, starts)
    chosen = model_section(given) | {"others": []}
    data = {"labels": list(given.labels), "palette": inks(given), "target": given.target, "ask": ask}
    data |= {key: chosen[key] for key in ("tree", "scales") if key in chosen}
    shown = {"given": given, "chosen": chosen, "ask": ask}
    columns = [c.name for c in given.table.schema.used]
    html = render("model.html", **shown)
    asks = render("what_if.html", **shown) + render(
        "changes.html", columns=_first(columns, given.columns), ask=ask
    )
    return {"name": given.chosen.name, "html": html, "what_if": asks, "data": data, "kind": chosen["kind"]}


def _first(names: Sequence[str], telling: Sequence[str]) -> list[str]:
    """Return names with the most telling ones first."""
    return [n for n in telling if n in names] + [n for n in names if n not in telling]
