"""The report's HTML file: all sections in one template, style sheet and script, allowed by hashes.

Parts: sections with their files; the page and its first section; escaping and the policy. Entry:
`report_page()`.
Laws: everything that came from a user is escaped by the template or stands in JSON that cannot end its
element; the Content-Security-Policy allows one style sheet and one script by their hashes, and no request.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup, escape

from tallystick.draw.svg import between, brief, class_words, colour, measured_percent, percent
from tallystick.errors import clean
from tallystick.export.targets import runtime
from tallystick.reports.answer import Name, Sentence, finds, is_rare, say, score_sentences
from tallystick.reports.columns import data_section, error_sentence, median_error, ranking
from tallystick.reports.context import OTHERS, PageData, class_colours, section_of, use_section
from tallystick.reports.quality import judged_section
from tallystick.reports.rows import rows_section, what_if
from tallystick.reports.weights import effects_section

# The sections of a page in their order, and the files that they bring: a template, a style sheet, a script.
# A section's files speak of that section alone: one is added by its files and a line in each list.


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


NUMBER_TEMPLATES = {  # templates for a target of numbers
    "answer.html": "number_answer.html",
    "quality.html": "number_quality.html",
    "what_if_page.html": "what_if.html",
    "data.html": "number_data.html",
    "rows.html": "number_rows.html",
}


def report_style() -> str:
    """Return the style sheet: all of them, in the order in which they add to each other."""
    return "\n".join(asset(f"{name}.css") for name in STYLES)


def sections_script() -> str:
    """Return the script that lets the sections of a model move: the exported model and what draws it."""
    return "\n".join([runtime(), *(asset(f"{name}.js") for name in SCRIPTS)])


def asset(name: str) -> str:
    """Return a file that belongs to the page."""
    return (resources.files("tallystick.reports") / "assets" / name).read_text(encoding="utf-8").strip()


PART = re.compile(r"(?<=\w[_/])(?=\w)|(?<=[a-z]\.)(?=[a-z])")  # places where a name may be broken into lines
FIRST = ("giveaway", "identifier", "text-unread", "labels-alike")  # notes that the first screen shows
MOST_FIRST = 4  # notes of these that it shows


def report_page(page: PageData) -> tuple[str, tuple[str, ...]]:
    """Return the whole page, and the sentences of its first section."""
    said, judged = answer_section(page), judged_section(page)
    rows, colours = rows_section(page), class_colours(page)
    ask = what_if(page, rows["starts"])
    chosen = model_section(page) | {"effects": effects_section(page)}
    labels = list(page.labels) or ["rows"]
    data: dict[str, Any] = {"labels": labels, "palette": colours, "target": page.target, "ask": ask}
    numbers = page.table.response
    data |= {} if numbers is None else {"range": [float(numbers.min()), float(numbers.max())]}
    data |= {key: chosen[key] for key in ("tree", "scales") if key in chosen}
    data |= {
        key: judged[key]["data"]
        for key in ("curves", "threshold", "costs")
        if judged.get(key) and "data" in judged[key]
    }
    sections: tuple[Section, ...] = SECTIONS
    if page.is_number:
        sections = tuple(replace(s, template=NUMBER_TEMPLATES.get(s.template, s.template)) for s in SECTIONS)
    style, script = report_style(), f"{sections_script()}\n{asset('page.js')}"
    html = (
        templates()
        .get_template("page.html")
        .render(
            page=page,
            sections=sections,
            said=said,
            data=data_section(page),
            judged=judged,
            colours=colours,
            rows=rows,
            chosen=chosen,
            ask=ask,
            use=use_section(page),
            style=Markup(style),
            script=Markup(script),
            json=Markup(in_script(data)),
            policy=policy(style, script),
        )
    )
    return html, tuple(str(s) for s in said["sentences"])


def answer_section(page: PageData) -> dict[str, Any]:
    """Return the sentences, what each column says, the score beside the baseline, and the razor's reason."""
    why = page.comparison.why[:1].upper() + page.comparison.why[1:]
    if page.work is not None and page.work.compared:
        why = f"Compared on {page.work.compared:,} of the rows: {why}"
    first = FIRST[:1] if page.is_number else FIRST
    return {
        "leaks": [c.to_dict() for c in page.comparison.checks if c.code in first][:MOST_FIRST],
        "sentences": answer(page),
        "ranking": ranking(page),
        "why": why,
        "name": page.chosen.name,
        "numbers": f"{page.chosen.numbers:,}",
    } | (number_scores(page) if page.is_number else class_scores(page))


