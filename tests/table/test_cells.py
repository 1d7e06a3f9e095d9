"""Arrow cells as numbers or coded texts: the container's type ends here."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pytest

from tallystick.errors import DataError
from tallystick.kernels.text import CellKind
from tallystick.table.cells import (
    Coded,
    Floats,
    SmallIntegers,
    among,
    as_utf8,
    condense,
    floats,
    mark_numbers,
    narrow,
    read_cells,
    text_cells,
    tidied,
)


def numbers(cells, kind=None, **more):
    part = condense(pa.array(cells, kind), "c", (), ".", **more)
    assert isinstance(part, Floats)
    return part


def texts(cells, kind=None, **more):
    part = condense(pa.array(cells, kind), "c", (), ".", **more)
    assert isinstance(part, Coded)
    return part.array.to_pylist()


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([1, None, 3], pa.int16()),
        ([1.0, None, 3.0], pa.float32()),
        ([1, None, 3], pa.uint64()),
    ],
)
def test_numbers_of_any_type_are_doubles_and_null_is_nan(cells, kind):
    np.testing.assert_array_equal(numbers(cells, kind).values, [1.0, np.nan, 3.0])


def test_dates_are_days_since_1970():
    part = numbers([datetime.date(1970, 1, 3), datetime.datetime(1970, 1, 1, 12)][:1])
    assert (part.values.tolist(), part.dated) == ([2.0], True)
    noon = condense(pa.array([datetime.datetime(1970, 1, 1, 12)]), "c", (), ".")
    assert noon.values.tolist() == [0.5]


def test_booleans_and_whole_numbers_beyond_doubles_are_texts():
    assert texts([True, False, None]) == ["true", "false", None]
    assert texts([2**53 + 1, 1]) == ["9007199254740993", "1"]
    assert numbers([2**60, 1]).values.tolist() == [2.0**60, 1.0]  # a double holds it exactly


def test_decimals_are_texts_in_their_shortest_form():
    money = [decimal.Decimal("1.50"), None, decimal.Decimal(3)]
    assert texts(money, pa.decimal128(9, 2)) == ["1.5", None, "3"]


def test_numbers_asked_for_as_texts_have_their_shortest_form():
    assert texts([1.0, 2.5, None], as_text=True) == ["1", "2.5", None]


def test_many_texts_that_read_as_numbers_are_numbers_and_few_stay_texts():
    many = numbers([f"{i}.5" for i in range(40)])
    assert many.written
    assert many.values[3] == 3.5
    assert texts(["1", "2", "1"]) == ["1", "2", "1"]


def test_chunks_of_different_forms_are_texts_all():
    chunks = pa.chunked_array([[str(i) for i in range(40)], ["red"]])
    part = read_cells(chunks, "c", (), ".")
    assert isinstance(part, Coded)
    assert (len(part), len(part.arrays)) == (41, 2)


def test_small_whole_numbers_without_gaps_are_bytes():
    many = pa.array(list(range(100, 200)) * 4)
    assert isinstance(read_cells(many, "c", (), "."), SmallIntegers)
    assert isinstance(read_cells(many, "c", ("150",), "."), Floats)  # a mark that is a number


def test_marks_infinities_and_negative_zeros_are_tidied_and_fine_values_are_not_copied():
    fine = np.array([1.0, 2.0])
    assert tidied(fine, np.empty(0)) is fine
    found = tidied(np.array([np.inf, -0.0, -999.0]), mark_numbers(("NA", "-999")))
    np.testing.assert_array_equal(found, [np.nan, 0.0, np.nan])
    assert not np.signbit(found[1])


def test_marked_texts_are_missing_and_dictionaries_are_their_values():
    coded = pa.array([" NA ", "red", None]).dictionary_encode()
    assert text_cells(coded, ("NA",)).to_pylist() == [None, "red", None]
    days = pa.array([1.5, 2.5, 1.5]).dictionary_encode()
    assert numbers(days).values.tolist() == [1.5, 2.5, 1.5]


def test_indices_are_as_narrow_as_the_dictionary_allows():
    assert narrow(pa.array(["a", None]).dictionary_encode()).type.index_type == pa.int8()
    wide = pa.array([f"t{i}" for i in range(200)]).dictionary_encode()
    assert narrow(wide).type.index_type == pa.int16()


def test_a_type_that_holds_no_cells_is_refused_with_a_cure():
    for cells, cure in (([b"x"], "Decode it to text first"), ([[1]], "Make columns of its parts")):
        with pytest.raises(DataError, match=f"column 'c' is of type .* neither a number nor text. {cure}"):
            condense(pa.array(cells), "c", (), ".")
    with pytest.raises(DataError, match="column 'c' holds dates more than 280,000 years from now"):
        condense(pa.array([10**17], pa.timestamp("s")), "c", (), ".")
    with pytest.raises(DataError, match="column 'c' holds bytes that are not UTF-8"), as_utf8("c"):
        b"\xff".decode()


def test_kinds_of_cells_are_looked_up_and_views_are_not_copied():
    kinds = np.array([CellKind.NUMBER, CellKind.OTHER], np.uint8)
    assert among(kinds, [CellKind.NUMBER, CellKind.DATE]).tolist() == [True, False]
    values = pa.array([1.0, 2.0])
    assert not floats(values).flags.owndata
