"""A tree grown by hand: the learner's own tests, a person's choices, honest errors."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError

TENNIS = [
    dict(zip(("outlook", "heat", "humidity", "wind", "play"), line.split(), strict=True))
    for line in """sunny hot high weak no
sunny hot high strong no
overcast hot high weak yes
rain mild high weak yes
rain cool normal weak yes
rain cool normal strong no
overcast cool normal strong yes
sunny mild high weak no
sunny cool normal weak yes
rain mild normal weak yes
sunny mild normal strong yes
overcast mild high strong yes
overcast hot normal weak yes
rain mild high strong no""".splitlines()
]


def mixed(rows=160):
    """Return rows with numbers, levels, dates and missing cells, of three classes."""
    r = np.random.default_rng(7)
    out = []
    for i in range(rows):
        x, sky, day = float(np.round(r.normal(), 2)), "ABCD"[r.integers(4)], r.integers(300)
        label = ["low", "mid", "high"][int(np.clip(x + (sky == "A") + day / 150 + r.normal() / 3, 0, 2.9))]
        when = (datetime.date(2021, 1, 1) + datetime.timedelta(days=int(day))).isoformat()
        seen = {"x": x if i % 11 else None, "sky": sky if i % 13 else None}
        out.append(seen | {"when": when, "y": label})
    return out


def alike(a, b):
    """Say whether two fitted trees have the same nodes."""
    names = ("counts", "column", "cut", "n_children", "branch_of", "missing_branch")
    same = all(np.array_equal(getattr(a, n), getattr(b, n), equal_nan=n == "cut") for n in names)
    return same and np.abs(a.gain - b.gain).max() < 1e-12  # reckoned anew at each node: last bits


@pytest.mark.slow
@pytest.mark.parametrize("method", ["id3", "cart", "tree", "c45"])
@pytest.mark.parametrize("rows", [TENNIS, mixed()], ids=["tennis", "mixed"])
def test_the_best_test_at_every_node_grows_the_tree_of_the_learner(method, rows):
    target = list(rows[0])[-1]
    settings = {"average": False, "missing_values": "learned", "pruning": None, "cuts": "midpoint"}
    settings |= {"stop_at_zero_gain": False, "min_samples_split": 2, "min_impurity_decrease": 0.0}
    made = ts.DecisionTree() if method == "tree" else getattr(ts.DecisionTree, method)()
    known = made.set_params(**settings, min_samples_leaf=1).fit(rows, target)
    hand = ts.grow(rows, target, method=method, held_out=None).finish()
    assert alike(hand.model().model_.nodes, known.model_.nodes)


def test_a_person_splits_sees_gains_and_takes_a_split_back():
    tree = ts.grow(TENNIS, "play", held_out=None)
    assert [(c.column, round(c.gain, 4)) for c in tree.best().candidates] == [
        ("outlook", 0.2467),
        ("humidity", 0.1518),
        ("wind", 0.0481),
        ("heat", 0.0292),
    ]
    before = str(tree)
    tree.split(0, "wind")
    assert tree.model().model_.nodes.leaves == 2
    assert tree.model().splits(0).candidates[2].chosen  # not the best one: the person's
    assert tree.errors().wrong == 5
    assert [c.column for c in tree.best(1).candidates][:1] == ["outlook"]
    assert str(tree.undo()) == before
    with pytest.raises(OptionError, match="nothing to undo"):
        tree.undo()


def test_numbers_of_nodes_stay_in_order_whatever_is_split_first():
    one = ts.grow(TENNIS, "play", held_out=None).split(0, "outlook").split(3, "humidity").split(2, "wind")
    other = ts.grow(TENNIS, "play", held_out=None).split(0, "outlook").split(2, "wind").split(5, "humidity")
    assert alike(one.model().model_.nodes, other.model().model_.nodes)
    assert str(one) == str(other)
    assert one.errors().wrong == 0


def test_a_cut_may_be_any_number_or_date():
    rows = mixed()
    tree = ts.grow(rows, "y", held_out=None).split(0, "x", cut=0.25)
    below = [r["x"] for r in rows if r["x"] is not None and r["x"] < 0.25]
    lost = sum(r["x"] is None for r in rows)
    assert tree.leaves()[0]["rows"] in (len(below), len(below) + lost)
    assert "x < 0.25" in str(tree)
    for cut in ("2021-03-01", datetime.date(2021, 3, 1), 18_687.0):
        assert "when < 2021-03-01" in str(ts.grow(rows, "y", held_out=None).split(0, "when", cut=cut))


def test_rows_held_out_are_judged_and_never_asked():
    rows = mixed()
    tree = ts.grow(rows, "y", held_out=0.25).split(0, "x")
    told = tree.errors()
    assert (told.rows, told.held_out_rows) == (120, 40)
    leaves = tree.leaves()
    assert sum(leaf["held_out_rows"] for leaf in leaves) == 40
    assert sum(leaf["held_out_wrong"] for leaf in leaves) == told.held_out_wrong
    wrong = sum(a != r["y"] for a, r in zip(tree.model().predict(rows), rows, strict=True))
    assert wrong == told.wrong + told.held_out_wrong  # all rows are in one of the two parts
    assert tree.model().rows_["count"] == 120


def test_it_is_compared_with_the_grown_and_the_certified_tree():
    hand = ts.grow(TENNIS, "play", held_out=None).split(0, "heat")
    this, grown, best = hand.compare(max_depth=2).trees
    assert (this.wrong, grown.wrong, grown.leaves) == (5, 0, 5)
    assert (best.wrong, best.name) == (2, "fewest errors of depth 2, proven")
    assert str(grown) == "grown test by test: 5 leaves, 0 of 14 (0.0%) wrong in training"


def test_the_model_is_a_tree_like_any_other(tmp_path):
    model = ts.grow(TENNIS, "play", held_out=None).split(0, "outlook").split(2, "wind").model()
    model.save(tmp_path / "hand.tally.json")
    loaded = ts.load(tmp_path / "hand.tally.json")
    assert loaded.predict(TENNIS).tolist() == model.predict(TENNIS).tolist()
    assert [note.text for note in loaded.notes_ if note.code == "by-hand"] == [
        "grown by hand: 2 tests, each chosen by a person."
    ]
    assert "CASE" in loaded.export("sql")
    with pytest.raises(OptionError, match="this tree was grown by hand, so no refit gives its bytes"):
        ts.verify(loaded, TENNIS)


@pytest.mark.parametrize(
    ("split", "said"),
    [
        ((0, "hat"), "there is no column 'hat'. Did you mean 'heat'?"),
        ((9, "heat"), "node 9 is not there: the tree has nodes 0 to 3."),
        ((0, "heat"), "node 0 has a test already. Split a leaf, or undo()."),
        ((1, "heat"), "node 1 is pure: all its rows are 'yes'. There is nothing to part."),
        ((2, "outlook"), "all rows of node 2 have one value of 'outlook'. best(2) lists other columns."),
        ((2, "wind", 3), "column 'wind' has levels, not numbers. Leave cut= out."),
    ],
)
def test_a_split_that_cannot_be_is_one_line(split, said):
    tree = ts.grow(TENNIS, "play", held_out=None).split(0, "outlook")
    with pytest.raises(OptionError) as found:
        tree.split(*split)
    assert str(found.value) == said
    assert tree.model().model_.nodes.leaves == 3  # nothing was changed


def test_a_cut_with_all_rows_on_one_side_is_one_line():
    with pytest.raises(OptionError, match=r"all rows of node 0 lie on one side of 'x' = 99\."):
        ts.grow(mixed(), "y", held_out=None).split(0, "x", cut=99)
    with pytest.raises(OptionError, match="cut must be a number, not 'big'"):
        ts.grow(mixed(), "y", held_out=None).split(0, "x", cut="big")


def test_only_trees_are_grown_by_hand():
    with pytest.raises(OptionError, match="only a tree is grown by hand, not 'bayes'"):
        ts.grow(TENNIS, "play", method="bayes")
    with pytest.raises(OptionError, match="Leave class_weight out"):
        ts.grow(TENNIS, "play", method="id3:class_weight=balanced")
    with pytest.raises(OptionError, match="method must be the name of a tree"):
        ts.grow(TENNIS, "play", method=3)
