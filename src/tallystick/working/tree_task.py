"""The working of one tree as a whole: the table, the grown tree node by node, pruning, the tree and a row.

Knows fitted tree estimators. Knows no format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallystick.errors import OptionError
from tallystick.models.tree.text import count
from tallystick.working.document import Drawing, Headline, Part, Sentence, Space
from tallystick.working.given import MOST_WHOLE, opening
from tallystick.working.pieces import line, said
from tallystick.working.tree import ended, grown

if TYPE_CHECKING:
    from tallystick.contracts import Table
    from tallystick.estimators import DecisionTree

PLAIN = ("class_weight", "priors", "costs")  # rows that do not count equally are not counted by hand


def tree_parts(
    estimator: DecisionTree, table: Table, title: str, row: tuple[Any, int] | None, whole: bool
) -> list[Part]:
    """Return the working of a fitted tree."""
    for name in PLAIN:
        if getattr(estimator, name) is not None:
            raise OptionError(f"a working counts every row once, and {name}= is given. Leave it out.")
    task = ("Grow the tree by hand: at every node work out the entropy, and for every column what it gains.",)
    parts = opening(title, table, task, (*estimator.source_notes_, *estimator.notes_))
    if not whole:
        parts.append(_only_root(table))
    full = type(estimator)(**estimator.get_params(deep=False) | {"pruning": None})
    tree = full._grow(table, full._engine()) if estimator.pruning is not None else estimator.model_
    parts += grown(tree, table.slice(0, table.rows), estimator._options(), whole)
    if whole:
        parts += _pruned(estimator, tree.nodes.leaves)
        parts += ended(estimator.model_)
    return parts if row is None else [*parts, *_way(estimator, row)]


def _only_root(table: Table) -> Sentence:
    words = f"A working of {table.rows:,} rows would fill a book: only the root is worked out"
    return Sentence((f"{words} (whole up to {MOST_WHOLE} rows).",))


def _pruned(estimator: DecisionTree, leaves: int) -> list[Part]:
    """Say what pruning, or the average over prunings, made of the grown tree."""
    model = estimator.model_
    if model.averaged is not None:
        words = (
            f"Answers are averaged over all prunings of this tree of {count(leaves, 'leaf')}; the most "
            "probable one is shown below."
        )
        return [Headline(("Averaging",), role="answer"), Sentence((words,), "answer")]
    if estimator.pruning is None:
        return []
    kept = model.nodes.leaves
    words = f": {count(kept, 'leaf')} of {leaves:,} {'is' if kept == 1 else 'are'} left."
    return [
        Headline(("Pruning",), role="answer"),
        Sentence(line("Pruned by ", said(repr(estimator.pruning)), words), "answer"),
    ]


def _way(estimator: DecisionTree, row: tuple[Any, int]) -> list[Part]:
    """Return the way of a row down the tree."""
    found = estimator.explain(*row)
    return [
        Headline(("A row",)),
        Sentence(("Follow the row down the tree.",), "question"),
        Space(3),
        Drawing(tuple(str(found).split("\n"))),
    ]
