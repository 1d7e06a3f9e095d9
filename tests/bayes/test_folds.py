"""Naive Bayes on rows it has not seen, from one pass: the bits that refitting each fold gives."""

from __future__ import annotations

import numpy as np
import pytest
from tables import mixed

import tallystick as ts
from tallystick.bayes import folds
from tallystick.bayes.folds import calibrated, fold_models, grown_answers
from tallystick.bayes.learner import NaiveBayesLearner, question
from tallystick.engine import Local
from tallystick.judge.folds import deal
from tallystick.judge.run import fold_shares, refit_shares


def asked():
    model = ts.NaiveBayes(distributions={"x": "gaussian"})
    table = model._read(mixed(60), "y")
    return model, table, question(NaiveBayesLearner(model._options(), table.unit), table.schema)


def shares(model, rows):
    return np.concatenate([model.shares(block) for block in rows.blocks()])


@pytest.mark.parametrize("most", [folds.MOST_CELLS, 1])
def test_the_model_of_a_fold_is_that_of_the_other_rows(monkeypatch, most):
    monkeypatch.setattr(folds, "MOST_CELLS", most)
    _, table, ask = asked()
    plan = deal(table, 3)
    found = dict(fold_models(ask, table, plan, Local(1)))
    assert list(found) == [0, 1, 2]
    for f, one in found.items():
        train, _ = plan.part(f)
        assert (
            one.to_dict()
            == ts.NaiveBayes(distributions={"x": "gaussian"})._fit_table(table.take(train)).model_.to_dict()
        )


def test_answers_out_of_fold_are_those_of_refits_to_the_bit():
    model, table, _ = asked()
    plan = deal(table, 4)
    assert model._cross_shares(table, plan).tolist() == refit_shares(model, table, plan).tolist()


def test_growing_subsets_are_answered_as_refits_answer_them():
    _, table, ask = asked()
    train, test = np.arange(40), np.arange(40, 60)
    found = grown_answers(ask, table, train, test, [10, 40], shares)
    for size, own in zip((10, 40), found, strict=True):
        assert (
            own.tolist()
            == fold_shares(ts.NaiveBayes(distributions={"x": "gaussian"}), table, train[:size], test).tolist()
        )


def test_a_subset_of_one_class_is_left_to_others():
    rows = {"a": ["u", "v"] * 10, "y": ["p"] * 10 + ["q"] * 10}
    model = ts.NaiveBayes()
    table = model._read(rows, "y")
    ask = question(NaiveBayesLearner(model._options(), table.unit), table.schema)
    found = grown_answers(ask, table, np.arange(20), np.array([0, 19]), [5, 20], shares)
    assert found[0] is None
    assert found[1].shape == (2, 2)


def test_calibration_does_not_depend_on_threads():
    model, table, _ = asked()
    fitted = model._fit_table(table).model_
    one, two = (calibrated(fitted, table, Local(n), n).calibration for n in (1, 2))
    assert one == two
    assert one.slope > 0
