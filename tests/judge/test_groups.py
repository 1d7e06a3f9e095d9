"""Errors by group: every row is counted once, under a name that a reader knows."""

from __future__ import annotations

import numpy as np
import pytest
from tables import mixed

import tallystick as ts
from tallystick.cli.main import run as tally
from tallystick.errors import OptionError
from tallystick.judge.groups import MOST, asked_groups, error_rates, group_names, names_by
from tallystick.judge.result import FoldAnswers


@pytest.mark.slow
@pytest.mark.parametrize("few", [True, False])
def test_errors_are_counted_by_a_column_that_is_kept_out_of_the_model(few, tmp_path, capsys):
    data, number = mixed(), np.arange(240)
    data["town"] = [f"t{i}" for i in (number % 3 if few else np.maximum(number, 9))]  # or an identifier
    wishes = {"kinds": {"town": "out"}} if few else {}
    found = ts.cross_validate(ts.NaiveBayes(**wishes), data, "y", folds=3, by="town")
    plain = {n: cells for n, cells in data.items() if n != "town"}
    assert (found.shares == ts.cross_validate(ts.NaiveBayes(), plain, "y", folds=3).shares).all()
    groups = found.by("town")
    assert sum(g["rows"] for g in groups) == 240
    assert groups[0]["rows"] == (80 if few else 10)
    lines = [",".join(map(str, row)).replace("None", "") for row in zip(*data.values(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join([",".join(data), *lines]))
    page = ["report", str(tmp_path / "t.csv"), "-t", "y", "--by", "town", "--repeats", "0", "--folds", "3"]
    page += ["-o", str(tmp_path / "r.html")]
    assert tally([*page, "--kind", "town=out"] if few else page, False) == 0
    assert ">t2<" in (tmp_path / "r.html").read_text(encoding="utf-8") or not few
    capsys.readouterr()
    with pytest.raises(OptionError, match="'city'"):
        ts.cross_validate(ts.NaiveBayes(), data, "y", folds=3, by="city")


def test_rates_are_those_counted_by_hand_and_rows_never_tested_are_left_out():
    shares = np.array([[0.9, 0.1], [0.2, 0.8], [0.9, 0.1], [0.9, 0.1], [0.5, 0.5]])
    part = FoldAnswers(shares, np.array([0, 0, 1, 1, -1]))
    groups = np.array(["b", "b", "a", "b", "a"])
    first, second = error_rates(groups, np.array([0, 1, 1, 1, 0]), part, None, None)
    assert (first["group"], first["rows"], first["error"]) == ("b", 3.0, 1 / 3)
    assert (first["truth"], first["answers"]) == ([1 / 3, 2 / 3], [2 / 3, 1 / 3])
    assert (second["group"], second["rows"], second["error"]) == ("a", 1.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("there", [4, 12])  # classes that rows are of, out of twelve
def test_of_any_weights_none_are_wrong_where_all_answers_are_right_and_all_where_all_are_wrong(there):
    rng, rows = np.random.default_rng(there), 4_000
    for _ in range(20):
        truth = rng.integers(0, there, rows)
        weights = rng.integers(500 << 35, 2_000 << 35, rows) / 2.0**35
        for wrong in (0, 1):
            part = FoldAnswers(np.eye(12)[(truth + wrong) % 12], np.zeros(rows, np.int64))
            (found,) = error_rates(np.zeros(rows, int), truth, part, weights, None)
            assert found["error"] == wrong
            assert {one["share"] for one in found["misses"][:there]} == {wrong}
            assert min(one["rows"] for one in found["false_alarms"]) >= 0.0
            assert wrong or {one["share"] for one in found["false_alarms"]} == {0.0}


def test_where_all_rows_are_of_one_class_no_others_are_counted_whatever_their_weights():
    rng = np.random.default_rng(0)
    for _ in range(20):
        weights = rng.integers(500 << 35, 2_000 << 35, 4_000) / 2.0**35
        part = FoldAnswers(np.eye(5)[rng.integers(0, 5, 4_000)], np.zeros(4_000, np.int64))
        (found,) = error_rates(np.zeros(4_000, int), np.ones(4_000, int), part, weights, None)
        assert found["truth"] == [0.0, 1.0, 0.0, 0.0, 0.0]
        assert found["false_alarms"][1]["rows"] == 0.0
        assert found["false_alarms"][0]["rows"] == found["rows"] == found["misses"][1]["rows"]


def test_equal_rows_without_an_order_have_their_groups_in_order_however_they_come():
    rng = np.random.default_rng(0)
    rows = {"x": np.repeat([1.0, 2.0, 3.0], 40), "y": np.repeat(["p", "q", "p"], 40)}
    rows |= {"who": rng.choice(["ann", "bob", "cy"], 120), "n": rng.normal(size=120)}
    kinds = {"who": "out", "n": "out"}
    table = ts.NaiveBayes(kinds=kinds)._read(rows, "y")

    def told():
        order = rng.permutation(120)
        mixed_up = {name: data[order] for name, data in rows.items()}
        found = names_by(
            ts.NaiveBayes(kinds=kinds),
            lambda other: other._read(mixed_up, "y"),
            table,
            {"who": None, "n": [0.0]},
            ordered=False,
        )
        return list(zip(found["who"], found["n"], strict=True))

    first = told()
    assert told() == first
    assert first[:40] == sorted(first[:40])


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_without_an_order_keep_their_weights_and_levels_that_are_cut_as_numbers(weighted):
    rng = np.random.default_rng(1)
    rows = {"age": rng.choice([-1.5, 2.0, 7.0, 10.0], 200), "x": np.repeat([1.0, 2.0], 100)}
    rows["y"] = rng.choice(["p", "q"], 200)
    weight = rng.integers(1, 4, 200) if weighted else None
    rows["who"] = np.array(["ann", "bob", "cy"])[(rng.integers(1, 4, 200) if weight is None else weight) - 1]
    made = ts.NaiveBayes(kinds={"age": "levels", "who": "out"})
    table = made._read(rows, "y", weight)

    def read(other):
        order = rng.permutation(200)
        again = {name: data[order] for name, data in rows.items()}
        return other._read(again, "y", None if weight is None else weight[order])

    found = names_by(made, read, table, {"age": [2.0, 8.0], "who": None}, ordered=False)
    ages = np.array(["below 2", "2 to below 8", "8 or more"])[np.searchsorted([2, 8], rows["age"], "right")]
    assert found["age"].tolist() == ages.tolist()
    assert not weighted or found["who"].tolist() == rows["who"].tolist()


def test_many_groups_are_shown_as_the_largest_and_a_rest():
    rows = MOST + 3
    part = FoldAnswers(np.tile([0.9, 0.1], (rows, 1)), np.zeros(rows, np.int64))
    found = error_rates(np.arange(rows), np.zeros(rows, np.int64), part, None, None)
    assert len(found) == MOST + 1
    assert (found[-1]["group"], found[-1]["rows"]) == ("(3 smaller groups)", 3.0)


def test_numbers_are_cut_at_their_quartiles_and_missing_is_a_group():
    rows = {"n": [0.5, 1.5, 2.5, 3.5, 4.5, None], "c": ["u", None, "v", "u", "v", "u"], "y": ["p", "q"] * 3}
    table = ts.NaiveBayes(kinds={"n": "numeric"})._read(rows, "y")
    assert group_names(table, "n").tolist() == [
        "below 1.5",
        "1.5 to below 2.5",
        "2.5 to below 3.5",
        "3.5 or more",
        "3.5 or more",
        "(missing)",
    ]
    assert group_names(table, "c").tolist() == ["u", "(missing)", "v", "u", "v", "u"]
    with pytest.raises(OptionError, match=r"column 'm' is not one that the model uses"):
        group_names(table, "m")


AGES = [
    {"age": 18 + i % 50, "sex": "fm"[i % 2], "rooms": i % 4, "y": "ab"[(i % 50 > 20) ^ (i % 7 == 0)]}
    for i in range(200)
]


def test_numbers_are_cut_where_the_user_says():
    for by in ("age: 25, 40, 60", ["age: 25,40,60"], {"age": [25, 40, 60]}):
        found = ts.cross_validate(ts.NaiveBayes(), AGES, "y", folds=3, by=by)
        rows = {g["group"]: g["rows"] for g in found.by("age")}
        ages = np.array([row["age"] for row in AGES])
        cuts = np.bincount(np.searchsorted([25, 40, 60], ages, "right")).tolist()
        names = ["below 25", "25 to below 40", "40 to below 60", "60 or more"]
        assert rows == dict(zip(names, cuts, strict=True))


def test_ranges_are_of_numbers_even_where_the_model_takes_them_for_levels_or_not_at_all():
    for kind in ("levels", "out"):
        model = ts.NaiveBayes(kinds={"rooms": kind})
        found = ts.cross_validate(model, AGES, "y", folds=3, by={"rooms": [2]})
        assert {g["group"]: g["rows"] for g in found.by("rooms")} == {"below 2": 100, "2 or more": 100}


def test_a_column_whose_name_has_a_colon_is_a_column():
    assert asked_groups("time: 5", ["time: 5", "time"]) == {"time: 5": None}
    assert asked_groups(["time: 5", "sex"], ["time", "sex"]) == {"time": (5.0,), "sex": None}
    assert asked_groups({"age": None}, ["age"]) == {"age": None}


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ("age: old", "not numbers: 'old'. Write age: 25, 40, 60"),
        ({"age": [40, 25]}, "begin at numbers that rise"),
        ({"age": []}, "begin at numbers that rise"),
    ],
)
def test_ranges_that_make_no_sense_are_refused(by, said):
    with pytest.raises(OptionError, match=said):
        ts.cross_validate(ts.NaiveBayes(), AGES, "y", folds=3, by=by)
