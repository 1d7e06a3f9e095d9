"""What has been seen of one column: facts that merge to the same verdict."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tallystick.errors import DataError
from tallystick.table.cells import condense
from tallystick.table.column_survey import BatchWords, ColumnSurvey, SecondLook
from tallystick.table.target import RowSelection
from tallystick.table.wishes import Asked


def seen(*batches, asked=None, start=0):
    survey = ColumnSurvey(asked or Asked(), 1)
    asked = survey.asked
    for cells in batches:
        part = condense(pa.array(cells), "c", asked.marks, ".", asked.wants_text)
        piece = part if not hasattr(part, "arrays") else part.distinct(asked.marks)
        survey.add(piece, RowSelection(len(cells), start=start))
        start += len(cells)
    return survey


def verdict(survey, total):
    return survey.decide("c", total, 0)


def test_levels_are_those_of_all_batches_and_missing_rows_are_counted():
    column = verdict(seen(["red", None], ["blue", "red"]), 4).column
    assert (column.kind, column.levels, column.missing) == ("levels", ("blue", "red"), 1)


def test_merging_in_any_order_gives_the_same_column():
    parts = [["red", "blue"], ["green"], [None, "red"]]
    whole = verdict(seen(*parts), 5)
    for order in ((0, 1, 2), (2, 1, 0)):
        merged = ColumnSurvey(Asked(), 1)
        for i in order:
            merged.merge(seen(parts[i]))
        assert verdict(merged, 5) == whole


def test_numbers_have_the_range_of_all_batches():
    column = verdict(seen([1.5, None], [-2.25, 9.5]), 4).column
    assert (column.kind, column.low, column.high, column.missing) == ("numeric", -2.25, 9.5, 1)


def test_texts_that_some_batches_took_for_numbers_are_looked_at_again():
    mixed = seen([f"{i}.5" for i in range(40)], ["red", "blue"])
    assert verdict(mixed, 42) == SecondLook()


def test_a_column_that_may_number_the_rows_is_looked_at_again():
    rows = [float(i) for i in range(0, 120, 1) if i != 60]
    look = verdict(seen(rows), len(rows))
    assert isinstance(look, SecondLook)
    assert look.ends == (0.0, 119.0)


def test_cells_that_should_be_numbers_are_named_with_their_row():
    asked = Asked("numeric")
    survey = seen(["1", "2"], ["red", "3"], asked=asked, start=10)
    with pytest.raises(DataError, match=r"column 'c' should be numeric, but 1 cell .* 'red' in row 13"):
        verdict(survey, 4)
    survey.shift(100)
    with pytest.raises(DataError, match="in row 113"):
        verdict(survey, 4)


def test_infinite_numbers_are_named_or_missing():
    with pytest.raises(DataError, match=r"holds 1 infinite value \(row 2\)"):
        verdict(seen([1.5, np.inf]), 2)
    found = verdict(seen([1.5, np.inf, 2.5], asked=Asked(inf="missing")), 3)
    assert found.column.missing == 1
    assert found.notes[0].code == "infinite-as-missing"


def test_words_are_counted_by_rows_and_rare_ones_are_left_out_with_a_note():
    asked = Asked("text", min_count=2)
    part = condense(pa.array(["tea pie", "tea tea", None]), "c", asked.marks, ".", True)
    words = BatchWords.of(part, asked, 1)
    assert words.words.to_pylist() == ["pie", "tea"]
    assert words.documents(RowSelection(3)).ravel().tolist() == [1, 2]
    survey = ColumnSurvey(asked, 1)
    survey.add(words, RowSelection(3))
    found = verdict(survey, 3)
    assert (found.column.kind, found.column.words, found.column.missing) == ("text", ("tea",), 1)
    assert found.notes[-1].code == "rare-words"


def test_an_ordered_dictionary_keeps_its_order():
    cells = pa.DictionaryArray.from_arrays([1, 0], ["low", "high"], ordered=True)
    survey = ColumnSurvey(Asked(), 1)
    survey.add(condense(cells, "c", (), ".").distinct(), RowSelection(2))
    column = verdict(survey, 2).column
    assert (column.kind, column.levels) == ("ordered", ("low", "high"))
