"""A tree in SQL: ways are those of the tree, and no expression is nested deeper than a database takes."""

from __future__ import annotations

import duckdb

from tallystick.export import sql as tests
from tallystick.export.form import Form
from tallystick.export.sql import DEEP, below, ends
from tallystick.export.sql_dialects import DIALECTS
from tallystick.schema import Column

DUCKDB = DIALECTS["duckdb"]
COLUMNS = (Column("n", "numeric"), Column("c", "levels", levels=("u", "v", "w")))


def tree(nodes, columns=COLUMNS):
    return Form("decision-tree", "y", ("p", "q"), columns, (), "", nodes=tuple(nodes))


def end(form, n, c):
    stages = tests.Tests(form, DUCKDB).stages(lambda i: f"at_{i}")
    inner = f"SELECT CAST({n} AS DOUBLE) AS n, CAST({c} AS VARCHAR) AS c"
    for number, text in enumerate(stages):
        inner = f"SELECT *, {text} AS at_{number} FROM ({inner})"
    return duckdb.sql(f"SELECT at_{len(stages) - 1} FROM ({inner})").fetchall()[0][0]


def test_numbers_levels_and_missing_values_go_their_way():
    form = tree(
        [[0, 2.5, [1, 2], 2, None], [[1.0, 0.0]], [1, None, [3, 4, 4], 3, None], [[0.5, 0.5]], [[0.0, 1.0]]]
    )
    assert ends(form) == [1, 3, 4]
    assert end(form, "2.4", "'u'") == 1
    assert end(form, "2.5", "'u'") == 2
    assert end(form, "NULL", "'w'") == 3
    assert end(form, "9", "NULL") == end(form, "9", "'new'") == 2


def test_a_missing_value_may_stay_where_it_is_asked():
    form = tree([[0, 2.5, [1, 2], 0, [0.5, 0.5]], [[1.0, 0.0]], [[0.0, 1.0]]])
    assert ends(form) == [0, 1, 2]
    assert [end(form, n, "'u'") for n in ("NULL", "2", "3")] == [1, 2, 3]


def test_a_deep_tree_is_asked_in_stages():
    nodes = []
    for depth in range(2 * DEEP + 1):
        nodes += [[0, float(depth), [2 * depth + 1, 2 * depth + 2], 2 * depth + 1, None], [[1.0, 0.0]]]
    form = tree([*nodes, [[0.0, 1.0]]])
    stages = tests.Tests(form, DUCKDB).stages(lambda i: f"at_{i}")
    assert len(stages) == 3
    found = [end(form, str(n), "'u'") for n in (-0.5, 3.5, 2 * DEEP + 5)]
    assert found == [1, 5, len(ends(form))]


def test_a_cut_between_neighbouring_doubles_is_told_by_the_one_before():
    assert below(2.5, DUCKDB) == ("< 2.5", ">= 2.5")
    under, over = below(0.1 + 0.2, DUCKDB)
    assert (under.split()[0], over.split()[0]) in (("<", ">="), ("<=", ">"))
    assert duckdb.sql(f"SELECT {0.1 + 0.2!r}e0 {over}").fetchall() == [(True,)]
    assert duckdb.sql(f"SELECT 0.3e0 {under}").fetchall() == [(True,)]
