"""A block of separated text: where its cells end, and its columns as numbers and as texts."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick import kernels

BLOCK = b"1,red\n, blue \n2.5,red\n"


def ends(block=BLOCK, columns=2, separator=","):
    return kernels.cut_cells(block, columns, separator)


def test_every_cell_ends_where_its_separator_or_its_line_end_stands():
    assert ends().tolist() == [[1, 5], [6, 13], [17, 21]]
    assert ends(b"a;b", 2, ";").tolist() == [[1, 3]]  # the last line needs no end
    assert len(ends(b"")) == 0


def test_lines_may_end_in_carriage_return_and_line_feed():
    found = ends(b"1,a\r\n2,b\r\n")
    data, offsets = kernels.copy_cells(b"1,a\r\n2,b\r\n", found, 1)
    assert data[offsets[0] : offsets[1]].tobytes().strip() == b"a"
    assert data[offsets[1] : offsets[2]].tobytes().strip() == b"b"


@pytest.mark.parametrize("block", [b"1,2,3\n", b"1\n", b"1,2\n\n3,4\n", b"1,\r2\n"])
def test_a_block_that_is_not_plain_is_left_to_others(block):
    assert ends(block) is None


def test_numbers_are_read_and_texts_are_known_as_texts():
    block = b"".join(b"%d.5,word\n" % i for i in range(40)) + b",word\n"
    values, seen = kernels.read_columns(block, ends(block), np.array([False, False]), [""], ".")
    np.testing.assert_array_equal(values[0], [*(np.arange(40) + 0.5), np.nan])
    assert not seen[0] & ~np.uint32(kernels.ALL_NUMBERS)
    assert seen[1] & ~np.uint32(kernels.ALL_NUMBERS)
    _, seen = kernels.read_columns(block, ends(block), np.array([True, True]), [""], ".")
    assert seen.tolist() == [2**32 - 1] * 2  # nothing was read


def test_dates_alone_are_dates():
    block = b"".join(b"1970-%02d-%02d\n" % (m, d) for m in (1, 2) for d in range(1, 29))
    values, seen = kernels.read_columns(block, ends(block, 1), np.array([False]), [""], ".")
    assert not seen[0] & ~np.uint32(kernels.ALL_DATES)
    assert values[0].tolist() == [*range(28), *range(31, 59)]  # days since 1970


def test_few_texts_are_codes_in_the_order_in_which_they_come_without_outer_space():
    codes, texts = kernels.code_cells(BLOCK, ends(), 1)
    assert codes.tolist() == [0, 1, 0]
    assert texts == [b"red", b"blue"]


def test_more_than_1024_texts_are_not_few():
    block = b"".join(b"%d\n" % i for i in range(1025))
    assert kernels.code_cells(block, ends(block, 1), 0) is None
    assert len(kernels.code_cells(block[: block.index(b"1024")], ends(block, 1)[:1024], 0)[1]) == 1024


def test_cells_are_copied_as_they_are():
    data, offsets = kernels.copy_cells(BLOCK, ends(), 1)
    assert data.tobytes() == b"red blue red"
    assert offsets.tolist() == [0, 3, 9, 12]


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="separator must be one byte"):
        ends(separator="::")
    with pytest.raises(ValueError, match="column must be below 2; found 2"):
        kernels.copy_cells(BLOCK, ends(), 2)
    with pytest.raises(ValueError, match="ends must lie within the block of 3 bytes; found 21"):
        kernels.code_cells(BLOCK[:3], ends(), 0)
