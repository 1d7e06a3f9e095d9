"""Errors of Spark's workers, raised here as what they are."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.engines.spark.workers import check_version, plain_error, plain_errors, reason
from tallystick.errors import OptionError, TallyError, TargetError


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
