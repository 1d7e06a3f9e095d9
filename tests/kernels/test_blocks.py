"""A basis in blocks beside the same basis as one matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick import kernels
from tallystick.parallel import crew


def whole(factors):
    out = np.zeros((sum(len(f) for f in factors), sum(f.shape[1] for f in factors)))
    line = direction = 0
    for f in factors:
        out[line : line + len(f), direction : direction + f.shape[1]] = f
        line, direction = line + len(f), direction + f.shape[1]
    return out


def room(some, w, filled=np.nan):
    """Two matrices to be written over."""
    return np.full((len(some), len(w)), filled), np.full((len(some), len(some)), filled)


@pytest.mark.slow
@given(
    seed=st.integers(0, 10_000),
    sizes=st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=1, max_size=4),
)
@settings(max_examples=25, deadline=None)
def test_blocks_are_the_matrix_they_make(seed, sizes):
    rng = np.random.default_rng(seed)
    factors = [rng.normal(size=size) for size in sizes]
    b, basis = whole(factors), kernels.BlockBasis.of(factors)
    assert (basis.lines, basis.directions) == b.shape
    half = rng.normal(size=b.shape[:1] * 2)
    w, x, v = half + half.T, rng.normal(size=len(b)), rng.normal(size=b.shape[1])
    np.testing.assert_allclose(basis.along(x), b.T @ x, atol=1e-9)
    np.testing.assert_allclose(basis.lines_of(v), b @ v, atol=1e-9)
    np.testing.assert_allclose(basis.diagonal(w), np.diag(b.T @ w @ b), atol=1e-8)
    some = np.flatnonzero(rng.uniform(size=b.shape[1]) < 0.6).astype(np.int64)
    want = (b.T @ w @ b)[np.ix_(some, some)]
    found = basis.turned(w, some, None, room(some, w))
    np.testing.assert_allclose(np.tril(found), np.tril(want), atol=1e-8)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_what_threads_turn_together_has_the_same_bits(threads):
    rng = np.random.default_rng(4)
    basis = kernels.BlockBasis.of([rng.normal(size=(lines, 40)) for lines in (3, 50, 1, 17)])
    half = rng.normal(size=(basis.lines, basis.lines))
    some = np.flatnonzero(rng.uniform(size=basis.directions) < 0.7).astype(np.int64)
    w = half + half.T
    alone = np.tril(basis.turned(w, some, None, room(some, w)))
    with crew(threads) as helpers:
        assert (np.tril(basis.turned(w, some, helpers, room(some, w))) == alone).all()


def test_what_is_turned_is_written_over_what_was_there():
    rng = np.random.default_rng(5)
    basis = kernels.BlockBasis.of([rng.normal(size=(lines, 8)) for lines in (3, 9)])
    half, some = rng.normal(size=(12, 12)), np.arange(0, 16, 2)
    there, other = room(some, half), room(some, half, 0.0)
    assert basis.turned(half + half.T, some, None, there) is there[1]
    assert (np.tril(there[1]) == np.tril(basis.turned(half + half.T, some, None, other))).all()
    with pytest.raises(ValueError, match="work"):
        basis.turned(half + half.T, some, None, there[::-1])


def test_directions_that_are_not_there_are_refused():
    basis = kernels.BlockBasis.of([np.eye(3)])
    for some in ([0, 3], [1, 1], [2, 0], [-1, 1]):
        with pytest.raises(ValueError, match=r"some must rise within 0\.\.2"):
            basis.turned(np.eye(3), np.array(some), None, room(some, np.eye(3)))
    with pytest.raises(ValueError, match="w"):
        basis.turned(np.eye(2), np.array([0]), None, room([0], np.eye(2)))


def test_no_pieces_have_no_lines():
    basis = kernels.BlockBasis.of([])
    assert (basis.lines, basis.directions) == (0, 0)
    assert len(basis.along(np.zeros(0))) == 0
