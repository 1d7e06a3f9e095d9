"""Learning curves: every method sees the same subsets, and a smaller one is part of the larger."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from far_rows import mixed_rows

import tallystick as ts
from tallystick.errors import DataError, OptionError
from tallystick.judge import folds as cases
from tallystick.judge.crossval import Curve, curve_table, subsets
from tallystick.judge.run import fold_shares

EXAMPLES = Path(ts.__file__).parent / "examples"


def path(name):
    return str(EXAMPLES / name)


@pytest.fixture(scope="module")
def votes():
    return ts.NaiveBayes()._read(path("votes.csv"), "party")


@pytest.mark.slow
def test_subsets_of_a_curve_are_the_same_for_every_method(votes):
    once = curve_table({"a": ts.NaiveBayes(), "b": ts.NaiveBayes()}, votes, sizes=(20, 100), repeats=3)
    assert once.curves[0].error.tolist() == once.curves[1].error.tolist()
    assert once.sizes == (20, 100)
    order = np.random.default_rng(1).permutation(votes.rows)
    again = curve_table({"a": ts.NaiveBayes()}, votes.take(order), sizes=(20, 100), repeats=3)
    assert np.allclose(again.curves[0].error, once.curves[0].error)


class Adding(ts.NaiveBayes):
    """Naive Bayes that gives some sizes of a curve itself, by refitting."""

    def _grow_shares(self, table, teach, test, sizes):
        for size in sizes:
            yield None if size < 50 else fold_shares(ts.NaiveBayes(), table, teach[:size], test)


@pytest.mark.slow
def test_a_method_that_grows_its_own_shares_has_the_curve_of_refits(votes):
    found = curve_table({"own": Adding(), "refit": ts.NaiveBayes(alpha=1.0)}, votes, (20, 60, 200), repeats=2)
    assert found.curves[0].loss.tolist() == found.curves[1].loss.tolist()


@pytest.mark.slow
def test_copies_of_a_row_are_rows_of_their_own_in_a_learning_curve():
    def taught(table):
        return subsets(cases.cases_of(table), table, 1, 200, [200])[2][:200]

    data = {"x": ["a"] * 300 + ["b"] * 300, "y": (["p"] * 200 + ["q"] * 100) * 2}
    table = ts.NaiveBayes()._read(data, "y")
    first = taught(table)
    share = (table.columns["x"][first] == 0).mean()
    assert 0.35 < share < 0.65  # a run of copies would give 0 or 1
    mixed = np.random.default_rng(0).permutation(600)
    again = table.take(mixed)
    assert sorted(again.row_hashes()[taught(again)]) == sorted(table.row_hashes()[first])


@pytest.mark.parametrize("most", [cases.MOST, 40])  # beyond, late copies follow each other
def test_subsets_of_rows_with_weights_have_so_many_copies(monkeypatch, most):
    monkeypatch.setattr(cases, "MOST", most)
    many = np.random.default_rng(2).integers(1, 30, 60)
    table = ts.NaiveBayes()._read(mixed_rows(45), "y", many)
    pieces, test, train, places = subsets(cases.cases_of(table), table, 1, 50, [7, 100, 301])
    assert pieces.weights[test].sum() == 50
    assert [int(pieces.weights[train[:at]].sum()) for at in places] == [7, 100, 301]
    assert 50 + 301 <= pieces.weight < 50 + 301 + 30  # rows that no part uses are in no piece


@pytest.mark.slow
def test_a_curve_of_rows_with_weights_is_that_of_their_copies():
    many = np.random.default_rng(2).integers(1, 9, 60)
    rows = mixed_rows(45, 3)
    asked = {"methods": ["bayes", "tree:max_depth=2"], "sizes": [5, 40], "repeats": 2}
    weighed = ts.learning_curve(rows, "y", sample_weight=many, **asked)
    written_out = ts.learning_curve(rows.take(np.repeat(np.arange(60), many)), "y", **asked)
    assert json.dumps(weighed.to_dict()) == json.dumps(written_out.to_dict())


def few(rows):
    return ts.NaiveBayes()._read({"x": ["u", "v"] * (rows // 2), "y": ["p", "q"] * (rows // 2)}, "y")


def test_a_band_is_two_standard_errors_wide_on_each_side():
    curve = Curve("a", np.array([[0.1, 0.4], [0.3, 0.4]]), np.zeros((2, 2)))
    mean, low, high = curve.band()
    assert np.allclose(mean, [0.2, 0.4])
    assert np.allclose(high - mean, [0.2, 0.0])  # sd 0.1414 / sqrt 2 = 0.1, twice
    assert np.allclose(mean - low, [0.2, 0.0])
    assert Curve("a", np.array([[0.5]]), np.zeros((1, 1))).band()[1].tolist() == [0.5]


def test_what_cannot_be_drawn_is_refused_with_what_could_be():
    with pytest.raises(DataError, match="at least 10 rows, found 8"):
        curve_table({}, few(8))
    with pytest.raises(OptionError, match="repeats must be a whole number from 1 to 10,000, not 0"):
        curve_table({}, few(12), repeats=0)
    with pytest.raises(OptionError, match=r"between 1 and 8 \(a third of the 12 rows is for testing\)"):
        curve_table({}, few(12), sizes=(4, 9))


def test_the_base_is_the_error_of_the_most_frequent_class():
    found = curve_table({"a": ts.NaiveBayes()}, few(12), sizes=(4,), repeats=1)
    assert (found.base, found.tested, found.sizes) == (0.5, 4, (4,))
    assert found.to_dict()["methods"][0]["name"] == "a"


def test_a_learning_curve_of_more_rows_than_memory_holds_is_that_of_rows_in_memory(monkeypatch):
    rng = np.random.default_rng(0)
    data = {"x": rng.normal(size=300), "l": rng.choice(list("abc"), 300).tolist()}
    data["y"] = np.where(data["x"] + rng.normal(size=300) > 0, "yes", "no").tolist()
    data = {name: [*column, *column[:40]] for name, column in data.items()}  # equal rows too
    given = {"methods": ("bayes",), "repeats": 3, "sizes": [10, 100, 200]}
    here = ts.learning_curve(data, "y", **given).to_dict()
    monkeypatch.setattr("tallystick.judge.folds.is_large", lambda table: table.budget > 0)
    assert ts.learning_curve(data, "y", memory="32MB", **given).to_dict() == here


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"sizes": 0}, "numbers of rows, or how many sizes .up to 1,000., not 0"),
        ({"sizes": -1}, "numbers of rows, or how many sizes .up to 1,000., not -1"),
        ({"sizes": 1.5}, "numbers of rows, or how many sizes .up to 1,000., not 1.5"),
        ({"sizes": 10**30}, "numbers of rows, or how many sizes .up to 1,000., not 1000"),
        ({"sizes": [10**30]}, "sizes must lie between 1 and"),
        ({"sizes": True}, "numbers of rows, or how many sizes .up to 1,000., not True"),
        ({"sizes": ["a"]}, "sizes must be a list of numbers of rows"),
        ({"repeats": 1.5}, "repeats must be a whole number from 1 to 10,000, not 1.5"),
        ({"repeats": None}, "repeats must be a whole number from 1 to 10,000, not None"),
        ({"repeats": True}, "repeats must be a whole number from 1 to 10,000, not True"),
        ({"repeats": 10**30}, "repeats must be a whole number from 1 to 10,000, not 10000"),
    ],
)
def test_sizes_and_repeats_are_whole_numbers(given, says):
    rows = {"x": [i % 7 for i in range(40)], "y": ["p", "q"] * 20}
    with pytest.raises(ts.TallyError, match=says):
        ts.learning_curve(rows, "y", methods=["bayes"], **given)
