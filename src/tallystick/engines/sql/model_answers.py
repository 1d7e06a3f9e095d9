"""What a model answers to rows that are in a database: a tree by the node at which a row ends, naive Bayes by
its scores.

Knows the terms of additive models and the nodes of trees. Law: the sums are those of `AnswerCounts.add` over
all rows. A database's own exp may round otherwise than ours: a row whose share lies so near to the end of a
step, or to another class's, that this could matter is fetched, and answered here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.engines.sql.cards import card_answers
from tallystick.engines.sql.frontier import MOST_TESTS
from tallystick.engines.sql.table import RowGroups, SqlTable, numbers
from tallystick.engines.sql.words import literal, parted, place_among
from tallystick.models.additive import BinTerm, LevelTerm, NormalTerm, Term
from tallystick.models.naive_bayes import NaiveBayesModel
from tallystick.models.profile import STEPS
from tallystick.models.scorecard.model import ScorecardModel
from tallystick.models.tree import Tree
from tallystick.models.tree.nodes import STAYS
from tallystick.stats.known_answers import answers_at_nodes
from tallystick.stats.profile import AnswerCounts, AnswerSums

MOST_CLASSES = 12  # steps of so many classes together are fewer groups than rows
ROUNDING = 2.0**-44  # of a score, for each of its terms: far beyond what arithmetic may differ by
LEAST = -700.0  # of a logarithm: its exp is still a number

Array = NDArray[np.float64]


def answer_counts(table: SqlTable, question: AnswerCounts) -> AnswerSums | None:
    """Return the classes of the rows, and what the model answers to them; None: of fetched rows."""
    way = WAYS.get(type(question.model))
    return None if way is None else way(table, question, question.model)


# ---- trees ----


def _of_tree(table: SqlTable, question: AnswerCounts, tree: Tree) -> AnswerSums | None:
    if tree.spreads or len(tree.nodes) > 2 * MOST_TESTS:
        return None
    used = [c.name for c in table.schema.used]
    query = table.words.layer(table.rows_of(used), ["y", "w", f"{_node(tree)} AS node"])
    (group,) = table.groups(query, [["node"]])
    return answers_at_nodes(tree, group.keys[0].astype(np.int64), group.classes, group.weights)


def _node(tree: Tree) -> str:
    """Return the CASE for the node at which a row ends."""
    nodes = tree.nodes

    def ends(node: int) -> str:
        column = int(nodes.column[node])
        if column < 0:
            return str(node)
        below, away, cut = nodes.branches(node), int(nodes.missing_branch[node]), float(nodes.cut[node])

        def branch(k: int) -> str:
            return str(node) if k == STAYS else ends(int(below[k]))

        if cut == cut:
            told = {k: branch(k) for k in {0, 1, away}}
            return parted(f"c{column}", cut, told[0], told[1], told[away])
        ways: dict[int, list[int]] = {}
        for code, k in enumerate(nodes.levels(node).tolist()):
            ways.setdefault(k, []).append(code)
        ways.pop(away, None)
        each = [f"WHEN c{column} IN ({', '.join(map(str, own))}) THEN {branch(k)}" for k, own in ways.items()]
        return f"CASE {' '.join(each)} ELSE {branch(away)} END" if each else branch(away)

    return ends(0)


# ---- naive Bayes ----


def _of_bayes(table: SqlTable, question: AnswerCounts, model: NaiveBayesModel) -> AnswerSums | None:
    terms = model.additive.terms
    plain = model.calibration is None and model.decision is None
    if not plain or question.classes > MOST_CLASSES or question.classes < 2 or not _are_known(terms):
        return None
    scored = _scored(table, model)
    steps = [f"a_{k}" for k in range(question.classes)]
    found = table.query(
        f"SELECT given, {', '.join(steps)}, CAST(SUM(w) AS BIGINT) AS w FROM ({scored}) AS r "
        f"WHERE given IS NOT NULL GROUP BY given, {', '.join(steps)}"
    )
    total = question.zero()
    heavy = numbers(found["w"]).astype(np.int64)
    np.add.at(total.given, numbers(found["given"]).astype(np.int64), heavy)
    for k, name in enumerate(steps):
        np.add.at(total.shares, k * STEPS + numbers(found[name]).astype(np.int64), heavy)
    near = question.add(question.zero(), _near_an_end(table, scored))
    total.given[...] += near.given
    total.shares[...] += near.shares
    every = table.query(f"SELECT y, CAST(SUM(w) AS BIGINT) AS w FROM ({table.rows_of([])}) AS r GROUP BY y")
    np.add.at(total.classes, numbers(every["y"]).astype(np.int64), numbers(every["w"]).astype(np.int64))
    return total


def _are_known(terms: Sequence[Term]) -> bool:
    """Are all terms such that SQL has words for them, and their numbers finite?"""
    for term in terms:
        if isinstance(term, LevelTerm | BinTerm):
            if not np.isfinite(term.table).all():
                return False
        elif not isinstance(term, NormalTerm):
            return False
    return True


def _near_an_end(table: SqlTable, scored: str) -> Any:
    """Return the rows whose answer the database cannot be sure of, as a block."""
    names = [c.name for c in table.schema.used]
    cells = ["y", "w", *(f"c{i}" for i in range(len(names)))]
    found = table.query(f"SELECT {', '.join(cells)} FROM ({scored}) AS r WHERE given IS NULL")
    keys = tuple(numbers(found[f"c{i}"]) for i in range(len(names)))
    classes = table.classes_from(numbers(found["y"]))
    return table.block_of(RowGroups(keys, classes, numbers(found["w"]).astype(np.int64)), names)


def _scored(table: SqlTable, model: NaiveBayesModel) -> str:
    """Return the query of rows with `given`, the class answered, and a_k, the step of each class's share;
    given is NULL where rounding could change any of them.
    """
    words, names = table.words, [c.name for c in table.schema.used]
    kept, classes = ["y", "w", *(f"c{i}" for i in range(len(names)))], range(len(model.additive.base))
    query = _with_scores(table, model, kept)
    most = f"GREATEST({', '.join(f's_{k}' for k in classes)})"
    far = f"GREATEST({', '.join(f'ABS(s_{k})' for k in classes)})"
    error = f"{literal(ROUNDING * (len(names) + 8))} * ({far} + {literal(_largest(model))})"
    own = [f"s_{k}" for k in classes]
    query = words.layer(query, [*kept, *own, f"{most} AS top", f"{error} AS e"])
    powers = [f"EXP(GREATEST(s_{k} - top, {literal(LEAST)})) AS x_{k}" for k in classes]
    query = words.layer(query, [*kept, "e", *powers])
    together = " + ".join(f"x_{k}" for k in classes)
    query = words.layer(query, [*kept, "e", *(f"x_{k} / ({together}) AS x_{k}" for k in classes)])
    low = [f"{_step(f'GREATEST(x_{k} - e, 0)')} AS a_{k}" for k in classes]
    high = [f"{_step(f'(x_{k} + e)')} AS b_{k}" for k in classes]
    best = [
        f"WHEN {' AND '.join(f'x_{k} > x_{other} + 2 * e' for other in classes if other != k)} THEN {k}"
        for k in classes
    ]
    query = words.layer(query, [*kept, *low, *high, f"CASE {' '.join(best)} END AS best"])
    sure = " AND ".join(f"a_{k} = b_{k}" for k in classes)
    steps = [f"a_{k}" for k in classes]
    return words.layer(query, [*kept, *steps, f"CASE WHEN {sure} THEN best END AS given"])


def _with_scores(table: SqlTable, model: NaiveBayesModel, kept: Sequence[str]) -> str:
    """Return the query of rows with their score s_k of each class."""
    names, terms = [c.name for c in table.schema.used], {t.column: t for t in model.additive.terms}
    places = [
        f"{place_among(f'c{i}', t.cuts, at=True, missing=len(t.cuts) + 1)} AS p{i}"
        for i, name in enumerate(names)
        if isinstance(t := terms[name], BinTerm)
    ]
    query = table.words.layer(table.rows_of(names), [*kept, *places])
    scores = []
    for k, base in enumerate(model.additive.base):
        parts = [literal(base), *(_part(terms[name], i, k) for i, name in enumerate(names))]
        scores.append(f"{' + '.join(parts)} AS s_{k}")
    return table.words.layer(query, [*kept, *scores])


def _step(share: str) -> str:
    return f"CAST(TRUNC(LEAST({share} * {STEPS}, {STEPS - 1})) AS BIGINT)"


def _part(term: Term, i: int, k: int) -> str:
    """Return what a column adds to the score of class k."""
    if isinstance(term, NormalTerm):
        away = f"(c{i} - {literal(term.mean[k])})"
        part = f"{literal(term.constant[k])} - {away} * {away} * {literal(term.half[k])}"
        return f"CASE WHEN c{i} IS NULL THEN 0 ELSE {part} END"
    assert isinstance(term, LevelTerm | BinTerm)
    place = f"p{i}" if isinstance(term, BinTerm) else f"c{i}"
    values = ", ".join(map(literal, term.table[:, k]))
    return f"(ARRAY[{values}])[{place} + 1]"


def _largest(model: NaiveBayesModel) -> float:
    """Return the most that base and parts may add up to, squares aside: those are known from a score."""
    most = 1.0 + float(np.abs(model.additive.base).max())
    for term in model.additive.terms:
        own = term.constant if isinstance(term, NormalTerm) else term.table  # type: ignore[attr-defined]
        most += 2 * float(np.abs(own).max(initial=0.0))
    return most


WAYS: Mapping[type[Any], Callable[[SqlTable, AnswerCounts, Any], AnswerSums | None]] = {
    NaiveBayesModel: _of_bayes,
    ScorecardModel: card_answers,
    Tree: _of_tree,
}
