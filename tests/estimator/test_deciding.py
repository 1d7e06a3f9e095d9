"""A decision kept with a model: labels change, probabilities do not, and whoever answers answers by it."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import OptionError, TallyError
from tallystick.model.decision import decide

COSTS = {"yes": {"no": 6}, "no": {"yes": 1}}
METHODS = {
    "tree": ts.DecisionTree,
    "tree with costs": lambda: ts.DecisionTree(costs={"no": {"yes": 9}}),
    "optimal tree": lambda: ts.DecisionTree.optimal(max_depth=2),
    "naive Bayes": ts.NaiveBayes,
    "logistic regression": ts.LogisticRegression,
    "scorecard": ts.Scorecard,
    "rule list": ts.RuleList,
    "rule set": ts.RuleSet,
}
every = pytest.mark.parametrize("name", METHODS)


def rows(count=240, seed=3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x, sky = rng.normal(0, 1, count), rng.choice(["sun", "rain", "fog"], count)
    y = np.where(x + (sky == "sun") + rng.normal(0, 1.2, count) > 1, "yes", "no")
    return pd.DataFrame({"x": np.round(x, 2), "sky": sky, "y": y})


def fitted(name):
    return METHODS[name]().fit(rows(), "y")


@pytest.mark.slow
@every
def test_a_decision_changes_labels_and_no_probability(name):
    model, new = fitted(name), rows(seed=4)
    before, shares = model.predict(new), model.predict_proba(new)
    model.set_decision(costs=COSTS)
    assert model.predict_proba(new).tobytes() == shares.tobytes()
    want = model.classes_[decide(shares, np.array([[0.0, 1.0], [6.0, 0.0]]))]
    assert model.predict(new).tolist() == want.tolist()
    assert (want == "yes").sum() > (before == "yes").sum()
    assert model.clear_decision().predict(new).tolist() == before.tolist()
    assert model.decision_ is None


@pytest.mark.slow
@every
def test_whoever_asks_answers_by_the_decision(name, tmp_path):
    model = fitted(name).set_decision(threshold=0.2, of="yes")
    new = rows(seed=4)[["x", "sky"]]
    want = model.predict(new).tolist()
    assert [model.predict_one(row) for row in new.to_dict("records")[:40]] == want[:40]
    for k in range(12):
        told = model.explain(new.iloc[k].to_dict())
        assert told.to_dict()["answer"] == want[k]
        assert "yes is answered above 0.2" in str(told)
    model.save(tmp_path / "m.tally.json")
    loaded = ts.load(tmp_path / "m.tally.json")
    for again in (loaded, pickle.loads(pickle.dumps(model))):
        assert again.decision_ == model.decision_
        assert again.predict(new).tolist() == want
        assert again.to_bytes() == model.to_bytes()
    assert "answers yes where its probability is above 0.2, else no" in " ".join(str(model).split())
    row = new.iloc[want.index("no") if "no" in want else 0].to_dict()
    for change in model.counterfactuals(row, "yes").found:
        assert change.answer == "yes"


@pytest.mark.slow
@every
def test_a_model_with_a_decision_verifies_and_differs_from_the_one_without(name):
    bare, model = fitted(name), fitted(name).set_decision(costs=COSTS)
    assert ts.verify(model, rows(), "y").same
    assert str(ts.diff(bare, model)).startswith(
        "decision changed from the most probable class to the class of least expected cost"
    )
    assert str(ts.diff(model, bare)).splitlines()[0].endswith(" to the most probable class")
    assert not ts.diff(model, fitted(name).set_decision(costs=COSTS))
    moved = ts.diff(model, fitted(name).set_decision(threshold=0.4, of="yes"))
    assert "decision changed from" in str(moved)


def test_a_new_fit_begins_without_a_decision():
    model = fitted("logistic regression").set_decision(costs=COSTS)
    assert model.fit(rows(seed=9), "y").decision_ is None


def test_naive_bayes_keeps_its_decision_when_rows_come_and_go():
    own = {"x": "gaussian"}
    model = ts.NaiveBayes(distributions=own).fit(rows(), "y").set_decision(costs=COSTS)
    bytes_before = model.to_bytes(profile=False)
    model.update(rows(60, 8), "y")
    assert model.decision_ is not None
    model.forget(rows(60, 8), "y")
    assert model.to_bytes(profile=False) == bytes_before
    more = rows(20, 5)
    more["y"] = "perhaps"
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.update(more, "y")
    assert model.decision_ is None
    assert "the classes changed, so the decision" in str(said[-1].message)


def test_pruning_looks_at_the_tree_and_not_at_the_decision():
    bare = ts.DecisionTree(average=False).fit(rows(), "y")
    decided = ts.DecisionTree(average=False).fit(rows(), "y").set_decision(costs=COSTS)
    for how in ("cost-complexity", "pessimistic"):
        want, found = bare.prune(how), decided.prune(how)
        assert found.decision_ == decided.decision_
        assert found.clear_decision().to_bytes() == want.to_bytes()
    assert decided.decision_ is not None


def test_classes_that_are_numbers_are_meant_as_users_write_them():
    frame = rows()
    frame["y"] = (frame["y"] == "yes").astype(int)
    model = ts.LogisticRegression().fit(frame, "y")
    for of in (1, "1", 1.0):
        assert model.set_decision(threshold=0.2, of=of).decision_.of == "1"
    assert model.set_decision(costs={1: {0: 3}}).decision_.costs == ((0.0, 1.0), (3.0, 0.0))


def test_three_classes_are_answered_by_the_least_expected_cost():
    rng = np.random.default_rng(1)
    x = rng.normal(0, 1, 300)
    frame = pd.DataFrame(
        {"x": x, "y": np.array(["a", "b", "c"])[np.digitize(x + rng.normal(0, 1, 300), [-0.5, 0.5])]}
    )
    model = ts.NaiveBayes().fit(frame, "y")
    model.set_decision(costs={"c": {"a": 20, "b": 4}})
    table = np.array([[0, 1, 1], [1, 0, 1], [20, 4, 0.0]])
    shares = model.predict_proba(frame)
    assert model.predict(frame).tolist() == model.classes_[(shares @ table).argmin(axis=1)].tolist()
    with pytest.raises(OptionError, match="a threshold is for two classes"):
        model.set_decision(threshold=0.5, of="a")


def test_what_makes_no_sense_is_refused_and_nothing_is_set():
    model = fitted("logistic regression")
    for wish in ({}, {"threshold": 2, "of": "yes"}, {"costs": {"maybe": {"no": 1}}}, {"threshold": 0.3}):
        with pytest.raises(OptionError):
            model.set_decision(**wish)
        assert model.decision_ is None
    with pytest.raises(TallyError, match="not fitted"):
        ts.LogisticRegression().set_decision(threshold=0.3, of="yes")


def test_judging_by_a_threshold_answers_by_it():
    plain = ts.cross_validate(ts.LogisticRegression(), rows(), "y", folds=4)
    low = ts.cross_validate(ts.LogisticRegression(), rows(), "y", folds=4, threshold=0.2)
    named = ts.cross_validate(ts.LogisticRegression(), rows(), "y", folds=4, threshold={"yes": 0.2})
    assert plain.scores.positive == "yes"
    assert low.shares.tobytes() == plain.shares.tobytes()
    assert low.answered.tolist() == named.answered.tolist() == (plain.shares[:, 1] > 0.2).astype(int).tolist()
    point = plain.scores.thresholds(at=[0.2]).points[0]
    assert low.scores.confusion.tolist() == [[point.cleared, point.alarms], [point.missed, point.found]]
    found = ts.compare(rows(), "y", methods=["logistic"], tuned=False, folds=4, threshold=0.2)
    assert found["logistic regression"].result.answered.tolist() == low.answered.tolist()
    with pytest.raises(OptionError, match="cost and threshold both decide"):
        ts.cross_validate(ts.LogisticRegression(), rows(), "y", cost=COSTS, threshold=0.2)
