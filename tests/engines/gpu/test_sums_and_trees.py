"""The GPU engine on a processor: its device code, compiled by a plain compiler, must give every total and
every model that the processor's own kernels give. tests/engines/gpu/test_device.py asks a real device.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from gpu_twin import Twin, compiled, twin
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick.engines.gpu import rows as device_rows
from tallystick.engines.gpu.rows import DeviceRows, Kept
from tallystick.errors import DeviceError, DeviceFull, OptionError
from tallystick.stats.bayes import Ask, BayesSums


def table(seed, n=1300, classes=2):
    """Return a frame of every kind of column, and a target."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "double": rng.normal(size=n),
            "single": rng.normal(size=n).astype(np.float32),
            "rounded": np.round(rng.normal(size=n), 1),
            "wide": np.exp(60 * rng.normal(size=n)),
            "tiny": 1e-120 * rng.normal(size=n),
            "level": rng.choice(list("uvwxyz"), n),
            "flag": rng.random(n) < 0.3,
        }
    )
    X.loc[rng.random(n) < 0.1, "double"] = np.nan
    X.loc[rng.random(n) < 0.05, "level"] = None
    y = (X["single"] + X["rounded"] * X["flag"] + rng.normal(size=n) > 0).astype(int)
    return X, y + rng.integers(0, classes - 1, n)


# ---- sums ----


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=False, width=64), min_size=1, max_size=30),
    st.integers(1, 6),
    st.booleans(),
)
def test_moments_are_exact_for_any_doubles(values, classes, single):
    column = np.array(values, np.float64)
    if single:
        with np.errstate(over="ignore", invalid="ignore"):
            column = column.astype(np.float32).astype(np.float64)
        column[np.isinf(column)] = np.nan
    frame = pd.DataFrame({"x": column})
    y = np.arange(len(column)) % classes
    from tallystick.data.read.reader import read_table
    from tallystick.data.source import open_source

    if len(set(y)) < 2 or np.isnan(column).all():
        return
    found = read_table(open_source(frame), ts.NaiveBayes(kinds={"x": "numeric"})._wishes(), y)
    if "x" not in [c.name for c in found.schema.used]:
        return
    question = BayesSums((Ask("x", "moments"),), len(found.schema.predicted.labels))
    with twin() as device:
        there = ts.Gpu().total(found, question)
    here = ts.Local(1).total(found, question)
    assert there.keys() == here.keys()
    assert {"add_singles", "add_doubles"} & set(device.launched)
    for name in here:
        np.testing.assert_array_equal(there[name], here[name])


@pytest.mark.parametrize("classes", [2, 3, 9])
@pytest.mark.parametrize("distributions", ["auto", "binned"])
@pytest.mark.parametrize("weighted", [False, True])
def test_naive_bayes_has_the_same_bytes(classes, distributions, weighted):
    X, y = table(classes, classes=classes)
    weights = np.random.default_rng(1).integers(0, 4, len(X)) if weighted else None
    here = ts.NaiveBayes(distributions=distributions).fit(X, y, weights)
    with twin() as device:
        there = ts.NaiveBayes(distributions=distributions, engine=ts.Gpu()).fit(X, y, weights)
    assert {"count_codes", "count_bins"} & set(device.launched)
    assert there.to_bytes() == here.to_bytes()


def test_gaussian_naive_bayes_and_words_have_the_same_bytes():
    rng = np.random.default_rng(4)
    words = np.array(["to", "be", "or", "not", "that", "is", "the", "question", "whether", "tis", "nobler"])
    texts = [" ".join(rng.choice(words, rng.integers(0, 30))) for _ in range(400)]
    X = pd.DataFrame({"text": texts, "x": rng.normal(size=400)})
    y = rng.integers(0, 3, 400)
    for how in ("counts", "once", "tf-idf"):
        settings = {"distributions": {"x": "gaussian"}, "kinds": {"text": "text"}, "words": how}
        try:
            here = ts.NaiveBayes(**settings).fit(X, y)
        except OptionError:
            continue
        with twin() as device:
            there = ts.NaiveBayes(**settings, engine=ts.Gpu()).fit(X, y)
        assert {"add_singles", "add_doubles"} & set(device.launched)
        assert there.to_bytes() == here.to_bytes()


# ---- trees ----


