"""Text cells to numbers, and string columns to values and codes."""

from __future__ import annotations

import math
import struct

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import reference_text as twin
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tallystick.kernels.text import CellKind, FewTexts
from tallystick.schema import MISSING_MARKS
from tallystick.table import strings

ODD = [
    *(
        "",
        " ? ",
        "NA",
        "nan",
        "NaN",
        "0",
        "00",
        "007",
        "-0",
        "-0.0",
        "+5",
        ".5",
        "5.",
        ".",
        "+",
        "-",
        "1e5",
        "1e",
        "e5",
    ),
    *(
        "1e400",
        "-1e400",
        "1e-400",
        "-1e-400",
        "4.9e-324",
        "2e-324",
        "2.4703282292062328e-324",
        "1.7976931348623159e308",
        "1e23",
    ),
    *(
        "9007199254740992",
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "9" * 20,
        "1" + "0" * 400,
    ),
    *(
        "99999999999999991611392",
        "0x10",
        "1_000",
        "1d5",
        "inf",
        "-Infinity",
        "+INF",
        "infin",
        "true",
        "FALSE",
        "truE ",
    ),
    *(
        "2012-03-04",
        "2012-02-30",
        "2000-02-29",
        "1900-02-29",
        "0001-01-01",
        "9999-12-31",
        "0000-01-01",
        "2012-3-4",
    ),
    *(
        "1970-01-01T12:00",
        "1969-12-31 23:59:59.5Z",
        "2000-02-29T01:00:00+01:00",
        "2000-01-01T24:00",
        "1970-01-01T00:00+01:",
    ),
    *(
        "1970-01-01T00:00:00,1234567-0530",
        "1970-01-01T00:00-05",
        "1970-01-01Z",
        "1,234",
        "12,345.6",
        "1,23,4",
        "3,14",
    ),
    *(
        "1.234,5",
        ",5",
        "5,",
        "12 %",
        "%",
        "$5",
        "5 €",
        "€ 1,234.50",
        "-£3",
        "$",
        "€",
        "5¥",
        "$-5",
        "١",
        "é",
        "1 2",
        "--1",
    ),
]
decimals = st.sampled_from([".", ","])
near_numbers = st.one_of(
    st.floats().map(repr),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: f"{x:.25e}"),
    st.integers(-(10**25), 10**25).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=3).map(str),
    st.datetimes().map(lambda d: d.isoformat(" ")),
    st.dates().map(str),
    st.text(alphabet="0123456789.,+-eE% $€TZ:", max_size=12),
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.sampled_from(ODD),
)


def parsed(texts, marks=MISSING_MARKS, decimal=".", dates=True):
    return strings.numbers(pa.array(texts, pa.string()), marks, decimal, dates=dates)


def bits(values):
    return np.asarray(values, float).view(np.uint64).tolist()


def expect(texts, result, **options):
    want = [twin.cell(t, **options) for t in texts]
    assert [CellKind(k).name for k in result.kinds] == [kind for kind, _ in want]
    assert bits(np.where(np.isnan(result.values), 0.125, result.values)) == bits(
        [0.125 if math.isnan(v) else v for _, v in want]
    )


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.none() | near_numbers, max_size=20), decimals, st.booleans())
@example([*ODD, None], ".", True)
@example([*ODD, None], ",", False)
def test_cells_are_read_as_the_twin_reads_them(texts, decimal, dates):
    result = parsed(texts, decimal=decimal, dates=dates)
    expect(texts, result, marks=MISSING_MARKS, decimal=decimal, dates=dates)


@pytest.mark.slow
@settings(deadline=None)
@given(st.integers(0, 2**64 - 1), st.integers(0, 40))
def test_every_double_is_read_as_python_reads_it(pattern, digits):
    (value,) = struct.unpack("d", struct.pack("Q", pattern))
    texts = [t for t in (repr(value), f"{value:.{digits}e}", f"{value:.{digits}g}") if math.isfinite(value)]
    assert bits(parsed(texts).values) == bits([float(t) + 0.0 for t in texts])


