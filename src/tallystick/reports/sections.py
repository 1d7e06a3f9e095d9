"""The sections of a page in their order, and the files that they bring: a template, a style sheet, a script.

Knows the folder of assets. Knows no model and no result. Law: a section's files speak of that section alone,
so that a section is added by its files and a line in each list.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

from tallystick.export.javascript import runtime

STYLES = (
    "frame",
    "tables",
    "answer",
    "model",
    "tree",
    "nomogram",
    "effects",
    "quality",
    "threshold",
    "groups",
    "what_if",
    "smallest",
    "data",
    "rows",
    "use",
    "number",
)
SCRIPTS = (  # each defines a function; sections.js calls those that a model moves
    "theme",
    "parts",
    "row",
    "saved",
    "tree_box",
    "tree",
    "nomogram",
    "effects",
    "curves",
    "threshold",
    "costs",
    "number",
    "what_if",
    "smallest",
    "table_tools",
    "address",
    "sections",
)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page: its address, its heading, and the template of what stands under it."""

    id: str
    title: str
    template: str


SECTIONS = (
    Section("answer", "The answer", "answer.html"),
    Section("model", "The model", "model.html"),
    Section("methods", "How good", "quality.html"),
    Section("what-if", "What if", "what_if_page.html"),
    Section("data", "The data", "data.html"),
    Section("rows", "Rows", "rows.html"),
    Section("use", "How to use it", "use.html"),
)


NUMBER_SECTIONS = (  # of a target of numbers
    Section("answer", "The answer", "number_answer.html"),
    Section("model", "The model", "model.html"),
    Section("methods", "How good", "number_quality.html"),
    Section("what-if", "What if", "what_if.html"),
    Section("data", "The data", "number_data.html"),
    Section("rows", "Rows", "number_rows.html"),
    Section("use", "How to use it", "use.html"),
)


def report_style() -> str:
    """Return the style sheet: all of them, in the order in which they add to each other."""
    return "\n".join(asset(f"{name}.css") for name in STYLES)


def sections_script() -> str:
    """Return the script that lets the sections of a model move: the exported model and what draws it."""
    return "\n".join([runtime(), *(asset(f"{name}.js") for name in SCRIPTS)])


def asset(name: str) -> str:
    """Return a file that belongs to the page."""
    return (resources.files("tallystick.reports") / "assets" / name).read_text(encoding="utf-8").strip()
