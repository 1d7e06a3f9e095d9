"""Frames of polars as Arrow tables, with any release of it since 1.0."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest

from tallystick.errors import DataError
from tallystick.io.frames import plain_polars, with_order
from tallystick.io.open import open_source


class OldFrame:
    """A frame as polars before 1.3 had it: Arrow by a method only, and the order of an Enum is not told."""

    def __init__(self, frame):
        self.frame, self.columns = frame, frame.columns

    def get_columns(self):
        return self.frame.get_columns()

    def to_arrow(self):
        table = self.frame.to_arrow()
        for j, field in enumerate(table.schema):
            if pa.types.is_dictionary(field.type):
                column = table.column(j).combine_chunks()
                column = column.chunk(0) if isinstance(column, pa.ChunkedArray) else column
                plain = pa.DictionaryArray.from_arrays(column.indices, column.dictionary)
                table = table.set_column(j, field.name, plain)
        return table


def test_levels_of_an_enum_are_in_order_with_any_release():
    sizes = pl.Series(["big", None, "small"], dtype=pl.Enum(["small", "big"]))
    frame = pl.DataFrame({"n": [1, 2, 3], "size": sizes})
    table = plain_polars(OldFrame(frame), "the DataFrame")
    assert table.schema.field("size").type.ordered
    assert table.column("size").combine_chunks().dictionary.to_pylist() == ["small", "big"]
    assert table.column("size").to_pylist() == ["big", None, "small"]
    assert with_order(frame.to_arrow(), frame).schema.field("size").type.ordered


def test_frames_without_an_enum_stay_as_they_are():
    frame = pl.DataFrame({"n": [1, 2], "word": ["a", "b"]})
    table = pa.table({"n": [1]})
    assert with_order(table, frame) is table
    assert with_order(table, object()) is table


def test_a_name_that_polars_cannot_hand_over_is_refused_before_it_tries():
    with pytest.raises(DataError, match=r"the DataFrame has the column name 'a\\x00', with a NUL character"):
        open_source(pl.DataFrame({"a\0": [1, 2]}))
