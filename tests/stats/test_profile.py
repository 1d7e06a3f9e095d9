"""The sums of a profile are those of the rows, however the rows are cut."""

from __future__ import annotations

import numpy as np
import pytest

import tallystick as ts
from tallystick.density.learner import CellEnds
from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.model.profile import STEPS
from tallystick.schema import ColumnOptions
from tallystick.stats.profile import ANSWERS, TARGET, AnswerCounts, Instead
from tallystick.table.reader import read_table


def fitted(weights=None):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = np.where(x[:, 0] + rng.normal(size=300) > 0, "b", np.where(x[:, 1] > 0, "a", "c"))
    model = ts.NaiveBayes().fit(x, y, sample_weight=weights)
    return model, read_table(open_source(x), ColumnOptions(), y, weights), x


@pytest.mark.parametrize("weights", [None, np.arange(300) % 3])
def test_answers_are_counted_as_the_model_gives_them(weights):
    model, table, x = fitted(weights)
    total = Local(1).total(table, AnswerCounts(model.model_, 3))
    own = np.ones(300, int) if weights is None else weights
    shares, answers = model.predict_proba(x), model.predict(x)
    for place, label in enumerate(model.classes_):
        assert total.given[place] == own[answers == label].sum()
        steps = np.minimum((shares[:, place] * STEPS).astype(int), STEPS - 1)
        wanted = [own[steps == step].sum() for step in range(STEPS)]
        assert total.shares.reshape(3, STEPS)[place].tolist() == wanted
    assert total.classes.sum() == own.sum()


def test_many_classes_are_counted_a_few_rows_at_a_time(monkeypatch):
    from tallystick.stats import profile

    model, table, _ = fitted()
    whole = Local(1).total(table, AnswerCounts(model.model_, 3))
    monkeypatch.setattr(profile, "ROWS", 21)
    for one, two in zip(Local(1).total(table, AnswerCounts(model.model_, 3)), whole, strict=True):
        assert one.tolist() == two.tolist()


def test_a_model_of_many_classes_is_asked_a_few_rows_at_a_time(monkeypatch):
    from tallystick.stats import profile

    model, table, _ = fitted()
    rows, shares = [], type(model.model_).shares
    monkeypatch.setattr(type(model.model_), "shares", lambda m, b: rows.append(b.rows) or shares(m, b))
    monkeypatch.setattr(profile, "ROWS", 21)
    Local(1).total(table, AnswerCounts(model.model_, 3))
    assert sum(rows) == 300
    assert max(rows) == 7


def test_a_regression_shows_its_target_and_its_answers_as_numbers():
    rows = [{"x": i % 7, "y": float(i % 7) ** 2} for i in range(70)]
    model = ts.RegressionTree().fit(rows, "y")
    table = read_table(open_source(rows), ColumnOptions(), "y", regression=True)
    ends = Local(1).total(table, Instead(model.model_, CellEnds((TARGET, ANSWERS), ((), ()))))
    found = model.predict(rows)
    assert [(e[0, 0], -e[1, 0]) for e in ends] == [(0.0, 36.0), (found.min(), found.max())]
