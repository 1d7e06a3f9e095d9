"""Every part that keeps a contract has all that the contract declares."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick import contracts
from tallystick.data.read.reader import read_to_disk
from tallystick.data.source import open_source
from tallystick.learners.naive_bayes import NaiveBayesLearner
from tallystick.stats.bayes import Ask, BayesSums

ROWS = {"c": ["u", "v"] * 5, "y": ["p", "q"] * 5}


def lacking(protocol, thing):
    """What a Protocol declares, those it builds on included, and a thing does not have."""
    declared = set()
    for base in protocol.__mro__:
        if base.__module__ == contracts.__name__:
            declared |= {n for n in vars(base) if not n.startswith("_")}
    return {name for name in declared if not hasattr(thing, name)}


@pytest.mark.parametrize("make", [ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression])
def test_models_have_all_of_their_contract(make):
    assert lacking(contracts.Model, make().fit(ROWS, "y").model_) == set()


def test_tables_in_memory_and_on_disk_have_all_of_theirs():
    here = ts.NaiveBayes()._read(ROWS, "y")
    disk = read_to_disk(open_source(ROWS), 1 << 26, target="y")
    for table, place in ((here, "memory"), (disk, "disk")):
        assert lacking(contracts.Table, table) == set()
        assert table.place == place
        assert lacking(contracts.Block, next(iter(table.blocks()))) == set()
    disk.release()


def test_sources_have_all_of_theirs(tmp_path):
    (tmp_path / "rows.csv").write_text("c,y\nu,p\nv,q\n")
    for given in (ROWS, tmp_path / "rows.csv", [{"c": "u", "y": "p"}]):
        assert lacking(contracts.Source, open_source(given)) == set()


def test_engines_learners_and_statistics_have_all_of_theirs():
    model = ts.NaiveBayes()
    assert lacking(contracts.Engine, ts.Local()) == set()
    assert lacking(contracts.Learner, NaiveBayesLearner(model._options(), 1)) == set()
    assert lacking(contracts.Statistic, BayesSums((Ask("c", "codes", 2),), 2)) == set()


def test_what_is_lacking_is_found():
    assert "blocks" in lacking(contracts.Table, object())
    assert "name" in lacking(contracts.Source, object())
