"""Hashes of cells and rows: those of the twin."""

from __future__ import annotations

import numpy as np
import reference
from hard_columns import CODES, columns
from hypothesis import given
from hypothesis import strategies as st

from tallystick import kernels

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


@given(st.integers(0, 3000), st.sampled_from([1, 5, 2000, 2**64 - 1]), CODES, st.integers(0, 2**32))
def test_rows_are_ordered_and_copies_numbered_as_by_the_twin(rows, most, width, seed):
    draw = np.random.default_rng(seed)
    keys = draw.integers(0, most, rows, np.uint64, endpoint=True)
    classes = draw.integers(0, 5, rows).astype(width)
    mixed = reference.key_hashes(keys, 9)
    assert kernels.key_hashes(keys, 9).tolist() == mixed.tolist()
    for one in (keys, mixed):
        numbers, distinct = kernels.number_copies(one)
        assert (numbers.tolist(), distinct) == reference.number_copies(one)
        assert kernels.order_keys(one).tolist() == reference.order_keys(one).tolist()
        assert kernels.order_keys(one, classes, 5).tolist() == reference.order_keys(one, classes).tolist()


def test_hashes_are_keyed_in_place_and_keys_that_differ_by_little_are_told_apart():
    keys = np.array([3, 2, 2**63, 2**63 - 1, 2, 2**64 - 1, 0], np.uint64)
    assert kernels.order_keys(keys).tolist() == [6, 1, 4, 0, 3, 2, 5]
    expected = kernels.key_hashes(keys, 1)
    assert kernels.key_hashes(keys, 1, keys) is keys
    assert keys.tolist() == expected.tolist()
