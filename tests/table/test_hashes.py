"""Content hashes of rows: no order of rows or columns means anything, and every value does."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from tallystick.schema import Column, Schema, Target
from tallystick.table import block as hashes
from tallystick.table.block import ConflictsAmong, Hasher, WordCounts, conflicts, equal_together
from tallystick.table.block import RowBlock as Block
from tallystick.table.table import LocalTable as Table

X, A = Column("x", "numeric"), Column("a", "levels", ("r", "s"))
SCHEMA = Schema((X, A), Target("y", ("no", "yes")))


def block(x, a, y, weights=None):
    given = None if weights is None else np.array(weights, np.int64)
    return Block(
        len(x), {"x": np.array(x, float), "a": np.array(a, np.uint8)}, np.array(y, np.uint8), weights=given
    )


def test_equal_rows_have_equal_hashes_and_any_difference_shows():
    found = Hasher(SCHEMA).rows(block([1, 1, 2, 1, 1], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]))
    assert found[0] == found[1]
    assert len(set(found.tolist())) == 4


def test_the_order_of_columns_and_the_codes_of_levels_mean_nothing():
    turned = Schema((Column("a", "levels", ("q", "r", "s")), X), SCHEMA.target)
    assert Hasher(SCHEMA).rows(block([5], [1], [0])) == Hasher(turned).rows(block([5], [2], [0]))


def test_a_value_under_another_name_is_another_value():
    other = Schema((Column("z", "numeric"), A), SCHEMA.target)
    renamed = Block(1, {"z": np.array([5.0]), "a": np.array([1], np.uint8)}, np.array([0], np.uint8))
    assert Hasher(SCHEMA).rows(block([5], [1], [0])) != Hasher(other).rows(renamed)


def test_the_fingerprint_adds_over_rows_and_weights_are_copies():
    hasher = Hasher(SCHEMA)
    both = hasher.total(block([1, 2], [0, 1], [0, 1]))
    assert both == (hasher.total(block([1], [0], [0])) + hasher.total(block([2], [1], [1]))) % 2**128
    assert hasher.total(block([1], [0], [0], [3])) == 3 * hasher.total(block([1], [0], [0])) % 2**128


def test_few_texts_are_hashed_as_many_are(monkeypatch):
    texts = ("", "a", "b", "Ä", "a\0b")
    few = hashes._hash_texts(texts, (3, 4))
    monkeypatch.setattr(hashes, "FEW_TEXTS", 0)
    many = hashes._hash_texts(texts, (3, 4))
    assert few.tolist() == many.tolist()
    assert few.flags.c_contiguous
    assert many.flags.c_contiguous


def test_words_count_as_often_as_they_stand():
    schema = Schema((Column("t", "text", words=("pie", "tea")),))
    starts, words = np.array([0, 1, 2]), np.array([0, 0], np.uint32)
    rows = Block(2, {"t": WordCounts(starts, words, np.array([1, 2], np.uint32))})
    assert len(set(Hasher(schema).rows(rows).tolist())) == 2


def test_equal_rows_of_different_classes_are_counted_with_those_that_are_lost():
    classes = np.array([0, 1, 1, 0, 1], np.uint8)
    columns = {"x": np.array([1.0, 1.0, 1.0, 2.0, 3.0]), "a": np.zeros(5, np.uint8)}
    found = conflicts(Table(SCHEMA, columns, 5, classes=classes))
    assert (found.rows, found.lost, found.total) == (3.0, 1.0, 5.0)
    weighed = Table(SCHEMA, columns, 5, classes=classes, weights=np.array([9, 1, 1, 1, 1]))
    assert conflicts(weighed).lost == 2.0


@pytest.mark.slow
@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("different", [1, 5_000])
def test_conflicts_of_parts_are_those_of_all_rows_and_equal_rows_take_no_memory(weighed, different):
    rng, rows, unit = np.random.default_rng(0), 1_000_000, 4
    hashes = rng.integers(0, 2**64, different, np.uint64)[rng.integers(0, different, rows)]
    classes = rng.integers(0, 2, rows).astype(np.uint8)
    weights = rng.integers(0, 9, rows) if weighed else None
    work = ConflictsAmong(2, unit)
    (whole,) = (work(*part) for part in equal_together(hashes, classes, weights, unit, 0))
    tracemalloc.start()
    try:
        parts = [work(*part) for part in equal_together(hashes, classes, weights, unit, 1 << 22)]
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
    finally:
        tracemalloc.stop()
    assert len(parts) > 1
    assert tuple(map(sum, zip(*parts, strict=True))) == whole
    assert whole.rows == whole.total > whole.lost > 0
