"""A model's card as Markdown. Knows plain data. Law: everything that came from a user is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tallystick.draw.text import between, clean, measured, measured_percent

SHOWN = 60  # columns, and levels of a column; JSON has all


def escaped(text: object) -> str:
    """Return a text that Markdown shows as it is."""
    out = clean(text)
    for mark in "\\`*_{}[]<>|#":
        out = out.replace(mark, f"\\{mark}")
    return out


def markdown(card: Mapping[str, Any]) -> str:
    """Return the card."""
    model, data = card["model"], card["data"]
    target = f" for {escaped(data['target'])}" if data["target"] else ""
    lines = [
        f"# Model card: {model['method']}{target}",
        "",
        f"File of {model['bytes']:,} bytes, sha256 `{model['sha256']}`; {model['written_by']}.",
        "",
        *_data(data),
        *_method(card["method"]),
        *_scores(card["scores"]),
        *_groups(card["groups"]),
        "## Limits",
        "",
        *(f"- {text}" for text in map(escaped_sentence, card["limits"])),
        "",
        "## Notes",
        "",
        *([f"- {escaped(text)}" for text in card["notes"]] or ["None."]),
        "",
        "## How to verify",
        "",
        card["verify"]["words"],
    ]
    return "\n".join(lines) + "\n"


def escaped_sentence(text: str) -> str:
    """Return a sentence of ours, whose commands in backquotes stay so."""
    return "`".join(part if i % 2 else escaped(part) for i, part in enumerate(text.split("`")))


def _data(data: Mapping[str, Any]) -> list[str]:
    out = [
        "## Data",
        "",
        f"{data['rows']:,.15g} training rows, {len(data['columns'])} columns; fingerprint "
        f"`{data['fingerprint']}`.",
        "",
    ]
    if data.get("classes"):
        known = all(n is not None for n in data["classes"].values())
        counts = [f"{escaped(k)}{f' {n:,.15g}' if known else ''}" for k, n in data["classes"].items()]
        out += [f"Classes: {', '.join(counts[:SHOWN])}.", ""]
    out += ["| column | kind | missing | values |", "|---|---|---:|---|"]
    for column in data["columns"][:SHOWN]:
        name, kind, missing = escaped(column["name"]), column["kind"], column["missing"]
        out.append(f"| {name} | {kind} | {missing:,} | {_values(column)} |")
    rest = len(data["columns"]) - SHOWN
    return [*out, *([f"| and {rest:,} more | | | |"] if rest > 0 else []), ""]


def _values(column: Mapping[str, Any]) -> str:
    if "levels" in column:
        pairs = sorted(column["levels"].items(), key=lambda pair: -pair[1])
        told = ", ".join(f"{escaped(name)} {n:,.15g}" for name, n in pairs[:6])
        return told + (f", {len(pairs) - 6:,} more" if len(pairs) > 6 else "")
    if column.get("half") is not None:
        return f"{column['lowest']} to {column['highest']}; half at or below {column['half']}"
    return f"{column['words']:,} words" if "words" in column else ""


def _method(method: Mapping[str, Any]) -> list[str]:
    given = [f"| {escaped(k)} | {escaped(v)} |" for k, v in method["parameters"].items()]
    words = method["words"]
    first = f"{words[:1].upper()}{words[1:]}. {method['missing']} {escaped(method['answers'])}".strip()
    return ["## Method", "", first, "", "| parameter | value |", "|---|---|", *given, ""]


def _scores(scores: Mapping[str, Any] | None) -> list[str]:
    if scores is None:
        how = (
            "Not measured: a model keeps no scores, and this card was made without rows. `model.card(FILE)`, "
            "or `tally card MODEL --on FILE`, cross-validates it on its training rows, or judges it by "
            "others."
        )
        return ["## Scores", "", how, ""]
    out = ["## Scores", "", f"{scores['how'][:1].upper()}{escaped(scores['how'][1:])}.", ""]
    out += ["| score | value | 95 % interval | baseline |", "|---|---:|---|---:|"]
    for name, one in scores["measures"].items():
        base = "" if one["baseline"] is None else f"{one['baseline']:.4f}"
        value, ends = measured(one["value"], one["low"], one["high"], ".4f")
        out.append(f"| {name} | {value} | {ends} | {base} |")
    return [*out, ""]


def _groups(groups: Sequence[Mapping[str, Any]]) -> list[str]:
    out: list[str] = []
    for table in groups:
        out += [f"## By {escaped(table['column'])}", "", escaped(table["said"]), ""]
        if table["groups"] and isinstance(table["groups"][0]["error"], Mapping):
            out += _number_groups(table["groups"])
            continue
        out += ["| group | rows | error | 95 % interval |", "|---|---:|---:|---|"]
        for one in table["groups"]:
            error, ends = measured_percent(one["error"], one["low"], one["high"])
            out.append(f"| {escaped(one['group'])} | {one['rows']:,.15g} | {error} % | {ends} % |")
        out.append("")
    return out


def _number_groups(groups: Sequence[Mapping[str, Any]]) -> list[str]:
    out = ["| group | rows | off by | 95 % interval | answer less truth |", "|---|---:|---:|---|---:|"]
    for one in groups:
        off, over = one["error"], one["over"]
        ends = between(off["low"], off["high"], ".4g")
        name = escaped(one["group"])
        out.append(f"| {name} | {one['rows']:,.15g} | {off['mean']:.4g} | {ends} | {over['mean']:.4g} |")
    return [*out, ""]
