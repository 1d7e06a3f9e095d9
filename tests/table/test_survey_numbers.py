"""What has been seen of numbers: counts, a range, and whether they number the rows."""

from __future__ import annotations

import numpy as np

from tallystick.table.cells import Floats, small_column
from tallystick.table.column_survey import NumbersSeen, Places, first_rows, good_numbers
from tallystick.table.target import RowSelection
from tallystick.table.wishes import Asked


def seen(*batches, asked=None):
    numbers, start = NumbersSeen(1), 0
    for values in batches:
        chosen = RowSelection(len(values), start=start)
        numbers.add(Floats(np.array(values, float)), (asked or Asked()).marks, chosen)
        start += len(values)
    return numbers


def test_facts_are_those_of_all_batches():
    found = seen([1.0, np.nan], [5.5]).facts(3, 0, False)
    assert (found.total, found.missing, found.low, found.high, found.whole) == (3, 1, 1.0, 5.5, False)
    none = seen([np.nan]).facts(1, 0, False)
    assert (none.missing, none.run) == (1, False)


def test_every_whole_number_once_is_a_run_in_any_order_and_cut():
    assert seen([3.0, 1.0], [2.0]).facts(3, 0, False).run
    assert not seen([3.0, 1.0], [1.0]).facts(3, 0, False).run
    assert not seen([3.0, 1.0]).facts(2, 0, False).run
    merged = seen([3.0])
    merged.merge(seen([1.0, 2.0]))
    assert merged.facts(3, 0, False).run


def test_marks_are_missing_and_infinities_are_counted_with_their_rows():
    found = seen([1.0, -999.0], [np.inf, 2.0], asked=Asked(marks=("-999",)))
    assert (found.present.tolist(), found.finite.tolist(), found.infinite.tolist()) == ([4], [2], [1])
    assert found.first == (2,)
    assert (found.low, found.high) == (1.0, 2.0)


def test_small_numbers_tell_what_doubles_tell():
    values = np.array([3, 4, 5] * 100)
    quick = NumbersSeen(1)
    quick.add_small(small_column(values), RowSelection(300))
    assert quick.facts(300, 0, False) == seen(values).facts(300, 0, False)


def test_places_count_different_numbers_and_merge():
    places = Places(10.0, 30.0).add(np.array([10.0, 30.0, 10.0]))
    assert places.count() == 2
    assert places.merge(Places(10.0, 30.0).add(np.array([11.0, 30.0]))).count() == 3


def test_good_numbers_are_finite_and_no_mark_and_few_rows_are_listed():
    good = good_numbers(np.array([1.0, np.inf, np.nan, -9.0]), Asked(marks=("-9",)))
    assert good.tolist() == [True, False, False, False]
    assert first_rows((7, 3), [1, 9, 3, 11, 5]) == (1, 3, 5, 7, 9)
