"""Where ranges begin: exact, whether all values are at hand or only those of cells."""

from __future__ import annotations

from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tallystick.schema import Column
from tallystick.stats import quantiles as finer_cells
from tallystick.stats.binning import chosen_cuts, cuts_by_column, kept_apart, plain_cuts, wanted_places
from tallystick.stats.quantiles import ValuesInCells, count_values
from tallystick.table.block import RowBlock as Block

number = st.one_of(st.floats(-1e300, 1e300), st.floats(-1, 1), st.integers(-3, 3).map(float))


def exact_cuts(found, ranges, rows):
    """The cuts of a column whose values are all at hand."""
    values, counts = found.values, found.counts
    if len(values) <= kept_apart(ranges, rows):
        return tuple(plain_cuts(values, np.arange(1, len(values))))
    total, below = int(counts.sum()), np.cumsum(counts) - counts
    own = counts * ranges >= total
    wanted = wanted_places(below[own], counts[own], total, ranges)
    return tuple(chosen_cuts(found, below, values[own], wanted))


def answered(values, weights, ranges, ends):
    """Cuts by questions over blocks, merged in a turned order, and the most values that an answer told."""
    column = Column("x", "numeric", low=float(values.min()), high=float(values.max()))
    weight = len(values) if weights is None else int(weights.sum())
    stages = cuts_by_column([column], ranges, weight, float(weight))
    bounds = [0, *ends, len(values)]
    blocks = [
        Block(b - a, {"x": values[a:b]}, weights=None if weights is None else weights[a:b])
        for a, b in pairwise(bounds)
    ]
    question, told = next(stages), 0
    while True:
        total = question.zero()
        for block in reversed(blocks):
            total = question.merge(question.add(question.zero(), block), total)
        if isinstance(question, ValuesInCells):
            told = max(told, len(total[0].values))
        try:
            question = stages.send(total)
        except StopIteration as end:
            return end.value["x"], told


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(number, st.integers(1, 4)), min_size=1, max_size=60),
    weighted=st.booleans(),
    ranges=st.integers(2, 6),
    ends=st.lists(st.integers(0, 60), max_size=2),
    crowd=st.sampled_from([0, 8, finer_cells.MOST_NEAR]),
)
@example([(0.0, 1)] * 30 + [(float(i), 1) for i in range(1, 30)], False, 4, [5], finer_cells.MOST_NEAR)
@example([(0.0, 1)] * 30 + [(float(i), 1) for i in range(1, 30)], False, 4, [5], 0)
@example([(i / 9, 1) for i in range(40)] + [(1e9, 1)], False, 4, [5], 8)  # nearly all in one cell
@example([(5e-324, 1), (1e300, 1), (-1e300, 4), (0.0, 1), (1.0, 1)], True, 2, [], 0)
def test_cuts_by_questions_are_those_of_all_values(rows, weighted, ranges, ends, crowd):
    values = np.array([v for v, _ in rows]) + 0.0
    weights = np.array([w for _, w in rows], np.int64) if weighted else None
    total = len(values) if weights is None else int(weights.sum())
    want = exact_cuts(count_values(values, weights), ranges, float(total))
    with patch.object(finer_cells, "MOST_NEAR", crowd):  # rows beyond which cells are divided
        found, _ = answered(values, weights, ranges, sorted(min(e, len(rows)) for e in ends))
    assert found == want


def test_fine_cells_leave_few_values_to_be_told():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(size=100_000), np.zeros(9_000), [5e3]])  # nearly all in a few cells
    plain, told = answered(values, None, 20, [40_000])
    with patch.object(finer_cells, "MOST_NEAR", 1_000):
        finer, few = answered(values, None, 20, [40_000])
    assert finer == plain
    assert few < told / 10


def test_a_value_with_many_rows_has_a_range_of_its_own():
    values = np.concatenate([np.zeros(500), np.arange(1.0, 501.0)])
    cuts = exact_cuts(count_values(values, None), 8, 1000.0)
    assert cuts[0] == 0.5
    inside = np.histogram(values, [-np.inf, *cuts, np.inf])[0]
    assert inside[0] == 500
    assert len(inside) == 8
    assert inside[1:].max() - inside[1:].min() <= 1


def test_few_values_are_kept_apart_as_long_as_rows_go_with_them():
    assert kept_apart(32, 100) == 32
    assert kept_apart(32, 64 * 70) == 70
    assert kept_apart(32, 1e9) == 128
    values = np.arange(70.0)
    assert len(exact_cuts(count_values(np.repeat(values, 70), None), 32, 4_900.0)) == 69
    assert len(exact_cuts(count_values(values, None), 32, 70.0)) == 31


def test_stretches_between_heavy_values_have_their_share():
    heavy = np.array([100], np.int64)
    assert wanted_places(heavy, np.array([100], np.int64), 400, 4).tolist() == [200]


def test_cuts_have_as_few_digits_as_will_do():
    values = np.array([0.99, 1.04, 7.0, 8.0, 57.0, 497.0, 754.0, 755.0])
    assert plain_cuts(values, np.arange(1, 8)) == [1.02, 4.0, 7.5, 30.0, 300.0, 600.0, 754.5]


@pytest.mark.slow
@given(st.lists(number, min_size=2, max_size=30, unique=True))
def test_a_plain_cut_lies_between_its_values(given_):
    values = np.sort(np.array(given_))
    cuts = np.array(plain_cuts(values, np.arange(1, len(values))))
    assert ((values[:-1] < cuts) & (cuts <= values[1:])).all()
