"""Export of the rules of a tree, rule list or rule set as text, Markdown, JSON, or a Boolean expression.

Entry: `export_rules()`. The expression is of two classes. A method without rules refuses: naive
Bayes and logistic regression add up parts of all columns.
"""

from __future__ import annotations

import json
from typing import Any

from tallystick import methods
from tallystick.errors import OptionError, nearest, shown
from tallystick.export.form import form_of, printable
from tallystick.export.heading import heading
from tallystick.export.targets import RULE_FORMATS
from tallystick.model.conditions import plain_words
from tallystick.rules.explain import measured_rules
from tallystick.rules.model import RuleModel
from tallystick.tree.model import Tree
from tallystick.tree.rules import Rule, Rules, rules


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
        "score. Export it to sql, python, js, c, onnx, pmml or excel, or use explain()."
    )


def tree_rules(model: Tree, sha256: str, format: str) -> str:
    """Return the rules of a tree."""
    return _written(model, rules(model), sha256, format, {"averaged": model.averaged is not None})


def own_rules(model: RuleModel, sha256: str, format: str) -> str:
    """Return the rules of a list or set, with their probabilities."""
    return _written(model, measured_rules(model), sha256, format)


def _written(
    model: Tree | RuleModel, found: Rules, sha256: str, format: str, more: dict[str, Any] | None = None
) -> str:
    if format == "json":
        data = {"kind": model.kind, "sha256": sha256} | (more or {}) | found.to_dict()
        if (said := expression_of(found)) is not None:
            data["expression"] = said
        return printable(json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)) + "\n"
    head = heading(form_of(model, sha256))
    if format == "markdown":
        measure = "share" if found.schema.predicted.labels else "± "
        lines = [f"# Rules for {cell(found.schema.predicted.name)}", ""]
        lines += [f"- {cell(line.strip())}" for line in head]
        lines += ["", f"| | if | then | rows | {measure} |", "|---:|---|---|---:|---:|"]
        for number, rule in enumerate(found.all_rules, 1):
            when = "otherwise" if rule is found.otherwise else _if(rule)
            lines.append(f"| {number} | {when} | {_then(rule)} | {rule.covers:,.10g} | {_measure(rule)} |")
        notes = [cell(note) for note in [*found.notes, *_expression(found)]]
        return "\n".join([*lines, *(["", *notes] if notes else [])]) + "\n"
    return "\n".join([*(f"# {line}" for line in head), str(found), *_expression(found)]) + "\n"


def _expression(found: Rules) -> list[str]:
    said = expression_of(found)
    return (
        []
        if said is None
        else [f"as an expression: {plain_words(found.schema.predicted.labels[1])} = {said}"]
    )


def expression_of(found: Rules) -> str | None:
    """Return when the second of two classes is answered; None where there are more classes, or no expression
    that could be read.
    """
    if not found.schema.target or len(found.schema.target.labels) != 2:
        return None
    try:
        return found.expression()
    except OptionError:  # a long list of rules with two answers
        return None


def _if(rule: Rule) -> str:
    several = len(rule.conditions) > 1
    texts = [c.bracketed if several else c.sentence() for c in rule.conditions]
    return " **and** ".join(cell(text) for text in texts) or "always"


def _then(rule: Rule) -> str:
    return cell(rule.answer) if isinstance(rule.answer, str) else f"{rule.answer:.6g}"


def _measure(rule: Rule) -> str:
    if rule.probability is not None:
        return f"{rule.probability:.3f}"
    return f"{rule.share:.3f}" if isinstance(rule.answer, str) else f"{rule.spread:.4g}"


def cell(text: str) -> str:
    """Return a text that stays in its cell and means nothing to Markdown."""
    out = plain_words(text)
    for character in "\\`*_{}[]<>#|":
        out = out.replace(character, "\\" + character)
    return out
