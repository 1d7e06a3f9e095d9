"""Which questions a device answers, and what becomes of those that it cannot."""

from __future__ import annotations

import gc

import pytest
from gpu_tables import table
from gpu_twin import Twin, twin

import tallystick as ts
from tallystick.engines.gpu import rows as device_rows
from tallystick.engines.gpu.answers import ANSWERS
from tallystick.errors import DeviceError, DeviceFull, OptionError


def test_every_question_is_answered_by_a_way_of_its_own():
    from tallystick.stats.bayes import BayesSums
    from tallystick.stats.gradients import LogisticSums, NewtonSums
    from tallystick.stats.level_tables import Frontier

    assert {BayesSums, Frontier, LogisticSums, NewtonSums} <= set(ANSWERS)
    assert len(set(ANSWERS.values())) == len(ANSWERS)


def test_what_has_no_kernel_is_summed_on_the_processor():
    X, y = table(11, n=300)
    here = ts.RuleList().fit(X[["level", "flag"]], y)
    with twin():
        there = ts.RuleList(engine=ts.Gpu()).fit(X[["level", "flag"]], y)
    assert there.to_bytes() == here.to_bytes()


def test_where_the_device_is_full_the_processor_sums():
    class Full(Twin):
        def launch(self, kernel, blocks, *given, memory=0):
            raise DeviceFull("the GPU's memory is full: 0 bytes.")

    import tallystick.engines.gpu as room

    X, y = table(9)
    here = ts.NaiveBayes().fit(X, y)
    before, room._devices[0] = room._devices.get(0), device_rows.Kept(Full())
    try:
        there = ts.NaiveBayes(engine=ts.Gpu()).fit(X, y)
    finally:
        room._devices.pop(0) if before is None else room._devices.update({0: before})
    assert there.to_bytes() == here.to_bytes()


@pytest.mark.slow
def test_an_error_of_the_device_is_raised_as_it_is():
    class Lost(Twin):
        def launch(self, kernel, blocks, *given, memory=0):
            raise DeviceError("the GPU failed: it fell off the bus.")

    import tallystick.engines.gpu as room

    X, y = table(9)
    before, room._devices[0] = room._devices.get(0), device_rows.Kept(Lost())
    try:
        with pytest.raises(DeviceError, match="fell off the bus"):
            ts.NaiveBayes(engine=ts.Gpu()).fit(X, y)
    finally:
        room._devices.pop(0) if before is None else room._devices.update({0: before})
        gc.collect()


@pytest.mark.parametrize("given", [{"device": -1}, {"device": True}, {"memory": "much"}])
def test_settings_that_make_no_sense_are_refused(given):
    with pytest.raises(OptionError):
        ts.Gpu(**given)
