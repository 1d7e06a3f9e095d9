"""Sums that are known of a table."""

from __future__ import annotations

import numpy as np

from tallystick.schema import Column, Schema, Target
from tallystick.table.hash_sample import PickedNumbers, take_picked
from tallystick.table.table import ClassSums, known_moments, no_moments
from tallystick.table.table import LocalTable as Table


def test_codes_become_classes():
    found = no_moments(2, 3)
    found.rows[:] = [7, 8, 9]
    for table in found[1:]:
        table[...] = np.arange(3).reshape(1, 3, *[1] * (table.ndim - 2))
    by_class = found.of_classes(np.array([3, 0, 2, 9]), 4)
    assert isinstance(by_class, ClassSums)
    assert by_class.rows.tolist() == [8, 0, 9, 7]
    assert by_class.missing.tolist() == [[1, 0, 2, 0]] * 2
    assert by_class.squares[1, :, 5].tolist() == [1, 0, 2, 0]


def test_what_is_known_is_of_these_rows_alone():
    schema = Schema((Column("x", "numeric"),), Target("y", ("a", "b")))
    table = Table(schema, {"x": np.ones(4)}, 4, classes=np.zeros(4, np.uint8))
    assert known_moments(table) is None
    table.know(
        5, no_moments(1, 2), PickedNumbers(0, ("x",), ()), (np.empty(0, np.uint64), np.empty(0, np.int64))
    )
    assert known_moments(table) is not None
    assert take_picked(table) is not None
    assert table.fingerprint == f"{5:032x}"
    others = (
        table.with_classes(np.ones(4, np.uint8)),
        table.with_weights(np.full(4, 2)),
        table.with_values("x", np.zeros(4)),
        table.without(["x"]),
        table.take(np.arange(2)),
    )
    for other in others:
        assert known_moments(other) is None
        assert take_picked(other) is None
        assert other.fingerprint != table.fingerprint
