"""Count tables: those of the twin, for every width of codes and way of counting."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from hard_columns import CODES
from hypothesis import given
from hypothesis import strategies as st

from tallystick import kernels


@st.composite
def coded(draw):
    n_codes, n_classes, n_nodes = draw(st.integers(1, 9)), draw(st.integers(1, 5)), draw(st.integers(1, 3))
    n = draw(st.integers(0, 200))
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = seed.integers(0, n_codes, n).astype(draw(CODES))
    classes = seed.integers(0, n_classes, n).astype(draw(CODES))
    weights = seed.integers(0, 2**40, n) if draw(st.booleans()) else None
    nodes = seed.integers(0, n_nodes, n).astype(np.uint32) if draw(st.booleans()) else None
    return codes, classes, n_codes, n_classes, weights, nodes, n_nodes


@given(coded())
def test_count_tables_equal_the_twin_for_all_widths_weights_and_nodes(case):
    codes, classes, n_codes, n_classes, weights, nodes, n_nodes = case
    expected = reference.count_codes(codes, classes, n_codes, n_classes, weights, nodes, n_nodes)
    given_nodes = {"nodes": nodes, "n_nodes": n_nodes} if nodes is not None else {}
    table = kernels.count_codes(codes, classes, n_codes, n_classes, weights=weights, **given_nodes)
    np.testing.assert_array_equal(table, expected)
    both = kernels.count_columns(
        [codes, codes[::-1].copy()],
        classes,
        [n_codes, n_codes + 1],
        n_classes,
        weights=weights,
        **given_nodes,
    )
    np.testing.assert_array_equal(both[0], expected)
    np.testing.assert_array_equal(
        kernels.count_classes(classes, n_classes, weights),
        reference.count_classes(classes, n_classes, weights),
    )


def test_a_large_table_and_many_rows_take_every_way_of_counting():
    seed = np.random.default_rng(1)
    for n_codes, dtype in ((3, np.uint8), (1024, np.uint16), (1025, np.uint16), (70_000, np.uint32)):
        codes = seed.integers(0, n_codes, 9_999).astype(dtype)
        classes = seed.integers(0, 2, 9_999).astype(np.uint8)
        table = kernels.count_codes(codes, classes, n_codes, 2)
        np.testing.assert_array_equal(table, reference.count_codes(codes, classes, n_codes, 2))
        twice = kernels.count_codes(codes, classes, n_codes, 2, out=table.copy())
        np.testing.assert_array_equal(twice, 2 * table)


@pytest.mark.parametrize(
    ("n_classes", "dtype"), [(1, np.uint8), (2, np.uint16), (256, np.uint8), (257, np.uint16)]
)
@pytest.mark.parametrize("rows", [0, 3, 7, 1_029])
def test_classes_of_many_rows_are_counted_as_the_twin_does(n_classes, dtype, rows):
    classes = np.random.default_rng(rows).integers(0, n_classes, rows).astype(dtype)
    once = kernels.count_classes(classes, n_classes)
    np.testing.assert_array_equal(once, reference.count_classes(classes, n_classes, None))
    np.testing.assert_array_equal(kernels.count_classes(classes, n_classes, out=once.copy()), 2 * once)


def test_weights_of_two_to_the_forty_are_counted_exactly():
    classes = np.zeros(5, np.uint8)
    assert kernels.count_classes(classes, 1, np.full(5, 2**40 + 1)).tolist() == [5 * 2**40 + 5]


@given(st.integers(0, 40_000), st.sampled_from([1, 2, 9, 16, 17, 256]), CODES, st.integers(0, 2**32))
def test_rows_of_classes_are_those_of_the_twin_few_and_many(rows, n_classes, width, seed):
    classes = np.random.default_rng(seed).integers(0, n_classes, rows).astype(width)
    classes[: rows // 2] = 0  # many of one class, one after the other
    out = np.arange(n_classes)
    kernels.count_classes(classes, n_classes, None, out)
    np.testing.assert_array_equal(out - np.arange(n_classes), reference.count_classes(classes, n_classes))
