"""What a careful reader would ask: levels alike, giveaways, equal rows of different classes."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.description.columns import MANY_LEVELS, Stack, alike, giveaways, unavoidable
from tallystick.schema import Column
from tallystick.table.block import Conflicts


def told(*levels, kind="levels"):
    rows = range(10, 10 + len(levels))
    return [note.text for note in alike(Column("c", kind, levels=levels), rows)]


def test_levels_that_differ_in_case_or_spaces_are_named():
    (text,) = told("New York", "new york", "NewYork", "Boston")
    assert text == (
        "column 'c' has levels that differ only in letter case or spaces: 'NewYork', 'new york', 'New York'. "
        "To read them as one pass columns=ts.Columns(merge={'NewYork': ['New York', 'new york']})."
    )


def test_levels_that_differ_by_an_ending_are_a_question():
    (text,) = told("teacher", "teachers", "nurse")
    assert text == (
        "column 'c' has levels that may mean the same: 'teacher' and 'teachers'. If so, pass "
        "columns=ts.Columns(merge={'teachers': ['teacher']})."
    )


@pytest.mark.parametrize(
    "levels", [("cat", "cats"), ("part1", "part10"), ("red", "blue"), ("north", "northwest"), ()]
)
def test_short_numbered_and_different_levels_are_not_questioned(levels):
    assert told(*levels) == []


def test_booleans_and_very_many_levels_are_not_compared():
    assert told("True", "true", kind="boolean") == []
    assert told(*(f"{word}{i}" for i in range(MANY_LEVELS) for word in ("a", "A"))) == []


def test_a_column_that_tells_the_target_is_doubted_with_its_cure():
    sure = np.array([[60, 0], [0, 60], [0, 0]])
    unsure = np.array([[30, 30], [30, 30], [0, 0]])
    none, note = giveaways(["fair", "leak"], Stack.of([unsure, sure]), levels=True, among=2)
    assert none is None
    assert (note.code, note.column, note.count) == ("giveaway", "leak", 120)
    assert note.text == (
        "column 'leak' by itself gives the target of 120 of 120 rows correctly. Make sure that it is known "
        "before the target is; if not, leave it out: kinds={'leak': 'out'}."
    )


def test_equal_rows_of_different_classes_set_a_limit():
    (note,) = unavoidable(Conflicts(10, 4, 200))
    assert note.text.endswith("no model of these columns gets more than 98.00% of these rows right.")
    assert list(unavoidable(Conflicts(0, 0, 200))) == []


def repeats(data, target=None, **more):
    return [n.text for n in ts.describe(data, target, **more).notes if n.code == "repeats"]


def test_numbers_in_another_unit_are_said_to_repeat_the_first():
    rng = np.random.default_rng(0)
    rows = {"minutes": (rng.random(300) * 200).round(1), "other": (rng.random(300) * 200).round(1)}
    rows["y"] = np.where(rng.random(300) < 0.5, "no", "yes")
    rows |= {
        "charge": (rows["minutes"] * 0.17).round(3),
        "left": 200 - rows["minutes"],
        "few": np.arange(300) % 2,
    }
    assert repeats(rows, "y") == [
        f"column '{name}' repeats 'minutes', perhaps in another unit: value by value they lie in as many "
        "rows of each class. One of the two is enough."
        for name in ("charge", "left")
    ]
    assert repeats(rows, "y", memory="1GB") == repeats(rows, "y") == repeats(rows, "y", threads=1)
    unique = {"a": np.arange(99) / 7, "b": rng.permutation(99) / 7}
    assert repeats(unique) == []  # of values that are all different nothing is known without a target
