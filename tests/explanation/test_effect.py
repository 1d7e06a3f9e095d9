"""The effect of one column: only the column changes, and the average is that of asking row by row."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import OptionError

METHODS = {
    "tree": ts.DecisionTree,
    "optimal tree": lambda: ts.DecisionTree.optimal(max_depth=2),
    "naive Bayes": ts.NaiveBayes,
    "logistic regression": ts.LogisticRegression,
    "scorecard": ts.Scorecard,
    "rule list": ts.RuleList,
    "rule set": ts.RuleSet,
}


def rows(count=120, seed=3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x, sky = rng.normal(0, 1, count), rng.choice(["sun", "rain", "fog"], count)
    y = np.where(x + (sky == "sun") + rng.normal(0, 1, count) > 0.8, "yes", "no")
    table = pd.DataFrame({"x": np.round(x, 1), "sky": sky, "y": y})
    table.loc[::15, "sky"] = None
    return table


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_the_mean_is_that_of_asking_with_the_value_in_every_row(name):
    table = rows()
    model = METHODS[name]().fit(table, "y")
    for column in (
        c for c in ("x", "sky") if name != "rule set" or c in [u.name for u in model.schema_.used]
    ):
        found = model.effect(column, table)
        assert found.label == "yes"
        for p in found.points[:: 4 if column == "x" else 1]:
            value = None if p.value == "(missing)" else p.number if column == "x" else p.value
            asked = table.drop(columns="y").assign(**{column: value})
            shares = model.predict_proba([dict(r) for r in asked.to_dict("records")])[:, 1]
            assert p.mean == pytest.approx(shares.mean(), abs=1e-12)
            if name == "scorecard":  # it knows how sure it is
                ends = model.predict_interval([dict(r) for r in asked.to_dict("records")])[:, 1]
                assert (p.low, p.high) == pytest.approx(tuple(ends.mean(axis=0)), abs=1e-12)
                assert "how sure the model is" in " ".join(str(found).split())
            else:
                assert p.low == pytest.approx(np.percentile(shares, 10), abs=1e-12)
                assert "80 of 100 rows" in " ".join(str(found).split())
            assert p.low <= p.high
        assert sum(p.rows for p in found.points) == 120


def test_levels_come_in_their_order_with_missing_last():
    found = ts.NaiveBayes().fit(rows(), "y").effect("sky", rows(), of="no")
    assert [p.value for p in found.points] == ["fog", "rain", "sun", "(missing)"]
    assert [p.rows for p in found.points][-1] == 8
    told = str(found)
    assert "The mean probability of no over 120 rows" in " ".join(told.split())
    assert max(map(len, told.splitlines())) <= 80
    assert found.picture().startswith("<svg")
    assert found.to_dict()["points"][0]["value"] == "fog"


def test_numbers_are_drawn_with_their_band():
    found = ts.LogisticRegression().fit(rows(), "y").effect("x", rows())
    means = [p.mean for p in found.points]
    assert means == sorted(means)
    assert len(means) <= 27
    assert found.exact
    assert "its effect is exact" in " ".join(str(found).split())
    assert sum(found.bars) <= 120
    assert found.ends[0] < found.ends[1]
    assert found.picture().startswith("<svg")


def test_what_cannot_be_told_is_refused_in_one_line():
    model = ts.NaiveBayes().fit(rows(), "y")
    with pytest.raises(OptionError, match=r"no column 'skey'\. Did you mean 'sky'\?"):
        model.effect("skey", rows())
    with pytest.raises(OptionError, match="maybe"):
        model.effect("sky", rows(), of="maybe")
    with pytest.raises(OptionError, match="average over rows, and there are none"):
        model.effect("sky", rows()[:0])


def test_an_effect_is_called_exact_only_where_the_column_does_the_same_in_every_row():
    table = rows(400)
    table["y"] = np.where((table.x > 0) ^ (table.sky == "sun"), "yes", "no")
    assert not ts.DecisionTree().fit(table, "y").effect("x", table).exact
    for model in (ts.NaiveBayes(), ts.LogisticRegression()):
        found = model.fit(table, "y").effect("sky", table)
        assert found.exact
    assert "average over them" in str(ts.DecisionTree().fit(table, "y").effect("x", table))


def test_a_model_of_numbers_has_effects_too():
    table = rows().assign(y=lambda t: 3.0 * t.x + (t.sky == "sun"))
    tree, linear = (m().fit(table, "y") for m in (ts.RegressionTree, ts.LinearRegression))
    found = linear.effect("x", table)
    assert found.exact
    steps = np.diff([p.mean for p in found.points]) / np.diff([p.number for p in found.points])
    assert steps == pytest.approx(np.full(len(steps), steps[0]))
    assert tree.effect("sky", table).of_number


def test_a_column_of_mostly_one_number_is_asked_along_its_axis():
    rng = np.random.default_rng(5)
    x = np.where(rng.random(400) < 0.92, 0.0, np.round(rng.uniform(1, 1000, 400)))
    table = pd.DataFrame({"x": x, "y": np.where(x > 500, "yes", "no")})
    found = ts.LogisticRegression().fit(table, "y").effect("x", table)
    numbers = [p.number for p in found.points]
    assert len(numbers) >= 11
    assert set(numbers) <= set(x)
    assert sum(p.rows for p in found.points) == 400
    low, high = np.quantile(x, [0.01, 0.99], method="inverted_cdf")
    assert np.diff([n for n in numbers if low <= n <= high]).max() < 0.3 * (high - low)


IN_STEPS = {
    **{name: METHODS[name] for name in ("tree", "optimal tree", "scorecard", "rule list", "rule set")},
    "naive Bayes, binned": lambda: ts.NaiveBayes(distributions="binned"),
    "tree of every test": lambda: ts.DecisionTree.id3(),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_STEPS)
def test_a_model_of_cuts_is_asked_between_them_and_answers_each_step_alike(name):
    table = rows()
    table.loc[::7, "x"] = 40.0  # far from the others: no quantile lies between
    table["y"] = np.where((table.x > 1) | (table.x < -1), "yes", "no")
    table.loc[::11, "y"] = "no"
    model = IN_STEPS[name]().fit(table, "y")
    found = model.effect("x", table)
    points = found.points
    assert (points[0].start, points[-1].end) == (-np.inf, np.inf)
    assert all(a.end == b.start for a, b in pairwise(points))
    assert sum(p.rows for p in points) == 120
    assert len(points) > 1
    for p in points:
        for x in (p.start, np.nextafter(p.end, -np.inf)):
            if np.isfinite(x):
                asked = table.drop(columns="y").assign(x=x)
                assert p.mean == pytest.approx(model.predict_proba(asked)[:, 1].mean(), abs=1e-12)


def test_of_very_many_cuts_those_are_drawn_where_the_rows_lie():
    rng = np.random.default_rng(3)
    x = np.sort(rng.exponential(1, 600)).round(5)
    table = pd.DataFrame({"x": x, "y": np.where(np.arange(600) % 2, "yes", "no")})
    model = ts.DecisionTree.id3().fit(table, "y")
    found = model.effect("x", table)
    assert 30 <= len(found.points) <= 60
    assert sum(p.rows for p in found.points) == 600
    assert all(p.start <= p.number < p.end for p in found.points)
