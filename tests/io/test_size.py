"""How much memory a table takes, and sizes as people write them."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

import tallystick as ts
from tallystick.errors import DataError, OptionError
from tallystick.io import scratch as size


def test_a_size_is_a_number_with_a_unit():
    assert (
        size.budget("1GB") == size.budget("1024 MB") == size.budget(1 << 30) == size.budget("1g") == 1 << 30
    )
    assert size.budget("64.5mb") == int(64.5 * (1 << 20))
    for wrong in ("much", "1 XB", True, 1.5, "-1GB", ""):
        with pytest.raises(OptionError, match="is not a size"):
            size.budget(wrong)
    with pytest.raises(OptionError, match=r"too little to work in\. Give at least 32 MB"):
        size.budget("1MB")


def test_more_memory_than_any_machine_has_is_as_much():
    assert size.budget(10**30) == size.budget("99999999 PB") == 2**62
    tree = ts.DecisionTree(memory=10**30).fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    assert tree.predict([[1.0], [4.0]]).tolist() == [0, 1]


def test_a_file_too_large_for_the_machine_is_refused_before_the_work_with_the_estimate_and_the_cure(tmp_path):
    path = tmp_path / "huge.csv"
    path.write_text("a,b,y\n" + "1.5,2.5,p\n2.5,3.5,q\n" * 10_000)
    os.truncate(path, 1 << 43)  # zeros that take no room
    with pytest.raises(
        DataError, match=r"huge\.csv needs about .* of memory, and this machine has .*memory='"
    ):
        ts.NaiveBayes().fit(path, "y")


def test_numbers_take_more_than_codes_and_a_line_may_take_several_pieces():
    assert size.needed(1000, 2, 3) == 1000 * (2 * size.NUMBER + 3 * size.OTHER)
    assert size.longest_within("64MB") < size.longest_within("1GB")
    assert 0 < size.memory() < 1 << 60


def test_more_columns_than_a_budget_holds_are_refused_with_the_memory_they_need():
    wide = SimpleNamespace(name="wide.csv", columns=("x",) * 10_000)
    size.refuse_too_wide(wide, 1 << 30)
    with pytest.raises(
        DataError, match=r"wide.csv has 10,000 columns, which take at least 58.6 MB .*memory='59MB'"
    ):
        size.refuse_too_wide(wide, 32 << 20)
