"""Arrow arrays by their buffers: the same as pyarrow's converters give, and without pandas."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick as ts
from tallystick.errors import DataError
from tallystick.io.frames import filled, from_numbers, from_texts, sound, to_numbers
from tallystick.io.open import open_source
from tallystick.table.reader import read_table
from tallystick.table.strings import distinct

TYPES = ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32", "float64", "bool", ">i4"]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", TYPES)
@given(values=st.lists(st.integers(0, 100)))
def test_numbers_become_the_array_that_pyarrow_makes(dtype, values):
    numbers = np.array(values, dtype)
    assert from_numbers(numbers).equals(pa.array(numbers.astype(numbers.dtype.newbyteorder("="))))
    assert from_numbers(np.repeat(numbers, 2)[::2]).equals(from_numbers(numbers))


@pytest.mark.slow
@given(st.lists(st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"])))))
def test_texts_become_the_array_that_pyarrow_makes(texts):
    array = from_texts(texts)
    array.validate(full=True)
    assert array.equals(pa.array(texts, pa.large_string()))


@pytest.mark.slow
@given(st.lists(st.one_of(st.none(), st.integers(0, 100))), st.integers(0, 70_000), st.integers(0, 20))
def test_numbers_are_read_with_a_value_for_null(values, missing, start):
    for kind in (pa.int8(), pa.uint16(), pa.int32(), pa.int64()):
        array = pa.array(values, kind).slice(start)
        expected = [missing if v is None else v for v in values[start:]]
        assert filled(array, missing).tolist() == expected
    doubles = filled(pa.array(values, pa.float64()).slice(start), np.nan)
    np.testing.assert_array_equal(doubles, np.array(values[start:], float))


def test_a_view_of_an_array_cannot_be_written_to():
    array = from_numbers(np.arange(3))
    with pytest.raises(ValueError, match="read-only"):
        to_numbers(array)[0] = 7


@pytest.mark.slow
@pytest.mark.parametrize("model", ["DecisionTree", "NaiveBayes", "LogisticRegression", "Scorecard"])
def test_from_a_csv_file_to_predictions_neither_pandas_nor_masked_arrays_are_loaded(tmp_path, model):
    rows = [f"{i},{i / 7},{'xyz'[i % 3]},{['yes', 'no', ''][i % 3]},{'ab'[i % 5 > 1]}" for i in range(60)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["n,share,letter,said,class", *rows]))
    code = (
        "import sys, tallystick as ts\n"
        f"ts.{model}().fit(sys.argv[1], 'class').predict(sys.argv[1])\n"
        "print([m for m in ('pandas', 'numpy.ma') if m in sys.modules])"
    )
    run = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr


def test_a_dictionary_asked_for_an_entry_it_lacks_is_damaged():
    beyond = pa.DictionaryArray.from_arrays(
        from_numbers(np.array([0, 1, 7], np.int8)), ["a", "b"], safe=False
    )
    below = pa.DictionaryArray.from_arrays(
        from_numbers(np.array([0, -3, 1], np.int8)), ["a", "b"], safe=False
    )
    with pytest.raises(DataError, match="dictionary of 2 entries is asked for entry 7"):
        distinct(beyond)
    with pytest.raises(DataError, match="dictionary of 2 entries is asked for entry -3"):
        distinct(below)


def misplaced(kind):
    """Return four texts, one of which lies far beyond the memory of all."""
    size = np.int32 if kind == pa.string() else np.int64
    starts = pa.py_buffer(np.array([0, 100_000_000, 3, 2, 3], size))
    return pa.Array.from_buffers(kind, 4, [None, starts, pa.py_buffer(b"abc")])


def misplaced_views():
    view = np.zeros(4, [("size", "i4"), ("start", "S4"), ("buffer", "i4"), ("offset", "i4")])
    view["size"], view["buffer"] = 10**8, 77
    return pa.Array.from_buffers(pa.string_view(), 4, [None, pa.py_buffer(view.tobytes())])


@pytest.mark.parametrize(
    "cells",
    [
        misplaced(pa.string()),
        misplaced(pa.large_string()),
        pa.DictionaryArray.from_arrays([0, 1, 2, 3], misplaced(pa.string())),
        misplaced_views(),
    ],
    ids=["string", "large string", "dictionary", "views"],
)
def test_texts_that_lie_beyond_their_memory_are_refused_before_they_are_read(cells):
    for table in (pa.table({"x": cells}), {"x": cells}):
        with pytest.raises(DataError, match="column 'x' says that its texts lie where none are"):
            read_table(open_source(table))
    with pytest.raises(DataError, match="column 'y' says"):
        ts.DecisionTree().fit({"x": [1, 2, 3, 4]}, cells)


@pytest.mark.slow
@given(st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"])), max_size=9), st.integers(0, 9))
def test_texts_are_sound_wherever_they_were_cut(texts, start):
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        cells = pa.array(texts, kind)[start:]
        assert sound(cells, "x") is cells


def test_numbers_that_lie_between_the_places_of_numbers_are_copied():
    for kind in ("f8", "f4", "i8", "u2"):
        values = np.frombuffer(b"?" + np.arange(5, dtype=kind).tobytes(), kind, offset=1)
        assert not values.flags.aligned
        assert to_numbers(from_numbers(values)).flags.aligned
        lying = pa.Array.from_buffers(pa.from_numpy_dtype(kind), 5, [None, pa.py_buffer(values)])
        assert to_numbers(lying).flags.aligned
        assert to_numbers(lying).tolist() == [0, 1, 2, 3, 4]
