"""The counts of a description for rows that are elsewhere are those of the same rows here."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.data.schema import Wishes
from tallystick.description.elsewhere import OneClass, Told
from tallystick.engines.local import Local
from tallystick.stats.bayes import Ask, BayesSums

ROWS = {
    "c": ["u", "v", None, "u"],
    "n": [1.5, 2.5, None, 1.5],
    "t": ["red sun", "blue sun", "red", ""],
    "y": ["p", "q", "p", "q"],
}
KINDS = {"c": "levels", "n": "numeric", "t": "text"}


def test_rows_without_a_target_are_counted_as_one_class():
    table = ts.NaiveBayes(kinds=KINDS)._read(ROWS, "y")
    asked = OneClass(BayesSums((Ask("c", "codes", 2),), 1))
    total = Local().total(table, asked)
    assert total[""].tolist() == [4]
    merged = asked.merge(Local().total(table, asked), asked.zero())
    assert {name: part.tolist() for name, part in merged.items()} == {
        name: part.tolist() for name, part in total.items()
    }


@pytest.mark.slow
def test_counts_of_rows_on_spark_are_those_counted_by_hand(spark):
    from tallystick.engines.spark.read import read_frame

    frame = spark.createDataFrame(
        list(zip(*ROWS.values(), strict=True)), "c string, n double, t string, y string"
    )
    table = read_frame(frame, Wishes(kinds=KINDS), "y")
    try:
        told = Told(table)
        assert told.class_counts().tolist() == [2, 2]
        assert told.ranks("n")[1].tolist() == [1.5, 2.5]
        assert told.counts_of(told.schema["c"]).tolist() == [[1, 1], [0, 1], [1, 0]]
        assert told.counts_of(told.schema["n"]).tolist() == [[1, 1], [0, 1], [1, 0]]
        words = told.counts_of(told.schema["t"])
        assert told.schema["t"].words == ("blue", "red", "sun")
        assert words.tolist() == [[0, 1], [2, 0], [1, 1], [0, 1], [2, 2]]
        found = told.conflicts()
        assert (found.rows, found.lost) == (0.0, 0.0)
    finally:
        table.release()
    assert np.array_equal(
        ts.describe(frame, "y", kinds=KINDS)["c"].gain, ts.describe(ROWS, "y", kinds=KINDS)["c"].gain
    )
