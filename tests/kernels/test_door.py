"""Whatever shape, type and order an argument of a kernel has: it is refused, or the kernel stays within it.

Every array is laid between two guards that nobody may write to. What is read beyond an array is found where
the module is loaded under AddressSanitizer.
"""

from __future__ import annotations

import numpy as np
import pytest

from tallystick import _kernels, kernels

ROWS, K, P = 12, 3, 4
GUARD = 64


def guarded(array):
    """Return a copy of an array between guards, and what says whether they are as they were."""
    room = np.full(array.nbytes + 2 * GUARD, 0xA5, np.uint8)
    inner = room[GUARD : GUARD + array.nbytes].view(array.dtype).reshape(array.shape)
    inner[...] = array
    return inner, lambda: (room[:GUARD] == 0xA5).all() and (room[GUARD + array.nbytes :] == 0xA5).all()


def whole(*shape, top=2):
    return np.arange(int(np.prod(shape))).reshape(shape) % top


def real(*shape):
    return np.linspace(-1.0, 1.0, int(np.prod(shape))).reshape(shape)


CODES, CLASSES = whole(ROWS).astype(np.uint8), whole(ROWS, top=K).astype(np.uint8)
WEIGHTS, KEY = np.ones(ROWS, np.int64), (3, 5)
STARTS, WORDS = np.arange(ROWS + 1), whole(ROWS, top=5).astype(np.uint32)
SQUARE = np.eye(P) * 2.0 + 0.1
HASHES = whole(2, ROWS, top=99).astype(np.uint64)
TABLES = whole(2, 7, top=99).astype(np.uint64)
DIGITS = {"missing": (K,), "sums": (K, kernels.SUM_DIGITS), "squares": (K, kernels.SQUARE_DIGITS)}
MOMENTS = {name: np.zeros((2, *shape), np.int64) for name, shape in DIGITS.items()}
PIECES = np.array([[0, 2, 0, 2], [2, 2, 2, 1]])
CALLS = {
    "count_classes": (kernels.count_classes, [CLASSES, K, WEIGHTS, np.zeros(K, np.int64)]),
    "count_codes": (
        lambda c, y, w, n, out: kernels.count_codes(c, y, 2, K, weights=w, nodes=n, n_nodes=2, out=out),
        [CODES, CLASSES, WEIGHTS, CODES.astype(np.uint32), np.zeros((2, 2, K), np.int64)],
    ),
    "count_columns": (
        lambda a, b, y, s, t: kernels.count_columns([a, b], y, [2, 2], K, out=[s, t]),
        [CODES, CODES, CLASSES, np.zeros((2, K), np.int64), np.zeros((2, K), np.int64)],
    ),
    "count_bins": (
        lambda x, cuts, y, w, out: kernels.count_bins([x], [cuts], y, weights=w, out=[out]),
        [real(ROWS), real(2), CLASSES, WEIGHTS, np.zeros((4, K), np.int64)],
    ),
    "count_entries": (
        lambda s, w, c, y, g, out: kernels.count_entries(s, w, c, y, weights=g, out=out),
        [STARTS, WORDS, WORDS, CLASSES, WEIGHTS, np.zeros((5, K), np.int64)],
    ),
    "count_cells": (kernels.count_cells, [real(ROWS), -0.5, 4.0, WEIGHTS, np.zeros(4, np.int64)]),
    "pick_cells": (kernels.pick_cells, [real(ROWS), -0.5, 4.0, whole(4).astype(bool)]),
    "bins": (kernels.bins, [real(ROWS), real(3)]),
    "ranks": (lambda x: kernels.ranks(x, counts=True, order=True), [real(ROWS)]),
    "value_hashes": (kernels.value_hashes, [real(ROWS)]),
    "n_log2_n": (lambda n: kernels.n_log2_n(n, 99), [np.arange(ROWS)]),
    "class_changes": (
        lambda x, r, y: kernels.class_changes([x], r, y), [real(ROWS), np.arange(5), np.arange(5)]
    ),
    "small_codes": (
        kernels.small_codes,
        [whole(ROWS, 2), np.zeros(2, np.int64), np.zeros((2, ROWS + 1), np.uint8), 1, np.ones(2, np.uint8),
         np.zeros((2, 256), np.uint8)],
    ),
    "add_moments": (
        lambda x, z, y, w, m, s, q: kernels.add_moments([x, z], y, m, s, q, w),
        [real(ROWS), real(ROWS), CLASSES, WEIGHTS, *MOMENTS.values()],
    ),
    "meet_values": (
        lambda x, y, w: kernels.meet_values([x], y, K, 5, w), [real(ROWS), CLASSES, WEIGHTS]
    ),
    "judge_readings": (lambda x, c: kernels.judge_readings(x, c, 1, 5, 5), [real(ROWS), whole(ROWS, K)]),
    "mdl_cuts": (kernels.mdl_cuts, [whole(ROWS, K)]),
    "add_code_hashes": (kernels.add_code_hashes, [HASHES, CODES, TABLES]),
    "add_joint_hashes": (
        lambda h, a, b, s, t: kernels.add_joint_hashes(h, [a, b], [s, t]),
        [HASHES, CODES, CODES, TABLES, TABLES],
    ),
    "add_word_hashes": (kernels.add_word_hashes, [HASHES, STARTS, WORDS, WORDS, TABLES]),
    "add_double_hashes": (kernels.add_double_hashes, [HASHES, real(ROWS), KEY]),
    "add_text_hashes": (
        lambda h, data, offsets, valid: kernels.add_text_hashes(h, data, offsets, valid, KEY, bit_offset=3),
        [HASHES, whole(40, top=90).astype(np.uint8), 3 * STARTS, np.full(2, 255, np.uint8)],
    ),
    "mix_hashes": (kernels.mix_hashes, [HASHES]),
    "sum_hashes": (kernels.sum_hashes, [HASHES, WEIGHTS]),
    "add_prints": (lambda h, x: kernels.add_prints(h, [x], [KEY]), [HASHES, real(ROWS)]),
    "hash_total": (
        lambda c, t, x, m, w: kernels.hash_total(ROWS, [c], [t], [x], [KEY], m, w),
        [CODES, TABLES, real(ROWS), HASHES, WEIGHTS],
    ),
    "walk_rows": (
        lambda x, z, y, t, m, s, q, a, b, c, d: kernels.walk_rows(
            [x, z], [KEY, KEY], y, t, (m, s, q), (a, b, c, d)
        ),
        [real(ROWS), real(ROWS), CLASSES, TABLES, *MOMENTS.values(), np.full(2, 2**63, np.uint64),
         np.zeros(2, np.int64), np.zeros((2, 5), np.int64), np.zeros((2, 5))],
    ),
    "order_keys": (lambda k, y: kernels.order_keys(k, y, K), [HASHES[0], CLASSES]),
    "number_copies": (kernels.number_copies, [HASHES[0]]),
    "key_hashes": (lambda k, out: kernels.key_hashes(k, 7, out), [HASHES[0], HASHES[1]]),
    "add_code_scores": (kernels.add_code_scores, [real(ROWS, K), CODES, real(2, K)]),
    "add_level_scores": (
        lambda s, c, t: kernels.add_level_scores(s, [c], [t]), [real(ROWS, K), CODES, real(2, K)]
    ),
    "add_linear_scores": (kernels.add_linear_scores, [real(ROWS, K), real(ROWS), real(K), real(K)]),
    "add_word_scores": (kernels.add_word_scores, [real(ROWS, K), STARTS, WORDS, WORDS, real(5, K)]),
    "parabola": (
        lambda m, h, c, s, x: kernels.NumberScores([kernels.Parabola(m, h, c)], K).add(s, [x]),
        [real(K), real(K), real(K), real(ROWS, K), real(ROWS)],
    ),
    "score bins": (
        lambda cuts, t, s, x: kernels.NumberScores([kernels.Bins(cuts, t)], K).add(s, [x]),
        [real(2), real(4, K), real(ROWS, K), real(ROWS)],
    ),
    "best_class": (kernels.best_class, [real(ROWS, K)]),
    "softmax": (kernels.softmax, [real(ROWS, K)]),
    "log_sum_exp": (kernels.log_sum_exp, [real(ROWS, K)]),
    "dot": (kernels.dot, [real(P), real(P)]),
    "dots": (lambda a, b, c: kernels.dots([a, b], [c]), [real(P), real(P), real(P)]),
    "combine": (lambda q, a: kernels.combine(q, 0.5, [a], [2.0]), [real(P), real(P)]),
    "pulled": (kernels.pulled, [whole(P), 0.5, real(P), real(P), real(P)]),
    "cholesky": (kernels.cholesky, [SQUARE]),
    "cholesky_skip": (lambda a: kernels.cholesky_skip(a, 1e-9), [SQUARE]),
    "cholesky_solve": (kernels.cholesky_solve, [SQUARE, real(P)]),
    "inverse_diagonal": (kernels.inverse_diagonal, [SQUARE]),
    "product": (kernels.product, [real(3, P), real(P, 2)]),
    "times": (kernels.times, [SQUARE, real(P)]),
    "eigen": (kernels.eigen, [SQUARE]),
    "eigen_ends": (kernels.eigen_ends, [SQUARE, SQUARE]),
    "lasso_step": (
        lambda h, g, w, l1: kernels.lasso_step(h, g, w, l1, 1e-9, 9), [SQUARE, real(P), real(P), np.ones(P)]
    ),
    "without_constant": (
        lambda a, out: kernels.without_constant(a, 0.5, out), [SQUARE.astype(np.int64), real(P - 1, P - 1)]
    ),
    "precondition": (
        lambda a, v, m, g, q: kernels.precondition(a, v, m, g, True, q),
        [np.ones(P), np.ones(2), real(P), np.array([[0, 2], [2, 4]]), real(2 * P)],
    ),
    "curvature_of_sums": (
        lambda links, s, at, power, l2: kernels.curvature_of_sums(links, 1, s, at, power, 0.5, 0.0, l2),
        [np.zeros(1, np.int64), whole(1, P, P), np.arange(3), np.ones(3), np.ones(3)],
    ),
    "curvature_of_gram": (
        lambda links, g, s, l2: kernels.curvature_of_gram(links, 2, g, s, 0.0, l2),
        [np.zeros(1, np.int64), SQUARE, np.full(2, 0.5), np.ones(P)],
    ),
    "posterior": (
        lambda m, at, s, a, x: kernels.posterior(m, at, s, None, (a, x)),
        [SQUARE, np.arange(3), np.ones(3), np.zeros((3, 3)), np.zeros((3, 3))],
    ),
    "along": (_kernels.along, [PIECES, real(6), real(4), real(3)]),
    "lines_along": (_kernels.lines_along, [PIECES, real(6), real(3), real(4)]),
    "diagonal_along": (_kernels.diagonal_along, [PIECES, real(6), SQUARE, real(3)]),
    "turn_half": (
        lambda t, r, w, s, h: _kernels.turn_half(t, r, w, s, 0, 2, h),
        [PIECES, real(6), SQUARE, np.arange(2), real(2, 4)],
    ),
    "word_rows": (
        kernels.word_rows, [STARTS, WORDS, WORDS, WEIGHTS, np.zeros(5, np.int64), np.zeros(1, np.int64)]
    ),
    "linear_answers": (
        lambda x, c, s, t: kernels.linear_answers(
            kernels.DenseColumns([x], [c], [0]), ROWS, s, t, kernels.Answer.SHARES
        ),
        [real(ROWS), CODES, np.ones((2, 1)), real(4, 1)],
    ),
    "answers_of_numbers": (
        lambda x, c, s, t: kernels.answers_of_numbers(
            kernels.DenseColumns([x], [c], [0]), ROWS, s, t, kernels.Answer.BEST
        ),
        [real(ROWS), CODES, np.ones((2, 1)), real(4, 1)],
    ),
    "add_sides": (
        lambda x, c, s, y, w, t, sides, margins: kernels.add_sides(
            kernels.DenseColumns([x], [c], [0]), s, y, w, t, sides, margins
        ),
        [real(ROWS), CODES, np.ones((2, 1)), CODES, WEIGHTS, real(2, 4, 1), real(2, 1, 4), real(2, 2)],
    ),
}  # fmt: skip


