"""More rows than memory holds: some at a time, in the order that sorting them at once gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick.judge import folds as large


def test_steps_cover_all_rows_once(monkeypatch):
    monkeypatch.setattr(large, "STEP", 4)
    assert [(s.start, s.stop) for s in large.steps(10)] == [(0, 4), (4, 8), (8, 10)]
    assert list(large.steps(0)) == []


def test_rows_that_pass_a_test_come_in_their_order(monkeypatch):
    monkeypatch.setattr(large, "STEP", 3)
    values = np.array([5, 0, 7, 0, 0, 2, 9])
    assert large.where(lambda s: values[s] > 1, 7).tolist() == [0, 2, 5, 6]
    assert large.where(lambda s: values[s] > 99, 7).tolist() == []


@pytest.mark.slow
@pytest.mark.parametrize("step", [2, 1 << 16])
@settings(max_examples=30)
@given(st.lists(st.sampled_from([0, 1, 5, 1 << 20, (1 << 63) + 1, (1 << 64) - 1]), max_size=12))
def test_rows_come_in_the_order_of_their_keys_however_few_are_held(step, values):
    keys, before = np.array(values, np.uint64), large.STEP
    large.STEP = step
    try:
        parts = list(large.by_key(keys, None, 0))
        odd = [row for part in large.by_key(keys, lambda s: keys[s] % 2 == 1, 0) for row in part.tolist()]
    finally:
        large.STEP = before
    rows = [row for part in parts for row in part.tolist()]
    assert sorted(rows) == list(range(len(values)))
    assert [values[row] for row in rows] == sorted(values)
    assert [values[row] for row in odd] == sorted(v for v in values if v % 2)
