"""The rules of a tree as text, Markdown or JSON; two classes also as a Boolean expression.

Knows rules of trees. A method that has none refuses: naive Bayes and logistic regression add up parts of all
columns.
"""

from __future__ import annotations

import json
from typing import Any

from tallystick import methods
from tallystick.errors import OptionError, nearest, shown
from tallystick.export.form import form_of, printable
from tallystick.export.heading import heading
from tallystick.export.targets import RULE_FORMATS
from tallystick.models.tree import Tree
from tallystick.models.tree.rules import Rule, Rules, rules
from tallystick.models.tree.sentences import plain


def export_rules(model: Any, sha256: str, format: str = "text") -> str:
    """Return the if-then rules of a model that has them: of a tree, those of the tree that is shown."""
    if format not in RULE_FORMATS:
        raise OptionError(
            f"rules have no format {shown(format)}.{nearest(format, RULE_FORMATS)} "
            f"Use one of {', '.join(RULE_FORMATS)}."
        )
    text: str = methods.of_kind(model.kind).load("rules")(model, sha256, format)
    return text


def no_rules(model: Any, sha256: str, format: str) -> str:
    """Refuse a model of a method without rules."""
    raise OptionError(f"a model of kind {shown(model.kind)} has no if-then rules. Use explain().")


def additive_rules(model: Any, sha256: str, format: str) -> str:
    """Refuse a model that adds up parts of its columns."""
    raise OptionError(
        f"a model of kind {shown(model.kind)} has no if-then rules: every column adds its part to the "
        "score. Export it to sql, python, js or onnx, or use explain()."
    )


def tree_rules(model: Tree, sha256: str, format: str) -> str:
    """Return the rules of a tree."""
    found = rules(model)
    if format == "json":
        return _json(model, found, sha256)
    head = heading(form_of(model, sha256))
    if format == "markdown":
        return _markdown(model, found, head)
    return "\n".join([*(f"# {line}" for line in head), str(found), *_expression(found)]) + "\n"


def _expression(found: Rules) -> list[str]:
    labels = found.schema.target.labels if found.schema.target else ()
    if len(labels) != 2:
        return []
    return [f"as an expression: {plain(labels[1])} = {found.expression()}"]


def _markdown(model: Tree, found: Rules, head: list[str]) -> str:
    measure = "± " if model.regression else "share"
    lines = [f"# Rules for {cell(found.schema.predicted.name)}", ""]
    lines += [f"- {cell(line.strip())}" for line in head]
    lines += ["", f"| | if | then | rows | {measure} |", "|---:|---|---|---:|---:|"]
    for number, rule in enumerate(found, 1):
        lines.append(f"| {number} | {_if(rule)} | {_then(rule)} | {rule.covers:,.10g} | {_measure(rule)} |")
    notes = [cell(note) for note in [*found.notes, *_expression(found)]]
    return "\n".join([*lines, *(["", *notes] if notes else [])]) + "\n"


def _if(rule: Rule) -> str:
    several = len(rule.conditions) > 1
    texts = [
        f"({c.sentence()})" if several and c.missing and not c.never else c.sentence()
        for c in rule.conditions
    ]
    return " **and** ".join(cell(text) for text in texts) or "always"


def _then(rule: Rule) -> str:
    return cell(rule.answer) if isinstance(rule.answer, str) else f"{rule.answer:.6g}"


def _measure(rule: Rule) -> str:
    return f"{rule.share:.3f}" if isinstance(rule.answer, str) else f"{rule.spread:.4g}"


def cell(text: str) -> str:
    """Return a text that stays in its cell and means nothing to Markdown."""
    out = plain(text)
    for character in "\\`*_{}[]<>#|":
        out = out.replace(character, "\\" + character)
    return out


def _json(model: Tree, found: Rules, sha256: str) -> str:
    data = {"kind": model.kind, "sha256": sha256, "averaged": model.averaged is not None} | found.to_dict()
    if found.schema.target and len(found.schema.target.labels) == 2:
        data["expression"] = found.expression()
    return printable(json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)) + "\n"
