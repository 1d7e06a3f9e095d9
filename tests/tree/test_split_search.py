"""The question of a growing tree: responses in fixed point, cuts that were
observed, and one tree whoever answers.
"""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.kernels.trees import GrowRules
from tallystick.schema import ColumnOptions
from tallystick.table.reader import read_table
from tallystick.tree.growth import GrowingTree, ValueScale, lift, observe, spread_missing
from tallystick.tree.nodes import NO_CUT, SPREADS


def table(**more):
    data = {"x": [0.5, 1.5, 8.5, 9.5], "y": ["a", "a", "b", "b"]} | more
    return read_table(open_source(data), ColumnOptions(kinds={"x": "numeric"}), "y")


def test_a_response_in_fixed_point_comes_back_as_it_was():
    scale = ValueScale.of(-1.0, 1.0, 3)
    whole = scale.whole(np.array([-1.0, 0.25, 1.0]))
    assert whole[0] == 0
    assert whole.sum() < 2**62
    assert scale.mean(whole, np.ones(3, np.int64)).tolist() == [-1.0, 0.25, 1.0]
    assert scale.mean(np.array([0]), np.array([0])).tolist() == [-1.0]  # no rows, no division
    assert ValueScale.of(5.0, 5.0, 10) == ValueScale(5.0, 0)


def test_the_whole_tree_is_grown_at_once_from_a_table_in_memory():
    question = GrowingTree(table().schema, (0,), GrowRules())
    grown = question.solve(table(), Local(1))
    assert grown.arrays["cut"][0] == 5.0
    assert grown.arrays["counts"].tolist() == [[2, 2], [2, 0], [0, 2]]
    assert grown.tried()["tried_column"][0] == 0


def test_single_floats_grow_the_tree_of_their_doubles_which_are_not_made():
    rng = np.random.default_rng(0)
    single = rng.normal(size=(30_000, 3)).astype(np.float32)
    single[::5, 2] = -0.0
    labels = (single[:, 0] + rng.normal(size=len(single)) > 0).astype(np.int64)
    found = []
    for numbers in (single, single.astype(np.float64)):
        rows = read_table(open_source(numbers), ColumnOptions(), labels)
        question = GrowingTree(rows.schema, (0, 1, 2), GrowRules(max_depth=6))
        found.append(question.solve(rows, Local(2)).arrays)
        if numbers is single:
            assert all(column.of._made is None for column in rows.columns.given.values())
    assert found[0].keys() == found[1].keys()
    assert all(found[0][name].tobytes() == found[1][name].tobytes() for name in found[0])


def test_rows_in_parts_cannot_be_grown_at_once():
    rows = table(x=[0.5, None, 8.5, 9.5])
    assert GrowingTree(rows.schema, (0,), GrowRules(fractions=True)).solve(rows, Local(1)) is None


def test_the_first_look_of_other_engines_tells_classes_and_rows():
    rows = table()
    question = GrowingTree(rows.schema, (0,), GrowRules(), max_bins=2)
    (block,) = rows.blocks()
    look = question.add(question.zero(), block)
    both = question.merge(look, question.add(question.zero(), block))
    assert (both.rows, both.classes.tolist()) == (8, [4, 4])
    near = question.near(both)
    (cuts,) = question.cuts(both, near.add(near.add(near.zero(), block), block))
    assert cuts.tolist() == [5.0]


def test_a_cut_moves_just_above_the_value_below_it():
    arrays = {"column": np.array([0, 0, -1]), "cut": np.array([2.5, NO_CUT, np.nan])}
    observe(arrays, 0, np.array([1.0, 2.0, 3.0]))
    assert arrays["cut"][0] == np.nextafter(2.0, 3.0)
    assert arrays["cut"][1] == NO_CUT  # known against missing is not a cut


def test_missing_rows_go_down_all_branches_of_tests_and_leaves_have_none():
    arrays = {"column": np.array([0, -1]), "missing": np.array([1, 0], np.int32)}
    spread_missing(arrays)
    assert arrays["missing"].tolist() == [SPREADS, 0]


def test_columns_are_named_by_their_place_in_the_schema():
    arrays = {"column": np.array([1, -1, 0], np.int32)}
    lift(arrays, (2, 5), "column")
    assert arrays["column"].tolist() == [5, -1, 2]


@pytest.mark.parametrize("names", [("b", "a"), ("ä", "z")])
def test_columns_compete_in_the_order_of_their_utf8_bytes(names):
    rows = table(**{name: ["u", "u", "v", "v"] for name in names})
    question = GrowingTree(rows.schema, (1, 2), GrowRules())
    assert question.by_name == [1, 0]
