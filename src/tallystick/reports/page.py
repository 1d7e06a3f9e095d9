"""All sections into one HTML file: a template, a style sheet and a script, with hashes that allow just these.

Knows jinja2, which is loaded here and nowhere else. Knows no model.
Laws: everything that came from a user is escaped by the template or stands in JSON that cannot end its
element; the Content-Security-Policy allows one style sheet and one script by their hashes, and no request.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import jinja2
from markupsafe import Markup, escape

from tallystick.draw.svg import colour
from tallystick.draw.text import class_words, clean, measured_percent
from tallystick.reports.column_effects import face_of
from tallystick.reports.columns import data_section
from tallystick.reports.effects import effects_section
from tallystick.reports.ingredients import Ingredients
from tallystick.reports.inks import OTHERS, inks
from tallystick.reports.quality import judged_section
from tallystick.reports.ranking import ranking
from tallystick.reports.rows import rows_section
from tallystick.reports.score_words import finds, is_rare, score_sentences
from tallystick.reports.sections import SECTIONS, Section, asset, report_style, sections_script
from tallystick.reports.sentences import Name, Said, percent, say
from tallystick.reports.usage import use_section
from tallystick.reports.what_if import what_if

PART = re.compile(r"(?<=\w[_/])(?=\w)|(?<=[a-z]\.)(?=[a-z])")  # where a name may go on in the next line
FIRST = ("giveaway", "identifier", "text-unread", "labels-alike")  # checks that the first screen tells
MOST_FIRST = 4  # of them


def page(given: Ingredients) -> tuple[str, tuple[str, ...]]:
    """Return the whole page, and the sentences of its first section."""
    said = answer_section(given)
    rows = rows_section(given)
    ask = what_if(given, rows["starts"])
    chosen = model_section(given) | {"effects": effects_section(given)}
    judged = judged_section(given)
    data = {"labels": list(given.labels), "palette": inks(given), "target": given.target, "ask": ask}
    data |= {key: chosen[key] for key in ("tree", "scales") if key in chosen}
    data |= {"curves": judged["curves"]["data"]} if "data" in judged["curves"] else {}
    data |= {key: judged[key]["data"] for key in ("threshold", "costs") if judged[key]}
    parts: dict[str, Any] = {
        "said": said,
        "data": data_section(given),
        "judged": judged,
        "inks": inks(given),
        "rows": rows,
    }
    parts |= {"chosen": chosen, "ask": ask, "use": use_section(given)}
    return rendered(given, SECTIONS, parts, data), tuple(str(s) for s in said["sentences"])


def rendered(
    given: Ingredients, sections: Sequence[Section], parts: Mapping[str, Any], data: Mapping[str, Any]
) -> str:
    """Return the page: its sections, what their templates show, and the data of what moves."""
    style, script = report_style(), f"{sections_script()}\n{asset('page.js')}"
    return (
        environment()
        .get_template("page.html")
        .render(
            given=given,
            sections=sections,
            **parts,
            style=Markup(style),
            script=Markup(script),
            json=Markup(in_script(data)),
            policy=policy(style, script),
        )
    )


def answer_section(given: Ingredients) -> dict[str, Any]:
    """Return the sentences, what each column tells, the score beside the baseline, and the razor's reason."""
    result = given.chosen.result
    accuracy, loss = result.measure("accuracy"), result.measure("log-loss")
    rare = is_rare(given)
    right, ends = measured_percent(accuracy.value, accuracy.low, accuracy.high)
    return {
        "leaks": [c.to_dict() for c in given.comparison.checks if c.code in FIRST][:MOST_FIRST],
        "sentences": answer(given),
        "ranking": ranking(given),
        "accuracy": f"{right} %",
        "ends": f"{ends} %",
        "base": percent(accuracy.base or 0.0),
        "rare": finds(given) if rare or len(given.labels) == 2 else None,
        "balanced": percent(result.measure("balanced accuracy").value) if rare else "",
        "loss": f"{loss.value:.3f}",
        "loss_base": f"{loss.base:.3f}",
        "why": why_words(given),
        "name": given.chosen.name,
        "numbers": f"{given.chosen.numbers:,}",
    }


def why_words(given: Ingredients) -> str:
    """Return the razor's reason, and of which rows its figures are where these are not all."""
    why = given.comparison.why[:1].upper() + given.comparison.why[1:]
    work = given.work
    return why if work is None or not work.compared else f"Compared on {work.compared:,} of the rows: {why}"


def answer(given: Ingredients) -> list[Said]:
    """Return the sentences of the first section: what is found, what decides, how, and how well."""
    lead, end = score_sentences(given)
    none = []
    if not any(e.result.beats_base for e in given.comparison.entries):
        none = [
            say(
                "No method predicts {} clearly better than always answering the most frequent class: what "
                "differs may be chance.",
                Name(given.target),
            )
        ]
    model = given.told
    told = [] if model is None else face_of(model).sentences(model, given.table, given.description.columns)
    return [*none, *lead, *told, *end]


def model_section(given: Ingredients) -> dict[str, Any]:
    """Return the chosen model, large, and the best of each other family, smaller."""
    out: dict[str, Any] = {"name": given.chosen.name, "setting": given.chosen.setting, "kind": "none"}
    if given.model is not None:
        out |= face_of(given.model).section(given, given.told)
    out["others"] = [other(given, entry) for entry in given.others]
    return out


def other(given: Ingredients, entry: Any) -> dict[str, Any]:
    """Return a model that was not chosen, in little space."""
    out: dict[str, Any] = {"name": entry.name, "numbers": f"{entry.numbers:,}", "setting": entry.setting}
    model = entry.model.model_
    out |= face_of(model).small(given, model)
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
        "said": told,
        "picture": Markup,
        "colour": colour,
        "count": count,
        "class_words": class_words,
    }
    return out


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


def told(said: Said) -> Markup:
    """Return a sentence with its names set off."""
    plain = [escape(_kept_together(p.text)) for p in said.pieces]
    named = [Markup("<b>{}</b>").format(name(p.text)) for p in said.pieces]
    pieces = [n if p.name else t for p, n, t in zip(said.pieces, named, plain, strict=True)]
    return Markup("").join(pieces)
