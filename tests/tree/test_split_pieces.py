"""The best cut in pieces: a short table is judged as the whole one is, wherever the pieces begin."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.kernels.trees import GrowColumn, GrowRules, Judge
from tallystick.stats.values import ValueTable, value_table
from tallystick.table.reader import read_table
from tallystick.tree.growth import GrowingTree, GrowthScale, ScoreWeights, ValueScale
from tallystick.tree.off_memory import (
    PieceJudge,
    Subtree,
    short_table,
    sums_of,
    whole_of,
)
from tallystick.tree.tables import CodedColumn, Coding, Level, OpenNodes

TABLE = read_table(open_source({"x": [1.5, 2.5, 3.5, 4.5], "y": ["a", "a", "b", "b"]}), None, "y")
NUMBERS = read_table(open_source({"x": [1.5, 2.5], "y": [2.5, 0.5]}), None, "y", regression=True)
row = st.tuples(st.one_of(st.none(), st.integers(0, 9)), st.integers(0, 1), st.integers(0, 3))


def open_nodes(rules, classes, rows):
    schema = TABLE.schema if classes else NUMBERS.schema
    scale = GrowthScale(ValueScale(), ScoreWeights(None, rows), rows)
    return OpenNodes(GrowingTree(schema, (0,), rules), scale, (0,), (rows,))


def pieces_of(whole, ends):
    at = [0, *np.searchsorted(whole.values, ends).tolist(), len(whole.values)]
    none = np.zeros_like(whole.table[-1:])
    parts = list(pairwise(at))
    return [
        ValueTable(np.concatenate([whole.table[a:b], none if i else whole.table[-1:]]), whole.values[a:b])
        for i, (a, b) in enumerate(parts)
    ]


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(
    st.lists(row, min_size=1, max_size=25),
    st.lists(st.integers(0, 10), max_size=4),
    st.sampled_from(["entropy", "ratio", "gini", "variance"]),
    st.booleans(),
    st.integers(1, 4),
)
def test_a_short_table_is_judged_as_the_whole_one(rows, ends, criterion, fractions, least):
    values = np.array([np.nan if v is None else v for v, _, _ in rows], float)
    labels, weights = np.array([c for _, c, _ in rows], np.uint8), np.array([w for _, _, w in rows])
    classes = 0 if criterion == "variance" else 2
    rules = GrowRules(criterion, penalty=1.0, fractions=fractions, min_leaf=least)
    counted = [(labels, weights)]
    if not classes:
        counted = [(np.zeros(len(rows), np.uint8), weights), (np.ones(len(rows), np.uint8), weights * labels)]
    whole = value_table(values, counted, 2)
    heavy = max(int(weights.sum()), 1)
    nodes = open_nodes(rules, classes, heavy)
    pieces = pieces_of(whole, np.unique(np.array(ends, float)))
    sums = [sums_of(piece) for piece in pieces]
    best = PieceJudge(nodes)
    short = short_table(whole_of(sums), [best.best(piece, sums, r) for r, piece in enumerate(pieces)])
    assert len(short.table) <= 3
    judge = Judge([GrowColumn("numeric", np.empty(0, np.uint8))], [0], rules, classes, heavy, heavy)

    def said(found):
        vectors = nodes.scale.weighing.vectors(found.table, classes)
        return judge.judge(vectors.sum(axis=0), [vectors], 0, 1.0, [found.values], [found.cuts])

    expected, own = said(whole), said(short)
    for name, array in expected.items():
        assert np.array_equal(own[name], array, equal_nan=array.dtype.kind == "f"), name


def test_rows_brought_together_grow_as_the_whole_table_does():
    question = GrowingTree(TABLE.schema, (0,), GrowRules())
    nodes = open_nodes(GrowRules(), 2, 4)
    form = CodedColumn((Coding("x", "numeric", 0),))
    arrays = Subtree(nodes, form.codings)(form(TABLE.slice(0, 4)), 0)
    grown = question.solve(TABLE, Local(1))
    assert arrays["cut"][0] == grown.arrays["cut"][0] == 3.0
    assert arrays["counts"].tolist() == grown.arrays["counts"].tolist()
    shallow = open_nodes(GrowRules(max_depth=2), 2, 4)
    assert Subtree(shallow, form.codings)(form(TABLE.slice(0, 4)), 2)["column"].tolist() == [-1]


def test_an_answer_tells_tables_or_the_tree_below():
    table = ValueTable(np.array([[1, 2], [3, 4]]), np.array([0.5]))
    below = [None, {"column": np.array([-1])}]
    answer = Level([[table, ValueTable(np.zeros((1, 2), np.int64))]], np.zeros((2, 8), np.int64), below)
    assert answer.counts(0).tolist() == [4, 6]
    assert answer.node(0)[0] == [table]
    assert answer.grown(0) is None
    assert answer.grown(1)["column"].tolist() == [-1]


@pytest.mark.parametrize("values", [[], [1.0]])
def test_pieces_without_a_cut_say_what_there_is(values):
    whole = value_table(np.array([*values, np.nan]), [(np.zeros(len(values) + 1, np.uint8), None)], 2)
    nodes = open_nodes(GrowRules(), 2, 2)
    sums = [sums_of(whole)]
    short = short_table(whole_of(sums), [PieceJudge(nodes).best(whole, sums, 0)])
    assert (short.values.tolist(), short.table.tolist()) == (values, whole.table.tolist())
