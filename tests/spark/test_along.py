"""What goes along with other questions is told as if it had been asked alone, and is asked once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.kernels.trees import GrowRules
from tallystick.spark.table import Along, Spark, in_one_walk
from tallystick.stats import quantiles as finer_cells
from tallystick.stats.exact import Prints, TwoStatistics
from tallystick.stats.quantiles import Spreads, ValuesInCells, same_question
from tallystick.table.reader import read_table
from tallystick.tree.growth import GrowingTree


def rows(n=500):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n, 2))
    y = np.where(x.sum(axis=1) > 0, "a", "b")
    return pa.table({"x": x[:, 0], "z": x[:, 1], "sky": rng.choice(["sun", "rain"], n), "y": y})


def test_the_spread_goes_first_then_the_values_then_nothing():
    table = read_table(open_source(rows()), None, "y")
    along = Along(table.schema, table.rows)
    first = along.next()
    assert isinstance(first, Spreads)
    assert along.known(first) is None
    along.take(first, Local(1).total(table, first))
    assert along.known(replace(first)) is along.totals[0][1]
    second = along.next()
    assert isinstance(second, ValuesInCells)
    along.take(second, Local(1).total(table, second))
    assert along.next() is None
    assert along.known(second) is along.totals[1][1]
    other = replace(second, there=tuple(~there for there in second.there))
    assert along.known(other) is None
    assert not same_question(first, second)


def test_crowded_cells_are_not_asked_for_along(monkeypatch):
    table = read_table(open_source(rows()), None, "y")
    along = Along(table.schema, table.rows)
    first = along.next()
    along.take(first, Local(1).total(table, first))
    monkeypatch.setattr(finer_cells, "MOST_NEAR", 0)
    assert along.next() is None


def test_a_trees_finer_cells_tell_what_goes_along_and_other_questions_do_not():
    table = read_table(open_source(rows()), None, "y")
    along = Along(table.schema, table.rows)
    tree = GrowingTree(table.schema, (0, 1), GrowRules(), max_bins=8, rows=table.rows * 8)
    total = Local(1).total

    def walked(question, more):
        asked, parted = in_one_walk(question, more)
        looked = sum_of(asked, table)
        return asked, parted(looked)

    spreads = along.next()
    asked, (look, found) = walked(tree, spreads)
    assert asked is tree
    assert [s.cells.tolist() for s in found] == [s.cells.tolist() for s in total(table, spreads)]
    along.take(spreads, found)
    near, more = tree.near(look), along.next()
    asked, (own, beside) = walked(near, more)
    assert isinstance(asked, ValuesInCells)
    for found, alone in ((own, total(table, near)), (beside, total(table, more))):
        assert [v.values.tolist() for v in found] == [v.values.tolist() for v in alone]
    asked, (_, found) = walked(Prints(table.schema), spreads)
    assert isinstance(asked, TwoStatistics)
    assert [s.cells.tolist() for s in found] == [s.cells.tolist() for s in total(table, spreads)]


def sum_of(question, table):
    """The total as an engine makes it that has no shortcut."""
    found = question.zero()
    for block in table.blocks():
        found = question.add(found, block)
    return found


def test_nothing_goes_along_where_there_are_no_numbers():
    table = read_table(open_source(rows().select(["sky", "y"])), None, "y")
    assert Along(table.schema, table.rows).next() is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "walks"),
    [
        (lambda: ts.DecisionTree(max_depth=3, max_bins=8, kinds={"sky": "out"}), 6),
        (lambda: ts.NaiveBayes(distributions="gaussian", kinds={"sky": "out"}), 2),
        (lambda: ts.DecisionTree(max_depth=3), 5),
    ],
)
def test_a_profile_costs_few_walks_and_is_that_of_the_rows_here(spark, monkeypatch, make, walks):
    asked, plain = [], Spark.sum
    monkeypatch.setattr(
        Spark, "sum", staticmethod(lambda b, q: asked.append(type(q).__name__) or plain(b, q))
    )
    data = rows()
    there = make().fit(spark.createDataFrame(data), "y")
    assert len(asked) <= walks, asked
    assert there.to_bytes() == make().fit(data, "y").to_bytes()
