"""What a tree tells, in sentences: its first question, and groups that two conditions make.

Knows fitted trees and their training rows. Knows nothing of HTML.
Laws: a sentence has at most two conditions, and the rows that fulfil them are counted; missing values are
spoken of only where rows have them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tallystick.contracts import Table
from tallystick.data.schema import CODED
from tallystick.description import ColumnView
from tallystick.draw.text import class_words
from tallystick.models.tree import Tree
from tallystick.models.tree.sentences import Condition, condition, reachable
from tallystick.reports.answer import TELLING, ValueGroup, alone_sentence, tells
from tallystick.reports.sentences import Name, Said, listed, of_100, say

WIDEST = 40  # of a list of levels in a sentence
SHORT = 26  # of such a list where two stand together
MOST_CONDITIONS = 2
ENOUGH = 0.9  # of what two conditions tell, for one of them to be told alone
FEW = 100  # rows: fewer are counted, of more the share is told


def tree_sentences(tree: Tree, table: Table, views: Sequence[ColumnView]) -> list[Said]:
    """Return what the root's test tells, then the groups that two conditions make, then what is proven."""
    proof = [] if tree.certificate is None else [say("{}", sentence(str(tree.certificate)))]
    return [*_tree_sentences(tree, table), *proof]


def sentence(text: str) -> str:
    """Return a text that begins with a capital."""
    return text[:1].upper() + text[1:]


def _tree_sentences(tree: Tree, table: Table) -> list[Said]:
    shown = tree.shown
    nodes, target = shown.nodes, shown.schema.predicted
    if len(nodes) == 1:
        return [say("No column predicts {}: the tree asks no question.", Name(target.name))]
    groups = [_branch(shown, k, b) for k, b in enumerate(nodes.branches(0).tolist())]
    total = float(shown.rows[0].sum())
    base, reached = float(shown.rows[0].max()) / total, 1 - shown.training_error() / total
    if tells(groups, base, reached):
        out = [alone_sentence(table, column_name(shown), groups)]
        return out if len(nodes) == 1 + len(groups) else [*out, _rest_of_tree(shown, reached)]
    first = say(
        "No single column decides {}; the tree first asks for {}.",
        Name(target.name),
        Name(column_name(shown)),
    )
    return [first, *_told_groups(shown, table)]


def column_name(tree: Tree) -> str:
    """Return the column that the root tests."""
    return tree.schema.used[int(tree.nodes.column[0])].name


def _branch(tree: Tree, branch: int, node: int) -> ValueGroup:
    """Return the rows of a branch of the root: `n`, `< 3.5`, `in {a, b}`."""
    asked = condition(tree.schema, tree.nodes, 0, branch)
    words = asked.sentence(WIDEST, name="", equals="").strip()
    return ValueGroup(words, tuple(float(n) for n in tree.rows[node]), asked.never)


def _rest_of_tree(tree: Tree, reached: float) -> Said:
    columns = tree.nodes.column
    used = {tree.schema.used[int(c)].name for c in columns[columns >= 0]} - {column_name(tree)}
    order = [tree.schema.used[int(c)].name for c in columns[columns >= 0]]
    names = [n for n in dict.fromkeys(order) if n in used][:3]
    more = say(" by asking for {} as well", listed(names)) if names else say("")
    return say(
        "The whole tree makes {} groups{}, and is right for {} of its training rows.",
        f"{tree.nodes.leaves:,}",
        more,
        of_100(reached),
    )


# -- groups that two conditions make --


def _told_groups(tree: Tree, table: Table) -> list[Said]:
    """Return, for each of two classes, the group of at most two conditions that has most of it beyond its
    share of all rows; no group is told twice.
    """
    full = tree.rows.sum(axis=1)
    prior = tree.rows[0] / full[0]
    beyond = tree.rows - full[:, None] * prior  # [node, class]
    near = [n for n in range(1, len(tree.nodes)) if int(tree.nodes.depth[n]) <= MOST_CONDITIONS]
    told: dict[int, int] = {}  # the class of each group
    for c in np.argsort(-beyond[near].max(axis=0), kind="stable").tolist():
        node = max(near, key=lambda n: (beyond[n, c], -n))
        up = int(tree.nodes.parent[node])
        node = up if up > 0 and beyond[up, c] >= ENOUGH * beyond[node, c] else node
        if beyond[node, c] >= TELLING * full[node]:
            told.setdefault(node, c)
        if len(told) == 2:
            break
    return [_told_group(tree, table, node, c) for node, c in told.items()]


def _told_group(tree: Tree, table: Table, node: int, c: int) -> Said:
    conditions = way_conditions(tree, node)
    here = np.logical_and.reduce([_fulfils(table, one) for one in conditions])
    words = way_words(tree, table, node)
    assert table.classes is not None
    weight = np.ones(table.rows) if table.weights is None else table.weights / table.unit
    rows, hits = float(weight[here].sum()), float(weight[here & (table.classes == c)].sum())
    where = say("{}", Name(words[0])) if len(words) == 1 else say("{} and {}", Name(words[0]), Name(words[1]))
    label = Name(class_words(tree.schema.predicted.labels[c]))
    if rows < FEW:
        return say("Where {}, {} of {} rows are {}.", where, f"{hits:,.10g}", f"{rows:,.10g}", label)
    return say("Where {}, {} are {} ({} rows).", where, of_100(hits / rows), label, f"{rows:,.0f}")


def way_words(tree: Tree, table: Table, node: int) -> list[str]:
    """Return the conditions on the way to a node in words; missing values where its rows have them."""
    conditions = way_conditions(tree, node)
    here = np.logical_and.reduce([_fulfils(table, one) for one in conditions])
    return [_words(one, bool(_absent(table, one)[here].any()), len(conditions) > 1) for one in conditions]


def _words(one: Condition, missing: bool, several: bool) -> str:
    """Return a condition in words; missing: whether rows are among them that have no value."""
    text = one.sentence(SHORT, missing=missing)
    return f"({text})" if several and missing and one.missing and not one.never else text


def way_conditions(tree: Tree, node: int) -> list[Condition]:
    """Return the conditions on the way to a node, the first question first; of one column one."""
    found: dict[str, Condition] = {}
    while tree.nodes.parent[node] >= 0:
        up = int(tree.nodes.parent[node])
        test = reachable(tree.schema, tree.nodes, up, tree.nodes.branches(up).tolist().index(node))
        name = test.column.name
        found[name] = test.and_(found[name]) if name in found else test
        node = up
    return list(found.values())[::-1]


def _fulfils(table: Table, one: Condition) -> NDArray[np.bool_]:
    """Return of each row whether it fulfils a condition."""
    absent, values = _absent(table, one), np.asarray(table.column(one.column.name))
    between = (values >= one.low) & (values < one.high)
    known = between if one.levels is None else np.isin(values, one.levels)
    return np.asarray(np.where(absent, one.missing, known))


def _absent(table: Table, one: Condition) -> NDArray[np.bool_]:
    values = np.asarray(table.column(one.column.name))
    return values >= len(one.column.levels) if one.column.kind in CODED else np.isnan(values)
