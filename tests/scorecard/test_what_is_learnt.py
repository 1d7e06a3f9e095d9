"""What a card learns: finite points, no useless columns, pairs where they act together, wishes kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick as ts
from tallystick.errors import TargetError

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::tallystick.TallyWarning")]


def table(rows=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: rng.normal(size=rows) for name in ("a", "b", "c")})
    X["sky"] = rng.choice(["sun", "rain", "snow"], rows)
    score = 1.5 * X["a"] + np.sin(2 * X["b"]) + (X["sky"] == "sun")
    return X, np.where(score + rng.logistic(size=rows) > 0.3, "yes", "no")


def columns(model):
    return [part.columns for part in model.model_.parts]


def test_points_are_finite_where_a_range_gives_the_class():
    model = ts.Scorecard().fit(pd.DataFrame({"x": np.arange(24) + 0.25}), np.arange(24) > 11)
    assert model.predict(pd.DataFrame({"x": [0.0, 23.0]})).tolist() == [False, True]
    assert model.model_.step == 20
    assert max(abs(int(p)) for part in model.model_.parts for p in part.points.ravel()) < 1_000


def test_columns_that_say_nothing_leave_the_card():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"told": rng.normal(size=1_000), **{f"n{i}": rng.normal(size=1_000) for i in range(4)}})
    y = np.where(X["told"] + 0.5 * rng.logistic(size=1_000) > 0, "yes", "no")
    model = ts.Scorecard(pairs=0).fit(X, y)
    assert ("told",) in columns(model)
    assert len(columns(model)) <= 3
    assert any(note.code == "no-points" for note in model.notes_)


def test_two_columns_that_act_only_together_are_a_pair():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({name: rng.choice(["u", "v"], 600) for name in ("p", "q", "r")})
    y = np.where((X["p"] == X["q"]) ^ (rng.random(600) < 0.05), "yes", "no")
    model = ts.Scorecard().fit(X, y)
    assert ("p", "q") in columns(model)
    assert (model.predict(X) == y).mean() > 0.9
    assert not any(len(c) == 2 for c in columns(ts.Scorecard(pairs=0).fit(X, y)))


@pytest.mark.parametrize("way", ["rising", "falling"])
def test_points_only_rise_or_fall_also_after_rounding(way):
    X, y = table()
    model = ts.Scorecard(monotone={"b": way}, pairs=0).fit(X, y)
    for part in model.model_.parts:
        if part.columns == ("b",):
            known = part.points[:-1, 0]
            assert (np.diff(known) * (1 if way == "rising" else -1) >= 0).all()


def test_no_more_lines_and_columns_than_wished():
    X, y = table()
    model = ts.Scorecard(max_lines=3, max_columns=2).fit(X, y)
    singles = [part for part in model.model_.parts if len(part.columns) == 1]
    assert len(singles) <= 2
    assert all(len(part.points) <= 3 + 2 for part in singles)
    assert ("a",) in columns(model)


WISHES = {
    "max_lines": st.integers(1, 6),
    "max_columns": st.integers(1, 3),
    "ranges": st.integers(2, 12),
    "pairs": st.integers(0, 3),
    "points_to_double": st.integers(1, 30),
    "l2": st.sampled_from([0.01, 0.1, 1.0, 10.0, 100.0]),
    "class_weight": st.just("balanced"),
}


def log_loss_beyond_the_shares(model, X, y, weights):
    """Return the log-loss per row of the model minus that of the class shares."""
    of_class = [model.classes_.tolist().index(label) for label in y]
    own = model.predict_proba(X)[np.arange(len(y)), of_class]
    shares = np.bincount(of_class, weights) / weights.sum()
    return float((weights * (np.log(shares[of_class]) - np.log(own))).sum() / weights.sum())


@given(
    wishes=st.fixed_dictionaries({}, optional=WISHES),
    classes=st.integers(2, 6),
    rows=st.sampled_from([10, 30, 100]),
    noise=st.sampled_from([0.0, 0.1, 1.0, 5.0]),
    seed=st.integers(0, 10_000),
)
def test_no_wish_makes_a_card_that_is_worse_than_the_class_shares(wishes, classes, rows, noise, seed):
    rng = np.random.default_rng(seed)
    told = rng.normal(size=rows)
    X = pd.DataFrame({"number": told + noise * rng.normal(size=rows), "few": np.round(told)})
    X["level"] = [f"v{v:.0f}" for v in 2 * told + noise * rng.normal(size=rows)]
    y = np.array([f"c{i}" for i in np.argsort(np.argsort(told)) * classes // rows])
    model = ts.Scorecard(**wishes).fit(X, y)
    weights = np.ones(rows)
    if "class_weight" in wishes:
        weights /= np.unique(y, return_counts=True)[1][np.unique(y, return_inverse=True)[1]]
    assert log_loss_beyond_the_shares(model, X, y, weights) < 0.002 + 1e-9  # what whole points may cost


@pytest.mark.parametrize("most", [2, 3, 4])
def test_three_bands_of_a_number_are_told_apart_by_few_lines(most):
    X, y = pd.DataFrame({"x": np.arange(30) + 0.5}), np.repeat(["low", "middle", "high"], 10)
    model = ts.Scorecard(max_lines=most).fit(X, y)
    assert (model.predict(X) == y).mean() > (0.6 if most == 2 else 0.95)


def test_a_given_strength_is_kept_and_one_can_be_chosen_by_folds():
    X, y = table(150)
    weak, strong = (ts.Scorecard(l2=l2, pairs=0).fit(X, y) for l2 in (0.1, 1_000.0))

    def size(model):
        return sum(int(np.abs(part.points).max()) for part in model.model_.parts)

    assert size(strong) < size(weak)
    assert any(n.code == "prior-chosen" for n in ts.Scorecard(l2="cv", pairs=0).fit(X, y).notes_)


def test_fewer_rows_than_lines_and_many_levels():
    X, y = table(12)
    assert np.isfinite(ts.Scorecard().fit(X, y).predict_proba(X)).all()
    level = np.concatenate([np.arange(2_000) % 400, np.repeat(np.arange(30), 5)])  # common ones stand alone
    many = pd.DataFrame({"l": [f"level {i}" for i in level]})
    told = np.where(level < 30, "yes", "no")
    model = ts.Scorecard().fit(many, told)
    assert (model.predict(many) == told).all()


def test_a_row_of_weight_0_is_no_row():
    X, y = table(200)
    weights = (np.arange(200) % 3 > 0).astype(float)
    with_none = ts.Scorecard().fit(X, y, sample_weight=weights)
    assert with_none.to_bytes() == ts.Scorecard().fit(X[weights > 0], y[weights > 0]).to_bytes()
    with pytest.raises(TargetError):
        ts.Scorecard().fit(X, y, sample_weight=(y == "yes").astype(float))


def test_another_population_moves_the_base_alone():
    X, y = table()
    here = ts.Scorecard().fit(X, y)
    there = ts.Scorecard(population={"yes": 0.1, "no": 0.9}).fit(X, y)
    assert there.model_.base[0] < here.model_.base[0]
    for a, b in zip(here.model_.parts, there.model_.parts, strict=True):
        assert (a.points == b.points).all()


def test_words_of_a_text_have_points():
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(["good", "bad", "tea", "late", "here"], 4)) for _ in range(300)]
    y = np.array(["yes" if "good" in t and "bad" not in t else "no" for t in texts])
    model = ts.Scorecard(kinds={"t": "text"}).fit(pd.DataFrame({"t": texts}), y)
    assert (model.predict(pd.DataFrame({"t": texts})) == y).mean() > 0.9
