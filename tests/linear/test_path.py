"""The strength of the prior by cross-validation."""

from __future__ import annotations

import numpy as np
import pytest
from logistic_tables import made

import tallystick as ts
from tallystick.engine import Local
from tallystick.io.open import open_source
from tallystick.linear import path
from tallystick.linear.path import PenaltyPath, drive, fold_losses, path_models, path_points
from tallystick.schema import ColumnOptions
from tallystick.table.reader import read_table


def test_the_best_strength_has_the_lowest_loss_and_of_equals_is_the_strongest():
    assert PenaltyPath((10.0, 1.0, 0.1), (0.5, 0.3, 0.4)).best == 1.0
    assert PenaltyPath((10.0, 1.0, 0.1), (0.5, 0.3, 0.3)).best == 1.0


def test_models_of_a_path_are_those_of_fits_one_by_one():
    X, y = made(1, rows=100)
    table = read_table(open_source(X), None, y)
    options = ts.LogisticRegression(l2=10.0)._options()
    for model, strength in zip(
        path_models(table, Local(1), options, (10.0, 0.1), table.unit), (10.0, 0.1), strict=True
    ):
        alone = ts.LogisticRegression(l2=strength).fit(X, y).model_
        np.testing.assert_allclose(model.constant, alone.constant, atol=1e-7)
        assert model.fit.l2 == strength
        assert model.errors == ()


@pytest.mark.slow
def test_a_path_that_keeps_its_curvature_ends_where_fits_one_by_one_do(monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.random((1_500, 120)) < 0.4
    y = X[:, :9].sum(axis=1) + rng.logistic(size=len(X)) > 3.6
    table = read_table(open_source({f"c{j}": np.where(c, "a", "b") for j, c in enumerate(X.T)}), None, y)
    options, strengths = ts.LogisticRegression(l2=10.0)._options(), (300.0, 10.0, 0.5)

    def models():
        return list(path_models(table, Local(1), options, strengths, table.unit))

    kept = models()
    monkeypatch.setattr(path, "COSTLY", np.inf)
    for one, alone in zip(kept, models(), strict=True):
        assert one.fit.iterations > alone.fit.iterations  # by gradients, with a curvature from before
        for mine, other in zip(one.parts, alone.parts, strict=True):
            np.testing.assert_allclose(mine.weights, other.weights, atol=1e-7)


def test_points_that_only_tell_which_strength_is_best_end_sooner_and_near():
    X, y = made(5, rows=300)
    table = read_table(open_source(X), None, y)
    options = ts.LogisticRegression(l2=10.0)._options()
    fine, rough = (
        list(path_points(table, Local(1), options, (10.0, 1.0, 0.1), table.unit, roughly))
        for roughly in (False, True)
    )
    assert sum(len(p.run.trace) for p in rough) < sum(len(p.run.trace) for p in fine)
    (block,) = table.blocks()
    for near, far in zip(rough, fine, strict=True):
        np.testing.assert_allclose(near.shares(block), far.shares(block), atol=1e-4)


@pytest.mark.parametrize("classes", [2, 3])
def test_one_weight_for_two_levels_answers_as_two_under_a_prior_do(classes):
    rng = np.random.default_rng(7)
    few = rng.integers(0, 2, (400, 6)) == 1
    cells = {f"c{j}": np.where(column, "a", "b").tolist() for j, column in enumerate(few.T)}
    cells["gap"] = [None if hole else v for hole, v in zip(rng.random(400) < 0.2, cells["c0"], strict=True)]
    cells["three"] = rng.choice(["u", "v", "w"], 400).tolist()
    y = (few[:, :3].sum(axis=1) + 0.8 * rng.logistic(size=400)).round().clip(1, classes).astype(int)
    table = read_table(open_source(cells | {"n": rng.random(400)}), None, y)
    options, strengths = ts.LogisticRegression(l2=10.0)._options(), (30.0, 3.0, 0.3)
    alike = list(path_points(table, Local(1), options, strengths, table.unit))
    fewer = list(path_points(table, Local(1), options, strengths, table.unit, roughly=True))
    (block,) = table.blocks()
    links = 1 if classes == 2 else classes
    for near, far in zip(fewer, alike, strict=True):
        assert len(far.point.w) - len(near.point.w) == 6 * links  # "gap" and "three" keep theirs
        np.testing.assert_allclose(near.shares(block), far.model.shares(block), atol=2e-4)
        np.testing.assert_allclose(near.shares(block), near.model.shares(block), atol=1e-12)


def test_shares_of_a_path_are_those_of_its_models_also_where_texts_are_read():
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 120)
    told = [" ".join(rng.choice(["good", "bad", "fine", "dull"], 4)) + (" yes" if v else " no") for v in y]
    table = read_table(open_source({"t": told, "n": rng.random(120)}), ColumnOptions(kinds={"t": "text"}), y)
    options, strengths = ts.LogisticRegression(l2=10.0)._options(), (10.0, 1.0)
    found = path_points(table, Local(1), options, strengths, table.unit, roughly=True)
    models = path_models(table, Local(1), options, strengths, table.unit)
    (block,) = table.blocks()
    for point, model in zip(found, models, strict=True):
        np.testing.assert_allclose(point.answering.shares(block), model.shares(block), atol=1e-3)


def test_the_loss_on_rows_left_out_is_minus_their_log_likelihood():
    X, y = made(2, rows=120)
    table = read_table(open_source(X), None, y)
    kept, gone = np.arange(80), np.arange(80, 120)
    options = ts.LogisticRegression(l2=100.0)._options()
    training, left_out = table.take(kept, table.schema), table.take(gone, table.schema)
    losses = fold_losses(training, left_out, Local(1), options, table.schema, table.unit)
    model = next(path_models(training, Local(1), options, (100.0,), table.unit))
    (block,) = left_out.blocks()
    own = model.log_shares(block)[np.arange(40), left_out.classes]
    assert losses[0] == pytest.approx(-own.sum(), rel=1e-3)


def test_a_generators_questions_are_answered_until_it_returns():
    def stages():
        first = yield "rows"
        second = yield "more"
        return first + second

    class Engine:
        def total(self, table, question):
            return [question, table]

    assert drive(stages(), "t", Engine()) == ["rows", "t", "more", "t"]
