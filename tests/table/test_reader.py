"""All rows of a source to a table: in memory, on disk, read once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tallystick.errors import DataError, TallyWarning, TargetError
from tallystick.io.open import open_source
from tallystick.schema import ColumnOptions
from tallystick.table import column_survey as survey_column
from tallystick.table import reader
from tallystick.table.reader import read_table, read_to_disk
from tallystick.table.strings import counted_words

DATA = {"x": [0.5, None, 7.25, 1.5], "a": ["r", "s", "r", None], "y": ["no", "yes", None, "no"]}


def table(data=DATA, **more):
    return read_table(open_source(data), target="y", **more)


def test_levels_and_classes_are_codes_and_a_row_without_a_target_is_left_out():
    found = table()
    assert (found.rows, found.kept.tolist()) == (3, [0, 1, 3])
    assert found.schema.target.labels == ("no", "yes")
    assert found.classes.tolist() == [0, 1, 0]
    assert found.column("a").tolist() == [0, 1, 2]
    np.testing.assert_array_equal(found.column("x"), [0.5, np.nan, 1.5])


def test_weights_and_labels_may_come_as_arrays_and_a_row_of_weight_0_is_no_row():
    data = {name: DATA[name] for name in ("x", "a")}
    found = read_table(open_source(data), target=["p", "q", "p", "q"], weights=[1, 0, 2, 1])
    assert (found.rows, found.weight) == (3, 4)
    assert found.weights.tolist() == [1, 2, 1]
    with pytest.raises(TargetError, match="y"):
        read_table(open_source(data), target=["p", "q"])
    with pytest.raises(DataError, match="all sample weights are zero"):
        read_table(open_source(data), target=["p", "q", "p", "q"], weights=[0] * 4)


def test_wishes_are_kept():
    found = table(wishes=ColumnOptions(kinds={"x": "out"}))
    assert [c.name for c in found.schema.used] == ["a"]


def test_a_table_on_disk_holds_what_the_table_in_memory_holds(tmp_path):
    path = tmp_path / "t.csv"
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=300).round(3), "a": rng.choice(list("rst"), 300)})
    frame["y"] = rng.choice(["no", "yes"], 300)
    frame.to_csv(path, index=False)
    here = read_table(open_source(path), target="y")
    there = read_to_disk(open_source(path), 64 << 20, target="y")
    assert (there.budget > 0, there.schema, there.fingerprint) == (True, here.schema, here.fingerprint)
    assert there.notes == here.notes
    assert there.files == here.files == (str(path),)


def test_progress_is_told_per_column():
    told = []
    table(progress=lambda done, total, what: told.append((done, total)))
    assert told[-1][0] == told[-1][1]


@pytest.mark.parametrize("kinds", [{"t": "text"}, {}])
def test_threads_share_the_words_of_few_long_texts_beside_other_columns(monkeypatch, kinds):
    told = []

    def counted(*given, threads, **more):
        told.append(threads)
        return counted_words(*given, threads=threads, **more)

    monkeypatch.setattr(survey_column, "counted_words", counted)
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{n}" for n in rng.integers(0, 99, 60)) for _ in range(400)]
    data = {"a": ["r", "s"] * 200, "t": texts, "x": rng.normal(size=400), "y": ["no", "yes"] * 200}
    several, one = (table(data, wishes=ColumnOptions(kinds=kinds), threads=n) for n in (3, 1))
    assert told == [3, 1]
    assert several.schema == one.schema
    assert several.fingerprint == one.fingerprint


@pytest.mark.parametrize("read", [read_table, lambda source, **more: read_to_disk(source, 64 << 20, **more)])
def test_one_line_says_before_the_work_that_many_columns_take_long(monkeypatch, read):
    monkeypatch.setattr(reader, "MANY_COLUMNS", 3)
    with pytest.warns(TallyWarning, match=r"^the table has 3 columns\. Each is judged by itself"):
        read(open_source(DATA), target="y")
