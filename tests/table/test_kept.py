"""Batches kept in memory and on disk are read back as they were."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tallystick import kernels
from tallystick.table.block import WordCounts
from tallystick.table.cells import Floats, small_column
from tallystick.table.column_survey import BatchWords
from tallystick.table.disk import KeptInMemory, KeptOnDisk
from tallystick.table.strings import Distinct
from tallystick.table.survey import ScannedBatch
from tallystick.table.target import TargetCells


def texts(*values):
    return pa.array(values, pa.large_string())


def taken(shift=0.0):
    words = WordCounts(np.array([0, 1, 3, 3]), np.array([0, 0, 1], np.uint32), np.array([2, 1, 1], np.uint32))
    return ScannedBatch(
        3,
        TargetCells(Distinct(texts("no", "yes"), np.array([0, 2, 1], np.uint8))),
        np.array([1.0, 1.0, 2.0]),
        {
            "x": Floats(np.array([1.5, np.nan, 3.0]) + shift),
            "d": Floats(np.array([1.0, 2.0, 3.0]), dated=True),
            "n": small_column(np.array([7, 8, 7])),
            "a": Distinct(texts("é", "z"), np.array([1, 0, 2], np.uint16)),
            "t": BatchWords(texts("pie", "tea"), words),
        },
    )


@pytest.fixture(params=["memory", "disk"])
def kept(request):
    names = ["x", "d", "n", "a", "t", "out"]
    room = KeptInMemory(names) if request.param == "memory" else KeptOnDisk(names, regression=False)
    yield room
    room.close()


def test_batches_come_back_in_their_order(kept):
    second, first = kept.put(taken(shift=1.0)), kept.put(taken())  # threads put them as they are done
    kept.add(first)
    kept.add(second)
    assert len(kept) == 2
    first, second = kept.read(0), kept.read(1)
    np.testing.assert_array_equal(first.columns["x"].values, [1.5, np.nan, 3.0])
    np.testing.assert_array_equal(second.columns["x"].values, [2.5, np.nan, 4.0])
    assert second.columns["d"].dated
    numbers = first.columns["n"]
    assert (numbers.values if isinstance(numbers, Floats) else numbers.values()).tolist() == [7.0, 8.0, 7.0]
    assert first.columns["a"].values.to_pylist() == ["é", "z"]
    assert second.columns["a"].codes.tolist() == [1, 0, 2]
    assert second.columns["t"].words.to_pylist() == ["pie", "tea"]
    assert [part.tolist() for part in second.columns["t"].rows] == [[0, 1, 3, 3], [0, 0, 1], [2, 1, 1]]
    assert "out" not in first.columns


def test_which_rows_count_is_known_again(kept):
    kept.add(kept.put(taken()))
    found = kept.read(0)
    assert found.keep.tolist() == [0, 2]  # the second row has no label
    assert found.hit.labels.values.to_pylist() == ["no", "yes"]
    assert found.weights.tolist() == [1.0, 1.0, 2.0]


def test_a_response_is_kept_as_numbers():
    room = KeptOnDisk(["x"], regression=True)
    hit = TargetCells(response=np.array([0.5, np.nan]))
    room.add(room.put(ScannedBatch(2, hit, None, {"x": Floats(np.array([1.0, 2.0]))})))
    found = room.read(0)
    np.testing.assert_array_equal(found.hit.response, [0.5, np.nan])
    assert (found.keep.tolist(), found.weights) == ([0], None)
    room.close()


def test_columns_that_nobody_asks_for_are_not_read_from_disk():
    room = KeptOnDisk(["x", "d", "n", "a", "t"], regression=False)
    room.add(room.put(taken()))
    found = room.read(0, {"x", "t"})
    assert set(found.columns) == {"d", "n", "a"}
    assert found.columns["a"].codes.tolist() == [1, 0, 2]
    assert (found.hit.labels.values.to_pylist(), found.weights.tolist()) == (["no", "yes"], [1.0, 1.0, 2.0])
    room.close()


def look(values):
    return kernels.scan_columns([values])[0]


@pytest.mark.parametrize(
    ("second", "tidy"),
    [([3.0, np.nan], True), ([-0.0, 1.0], False), ([np.inf, 1.0], False), (None, False), ("as texts", False)],
)
def test_numbers_are_a_columns_values_where_every_batch_says_so(second, tidy):
    room = KeptOnDisk(["x", "a"], regression=False)
    first = np.array([1.0, 2.0])
    room.add(room.put(ScannedBatch(2, TargetCells(), None, {"x": Floats(first, scan=look(first))})))
    if second == "as texts":
        again = Distinct(texts("1", "2"), np.array([0, 1], np.uint8))
    else:
        values = first if second is None else np.array(second)  # None: nobody looked at them
        again = Floats(values, scan=None if second is None else look(values))
    room.add(room.put(ScannedBatch(2, TargetCells(), None, {"x": again})))
    assert room.tidy() == ({"x"} if tidy else set())
    if tidy:
        assert room.numbers(1, "x") == values.tobytes()
    room.close()
