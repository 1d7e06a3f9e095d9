"""Fields: areas cover every cell once, and lines of equal value lie where the values say."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tallystick.draw.planes import areas, level_lines

BOX = re.compile(r"M(\S+) (\S+)h(\S+)v(\S+)h-\S+z")


@pytest.mark.slow
@given(arrays(np.int64, st.tuples(st.integers(1, 7), st.integers(1, 7)), elements=st.integers(0, 2)))
def test_areas_cover_every_cell_once_with_its_own_code(codes):
    covered = np.full(codes.shape, -1)
    for code, path in areas(codes, (1.0, 1.0)).items():
        for x, y, wide, high in (tuple(map(int, box)) for box in BOX.findall(path)):
            part = covered[y : y + high, x : x + wide]
            assert (part == -1).all()
            part[:] = code
    assert (covered == codes).all()


def test_a_plane_of_one_code_is_one_box():
    assert areas(np.zeros((5, 9), dtype=np.int64), (2.0, 3.0)) == {0: "M0 0h18v15h-18z"}


def test_a_line_of_equal_value_goes_through_the_values_it_lies_between():
    values = np.add.outer(np.zeros(4), np.array([0.0, 1.0, 2.0]))
    (line,) = level_lines(values, 0.25)
    assert sorted(line) == [(0.25, 0), (0.25, 1), (0.25, 2), (0.25, 3)]


def test_a_line_around_a_top_is_closed_and_round():
    at = np.linspace(-1, 1, 81)
    values = -(at[:, None] ** 2) - at[None, :] ** 2
    (line,) = level_lines(values, -0.25)
    assert line[0] == line[-1]
    far = [((x - 40) ** 2 + (y - 40) ** 2) ** 0.5 / 40 for x, y in line]
    assert far == pytest.approx([0.5] * len(far), abs=0.01)


def test_a_field_without_the_level_has_no_line():
    assert level_lines(np.ones((3, 3)), 2.0) == []


@pytest.mark.slow
@given(arrays(np.float64, (5, 5), elements=st.integers(0, 3).map(float)))
def test_every_crossing_between_neighbours_is_on_a_line(values):
    found = {point for line in level_lines(values, 1.5) for point in line}
    across = (values[:, :-1] > 1.5) != (values[:, 1:] > 1.5)
    up = (values[:-1] > 1.5) != (values[1:] > 1.5)
    assert len(found) == across.sum() + up.sum()
