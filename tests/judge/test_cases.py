"""Cases: a whole weight is its copies, any other weight one, and the order is that of what rows hold."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.judge.folds import (
    RARE,
    InShare,
    cases_of,
    copies_of,
    count_cases,
    distinct_cases,
    keyed,
    one_case,
    some_rows,
)

ROWS = {"x": ["u", "v", "u", "w"], "y": ["p", "q", "p", "q"]}


def read(weights=None, order=(0, 1, 2, 3)):
    rows = {name: [cells[i] for i in order] for name, cells in ROWS.items()}
    return ts.NaiveBayes()._read(rows, "y", None if weights is None else [weights[i] for i in order])


def test_whole_weights_are_copies_and_each_row_is_a_case_where_some_are_not():
    table = read([3, 4, 1, 2])
    assert copies_of(table).tolist() == [3, 4, 1, 2]
    assert one_case(table, np.arange(4)).tolist() == [1, 1, 1, 1]
    table = read([3, 0.5, 1, 1.5])
    assert copies_of(table).tolist() == [1, 1, 1, 1]
    assert count_cases(table) == 4
    assert one_case(table, np.arange(4)).tolist() == table.weights.tolist()


def test_rows_without_weights_are_one_case_each():
    table = read()
    assert copies_of(table) is None
    assert count_cases(table) == 4
    assert one_case(table, np.array([2])).tolist() == [table.unit]


def test_copies_have_different_hashes_whichever_of_them_comes_first():
    hashes = cases_of(read()).hashes
    assert len(set(hashes.tolist())) == 4
    other = cases_of(read(order=(2, 3, 0, 1))).hashes
    assert sorted(hashes.tolist()) == sorted(other.tolist())


def test_a_whole_weight_has_the_cases_of_its_copies():
    weighed = cases_of(ts.NaiveBayes()._read({"x": ["u", "v"], "y": ["p", "q"]}, "y", [2, 1]))
    copied = cases_of(ts.NaiveBayes()._read({"x": ["u", "u", "v"], "y": ["p", "p", "q"]}, "y"))
    assert sorted(weighed.hashes.tolist()) == sorted(copied.hashes.tolist())
    assert weighed.sizes.tolist() == [1, 1, 1]


def test_an_order_by_class_keeps_classes_apart():
    table = read()
    order = cases_of(table).order(0, table.classes)
    assert table.classes[order].tolist() == [0, 0, 1, 1]
    assert sorted(cases_of(table).order(5).tolist()) == [0, 1, 2, 3]


def test_distinct_cases_name_a_row_for_each_and_equal_rows_share_it():
    first, group = distinct_cases(read())
    assert len(first) == 3
    assert group[0] == group[2]
    assert first[group].tolist() == [0, 1, 0, 3]


def test_another_key_is_another_order_and_0_changes_nothing():
    hashes = np.array([1, 2, 3], np.uint64)
    assert keyed(hashes, 0) is hashes
    assert keyed(hashes, 1).tolist() != keyed(hashes, 2).tolist()
    assert keyed(hashes, 1).tolist() == keyed(hashes, 1).tolist()


def test_some_rows_are_chosen_by_what_they_hold_and_a_rare_class_is_among_them():
    rows = [(i % 50, "rare" if i < 30 else "pq"[i % 7 == 0]) for i in range(6_000)]
    found = []
    for order in (range(6_000), np.random.default_rng(0).permutation(6_000)):
        data = {"x": [rows[i][0] for i in order], "y": [rows[i][1] for i in order]}
        for memory in (None, "64MB"):
            table = ts.NaiveBayes(memory=memory)._read(data, "y")
            part = some_rows(table, 600)
            assert (np.diff(part) > 0).all()
            found.append(sorted((data["x"][r], data["y"][r]) for r in part.tolist()))
    assert all(f == found[0] for f in found)
    held, counts = ({c: sum(y == c for _, y in some) for c in "pq"} for some in (rows, found[0]))
    assert counts == {c: round(600 / 6_000 * held[c]) for c in "pq"}  # the class shares stay as they are
    assert RARE / 2 < sum(y == "rare" for _, y in found[0]) <= 30


@pytest.mark.parametrize("share", [0.1, 0.25, 1 / 3, 0.7])
def test_of_any_number_of_first_cases_the_nearest_whole_number_to_a_share_is_in_it(share):
    counts = np.arange(1, 500)
    inside = InShare(0, share).reached(counts)
    assert np.abs(inside - share * counts).max() <= 0.5 + 1e-6
