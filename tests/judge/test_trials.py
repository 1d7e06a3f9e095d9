"""Trials of a comparison: settings answered together are settings answered alone."""

from __future__ import annotations

import numpy as np
import pytest
from far_rows import weighed_rows
from tables import mixed

import tallystick as ts
from tallystick.io import scratch
from tallystick.judge import folds as large
from tallystick.judge.api import candidates_of, compare_read, settings
from tallystick.judge.compare import (
    Candidate,
    Trials,
    Watch,
    families,
    labels_of,
    loss_of,
)
from tallystick.judge.crossval import FoldOptions
from tallystick.judge.folds import Dealing
from tallystick.judge.run import answer, answer_settings, fresh


@pytest.mark.slow
@pytest.mark.parametrize("family", ["tree", "bayes", "logistic"])
def test_settings_answered_together_answer_as_each_alone(family):
    table = {"tree": ts.DecisionTree, "bayes": ts.NaiveBayes, "logistic": ts.LogisticRegression}[
        family
    ]()._read(mixed(), "y")
    training = table.take(np.arange(0, 160))
    tested = table.take(np.arange(160, 240), training.schema)
    each = [e for _, e in settings(family, {})]
    together = list(answer_settings(each, training, tested, ("no", "yes")))
    assert len(together) == len(each) <= 8
    for setting, shares in zip(each, together, strict=True):
        alone = answer(fresh(setting)._fit_table(training), training, tested, ("no", "yes"))
        assert np.allclose(shares, alone, rtol=0, atol=0 if family != "logistic" else 1e-5), setting


def test_methods_of_one_family_and_class_are_fitted_together():
    tree, deep = ts.DecisionTree(), ts.DecisionTree(max_depth=2)
    each = [
        Candidate("tree", "tree", (("", tree),)),
        Candidate("bayes", "bayes", (("", ts.NaiveBayes()),)),
        Candidate("tree, tuned", "tree", (("", deep), ("", tree))),
        Candidate("theirs", "other", (("", object()),)),
        Candidate("also theirs", "other", (("", ts.NaiveBayes()),)),
    ]
    assert families(each) == [[0, 2], [1], [3], [4]]


@pytest.mark.parametrize("target", ["y", "z"])
def test_losses_of_rows_with_weights_are_those_of_their_copies(target):
    reader = ts.NaiveBayes() if target == "y" else ts.LinearRegression()
    many = np.random.default_rng(2).integers(1, 9, 60)
    rows = weighed_rows(45).drop_columns(["x", "y" if target == "z" else "z"])
    shares = np.random.default_rng(3).dirichlet([1, 2], 60)
    again, told = np.repeat(np.arange(60), many), []
    for data, weights, own in ((rows, many, shares), (rows.take(again), None, shares[again])):
        table = reader._read(data, target, weights)
        told.append(loss_of(table, np.arange(table.rows), own))
    assert told[0] == told[1]


def test_every_row_is_answered_once_and_an_equal_setting_leaves_the_earlier():
    rows = {"x": ["u", "v"] * 20, "y": ["p", "q"] * 20}
    table = ts.NaiveBayes()._read(rows, "y")
    same = (("first", ts.NaiveBayes()), ("second", ts.NaiveBayes()))
    plan = Dealing().outer(table, 4)
    trials = Trials([Candidate("bayes", "bayes", same)], table, Dealing(), plan)
    for at in range(len(trials.jobs)):
        trials.finished(trials.one(at))
    assert trials.done.tolist() == plan.fold.tolist()
    assert trials.settings() == [0]
    assert np.allclose(trials.shares[0].sum(axis=1), 1.0)


def test_losses_are_summed_by_weight():
    table = ts.NaiveBayes()._read({"x": ["u", "v"], "y": ["p", "q"]}, "y", [1, 2])
    shares = np.array([[0.5, 0.5], [0.75, 0.25]])
    assert loss_of(table, np.array([0, 1]), shares) == table.unit * (np.log(2) + 2 * np.log(4))
    line = ts.RegressionTree()._read({"x": [1.0, 2.0], "y": [3.0, 5.0]}, "y", [2, 1])
    assert loss_of(line, np.array([0, 1]), np.array([[1.0], [5.0]])) == 8.0 * line.unit


@pytest.mark.slow
@pytest.mark.parametrize("family", ["tree", "bayes", "logistic", "regression"])
def test_answers_to_more_rows_than_memory_holds_lie_on_disk_and_have_the_same_losses(family, monkeypatch):
    rows = mixed()
    if family == "regression":
        rows = rows | {"y": np.arange(len(rows["y"]), dtype=float)}
    each = [estimator for _, estimator in settings(family, {})][:3]
    monkeypatch.setattr(large, "STEP", 7)
    losses = []
    for memory in None, "32MB":
        monkeypatch.setattr(large, "is_large", lambda table, there=memory: there is not None)
        table = fresh(each[0]).set_params(memory=memory)._read(rows, "y")
        training, test = table.take(np.arange(0, 160)), np.arange(160, 240)
        answers = list(answer_settings(each, training, table.take(test, training.schema), labels_of(table)))
        assert [scratch.on_disk(shares) for shares in answers] == [memory is not None] * len(each)
        losses.append([loss_of(table, test, shares) for shares in answers])
    assert losses[0] == losses[1]


def test_scores_arrive_fold_by_fold_and_end_as_those_of_the_comparison():
    rows = [{"sky": "sr"[i % 2], "wind": i % 5, "play": "ny"[(i % 2) ^ (i % 7 == 0)]} for i in range(60)]
    table, told = ts.NaiveBayes()._read(rows, "play"), []
    found = compare_read(
        table,
        FoldOptions.of(4, None, None),
        candidates_of(("bayes", "tree"), False, {}),
        watch=Watch(None, told.append),
    )
    counts = [scores[0][1] for scores in told if scores]
    assert counts == sorted(counts)
    assert counts[-1] == 60
    for name, _, right, loss in told[-1]:
        entry = found[name].result
        assert right == pytest.approx(entry.measure("accuracy").value)
        assert loss == pytest.approx(entry.measure("log-loss").value)
