"""What each method adds to a report: its sentences, large and small picture, columns and rows, as data.

Entry: `MethodSection`, one for each method; HTML is made elsewhere.
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
from tallystick.reports.answer import Sentence, bayes_sentences, logistic_sentences, say
from tallystick.reports.columns import additive_number_sentences, tree_number_sentences
from tallystick.reports.context import PageData, additive_pulls, card_pulls, tree_pulls
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
    another. readable: the model whose words the page shows, which answers the training rows alike.
    """

    sentences: Callable[[Any, Table, Sequence[ColumnView]], list[Sentence]]
    section: Callable[[PageData, Any], Data]
    small: Callable[[PageData, Any], Data]
    pulls: Callable[[Any, Table], dict[str, float]]
    groups: Callable[[PageData], Groups] = class_groups
    reasons: Callable[[Any, Table, int, tuple[int, int]], list[dict[str, str]]] = no_reasons
    readable: Callable[[Any, Table], Any] = lambda model, table: model


def _tree_section(page: PageData, model: Tree) -> Data:
    asked = asked_columns(model, page.table)
    return {"kind": "tree", "tree": tree_data(model, asked), "facts": tree_facts(model, asked)}


def _tree_small(page: PageData, model: Tree) -> Data:
    short = in_few_digits(model, page.table)
    return {"kind": "tree", "svg": tree_svg(short, SMALL), "nodes": f"{len(model.shown.nodes):,}"}


def _readable_tree(tree: Tree, table: Table) -> Tree:
    return in_few_digits(tree, table, CANDIDATES, tree.shown_numbers[with_candidates(tree.shown)])


def _bayes_section(page: PageData, model: NaiveBayesModel) -> Data:
    weights = bayes_weights(page, model, large=True)
    return {"kind": "scales", "scales": scales_data(page, model), "weights": weights}


def _bayes_small(page: PageData, model: NaiveBayesModel) -> Data:
    return {"kind": "weights", "weights": bayes_weights(page, model, large=False)}


def _logistic_section(page: PageData, model: LogisticModel) -> Data:
    weights = logistic_weights(page, model, large=True)
    return {"kind": "scales", "scales": scales_data(page, model, no_scales(model)), "weights": weights}


def _logistic_small(page: PageData, model: LogisticModel) -> Data:
    return {"kind": "weights", "weights": logistic_weights(page, model, large=False)}


def _linear_section(page: PageData, model: Any) -> Data:
    return {"kind": "numbers", "weights": number_weights(page, model)}


PLAIN = MethodSection(  # of a method that has nothing of its own to show
    lambda model, table, views: [say("The model looks at {}.", counted(len(model.schema.used), "column"))],
    lambda page, model: {"kind": "none"},
    lambda page, model: {"kind": "none"},
    lambda model, table: {column.name: 1.0 for column in model.schema.used},
)
TREE = MethodSection(
    tree_sentences, _tree_section, _tree_small, tree_pulls, leaf_groups, readable=_readable_tree
)
BAYES = MethodSection(bayes_sentences, _bayes_section, _bayes_small, additive_pulls)
LOGISTIC = MethodSection(logistic_sentences, _logistic_section, _logistic_small, additive_pulls)
CARD = MethodSection(card_sentences, card_section, card_small, card_pulls, reasons=card_reasons)
NUMBER_TREE = MethodSection(
    tree_number_sentences, _tree_section, _tree_small, tree_pulls, leaf_groups, readable=_readable_tree
)
LINEAR = MethodSection(
    additive_number_sentences, _linear_section, _linear_section, additive_pulls, answer_groups
)
RULES = MethodSection(rule_sentences, rule_section, rule_small, rule_pulls)
