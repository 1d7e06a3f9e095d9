"""Whole matrices at once give what their columns give one by one, to the bit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tallystick as ts
from tallystick import kernels
from tallystick._kernels import scan_rows

CELLS = st.floats(allow_nan=True, allow_infinity=False) | st.sampled_from(
    [0.0, -0.0, 1.0, 2.5, 1e308, -1e308, 5e-324, 1e-310, 2.0**52 + 1, 2.0**51 + 0.5, 1e-5, 3.0, -7.0]
)


def matrices(cells=CELLS):
    return st.integers(4, 70).flatmap(
        lambda w: hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.just(w)), elements=cells)
    )


LAYOUT_WAYS = [
    np.asarray,
    np.asfortranarray,
    lambda m: m[::-1].copy()[::-1],
    lambda m: np.hstack([m, m])[:, : m.shape[1]],
]
LAYOUTS = st.sampled_from(LAYOUT_WAYS)


def tables(width, classes):
    return (
        np.zeros((width, classes), np.int64),
        np.zeros((width, classes, kernels.SUM_DIGITS), np.int64),
        np.zeros((width, classes, kernels.SQUARE_DIGITS), np.int64),
    )


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.data(), st.integers(0, 2**32))
def test_row_moments_equal_those_of_each_column(data, seed):
    matrix = data.draw(matrices())
    classes = np.random.default_rng(seed).integers(0, 3, len(matrix)).astype(np.uint8)
    together, alone = tables(matrix.shape[1], 3), tables(matrix.shape[1], 3)
    kernels.add_moments(list(data.draw(LAYOUTS)(matrix).T), classes, *together)
    for j in range(matrix.shape[1]):
        part = (t[j : j + 1] for t in alone)
        kernels.add_moments([np.ascontiguousarray(matrix[:, j])], classes, *part)
    for a, b in zip(together, alone, strict=True):
        np.testing.assert_array_equal(a, b)


def check_columns_together_and_alone(matrix, y, classes):
    together, alone = tables(matrix.shape[1], classes), tables(matrix.shape[1], classes)
    kernels.add_moments(list(matrix.T), y, *together)
    for j, column in enumerate(matrix.T):
        kernels.add_moments([column.copy()], y, *(t[j : j + 1] for t in alone))
    for a, b in zip(together, alone, strict=True):
        np.testing.assert_array_equal(a, b)


def test_row_moments_of_many_rows_of_every_size():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(5000, 9)) * 10.0 ** np.array([0, 3, -3, 200, -200, 300, -300, 1, 8])
    matrix[::7, 3] *= 1e-9
    matrix[5, 1] = np.nan
    classes = rng.integers(0, 5, 5000).astype(np.uint16)
    check_columns_together_and_alone(matrix, classes, 5)


def odd_sizes(rng, rows):
    """Columns at the edges of what the quick ways take: halves and ends of their units, drifts, outliers."""
    unit = 2.0 ** (2 - 69)  # of a column whose largest value seen lies in [1, 2)
    signs = rng.choice([-1.0, 1.0], rows)
    yield rng.normal(size=rows)
    yield np.full(rows, 1.9999999999999998)
    yield signs * (rng.integers(0, 2**15, rows) + 0.5) * 2.0**51 * unit  # halves of the coarse unit
    yield np.r_[1.5, signs[1:] * rng.integers(0, 2**53, rows - 1) * unit]
    yield np.r_[
        1.5, signs[1:] * (rng.integers(0, 2**52, rows - 1) + 0.5) * unit
    ]  # none is a whole number of units
    yield np.where(rng.random(rows) < 0.01, 5e-324, signs * rng.random(rows))
    yield np.where(
        rng.random(rows) < 0.01,
        rng.choice([1e300, -1e200, np.nan, np.inf, 3e17, 1e9, 1e5, 40.0], rows),
        signs,
    )
    yield np.sort(2.0 ** rng.uniform(-30, 30, rows))
    yield np.where(rng.random(rows) < 0.5, -0.0, rng.normal(size=rows))
    yield rng.normal(size=rows).astype(np.float32).astype(np.float64)
    yield rng.integers(-3, 4, rows) * 1.0
    yield signs * 2.0 ** rng.integers(-16, 1, rows)
    yield rng.normal(size=rows) * 2.0**399
    yield rng.normal(size=rows) * 2.0**-401


@pytest.mark.parametrize("classes", [1, 2, 9])
@pytest.mark.parametrize("rows", [63, 20_001])
@pytest.mark.parametrize("power", [0, -60, 7])
def test_row_moments_at_the_edges_of_units(classes, rows, power):
    rng = np.random.default_rng(classes)
    with np.errstate(over="ignore"):
        matrix = np.ascontiguousarray(np.array(list(odd_sizes(rng, rows))).T) * 2.0**power
    y = rng.integers(0, classes, rows).astype(np.uint8)
    check_columns_together_and_alone(matrix, y, classes)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.integers(-390, 390),
    st.lists(st.tuples(st.integers(-(2**53), 2**53), st.integers(-90, 3)), min_size=1, max_size=40),
    st.integers(1, 3),
    st.integers(0, 2**32),
)
def test_row_moments_of_values_of_near_sizes(power, parts, classes, seed):
    """Whole numbers of 53 bits times powers of two, rows enough for every step at which sums move on."""
    rng = np.random.default_rng(seed)
    cells = np.array([np.ldexp(float(whole), size + power - 53) for whole, size in parts])
    matrix = cells[rng.integers(0, len(cells), (4_000, 5))]
    y = rng.integers(0, classes, len(matrix)).astype(np.uint8)
    check_columns_together_and_alone(matrix, y, classes)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(matrices(CELLS | st.sampled_from([np.inf, -np.inf])))
def test_row_scan_equals_the_scan_of_each_column(matrix):
    for j, found in enumerate(kernels.scan_matrix(matrix)):
        assert tuple(found)[:6] == tuple(kernels.scan(matrix[:, j].copy()))[:6]
        zeros = matrix[:, j][matrix[:, j] == 0]
        assert found.negative_zero or not np.signbit(zeros).any()
    assert [s[5] for s in scan_rows(list(matrix.T))] == [
        bool((np.signbit(c) & (c == 0)).any()) for c in matrix.T
    ]


def test_the_scan_of_many_rows_is_that_of_each_column_at_every_width():
    every = np.random.default_rng(0).normal(size=(333, 45))
    every[::7, 3], every[300, 31], every[332, 40], every[200, 44] = np.nan, -0.0, -0.0, 1e300
    for width in (4, 9, 32, 33, 45):
        matrix = every[:, :width]
        for j, (missing, low, high, broken, many, zero) in enumerate(scan_rows(list(matrix.T))):
            here = matrix[:, j][~np.isnan(matrix[:, j])]
            assert (missing, low, high) == (333 - len(here), here.min(), here.max())
            assert broken > 0
            assert many > 0
            assert zero == (j in (31, 40))


@pytest.mark.parametrize("rows", [1, 31, 32, 33, 64, 1_000, 2_085])
def test_the_scan_of_columns_that_lie_apart_sees_every_cell(rows):
    whole, broken = np.arange(rows) % 2.0, np.arange(rows) + 0.5
    for at in {0, rows // 2, rows - 2 if rows > 1 else 0, rows - 1}:
        for odd in (np.nan, -0.0, 1e9, -1e9, 0.25, 7.0, np.inf):
            columns = [whole.copy(), broken.copy()]
            for column in columns:
                column[at] = odd
            found = kernels.scan_columns(columns)
            assert [s[:-1] for s in found] == [kernels.scan(column)[:-1] for column in columns]
            if not np.isinf(odd):  # such columns are looked at by themselves
                assert [s.negative_zero for s in found] == [odd == 0] * 2


@settings(max_examples=60, deadline=None)
@given(matrices(CELLS | st.sampled_from([np.inf, -np.inf])), st.integers(1, 9))
def test_scans_of_some_rows_each_join_to_the_scan_of_all(matrix, step):
    columns = list(matrix.T)
    parts = [scan_rows([c[a : a + step] for c in columns]) for a in range(0, max(len(matrix), 1), step)]
    joined = kernels.joined_scans(parts)
    assert kernels.scan_columns(columns, joined) == kernels.scan_columns(columns)


@settings(max_examples=100, deadline=None)
@given(matrices())
def test_prints_of_rows_equal_the_twins_summed_over_columns(matrix):
    keys = [kernels.hash_text(f"x{j}".encode()) for j in range(matrix.shape[1])]
    together = np.zeros((2, len(matrix)), np.uint64)
    kernels.add_prints(together, list(matrix.T), keys)
    for row, cells in enumerate(matrix.tolist()):
        for lane in (0, 1):
            prints = (reference.print_of(x, key[lane]) for x, key in zip(cells, keys, strict=True))
            assert int(together[lane, row]) == sum(prints) % 2**64


def test_prints_of_many_rows_do_not_depend_on_the_layout():
    matrix = np.random.default_rng(1).normal(size=(1000, 70))
    matrix[::3, 5], matrix[::4, 69], matrix[7] = np.nan, -0.0, np.inf
    keys = [kernels.hash_text(f"x{j}".encode()) for j in range(70)]
    found = []
    for columns in (list(matrix.T), list(np.asfortranarray(matrix).T), list(matrix[::-1][::-1].T)):
        hashes = np.zeros((2, 1000), np.uint64)
        kernels.add_prints(hashes, columns, keys)
        found.append(hashes.tobytes())
    alone = np.zeros((2, 1000), np.uint64)
    for j in reversed(range(70)):
        kernels.add_prints(alone, [matrix[:, j]], [keys[j]])
    assert set(found) == {alone.tobytes()}


@pytest.mark.slow
def test_prints_tell_round_numbers_apart():
    """Whole numbers differ in few bits, all at the top: the hardest case for a product of halves."""
    rng = np.random.default_rng(2)
    matrix = np.unique(rng.integers(0, 3, (200_000, 20)), axis=0).astype(float)
    keys = [kernels.hash_text(f"x{j}".encode()) for j in range(20)]
    hashes = np.zeros((2, len(matrix)), np.uint64)
    kernels.add_prints(hashes, list(matrix.T), keys)
    for lane in hashes:
        assert len(np.unique(lane)) == len(matrix)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_small_codes_are_values_less_their_base(data):
    dtype = data.draw(st.sampled_from(["int64", "uint64", "int32", "uint16", "int8", "uint8"]))
    info = np.iinfo(dtype)
    matrix = data.draw(hnp.arrays(dtype, (data.draw(st.integers(1, 90)), 3)))
    if data.draw(st.booleans()):  # whole tiles, columns by the eight and codes below 16, 64 and 256
        shape = data.draw(st.sampled_from([(600, 1), (257, 7), (256, 8), (300, 30), (513, 70)]))
        most = min(data.draw(st.sampled_from([2, 13, 61, 121, 301])), info.max)
        matrix = np.random.default_rng(data.draw(st.integers(0, 9))).integers(0, most, shape, dtype)
        matrix[data.draw(st.integers(0, len(matrix) - 1)), -1] = info.max
    if data.draw(st.booleans()):
        matrix = np.asfortranarray(matrix)
    width = matrix.shape[1]
    low = [max(int(c.min()), -(2**62)) if int(c.min()) < 2**62 else 0 for c in matrix.T]
    base, fits = np.array(low, np.int64), np.ones(width, np.uint8)
    codes, seen = np.zeros((width, len(matrix)), np.uint8), np.zeros((width, 256), np.uint8)
    kernels.small_codes(matrix, base, codes, 0, fits, seen)
    for j in range(width):
        small = [int(v) - low[j] for v in matrix[:, j]]
        assert bool(fits[j]) == all(0 <= s < 256 for s in small)
        if fits[j]:
            assert codes[j].tolist() == small
            assert np.flatnonzero(seen[j]).tolist() == sorted(set(small))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_matrix_of_whole_numbers_gives_the_model_of_the_same_frame(data):
    dtype = data.draw(st.sampled_from(["int64", "int32", "uint8", "int16"]))
    low = 0 if dtype == "uint8" else data.draw(st.sampled_from([0, -3, 100, -120]))
    high = low + data.draw(st.sampled_from([1, 2, 11, 100]))
    rows = data.draw(st.integers(8, 60))
    matrix = data.draw(
        hnp.arrays(dtype, (rows, 4), elements=st.integers(low, min(high, np.iinfo(dtype).max)))
    )
    y = np.arange(rows) % 2
    kinds = data.draw(
        st.sampled_from([None, dict.fromkeys(["x0", "x1", "x2", "x3"], "levels"), {"x1": "numeric"}])
    )
    frame = pd.DataFrame({f"x{j}": matrix[:, j].astype(object) for j in range(4)})
    weights = data.draw(st.sampled_from([None, np.arange(rows) % 3 + 1, np.arange(rows) % 2]))
    models = []
    for given_ in (matrix, frame):
        try:
            models.append(ts.NaiveBayes(kinds=kinds).fit(given_, y, sample_weight=weights))
        except ts.errors.TallyError as error:
            models.append(str(error).replace("the array", "X").replace("the DataFrame", "X"))
    if isinstance(models[0], str):
        assert models[0] == models[1]
        return
    assert models[0].to_bytes() == models[1].to_bytes()
    new = matrix[::-1] + (1 if high + 1 <= np.iinfo(dtype).max else 0)
    again = pd.DataFrame({f"x{j}": new[:, j].astype(object) for j in range(4)})
    np.testing.assert_array_equal(models[0].predict_proba(new), models[0].predict_proba(again))


def code_columns(data):
    """Some columns of few codes, and how many codes each may have."""
    rows, width = data.draw(st.sampled_from([1, 7, 600])), data.draw(st.integers(1, 9))
    sizes = data.draw(st.lists(st.sampled_from([1, 2, 3, 11, 60, 250]), min_size=width, max_size=width))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    return rng, rows, sizes, [rng.integers(0, size, rows).astype(np.uint8) for size in sizes]


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_columns_counted_together_give_what_each_gives_alone(data):
    rng, rows, sizes, columns = code_columns(data)
    n_classes = data.draw(st.sampled_from([1, 2, 5, 40]))
    classes = rng.integers(0, n_classes, rows).astype(np.uint8)
    together = kernels.count_columns(columns, classes, sizes, n_classes)
    for codes, size, table in zip(columns, sizes, together, strict=True):
        np.testing.assert_array_equal(table, reference.count_codes(codes, classes, size, n_classes))


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_columns_hashed_together_give_the_sum_of_each(data):
    rng, rows, sizes, columns = code_columns(data)
    tables = [rng.integers(0, 2**64, (2, size), dtype=np.uint64) for size in sizes]
    together, alone = np.zeros((2, rows), np.uint64), np.zeros((2, rows), np.uint64)
    kernels.add_joint_hashes(together, columns, tables)
    for codes, table in zip(columns, tables, strict=True):
        kernels.add_code_hashes(alone, codes, table)
    np.testing.assert_array_equal(together, alone)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_hash_of_a_whole_block_is_that_of_its_steps(data):
    rng, rows, sizes, columns = code_columns(data)
    tables = [rng.integers(0, 2**64, (2, size), dtype=np.uint64) for size in sizes]
    doubles = list(rng.normal(size=(rows, data.draw(st.integers(0, 70)))).T)
    keys = [kernels.hash_text(f"x{j}".encode()) for j in range(len(doubles))]
    more = data.draw(st.sampled_from([None, rng.integers(0, 2**64, (2, rows), dtype=np.uint64)]))
    weights = data.draw(st.sampled_from([None, rng.integers(1, 2**40, rows)]))
    hashes = np.zeros((2, rows), np.uint64) if more is None else more.copy()
    kernels.add_joint_hashes(hashes, columns, tables)
    kernels.add_prints(hashes, doubles, keys)
    kernels.mix_hashes(hashes)
    found, *_ = kernels.hash_total(rows, columns, tables, doubles, keys, more, weights)
    assert found == kernels.sum_hashes(hashes, weights)


def test_the_hash_of_words_is_the_sum_over_entries():
    rng = np.random.default_rng(6)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 4, 50))]).astype(np.int64)
    words = rng.integers(0, 9, starts[-1]).astype(np.uint32)
    counts = rng.integers(1, 5, starts[-1]).astype(np.uint32)
    table = rng.integers(0, 2**64, (2, 9), dtype=np.uint64)
    hashes = np.zeros((2, 50), np.uint64)
    kernels.add_word_hashes(hashes, starts, words, counts, table)
    for lane in (0, 1):
        for row in range(50):
            entries = range(starts[row], starts[row + 1])
            expected = sum(int(table[lane, words[e]]) * int(counts[e]) for e in entries)
            assert int(hashes[lane, row]) == expected % 2**64


@settings(max_examples=100, deadline=None)
@given(matrices(CELLS | st.sampled_from([np.inf, -np.inf])), LAYOUTS, st.data())
def test_changes_of_class_are_those_of_each_column_sorted(matrix, layout, data):
    places = st.integers(0, len(matrix) - 1)
    drawn = data.draw(st.lists(st.tuples(places, st.integers(0, 2)), max_size=20))
    rows, classes = np.array(drawn, np.int64).reshape(-1, 2).T.copy()
    found = kernels.class_changes(list(layout(matrix).T), rows, classes)
    assert found == [reference.class_changes(column, rows, classes) for column in matrix.T]


NUMBERS = ["float64", "float32", "int64", "uint64", "int32", "uint32", "int16", "uint16", "int8", "uint8"]
SPREAD = [*range(5), 2**53, -(2**53), 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**64 - 1]


@st.composite
def any_numbers(draw):
    """Columns of a matrix of one type, in some order, or of several types."""
    rows, width = draw(st.integers(0, 75)), draw(st.integers(1, 11))
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    odd = draw(st.booleans())

    def cells(dtype, shape):
        if dtype.startswith("f"):
            found = (seed.normal(size=shape) * 10.0 ** seed.integers(-3, 4)).astype(dtype)
            found[seed.random(shape) < 0.1] = np.nan
            found[seed.random(shape) < 0.05] = -0.0
            found[seed.random(shape) < 0.004 * odd] = -np.inf
            return found
        info = np.iinfo(dtype)
        far = [n for n in SPREAD if info.min <= n <= info.max and (odd or abs(n) <= 2**53)]
        found = np.array(seed.integers(max(info.min, -1000), min(info.max, 1000), shape), dtype)
        chosen = seed.random(shape) < 0.02
        found[chosen] = np.array(far, dtype)[seed.integers(0, len(far), int(chosen.sum()))]
        return found

    if draw(st.booleans()):
        return [cells(draw(st.sampled_from(NUMBERS)), rows) for _ in range(width)]
    layouts = [*LAYOUT_WAYS, lambda m: np.repeat(m, 2, axis=1)[:, ::2], lambda m: np.asarray(m)[:, ::-1]]
    return list(draw(st.sampled_from(layouts))(cells(draw(st.sampled_from(NUMBERS)), (rows, width))).T)


@settings(deadline=None)
@given(any_numbers(), st.booleans(), st.data())
def test_numbers_of_any_type_are_laid_out_as_doubles(columns, by_rows, data):
    rows, width = len(columns[0]), len(columns)
    first = data.draw(st.integers(0, rows))
    n = data.draw(st.integers(0, rows - first))
    out = np.empty((n, width) if by_rows else (width, n))
    fine = kernels.AnyNumbers(columns, rows).doubles(first, out, by_rows)
    expected = reference.doubles(columns, first, n)
    assert fine == (expected is not None)
    if fine:
        assert (out.T if by_rows else out).tobytes() == np.array(expected).reshape(width, n).tobytes()


@settings(deadline=None)
@given(st.sampled_from([*NUMBERS, "bool"]), LAYOUTS, st.integers(0, 75), st.integers(1, 6), st.data())
def test_two_numbers_of_any_type_are_laid_out_as_codes(dtype, layout, rows, width, data):
    seed = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    matrix = seed.integers(0, 2, (rows, width)).astype(dtype)
    if dtype.startswith("f"):
        matrix[seed.random(matrix.shape) < 0.1] = np.nan
    if dtype != "bool" and data.draw(st.booleans()) and matrix.size:
        matrix[-1, -1] = 3
    first = data.draw(st.integers(0, rows))
    columns, out = list(layout(matrix).T), np.empty((width, rows - first), np.uint8)
    numbers = data.draw(st.sampled_from([(0.0, 1.0), (1.0, 0.0)]))
    fine = kernels.AnyNumbers(columns, rows).codes(first, numbers, out)
    expected = reference.pair_codes(columns, first, rows - first, numbers)
    assert fine == (expected is not None)
    assert not fine or out.tolist() == expected


def test_a_layout_beyond_the_rows_is_refused():
    numbers = kernels.AnyNumbers([np.zeros(3, np.int16)], 3)
    with pytest.raises(ValueError, match=r"2 rows from 2 on must lie within 0\.\.3"):
        numbers.doubles(2, np.empty((1, 2)), False)
    with pytest.raises(ValueError, match="out must have shape"):
        numbers.doubles(0, np.empty((2, 2)), False)
    with pytest.raises(TypeError, match="columns"):
        kernels.AnyNumbers([np.zeros(3, np.float16)], 3)
    with pytest.raises(ValueError, match="columns"):
        kernels.AnyNumbers([np.zeros(3), np.zeros(2)], 3)


def test_row_kernels_refuse_wrong_arguments():
    with pytest.raises(ValueError, match="classes"):
        kernels.class_changes([np.zeros(2)], np.zeros(2, np.int64), np.zeros(1, np.int64))
    with pytest.raises(ValueError, match=r"rows must lie within 0\.\.1; found 2"):
        kernels.class_changes([np.zeros(2)], np.array([0, 2]), np.zeros(2, np.int64))
    with pytest.raises(TypeError, match="columns"):
        scan_rows([np.zeros(2, np.float32)])
    with pytest.raises(ValueError, match="2 from 1 on"):
        kernels.small_codes(
            np.zeros((2, 1), np.int64),
            np.zeros(1, np.int64),
            np.zeros((1, 2), np.uint8),
            1,
            np.ones(1, np.uint8),
            np.zeros((1, 256), np.uint8),
        )


@pytest.mark.parametrize("width", [1, 8, 30, 64, 131])
@pytest.mark.parametrize("rows", [1, 64, 257, 9_001])
def test_one_walk_tells_what_three_tell(width, rows):
    rng = np.random.default_rng(width + rows)
    matrix = rng.normal(size=(rows, width)) * 10.0 ** rng.integers(-160, 160, width)
    matrix[rng.random(matrix.shape) < 0.01] = np.nan
    matrix[rng.random(matrix.shape) < 0.01] = -0.0
    if rows > 1:
        matrix[:, -1] = rng.integers(0, 2, rows)
    classes = rng.integers(0, 3, rows).astype(np.uint8)
    keys = [kernels.hash_text(b"%d" % j) for j in range(width)]
    labels = rng.integers(0, 2**63, (2, 5)).astype(np.uint64)
    for laid in (matrix, np.asfortranarray(matrix)):
        columns, together, alone = list(laid.T), tables(width, 3), tables(width, 3)
        total, seen, *_ = kernels.walk_rows(columns, keys, classes, labels, together)
        limit = 2**62
        found = kernels.hash_total(rows, [classes], [labels], columns, keys, limit=limit)
        assert total == found[0]
        for own, one in zip(
            kernels.walk_rows(columns, keys, classes, labels, limit=limit)[2:], found[1:], strict=True
        ):
            np.testing.assert_array_equal(own, one)
            assert len(own) < 0.9 * rows or rows < 300
        assert seen == scan_rows(columns)
        kernels.add_moments(columns, classes, *alone)
        for a, b in zip(together, alone, strict=True):
            np.testing.assert_array_equal(kernels.carry(a) if a.ndim > 2 else a, b)
        assert kernels.walk_rows(columns, keys, classes, labels)[:2] == (total, seen)


@pytest.mark.parametrize("width", [1, 30, 70])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_walk_picks_what_is_picked_alone(width, order):
    rng = np.random.default_rng(width)
    matrix = np.array(rng.normal(size=(9_001, width)), order=order)
    matrix[::50, 0] = np.nan
    columns, keys = list(matrix.T), [kernels.hash_text(b"%d" % j) for j in range(width)]
    classes, labels = np.zeros(9_001, np.uint8), np.zeros((2, 3), np.uint64)
    limits = rng.integers(0, 2**60, width, dtype=np.uint64)
    alone = kernels.pick_values(columns, limits.tolist())
    for room in (9_001, 3):  # for all, and not
        found, rows = np.zeros(width, np.int64), np.zeros((width, room), np.int64)
        values = np.zeros((width, room))
        kernels.walk_rows(columns, keys, classes, labels, None, (limits, found, rows, values))
        for j, (where, what) in enumerate(alone):
            assert found[j] == min(len(where), room)
            np.testing.assert_array_equal(rows[j, : found[j]], where[:room])
            np.testing.assert_array_equal(values[j, : found[j]], what[:room])


def test_a_walk_refuses_what_does_not_fit():
    columns, keys = [np.zeros(5)] * 4, [(1, 2)] * 4
    classes, labels = np.zeros(5, np.uint8), np.zeros((2, 3), np.uint64)
    with pytest.raises(ValueError, match="one entry per column"):
        kernels.walk_rows(columns, keys[:3], classes, labels)
    with pytest.raises(ValueError, match="shape"):
        kernels.walk_rows(columns, keys, classes[:4], labels)
    with pytest.raises(TypeError, match="uint8"):
        kernels.walk_rows(columns, keys, classes.astype(np.int64), labels)
    with pytest.raises(ValueError, match="sums"):
        kernels.walk_rows(columns, keys, classes, labels, (*tables(4, 3)[:1], *tables(4, 2)[1:]))
    picks = [np.zeros(4, np.uint64), np.zeros(4, np.int64), np.zeros((4, 2), np.int64), np.zeros((4, 3))]
    with pytest.raises(ValueError, match="values"):
        kernels.walk_rows(columns, keys, classes, labels, None, picks)
