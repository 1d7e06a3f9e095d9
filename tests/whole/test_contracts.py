"""The house is written against contracts.py: who keeps a contract has all of it (each suite asks its own),
and rooms that take a table ask for the contract's, wherever its rows lie.
"""

from __future__ import annotations

import pytest
from declared import Recorder, lacking, members

import tallystick as ts
from tallystick import contracts
from tallystick.bayes.learner import NaiveBayesLearner
from tallystick.engine import fit
from tallystick.judge.folds import deal
from tallystick.judge.run import cross_shares
from tallystick.table import table as table_room


@pytest.mark.parametrize("protocol", [contracts.Table, contracts.Source, contracts.Model, contracts.Learner])
def test_what_is_lacking_is_found(protocol):
    assert lacking(protocol, object()) == members(protocol)
    assert members(protocol)


def test_what_a_contract_builds_on_is_part_of_it():
    assert members(contracts.Heading) < members(contracts.Source)


class RecordedQuestions:
    """An engine that sums by zero, add and merge, over a table of two blocks, and records what is asked."""

    def __init__(self):
        self.asked: dict[str, set[str]] = {"question": set(), "block": set()}

    def total(self, table, question):
        recorded = Recorder(question, self.asked["question"])
        blocks = [Recorder(block, self.asked["block"]) for block in table.blocks()]
        return recorded.merge(*(recorded.add(recorded.zero(), block) for block in blocks))


def some_table(monkeypatch, **columns):
    monkeypatch.setattr(table_room, "BLOCK", 10)
    rows = {"c": ["u", "v"] * 10, "x": [i % 7 / 2 for i in range(20)], "y": ["p", "q", "q", "p"] * 5}
    return ts.NaiveBayes(kinds={"t": "text"} if columns else None)._read(rows | columns, "y")


def test_all_that_learners_engines_and_statistics_declare_is_asked_for(monkeypatch):
    asked, engine = {"learner": set(), "engine": set()}, RecordedQuestions()
    learner = Recorder(NaiveBayesLearner(ts.NaiveBayes()._options(), 1), asked["learner"])
    fit(learner, some_table(monkeypatch, t=["good film", "bad"] * 10), Recorder(engine, asked["engine"]))
    assert members(contracts.Learner) == asked["learner"]
    assert members(contracts.Engine) == asked["engine"]
    assert engine.asked["question"] == {"zero", "add", "merge"}


def test_learners_ask_blocks_for_nothing_that_is_not_declared(monkeypatch):
    engine = RecordedQuestions()
    for make in (ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression, ts.Scorecard):
        make(engine=engine)._fit_table(some_table(monkeypatch))
    ts.NaiveBayes(engine=engine)._fit_table(some_table(monkeypatch, t=["good film", "bad"] * 10))
    assert engine.asked["block"] - members(contracts.Block) == set()
    assert {"rows", "classes", "weights", "codes", "values", "words"} <= engine.asked["block"]


def test_methods_ask_tables_for_nothing_that_is_not_declared(monkeypatch):
    asked: set[str] = set()
    for make in (ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression, ts.Scorecard):
        table = Recorder(some_table(monkeypatch), asked)
        make()._fit_table(table)
        cross_shares(make(), table, deal(table, 2), None)
    assert asked - members(contracts.Table) == set()
    assert {"schema", "blocks", "take", "fingerprint", "row_hashes"} <= asked
