"""A card from awkward tables and contradictory wishes: a clear answer or one line, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import DataError, OptionError, TallyError, TargetError
from tallystick.estimator.base import from_data
from tallystick.io import scratch
from tallystick.scorecard import learner

pytestmark = pytest.mark.filterwarnings("ignore::tallystick.errors.TallyWarning")
N = 60
GOOD = {
    "x": [i % 7 + 0.5 for i in range(N)],
    "w": ["abc"[i % 3] for i in range(N)],
    "y": ["pq"[(i % 7 > 2) ^ (i % 9 == 0)] for i in range(N)],
}
PARTED = {"x": [i / 4 for i in range(N)], "y": ["pq"[i >= N // 2] for i in range(N)]}


def table(**changed):
    return pd.DataFrame(GOOD | changed)


def fitted(frame, **options):
    """Fit, and check what holds of every card: finite shares, and a file that loads."""
    model = ts.Scorecard(**options).fit(frame, "y")
    shares = model.predict_proba(frame.drop(columns="y"))
    assert np.isfinite(shares).all()
    assert from_data(model.to_bytes()).to_bytes() == model.to_bytes()
    assert str(model).isprintable() or "\n" in str(model)
    assert {n for p in model.model_.parts for n in p.columns}.isdisjoint(model.model_.left_out)
    return model


def points_of(model, name):
    return next(part.points for part in model.model_.parts if part.name == name)


def said(model, code):
    return " ".join(note.text for note in model.notes_ if note.code == code)


@pytest.mark.slow
@pytest.mark.parametrize("labels", ["pq", "pqr"])
def test_where_the_matrices_lie_changes_no_card(labels, monkeypatch):
    rng, made = np.random.default_rng(0), []
    x = rng.normal(size=(300, 3))
    y = [labels[int(abs(4 * v) % len(labels))] for v in x[:, 0] * x[:, 1] + 0.3 * rng.normal(size=300)]
    frame = pd.DataFrame(x, columns=list("abc")).assign(y=y)
    here = ts.Scorecard().fit(frame, "y")
    plain = scratch.empties
    monkeypatch.setattr(scratch, "empties", lambda forms: made.append(forms) or plain(forms))
    ts.Scorecard(memory="32MB").fit(frame, "y")
    few = len(made)
    monkeypatch.setattr(learner, "DESKS", 1 << 25)  # all of them are more than a byte
    monkeypatch.setattr(learner, "MATRIX", 1 << 25)
    monkeypatch.setattr(learner, "SUMS", 1)
    there = ts.Scorecard(memory="32MB").fit(frame, "y")
    assert len(made) > few + 9
    assert there.to_bytes() == here.to_bytes()


# ---- tables ----

TABLES = {
    "a column of one value": table(z=[3.0] * N),
    "a column all missing": table(z=[None] * N),
    "two rows": pd.DataFrame({"x": [1.0, 2.0], "y": ["p", "q"]}),
    "fewer rows than steps": table().head(6),
    "a class of one row": table(y=["p"] * (N - 1) + ["q"]),
    "a class of one row, of three": table(y=["p", "q"] * (N // 2 - 1) + ["p", "r"]),
    "a class for every row": table(y=[f"k{i}" for i in range(N)]),
    "values near the end of doubles": table(x=[(-1) ** i * 1.7e308 for i in range(N)]),
    "values near 0": table(x=[5e-324 * (i % 5) for i in range(N)]),
    "texts without a word": table(t=[""] * N),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", TABLES)
def test_an_awkward_table_has_a_card(what):
    fitted(TABLES[what])


def test_a_column_that_is_missing_but_asked_for_has_no_points():
    model = fitted(table(z=[np.nan] * N), kinds={"z": "numeric"})
    assert "z" in model.model_.left_out


@pytest.mark.slow
def test_levels_beyond_number_share_a_line():
    rows = 20_000
    frame = pd.DataFrame(
        {"z": [f"l{i}" for i in range(rows)], "x": np.arange(rows) % 5, "y": np.arange(rows) % 5 > 2}
    )
    model = ts.Scorecard(kinds={"z": "levels"}, pairs=0).fit(frame, "y")
    assert all(len(part.points) <= 300 for part in model.model_.parts)


@pytest.mark.parametrize(
    ("frame", "kind", "says"),
    [
        (table(y=["p"] * N), TargetError, "has one class"),
        (table().head(0), DataError, "no rows"),
        (table()[["y"]], DataError, "no usable column"),
    ],
)
def test_a_table_without_a_card_is_one_line(frame, kind, says):
    with pytest.raises(kind, match=says) as caught:
        ts.Scorecard().fit(frame, "y")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ([0] * N, "all sample weights are zero"),
        ([int(y == "p") for y in GOOD["y"]], "has one class"),
        ([np.nan] * N, "sample_weight is missing"),
        ([-1] * N, "sample_weight is negative"),
    ],
)
def test_weights_that_leave_nothing_are_one_line(weights, says):
    with pytest.raises(TallyError, match=says):
        ts.Scorecard().fit(table(), "y", sample_weight=weights)


# ---- separation ----


def test_a_column_that_separates_has_finite_points_and_a_note():
    model = fitted(pd.DataFrame(PARTED))
    assert 40 < np.abs(points_of(model, "x")).max() < 2_000
    assert "'x' separates the classes completely: the points come from the prior" in said(model, "separated")
    assert model.model_.step == 20
    assert model.score(pd.DataFrame(PARTED), "y") == 1.0


def test_three_classes_are_separated_too():
    frame = pd.DataFrame({"x": PARTED["x"][:30], "y": ["pqr"[i // 10] for i in range(30)]})
    assert "'x' separates" in said(fitted(frame), "separated")


def test_a_table_with_noise_is_not_separated():
    assert said(fitted(table()), "separated") == ""


def test_lines_that_hold_a_row_each_do_not_separate():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"x": rng.normal(size=24), "y": rng.choice(["p", "q"], 24)})
    assert said(fitted(frame, l2=1.0), "separated").count("'x'") == 0


def test_joining_lines_costs_no_more_than_rounding_may():
    """Rows that are separated have next to no curvature, by which the cost of joining is foretold."""
    model = ts.Scorecard().fit(table(), "y", sample_weight=[i % 3 for i in range(N)])
    fit = model.model_.fit
    assert fit.rounded - fit.loss <= 0.002
    assert model.model_.step <= 100


def test_steps_that_separate_but_for_one_range_are_told_too():
    x = np.random.default_rng(0).normal(size=60)
    model = fitted(pd.DataFrame({"x": x, "y": np.where(x > 0, "p", "q")}))
    assert said(model, "separated") == (
        "'x': all rows but those of one range lie in ranges of one class, so the points come from the prior; "
        "the rows would have them nearly without end."
    )
    assert np.isfinite(model.predict_proba(pd.DataFrame({"x": x}))).all()
    noisy = np.where(np.random.default_rng(1).random(60) < 0.2, "p", np.where(x > 0, "p", "q"))
    assert said(fitted(pd.DataFrame({"x": x, "y": noisy})), "separated") == ""


def test_a_note_names_the_wish_that_left_columns_out():
    assert said(fitted(table(), max_lines=1), "fewer-columns") == "max_lines leaves out 'x', 'w'."
    assert said(fitted(table(), max_columns=1), "fewer-columns") == "max_columns leaves out 'w'."


# ---- wishes ----

WISHES = [
    ({"monotone": {"w": "rising"}}, "monotone is for numbers and ordered levels; column 'w' is levels"),
    ({"monotone": {"xx": "rising"}}, "monotone names column 'xx', which is not there. Did you mean 'x'"),
    ({"monotone": {"y": "rising"}}, "monotone names column 'y', which is not there"),
    ({"cuts": {"w": [1]}}, "cuts is for numbers; column 'w' is levels"),
    ({"cuts": {7: [1]}}, "cuts names column '7', which is not there"),
    ({"cuts": {"x": [3]}, "kinds": {"x": "out"}}, "column 'x' is out"),
    ({"cuts": {"x": [1, 2, 3]}, "max_lines": 2}, "make 4 lines, and max_lines is 2"),
    ({"max_columns": 0}, "max_columns must be a whole number from 1"),
    ({"population": {"p": 1 - 1e-9}}, "population names 'p'; the classes are 'p', 'q'"),
    ({"population": {"p": 0.5, "z": 0.5}}, "population names 'z', which is not a class"),
    ({"l2": 1e-300}, "the points have no end: l2 or class_weight is too far from 1"),
    ({"class_weight": {"p": 1e-300, "q": 1e300}}, "the points have no end"),
]


@pytest.mark.parametrize("number", range(len(WISHES)))
def test_a_wish_that_cannot_be_had_is_one_line(number):
    options, says = WISHES[number]
    with pytest.raises(OptionError) as caught:
        ts.Scorecard(**options).fit(table(), "y")
    assert says in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_card_of_one_line_a_column_is_its_base():
    model = fitted(table(), max_lines=1)
    assert model.model_.parts == ()
    assert set(model.model_.left_out) == {"x", "w"}


def test_missing_has_a_line_beside_the_one_that_is_left():
    values = [None if y == "p" else x for x, y in zip(GOOD["x"], GOOD["y"], strict=True)]
    model = fitted(table(x=values), max_lines=1)
    part = next(part for part in model.model_.parts if part.name == "x")
    assert part.axis.cuts == ()
    assert part.points.shape == (2, 1)


@pytest.mark.parametrize("most", [2, 3])
def test_no_column_has_more_lines_than_wished(most):
    for part in fitted(table(), max_lines=most, pairs=0).model_.parts:
        assert part.axis.known <= most


def test_no_more_columns_than_wished():
    assert {n for p in fitted(table(), max_columns=1).model_.parts for n in p.columns} <= {"x"}


def test_cuts_are_those_that_were_given_or_some_of_them():
    model = fitted(table(), cuts={"x": [2.0, 4.0, 100.0]}, pairs=0)
    assert set(next(p for p in model.model_.parts if p.name == "x").axis.cuts) <= {2.0, 4.0, 100.0}


@pytest.mark.parametrize("way", ["rising", "falling"])
@pytest.mark.parametrize("frame", [table(), pd.DataFrame(PARTED)], ids=["noise", "separated"])
def test_points_that_may_only_rise_or_fall_do_so_as_whole_numbers(way, frame):
    model = fitted(frame, monotone={"x": way}, l2=0.1)
    for part in model.model_.parts:
        if part.name == "x":
            steps = np.diff(part.points[: part.axis.known, 0])
            assert (steps >= 0).all() if way == "rising" else (steps <= 0).all()
