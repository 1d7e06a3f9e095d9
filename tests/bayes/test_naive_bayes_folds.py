"""Naive Bayes: folds, rows left out and learning curves from one pass have the bits of refitting."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from shared_tables import FOLDER, shared

import tallystick as ts
from tallystick.judge.folds import deal, one_out
from tallystick.judge.run import refit_shares

pytestmark = pytest.mark.slow

VOTES = Path(ts.__file__).parent / "examples" / "votes.csv"


REAL = {  # with the votes ten tables that others have learned from
    "iris/iris": "class",
    "glass/glass": "Type",
    "labor/labor": "class",
    "soybean/soybean": "class",
    "breast-cancer/breast-cancer": "Class",
    "zoo/zoo": "type",
    "wine/wine": "class",
    "haberman/haberman": "Survival_status",
    "lymphography/lymph": "class",
}


def tables():
    """Yield made tables with every kind of column, the votes, and nine more."""
    yield VOTES, "party"
    rng = np.random.default_rng(1)
    for seed in range(4):
        n = 60 + 17 * seed
        y = rng.integers(0, 2 + seed % 3, n)
        yield (
            pd.DataFrame(
                {
                    "a": rng.choice(list("pqrstuv"), n),
                    "b": np.where(rng.random(n) < 0.1, np.nan, rng.normal(y, 1.0)),
                    "c": rng.integers(0, 40, n),
                    "d": rng.random(n) < 0.3 + 0.2 * (y == 1),
                    "e": [" ".join(rng.choice(["aa", "bb", "cc", "dd", "ee"], 6)) for _ in range(n)],
                    "y": y,
                }
            ),
            "y",
        )
    if FOLDER:
        for name, target in REAL.items():
            yield shared(name), target


@pytest.mark.parametrize("options", [{}, {"distributions": "gaussian", "priors": "uniform"}, {"m": 0}])
def test_cross_validation_from_one_pass_gives_the_bits_of_refitting_each_fold(options):
    for data, target in tables():
        model = ts.NaiveBayes(**options)
        table = model._read(data, target)
        plan = deal(table, 5)
        np.testing.assert_array_equal(model._cross_shares(table, plan), refit_shares(model, table, plan))


def test_folds_too_large_to_be_summed_at_once_give_the_same_bits(monkeypatch):
    from tallystick.bayes import folds

    model = ts.NaiveBayes()
    table = model._read(VOTES, "party")
    plan = deal(table, 10)
    once = model._cross_shares(table, plan)
    monkeypatch.setattr(folds, "MOST_CELLS", 1)
    np.testing.assert_array_equal(model._cross_shares(table, plan), once)


def test_leave_one_out_from_one_pass_gives_the_bits_of_refitting():
    frame = pd.read_csv(VOTES, keep_default_na=False).iloc[::9]
    model = ts.NaiveBayes()
    table = model._read(frame, "party")
    plan = one_out(table)
    np.testing.assert_array_equal(model._cross_shares(table, plan), refit_shares(model, table, plan))
    result = ts.cross_validate(model, frame, "party", folds="leave-one-out")
    assert result.to_dict()["folds"] == len(plan.numbers)


@pytest.mark.parametrize("name", ["votes", "mixed"])
def test_a_learning_curve_from_added_counts_gives_the_bits_of_fitting_each_size(name):
    rng = np.random.default_rng(4)
    mixed = pd.DataFrame({"x": rng.normal(size=90).round(1), "l": rng.choice(list("pqrs"), 90)})
    mixed["say"] = [" ".join(rng.choice(["ann", "bob", "cy"], 2)) for _ in range(90)]
    mixed["y"] = np.where(mixed["x"] + rng.normal(size=90) > 0, "up", "down")
    kinds = {"say": "text"} if name == "mixed" else None
    model = ts.NaiveBayes(kinds=kinds)
    table = model._read(mixed, "y") if name == "mixed" else model._read(VOTES, "party")
    order = rng.permutation(table.rows)
    teach, test, sizes = order[30:], order[:30], [1, 4, 9, 33, table.rows - 30]
    grown = model._grow_shares(table, teach, test, sizes)
    labels = table.schema.target.labels
    for size, shares in zip(sizes, grown, strict=True):
        training = table.take(teach[:size])
        found = training.schema.target.labels
        if len(found) < 2:
            assert shares is None
            continue
        expected = np.zeros((30, len(labels)))
        fitted = ts.NaiveBayes(kinds=kinds)._fit_table(training)
        answers = fitted.model_.shares(next(table.take(test, training.schema).blocks()))
        expected[:, [labels.index(label) for label in found]] = answers
        np.testing.assert_array_equal(shares, expected)


def test_a_learning_curve_does_not_add_counts_that_its_budget_cannot_hold():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"x": rng.normal(size=90), "y": rng.choice(["up", "down"], 90)})
    table = ts.NaiveBayes(memory="32MB")._read(frame, "y")
    rows, sizes = np.arange(90), [10, 60]
    assert ts.NaiveBayes()._grow_shares(table, rows[30:], rows[:30], sizes) is not None
    table.budget = 4 * 3 * 8 * 60 * 2 * 2 - 1
    assert ts.NaiveBayes()._grow_shares(table, rows[30:], rows[:30], sizes) is None
    gaussian = ts.NaiveBayes(distributions="gaussian")  # needs sums alone, however many values there are
    assert gaussian._grow_shares(table, rows[30:], rows[:30], sizes) is not None


def test_folds_of_a_table_on_disk_are_refitted_where_its_budget_does_not_hold_their_counts():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"x": rng.normal(size=90), "l": rng.choice(list("pq"), 90)})
    frame["y"] = np.where(frame["x"] + rng.normal(size=90) > 0, "up", "down")
    model = ts.NaiveBayes(memory="32MB")
    table = model._read(frame, "y")
    plan = deal(table, 3)
    shares = model._cross_shares(table, plan)
    table.budget = 4 * 3 * 8 * 90 * 2 * 3 - 1
    assert shares is not None
    assert model._cross_shares(table, plan) is None
    assert ts.NaiveBayes(distributions="gaussian")._cross_shares(table, plan) is not None


def test_leave_one_out_with_chosen_readings_gives_the_bits_of_refitting():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"a": rng.normal(size=24).round(1), "b": rng.integers(0, 4, 24) * 0.5})
    frame["y"] = np.where(frame["a"] > 0, "up", "down")
    model = ts.NaiveBayes()
    table = model._read(frame, "y")
    plan = one_out(table)
    np.testing.assert_array_equal(model._cross_shares(table, plan), refit_shares(model, table, plan))
