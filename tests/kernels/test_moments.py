"""Exact sums of doubles: those of fractions, whatever the numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import reference
from hard_columns import rows
from hypothesis import given
from hypothesis import strategies as st

from tallystick import kernels


def _tables(n_columns, n_classes):
    shape = (n_columns, n_classes)
    return (
        np.zeros(shape, np.int64),
        np.zeros((*shape, kernels.SUM_DIGITS), np.int64),
        np.zeros((*shape, kernels.SQUARE_DIGITS), np.int64),
    )


@pytest.mark.slow
@given(rows(), st.sampled_from([0, 200]))
def test_moments_are_exact_for_all_doubles(case, more_classes):
    values, classes, n_classes, weights = case
    expected = reference.moments(values, classes, n_classes, weights)
    missing, sums, squares = _tables(1, n_classes + more_classes)  # many classes take another way
    kernels.add_moments([values], classes, missing, sums, squares, weights)
    for c, (gone, total, square) in enumerate(expected):
        assert missing[0, c] == gone
        assert kernels.exact_sum(sums[0, c]) == total
        assert kernels.exact_squares(squares[0, c]) == square
        np.testing.assert_array_equal(
            kernels.digits_of(kernels.whole(sums[0, c]), kernels.SUM_DIGITS), sums[0, c]
        )
    assert sums[..., :-1].min() >= 0
    assert sums[..., :-1].max() < 2**32


def assert_each_column_alone(matrix, classes, labels, weights=None):
    """The sums of all columns at once are those of each by itself, to the bit."""
    columns = matrix.shape[1]
    together, alone = _tables(columns, labels), _tables(columns, labels)
    kernels.add_moments(list(matrix.T), classes, *together, weights)
    for j in range(columns):
        kernels.add_moments([matrix[:, j].copy()], classes, *(t[j : j + 1] for t in alone), weights)
    for a, b in zip(together, alone, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("order", ["C", "F"])
def test_moments_of_a_matrix_equal_those_of_its_columns(order):
    seed = np.random.default_rng(5)
    matrix = np.asarray(seed.normal(size=(5000, 19)) * 10.0 ** seed.integers(-9, 9, 19), order=order)
    classes = seed.integers(0, 3, 5000).astype(np.uint16)
    assert_each_column_alone(matrix, classes, 3)


@pytest.mark.parametrize("bits", [37, 38, 39, 40])
def test_weights_have_as_many_bits_as_sums_of_slices_hold(bits):
    """Values just above 2^-18 where 1 sets the size, whose products with the weights have the most digits."""
    seed, rows = np.random.default_rng(1), 3000
    matrix = np.ldexp(seed.integers(2**51, 2**52, (rows, 5)) * 2.0 + 1, -17 - 53)
    matrix *= seed.choice([-1, 1], matrix.shape)
    matrix[:300] = matrix[::12] = 1.0
    weights = seed.integers(2 ** (bits - 1), 2**bits, rows) | 1
    classes = np.zeros(rows, np.uint8)
    assert_each_column_alone(matrix, classes, 1, weights)


@pytest.mark.parametrize("gaps", [0.0, 0.001, 0.3])
@pytest.mark.parametrize("most", [None, 1, 3, 2**38 - 1, 2**38, 2**40])
def test_moments_of_rows_with_weights_and_gaps_equal_those_of_each_column(most, gaps):
    seed = np.random.default_rng(6)
    matrix = seed.normal(size=(3000, 21)) * 10.0 ** seed.integers(-9, 9, 21)
    matrix[seed.random(matrix.shape) < gaps] = np.nan
    matrix[::7, 3], matrix[::50, 4], matrix[::50, 5] = -0.0, 1e300, 1e-200  # some that go the long way
    matrix[:, 6] *= 10.0 ** seed.integers(-300, 290, 3000)
    matrix[::60, 7] = np.inf
    matrix[:, 8] = np.round(matrix[:, 8])
    classes = seed.integers(0, 3, 3000).astype(np.uint16)
    weights = None if most is None else seed.integers(0, most, 3000, endpoint=True)
    assert_each_column_alone(matrix, classes, 3, weights)


def test_the_largest_doubles_with_the_largest_weights_do_not_overflow():
    values, weight = np.array([1.7976931348623157e308, -1.7976931348623157e308]), 2**62 - 1
    missing, sums, squares = _tables(1, 2)
    kernels.add_moments([values], np.array([0, 1], np.uint8), missing, sums, squares, np.full(2, weight))
    assert kernels.exact_sum(sums[0, 1]) == weight * Fraction(values[1])
    assert kernels.exact_squares(squares[0, 1]) == weight * Fraction(values[1]) ** 2
