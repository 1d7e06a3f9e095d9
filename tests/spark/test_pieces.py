"""Some of several equal rows: one stands for them, with their weight."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from tallystick.schema import Column, Schema, Target
from tallystick.spark.workers import (
    Facts,
    Once,
    OneOfEach,
    Weighed,
    repeated_keys,
    shared_keys,
    weight_by_key,
)
from tallystick.table.block import Hasher, unpack
from tallystick.table.block import RowBlock as Block

SCHEMA = Schema((Column("a", "levels", ("r", "s")),), Target("y", ("no", "yes")))
BLOCK = Block(4, {"a": np.array([0, 1, 1, 1], np.uint8)}, np.array([0, 1, 1, 1], np.uint8))


def facts(hashes, weights=None):
    given = None if weights is None else np.array(weights, np.int64)
    return Facts(np.array(hashes, np.uint64), None, None, given)


def told(arrays):
    return [a.tolist() for a in arrays]


def test_the_weight_of_a_content_is_that_of_all_its_rows():
    assert told(weight_by_key(facts([7, 3, 7]), 1)) == [[3, 7], [1, 2]]
    assert told(weight_by_key(facts([7, 3, 7], [5, 1, 1]), 4)) == [[3, 7], [1, 6]]


def test_what_is_there_twice_or_heavier_than_one_may_have_to_be_divided():
    assert repeated_keys(facts([7, 3, 7]), 1).tolist() == [7]
    assert repeated_keys(facts([7, 3], [1, 2]), 1).tolist() == [3]


def test_contents_are_taken_whole_or_in_part():
    whole, some, amounts = shared_keys(facts([3, 7, 7, 9]), facts([3, 7]), 1)
    assert told((whole, some, amounts)) == [[3], [7], [1]]


def test_one_row_of_each_content_is_left_and_weighs_what_is_taken():
    hashes = Hasher(SCHEMA).rows(BLOCK)
    keys = SimpleNamespace(value=np.sort(hashes[1:2]))
    pairs = [*OneOfEach(SCHEMA, keys, 8)([BLOCK]), *OneOfEach(SCHEMA, keys, 8)([BLOCK])]
    assert len(pairs) == 2
    (once,) = map(unpack, Once(SCHEMA)(pairs))
    assert (once.rows, once.codes("a").tolist()) == (1, [1])
    amounts = SimpleNamespace(value=(np.sort(hashes[1:2]), np.array([2])))
    (weighed,) = Weighed(SCHEMA, amounts)([once])
    assert weighed.weights.tolist() == [2]
