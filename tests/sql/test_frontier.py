"""The tables of open nodes, and when a database is not asked for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sql_tables import awkward, duckdb_address, put

import tallystick as ts
from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.sql.frontier import frontier_of
from tallystick.table.reader import read_table
from tallystick.tree import tables as level_tables
from tallystick.tree.growth import ValueScale
from tallystick.tree.tables import CodedColumn, Coding, LevelCounts

pytestmark = pytest.mark.slow

FRAME = awkward()
FORM = CodedColumn(
    (
        Coding("sky", "levels", 4),
        Coding("x", "numeric", 3, np.array([2.0, 5.0]), True),
        Coding("v", "numeric", 63, np.arange(-3.0, 60.0)),
    )
)
TESTS = (  # by levels, then by bins with missing apart, then by a value
    level_tables.Test(0, 0, np.array([1, 2, 1, 2, 1])),
    level_tables.Test(1, 1, np.array([3, 3, 4, 3])),
    level_tables.Test(4, 2, np.array([5] * 30 + [6] * 33 + [6])),
)
QUESTION = LevelCounts(FORM, TESTS, (2, 3, 5, 6), 7, 2, ValueScale())


@pytest.fixture
def there(tmp_path):
    made = ts.DecisionTree(engine=ts.Sql())._read(put(duckdb_address(tmp_path), "t", FRAME), "y")
    yield made
    made.release()


def test_tables_of_nodes_are_the_sums(there):
    here = read_table(open_source(FRAME), None, "y")
    found, summed = frontier_of(there, QUESTION), Local(1).total(here, QUESTION)
    for i in range(len(QUESTION.open)):
        for mine, own in zip(found.node(i)[0], summed.node(i)[0], strict=True):
            np.testing.assert_array_equal(mine.table, own.table)


def test_numbers_as_they_are_and_regressions_are_not_asked_for_there(there):
    plain = CodedColumn((*FORM.codings[:2], Coding("v", "numeric", 0)))
    assert frontier_of(there, replace(QUESTION, form=plain, tests=TESTS[:2])) is None
    assert frontier_of(there, replace(QUESTION, classes=0)) is None
