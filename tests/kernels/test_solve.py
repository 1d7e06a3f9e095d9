"""The solvers' linear algebra beside plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick import kernels
from tallystick.parallel import crew


@given(seed=st.integers(0, 10_000), classes=st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_curvature_is_put_together_as_plain_numpy_does(seed, classes):
    rng = np.random.default_rng(seed)
    p, pairs = 6, max(classes * (classes - 1) // 2, 1)
    at = np.sort(rng.choice(p, 4, replace=False)).astype(np.int64)
    links = np.arange(classes) if classes < 3 else np.sort(rng.choice(classes, classes - 1, replace=False))
    squares = rng.integers(-50, 50, (pairs, p, p))
    power, l2 = 2.0 ** rng.integers(-2, 3, 4), rng.random(4 * len(links))
    h = kernels.curvature_of_sums(links.astype(np.int64), classes, squares, at, power, 0.5, 2.0, l2)
    low = np.tril(squares) + np.tril(squares, -1).transpose(0, 2, 1)
    tables = low[:, at][:, :, at] * (power[:, None] * power[None, :] * 0.5)
    full = np.zeros((4, classes, 4, classes))
    if classes == 1:
        full[:, 0, :, 0] = tables[0]
    order = [(i, j) for i in range(classes) for j in range(i)]
    for (a, b), one in zip(order, tables, strict=classes > 1):
        full[:, a, :, b] = full[:, b, :, a] = -one
        full[:, a, :, a] += one
        full[:, b, :, b] += one
    full[0, :, 0, :] += 2.0
    expected = full[:, links][:, :, :, links].reshape(len(l2), len(l2)) + np.diag(l2)
    np.testing.assert_allclose(h, expected, rtol=1e-14)


@given(
    seed=st.integers(0, 10_000),
    size=st.integers(1, 5_000),
    count=st.integers(1, 9),
    kept=st.sampled_from([np.float64, np.float32]),
)
@settings(max_examples=25, deadline=None)
def test_products_and_sums_of_long_vectors_are_those_of_numpy(seed, size, count, kept):
    rng = np.random.default_rng(seed)
    vectors, sides = list(rng.normal(size=(count, size)).astype(kept)), list(rng.normal(size=(2, size)))
    assert kernels.longest(sides[0]) == np.abs(sides[0]).max()
    products = np.array(vectors, float) @ np.array(sides).T
    found = kernels.dots(vectors, sides)
    np.testing.assert_allclose(found, products, atol=1e-9)
    alone = [[kernels.dots([v], [side])[0][0] for side in sides] for v in vectors]
    assert found == alone  # four go together, each in its own order
    q, c = rng.normal(size=size), rng.normal(size=count)
    expected = 0.5 * q + c @ np.array(vectors, float)
    np.testing.assert_allclose(kernels.combine(q.copy(), 0.5, vectors, c.tolist()), expected, atol=1e-9)
    sums, l2 = rng.integers(-99, 99, size), rng.random(size)
    gradient = np.empty(size)
    pull = kernels.pulled(sums, 0.25, l2, q, gradient)
    np.testing.assert_allclose(gradient, sums * 0.25 + l2 * q, rtol=1e-12)
    assert pull == pytest.approx(float((l2 * q * q).sum()))


@given(seed=st.integers(0, 10_000), links=st.integers(1, 3))
@settings(max_examples=25, deadline=None)
def test_level_weights_keep_their_sums_under_the_preconditioner(seed, links):
    rng = np.random.default_rng(seed)
    mean = np.array([0.0, 0.2, 0.0, 0.3, 0.5, 0.1])
    a, v, q = rng.random(6) + 0.1, rng.random(links) + 0.1, rng.normal(size=6 * links)
    groups, other = np.array([[1, 5]]), rng.normal(size=6 * links)
    even = links > 1
    w = kernels.precondition(a, v, mean, groups, even, q.copy()).reshape(6, links)
    np.testing.assert_allclose(w[[1, 3, 4]].sum(0), 0.0, atol=1e-9)  # row 2 is a cell without rows
    if even:
        np.testing.assert_allclose(w.sum(1), 0.0, atol=1e-9)
    back = kernels.precondition(a, v, mean, groups, even, other.copy())
    assert float(w.ravel() @ other) == pytest.approx(float(back @ q), abs=1e-9)  # symmetric


def test_a_positive_matrix_is_taken_apart_and_solved():
    a = np.array([[4.0, 2.0], [2.0, 5.0]])
    factor, at = kernels.cholesky(a)
    assert at == 2
    assert np.tril(factor).tolist() == [[2.0, 0.0], [1.0, 2.0]]
    assert kernels.cholesky_solve(factor, np.array([8.0, 8.0])).tolist() == [1.5, 1.0]
    assert kernels.inverse_diagonal(factor).tolist() == [5 / 16, 0.25]
    assert kernels.times(a, np.array([1.5, 1.0])).tolist() == [8.0, 8.0]
    assert a.tolist() == [[4.0, 2.0], [2.0, 5.0]]  # the matrix itself stays


def test_a_column_that_depends_on_an_earlier_one_is_named_and_skipped():
    a = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 4.0]])
    assert kernels.cholesky(a, 1e-12)[1] == 1
    factor, skipped = kernels.cholesky_skip(a, 1e-12)
    assert skipped.tolist() == [False, True, False]
    assert factor[2, 2] == 2.0


def test_an_l1_step_stops_at_zero_where_the_pull_is_stronger_than_the_gradient():
    h, w = np.eye(2), np.array([0.5, 0.5])
    step, _ = kernels.lasso_step(h, np.array([0.2, 0.2]), w, np.array([0.1, 10.0]), 1e-12, 100)
    np.testing.assert_allclose(w + step, [0.2, 0.0], atol=1e-12)


def test_the_ends_of_a_diagonal_are_its_eigenvalues():
    a = np.diag([9.0, 4.0, 1.0])
    low_high = kernels.eigen_ends(a, kernels.cholesky(a)[0], 200)
    np.testing.assert_allclose(low_high, (9.0, 1.0), rtol=1e-6)


def test_groups_beyond_the_rows_are_refused():
    one = np.ones(2)
    with pytest.raises(ValueError, match=r"groups must lie within 0\.\.2; found 3"):
        kernels.precondition(one, np.ones(1), one, np.array([[0, 3]]), False, one.copy())


@given(seed=st.integers(0, 10_000), n=st.integers(1, 23), m=st.integers(1, 9), k=st.integers(1, 300))
@settings(max_examples=25, deadline=None)
def test_products_and_triangles_are_those_of_numpy(seed, n, m, k):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(n, m)), rng.normal(size=(m, k))
    np.testing.assert_allclose(kernels.product(a, b), a @ b, atol=1e-12)
    whole = a @ a.T + np.eye(n)
    factor, done = kernels.cholesky(whole)
    assert done == n
    np.testing.assert_allclose(np.tril(factor), np.linalg.cholesky(whole), rtol=1e-9, atol=1e-12)
    values, vectors = kernels.eigen(whole)
    assert (np.diff(values) <= 1e-12).all()
    np.testing.assert_allclose(vectors.T @ (values[:, None] * vectors), whole, atol=1e-9)
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(n), atol=1e-9)


@given(seed=st.integers(0, 10_000), n=st.integers(1, 41), m=st.integers(1, 150), k=st.integers(1, 75))
@settings(max_examples=40, deadline=None)
def test_a_product_adds_up_every_entry_in_its_order_however_it_is_cut_up(seed, n, m, k):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(n, m)), rng.normal(size=(m, k))
    want = np.zeros((n, k))
    for j in range(m):
        want += a[:, j : j + 1] * b[j]
    assert (kernels.product(a, b) == want).all()


def room(n, filled=np.nan):
    """Two matrices to be written over."""
    return np.full((n, n), filled), np.full((n, n), filled)


@given(seed=st.integers(0, 10_000), n=st.integers(1, 101), rank=st.integers(1, 120))
@settings(max_examples=25, deadline=None)
def test_the_posterior_is_the_inverse_that_it_says(seed, n, rank):
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(rank, n + 3))
    matrix = half.T @ half
    at = np.sort(rng.choice(n + 3, n, replace=False)).astype(np.int64)
    scale = rng.uniform(0.1, 3, n)
    root, told = kernels.posterior(np.tril(matrix), at, scale, None, room(n))
    want = np.linalg.inv(np.eye(n) + scale[:, None] * matrix[np.ix_(at, at)] * scale)
    np.testing.assert_allclose(root.T @ root, want, atol=1e-9)
    np.testing.assert_allclose(told, 1.0 - np.diag(want), atol=1e-9)
    assert not np.triu(root, 1).any()
    half_of_it = at[: n // 2], scale[: n // 2]
    less = kernels.posterior(np.tril(matrix), *half_of_it, None, room(n // 2))[0]
    assert (less == root[: n // 2, : n // 2]).all()


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 65, 200])
@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_a_posterior_that_threads_share_has_the_same_bits(n, threads):
    rng = np.random.default_rng(n)
    half = rng.normal(size=(n + 5, n + 3))
    at = np.sort(rng.choice(n + 3, n, replace=False)).astype(np.int64)
    given = np.tril(half.T @ half), at, rng.uniform(0.1, 3, n)
    root, told = kernels.posterior(*given, None, room(n))
    with crew(threads) as helpers:
        shared = kernels.posterior(*given, helpers, room(n))
    assert (shared[0] == root).all()
    assert (shared[1] == told).all()


def test_a_posterior_is_written_over_what_was_there():
    rng = np.random.default_rng(3)
    half = rng.normal(size=(70, 70))
    given = np.tril(half.T @ half), np.arange(40), rng.uniform(0.1, 3, 40)
    root, told = kernels.posterior(*given, None, room(40, 0.0))
    there = room(40)
    again = kernels.posterior(*given, None, there)
    assert again[0] is there[1]
    assert (again[0] == root).all()
    assert (again[1] == told).all()
    with pytest.raises(ValueError, match="out"):
        kernels.posterior(*given, None, (there[0], np.empty((40, 39))))


def test_a_posterior_of_what_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"at must lie within 0\.\.1; found 2"):
        kernels.posterior(np.eye(2), np.array([0, 2]), np.ones(2), None, room(2))


def test_a_curvature_without_its_constant():
    rng = np.random.default_rng(2)
    half = rng.integers(-9, 9, size=(60, 38))
    whole = half.T @ half
    there = np.full((37, 37), np.nan)
    w, weight, cross = kernels.without_constant(np.tril(whole).astype(np.int64), 0.25, there)
    assert w is there
    assert weight == whole[0, 0] * 0.25
    np.testing.assert_allclose(cross, whole[1:, 0] / whole[0, 0])
    want = 0.25 * (whole[1:, 1:] - np.outer(whole[1:, 0], whole[1:, 0]) / whole[0, 0])
    np.testing.assert_allclose(w, want, atol=1e-9)
    assert (w == w.T).all()


def test_rows_together_or_alone_have_the_same_bits():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(7, 11)), rng.normal(size=(11, 13))
    alone = np.concatenate([kernels.product(row[None, :], b) for row in a])
    assert (kernels.product(a, b) == alone).all()
    whole = a @ a.T + np.eye(7)
    factor = kernels.cholesky(whole)[0]
    for n in range(1, 8):
        part = kernels.cholesky(np.ascontiguousarray(whole[:n, :n]))[0]
        assert (np.tril(part) == np.tril(factor[:n, :n])).all()
