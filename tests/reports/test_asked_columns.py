"""How rows lie on the column that a node asks: bars add up to the rows, ends are round, order is kept."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.tree.picture import OTHERS
from tallystick.tree.report import asked_columns, asked_data


def read(rows, columns=None):
    model = ts.DecisionTree(average=False, columns=columns)
    table = model._read(rows, "y")
    return model.fit(rows, "y").model_, table


def numbers():
    draw = np.random.default_rng(3)
    x = np.round(draw.normal(50, 12, 400), 2)
    return [{"x": float(v), "y": "pq"[int(v > 52.3)]} for v in x]


def test_bars_of_a_number_add_up_and_end_at_round_numbers():
    tree, table = read(numbers())
    asked = asked_columns(tree, table)[0]
    assert asked.column == "x"
    assert np.sum(asked.bars) == 400
    assert np.sum(asked.bars, axis=0).tolist() == tree.rows[0].tolist()
    assert asked.ends is not None
    low, high = asked.ends
    step = (high - low) / len(asked.bars)
    assert step == pytest.approx(5.0)
    assert low % step == high % step == 0
    assert asked.cuts[0] == pytest.approx((tree.nodes.cut[0] - low) / (high - low))
    assert asked.under[0] in (f"{low:g}", f"≤ {low:g}")


def test_ordered_levels_stand_in_their_order_and_others_by_branch():
    sizes = ["small", "middle", "large", "huge"]
    rows = [{"size": sizes[i % 4], "y": "pq"[i % 4 in (1, 3)]} for i in range(80)]
    tree, table = read(rows, ts.Columns(kinds={"size": "ordered"}, levels={"size": sizes}))
    assert asked_columns(tree, table)[0].values == tuple(sizes)
    tree, table = read(rows)
    asked = asked_columns(tree, table)[0]
    assert set(asked.values) == set(sizes)
    assert {frozenset(asked.values[:2]), frozenset(asked.values[2:])} == {
        frozenset({"small", "large"}),
        frozenset({"middle", "huge"}),
    }
    assert asked.cuts == (0.5,)


def test_many_levels_and_classes_keep_the_largest_and_count_the_others():
    rows = [{"c": f"level {min(i % 30, 29):02d}", "y": f"class {i % 30 // 3}"} for i in range(900)]
    tree, table = read(rows)
    asked = asked_columns(tree, table)[0]
    assert len(asked.bars) == 12
    assert asked.classes[-1] == OTHERS
    assert np.sum(asked.bars) == 900
    assert asked.under == ()  # there is no room for so many names


def test_few_rows_have_no_distribution_and_data_is_short():
    tree, table = read(numbers())
    found = asked_columns(tree, table)
    assert all(tree.nodes.weight[node] >= 20 for node in found)
    data = asked_data(found[0])
    assert set(data) == {"classes", "bars", "under", "cuts", "ends"}
    assert isinstance(data["bars"][0][0], int)
