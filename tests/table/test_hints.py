"""A kind that may not be the one meant is said, once for all columns, with the option that reads them so."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.csv as pcsv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick as ts
from tallystick.cli.options import as_flags
from tallystick.io.open import open_source
from tallystick.schema import ColumnOptions
from tallystick.table.column_survey import few_values
from tallystick.table.kinds import FEW_VALUES
from tallystick.table.reader import read_table

LINES = ["good film indeed", "bad film", "good film indeed", "very bad acting", "fine film"]


def hints_of(frame, wishes=None, **options):
    table = read_table(open_source(frame), wishes or ColumnOptions(), **options)
    return [note.text for note in table.notes if note.code == "other-kind"]


def test_levels_of_several_words_each_name_the_kind_of_text():
    frame = {"day": ["Mon", "Tue"] * 2 + ["Mon"], "sentence": LINES}
    text = "column 'sentence' has several words in every cell and is read as levels; if text is meant, pass "
    table = read_table(open_source(frame), ColumnOptions())
    (note,) = table.notes
    assert note.text == text + "kinds={'sentence': 'text'}."
    assert as_flags(note.text) == text + "--kind sentence=text."
    assert hints_of(frame, ColumnOptions(kinds={"sentence": "levels"})) == []
    assert hints_of({"x": [*LINES[:4], "fine"]}) == []
    assert hints_of({"x": ["high school", "some college"] * 20}) == []  # few texts, each in many rows


def test_few_whole_numbers_name_the_kind_of_levels_in_one_note():
    cylinders, gear = [3, 4, 5, 6, 8] * 8, [3.0, 4.0, 5.0, np.nan] * 10
    frame = {"cylinders": cylinders, "bit": [0, 1] * 20, "pair": [1, 2] * 20, "gear": gear}
    frame |= {"six": [1, 2, 3, 4, 5, 6] * 6 + [1] * 4, "half": [0.5, 1, 2, 3] * 10}
    text = (
        "columns 'cylinders', 'gear' have few different whole numbers and are read as numbers; if levels are "
    )
    assert hints_of(frame) == [text + "meant, pass kinds={'cylinders': 'levels'}."]
    (other,) = hints_of(frame, ColumnOptions(kinds={"cylinders": "numeric"}))
    assert other.startswith("column 'gear' has few different whole numbers and is read as numbers")
    assert hints_of({"x": [3, 7, 9, 12, 40]}) == []  # no number is there twice


def test_a_column_of_one_value_names_the_way_to_keep_it(tmp_path):
    for cells in ([7] * 9, ["a"] * 9, [True] * 9):
        table = read_table(open_source({"z": cells, "x": [1.5, 2.5, 3.5] * 3}), ColumnOptions())
        (note,) = table.notes
        assert as_flags(note.text).endswith("it has one value in 9 rows (--keep z uses it).")
        kept = read_table(open_source({"z": cells, "x": [1.5, 2.5, 3.5] * 3}), ColumnOptions(keep=("z",)))
        assert kept.schema["z"].kind != "out"


@given(
    st.lists(st.sampled_from([1.0, 2.0, 4.0, 5.0, 7.0, 9.0, float("nan")]), max_size=200), st.integers(1, 9)
)
def test_few_values_are_known_of_any_parts(numbers, size):
    values = np.array(numbers, np.float64)
    there = frozenset(values[~np.isnan(values)].tolist())
    wanted = there if len(there) <= FEW_VALUES else None
    assert few_values(values) == wanted
    known = frozenset()
    for start in range(0, len(values), size):
        known = None if known is None else few_values(values[start : start + size], known)
    assert known == wanted


@pytest.mark.slow
def test_whoever_reads_the_rows_says_the_same(tmp_path):
    rng = np.random.default_rng(0)
    columns = {
        "cyl": rng.choice([3, 4, 6, 8, 12], 400),
        "n": rng.integers(0, 90, 400),
        "gear": rng.choice([3, 4, 5], 400),
    }
    table = pa.table(columns | {"y": rng.choice(["a", "b"], 400)})
    path = str(tmp_path / "cars.csv")
    pcsv.write_csv(table, path)
    wanted = hints_of(table, target="y")
    assert wanted == hints_of(path, target="y")
    assert len(wanted) == 1
    assert wanted == hints_of({name: values.tolist() for name, values in columns.items()})
    model = ts.DecisionTree(engine=ts.Local(memory="64MB")).fit(path, "y")
    assert wanted == [note.text for note in model.notes_ if note.code == "other-kind"]
