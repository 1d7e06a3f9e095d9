"""All rows in memory: blocks, ranks, some of the rows, weights in units."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.schema import Column, Schema, Target
from tallystick.table import table as room
from tallystick.table.table import LocalTable as Table

SCHEMA = Schema(
    (Column("x", "numeric", low=1.0, high=3.0), Column("a", "levels", ("r", "s", "t"))),
    Target("y", ("no", "yes")),
)


def table(weights=None, unit=1):
    columns = {"x": np.array([3.0, 1.0, np.nan]), "a": np.array([0, 2, 3], np.uint8)}
    given = None if weights is None else np.array(weights, np.int64)
    return Table(SCHEMA, columns, 3, classes=np.array([0, 1, 1], np.uint8), weights=given, unit=unit)


def test_blocks_are_all_rows_in_slices_and_the_same_every_time(monkeypatch):
    monkeypatch.setattr(room, "BLOCK", 2)
    rows = table()
    blocks = list(rows.blocks())
    assert [b.rows for b in blocks] == [2, 1]
    assert blocks[1].codes("a").tolist() == [3]
    assert next(rows.blocks()) is blocks[0]
    assert rows.fingerprint == table().fingerprint


def test_a_weight_is_counted_in_units_and_rows_that_are_not_whole_are_one_each():
    assert (table().weight, table().row_unit) == (3, 1)
    assert (table([2, 0, 5]).weight, table([2, 0, 5]).row_unit) == (7, 1)
    parts = table([6, 4, 2], unit=4)  # one and a half, one, a half: three rows
    assert (parts.weight, parts.row_unit) == (12, 4)


def test_some_rows_know_nothing_of_the_others():
    part = table([2, 1, 1]).take(np.array([2, 1]))
    assert part.schema["a"].levels == ("t",)
    assert part.column("a").tolist() == [1, 0]
    assert (part.schema["x"].low, part.schema["x"].missing) == (1.0, 1)
    assert part.schema.target.labels == ("yes",)
    assert (part.weights.tolist(), part.kept.tolist()) == ([1, 1], [2, 1])


def test_rows_coded_by_another_schema_lose_classes_of_other_labels():
    other = Schema(SCHEMA.columns, Target("y", ("yes",)))
    assert table().take(np.array([0]), other).classes is None
    assert table().take(np.array([0]), SCHEMA).classes.tolist() == [0]


def test_rows_in_pieces_have_the_weights_that_are_given():
    part = table().split(np.array([0, 0, 2]), np.array([1, 2, 3]))
    assert (part.rows, part.weight) == (3, 6)
    assert part.schema == SCHEMA


@pytest.mark.parametrize("threads", [1, 2])
def test_ranks_are_found_once_for_each_numeric_column(threads):
    rows = table()
    rows.rank_all(threads)
    codes, distinct = rows.ranks("x")
    assert (codes.tolist(), distinct.tolist()) == ([1, 0, 2], [1.0, 3.0])
    assert rows.ranks("x")[0] is codes
    assert rows.number_codes("x", 9, 4)[0].tolist() == [1, 0, 2]


def test_answers_come_in_the_order_of_rows_and_hashes_tell_rows_apart():
    rows = table()
    assert np.concatenate(list(rows.answers(lambda b: b.codes("a").astype(float)))).tolist() == [0, 2, 3]
    assert len(set(rows.row_hashes().tolist())) == 3
    ((hashes, classes, weights),) = rows.unlabelled(lambda *part: part)
    assert (len(hashes), classes.tolist(), weights) == (3, [0, 1, 1], None)
