import pytest

import tallystick as ts
from tallystick.working import Working


def test_the_working_comes_with_its_model(tennis):
    working = ts.work(tennis, "Play")
    assert isinstance(working, Working)
    assert working.model.to_bytes() == ts.DecisionTree.id3().fit(tennis, "Play").to_bytes()


def test_an_unknown_method_is_refused_with_the_nearest(tennis):
    with pytest.raises(ts.TallyError, match=r"work has no method 'id4'. Did you mean 'id3'"):
        ts.work(tennis, "Play", method="id4")


def test_rows_on_disk_are_refused(tennis):
    with pytest.raises(ts.TallyError, match="needs its rows in memory"):
        ts.work(tennis, "Play", memory="64MB")
