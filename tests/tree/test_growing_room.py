"""The memory of a growing tree: what a budget leaves to it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.io import scratch
from tallystick.io.open import open_source
from tallystick.kernels.trees import GrowRules
from tallystick.table.reader import read_table, read_to_disk
from tallystick.tree.growth import GROWING, NO_BUDGET, GrowingRoom, GrowingTree, holds_tree, most_rows

MILLION = 1_000_000


def test_without_a_budget_all_threads_work_in_memory():
    assert not NO_BUDGET.on_disk
    assert NO_BUDGET.workers == NO_BUDGET.sorters >= 1_024


@pytest.mark.parametrize(
    ("budget", "on_disk", "workers", "sorters"),
    [
        (80, True, 4, 1),  # bytes for a row: what is least, twice 40
        (239, True, 43, 6),
        (240, False, 24, 3),  # 40 and 20 numbers of 4 bytes, twice
        (2_400, False, 564, 71),
    ],
)
def test_orders_lie_on_disk_where_the_budget_has_no_room_for_them(budget, on_disk, workers, sorters):
    room = GrowingRoom(MILLION, 20, budget * MILLION)
    assert (room.on_disk, room.workers, room.sorters) == (on_disk, workers, sorters)


def test_there_is_always_somebody_who_works():
    assert GrowingRoom(MILLION, 20, 1).workers == GrowingRoom(MILLION, 20, 1).sorters == 1
    assert GrowingRoom(0, 0, 1 << 20).workers >= 1


def test_a_tree_is_held_with_its_tests_that_were_not_made():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 5.0], "y": ["n", "j"]})
    schema = read_table(open_source(frame), None, "y").schema

    def holds(rows, budget, depth=0, **given):
        return holds_tree(GrowingTree(schema, (0, 1), **{"rules": GrowRules(), **given}), rows, budget, depth)

    assert holds(10**12, 0)  # no budget
    assert most_rows(80 * MILLION) == MILLION
    assert holds(MILLION, 80 * MILLION, keep_tried=False)
    assert not holds(MILLION + 1, 80 * MILLION, keep_tried=False)
    assert not holds(MILLION, 80 * MILLION)
    tests = 2 * 144 * 2 * 8  # twice the bytes of two columns in eight nodes
    shallow = GrowRules(max_depth=5)
    assert holds(MILLION, 80 * MILLION + tests, depth=2, rules=shallow)
    assert not holds(MILLION, 80 * MILLION + tests - 1, depth=2, rules=shallow)
    assert not holds(MILLION, 80 * MILLION + tests, depth=1, rules=shallow)


@pytest.mark.slow
def test_a_tree_whose_orders_lie_on_disk_is_the_tree_in_memory(monkeypatch):
    rng = np.random.default_rng(2)
    n, names = 100_000, [f"x{i}" for i in range(40)]
    frame = pd.DataFrame(rng.normal(size=(n, 40)), columns=names)
    frame.loc[::9, "x1"] = np.nan
    frame["y"] = np.where(frame["x0"] + frame["x3"] ** 2 > rng.normal(size=n), "yes", "no")
    there = read_to_disk(open_source(frame), 32 << 20, None, "y")
    assert GrowingRoom(n, 40, there.budget).on_disk
    assert there.holds(GROWING)
    made, plain = [], scratch.empties
    monkeypatch.setattr(scratch, "empties", lambda forms: made.extend(forms) or plain(forms))
    found = ts.DecisionTree(max_depth=4)._fit_table(there).to_bytes()
    assert ((40, n), np.dtype(np.uint32)) in made
    assert (
        ts.DecisionTree(max_depth=4)._fit_table(read_table(open_source(frame), None, "y")).to_bytes() == found
    )


def test_more_tests_are_reckoned_with_few_columns_and_with_many_classes():
    rows = {"a": [1.0, 2.0, 3.0], "b": [2.0, 5.0, 1.0], "y": ["n", "j", "n"], "z": ["p", "q", "r"]}

    def most(target, columns):
        schema = read_table(open_source(pd.DataFrame(rows)), None, target).schema
        question = GrowingTree(schema, (0,) * columns, GrowRules())
        return max(n for n in range(0, 200_000, 500) if holds_tree(question, n, 32 << 20))

    assert most("y", 1) > 2 * most("y", 15) > 60_000  # 112 and 472 bytes a row
    assert most("z", 15) < most("y", 15) / 2
