"""What a small fit says of itself waits until somebody asks."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import pytest

import tallystick as ts


def rows_of(seed, rows=60, columns=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)) * 10.0 ** rng.integers(-6, 7, columns) + rng.integers(-3, 4, columns)
    y = (X[:, 0] / np.abs(X[:, 0]).max() + rng.normal(size=rows) * 0.5 > 0).astype(int)
    y[:2] = 0, 1
    return X, y


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
    rows = weakref.ref(model._profiled[0])
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
    assert (again.fit, again.errors, again.fit_stats.notes) == (
        known.model_.fit,
        known.model_.errors,
        known.model_.fit_stats.notes,
    )


def test_two_threads_that_ask_at_once_are_told_the_same():
    X, y = separated()
    stats = ts.LogisticRegression().fit(X, y).model_.fit_stats
    ask = type(stats).verdict.func  # without the place where its first answer is kept
    assert ask(stats) == ask(stats)
    assert ask(stats).kind
