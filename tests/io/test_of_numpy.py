"""Columns of NumPy arrays and of Python objects: the same cells however they are read."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tallystick.errors import DataError
from tallystick.io.containers import as_column
from tallystick.io.frames import MANY, numpy_column, objects_column

FEW_TEXTS = ["b", "a\0b", "", "é", "日本", "b", "1", "nan"]


@pytest.mark.parametrize(
    "array",
    [
        np.array(FEW_TEXTS),
        np.array(FEW_TEXTS).astype(">U5"),
        np.array(FEW_TEXTS * 2)[::-2],
        np.array([FEW_TEXTS, FEW_TEXTS])[:, 3],
        np.array([b"x", b"yy", b"x"]),
        np.array([*FEW_TEXTS, "long" * 100]),
        np.array([str(i) for i in range(300)]),
        np.array([], "U3"),
    ],
    ids=["few", "the other byte order", "backwards", "a column", "bytes", "one is long", "many", "none"],
)
def test_texts_of_numpy_are_the_texts_of_a_list(array):
    wanted = [text.decode() if isinstance(text, bytes) else text for text in array.tolist()]
    assert as_column(array, "x").to_pylist() == wanted


def test_half_a_character_and_bytes_beyond_ascii_are_refused_among_few_texts():
    with pytest.raises(DataError, match=r"column 'x' holds '\\ud800', with half of a character"):
        as_column(np.array(["a", "\ud800"]), "x")
    with pytest.raises(DataError, match="column 'x' holds bytes beyond ASCII"):
        as_column(np.array([b"a", b"\xff"]), "x")


class Text(str):
    """A text of a type of one's own."""


MISSING = (None, float("nan"), pd.NA, pd.NaT, np.float64("nan"))
LONE = "\ud800"


@pytest.mark.parametrize("beside", [(), *[(m,) for m in MISSING], MISSING, ("2", "2.50"), (" a", "a ", "")])
def test_texts_of_few_objects_are_the_texts_that_each_cell_is_and_each_object_is_read_once(beside):
    pool = np.empty(4 + len(beside), object)
    pool[:] = ["a", "日本", "b", "".join(["日", "本"]), *beside]  # two objects of one text
    cells = pool[np.random.default_rng(0).integers(0, len(pool), MANY)]
    plain = objects_column(cells.tolist(), "x")
    for given in (pd.Series(cells, dtype=object), cells, np.column_stack([cells, cells])[:, 0]):
        found = as_column(given, "x").combine_chunks()
        assert pa.types.is_dictionary(found.type)
        assert found.to_pylist() == plain.to_pylist()
        assert found.dictionary.to_pylist() == plain.dictionary_encode().dictionary.to_pylist()


@pytest.mark.parametrize("other", [1, 2.5, True, Text("b"), np.str_("b"), np.float32("nan")])
def test_cells_that_are_not_all_texts_are_read_one_by_one(other):
    pool = np.empty(3, object)
    pool[:] = ["a", "b", other]
    cells = pool[np.arange(MANY) % 3]
    found = as_column(pd.Series(cells, dtype=object), "x").combine_chunks()
    assert found.equals(objects_column(cells.tolist(), "x"))


def test_half_of_a_character_among_few_objects_is_an_error_that_names_it():
    with pytest.raises(DataError, match=r"column 'x' holds .*lone surrogate"):
        as_column(pd.Series(["a", LONE] * MANY, dtype=object), "x")


@pytest.mark.parametrize("kind", ["O", "U3", "S3"])
def test_a_field_of_a_packed_array_is_read_as_a_list_is(kind):
    rows = np.zeros(MANY, [("flag", "u1"), ("text", kind)])
    rows["text"] = ["a", "bcd"] * (MANY // 2)
    assert as_column(rows["text"], "x").to_pylist() == ["a", "bcd"] * (MANY // 2)


def test_masked_texts_stay_missing_however_few_objects_they_are():
    for kind in (object, str):
        cells = np.ma.MaskedArray(np.array(["a", "b", "a"] * MANY, kind), [False, False, True] * MANY)
        assert as_column(cells, "x").null_count == MANY


def test_many_objects_and_few_rows_are_texts_as_they_are():
    for cells in ([f"t {i}" for i in range(2 * MANY)], ["a", "b"] * 5):
        assert as_column(pd.Series(cells, dtype=object), "x").type == pa.string()


MASK = [False, True, False, False]


@pytest.mark.parametrize(
    ("cells", "known"),
    [
        (np.array([1.5, 2.5, 3.5, 1.5]), [1.5, None, 3.5, 1.5]),
        (np.array([2**60, 7, 2**60 + 1, 0]), [2**60, None, 2**60 + 1, 0]),
        (np.array([True, True, False, True]), [True, None, False, True]),
        (np.array(["u", "v", "", "w"]), ["u", None, "", "w"]),
        (np.array([b"u", b"\xff", b"v", b"w"]), ["u", None, "v", "w"]),
        (np.array(["u", [1], "v", "w"], object), ["u", None, "v", "w"]),
        (
            np.array(["2012-03-04"] * 4, "M8[D]"),
            [datetime.date(2012, 3, 4), None, *[datetime.date(2012, 3, 4)] * 2],
        ),
        (
            np.array([5] * 4, "m8[s]"),
            [datetime.timedelta(seconds=5), None, *[datetime.timedelta(seconds=5)] * 2],
        ),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_a_masked_cell_is_missing_and_what_lies_there_is_not_looked_at(cells, known):
    found = numpy_column(np.ma.array(cells, mask=MASK), "c").to_pylist()
    assert [None if cell != cell else cell for cell in found] == known
    whole = np.ma.array(cells[[0, 2, 3]])
    assert numpy_column(whole, "c").equals(numpy_column(cells[[0, 2, 3]], "c"))
