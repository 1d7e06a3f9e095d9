"""Numbers that become doubles later are the doubles that they would have been at once."""

from __future__ import annotations

import pickle
import threading
import weakref

import numpy as np
import pytest

from tallystick.table.lazy_columns import (
    NEAR,
    STEP,
    Doubles,
    LaterColumn,
    LaterColumns,
    raw_column,
    raw_values,
)
from tallystick.table.table import LocalTable as Table


@pytest.mark.parametrize("rows", [0, 1, NEAR // 3 + 1, STEP // 3 + 3])
@pytest.mark.parametrize("dtype", ["int64", "float32", "uint8", "float64"])
def test_doubles_are_made_of_all_rows(rows, dtype):
    numbers = np.random.default_rng(0).normal(size=(rows, 3)).astype(dtype) * 7
    for laid in (numbers, np.asfortranarray(numbers), numbers[::-1]):
        for by_columns in (False, True):
            made = Doubles(laid, 2, True, by_columns).made()
            np.testing.assert_array_equal(made, laid.astype(np.float64))
            assert made.dtype == np.float64
            assert made.flags.f_contiguous or not by_columns


def test_negative_zeros_are_gone():
    numbers = np.array([[-0.0, 1.0], [2.0, -0.0]], np.float32)
    assert not np.signbit(Doubles(numbers, 1, True).made()).any()


def test_doubles_are_made_once_whoever_asks():
    doubles = Doubles(np.arange(200_000, dtype=np.int32).reshape(-1, 2), 2, False)
    found = []
    threads = [threading.Thread(target=lambda: found.append(doubles.made())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(made) for made in found}) == 1


def test_columns_are_a_mapping_that_waits():
    doubles = Doubles(np.arange(6, dtype=np.int16).reshape(3, 2), 1, False)
    columns = LaterColumns({"a": LaterColumn(doubles, 0), "b": np.array([1, 2, 3])})
    table = Table(None, columns, 3)
    assert list(columns) == ["a", "b"]
    assert len(columns) == 2
    assert raw_column(table, "a").dtype == np.int16
    assert raw_column(table, "b") is columns["b"]
    block = table.slice(1, 3)
    assert raw_values(block, "a").tolist() == [2, 4]
    assert raw_values(block, "a").dtype == np.int16
    assert doubles._made is None
    np.testing.assert_array_equal(table.column("a"), [0.0, 2.0, 4.0])
    assert doubles._made is not None
    assert raw_values(block, "a").tolist() == [2, 4]
    np.testing.assert_array_equal(block.values("a"), [2.0, 4.0])
    assert np.shares_memory(block.values("a"), table.column("a"))
    again = pickle.loads(pickle.dumps(columns))
    np.testing.assert_array_equal(again["a"], columns["a"])


def test_what_doubles_were_made_of_is_let_go():
    given = np.arange(6, dtype=np.int16).reshape(3, 2)
    gone, doubles = weakref.ref(given), Doubles(given, 1, False)
    del given
    assert gone() is not None
    doubles.made()
    assert gone() is None
