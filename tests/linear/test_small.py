"""A small fit by one question has the bits of the long way; what it tells waits until somebody asks."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick.engine.local import Local
from tallystick.stats.design_sums import SmallFit, SmallWeights

CANNOT = {
    "l1": {"l1": 0.5},
    "no prior": {"l2": 0.0},
    "class weights": {"class_weight": "balanced"},
    "products": {"interactions": 2},
    "squares": {"polynomial": 2},
    "no constant": {"fit_intercept": False},
    "another solver": {"solver": "lbfgs"},
    "few steps": {"max_iter": 3},
    "firth": {"firth": True, "l2": "auto"},
    "an offset": {"offset": "x1"},
}


class Asked:
    """An engine that keeps the answers to small fits; `quick=False`: one that has none."""

    def __init__(self, quick=True):
        self.quick, self.found = quick, []

    def total(self, table, question):
        if isinstance(question, SmallFit):
            self.found.append(Local(1).total(table, question) if self.quick else question.zero())
            return self.found[-1]
        return Local(1).total(table, question)


def rows_of(seed, rows=60, columns=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-6, 7, columns) + rng.integers(-3, 4, columns)
    y = (X[:, 0] / np.abs(X[:, 0]).max() + rng.normal(size=rows) * 0.5 > 0).astype(int)
    y[:2] = 0, 1
    return X, y


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(3, 300),
    st.integers(1, 9),
    st.sampled_from([1e-3, 1.0, 50.0]),
    st.booleans(),
)
def test_one_question_has_the_bytes_of_the_long_way(seed, rows, columns, l2, standardize):
    X, y = rows_of(seed, rows, columns)
    one, long = Asked(), Asked(quick=False)
    quick = ts.LogisticRegression(l2=l2, standardize=standardize, engine=one).fit(X, y)
    slow = ts.LogisticRegression(l2=l2, standardize=standardize, engine=long).fit(X, y)
    if one.found:  # columns that are left out or levels may leave nothing to ask
        assert isinstance(one.found[0], SmallWeights)
    assert quick.to_bytes() == slow.to_bytes()
    assert quick.notes_ == slow.notes_


def test_columns_that_repeat_others_are_told_after_one_question():
    X, y = rows_of(3)
    X = np.column_stack([X, X[:, 0] * 2])
    engine = Asked()
    model = ts.LogisticRegression(l2=1.0, engine=engine).fit(X, y)
    assert isinstance(engine.found[0], SmallWeights)
    assert [note.code for note in model.notes_] == ["collinear"]


@pytest.mark.parametrize("why", CANNOT)
def test_what_one_question_cannot_say_is_asked_the_long_way(why):
    X, y = rows_of(7)
    engine = Asked()
    settings = {"l2": 1.0, "engine": engine} | CANNOT[why]
    if why == "few steps":
        with pytest.warns(ts.TallyWarning, match="did not converge"):
            ts.LogisticRegression(**settings).fit(X, y)
    else:
        ts.LogisticRegression(**settings).fit(X, y)
    assert engine.found == []


@pytest.mark.parametrize("change", ["missing", "three classes", "levels", "weights"])
def test_other_rows_go_the_long_way(change):
    X, y = rows_of(11)
    engine, weights = Asked(), None
    if change == "missing":
        X[3, 1] = np.nan
    elif change == "three classes":
        y = np.arange(len(y)) % 3
    elif change == "levels":
        X[:, 2] = np.arange(len(y)) % 2
    else:
        weights = np.arange(len(y)) % 3
    model = ts.LogisticRegression(l2=1.0, engine=engine).fit(X, y, weights)
    assert not any(isinstance(found, SmallWeights) for found in engine.found)
    long = ts.LogisticRegression(l2=1.0, engine=Asked(quick=False)).fit(X, y, weights)
    assert model.to_bytes() == long.to_bytes()


def separated():
    X, _ = rows_of(5, 80, 3)
    X = X - np.median(X, axis=0)
    return X, (X[:, 0] + X[:, 1] * 1e-9 > 0).astype(int)


@pytest.mark.parametrize("l2", [1.0, "auto"])
def test_what_is_told_later_is_of_the_rows_of_the_fit(l2):
    X, y = separated()
    before = ts.LogisticRegression(l2=l2).fit(X, y)
    known = before.to_bytes(), before.notes_, before.model_.errors
    assert [note.code for note in before.notes_] == ["separation"]
    after = ts.LogisticRegression(l2=l2).fit(X, y)
    X[:], y[:] = 0.0, 1
    assert (after.to_bytes(), after.notes_, after.model_.errors) == known


def test_classes_are_looked_at_only_when_somebody_asks(monkeypatch):
    from tallystick.linear import learner

    looked, real = [], learner.probe
    monkeypatch.setattr(learner, "probe", lambda *given: looked.append(1) or real(*given))
    X, y = separated()
    for l2 in (1.0, "auto"):
        model = ts.LogisticRegression(l2=l2).fit(X, y)
        model.predict(X)
        assert not looked
        assert model.notes_
        assert model.to_bytes() == model.to_bytes()
        assert len(looked) == 1
        looked.clear()


@pytest.mark.slow
def test_rows_are_let_go_when_all_is_told():
    X, y = separated()
    model = ts.LogisticRegression(l2=1.0).fit(X, y)
    rows = weakref.ref(model._untaken.table)
    model.to_bytes()
    gc.collect()
    assert rows() is None


def test_a_label_of_one_class_is_an_error_as_before():
    with pytest.raises(ts.TallyError, match="one class"):
        ts.LogisticRegression(l2=1.0).fit(np.arange(40.0).reshape(20, 2) % 7, np.zeros(20, int))


@pytest.mark.parametrize("l2", [1.0, "auto"])
def test_a_pickled_model_tells_what_it_would_have_told_and_holds_no_rows(l2):
    X, y = separated()
    model, known = (ts.LogisticRegression(l2=l2).fit(X, y) for _ in range(2))
    stored = pickle.dumps(model.model_)
    assert np.ascontiguousarray(X[:, 0]).tobytes() not in stored
    again = pickle.loads(stored)
    assert (again.fit, again.errors, again.told.notes) == (
        known.model_.fit,
        known.model_.errors,
        known.model_.told.notes,
    )


def test_two_threads_that_ask_at_once_are_told_the_same():
    X, y = separated()
    told = ts.LogisticRegression().fit(X, y).model_.told
    ask = type(told).verdict.func  # without the place where its first answer is kept
    assert ask(told) == ask(told)
    assert ask(told).kind
