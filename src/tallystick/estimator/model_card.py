"""The model card as data, then as Markdown: data, method, scores, groups, limits, notes, how to verify it.

Entry: `model_card()`; `markdown()` writes it. (A scorecard is another thing: a model of points.)
Laws: it states what the file and the rows show, without a verdict of its own; the same model and rows give
the same text. No time and no path is in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallystick import __version__, methods
from tallystick.draw.svg import as_html, between, measured, measured_percent
from tallystick.errors import OptionError, clean, counted, for_reader, with_article
from tallystick.io.open import open_source
from tallystick.judge.groups import By
from tallystick.model.profile import ColumnProfile
from tallystick.predict.row import as_given
from tallystick.schema import Column
from tallystick.text import quantity

TOLD = ("accuracy", "balanced accuracy", "log-loss", "brier", "auc")  # scores of classes
FEW = 30  # rows of a class, below which the card names it under the limits


@dataclass(frozen=True, repr=False)
class ModelCard:
    """The card as data: sections by name. Prints as Markdown; `to_dict()` and `to_json()` have all of it."""

    sections: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return dict(self.sections)

    def to_json(self) -> str:
        """Return the card as JSON."""
        return json.dumps(self.sections, indent=2, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        """Return the card as Markdown."""

        return markdown(self.sections)

    _repr_html_ = as_html

    def __str__(self) -> str:
        return self.to_markdown()

    __repr__ = __str__


def model_card(model: Any, data: Any, by: By, folds: int) -> ModelCard:
    """Return the card of a fitted model; data: rows with their target to judge it by, or None."""
    model._check_fitted()
    if by and data is None:
        raise OptionError("groups are told of rows with their target. Give the rows, too.")
    schema, content = model.schema_, model.to_bytes()
    method, target = methods.of_kind(model._kind), schema.target
    scores = None if data is None or target is None else _scores(model, data, by, folds)
    sections = {
        "model": {
            "kind": model._kind,
            "method": method.words,
            "sha256": hashlib.sha256(content).hexdigest(),
            "bytes": len(content),
            "written_by": f"Tallystick {__version__}",
        },
        "data": _data(model),
        "method": {
            "words": method.words,
            "missing": f"A missing value {method.missing}.",
            "answers": _answers(model),
            "parameters": {k: v for k, v in model._learning().items() if v not in (None, [], {}, ())},
        },
        "scores": None if scores is None else scores["scores"],
        "groups": [] if scores is None else scores["groups"],
        "limits": _limits(model, scores),
        "notes": [for_reader(note.text) for note in model.notes_],
        "verify": _verify(model),
    }
    return ModelCard(sections)


def _answers(model: Any) -> str:
    """Return how probabilities become answers; empty where the model answers a number, or nothing."""
    target = model.schema_.target
    if target is None or not target.labels:
        return ""
    decision = model.decision_
    return f"It answers {'the most probable class' if decision is None else decision}."


def _data(model: Any) -> dict[str, Any]:
    """Return what the training rows looked like, as far as the file knows."""
    schema, rows, profile = model.schema_, model.rows_, model.profile_
    unit = rows["unit"]
    own = [None] * len(schema.used) if profile is None else profile.columns
    columns = [_column(c, p, unit) for c, p in zip(schema.used, own, strict=True)]
    target = schema.target
    out: dict[str, Any] = {
        "rows": rows["count"] / unit,
        "fingerprint": rows["fingerprint"],
        "target": None if target is None else target.name,
        "columns": columns,
    }
    if target is not None and target.labels:
        counts = None if profile is None or profile.target is None else profile.target.counts.tolist()
        names = target.labels
        out["classes"] = {n: None if counts is None else counts[k] / unit for k, n in enumerate(names)}
    return out


def _column(column: Column, own: ColumnProfile | None, unit: int) -> dict[str, Any]:
    out: dict[str, Any] = {"name": column.name, "kind": column.kind, "missing": column.missing}
    if own is not None and own.values is not None:
        names = ((0, "lowest"), (25, "quarter"), (50, "half"), (75, "three_quarters"), (100, "highest"))
        values = {name: own.quantile(percent) for percent, name in names}
        out |= {n: None if v is None else quantity(v, column.unit, 6) for n, v in values.items()}
    elif own is not None and column.levels:
        out["levels"] = {n: c / unit for n, c in zip(column.levels, own.counts.tolist(), strict=True)}
    elif column.words:
        out["words"] = len(column.words)
    return out


def _scores(model: Any, data: Any, by: By, folds: int) -> dict[str, Any]:
    """Return scores with intervals and rates by group, on rows with their target."""
    from tallystick.judge.crossval import cross_validate

    source, name = open_source(as_given(data)), model.schema_.predicted.name
    fresh = type(model)(**model.get_params(deep=False))
    same = fresh._read(source, name).fingerprint == model.rows_["fingerprint"]
    if same:
        found = cross_validate(fresh, source, name, folds=folds, by=by)
        how = f"cross-validated on the {counted(len(found.truth), 'training row')}, {found.how}"
    else:
        found = judged(model, source, by)
        how = f"on {counted(len(found.truth), 'row')} of {source.name}, answered by this model"
    measures = {m.name: m for m in found.measures if model._regression or m.name in TOLD}
    measures = {
        n: {"value": m.value, "low": m.low, "high": m.high, "baseline": m.base} for n, m in measures.items()
    }
    tables = [{"column": n, "groups": found.by(n), "said": found.said_by(n)} for n in found.groups]
    return {"scores": {"how": how, "same_rows": same, "measures": measures}, "groups": tables, "found": found}


def judged(model: Any, source: Any, by: By) -> Any:
    """Return the answers of a fitted model to rows with their target, as a result that can be measured."""
    from tallystick.judge.groups import names_by
    from tallystick.judge.result import CrossValidation, RegressionValidation
    from tallystick.judge.run import hold

    fresh = type(model)(**model.get_params(deep=False))
    read = fresh._read(source, model.schema_.predicted.name)
    trained: Any = _Trained(model)
    held = hold(source, trained, fresh)
    shares = held.judged(model._shares(source, missing_columns="as-missing"))
    again = type(model)(**model.get_params(deep=False))
    groups = names_by(again, lambda other: other._read(source, model.schema_.predicted.name), read, by)
    if model._regression:
        return RegressionValidation(held.truth, (shares,), groups=groups)
    return CrossValidation(held.labels, held.truth, (shares,), groups=groups)


class _Trained:
    """Stand-in for the training table, where only the model is left: copies cannot be counted."""

    place = "memory"  # what there is of it

    def __init__(self, model: Any) -> None:
        self.schema = model.schema_
        self.response = np.zeros(0) if model._regression else None

    def row_hashes(self) -> Any:
        """Return no hashes: the training rows are not there."""
        return np.zeros(0, np.uint64)


def _limits(model: Any, scores: Mapping[str, Any] | None) -> list[str]:
    """Return what the model cannot know, as far as the file and the rows tell."""
    schema, profile, unit = model.schema_, model.profile_, model.rows_["unit"]
    out = [
        "It knows only the columns above and rows like those it was trained on; what changed since says "
        "`tally describe NEW --against MODEL`.",
        "It tells what goes together in the training rows, not what causes what.",
    ]
    if (
        schema.target is not None
        and schema.target.labels
        and profile is not None
        and profile.target is not None
    ):
        both = zip(schema.target.labels, profile.target.counts.tolist(), strict=True)
        rare = [f"{label} ({n / unit:,.15g})" for label, n in both if n < FEW * unit]
        if rare:
            out.append(f"Classes of fewer than {FEW} training rows are little known: {', '.join(rare)}.")
    empty = [c.name for c in schema.used if c.missing > 0.5 * model.rows_["count"] / unit]
    if empty:
        out.append(f"More than half of the training rows have no value in: {', '.join(empty)}.")
    if scores is None and schema.target is not None:
        out.append("This card has no scores: it was made without rows.")
    elif scores is not None and not scores["scores"]["same_rows"]:
        out.append(
            "Scores are of the rows given. Whether some of them were trained on cannot be told from the "
            "file; if they were, the scores flatter."
        )
    if profile is None:
        out.append("The file keeps no profile of its training rows, so changes can be judged in part only.")
    return out


def _verify(model: Any) -> dict[str, Any]:
    held = model._by_held_out
    words = "tally verify MODEL FILE fits the training rows again and compares every byte."
    if held:
        words = "Pruned by held-out rows that the file does not hold: no refit gives its bytes."
    kind = with_article(methods.of_kind(model._kind).noun)
    return {"command": "" if held else "tally verify MODEL FILE", "words": words, "thing": kind}


# The card as Markdown. Law: everything that came from a user is escaped.

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
        *_data_text(data),
        *_method(card["method"]),
        *_scores_text(card["scores"]),
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


def _data_text(data: Mapping[str, Any]) -> list[str]:
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
        text = ", ".join(f"{escaped(name)} {n:,.15g}" for name, n in pairs[:6])
        return text + (f", {len(pairs) - 6:,} more" if len(pairs) > 6 else "")
    if column.get("half") is not None:
        return f"{column['lowest']} to {column['highest']}; half at or below {column['half']}"
    return f"{column['words']:,} words" if "words" in column else ""


def _method(method: Mapping[str, Any]) -> list[str]:
    given = [f"| {escaped(k)} | {escaped(v)} |" for k, v in method["parameters"].items()]
    words = method["words"]
    first = f"{words[:1].upper()}{words[1:]}. {method['missing']} {escaped(method['answers'])}".strip()
    return ["## Method", "", first, "", "| parameter | value |", "|---|---|", *given, ""]


def _scores_text(scores: Mapping[str, Any] | None) -> list[str]:
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