def class_scores(page: PageData) -> dict[str, Any]:
    """Return right answers and log-loss beside the baseline."""
    result = page.chosen.result
    accuracy, loss = result.measure("accuracy"), result.measure("log-loss")
    rare = is_rare(page)
    right, ends = measured_percent(accuracy.value, accuracy.low, accuracy.high)
    return {
        "accuracy": f"{right} %",
        "ends": f"{ends} %",
        "base": percent(accuracy.base or 0.0),
        "rare": finds(page) if rare or len(page.labels) == 2 else None,
        "balanced": percent(result.measure("balanced accuracy").value) if rare else "",
        "loss": f"{loss.value:.3f}",
        "loss_base": f"{loss.base:.3f}",
    }


def number_scores(page: PageData) -> dict[str, Any]:
    """Return the errors beside the baseline."""
    mae, rmse, r2 = (page.chosen.result.measure(name) for name in ("mae", "rmse", "r2"))
    return {
        "mae": brief(mae.value),
        "mae_ends": between(mae.low, mae.high, ".4g"),
        "mae_base": brief(mae.base or 0.0),
        "median_base": brief(median_error(page.table)),
        "rmse": brief(rmse.value),
        "rmse_ends": between(rmse.low, rmse.high, ".4g"),
        "rmse_base": brief(rmse.base or 0.0),
        "r2": f"{r2.value:.2f}",
        "r2_ends": between(r2.low, r2.high, ".2f"),
    }


def answer(page: PageData) -> list[Sentence]:
    """Return the sentences of the first section: what is found, what decides, how, and how well."""
    lead, end = ([], [error_sentence(page)]) if page.is_number else score_sentences(page)
    none = []
    if not any(e.result.beats_base for e in page.comparison.entries):
        none = [
            say(
                "No method predicts {} clearly better than always answering {}: what differs may be chance.",
                Name(page.target),
                "the mean" if page.is_number else "the most frequent class",
            )
        ]
    model = page.readable_model
    own = [] if model is None else section_of(model).sentences(model, page.table, page.description.columns)
    return [*none, *lead, *own, *end]


def model_section(page: PageData) -> dict[str, Any]:
    """Return the chosen model, large, and the best of each other family, smaller."""
    out: dict[str, Any] = {"name": page.chosen.name, "setting": page.chosen.setting, "kind": "none"}
    if page.model is not None:
        out |= section_of(page.model).section(page, page.readable_model)
    out["others"] = []
    for entry in page.others:
        model = entry.model.model_
        small = {"name": entry.name, "numbers": f"{entry.numbers:,}", "setting": entry.setting}
        out["others"].append(small | section_of(model).small(page, model))
    return out


# -- safety --


def in_script(data: Any) -> str:
    """Return JSON that can stand inside a script element: nothing in it ends the element or a string."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def policy(style: str, script: str) -> str:
    """Return the Content-Security-Policy: this style sheet and this script, and nothing from anywhere."""
    return (
        f"default-src 'none'; style-src '{sha(style)}'; script-src '{sha(script)}'; base-uri 'none'; "
        "form-action 'none'"
    )


def sha(text: str) -> str:
    """Return the hash by which a policy allows an inline text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def environment() -> jinja2.Environment:
    """Return the template's surroundings: everything is escaped unless it is one of our own pictures."""
    out = jinja2.Environment(
        loader=jinja2.PackageLoader("tallystick.reports", "assets"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_kept_together,
    )
    out.globals["grey"] = OTHERS
    out.filters |= {
        "name": name,
        "said": set_off,
        "picture": Markup,
        "colour": colour,
        "count": count,
        "class_words": class_words,
    }
    return out


templates = cache(environment)  # of the pages themselves: a template is compiled once in a process


def _kept_together(value: Any) -> Any:
    """Return a figure of ours with its percent sign on the same line; code to copy is escaped before this."""
    return value.replace(" %", "\u00a0%") if type(value) is str else value


def name(text: object) -> Markup:
    """Return a text of the user's: controls shown as codes, markup escaped, its direction kept to itself. A
    long one breaks where its parts end, not in the middle of a word.
    """
    parts = PART.split(clean(text))
    return Markup("<bdi>{}</bdi>").format(Markup("<wbr>").join(parts))


def count(number: int, word: str) -> str:
    """Return a number with its noun: `1 row`, `2,000 rows`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def set_off(said: Sentence) -> Markup:
    """Return a sentence with its names set off."""
    plain = [escape(_kept_together(p.text)) for p in said.pieces]
    named = [Markup("<b>{}</b>").format(name(p.text)) for p in said.pieces]
    pieces = [n if p.name else t for p, n, t in zip(said.pieces, named, plain, strict=True)]
    return Markup("").join(pieces)
