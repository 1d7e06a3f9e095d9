import pytest

import tallystick as ts
from tallystick.teach.document import Working


def test_the_working_comes_with_its_model(tennis):
    working = ts.work(tennis, "Play")
    assert isinstance(working, Working)
    assert working.model.to_bytes() == ts.DecisionTree.id3().fit(tennis, "Play").to_bytes()


def test_an_unknown_method_is_refused_with_the_nearest(tennis):
    with pytest.raises(ts.TallyError, match=r"there is no method 'id4'. Did you mean 'id3'"):
        ts.work(tennis, "Play", method="id4")


def test_a_method_without_a_working_is_refused(tennis):
    with pytest.raises(ts.TallyError, match=r"^optimal tree has no working\. Use one of tree, "):
        ts.work(tennis, "Play", method="optimal")
    with pytest.raises(ts.TallyError, match="method must be a name such as id3, not 3"):
        ts.work(tennis, "Play", method=3)


def test_settings_may_stand_in_the_name(tennis):
    assert ts.work(tennis, "Play", method="id3:max_depth=1").model.max_depth == 1


def test_rows_on_disk_are_refused(tennis):
    with pytest.raises(ts.TallyError, match="needs its rows in memory"):
        ts.work(tennis, "Play", memory="64MB")


def test_what_a_row_does_not_name_is_missing_and_a_wrong_name_is_refused(tennis):
    text = ts.work(tennis, "Play", method="bayes", row={"Outlook": "Rain", "Play": "Yes"}).text()
    assert "Temperature has no factor: it is missing." in text
    with pytest.raises(
        ts.TallyError, match=r"the row names 'Outlok', which is not a column.* Did you mean 'Outlook'"
    ):
        ts.work(tennis, "Play", row={"Outlok": "Rain"})
