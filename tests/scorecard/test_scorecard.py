"""`ts.Scorecard`: whatever way the rows come the card is the same, and wishes about rows and classes hold."""

from __future__ import annotations

from importlib import resources

import numpy as np
import pandas as pd
import pytest

import tallystick as ts
from tallystick.errors import OptionError

VOTES = str(resources.files("tallystick.examples") / "votes.csv")


def made(rows: int = 300, seed: int = 0) -> pd.DataFrame:
    """Two columns that tell and one that does not, some cells missing."""
    rng = np.random.default_rng(seed)
    pay, town = rng.normal(3, 1, rows).round(2), rng.choice(["north", "south", "west"], rows)
    odds = 1.5 * (pay - 3) + np.where(town == "north", 1.0, 0.0)
    good = rng.random(rows) < 1 / (1 + np.exp(-odds))
    pay[::17] = np.nan
    return pd.DataFrame(
        {
            "pay": pay,
            "town": town,
            "coin": rng.choice(["h", "t"], rows),
            "paid": np.where(good, "good", "bad"),
        }
    )


@pytest.fixture(scope="module")
def frame():
    return made()


@pytest.fixture(scope="module")
def card(frame):
    return ts.Scorecard().fit(frame, "paid")


@pytest.mark.slow
def test_a_pencil_gives_the_very_probability(frame, card):
    rows = frame.drop(columns="paid")
    points = card.model_.base[0] + np.zeros(len(rows))
    found = card.predict_proba(rows)
    for i in range(len(rows)):
        told = card.explain(rows.iloc[[i]])
        points[i] = told.base[1] - told.base[0] + sum(r.parts[1] - r.parts[0] for r in told.reasons)
    assert np.array_equal(points, points.round())
    assert np.allclose(found[:, 1], 1 / (1 + 2 ** (-points / card.model_.step)), rtol=0, atol=1e-15)


@pytest.mark.slow
def test_order_threads_disk_and_file_change_no_byte(frame, card, tmp_path):
    mixed = frame.sample(frac=1, random_state=1)
    known = card.to_bytes()
    assert ts.Scorecard(threads=1).fit(mixed, "paid").to_bytes() == known
    assert ts.Scorecard(memory="64MB").fit(mixed, "paid").to_bytes() == known
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert ts.Scorecard().fit(tmp_path / "t.csv", "paid").to_bytes() == known
    assert ts.Scorecard().fit(frame.drop(columns="paid"), frame["paid"]).predict(mixed).tolist() == (
        card.predict(mixed).tolist()
    )


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
def test_threads_that_share_the_directions_of_a_card_change_no_byte(classes):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(2000, 6))
    y = (x[:, 0] * x[:, 1] + x[:, 2] + rng.normal(size=len(x)) > 0) + (classes - 2) * (x[:, 3] > 1)
    assert ts.Scorecard(threads=3).fit(x, y).to_bytes() == ts.Scorecard(threads=1).fit(x, y).to_bytes()


@pytest.mark.slow
def test_a_card_of_noise_is_the_same_with_any_threads():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2000, 6)), rng.integers(0, 2, 2000)
    many = ts.Scorecard(threads=2).fit(x, y)
    assert many.to_bytes() == ts.Scorecard(threads=1).fit(x, y).to_bytes()


def test_a_saved_card_is_the_same_and_answers_the_same_bits(frame, card, tmp_path):
    card.save(tmp_path / "c.tally.json")
    again = ts.load(tmp_path / "c.tally.json")
    assert isinstance(again, ts.Scorecard)
    assert again.to_bytes() == card.to_bytes()
    assert np.array_equal(again.predict_proba(frame), card.predict_proba(frame))
    assert str(again) == str(card)


def test_whole_weights_are_copies_and_weight_0_is_no_row(frame):
    weights = np.arange(len(frame)) % 3
    copied = frame.loc[frame.index.repeat(weights)]
    by_weight = ts.Scorecard(pairs=0).fit(frame, "paid", sample_weight=weights)
    by_copies = ts.Scorecard(pairs=0).fit(copied, "paid")
    assert np.array_equal(by_weight.predict_proba(frame), by_copies.predict_proba(frame))


def test_class_weights_and_population_move_the_base(frame, card):
    rows = frame.drop(columns="paid")
    heavy = ts.Scorecard(class_weight={"bad": 5}).fit(frame, "paid")
    assert heavy.predict_proba(rows)[:, 0].mean() > card.predict_proba(rows)[:, 0].mean() + 0.1
    rare = ts.Scorecard(population={"good": 0.97, "bad": 0.03}).fit(frame, "paid")
    assert [s.lines for s in rare.card_.sections] == [s.lines for s in card.card_.sections]
    shares = (frame["paid"] == "good").mean()
    moved = 20 * np.log2(0.97 / 0.03 / (shares / (1 - shares)))
    assert abs(rare.card_.base[0] - card.card_.base[0] - moved) <= 1


def test_a_column_may_be_left_out_and_a_column_of_nothing_vanishes(frame):
    out = ts.Scorecard(kinds={"town": "out"}).fit(frame, "paid")
    assert "town" not in {s.name for s in out.card_.sections}
    noise = pd.DataFrame({"pay": made(2_000, 1)["pay"], "paid": made(2_000, 2)["paid"]})
    card = ts.Scorecard().fit(noise, "paid")
    assert sum(s.reach for s in card.card_.sections) <= 20  # nothing, or next to nothing


def test_the_razor_counts_the_base_and_the_lines_with_points(card):
    lines = [line for s in card.card_.sections for line in s.lines if any(line.points)]
    assert card._numbers() == len(lines) + 1


def test_more_than_two_classes_have_points_each():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 9, 400)
    y = np.array(["low", "mid", "top"])[
        np.clip(x // 3 + rng.integers(-1, 2, 400) * (rng.random(400) < 0.2), 0, 2)
    ]
    card = ts.Scorecard(pairs=0).fit({"x": x, "y": y}, "y")
    assert card.card_.in_favour == ("low", "mid", "top")
    shares = card.predict_proba({"x": [0, 4, 8]})
    assert shares.argmax(axis=1).tolist() == [0, 1, 2]
    assert np.allclose(shares.sum(axis=1), 1)


@pytest.mark.slow
def test_strength_by_cross_validation_is_said(frame):
    card = ts.Scorecard(l2="cv", pairs=0, ranges=4).fit(frame, "paid")
    assert "prior-chosen" in {note.code for note in card.notes_}


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (
            {"monotone": {"town": "rising"}},
            "monotone is for numbers and ordered levels; column 'town' is levels",
        ),
        ({"cuts": {"town": [1]}}, "cuts is for numbers; column 'town' is levels"),
        ({"cuts": {"pya": [1]}}, "cuts names column 'pya', which is not there. Did you mean 'pay'?"),
        ({"population": {"good": 0.5, "evil": 0.5}}, "population names 'evil', which is not a class"),
        ({"class_weight": {"evil": 2}}, "class_weight names 'evil', which is not a class"),
    ],
)
def test_wishes_that_do_not_fit_the_table_are_one_line(frame, wish, said):
    with pytest.raises(OptionError, match=said.replace("?", r"\?")):
        ts.Scorecard(**wish).fit(frame, "paid")


def test_repr_is_short_and_print_is_the_card(card):
    assert repr(card) == "Scorecard()"
    assert str(card).startswith("Scorecard for paid\nBegin with ")
    assert repr(ts.Scorecard(pairs=0)) == "Scorecard(pairs=0)"
    assert str(ts.Scorecard(pairs=0)) == "Scorecard(pairs=0)"
