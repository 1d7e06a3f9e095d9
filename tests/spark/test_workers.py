"""Errors of Spark's workers, raised here as what they are."""

from __future__ import annotations

import gc
import sys
from types import ModuleType

import pyarrow as pa
import pytest

import tallystick as ts
from tallystick.errors import OptionError, TallyError, TargetError
from tallystick.spark.workers import Loaded, check_version, plain_error, plain_errors, reason, settle


def test_a_foreign_error_is_no_error_of_ours():
    assert plain_error("java.lang.OutOfMemoryError: heap") is None
    assert isinstance(plain_error("...\ntallystick.errors.DataError: x is y. Do z.\n"), TallyError)


def test_an_error_of_ours_keeps_its_class_and_its_line_only():
    text = (
        "Traceback ...\n  File x\ntallystick.errors.TargetError: target 'y' is gone. Name it.\n\tat java.lang"
    )
    found = plain_error(text)
    assert type(found) is TargetError
    assert str(found) == "target 'y' is gone. Name it."
    assert plain_error("tallystick.errors.shown: no class of errors") is None


def test_workers_that_lack_a_library_are_told_what_to_install():
    found = plain_error("ModuleNotFoundError: No module named 'pyarrow'")
    assert isinstance(found, OptionError)
    assert "Spark's workers have no pyarrow" in str(found)


def test_what_is_not_sparks_passes_and_the_last_error_of_python_says_most():
    with pytest.raises(ZeroDivisionError), plain_errors():
        _ = 1 / 0
    assert reason("at java\nTypeError: first\nValueError: bad cell\nat more") == "'ValueError: bad cell'."
    assert reason("[DIVIDE_BY_ZERO] nothing\nmore") == "'[DIVIDE_BY_ZERO] nothing'."


def test_another_version_is_refused_with_both():
    check_version(ts.__version__)
    with pytest.raises(OptionError, match=r"tallystick is '0\.0' here, but .* where Spark's workers run"):
        check_version("0.0")


@pytest.mark.slow
def test_what_a_worker_has_loaded_is_taken_out_of_its_search_for_garbage_once(monkeypatch):
    monkeypatch.setattr(Loaded, "modules", 0)
    try:
        gc.unfreeze()
        settle()
        held = gc.get_freeze_count()
        kept = [[] for _ in range(10_000)]
        settle()
        assert 1_000 < held >= gc.get_freeze_count()  # what a task makes later can be found
        monkeypatch.setitem(sys.modules, "one_more", ModuleType("one_more"))
        settle()
        assert gc.get_freeze_count() > held + len(kept) // 2
    finally:
        gc.unfreeze()


@pytest.mark.slow
def test_a_fit_leaves_workers_that_search_little(spark):
    rows = pa.table({"x": [float(i % 7) for i in range(40)], "y": ["a", "b"] * 20})
    ts.NaiveBayes().fit(spark.createDataFrame(rows), "y")

    def left(_):
        import gc
        import sys

        used = "tallystick" in sys.modules  # Spark may start one more, which the fit never used
        return [(gc.get_freeze_count(), len(gc.get_objects()))] if used else []

    found = spark.sparkContext.parallelize(range(2), 2).mapPartitions(left).collect()
    assert found
    assert all(held > 10 * searched for held, searched in found)
