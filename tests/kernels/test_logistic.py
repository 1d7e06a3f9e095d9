"""The sums of logistic regression beside a plain twin."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick import kernels
from tallystick.kernels.linear import Curvature, DenseColumns, Weighting


@given(seed=st.integers(0, 10_000), links=st.integers(1, 4), weighted=st.booleans())
@settings(max_examples=40, deadline=None)
def test_sums_are_those_of_a_plain_twin_and_of_any_cut_of_the_rows(seed, links, weighted):
    rng = np.random.default_rng(seed)
    rows, dense, levels = int(rng.integers(1, 700)), 3, 4
    x = rng.uniform(-1, 1, (rows, dense))
    codes = rng.integers(0, levels, rows).astype(np.uint8)
    classes = rng.integers(0, max(links, 2), rows).astype(np.uint8)
    copies = rng.integers(0, 5, rows) if weighted else None
    theta = rng.normal(size=(1 + dense + levels, links))
    scaling = np.stack([np.zeros(dense), np.ones(dense)])

    def run(cuts):
        out = kernels.new_sums(dense, levels, links, Curvature.PAIRS)
        for a, b in itertools.pairwise(cuts):
            columns = DenseColumns([x[a:b, j] for j in range(dense)], [codes[a:b]], [0])
            weights = Weighting(None if copies is None else copies[a:b])
            kernels.logistic_sums(columns, scaling, classes[a:b], weights, theta, 40, Curvature.PAIRS, out)
        return out

    whole, parts = run([0, rows]), run(sorted({0, rows, *rng.integers(0, rows + 1, 4).tolist()}))
    for name in ("loss", "gradient", "squares"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))
    Z = np.column_stack([np.ones(rows), x, np.eye(levels)[codes]])
    eta = Z @ theta
    scores = np.column_stack([np.zeros(rows), eta]) if links == 1 else eta
    top = scores.max(1, keepdims=True)
    shares = np.exp(scores - top)
    shares /= shares.sum(1, keepdims=True)
    w = np.ones(rows) if copies is None else copies
    own = shares[np.arange(rows), classes]
    assert (whole.loss[0] + whole.loss[1] * 2.0**-40) == pytest.approx(
        float(-(w * np.log(own)).sum()), abs=1e-6
    )
    residual = np.eye(max(links, 2))[classes] - shares
    expected = Z.T @ (residual * w[:, None])
    np.testing.assert_allclose(
        whole.gradient * 2.0**-40, expected[:, 1:] if links == 1 else expected, atol=1e-6
    )
    if links != 2:
        pair = shares[:, 1] * shares[:, 0] * w
        np.testing.assert_allclose(
            np.tril(whole.squares[0]) * 2.0**-40, np.tril((Z * pair[:, None]).T @ Z), atol=1e-6
        )


@pytest.mark.parametrize("kind", [Curvature.PAIRS, Curvature.GRAM, Curvature.OWN])
@pytest.mark.parametrize(
    ("rows", "dense", "links", "weighted"), [(300, 0, 1, True), (700, 2, 3, False), (9_000, 0, 1, False)]
)
@pytest.mark.parametrize(
    "levels",
    [
        (2, 2, 3, 2, 4, 9, 2, 1, 4, 4, 2, 300, 3),  # few codes, and in between columns of many
        (2,) * 16 + (3, 2, 9, 2, 2, 2, 2, 2),  # groups in which every column has two, and others
        (4, 2, 2, 2, 1) * 2,  # five columns of as many joint codes, but not of two codes each
        (2, 2, 2, 2, 2, 4, 4, 2, 1, 1),
    ],
)
def test_columns_of_few_codes_taken_together_sum_to_what_they_sum_to_alone(
    kind, rows, dense, links, weighted, levels
):
    rng = np.random.default_rng(rows)
    codes = [rng.integers(0, n, rows).astype(np.uint8 if n < 256 else np.uint16) for n in levels]
    starts = np.concatenate([[0], np.cumsum([n + 1 for n in levels])])
    x = rng.uniform(-1, 1, (dense, rows))
    classes = rng.integers(0, max(links, 2), rows).astype(np.uint8)
    copies = rng.integers(0, 5, rows) if weighted else None
    theta = rng.normal(size=(1 + dense + int(starts[-1]), links))
    scaling = np.stack([np.zeros(dense), np.ones(dense)])

    def run(step):
        out = kernels.new_sums(dense, int(starts[-1]), links, kind)
        for a in range(0, rows, step):
            some = slice(a, a + step)
            columns = DenseColumns([c[some] for c in x], [c[some] for c in codes], starts[:-1].tolist())
            weights = Weighting(None if copies is None else copies[some])
            kernels.logistic_sums(columns, scaling, classes[some], weights, theta, 40, kind, out)
        return out

    together, alone = run(rows), run(50)  # so few rows that no columns are taken together
    for name in ("loss", "gradient", "squares"):
        np.testing.assert_array_equal(getattr(together, name), getattr(alone, name))


@pytest.mark.parametrize("links", [1, 60])  # 60 have too many pairs for rows to wait
def test_codes_of_two_columns_meet_as_often_as_a_plain_twin_finds(links):
    rng = np.random.default_rng(links)
    rows, sizes = (9_000, (9, 300, 3, 8)) if links == 1 else (400, (9, 40, 3, 8))
    codes = [rng.integers(0, n, rows) for n in sizes]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    theta = np.zeros((1 + int(starts[-1]), links))
    kind = Curvature.GRAM if links == 1 else Curvature.PAIRS
    out = kernels.new_sums(0, int(starts[-1]), links, kind)
    types = np.uint8, np.uint16, np.uint32, np.uint8  # each beside each
    small = [c.astype(kind) for c, kind in zip(codes, types, strict=True)]
    columns = DenseColumns([], small, starts[:-1].tolist())
    copies = rng.integers(0, 5, rows)
    classes = np.zeros(rows, np.uint8)
    kernels.logistic_sums(columns, np.zeros((2, 0)), classes, Weighting(copies), theta, 40, kind, out)
    Z = np.column_stack(
        [np.ones(rows, int), *(np.eye(n, dtype=int)[c] for c, n in zip(codes, sizes, strict=True))]
    )
    each = 2**40 if links == 1 else round(float(2**40 / 60 / 60))
    want = np.tril((Z * copies[:, None]).T @ Z) * each
    for square in out.squares:
        np.testing.assert_allclose(np.tril(square), want, rtol=1e-9, atol=0)


@pytest.mark.parametrize("links", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_codes_below_four_add_up_to_the_bits_of_codes_that_are_looked_up(links, weighted):
    rng = np.random.default_rng(links)
    rows, levels = 1_000, [1, 2, 2, 2, 3, 4, 5, 2, 4, 2, 2]  # columns of two codes alone and in a row
    codes = [rng.integers(0, n, rows) for n in levels]
    codes[1][:200] = 0  # a stretch of one code
    starts = np.concatenate([[0], np.cumsum(levels)])
    classes = rng.integers(0, max(links, 2), rows).astype(np.uint8)
    weights = Weighting(rng.integers(0, 5, rows) if weighted else None)
    theta = rng.normal(size=(1 + int(starts[-1]), links)) * 10.0 ** rng.integers(-9, 9, (1, links))

    def run(width):
        out = kernels.new_sums(0, int(starts[-1]), links, Curvature.NONE)
        columns = DenseColumns([], [c.astype(width) for c in codes], starts[:-1].tolist())
        kernels.logistic_sums(columns, np.zeros((2, 0)), classes, weights, theta, 40, Curvature.NONE, out)
        scores = kernels.linear_scores(columns, rows, np.zeros((2, 0)), theta)
        return out, scores

    (by_bits, scores), (looked_up, same) = run(np.uint8), run(np.uint16)
    np.testing.assert_array_equal(scores, same)
    np.testing.assert_array_equal(by_bits.loss, looked_up.loss)
    np.testing.assert_array_equal(by_bits.gradient, looked_up.gradient)


@given(seed=st.integers(0, 9_999), links=st.sampled_from([1, 2, 3, 4, 7, 13, 20, 33]), weighted=st.booleans())
@settings(max_examples=40, deadline=None)
def test_sums_over_words_are_those_of_a_plain_twin(seed, links, weighted):
    rng = np.random.default_rng(seed)
    rows, words = int(rng.integers(1, 300)), int(rng.integers(1, 40))
    count = rng.integers(0, 4, (rows, words)) * (rng.random((rows, words)) < 0.2)
    starts = np.concatenate([[0], np.cumsum((count > 0).sum(1) + 1)])  # and one unseen word a row
    padded = np.column_stack([count, np.ones(rows, int)])
    entry = np.argwhere(padded)[:, 1].astype(np.uint32)
    classes = rng.integers(0, max(links, 2), rows).astype(np.uint8)
    copies = rng.integers(0, 5, rows) if weighted else None
    idf, tf = np.append(rng.uniform(1, 3, words), 0.0), np.array([0.0, 1.0, 1.7, 2.1])
    constant, theta = rng.normal(size=(1, links)), rng.normal(size=(words, links))
    gradient = np.zeros((words, links), np.int64)
    counts = padded[padded > 0].astype(np.uint32)
    text = kernels.TextColumn(starts, entry, counts, idf, tf, True, 1.0, theta, gradient)
    out = kernels.new_sums(0, 0, links, Curvature.NONE, 1)
    held = DenseColumns([], [], [], [text])
    kernels.logistic_sums(
        held, np.zeros((2, 0)), classes, Weighting(copies), constant, 40, Curvature.NONE, out
    )
    Z = tf[count] * idf[:-1]
    length = np.sqrt((Z * Z).sum(1, keepdims=True))
    Z = Z / np.where(length > 0, length, 1.0)
    eta = constant + Z @ theta
    scores = np.column_stack([np.zeros(rows), eta]) if links == 1 else eta
    shares = np.exp(scores - scores.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    w = np.ones(rows) if copies is None else copies
    expected = Z.T @ ((np.eye(max(links, 2))[classes] - shares) * w[:, None])
    np.testing.assert_allclose(gradient * 2.0**-40, expected[:, 1:] if links == 1 else expected, atol=1e-6)
    lost = float(-(w * np.log(shares[np.arange(rows), classes])).sum())
    assert (out.loss[0] + out.loss[1] * 2.0**-40) == pytest.approx(lost, abs=1e-6)
    valued = replace(text, gradient=np.zeros_like(gradient), values=kernels.word_values(text))
    again = kernels.new_sums(0, 0, links, Curvature.NONE, 1)
    held = DenseColumns([], [], [], [valued])
    kernels.logistic_sums(
        held, np.zeros((2, 0)), classes, Weighting(copies), constant, 40, Curvature.NONE, again
    )
    np.testing.assert_array_equal(valued.gradient, gradient)


def test_at_no_weights_every_class_has_its_even_share():
    columns = DenseColumns([np.array([1.0, -1.0])], [], [])
    out = kernels.new_sums(1, 0, 1, Curvature.PAIRS)
    classes, theta = np.array([1, 0], np.uint8), np.zeros((2, 1))
    scaling = np.array([[0.0], [1.0]])
    kernels.logistic_sums(columns, scaling, classes, Weighting(), theta, 40, Curvature.PAIRS, out)
    assert out.loss[0] + out.loss[1] / 2**40 == pytest.approx(2 * np.log(2))
    assert (out.gradient / 2**40).tolist() == [[0.0], [1.0]]  # (1 - 1/2) x of one row, (0 - 1/2) x of other
    assert np.tril(out.squares[0] / 2**40).tolist() == [[0.5, 0.0], [0.0, 0.5]]
    assert out.loss[2] == 2  # nobody's own class is strictly ahead


def test_scores_shares_and_the_best_class_agree():
    columns, scaling = DenseColumns([np.array([0.0, 3.0])], [], []), np.array([[1.0], [2.0]])
    theta = np.array([[0.5], [0.25]])  # 0.5 + (x - 1) * 2 * 0.25
    scores, finite = kernels.linear_answers(columns, 2, scaling, theta, kernels.Answer.SCORES)
    assert scores.tolist() == [[0.0, 0.0], [0.0, 1.5]]
    assert finite
    shares = kernels.linear_answers(columns, 2, scaling, theta, kernels.Answer.SHARES)[0]
    np.testing.assert_allclose(shares[1, 1], 1 / (1 + np.exp(-1.5)), rtol=1e-15)
    best = kernels.linear_answers(columns, 2, scaling, theta, kernels.Answer.BEST)[0]
    assert best.tolist() == [0, 1]  # of equals the first


@pytest.mark.parametrize("dense", [4, 5, 7, 8, 30])
def test_the_best_class_is_that_of_the_scores_however_rows_lie(dense):
    rng = np.random.default_rng(dense)
    cells = rng.normal(size=(300, dense))
    theta, scaling = rng.normal(size=(1 + dense, 1)), np.array([rng.normal(size=dense), np.full(dense, 0.5)])
    windows = np.lib.stride_tricks.sliding_window_view(cells.ravel(), dense)
    laid = (
        cells,
        cells[::-1],
        cells[::3],
        np.asfortranarray(cells),
        cells[7][None],  # the strides of a single row may be 0
        np.broadcast_to(cells[7], (300, dense)),
        windows,
        windows[::-1],
    )
    for matrix in laid:
        columns = DenseColumns(list(matrix.T), [], [])
        scores = kernels.linear_scores(columns, len(matrix), scaling, theta)
        best = kernels.linear_answers(columns, len(matrix), scaling, theta, kernels.Answer.BEST)[0]
        np.testing.assert_array_equal(best, scores[:, 1] > 0)


def test_a_sample_of_rows_depends_on_what_is_in_them_alone():
    x = np.arange(1000.0)
    rows, values = kernels.sample_rows(DenseColumns([x], [], []), 1000, 10)
    again, _ = kernels.sample_rows(DenseColumns([x[::-1].copy()], [], []), 1000, 10)
    assert set(x[::-1][again].tolist()) == set(values[0].tolist()) == set(x[rows].tolist())
    assert 50 < len(rows) < 200
    assert len(kernels.sample_rows(DenseColumns([x], [], []), 1000, 1)[0]) == 1000


def test_bits_beyond_the_room_of_sums_are_refused():
    out = kernels.new_sums(0, 0, 1, Curvature.NONE)
    with pytest.raises(ValueError, match="bits must be 0 to 50; found 51"):
        kernels.logistic_sums(
            DenseColumns([], [], []),
            np.zeros((2, 0)),
            np.zeros(1, np.uint8),
            Weighting(),
            np.zeros((1, 1)),
            51,
            Curvature.NONE,
            out,
        )


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint64", "int32", "uint8"])
@pytest.mark.parametrize("dense", [1, 5, 30, 700])
@pytest.mark.parametrize("links", [1, 3])
def test_numbers_of_any_type_are_answered_as_their_doubles_are(dtype, dense, links):
    rng = np.random.default_rng(dense)
    rows = 1_500  # of 700 columns some at a time
    cells = (9 * rng.random((rows, dense))).astype(dtype)
    if dtype.startswith("f"):
        cells[rng.random(cells.shape) < 0.05] = np.nan
    codes, starts = [rng.integers(0, 3, rows).astype(t) for t in (np.uint8, np.uint16)], [0, 3]
    theta = rng.normal(size=(1 + dense + 6, links))
    scaling = np.array([rng.normal(size=dense), np.ones(dense)])
    doubles = DenseColumns(list(np.ascontiguousarray(cells.T, np.float64)), codes, starts)
    mixed = [c.astype(np.float64) if j % 3 else c for j, c in enumerate(cells.T)]
    for answer, columns in itertools.product(
        kernels.Answer, (list(cells.T), list(np.asfortranarray(cells).T), list(cells[:, ::-1].T)[::-1], mixed)
    ):
        known = DenseColumns(columns, codes, starts)
        ours, fine = kernels.answers_of_numbers(known, rows, scaling, theta, answer)
        assert fine
        assert ours.tobytes() == kernels.linear_answers(doubles, rows, scaling, theta, answer)[0].tobytes()


@pytest.mark.parametrize("far", [np.inf, np.float32(-np.inf), 2**53 + 1, -(2**53) - 1, np.uint64(2**63)])
@pytest.mark.parametrize("row", [0, 1_499])
def test_numbers_that_must_be_read_are_told(far, row):
    cells = np.ones((1_500, 700), np.asarray(far).dtype)
    cells[row, 600] = far
    theta, scaling = np.zeros((701, 1)), np.array([np.zeros(700), np.ones(700)])  # the score is finite
    for matrix in (cells, np.asfortranarray(cells)):
        known = DenseColumns(list(matrix.T), [], [])
        for answer in kernels.Answer:
            assert not kernels.answers_of_numbers(known, 1_500, scaling, theta, answer)[1]
