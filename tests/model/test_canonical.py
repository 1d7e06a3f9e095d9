"""Plain data to canonical JSON and back: one value, one text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import ModelFileError
from tallystick.model import file as canonical
from tallystick.model.file import ListInParts

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.slow
@given(json_values)
def test_canonical_text_reads_back_as_the_same_value(value):
    try:
        written = canonical.write(value)
    except ModelFileError:
        with pytest.raises(ModelFileError, match="character pair"):
            canonical.write(value)
        return
    assert canonical.read(written) == json.loads(written) == value


@pytest.mark.slow
@given(
    st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), st.integers(), min_size=2, max_size=6)
)
def test_canonical_text_does_not_depend_on_the_order_of_keys(value):
    back = dict(reversed(value.items()))
    assert canonical.write(back) == canonical.write(value)


def test_one_table_row_per_line():
    text = canonical.write({"b": [[1, 2], [3, 4]], "a": {"x": 1.0}}).decode()
    assert text == '{\n"a":{"x":1.0},\n"b":[\n[1,2],\n[3,4]]}'


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"a":1,"a":2}', "the key 'a' is there twice in one object"),
        (b'{"a":NaN}', "NaN is not a number a model can hold"),
        (b'{"a":', "line 1 is not JSON"),
        (b'"\xff"', "byte 1 is not UTF-8"),
        (b'"\\ud800"', "byte 1 begins half of a character pair"),
        (b'"\\u0041"', "byte 1 begins an escape a model file never writes"),
        (b"[" * 100_000, "nested too deep"),
        (b"1" * 5_000, "a whole number is too large"),
    ],
)
def test_what_canonical_text_never_holds_is_refused_each_with_its_own_line(data, says):
    with pytest.raises(ModelFileError, match=says):
        canonical.read(data)


def test_a_careful_reader_names_numbers_that_no_model_holds():
    assert canonical.read(b"[1e999]") == [float("inf")]
    with pytest.raises(ModelFileError, match="the number 1e999 is beyond all doubles"):
        canonical.read(b"[1e999]", careful=True)
    with pytest.raises(ModelFileError, match="the whole number 12345678901234567890… is too large"):
        canonical.read(b"123456789012345678901", careful=True)
    assert canonical.read(b"[1,2.5]", careful=True) == [1, 2.5]


def test_half_of_a_character_pair_cannot_be_written():
    with pytest.raises(ModelFileError, match="half of a character pair"):
        canonical.write({"a": "\ud800"})


@pytest.mark.parametrize("lists", [[], [[1, 2.5], [3]], ["a", 'b"'], [1, None], [[1, "x"], [2, "y"]]])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_list_in_parts_is_written_as_the_list(lists, size):
    parts = ListInParts(lambda: (lists[at : at + size] for at in range(0, len(lists) + size, size)))
    assert parts.whole() == lists
    beside = {"b": [[0]], "c": "d"}
    assert canonical.write({"a": parts} | beside) == canonical.write({"a": lists} | beside)
    assert canonical.write(parts) == canonical.write(lists)
