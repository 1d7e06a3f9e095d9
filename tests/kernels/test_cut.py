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
    values, columns, seen, few = kernels.read_columns(block, ends(block), np.array([False, False]), [""], ".")
    assert columns.tolist() == [0]
    assert [(j, found.texts, found.counts.tolist()) for j, found in few.items()] == [(1, [b"word"], [41])]
    assert not few[1].codes.any()
    np.testing.assert_array_equal(values, [[*(np.arange(40) + 0.5), np.nan]])
    assert not seen[0] & ~np.uint32(kernels.ALL_NUMBERS)
    values, columns, _, few = kernels.read_columns(block, ends(block), np.array([True, True]), [""], ".")
    assert (list(values), columns.tolist(), few) == ([], [], {})  # nothing was read


def test_numbers_that_turn_out_to_be_texts_are_told():
    block = b"".join(b"%d.5\n" % i for i in range(200)) + b"word\n"
    _, _, seen, _ = kernels.read_columns(block, ends(block, 1), np.array([False]), [""], ".")
    assert seen[0] & ~np.uint32(kernels.ALL_NUMBERS)


def test_numbers_are_put_where_room_is_given():
    block = b"".join(b"word,%d.5\n" % i for i in range(40))
    memory = np.full(80, -1.0)
    room = lambda columns, rows: list(memory[: len(columns) * rows].reshape(-1, rows))  # noqa: E731
    kernels.read_columns(block, ends(block), np.array([False, False]), [""], ".", room)
    assert memory.tolist() == [*(np.arange(40) + 0.5), *[-1.0] * 40]


def test_dates_alone_are_dates():
    block = b"".join(b"1970-%02d-%02d\n" % (m, d) for m in (1, 2) for d in range(1, 29))
    values, _, seen, _ = kernels.read_columns(block, ends(block, 1), np.array([False]), [""], ".")
    assert not seen[0] & ~np.uint32(kernels.ALL_DATES)
    assert values[0].tolist() == [*range(28), *range(31, 59)]  # days since 1970


def test_few_texts_are_codes_in_the_order_in_which_they_come_without_outer_space():
    numbers, words = kernels.code_columns(BLOCK, ends(), [0, 1])
    assert (numbers.codes.tolist(), numbers.texts, numbers.counts.tolist()) == (
        [0, 1, 2],
        [b"1", b"", b"2.5"],
        [1, 1, 1],
    )
    assert words.texts == [b"red", b"blue"]  # also where fewer than eight bytes are left
    assert (words.codes.tolist(), words.counts.tolist()) == ([0, 1, 0], [2, 1])
    assert kernels.code_columns(BLOCK, ends(), []) == []


def test_texts_of_any_length_are_told_apart_by_all_their_bytes():
    texts = [b"a" * n for n in range(20)] + [b"a" * n + b"b" for n in range(20)]
    block = b"".join(b"%b,%b\n" % (text, texts[-1 - i]) for i, text in enumerate(texts)) * 3
    for j, found in enumerate(kernels.code_columns(block, ends(block), [0, 1])):
        cells = [line.split(b",")[j] for line in block.splitlines()]
        assert [found.texts[code] for code in found.codes] == cells
        assert found.counts.tolist() == [3] * len(texts)


def test_more_than_1024_texts_are_not_few():
    block = b"".join(b"%d\n" % i for i in range(1025))
    assert kernels.code_columns(block, ends(block, 1), [0]) == [None]
    (found,) = kernels.code_columns(block[: block.index(b"1024")], ends(block, 1)[:1024], [0])
    assert len(found.texts) == 1024


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 200, 64 * 255 + 1, 64 * 600])
def test_one_look_at_a_text_tells_what_searching_it_does(size):
    rng = np.random.default_rng(size)
    plain = rng.choice(np.frombuffer(b"ab,1\n", np.uint8), size)
    for byte in (b"", b"x", b'"', b"\0", b"\xc3"):
        text = plain.copy()
        if byte and size:
            text[rng.integers(size)] = byte[0]
        held = text.tobytes()
        told = (
            held.count(b"\n"),
            held.rfind(b"\n") + 1,
            b'"' in held or b"\0" in held,
            not held.isascii(),
            b"x" in held,
        )
        assert kernels.look_at_text(text, ord("x")) == told
        assert not kernels.look_at_text(text, ord(" ")).holds


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
        kernels.code_columns(BLOCK[:3], ends(), [0])
    with pytest.raises(ValueError, match="columns must be below 2; found 2"):
        kernels.code_columns(BLOCK, ends(), [0, 2])
    with pytest.raises(ValueError, match="columns must be below 2; found -1"):
        kernels.code_columns(BLOCK, ends(), [1, -1])
    with pytest.raises(ValueError, match="asked must be a byte; found 256"):
        kernels.look_at_text(np.zeros(3, np.uint8), 256)
    with pytest.raises(ValueError, match="room must be 30 long at least; found 8"):
        kernels.cut_cells(BLOCK, 2, ",", np.empty(8, np.uint32))
