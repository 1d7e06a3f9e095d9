"""How the training rows of two models differ is told a column at a time, in words."""

from __future__ import annotations

import copy

import tallystick as ts
from tallystick.export.diff import compare, profile_changes
from tallystick.model.file import from_bytes

ROWS = [{"a": i % 5, "b": "uvw"[i % 3], "y": "ab"[i % 7 > 3]} for i in range(60)]


def document(rows, **options):
    return from_bytes(ts.NaiveBayes(distributions="gaussian").fit(rows, "y").to_bytes(**options))


def test_other_rows_are_told_by_column():
    other = [r | {"a": r["a"] + 10, "b": "u" if r["b"] == "w" else r["b"]} for r in ROWS[:50]]
    told = {place: (old, new) for place, old, new in profile_changes(document(ROWS), document(other), False)}
    assert told["profile, column 'a'"] == ("0 to 4, half at or below 2", "10 to 14, half at or below 12")
    assert told["profile, column 'b'"] == ("u 20, v 20, w 20", "u 33, v 17")
    assert "profile, target" in told


def test_a_profile_that_is_not_there_is_said():
    bare, whole = document(ROWS, profile=False), document(ROWS)
    assert profile_changes(bare, whole, True) == [("profile, columns", None, 2)]
    assert profile_changes(bare, bare, True) == []


def test_a_detail_is_said_where_nothing_else_differs():
    one = document(ROWS)
    two = copy.deepcopy(one)
    two["profile"]["answers"]["shares"][0] = two["profile"]["answers"]["shares"][0][::-1]
    assert [c.place for c in compare(one, two).changes] == ["profile, answers"]
    assert profile_changes(one, two, alone=False) == []


def test_missing_numbers_are_told():
    rows = [r | {"c": None if i % 2 else i} for i, r in enumerate(ROWS)]
    less = [r | {"c": i} for i, r in enumerate(ROWS)]
    told = {p: (a, b) for p, a, b in profile_changes(document(rows), document(less), False)}
    assert told["profile, column 'c'"][0] == "0 to 58, half at or below 28, 30 missing"


def test_a_file_of_version_1_differs_in_its_version():
    old = {k: v for k, v in document(ROWS, profile=False).items() if k != "profile"}
    assert profile_changes(old, document(ROWS, profile=False), True) == [("format version", 1, 2)]