def arrays(given):
    return [i for i, value in enumerate(given) if isinstance(value, np.ndarray)]


def call(name, change=None, place=None):
    """Call a kernel with one argument changed; return whether it was refused."""
    kernel, given = CALLS[name]
    given, guards = list(given), []
    for i in arrays(given):
        given[i], fine = guarded(given[i] if i != place else change(given[i]))
        guards.append(fine)
    try:
        kernel(*given)
    except (TypeError, ValueError):
        refused = True
    else:
        refused = False
    assert all(fine() for fine in guards), "written beyond an array"
    return refused


@pytest.mark.parametrize("name", CALLS)
def test_a_kernel_takes_what_fits(name):
    assert not call(name)


PROMISED = {("word_rows", 4)}  # that there is a place for every word only the rows can tell
FREE = {"bins", "pick_cells"}  # any length fits any other


@pytest.mark.parametrize("name", CALLS)
def test_lengths_that_do_not_fit_each_other_are_refused(name):
    places = [i for i in arrays(CALLS[name][1]) if (name, i) not in PROMISED]
    changes = [
        lambda a: a[:-1] if len(a) else a,
        lambda a: np.concatenate([a, a[-1:]]),
        lambda a: a[None],
        lambda a: a[:0],
        lambda a: a[..., :-1].copy(),
    ]
    refused = [[call(name, change, i) for change in changes] for i in places]
    assert all(any(r) for r in refused)  # at least another dimension is refused of every argument
    if len(places) > 1 and name not in FREE:
        assert any(r[0] for r in refused)  # and a length that another argument does not have


