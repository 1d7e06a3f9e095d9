"""Columns of numbers that are hard to handle, for the tests of kernels: strategies."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

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


def bits(values):
    """The bits of doubles, all NaN alike."""
    values = np.asarray(values, np.float64)
    return np.where(np.isnan(values), np.uint64(0x7FF8 << 48), values.view(np.uint64))
