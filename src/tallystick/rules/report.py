"""Rules for the page: their sentences, a table of them with the rows behind each.

Law: every number is the model's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallystick.contracts import Table
from tallystick.description.columns import ColumnView
from tallystick.draw.svg import percent
from tallystick.errors import counted
from tallystick.export.rules import expression_of
from tallystick.model.conditions import rows
from tallystick.reports.answer import Name, Sentence, say
from tallystick.reports.context import PageData
from tallystick.rules.explain import measured_rules
from tallystick.rules.model import RuleModel
from tallystick.tree.rules import Rule

MOST = 200  # rules in the table
FEW = 12  # of rules that are shown small


def rule_sentences(model: RuleModel, table: Table, views: Sequence[ColumnView]) -> list[Sentence]:
    """Return how many rules there are, and what the one with most rows says."""
    found = measured_rules(model)
    if not found.rules:
        return [say("No rule is worth its conditions: every row is given the same shares.")]
    first = max(found.rules, key=lambda rule: rule.covers)
    conditions = " and ".join(c.sentence() for c in first.conditions)
    return [
        say(
            "{} with {} in all {} {}.",
            counted(len(found.rules), "rule"),
            counted(model.conditions, "condition"),
            "predicts" if len(found.rules) == 1 else "predict",
            Name(model.schema.predicted.name),
        ),
        say(
            "The one with most rows: if {} then {} ({}, {} of them {}).",
            Name(conditions),
            Name(str(first.answer)),
            counted(first.covers, "row"),
            percent(first.share),
            Name(str(first.answer)),
        ),
    ]


def rule_section(page: PageData, model: RuleModel) -> dict[str, Any]:
    """Return all rules, and the expression that they make of two classes."""
    return {"kind": "rules", "rules": _table(model, MOST)}


def rule_small(page: PageData, model: RuleModel) -> dict[str, Any]:
    """Return the first rules of a model that was not chosen."""
    return {"kind": "rules", "rules": _table(model, FEW)}


def _table(model: RuleModel, most: int) -> dict[str, Any]:
    found = measured_rules(model)
    shown = found.rules[:most]
    lines = [_line(str(i), rule) for i, rule in enumerate(shown, 1)]
    if found.otherwise is not None:
        lines.append(_line("", found.otherwise))
    said = expression_of(found)
    labels = model.labels
    return {
        "how": found.how,
        "rows": lines,
        "left": len(found.rules) - len(shown),
        "expression": None if said is None else {"label": labels[1], "text": said},
    }


def _line(number: str, rule: Rule) -> dict[str, Any]:
    low, high = rule.interval or (0.0, 1.0)
    return {
        "number": number,
        "when": [c.sentence() for c in rule.conditions],
        "then": str(rule.answer),
        "rows": rows(rule.covers, 1),
        "wrong": rows(rule.covers - rule.right, 1),
        "sure": f"{rule.probability or 0.0:.3f}",
        "ends": f"{low:.3f} – {high:.3f}",
    }


def rule_pulls(model: RuleModel, table: Table) -> dict[str, float]:
    """Return, by column, the share of the training rows that rules with a condition on it answer."""
    out = {column.name: 0.0 for column in model.schema.used}
    total = max(sum(model.totals), 1)
    for rule in model.rules:
        for condition in rule.conditions:
            out[condition.column.name] += sum(rule.counts) / total
    return out
