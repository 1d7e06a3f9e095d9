"""What was picked is told part by part, and only where all of it is there."""

from __future__ import annotations

import numpy as np

from tallystick.table.hash_sample import ALL, PickedNumbers, PickedPart, first_share, limit_of, take_picked


def part(start, found):
    made = PickedPart.empty(start, 2, 100, 0.5)
    made.found[:] = found
    for j, n in enumerate(found):
        made.rows[j, :n], made.values[j, :n] = np.arange(n), np.arange(n) + 0.5
    return made


def test_a_share_of_the_hashes_is_a_limit():
    assert limit_of(1.0) >= ALL
    assert limit_of(0.0) == 0
    assert first_share(1_000, 108_000) == 0.01
    assert first_share(1_000, 0) > 1  # all rows of none


def test_a_column_is_told_part_by_part():
    known = PickedNumbers(limit_of(0.5), ("a", "b"), (part(0, [3, 0]), part(100, [2, 1])))
    (first, rows, values), (second, *_) = known.column("a", limit_of(0.5))
    assert (first, second) == (0, 100)
    assert (rows.tolist(), values.tolist()) == ([0, 1, 2], [0.5, 1.5, 2.5])
    assert known.column("a", limit_of(0.4)) is None
    assert known.column("c", limit_of(0.5)) is None


def test_a_column_that_filled_its_room_is_not_known():
    full = PickedPart.empty(0, 2, 100, 0.5).rows.shape[1]
    known = PickedNumbers(limit_of(0.5), ("a", "b"), (part(0, [3, full]), part(100, [2, 1])))
    assert known.column("b", limit_of(0.5)) is None
    assert len(known.column("a", limit_of(0.5))) == 2


def test_nobody_knows_what_was_picked_of_a_table_elsewhere():
    assert take_picked(object()) is None