@pytest.mark.parametrize("small_rows", [0, 150])
@pytest.mark.parametrize(
    "given",
    [
        {"max_depth": 4},
        {},
        {"criterion": "entropy", "min_samples_leaf": 7},
        {"max_bins": 16},
        {"max_depth": 3, "criterion": "gini"},  # grown on the processor
    ],
)
@pytest.mark.parametrize("classes", [2, 3, 6])
def test_trees_have_the_same_bytes(given, classes, small_rows):
    X, y = table(10 + classes, classes=classes)
    here = ts.DecisionTree(**given).fit(X, y)
    with twin(small_rows=small_rows) as device:
        there = ts.DecisionTree(**given, engine=ts.Gpu()).fit(X, y)
    assert ("part_entries_2" in device.launched) == (given.get("criterion") != "gini")
    assert there.to_bytes() == here.to_bytes()


@pytest.mark.parametrize("method", [ts.DecisionTree.c45, ts.DecisionTree.cart, ts.DecisionTree.id3])
def test_trees_as_taught_have_the_same_bytes(method):
    X, y = table(3)
    X = X[["level", "flag"]] if method is ts.DecisionTree.id3 else X
    here = method().fit(X, y)
    with twin():
        there = method(engine=ts.Gpu()).fit(X, y)
    assert there.to_bytes() == here.to_bytes()


def test_a_column_of_many_equal_numbers_ties_as_in_memory():
    rng = np.random.default_rng(8)
    X = pd.DataFrame({n: rng.integers(0, 1500, 4000) / 8 for n in "ab"})
    X["c"] = X["a"]  # equal gains: the first name wins
    y = (X["a"] + X["b"] > 180).astype(int)
    here = ts.DecisionTree(max_depth=5).fit(X, y)
    with twin() as device:
        there = ts.DecisionTree(max_depth=5, engine=ts.Gpu()).fit(X, y)
    assert "tile_best_2" in device.launched
    assert there.to_bytes() == here.to_bytes()


# ---- memory and faults ----


def test_rows_that_do_not_fit_come_in_parts(monkeypatch):
    monkeypatch.setattr(device_rows, "LEAST_PART", 64)
    X, y = table(5)
    X = X[["double", "single", "level"]]
    here = ts.NaiveBayes(distributions="gaussian").fit(X, y)
    with twin(memory=9_000) as device:
        there = ts.NaiveBayes(distributions="gaussian", engine=ts.Gpu()).fit(X, y)
    assert sum(name in ("add_singles", "add_doubles") for name in device.launched) > 4  # more than once a question
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


def test_where_the_device_is_full_the_processor_sums():
    class Full(Twin):
        def launch(self, kernel, blocks, *given, memory=0):
            raise DeviceFull("the GPU's memory is full: 0 bytes.")

    import tallystick.engines.gpu as room

    X, y = table(9)
    here = ts.NaiveBayes().fit(X, y)
    before, room._devices[0] = room._devices.get(0), device_rows.Kept(Full())
    try:
        there = ts.NaiveBayes(engine=ts.Gpu()).fit(X, y)
    finally:
        room._devices.pop(0) if before is None else room._devices.update({0: before})
    assert there.to_bytes() == here.to_bytes()


def test_an_error_of_the_device_is_raised_as_it_is():
    class Lost(Twin):
        def launch(self, kernel, blocks, *given, memory=0):
            raise DeviceError("the GPU failed: it fell off the bus.")

    import tallystick.engines.gpu as room

    X, y = table(9)
    before, room._devices[0] = room._devices.get(0), device_rows.Kept(Lost())
    try:
        with pytest.raises(DeviceError, match="fell off the bus"):
            ts.NaiveBayes(engine=ts.Gpu()).fit(X, y)
    finally:
        room._devices.pop(0) if before is None else room._devices.update({0: before})
        gc.collect()


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


@pytest.mark.parametrize("given", [{"device": -1}, {"device": True}, {"memory": "much"}])
def test_settings_that_make_no_sense_are_refused(given):
    with pytest.raises(OptionError):
        ts.Gpu(**given)


def test_without_a_gpu_or_cupy_the_error_is_one_line():
    code = (
        "import sys; sys.modules['cupy'] = None\n"
        "import tallystick as ts\n"
        "try: ts.NaiveBayes(engine=ts.Gpu()).fit([[1.0], [2.0], [1.0], [2.0]], [0, 1, 0, 1])\n"
        "except ts.TallyError as error: print(error)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ}, check=True
    )
    assert run.stdout.count("\n") == 1
    assert "pip install 'tallystick[gpu]'" in run.stdout


def test_the_shared_arithmetic_is_the_kernels_own():
    """exp and log of the device are those of the kernels: one text."""
    from pathlib import Path

    from tallystick.engines.gpu import source

    own = Path(__file__).parents[3] / "src/kernels/base/math.hpp"
    assert "inline double exp_of(double x)" in source.text()
    body = own.read_text()
    assert body[body.index("inline double exp_of") : body.index("struct Split")] in source.text()
    assert compiled() is not None
