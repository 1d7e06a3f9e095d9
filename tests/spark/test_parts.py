"""Some of the rows of a table on Spark, as its workers find them: by what rows hold."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from tallystick.schema import Column, Schema, Target
from tallystick.spark.workers import (
    AnsweredPart,
    ChosenRows,
    Facts,
    FactsOf,
    FactsSent,
    OnFacts,
    Picked,
    Recoded,
    joined_facts,
    some_rows,
)
from tallystick.table.block import ConflictsAmong, Hasher
from tallystick.table.block import RowBlock as Block

OLD = Schema((Column("a", "levels", ("r", "s")),), Target("y", ("no", "yes")))
NEW = Schema((Column("a", "levels", ("s",)),), Target("y", ("no", "yes")))
BLOCK = Block(4, {"a": np.array([0, 1, 1, 2], np.uint8)}, np.array([0, 1, 1, 0], np.uint8))


def chosen(keys):
    return ChosenRows(SimpleNamespace(value=np.sort(np.asarray(keys, np.uint64))), OLD)


def test_facts_of_blocks_are_joined_and_equal_rows_have_equal_hashes():
    facts = joined_facts(list(FactsOf(OLD)([BLOCK, BLOCK])))
    assert facts.classes.tolist() == [0, 1, 1, 0] * 2
    assert facts.weights is None
    assert len(set(facts.hashes.tolist())) == 3
    bare = next(iter(FactsOf(OLD, labelled=False)([BLOCK])))
    assert bare.hashes[0] != facts.hashes[0]
    assert len(joined_facts([]).hashes) == 0


def test_equal_rows_without_their_class_go_to_one_task():
    rows = Block(4, {"a": np.array([0, 1, 1, 0], np.uint8)}, np.array([0, 1, 0, 0], np.uint8))
    sent = [one for block in (rows, BLOCK) for one in FactsSent(OLD, 2)([block])]
    found = []
    for task in (0, 1):
        found += OnFacts(ConflictsAmong(2, 1))([one for one in sent if one[0] == task])
    assert [sum(each) for each in zip(*found, strict=True)] == [4.0, 1.0, 8.0]  # s: three of yes, one of no
    assert list(OnFacts(ConflictsAmong(2, 1))([])) == []


def test_facts_of_some_rows_have_the_classes_of_another_target():
    facts = next(iter(FactsOf(OLD)([BLOCK]))).take(np.array([1, 0]))
    other = facts.recoded(OLD.target, Target("y", ("yes", "no")))
    assert other.classes.tolist() == [0, 1]
    assert isinstance(other, Facts)


def test_equal_rows_are_picked_all_or_none():
    hashes = Hasher(OLD).rows(BLOCK)
    (picked,) = Picked(chosen([hashes[1]]), weighed=True)([BLOCK])
    assert picked.codes("a").tolist() == [1, 1]
    assert picked.weights.tolist() == [1, 1]
    assert list(Picked(chosen([]))([BLOCK])) == []


def test_rows_in_the_codes_of_another_schema_are_unseen_where_it_does_not_know_them():
    assert some_rows(BLOCK, np.array([0, 1, 3]), OLD, NEW).codes("a").tolist() == [2, 0, 1]
    assert Recoded(OLD, NEW)(BLOCK).codes("a").tolist() == [2, 0, 0, 1]


def test_equal_rows_are_answered_once():
    work = AnsweredPart(None, OLD, OLD, lambda block: block.codes("a").astype(float))
    ((keys, answers),) = work([BLOCK])
    assert (len(keys), sorted(answers.tolist())) == (3, [0.0, 1.0, 2.0])
