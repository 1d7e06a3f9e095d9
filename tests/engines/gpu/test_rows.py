"""Columns on a device: sent once, as they are, in parts where they do not fit, and given back."""

from __future__ import annotations

import numpy as np
import pandas as pd
from gpu_tables import table
from gpu_twin import Twin, twin

import tallystick as ts
from tallystick.engines.gpu import rows as device_rows
from tallystick.engines.gpu.rows import DeviceRows, Kept, side_by_side


def test_rows_that_do_not_fit_come_in_parts(monkeypatch):
    monkeypatch.setattr(device_rows, "LEAST_PART", 64)
    X, y = table(5)
    X = X[["double", "single", "level"]]
    here = ts.NaiveBayes(distributions="gaussian").fit(X, y)
    with twin(memory=9_000) as device:
        there = ts.NaiveBayes(distributions="gaussian", engine=ts.Gpu()).fit(X, y)
    moments = [name for name in device.launched if name in ("add_singles", "add_doubles")]
    assert len(moments) > 4  # more than once a question
    assert there.to_bytes() == here.to_bytes()


def test_nothing_stays_on_the_device_after_a_fit():
    X, y = table(6)
    with twin() as device:
        import tallystick.engines.gpu as room

        model = ts.DecisionTree(max_depth=3, engine=ts.Gpu()).fit(X, y)
        assert device.sent > 0
        assert room._devices[0].arrays == {}
        assert model.predict(X).shape == (len(X),)


def test_columns_are_sent_and_sorted_once_for_all_questions_of_a_fit():
    X, y = table(7)
    with twin() as device:
        ts.DecisionTree(max_depth=6, engine=ts.Gpu()).fit(X[["double", "single"]], y)
    assert device.launched.count("sort_keys") == 2
    assert device.launched.count("tile_best_2") == 6
    assert device.sent < 120_000  # 15,600 bytes of cells, logarithms, and what is asked of nodes


def test_later_parts_may_hold_larger_numbers(monkeypatch):
    monkeypatch.setattr(device_rows, "LEAST_PART", 64)
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"x": (rng.normal(size=700) * np.arange(1, 701) ** 4).astype(np.float32)})
    y = rng.integers(0, 2, 700)
    here = ts.NaiveBayes(distributions="gaussian").fit(X, y)
    with twin(memory=1_500) as device:
        there = ts.NaiveBayes(distributions="gaussian", engine=ts.Gpu()).fit(X, y)
    assert sum(name in ("add_singles", "add_doubles") for name in device.launched) > 4
    assert there.to_bytes() == here.to_bytes()


def test_doubles_travel_as_singles_only_where_these_are_the_same_numbers(monkeypatch):
    monkeypatch.setattr(device_rows, "TILE", 2)
    monkeypatch.setattr(device_rows, "PIECE", 4)
    exact, other = np.array([1.5, np.nan, -0.25, 0, 1]), np.array([0.1, 1.0, 2.0, 3.0, 4.0])
    late = np.array([1.0, np.nan, 2.0, 3.0, 1e300])
    beside = np.array([[1.0, 0.5], [2.0, 0.1], [3.0, 1.5], [4.0, 2.5], [5.0, 3.5]])
    given = [exact, other, late, beside[:, 0], beside[:, 1], np.array([1, 2, 3, 4, 5], np.uint8)]
    device = Twin()
    found = DeviceRows(device, Kept(device), None, threads=2)._sent(given)
    assert [str(a.dtype) for a in found] == ["float32", "float64", "float64", "float32", "float64", "uint8"]
    for sent, own in zip(found, given, strict=True):
        np.testing.assert_array_equal(sent.astype(np.float64), own)


def test_columns_of_a_matrix_are_found_in_it_and_others_stand_alone():
    matrix, alone = np.arange(60.0).reshape(10, 6), np.arange(10.0)
    columns = [matrix[:, 4], alone, matrix[:, 1], matrix[:, 2], matrix[::-1, 5], np.broadcast_to(1.0, 10)]
    found = side_by_side(columns)
    assert sorted(group.which.tolist() for group in found) == [[0, 2, 3], [1], [4], [5]]
    for group in found:
        for j, cell in zip(group.which, group.cells, strict=True):
            np.testing.assert_array_equal(group.matrix[:, cell], columns[j])
    rows = [np.arange(8.0).reshape(2, 4)[:, j] for j in (0, 3)]  # two matrices: never a row across both
    assert sorted(group.which.tolist() for group in side_by_side(rows)) == [[0], [1]]
