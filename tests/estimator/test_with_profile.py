"""What a model keeps of its training rows, where it is kept, and where it is not."""

from __future__ import annotations

import copy
import pickle
import weakref
from pathlib import Path

import pytest

import tallystick as ts
from tallystick.stats import profile

ROWS = [{"a": i % 5, "b": "uvw"[i % 3], "y": "ab"[(i % 5 > 2) ^ (i % 7 == 0)]} for i in range(60)]
OLD = Path(__file__).resolve().parents[1] / "files" / "v1"


def test_a_file_may_be_written_without_the_profile(tmp_path):
    model = ts.DecisionTree().fit(ROWS, "y")
    path = tmp_path / "m.tally.json"
    model.save(path, profile=False)
    loaded = ts.load(path)
    assert loaded.profile_ is None
    assert loaded.to_bytes() == model.to_bytes(profile=False)
    assert len(loaded.to_bytes()) < len(model.to_bytes())
    assert ts.verify(path, ROWS)
    assert not ts.verify(path, ROWS[1:])


def test_copies_and_pickles_have_the_profile():
    model = ts.NaiveBayes().fit(ROWS, "y")
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other.profile_.to_dict() == model.profile_.to_dict()


def test_a_model_of_version_1_stays_one_until_it_is_fitted_again():
    model = ts.load(OLD / "tree-plain.tally.json")
    assert model.profile_ is None
    assert pickle.loads(pickle.dumps(model)).to_bytes() == (OLD / "tree-plain.tally.json").read_bytes()
    assert b'"version":2' in model.fit(ROWS, "y").to_bytes()[:80]
    assert model.profile_ is not None


def test_counts_that_were_added_have_no_profile():
    def fit(rows):
        return ts.NaiveBayes(distributions="gaussian").fit(rows, "y")

    assert (fit(ROWS[:30]) + fit(ROWS[30:])).profile_ is None
    updated = fit(ROWS[:30]).update(ROWS[30:])
    assert updated.profile_ is None
    assert ts.verify(updated, ROWS)
    assert updated.to_bytes() == fit(ROWS).to_bytes(profile=False)


def test_a_pruned_tree_has_the_profile_of_a_fit_with_that_pruning():
    whole = ts.DecisionTree(average=False).fit(ROWS, "y")
    pruned = whole.prune("cost-complexity", alpha=0.01)
    assert (
        pruned.to_bytes() == ts.DecisionTree(average=False, pruning=pruned.pruning).fit(ROWS, "y").to_bytes()
    )


def test_a_loaded_tree_that_is_pruned_keeps_the_columns_and_no_answers():
    whole = ts.DecisionTree(average=False).fit(ROWS, "y")
    pruned = pickle.loads(pickle.dumps(whole)).prune("cost-complexity", alpha=0.01)
    assert pruned.profile_.answers is None
    assert len(pruned.profile_.columns) == 2
    assert ts.verify(pruned, ROWS)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tree", "bayes"])
def test_the_chosen_model_of_a_comparison_has_a_profile(method):
    found = ts.compare(ROWS, "y", methods=(method,), folds=3)
    assert found.model.profile_ is not None


def test_the_profile_is_that_of_the_model_as_it_was_learnt():
    plain, decided = ts.NaiveBayes().fit(ROWS, "y"), ts.NaiveBayes().fit(ROWS, "y")
    decided.set_decision(threshold=0.99, of="a")  # before anybody asked for a profile
    assert decided.profile_.to_dict() == plain.profile_.to_dict()


@pytest.mark.parametrize("memory", [None, "32MB"])
def test_a_profile_that_nobody_asks_for_is_not_taken(monkeypatch, memory):
    asked = []
    real = profile.profile_of
    monkeypatch.setattr(profile, "profile_of", lambda *given: asked.append(1) or real(*given))
    model = ts.NaiveBayes(memory=memory).fit(ROWS, "y")
    model.predict(ROWS)
    model.to_bytes(profile=False)
    assert not asked
    assert model.to_bytes() == model.to_bytes()
    assert len(asked) == 1


@pytest.mark.parametrize("memory", [None, "32MB"])
def test_rows_are_let_go_when_their_profile_is_taken(memory):
    model = ts.NaiveBayes(memory=memory).fit(ROWS, "y")
    rows = weakref.ref(model._profiled[0])
    assert rows() is not None
    assert model.profile_ is not None
    assert rows() is None


def test_an_engine_that_is_gone_is_not_asked_for_the_profile():
    class Remote:
        gone = False

        def total(self, table, question):
            assert not self.gone
            return ts.Local(1).total(table, question)

    rows = [{"a": i % 7, "b": "uvw"[i % 3], "y": "no" if i % 5 else "yes"} for i in range(60)]
    engine = Remote()
    model = ts.NaiveBayes(engine=engine).fit(rows, "y")
    engine.gone = True
    assert model.to_bytes() == ts.NaiveBayes().fit(rows, "y").to_bytes()
