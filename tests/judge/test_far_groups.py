"""Errors by group from sums over blocks of answers: the rates of all answers at once."""

from __future__ import annotations

import json
from functools import reduce

import numpy as np
import pyarrow as pa
import pytest
from far_rows import keep_columns_far, mixed_rows, sent
from hypothesis import given
from hypothesis import strategies as st

import tallystick as ts
from tallystick.judge.groups import Grouping, error_rates
from tallystick.judge.out_of_core import CountedCodes, FarFolds, beside_name, quartiles, rates_far
from tallystick.judge.result import FoldAnswers
from tallystick.schema import Column, Schema, Target
from tallystick.stats.values import RankedPiece
from tallystick.table.block import RowBlock as Block
from tallystick.table.subset import take_block

SCHEMA = Schema((), Target("y", ("a", "b", "c")))


class Rows:
    """Blocks that are summed one by one. sizes[fold]: rows."""

    def __init__(self, blocks, sizes=()):
        self.blocks, self.sizes, self.schema, self.unit = blocks, sizes, SCHEMA, 1

    def total(self, question, *_):
        parts = [question.add(question.zero(), block) for block in self.blocks]
        return reduce(question.merge, parts, question.zero())


@pytest.mark.parametrize("many", [3, 40])  # groups: of more than 20 the small ones are shown as one
@pytest.mark.parametrize("tested", [150, 200])
def test_rates_from_sums_are_those_of_all_answers(many, tested):
    rng = np.random.default_rng(many)
    group = np.minimum(rng.geometric(1.5 / many, 200), many) - 1
    group[150:] = many - 1
    truth, shares = rng.integers(0, 3, 200), rng.dirichlet([0.4, 0.5, 0.6], 200)
    fold = np.where(np.arange(200) < tested, 0, -1)
    rule = np.array([[0, 1, 2.5], [1, 0, 1], [3, 1, 0]])
    column = Column("g", "levels", tuple(f"g{i:02}" for i in range(many)))
    names = np.array([*column.levels, "(missing)", "(unseen)"], object)[group]
    here = error_rates(names, truth, FoldAnswers(shares, fold), None, rule)
    grouping = Grouping.of(column)
    own = {str(c): np.ascontiguousarray(shares[:, c]) for c in range(3)}
    own[beside_name(grouping)] = grouping.work(Block(200, {"g": group.astype(np.uint8)}))
    whole = Block(200, own, truth.astype(np.uint8))
    blocks = [take_block(whole, rows) for rows in np.array_split(np.arange(tested), 4)]
    every = [*blocks, take_block(whole, np.arange(tested, 200))]
    parts = FarFolds(Rows(every, (tested, 200 - tested)), ((1,),), (0,))
    assert json.dumps(rates_far(parts, Rows(blocks), grouping, rule)) == json.dumps(here)
    assert len(here) == min(many, 21)


@pytest.mark.slow
@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30), st.integers(1, 5))
def test_quartiles_of_pieces_are_those_of_all_numbers(values, size):
    values = np.array(values) + 0.0  # one zero
    found, full = np.unique(values, return_counts=True)

    class Pieces:
        totals = np.array([len(values)])

        def ask(self, work):
            starts = range(0, len(found), size)
            pieces = [(slice(i, i + size), np.array([full[:i].sum()]), i) for i in starts]
            return [work(RankedPiece(found[s], full[s, None], before, i)) for s, before, i in pieces]

    assert quartiles(Pieces()) == tuple(np.unique(np.quantile(values, (0.25, 0.5, 0.75))).tolist())


def test_numbers_that_no_row_has_are_not_cut():
    assert quartiles(CountedCodes(np.zeros(3, np.int64))) == ()


@pytest.mark.slow
def test_errors_by_group_of_rows_that_stay_with_spark_are_those_here(spark, monkeypatch):
    keep_columns_far(monkeypatch)
    rng = np.random.default_rng(7)
    table = mixed_rows(60).slice(0, 60).drop_columns(["x"])
    table = table.append_column("x", pa.array(rng.normal(size=60)))  # no two rows are equal
    table = table.append_column("n", pa.array(np.where(rng.random(60) < 0.2, np.nan, rng.normal(size=60))))
    table = table.append_column("who", pa.array(rng.choice(["ann", "bob"], 60)))
    model = ts.NaiveBayes(distributions="gaussian", kinds={"n": "out", "who": "out"})
    asked = {"folds": (0.5, 0.5), "by": ["who", "n", "colour"], "threshold": 0.3}
    here = ts.cross_validate(model, table, "y", **asked)
    there = ts.cross_validate(model, sent(spark, table), "y", **asked)
    assert json.dumps(there.to_dict()) == json.dumps(here.to_dict())
    assert str(there) == str(here)
    assert list(there.groups) == ["who", "n", "colour"]
    assert there.said_by("who") == here.said_by("who")


@pytest.mark.slow
def test_equal_rows_of_a_dataframe_are_told_by_their_groups_alike_brought_here_or_not(spark, monkeypatch):
    rng = np.random.default_rng(2)
    table = pa.table({"x": np.repeat([1.0, 2.0, 3.0], 20), "y": rng.choice(["p", "q"], 60)})
    table = table.append_column("who", pa.array(rng.choice(["ann", "bob", "cy"], 60)))
    table = table.append_column("n", pa.array(rng.normal(size=60)))
    model = ts.NaiveBayes(distributions="gaussian", kinds={"n": "out", "who": "out"})
    asked = {"folds": 2, "by": ["who", "n"]}
    brought = ts.cross_validate(model, sent(spark, table), "y", **asked)
    keep_columns_far(monkeypatch)
    there = ts.cross_validate(model, sent(spark, table.take(rng.permutation(60))), "y", **asked)
    assert json.dumps(there.to_dict()) == json.dumps(brought.to_dict())
