"""Answers of fitted models on a device, through its twin: the shares of the processor, bit for bit."""

from __future__ import annotations

import copy
import warnings

import numpy as np
import pandas as pd
import pytest
from gpu_twin import There, twin

import tallystick as ts
from tallystick.engines.gpu import Gpu
from tallystick.errors import DataError

MODELS = {
    "tree": ts.DecisionTree,
    "logistic": ts.LogisticRegression,
    "gaussian": lambda **own: ts.NaiveBayes(distributions="gaussian", **own),
    "bins": lambda **own: ts.NaiveBayes(distributions="binned", alpha=0, **own),
    "card": ts.Scorecard,
}


@pytest.fixture(autouse=True)
def few_rows_too(monkeypatch):
    monkeypatch.setattr("tallystick.engines.gpu.predict.FEW", 0)


def matrix(rows=300, seed=0):
    out = np.random.default_rng(seed).normal(size=(rows, 4))
    out[::7, 1] = np.nan
    return out


def fitted(name, classes=2):
    """A model, and the same that answers on the device."""
    X = matrix()
    rng = np.random.default_rng(1)
    known = X[:, 0] + 2 * np.nan_to_num(X[:, 1], nan=0.5)
    y = (known + rng.normal(size=len(X)) > 0) * 1 + rng.integers(0, classes - 1, len(X))
    here = MODELS[name]().fit(X, y)
    return here, copy.deepcopy(here).set_params(engine=Gpu())


def both(there, X):
    with twin() as device:
        return there.predict_proba(X), there.predict(X), device


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", list(MODELS))
def test_shares_and_classes_are_the_processors(name, classes):
    here, there = fitted(name, classes)
    X = np.concatenate([matrix(seed=5), 20 * matrix(seed=6)])
    given = [X, X.astype(np.float32), np.asfortranarray(X), X[::2], X[:, ::-1][:, ::-1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for Z in [*given, pd.DataFrame(X, columns=["x0", "x1", "x2", "x3"])]:
            shares, labels, device = both(there, Z)
            assert len(device.launched) == 2
            assert shares.tobytes() == here.predict_proba(Z).tobytes()
            assert labels.tolist() == here.predict(Z).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("columns", [3, 4, 8])
@pytest.mark.parametrize("name", ["tree", "gaussian", "logistic"])
def test_cells_come_by_fours_or_one_by_one(name, columns):
    rng = np.random.default_rng(columns)
    X = rng.normal(size=(1003, columns))
    y = X[:, 0] + X[:, -1] > rng.normal(size=len(X))
    here = MODELS[name]().fit(X, y)
    there = copy.deepcopy(here).set_params(engine=Gpu())
    room = np.empty(X.size + 1)
    askew = room[1:].reshape(X.shape)  # does not begin at a multiple of 16 bytes, or the other does not
    room[0], askew[...] = 0.5, X
    for Z in (
        X,
        X.astype(np.float32),
        X.view(There),
        askew.view(There),
        room[:-1].reshape(X.shape).view(There),
    ):
        shares, labels, _ = both(there, Z)
        assert shares.tobytes() == here.predict_proba(np.array(Z)).tobytes()
        assert labels.tolist() == here.predict(np.array(Z)).tolist()
    wrong = X.copy()
    wrong[1002, 0] = -np.inf
    with twin(), pytest.raises(DataError, match="row 1,003 holds '-inf'"):
        there.predict(wrong)


@pytest.mark.parametrize("name", ["tree", "gaussian", "logistic"])
def test_rows_that_lie_on_the_device_are_not_copied(name):
    here, there = fitted(name)
    X = matrix(2000, 7)
    plain = both(there, X)[2].sent
    for Z, copied in ((X, 0), (np.asfortranarray(X), 0)):
        shares, labels, device = both(there, Z.view(There))
        assert device.sent <= plain - X.nbytes + copied
        assert shares.tobytes() == here.predict_proba(X).tobytes()
        assert labels.tolist() == here.predict(X).tolist()


def test_rows_that_do_not_fit_come_in_parts():
    here, there = fitted("card")
    X = matrix(1000, 8)
    for Z in (X, X.view(There)):
        with twin(memory=9000) as device:
            found = there.predict_proba(Z)
        assert len(device.launched) > 2
        assert found.tobytes() == here.predict_proba(X).tobytes()


@pytest.mark.slow
def test_a_decision_a_calibration_and_a_regression_are_answered_too():
    X = matrix()
    y = (X[:, 0] > np.random.default_rng(2).normal(size=len(X))).astype(int)
    for name in ("tree", "logistic", "gaussian", "card"):
        here, there = fitted(name)
        here.set_decision(threshold=0.2, of=1)
        there.set_decision(threshold=0.2, of=1)
        assert both(there, X)[1].tolist() == here.predict(X).tolist()
    here = ts.NaiveBayes(distributions="gaussian", calibrate=True).fit(X, y)
    there = copy.deepcopy(here).set_params(engine=Gpu())
    assert both(there, X)[0].tobytes() == here.predict_proba(X).tobytes()
    numbers = ts.RegressionTree().fit(X, X[:, 0] * 2 + 1)
    with twin() as device:
        found = copy.deepcopy(numbers).set_params(engine=Gpu()).predict(X)
    assert device.launched == ["answer_tree"]
    assert found.tobytes() == numbers.predict(X).tobytes()


def test_what_has_no_kernel_or_is_infinite_is_answered_by_the_processor():
    here, there = fitted("gaussian")
    X = matrix()
    X[3, 2] = np.inf
    for Z in (X, X.view(There)):
        with twin() as device, pytest.raises(DataError, match="row 4 holds 'inf'"):
            there.predict(Z)
        assert device.launched
        with twin():
            assert there.predict(Z, lenient=True).tolist() == here.predict(X, lenient=True).tolist()
    frame = pd.DataFrame(matrix(), columns=list("abcd"))
    frame["s"] = np.resize(["u", "v", "w"], len(frame))
    words = ts.DecisionTree(engine=Gpu())
    with twin() as device:
        words.fit(frame, np.resize([0, 1, 1, 0, 1], len(frame)))
        device.launched.clear()
        words.predict(frame)
        assert device.launched == []


def test_values_outside_the_range_of_the_fit_are_warned_of_as_on_the_processor():
    here, there = fitted("tree")
    X = 50 * matrix()
    with pytest.warns(UserWarning, match="outside the range") as wanted:
        here.predict(X)
    for Z in (X, X.view(There)):
        with twin(), pytest.warns(UserWarning, match="outside the range") as found:
            there.predict(Z)
        assert [str(w.message) for w in found] == [str(w.message) for w in wanted]


def test_few_rows_are_not_copied(monkeypatch):
    monkeypatch.setattr("tallystick.engines.gpu.predict.FEW", 301)
    assert both(fitted("tree")[1], matrix())[2].launched == []


@pytest.mark.filterwarnings("ignore:column")
def test_a_row_that_every_class_rules_out_has_the_prior():
    X = matrix()
    X[:, 2] = X[:, 0]
    here = ts.NaiveBayes(distributions="binned", alpha=0).fit(X, X[:, 0] > 0)
    there = copy.deepcopy(here).set_params(engine=Gpu())
    X[::2, 2] *= -1
    shares = both(there, X)[0]
    assert shares.tobytes() == here.predict_proba(X).tobytes()
    assert (shares == here.model_.calibrated.shares(here.model_.additive.base[None])[0]).all(1).sum() > 100
