"""The published suites: what is right passes, and each fault is named."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import tallystick as ts
from tallystick import testing
from tallystick.bayes.learner import NaiveBayesLearner
from tallystick.contracts import Statistic
from tallystick.io.open import open_source
from tallystick.stats.class_counts import ClassValues

LEARNER = NaiveBayesLearner(ts.NaiveBayes()._options(), 1)


def test_parts_of_the_house_pass():
    testing.check_engine(ts.Local(2))
    testing.check_engine(testing.BlocksSummed())
    testing.check_learner(LEARNER)
    testing.check_method(ts.NaiveBayes)
    testing.check_statistic(ClassValues(("x", "visits"), 2), testing.small_table())
    testing.check_source(open_source(testing.small_rows()))


class Forgetful(testing.BlocksSummed):
    """It leaves the last block out, where there are many."""

    def total(self, table, question):
        blocks = list(table.blocks())
        return super().total(testing.BlockTable(table.schema, blocks[: max(3, len(blocks) - 1)]), question)


class Silent(testing.BlocksSummed):
    """It gives what it has where rows cannot be read."""

    def total(self, table, question):
        blocks, given = [], table.blocks()
        while True:
            try:
                blocks.append(next(given))
            except (StopIteration, OSError):
                return super().total(testing.BlockTable(table.schema, blocks), question)


@pytest.mark.parametrize(
    ("engine", "said"), [(Forgetful(), "BayesSums over blocks cut at"), (Silent(), "cannot be read raises")]
)
def test_an_engine_that_loses_rows_is_found(engine, said):
    with pytest.raises(AssertionError, match=said):
        testing.check_engine(engine)


@dataclass(frozen=True)
class FirstLabel(Statistic):
    """The class of the first row: it depends on the order."""

    def zero(self):
        return -1

    def add(self, total, block):
        return int(block.classes[0]) if total < 0 and block.rows else total

    def merge(self, total, other):
        return other if total < 0 else total


@dataclass(frozen=True)
class ByOrder:
    """A learner whose model tells the order of the rows."""

    def learn(self, schema):
        first = yield FirstLabel()
        model = yield from LEARNER.learn(schema)
        return replace(model, classes=model.classes + first)


def test_what_depends_on_the_order_of_rows_is_found():
    with pytest.raises(AssertionError, match="the total depends on it"):
        testing.check_statistic(FirstLabel(), testing.small_table())
    with pytest.raises(AssertionError, match="rows in another order: another model"):
        testing.check_learner(ByOrder(), testing.small_table(text=False).take(np.arange(20)))


class Unweighted(ts.NaiveBayes):
    """A method that does not look at weights."""

    def _read(self, X, y=None, sample_weight=None):
        return super()._read(X, y)


def test_a_method_that_breaks_a_law_is_found():
    with pytest.raises(AssertionError, match="a whole weight is not that many copies"):
        testing.check_method(Unweighted)


def test_a_source_that_gives_other_rows_the_second_time_is_found():
    class Once:
        def __init__(self, source):
            self.source, self.walks = source, 0

        def __getattr__(self, name):
            return getattr(self.source, name)

        def batches(self):
            self.walks += 1
            return self.source.batches() if self.walks == 1 else iter(())

    with pytest.raises(AssertionError, match="called again gives other rows"):
        testing.check_source(Once(open_source(testing.small_rows())))


def test_a_difference_is_named_by_its_place():
    assert testing.difference({"a": [1, np.zeros(2)]}, {"a": [1, np.zeros(2)]}) == ""
    assert testing.difference({"a": [1, np.zeros(2)]}, {"a": [1, np.ones(2)]}).startswith(
        "the total['a'][1] is"
    )
    assert testing.difference([1], [1, 2]) == "the total has 1 and 2 parts"
    assert testing.difference(1, 1.0) == "the total is a int and a float"
