"""Lists that are told part by part."""

from __future__ import annotations

from tallystick.model.file import ListInParts


def test_parts_are_made_anew_each_time_and_empty_ones_are_left_out():
    made = []

    def parts():
        for part in ([], [1, 2], [], [3]):
            made.append(part)
            yield part

    told = ListInParts(parts)
    assert made == []  # nothing is made before somebody asks
    assert list(told) == [[1, 2], [3]]
    assert told.whole() == [1, 2, 3]
    assert len(made) == 8
