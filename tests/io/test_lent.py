"""Memory that is lent: used again, but never while an array lies in it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tallystick.io.csv_bytes import Lender


def test_memory_is_lent_again_once_no_array_lies_in_it():
    lender = Lender()
    first = lender(10)
    part, where = first[3:5], first.ctypes.data
    del first
    other = lender(10)
    assert other.ctypes.data != where  # a part of it is held
    del part
    assert lender(8).ctypes.data == where
    assert other.ctypes.data != where


def test_memory_that_is_too_little_is_let_go():
    lender = Lender()
    first = lender(10)
    del first
    assert len(lender(20)) == 20
    assert [len(memory) for memory in lender.free] == [20]


def test_threads_never_share_memory():
    lender = Lender()

    def job(i):
        seen = []
        for _ in range(200):
            own = lender(64)
            own[:] = i
            seen.append(bool((own == i).all()))
        return all(seen)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(job, range(4)))


def test_memory_outlives_its_lender():
    own = Lender()(16)
    own[:] = 7
    assert own.tolist() == [7] * 16
    assert own.dtype == np.uint8
