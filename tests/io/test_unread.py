"""Rows that cannot be read travel with their reasons."""

from __future__ import annotations

import pyarrow as pa

from tallystick.io.csv_repair import carried, marked, unread

BATCH = pa.record_batch({"x": ["1", ""]})


def test_a_batch_says_which_rows_could_not_be_read_and_why():
    found = marked(BATCH, {1: 'line 3 has 1 cell, not "2"'})
    assert unread(found) == {1: 'line 3 has 1 cell, not "2"'}
    assert found.to_pydict() == BATCH.to_pydict()


def test_a_plain_batch_has_none_also_with_metadata_of_others():
    assert unread(BATCH) == {}
    assert unread(BATCH.replace_schema_metadata({"other": "x"})) == {}


def test_the_reasons_go_over_to_a_batch_made_of_the_same_rows():
    turned = pa.record_batch({"y": ["a", "b"]})
    assert unread(carried(turned, marked(BATCH, {0: "why"}))) == {0: "why"}
    assert carried(turned, BATCH) is turned
