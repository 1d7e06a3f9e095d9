"""Intervals of naive Bayes: those of refits without parts of the rows, in any order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tallystick as ts
from tallystick.bayes.estimator import PARTS
from tallystick.errors import DataError, OptionError
from tallystick.judge.folds import deal


def drawn(rows: int, seed: int) -> pd.DataFrame:
    """Rows whose columns go together given the class: b mostly repeats a, z follows x."""
    rng = np.random.default_rng(seed)
    yes = rng.random(rows) < 0.3
    a = np.where(rng.random(rows) < np.where(yes, 0.7, 0.4), "u", "v")
    b = np.where(rng.random(rows) < 0.7, a, "u")
    x = rng.normal(yes * 1.0, 1.0)
    z = x + rng.normal(0, 0.5, rows)
    return pd.DataFrame({"a": a, "b": b, "x": x, "z": z, "y": np.where(yes, "yes", "no")})


def width(found: np.ndarray) -> np.ndarray:
    """The width of intervals of the last class, in log-odds."""
    ends = np.log(found[:, -1] / (1 - found[:, -1]))
    return ends[:, 1] - ends[:, 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [{"distributions": "gaussian"}, {}, pytest.param({"calibrate": True}, marks=pytest.mark.slow)],
    ids=str,
)
def test_intervals_are_those_of_refits_without_each_part(settings):
    rows, new = drawn(160, 1), drawn(12, 2)
    model = ts.NaiveBayes(**settings).fit(rows, "y")
    found = model.inference(rows, level=0.9).predict_interval(new)
    table = model._read(rows, "y")
    odds = []
    for train, _ in deal(table, PARTS, by_class=False).parts():
        share = ts.NaiveBayes(**settings).fit(rows.iloc[train], "y").predict_proba(new)
        odds.append(np.log(share / (1 - share)))
    spread = np.sqrt((PARTS - 1) * np.var(odds, axis=0))
    middle = model.predict_proba(new)
    half = stats.t.ppf(0.95, PARTS - 1) * spread
    ends = np.log(middle / (1 - middle))[..., None] + np.stack([-half, half], axis=-1)
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-ends)), atol=1e-9)
    assert (found[..., 0] <= middle).all()
    assert (middle <= found[..., 1]).all()


@pytest.mark.slow
def test_a_column_that_stands_twice_is_not_taken_for_twice_the_rows():
    ratios = []
    for seed in range(12):  # parts are dealt by what rows hold, so each ratio is off by chance
        rows = drawn(300, seed)[["a", "y"]]
        model = ts.NaiveBayes(priors={"no": 0.5, "yes": 0.5})
        once = model.fit(rows, "y").inference(rows).predict_interval([{"a": "u"}])
        both = rows.assign(again=rows["a"])
        twice = model.fit(both, "y").inference(both).predict_interval([{"a": "u", "again": "u"}])
        ratios.append(float(width(twice)[0] / width(once)[0]))
    assert 1.75 < np.mean(ratios) < 2.3, "independent columns would give 1.41"


def test_of_one_column_it_is_about_the_interval_of_a_share():
    rows = drawn(2000, 4)[["a", "y"]]
    found = ts.NaiveBayes().fit(rows, "y").inference(rows).predict_interval([{"a": "u"}])
    own = rows[rows["a"] == "u"]["y"] == "yes"
    wide = 2 * 1.96 / np.sqrt(len(own) * own.mean() * (1 - own.mean()))
    assert float(width(found)[0]) == pytest.approx(wide, rel=0.3)


@pytest.mark.slow
def test_the_order_of_rows_does_not_matter_and_a_weight_is_copies():
    rows, new = drawn(150, 5), drawn(9, 6)
    model = ts.NaiveBayes().fit(rows, "y")
    found = model.inference(rows).predict_interval(new)
    assert np.array_equal(model.inference(rows.iloc[::-1]).predict_interval(new), found)
    weights = np.arange(150) % 3 + 1
    copies = rows.iloc[np.repeat(np.arange(150), weights)]
    heavy = ts.NaiveBayes().fit(rows, "y", sample_weight=weights)
    assert np.array_equal(
        heavy.inference(rows, sample_weight=weights).predict_interval(new),
        ts.NaiveBayes().fit(copies, "y").inference(copies).predict_interval(new),
    )


def test_other_rows_and_too_few_are_refused():
    rows = drawn(60, 7)
    model = ts.NaiveBayes().fit(rows, "y")
    with pytest.raises(DataError, match="not the rows of the fit"):
        model.inference(rows.head(59))
    with pytest.raises(OptionError, match="level must be"):
        model.inference(rows, level=95)
    few = pd.DataFrame({"a": ["u", "v", "u"], "y": ["no", "yes", "no"]})
    with pytest.raises(OptionError, match="3 rows cannot be left out in parts"):
        ts.NaiveBayes().fit(few, "y").inference(few)


@pytest.mark.night
@pytest.mark.parametrize("distributions", ["gaussian", "auto"])
def test_intervals_hold_what_many_rows_would_answer(distributions):
    new = drawn(40, 8)
    truth = ts.NaiveBayes(distributions=distributions).fit(drawn(100_000, 9), "y").predict_proba(new)
    held = []
    for seed in range(100):
        rows = drawn(300, 100 + seed)
        model = ts.NaiveBayes(distributions=distributions).fit(rows, "y")
        found = model.inference(rows).predict_interval(new)
        held.append((found[..., 0] <= truth) & (truth <= found[..., 1]))
    assert 0.90 < np.mean(held) < 0.99
