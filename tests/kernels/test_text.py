"""The door to the text kernels names what is wrong, and joins texts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

from tallystick import kernels


def test_wrong_arguments_are_named():
    data, offsets = kernels.join_texts(["1", "2"])
    with pytest.raises(ValueError, match="offsets must lie within data"):
        kernels.parse_numbers(data[:1], offsets, None, ())
    with pytest.raises(ValueError, match="decimal must be"):
        kernels.parse_numbers(data, offsets, None, (), ";")
    with pytest.raises(TypeError, match="offsets must be int32 or int64"):
        kernels.parse_numbers(data, offsets.astype(np.uint16), None, ())
    with pytest.raises(ValueError, match="validity must have a bit"):
        kernels.parse_numbers(data, offsets, np.zeros(1, np.uint8), (), bit_offset=7)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text("aé\0漢😀", max_size=4), max_size=6))
def test_joined_texts_are_their_bytes_one_after_the_other(texts):
    data, offsets = kernels.join_texts(texts)
    assert data.tobytes() == "".join(texts).encode()
    parts = [data[a:b].tobytes().decode() for a, b in itertools.pairwise(offsets.tolist())]
    assert parts == texts


def test_each_cell_has_the_kind_that_it_looks_like():
    texts = ["3.5", " 42 ", "007", "true", "2012-03-04", "1,234", "12 %", "€5", "red", "?", "inf"]
    found = kernels.parse_numbers(*kernels.join_texts(texts), None, ["?"])
    names = "NUMBER INTEGER LEADING_ZEROS BOOLEAN DATE THOUSANDS PERCENT CURRENCY OTHER MISSING INFINITE"
    assert [kernels.CellKind(k).name for k in found.kinds] == names.split()
    assert found.values[:3].tolist() == [3.5, 42.0, 7.0]
    assert (found.integers, found.numbers) == (2, 4)
    assert found.first[kernels.CellKind.OTHER] == 8
    assert found.count(kernels.CellKind.MISSING, kernels.CellKind.DATE) == 2


def test_a_comma_is_a_decimal_sign_where_it_is_said_to_be():
    cells = kernels.join_texts(["3,5", "3.5"])
    assert kernels.parse_numbers(*cells, None, [], ",").values[0] == 3.5
    assert np.isnan(kernels.parse_numbers(*cells, None, []).values[0])


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 40), st.integers(0, 60), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_the_same_object_has_the_same_code_and_numbers_are_in_the_order_they_came(many, rows, step, seed):
    objects = np.array([f"text {i % 7}" for i in range(many)], object)  # equal texts are different objects
    cells = objects[np.random.default_rng(seed).integers(0, many, rows * step)][::step]
    codes, first = reference.code_objects(cells)
    found = kernels.code_objects(cells, max(len(first), 1))
    np.testing.assert_array_equal(found[0], codes)
    np.testing.assert_array_equal(found[1], first)
    if len(first) > 1:
        assert kernels.code_objects(cells, len(first) - 1) is None


def test_more_objects_than_16_bits_and_a_sign_have_numbers_for_are_not_coded():
    cells = np.array([object() for _ in range(1 << 15)], object)
    assert kernels.code_objects(cells, len(cells)) is None
    assert kernels.code_objects(cells[1:], len(cells))[0].max() == (1 << 15) - 2
    with pytest.raises(TypeError, match="cells must be object"):
        kernels.code_objects(np.zeros(3), 3)
