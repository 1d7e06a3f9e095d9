import pytest

import tallystick as ts


def test_a_row_goes_down_the_tree(tennis):
    by_place = ts.work(tennis, "Play", row=1).text()
    assert "A row\n-----\n" in by_place
    record = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Strong"}
    assert ts.work(tennis, "Play", row=record).text() == by_place


def test_what_pruning_leaves_is_said(tennis):
    rows = [{"t": t, "c": c} for t, c in zip(range(6), "NNYYYN", strict=True)]
    text = ts.work(rows, "c", method="c45").text()
    assert "Pruned by Pessimistic" in text
    assert ": 2 leaves of 3 are left." in text


def test_averaging_is_said(tennis):
    assert "Answers are averaged over all prunings" in ts.work(tennis, "Play", method="tree").text()


def test_rows_that_do_not_count_equally_are_refused(tennis):
    with pytest.raises(ts.TallyError, match="counts every row once, and class_weight= is given"):
        ts.work(tennis, "Play", class_weight={"Yes": 2})