@pytest.mark.slow
@settings(deadline=None)
@given(st.integers(10**14, 10**20), st.integers(0, 30), st.sampled_from(["", "-", "+"]))
def test_every_long_decimal_is_read_as_python_reads_it(digits, places, sign):
    whole, fraction = divmod(digits, 10**places)
    texts = [
        f"{sign}{whole}.{fraction:0{places + 1}}",
        f"{sign}{digits}e-{places}",
        f"{sign}{digits}e{places}",
    ]
    assert bits(parsed(texts).values) == bits([float(t) for t in texts])


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.none() | near_numbers, max_size=20), st.integers(0, 20))
def test_counts_and_first_rows_belong_to_the_kinds(texts, cut):
    chunks = pa.chunked_array([texts[:cut], texts[cut:]], pa.large_string())
    result = strings.numbers(chunks, MISSING_MARKS)
    kinds = result.kinds.tolist()
    assert result.counts.tolist() == [kinds.count(k) for k in CellKind]
    assert result.first.tolist() == [kinds.index(k) if k in kinds else -1 for k in CellKind]
    assert result.numbers == sum(k in (1, 2, 3, 4, 5) for k in kinds)


def test_offsets_bits_and_arrow_types_do_not_matter():
    texts = ["zz", *ODD, None, " 7 ", None, "8"] * 3
    want = parsed(texts[5:], marks=["?"])  # "" is no mark here, so a null taken for a cell would be seen
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
        found = strings.numbers(pa.array(texts, pa.string()).cast(kind)[5:], ["?"], dates=True)
        assert bits(found.values) == bits(want.values)
        assert found.kinds.tolist() == want.kinds.tolist()


def test_a_mark_goes_before_a_number():
    result = parsed(["-999", "-999.0", "5"], marks=["-999"])
    assert [CellKind(k).name for k in result.kinds] == ["MISSING", "NUMBER", "INTEGER"]


# ---- values and codes ----

cells = st.lists(
    st.none()
    | st.text(alphabet="ab é?😀 \t", max_size=3)
    | st.text(st.characters(codec="utf-8"), max_size=3),
    max_size=30,
)


def shown(found):
    return found.values.to_pylist(), found.codes.tolist()


@pytest.mark.slow
@settings(deadline=None)
@given(cells, st.integers(0, 30))
def test_values_are_sorted_by_bytes_and_codes_point_at_them(texts, cut):
    want = twin.distinct(texts, ["?", ""])
    kinds = [pa.string(), pa.large_string(), pa.string_view()]
    arrays = [pa.chunked_array([texts[:cut], texts[cut:]], kind) for kind in kinds]
    arrays.append(pa.array(texts, pa.string()).dictionary_encode())
    for array in arrays:
        assert shown(strings.distinct(array, ["?", ""])) == want


def test_categories_nobody_has_are_not_there():
    frame = pd.Series(["b", "a", None, "b"], dtype=pd.CategoricalDtype(["z", "b", "a"]))
    assert shown(strings.distinct(pa.array(frame))) == (["a", "b"], [1, 0, 2, 1])
    assert shown(strings.distinct(pl.Series(["b", "a"], dtype=pl.Categorical).to_arrow())) == (
        ["a", "b"],
        [1, 0],
    )


@pytest.mark.slow
@pytest.mark.parametrize(("levels", "bits"), [(254, 8), (255, 16), (65_534, 16), (65_535, 32)])
def test_codes_have_room_for_missing_and_unseen(levels, bits):
    found = strings.distinct(pa.array([f"{i:06}" for i in range(levels)]))
    assert found.codes.dtype.itemsize * 8 == bits
    assert found.codes.tolist() == list(range(levels))


def test_few_texts_are_shared_and_long_ones_are_held_by_nobody():
    def few(size):
        texts = [bytes([65 + i]) * size for i in range(3)]
        return FewTexts(np.array([2, 0, 1], np.uint16), texts, np.ones(3, np.int64))

    assert strings.distinct_few(few(5)).values is strings.distinct_few(few(5)).values
    long = strings.distinct_few(few(strings.SHARED)).values
    assert long is not strings.distinct_few(few(strings.SHARED)).values
