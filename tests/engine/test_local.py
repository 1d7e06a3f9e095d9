"""Sums on this machine: the same whatever the threads, and nothing is left where something fails."""

from __future__ import annotations

import copy
import threading
from types import SimpleNamespace

import pytest

from tallystick.contracts import Statistic
from tallystick.engine import Local
from tallystick.errors import OptionError
from tallystick.parallel import FEW_ROWS


class Summing(Statistic):
    """The sum of numbers; a block is a list of them."""

    def zero(self):
        return [0, 0]

    def add(self, total, block):
        if block.numbers is None:
            raise RuntimeError("a block that cannot be read")
        return [total[0] + sum(block.numbers), total[1] + 1]

    def merge(self, total, other):
        return [total[0] + other[0], total[1] + other[1]]


def table(blocks, rows=10 * FEW_ROWS):
    made = [SimpleNamespace(rows=rows // max(len(blocks), 1), numbers=b) for b in blocks]
    return SimpleNamespace(rows=rows, blocks=lambda: iter(made), holds=lambda size: True)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_block_is_added_once_whatever_the_threads(threads):
    blocks = [[i, 1] for i in range(40)]
    assert Local(threads).total(table(blocks), Summing()) == [sum(range(40)) + 40, 40]


def test_no_blocks_are_the_total_of_no_rows():
    assert Local(2).total(table([]), Summing()) == [0, 0]


def test_progress_is_told_and_ends_at_all_rows():
    told = []
    Local(2, progress=lambda done, rows: told.append((done, rows))).total(
        table([[1]] * 4, 4 * FEW_ROWS), Summing()
    )
    assert sorted(told) == [(FEW_ROWS * i, 4 * FEW_ROWS) for i in (1, 2, 3, 4)]


def test_an_error_in_one_thread_is_raised_and_no_thread_is_left():
    before = set(threading.enumerate())  # of other tests; some may end meanwhile
    with pytest.raises(RuntimeError, match="a block that cannot be read"):
        Local(3).total(table([[1], None, *([[1]] * 20)]), Summing())
    assert set(threading.enumerate()) <= before


def test_settings_that_make_no_sense_are_refused_when_they_are_said():
    with pytest.raises(OptionError, match="threads"):
        Local(threads=0)
    with pytest.raises(OptionError, match="is not a size"):
        Local(memory="much")


def test_an_engine_prints_as_it_is_typed_and_is_its_own_copy():
    engine = Local(threads=2, memory="1GB")
    assert repr(engine) == "Local(threads=2, memory='1GB')"
    assert copy.deepcopy(engine) is engine
    assert engine == Local(2, "1GB")


def test_progress_is_a_function():
    with pytest.raises(OptionError, match=r"progress must be a function of \(done, total\), not 3"):
        Local(progress=3)
