"""Every kernel against its twin in reference.py: counts, scan, ranks, bins, moments, hashes."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import reference
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tallystick import kernels

CODES = st.sampled_from([np.uint8, np.uint16, np.uint32])
EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    -1e308,
    2.0**53,
]
NUMBERS = st.one_of(
    st.sampled_from([*EDGES, math.nan]),
    st.floats(allow_infinity=False),
    st.integers(-3, 3).map(float),
    st.integers(0, 2**20).map(lambda i: 1.0 + i * 2.0**-52),  # differ in the lowest bits only
)


@st.composite
def columns(draw, elements=NUMBERS, most=60):
    """A float64 column, contiguous or strided, forwards or backwards."""
    values = np.array(draw(st.lists(elements, max_size=most)), np.float64)
    step = draw(st.sampled_from([1, 2, 3, -1]))
    if step == -1:
        return values[::-1].copy()[::-1]
    wide = np.full((len(values), step), 77.0)
    wide[:, 0] = values
    return wide[:, 0]


@st.composite
def rows(draw, most=60):
    """A column with classes and, sometimes, weights."""
    values = draw(columns(most=most))
    n_classes = draw(st.integers(1, 4))
    classes = draw(hnp.arrays(draw(CODES), len(values), elements=st.integers(0, n_classes - 1)))
    weights = draw(st.none() | hnp.arrays(np.int64, len(values), elements=st.integers(0, 5)))
    return values, classes, n_classes, weights


# ---- counts ----


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


def test_weights_of_two_to_the_forty_are_counted_exactly():
    classes = np.zeros(5, np.uint8)
    assert kernels.count_classes(classes, 1, np.full(5, 2**40 + 1)).tolist() == [5 * 2**40 + 5]


# ---- scan ----


@given(columns(elements=NUMBERS | st.sampled_from([math.inf, -math.inf])))
def test_scan_equals_the_twin(values):
    assert tuple(kernels.scan(values))[:6] == reference.scan(values)
    assert str(kernels.scan(values).low) != "-0.0"
    matrix = np.stack([values, values[::-1]], axis=1)
    assert [tuple(s)[:6] for s in kernels.scan_matrix(matrix)] == [
        reference.scan(values),
        reference.scan(values[::-1]),
    ]


@given(st.sampled_from("bBhHiIlLqQ"), st.data())
def test_scan_of_whole_numbers_keeps_every_digit(code, data):
    values = data.draw(hnp.arrays(np.dtype(code), st.integers(1, 20)))
    seen = kernels.scan(values)
    assert (seen.low, seen.high) == (int(values.min()), int(values.max()))
    assert seen.binary == set(values.tolist()).issubset({0, 1})
    assert type(seen.low) is int


@given(hnp.arrays(np.float32, st.integers(0, 20), elements=st.floats(width=32)))
def test_scan_of_single_precision_equals_the_twin(values):
    assert tuple(kernels.scan(values))[:6] == reference.scan(values)


# ---- ranks ----


@given(columns())
@example(np.array([1e300, *(1.0 + np.arange(40) % 7 * 2.0**-52)]))  # ties below every prefix
@example(np.array([0.0, -0.0, math.nan, 0.0]))
def test_ranks_equal_the_twin(values):
    codes, distinct, counts, missing, order = reference.ranks(values)
    found = kernels.ranks(values, counts=True, order=True)
    np.testing.assert_array_equal(found.codes, codes)
    np.testing.assert_array_equal(found.distinct.view(np.uint64), (distinct + 0.0).view(np.uint64))
    np.testing.assert_array_equal(found.counts, counts)
    assert found.missing == missing
    np.testing.assert_array_equal(found.order, order)


@pytest.mark.parametrize("kind", ["normal", "whole", "single", "outlier", "close", "wide", "few"])
def test_ranks_of_many_rows_equal_numpy_unique(kind):
    seed = np.random.default_rng(3)
    n = 70_000
    values = {
        "normal": seed.normal(size=n),
        "whole": seed.integers(0, 50_000, n).astype(float),
        "single": seed.normal(size=n).astype(np.float32).astype(float),
        "outlier": np.r_[1e300, 1 + 1e-9 * seed.random(n - 1)],
        "close": 1.7e9 + np.round(seed.random(n) * 1e4) / 1e3,
        "wide": np.exp(seed.uniform(-700, 700, n)) * seed.choice([-1, 1], n),
        "few": seed.choice([0.25, -3.0, 17.0], n),
    }[kind]
    values[seed.integers(0, n, 100)] = math.nan
    codes, distinct, counts, _, order = reference.ranks(values)
    found = kernels.ranks(values, counts=True, order=True)
    assert found.codes.dtype == (
        np.uint8 if kind == "few" else np.uint16 if len(distinct) < 65535 else np.uint32
    )
    np.testing.assert_array_equal(found.codes, codes)
    np.testing.assert_array_equal(found.distinct, distinct)
    np.testing.assert_array_equal(found.counts, counts)
    np.testing.assert_array_equal(found.order, order)


@given(
    columns(),
    st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(EDGES), max_size=20),
)
def test_bins_equal_the_twin(values, cuts):
    cuts = np.unique(np.array(cuts, np.float64) + 0.0)
    np.testing.assert_array_equal(kernels.bins(values, cuts), reference.bins(values, cuts))


@given(
    columns(), st.sampled_from([1, 2, 300]), st.floats(-10, 10), st.floats(0, 1e3), st.booleans(), st.data()
)
def test_cells_equal_the_twin(values, n, start, scale, weighted, data):
    values = np.where(np.isinf(values), np.nan, values)
    weights = np.arange(len(values), dtype=np.int64) if weighted else None
    wanted = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
    cells, counts = reference.cells(values, start, scale, n), np.ones(n, np.int64)
    kernels.count_cells(values, start, scale, weights, counts)
    here = cells < n
    found = np.bincount(cells[here], None if weights is None else weights[here], n)
    np.testing.assert_array_equal(counts, 1 + found.astype(np.int64))
    rows = kernels.pick_cells(values, start, scale, wanted)
    np.testing.assert_array_equal(rows, np.flatnonzero(np.append(wanted, False)[cells]))


# ---- moments ----


def _tables(n_columns, n_classes):
    shape = (n_columns, n_classes)
    return (
        np.zeros(shape, np.int64),
        np.zeros((*shape, kernels.SUM_DIGITS), np.int64),
        np.zeros((*shape, kernels.SQUARE_DIGITS), np.int64),
    )


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


@pytest.mark.parametrize("order", ["C", "F"])
def test_moments_of_a_matrix_equal_those_of_its_columns(order):
    seed = np.random.default_rng(5)
    matrix = np.asarray(seed.normal(size=(5000, 19)) * 10.0 ** seed.integers(-9, 9, 19), order=order)
    classes = seed.integers(0, 3, 5000).astype(np.uint16)
    together, alone = _tables(19, 3), _tables(19, 3)
    kernels.add_moments(list(matrix.T), classes, *together)
    for j in range(19):
        kernels.add_moments([matrix[:, j].copy()], classes, *(t[j : j + 1] for t in alone))
    for a, b in zip(together, alone, strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_largest_doubles_with_the_largest_weights_do_not_overflow():
    values, weight = np.array([1.7976931348623157e308, -1.7976931348623157e308]), 2**62 - 1
    missing, sums, squares = _tables(1, 2)
    kernels.add_moments([values], np.array([0, 1], np.uint8), missing, sums, squares, np.full(2, weight))
    assert kernels.exact_sum(sums[0, 1]) == weight * Fraction(values[1])
    assert kernels.exact_squares(squares[0, 1]) == weight * Fraction(values[1]) ** 2


# ---- hashes ----

KEY = (123456789, 987654321)


@given(
    st.lists(st.none() | st.binary(max_size=20), max_size=12),
    st.sampled_from([np.int32, np.int64]),
    st.booleans(),
)
def test_text_hashes_equal_the_twin(texts, dtype, nulls):
    if not nulls:
        texts = [t or b"" for t in texts]
    data = np.frombuffer(b"".join(t or b"" for t in texts), np.uint8)
    offsets = np.cumsum([0, *(len(t or b"") for t in texts)]).astype(dtype)
    bits = np.packbits([0, 0, 0, *(t is not None for t in texts)], bitorder="little") if nulls else None
    hashes = np.zeros((2, len(texts)), np.uint64)
    kernels.add_text_hashes(hashes, data, offsets, bits, KEY, bit_offset=3 if nulls else 0)
    for row, text in enumerate(texts):
        for lane in (0, 1):
            gone = reference.hash_bits(reference.MISSING_CELL, KEY[lane])
            expected = gone if text is None else reference.hash_bytes(text, KEY[lane])
            assert int(hashes[lane, row]) == expected
            assert text is None or kernels.hash_text(text, KEY)[lane] == expected
            assert kernels.hash_missing(KEY)[lane] == gone


@given(columns(), st.booleans())
def test_row_hashes_and_their_sum_equal_the_twin(values, weighted):
    codes = (np.arange(len(values)) % 3).astype(np.uint8)
    table = np.arange(6, dtype=np.uint64).reshape(2, 3) * np.uint64(2**62 + 12345)
    hashes = np.zeros((2, len(values)), np.uint64)
    kernels.add_double_hashes(hashes, values, KEY)
    kernels.add_code_hashes(hashes, codes, table)
    kernels.mix_hashes(hashes)
    for row, x in enumerate(values.tolist()):
        for lane in (0, 1):
            cell = reference.hash_double(x, KEY[lane]) + int(table[lane, codes[row]])
            assert int(hashes[lane, row]) == reference.mix(cell % 2**64)
    weights = np.arange(len(values)) if weighted else None
    assert kernels.sum_hashes(hashes, weights) == reference.sum_hashes(hashes, weights)


def test_every_input_bit_reaches_every_output_bit():
    seed = np.random.default_rng(7)
    inputs = seed.integers(0, 2**64, 400, dtype=np.uint64)
    flips = np.zeros((64, 64))
    for x in inputs.tolist():
        base = reference.mix(x)
        for bit in range(64):
            changed = base ^ reference.mix(x ^ (1 << bit))
            flips[bit] += [changed >> out & 1 for out in range(64)]
    share = flips / len(inputs)
    assert share.min() > 0.3
    assert share.max() < 0.7


# ---- the door names what is wrong ----


def test_the_door_names_the_wrong_argument():
    codes, classes = np.zeros(4, np.uint8), np.zeros(4, np.uint8)
    with pytest.raises(TypeError, match=r"codes must be uint8 or uint16 or uint32; found int64"):
        kernels.count_codes(codes.astype(np.int64), classes, 1, 1)
    with pytest.raises(ValueError, match=r"codes must have shape \(4\); found \(3,\)"):
        kernels.count_codes(codes[:3], classes, 1, 1)
    with pytest.raises(ValueError, match=r"codes must be C-contiguous"):
        kernels.count_codes(np.zeros(8, np.uint8)[::2], classes, 1, 1)
    with pytest.raises(ValueError, match=r"n_codes must be a whole number of at least 1; found 0"):
        kernels.count_codes(codes, classes, 0, 1)
    with pytest.raises(ValueError, match=r"weights must have shape"):
        kernels.count_classes(classes, 1, np.zeros(3, np.int64))
    with pytest.raises(TypeError, match=r"values must be a NumPy array; found list"):
        kernels.ranks([1.0])
    frozen = np.zeros((4, 2))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match=r"scores must be writable"):
        kernels.add_code_scores(frozen, codes, np.zeros((1, 2)))
