"""The parts of dates: those of the calendar, for every day there is, to the millisecond."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.text import WEEKDAY_LEVELS, WEEKDAYS, informative_parts, part_values, weekday_codes

MOMENTS = st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59, 0))


@given(MOMENTS)
def test_parts_are_those_of_pythons_calendar(moment):
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    micros = (moment - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)
    days = np.array([micros / 86400e6])
    found = [float(part_values(days, part)[0]) for part in ("year", "month", "weekday", "hour")]
    assert found == [moment.year, moment.month, moment.weekday(), moment.hour]


@pytest.mark.slow
def test_every_day_has_its_year_month_and_weekday():
    days = np.arange(-719_162, 2_932_897, 13)
    known = days.astype("M8[D]")
    assert (part_values(days.astype(float), "year") == known.astype("M8[Y]").astype(int) + 1970).all()
    assert (part_values(days.astype(float), "month") == known.astype("M8[M]").astype(int) % 12 + 1).all()
    assert (part_values(days.astype(float), "weekday") == (days + 3) % 7).all()


def test_missing_stays_missing_and_weekdays_have_the_codes_of_their_names():
    assert np.isnan(part_values(np.array([np.nan]), "month")).all()
    codes = weekday_codes(np.array([0.0, 6.0, np.nan]))
    assert [(*WEEKDAY_LEVELS, None)[c] for c in codes] == ["Monday", "Sunday", None]
    assert sorted(WEEKDAYS) == list(WEEKDAY_LEVELS)


def test_only_parts_that_may_differ_are_told():
    assert informative_parts(0.0, 0.0, True) == ()
    assert informative_parts(0.0, 3.0, True) == ("weekday",)
    assert informative_parts(0.0, 40.0, True) == ("month", "weekday")
    assert informative_parts(0.0, 400.5, False) == ("year", "month", "weekday", "hour")
