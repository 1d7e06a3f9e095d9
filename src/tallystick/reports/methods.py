"""The face of each method in a report: its sentences, its large and its small picture, its columns, its rows.

Knows what the sections of a page ask for. Knows nothing of HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tallystick.bayes.model import NaiveBayesModel
from tallystick.contracts import Table
from tallystick.description.columns import ColumnView
from tallystick.errors import counted
from tallystick.linear.model import LogisticModel
from tallystick.linear.summary import no_scales
from tallystick.reports.answer import Said, bayes_sentences, logistic_sentences, say
from tallystick.reports.columns import additive_number_sentences, number_pulls, tree_number_sentences
from tallystick.reports.context import Ingredients, additive_pulls, card_pulls, tree_pulls
from tallystick.reports.rows import (
    Groups,
    answer_groups,
    class_groups,
    leaf_groups,
    no_reasons,
)
from tallystick.reports.weights import bayes_weights, logistic_weights, number_weights, scales_data
from tallystick.rules.report import rule_pulls, rule_section, rule_sentences, rule_small
from tallystick.scorecard.report import card_reasons, card_section, card_sentences, card_small
from tallystick.tree.explain import in_few_digits
from tallystick.tree.model import Tree
from tallystick.tree.picture import tree_svg
from tallystick.tree.report import (
    CANDIDATES,
    asked_columns,
    tree_data,
    tree_facts,
    tree_sentences,
    with_candidates,
)

SMALL = 15  # boxes of a tree that is shown small

Data = dict[str, Any]


@dataclass(frozen=True)
class MethodSection:
    """What a report asks of a method. sentences: what decides the target. section, small: the model as the
    template draws it, large and small. pulls: how far each column moves the model. groups: rows that belong
    together, of which a typical one is shown. reasons: what weighs most in a row for one class against
    another. told: the model whose words the page shows, which answers the training rows alike.
    """

    sentences: Callable[[Any, Table, Sequence[ColumnView]], list[Said]]
    section: Callable[[Ingredients, Any], Data]
    small: Callable[[Ingredients, Any], Data]
    pulls: Callable[[Any, Table], dict[str, float]]
    groups: Callable[[Ingredients], Groups] = class_groups
    reasons: Callable[[Any, Table, int, tuple[int, int]], list[dict[str, str]]] = no_reasons
    told: Callable[[Any, Table], Any] = lambda model, table: model


def _plain_sentences(model: Any, table: Table, views: Sequence[ColumnView]) -> list[Said]:
    return [say("The model looks at {}.", counted(len(model.schema.used), "column"))]


def _plain_pulls(model: Any, table: Table) -> dict[str, float]:
    return {column.name: 1.0 for column in model.schema.used}


def _tree_section(given: Ingredients, model: Tree) -> Data:
    asked = asked_columns(model, given.table)
    return {"kind": "tree", "tree": tree_data(model, asked), "facts": tree_facts(model, asked)}


def _tree_small(given: Ingredients, model: Tree) -> Data:
    told = in_few_digits(model, given.table)
    return {"kind": "tree", "svg": tree_svg(told, SMALL), "nodes": f"{len(model.shown.nodes):,}"}


def _told_tree(tree: Tree, table: Table) -> Tree:
    return in_few_digits(tree, table, CANDIDATES, tree.shown_numbers[with_candidates(tree.shown)])


def _bayes_section(given: Ingredients, model: NaiveBayesModel) -> Data:
    weights = bayes_weights(given, model, large=True)
    return {"kind": "scales", "scales": scales_data(given, model), "weights": weights}


def _bayes_small(given: Ingredients, model: NaiveBayesModel) -> Data:
    return {"kind": "weights", "weights": bayes_weights(given, model, large=False)}


def _logistic_section(given: Ingredients, model: LogisticModel) -> Data:
    weights = logistic_weights(given, model, large=True)
    return {"kind": "scales", "scales": scales_data(given, model, no_scales(model)), "weights": weights}


def _logistic_small(given: Ingredients, model: LogisticModel) -> Data:
    return {"kind": "weights", "weights": logistic_weights(given, model, large=False)}


def _number_tree_sentences(tree: Tree, table: Table, views: Sequence[ColumnView]) -> list[Said]:
    return tree_number_sentences(tree, table)


def _linear_sentences(model: Any, table: Table, views: Sequence[ColumnView]) -> list[Said]:
    return additive_number_sentences(model, table)


def _linear_section(given: Ingredients, model: Any) -> Data:
    return {"kind": "numbers", "weights": number_weights(given, model)}


def _no_section(given: Ingredients, model: Any) -> Data:
    return {"kind": "none"}


PLAIN = MethodSection(_plain_sentences, _no_section, _no_section, _plain_pulls)
TREE = MethodSection(tree_sentences, _tree_section, _tree_small, tree_pulls, leaf_groups, told=_told_tree)
BAYES = MethodSection(bayes_sentences, _bayes_section, _bayes_small, additive_pulls)
LOGISTIC = MethodSection(logistic_sentences, _logistic_section, _logistic_small, additive_pulls)
CARD = MethodSection(card_sentences, card_section, card_small, card_pulls, reasons=card_reasons)
NUMBER_TREE = MethodSection(
    _number_tree_sentences, _tree_section, _tree_small, tree_pulls, leaf_groups, told=_told_tree
)
LINEAR = MethodSection(_linear_sentences, _linear_section, _linear_section, number_pulls, answer_groups)
RULES = MethodSection(rule_sentences, rule_section, rule_small, rule_pulls)
