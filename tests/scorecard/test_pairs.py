"""Pairs of columns: which lines they have, and what they promise."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from shared_tables import needs_data, shared

import tallystick as ts
from tallystick.scorecard.model import LevelAxis, PairAxis, RangeAxis
from tallystick.scorecard.pairs import COARSE, coarsened, promise, repeating
from tallystick.scorecard.quadratic import pair_piece


def test_ranges_of_a_pair_have_equal_shares_of_curvature():
    axis = RangeAxis("x", tuple(float(i) for i in range(1, 16)))
    bends = np.append(np.ones(16), 0.0)
    coarse, line = coarsened(axis, bends, np.ones(17))
    assert coarse.known == COARSE
    assert line.tolist() == [i // 2 for i in range(16)] + [COARSE]
    assert coarse.cuts == tuple(float(i) for i in range(2, 16, 2))


def test_levels_with_little_to_tell_stand_together():
    axis = LevelAxis("town", tuple(range(10)))
    bends = np.array([5.0, 9, 1, 8, 7, 6, 4, 3, 2, 0.5, 0, 0])
    coarse, line = coarsened(axis, bends, np.ones(12))
    assert coarse.known == COARSE
    assert [i for i in range(10) if line[i] == COARSE - 1] == [2, 8, 9]


def test_a_pair_promises_what_neither_column_says_and_nothing_where_nothing_is_left():
    axis = PairAxis(LevelAxis("a", (0, 1)), LevelAxis("b", (0, 1)))
    rows = np.array([50.0, 50.0, 0.0, 0.0])
    piece = pair_piece(axis, rows, rows)
    bends = np.zeros((1, 4, 4))
    bends[0, :2, :2] = 6.0
    crossed = np.zeros((1, 4, 4))
    crossed[0, :2, :2] = [[10.0, -10.0], [-10.0, 10.0]]
    gain, strength = promise(piece, crossed, bends, 1.0)
    assert gain > 10.0
    assert strength >= 1.0
    nothing, _ = promise(piece, np.zeros((1, 4, 4)), bends, 1.0)
    assert nothing < 0.0


def test_either_or_is_found_as_a_pair_and_not_looked_for_where_none_is_wished():
    rng = np.random.default_rng(3)
    data = pd.DataFrame({"a": rng.choice(["x", "y"], 400), "b": rng.choice(["x", "y"], 400)})
    data["y"] = np.where((data.a == data.b) ^ (rng.random(400) < 0.1), "same", "other")
    found = ts.Scorecard().fit(data, "y")
    assert "a × b" in [section.name for section in found.card_.sections]
    assert found.score(data) > 0.85
    alone = ts.Scorecard(pairs=0).fit(data, "y")
    assert [s.name for s in alone.card_.sections if " × " in s.name] == []


def tangled(seed, rows=3000):
    """Return columns and classes that one pair decides most of, and more rows like them."""
    rng = np.random.default_rng(seed)
    numbers = (rng.random((rows, 4)) * 200).round(1)
    data = pd.DataFrame(numbers, columns=["minutes", "b", "c", "d"])
    logit = ((data.minutes > 100) != (data.b > 100)) * 3.0 + data.c / 100 - 2.5
    data["y"] = np.where(rng.random(rows) < 1 / (1 + np.exp(-logit)), "yes", "no")
    return data.iloc[::2], data.iloc[1::2]


def loss(model, rows, target):
    at = [model.classes_.tolist().index(label) for label in rows[target]]
    return float(-np.log(model.predict_proba(rows)[np.arange(len(rows)), at]).mean())


def copied(rows, names):
    return rows.assign(**{f"{n} in cents": rows[n] * 17 for n in names})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("names", [["minutes"], ["b", "minutes"], ["minutes", "b", "c", "d"]])
def test_numbers_repeated_in_another_unit_leave_the_loss(seed, names):
    learnt, new = tangled(seed)
    plain, more = ts.Scorecard().fit(learnt, "y"), ts.Scorecard().fit(copied(learnt, names), "y")
    assert loss(more, copied(new, names), "y") == pytest.approx(loss(plain, new, "y"), rel=0.01)
    pairs = [s.name for s in more.card_.sections if " × " in s.name]
    assert "minutes × b" in pairs
    (note,) = (n for n in more.notes_ if n.code == "repeats")
    assert note.count == len(names)
    assert f"'{names[0]} in cents' repeats '{names[0]}'" in note.text


@pytest.mark.slow
def test_a_copy_that_was_rounded_is_the_same_column():
    learnt, _ = tangled(0)
    model = ts.Scorecard().fit(learnt.assign(charge=(learnt.minutes * 0.17).round(1)), "y")
    assert "'charge' repeats 'minutes'" in next(n.text for n in model.notes_ if n.code == "repeats")


def test_rare_levels_of_two_columns_that_never_meet_are_no_copies():
    apart = np.array([[900.0, 20.0], [20.0, 0.0]])
    assert repeating({(0, 1): apart}) == {}
    assert repeating({(0, 1): np.diag([900.0, 20.0])}) == {1: 0}
    assert repeating({(0, 1): np.diag([900.0, 20.0])[::-1]}) == {1: 0}  # the other way about
    assert repeating({(0, 1): np.array([[9.0, 0.0], [0.0, 9.0], [0.0, 9.0]])}) == {}
    every = {(0, 1): np.eye(3), (0, 2): np.eye(3), (1, 2): np.eye(3)}
    assert repeating(every) == {1: 0, 2: 0}


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize(
    ("name", "target", "numbers"),
    [
        ("pima-diabetes/diabetes", -1, [1, 5]),
        ("segment/segment", -1, [1]),
        ("page-blocks/page.blocks", -1, [0, 4]),
        ("vehicle/vehicle", -1, [2]),
    ],
)
def test_numbers_of_public_tables_repeated_in_another_unit_leave_the_loss(name, target, numbers):
    rows = pd.read_csv(shared(name))
    y, names = rows.columns[target], [rows.columns[i] for i in numbers]
    learnt, new = rows.iloc[::2], rows.iloc[1::2]
    plain, more = ts.Scorecard().fit(learnt, y), ts.Scorecard().fit(copied(learnt, names), y)
    assert loss(more, copied(new, names), y) == pytest.approx(loss(plain, new, y), rel=0.01)