@pytest.mark.parametrize("name", CALLS)
def test_other_types_are_refused(name):
    kernel, given = CALLS[name]
    for i in arrays(given):
        for other in (given[i].astype("M8[s]"), given[i].astype(given[i].dtype.newbyteorder(">"))):
            if other.dtype == given[i].dtype:  # one byte has no order
                continue
            with pytest.raises(TypeError):
                kernel(*[other if j == i else value for j, value in enumerate(given)])


def test_an_array_that_is_not_aligned_or_may_not_be_written_to_is_refused():
    bytes_of = np.zeros(8 * P + 1, np.uint8)
    with pytest.raises(ValueError, match="a must be aligned"):
        kernels.dot(bytes_of[1:].view(np.float64), real(P))
    frozen = real(ROWS, K)
    frozen.flags.writeable = False
    with pytest.raises(TypeError):
        kernels.add_code_scores(frozen, CODES, real(2, K))
    with pytest.raises(ValueError, match="codes must be C-contiguous"):
        kernels.add_code_scores(real(ROWS, K), np.zeros(2 * ROWS, np.uint8)[::2], real(2, K))


def test_a_place_beyond_a_matrix_is_refused():
    for at in ([0, P], [-1, 0]):
        with pytest.raises(ValueError, match="at must lie within"):
            kernels.posterior(SQUARE, np.array(at), np.ones(2), None, (np.zeros((2, 2)), np.zeros((2, 2))))
    with pytest.raises(ValueError, match="starts must lie within words"):
        kernels.word_rows(STARTS + 1, WORDS, WORDS, None, np.zeros(5, np.int64), np.zeros(1, np.int64))
