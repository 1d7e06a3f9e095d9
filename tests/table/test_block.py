"""A block as bytes and back: nothing is lost, and little is carried."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.table.block import RowBlock as Block
from tallystick.table.block import WordCounts, pack, unpack

number = st.one_of(st.floats(), st.floats(width=32), st.integers(-200, 200).map(float), st.just(-0.0))
row = st.tuples(number, st.integers(0, 255), st.integers(0, 2**31), number, st.lists(st.integers(0, 9)))


@pytest.mark.slow
@given(st.lists(row, max_size=70), st.booleans())
def test_a_packed_block_is_the_block_bit_for_bit(rows, weighted):
    starts = np.cumsum([0, *(len(r[4]) for r in rows)]).astype(np.int64)
    words = np.array([w for r in rows for w in r[4]], np.uint32)
    columns = {
        "größe, \n": np.array([r[0] for r in rows], np.float64),
        "code": np.array([r[1] for r in rows], np.uint8),
        "wide": np.array([r[2] for r in rows], np.uint32),
        "text": WordCounts(starts, words, np.ones(len(words), np.uint32)),
    }
    response = np.array([r[3] for r in rows], np.float64)
    weights = np.array([r[2] for r in rows], np.int64) if weighted else None
    there = unpack(pack(Block(len(rows), columns, None, response, weights)))
    assert there.rows == len(rows)
    assert there.classes is None
    assert list(there.columns) == list(columns)
    assert there.values("größe, \n").tobytes() == columns["größe, \n"].tobytes()
    assert there.response.tobytes() == response.tobytes()
    for name in ("code", "wide"):
        assert there.codes(name).dtype == columns[name].dtype
        assert there.codes(name).tolist() == columns[name].tolist()
    assert [a.tolist() for a in there.words("text")] == [a.tolist() for a in columns["text"]]
    assert (there.weights is None) if weights is None else there.weights.tolist() == weights.tolist()


@pytest.mark.parametrize(("kind", "width"), [("int8", 1), ("int16", 2), ("float32", 4), ("float64", 8)])
def test_numbers_take_no_more_bytes_than_they_need(kind, width):
    rng = np.random.default_rng(0)
    values = (rng.normal(size=10_000) * (100 if width < 4 else 1)).clip(-30_000, 30_000)
    values = (values * (1 if kind == "int8" else 100 if kind == "int16" else 1)).clip(-32_000, 32_000)
    if kind == "int8":
        values = values.clip(-128, 127)
    block = Block(len(values), {"x": values.astype(kind).astype(np.float64)})
    data = pack(block)
    assert 0 <= len(data) - width * len(values) < 200
    sent = unpack(data, as_sent=True).columns["x"]
    assert sent.dtype == kind
    assert not sent.flags.owndata
    assert sent.tolist() == block.columns["x"].tolist()


def test_codes_are_read_without_a_copy():
    data = pack(Block(3, {"c": np.array([1, 2, 3], np.uint16)}))
    assert not unpack(data).codes("c").flags.owndata


def test_other_bytes_are_refused():
    with pytest.raises(ValueError, match="not a packed block"):
        unpack(b"something else altogether")
