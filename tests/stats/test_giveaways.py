"""A column that tells the target nearly perfectly is named everywhere, at any base rate; luck is not."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest

import tallystick as ts
from tallystick.cli.main import run
from tallystick.io.open import open_source
from tallystick.schema import ColumnOptions
from tallystick.stats.leakage import DiskRanks, findings, giveaways, likely
from tallystick.stats.one_column_rules import InOrder
from tallystick.stats.values import ValueRanges
from tallystick.table.reader import read_table


def leaky(rows, share, seed=0):
    """Return columns that give y away each in its own way, and two that do not."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) < max(round(share * rows), 1)
    rng.shuffle(y)
    low, high = rng.random(rows), 10 + rng.random(rows)
    return {
        "noise": rng.normal(size=rows),
        "many": [f"l{k}" for k in rng.integers(rows // 3, size=rows)],
        "cut": np.where(y, high, low),
        "band": np.where(y, low, np.where(rng.random(rows) < 0.5, low - 5, high)),
        "absent": [None if v else float(x) for v, x in zip(y, low, strict=True)],
        "levels": np.where(y, rng.choice(["a", "b"], rows), rng.choice(["c", "d", "e"], rows)).tolist(),
        "y": np.where(y, "yes", "no").tolist(),
    }


LEAKS = {"cut", "band", "absent", "levels"}


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.02, 0.1, 0.35, 0.5, 0.9])
@pytest.mark.parametrize("rows", [200, 3_000])
def test_every_perfect_leak_is_named_at_every_base_rate_and_noise_is_not(rows, share):
    data = leaky(rows, share)
    described = {n.column for n in ts.describe(data, "y").notes if n.code == "giveaway"}
    assert described == LEAKS
    found = ts.compare(data, "y", methods=("bayes",), tuned=False, folds=3)
    assert {c.column for c in found.checks if c.code == "giveaway"} == LEAKS


def warned(model, data, **given):
    """The texts that `fit` warns of a table with."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ts.TallyWarning)
        type(model)(**given).fit(data, "y")
    assert all(w.category is ts.TallyWarning and w.filename == __file__ for w in told)
    return [str(w.message) for w in told]


@pytest.mark.slow
@pytest.mark.parametrize(
    "model", [ts.DecisionTree(), ts.NaiveBayes(), ts.LogisticRegression(), ts.Scorecard()]
)
@pytest.mark.parametrize("share", [0.02, 0.35, 0.9])
@pytest.mark.parametrize("rows", [200, 100_000])
def test_fit_warns_of_every_perfect_leak_and_of_nothing_else(model, rows, share):
    """100,000 rows: only those of a sample are looked at, unless they make a column suspect."""
    data = leaky(rows, share)
    if rows > 200:
        del data["many"]  # 33,333 levels: slow in logistic regression
    told = warned(model, data)
    assert {text.split("'")[1] for text in told} == LEAKS
    wanted = f"column 'cut' by itself gives the target of {rows:,} of {rows:,}"
    assert any(text.startswith(wanted) for text in told)
    assert all(text.endswith("known before the target is; leave it out if not.") for text in told)


@pytest.mark.slow
def test_fit_warns_of_leaks_of_rare_and_many_classes_with_errors_in_memory_and_on_disk():
    rng = np.random.default_rng(4)
    rows = 40_000
    rare = rng.random(rows) < 0.004
    value = np.where(rare, 1.0, 0.0) + rng.random(rows) / 2
    wrong = np.flatnonzero(rare)[::20]  # one in twenty of the rare class
    value[wrong] -= 1
    data = {"leak": value, "noise": rng.random(rows), "y": np.where(rare, "yes", "no").tolist()}
    for memory in (None, "64 MB"):
        assert [t.split("'")[1] for t in warned(ts.NaiveBayes(), data, memory=memory)] == ["leak"]
    many = rng.integers(40, size=rows)
    data = {"leak": many + rng.random(rows) / 2, "noise": rng.random(rows), "y": [f"c{c}" for c in many]}
    assert [t.split("'")[1] for t in warned(ts.NaiveBayes(), data)] == ["leak"]


def test_missing_alone_is_said_to_tell_and_a_leak_with_few_errors_is_named():
    data = leaky(1_000, 0.3)
    told = {n.column: n.text for n in ts.describe(data, "y").notes if n.code == "giveaway"}
    assert (
        "'absent' by itself gives the target of 1,000 of 1,000 rows correctly, by being missing or not"
        in told["absent"]
    )
    assert "'cut' by itself gives the target of 1,000 of 1,000 rows correctly" in told["cut"]
    wrong = np.array(data["cut"])
    wrong[:5] = np.where(wrong[:5] > 5, 0.5, 10.5)
    told = {n.column: n.text for n in ts.describe({**data, "cut": wrong}, "y").notes if n.code == "giveaway"}
    assert "995 of 1,000 rows correctly" in told["cut"]


@pytest.mark.slow
def test_fit_and_the_first_screen_of_the_report_name_a_leak(tmp_path, capsys):
    data = leaky(300, 0.2)
    path = tmp_path / "leak.csv"
    names = ["noise", "cut", "y"]
    lines = (",".join(map(str, row)) for row in zip(*(data[n] for n in names), strict=True))
    path.write_text("\n".join([",".join(names), *lines]) + "\n")
    for model in ("tree", "bayes", "logistic"):
        assert run(["fit", str(path), "-t", "y", "--model", model, "--folds", "3"], False) == 0
        assert "check giveaway: column 'cut' by itself gives the target" in capsys.readouterr().out
    assert run(["fit", "--model", "bayes", str(path), "-t", "y", "--folds", "0", "--json"], False) == 0
    (check,) = json.loads(capsys.readouterr().out)["checks"]
    assert (check["code"], check["column"]) == ("giveaway", "cut")
    page = str(ts.report(str(path), "y", folds=3).html)
    first = page[page.index('id="answer"') : page.index('id="data"')]
    assert "Too good to be true?" in first
    assert "cut" in first


def test_a_word_and_a_text_that_is_not_there_give_away_too():
    rng = np.random.default_rng(1)
    y = rng.random(120) < 0.4
    words = [" ".join(rng.choice(["red", "blue", "pie", "tea"], 4)) + (" paid" if v else "") for v in y]
    gone = [None if v else " ".join(rng.choice(["red", "blue", "pie", "tea"], 4)) for v in y]
    data = {"words": words, "gone": gone, "y": np.where(y, "p", "q").tolist()}
    given = {"kinds": {"words": "text", "gone": "text"}}
    named = {n.column for n in ts.describe(data, "y", **given).notes if n.code == "giveaway"}
    assert named == {"words", "gone"}
    checks = ts.compare(data, "y", methods=("bayes",), tuned=False, folds=3, **given).checks
    assert {c.column for c in checks if c.code == "giveaway"} == {"words", "gone"}


@pytest.mark.slow
def test_luck_among_many_columns_of_few_rows_is_not_named():
    rng = np.random.default_rng(2)
    data = {f"x{j}": rng.normal(size=30) for j in range(400)} | {"y": ["yes"] * 2 + ["no"] * 28}
    assert not [n for n in ts.describe(data, "y").notes if n.code == "giveaway"]


def in_turns(turns, rows, weights=None):
    """What the order of a column tells whose classes take turns of so many rows."""
    y = ["pq"[turn % 2] for turn in range(turns) for _ in range(rows)]
    table = read_table(open_source({"n": [3 * i for i in range(len(y))], "y": y}), None, "y", weights)
    return table, [found for _, found in findings(table, table.schema.used)]


def test_what_the_order_of_a_number_tells_is_counted_by_hand():
    """Eight turns of 10 rows: 7 of 79 neighbours differ. Behind the best cut 40 of 70 are q, and 30 are p."""
    (found,) = in_turns(8, 10)[1]
    assert found == InOrder(80, 80.0, 1 - 7 / 79, (10 + 70 * ((40 / 70) ** 2 + (30 / 70) ** 2)) / 80)
    assert "the same class in 91.1%, two rows on one side of the best cut in 57.1%" in found.found
    assert in_turns(40, 2)[1] == []  # every second neighbour differs
    assert in_turns(6, 3)[1] == []  # 18 rows are too few
    assert in_turns(8, 10, [1] * 79 + [40])[1] == []  # as many copies of one row: no number of its own


def test_what_the_order_of_a_number_tells_is_the_same_in_pieces():
    table, (found,) = in_turns(9, 13)
    order = DiskRanks.of(table, "n", table.classes, 2)
    for size in (1, 7, 117, 500):
        assert ValueRanges(replace(order, size=size), order.missing, near=True).in_order() == found


def test_only_columns_that_could_tell_are_counted_and_only_those_that_do_are_named():
    y = ["yes"] * 50 + ["no"] * 50
    data = {
        "cut": [x * x + 0.25 for x in (*range(50, 100), *range(50))],
        "noise": [1.5, 7.5, 3.5, 9.5] * 25,
        "y": y,
    }
    table = read_table(open_source(data), target="y")
    assert [c.name for c in likely(table)] == ["cut"]
    ((column, text),) = giveaways(table, table.schema.used)
    assert column.name == "cut"
    assert text == "column 'cut' by itself gives the target of 100 of 100 rows correctly."


@pytest.mark.parametrize("rows", [90, 700])
@pytest.mark.parametrize("kinds", [2, 3])
def test_a_table_that_is_looked_at_whole_loses_no_column_by_looking_at_a_part_first(rows, kinds):
    rng = np.random.default_rng(rows + kinds)
    y = rng.integers(kinds, size=rows)
    flips = [int(rows * share) for share in (0, 0, 0.004, 0.008, 0.01, 0.012, 0.03, 0.2, 1)]
    columns = {}
    for j, count in enumerate(flips):
        told = y.copy()
        told[rng.choice(rows, count, replace=False)] = rng.integers(kinds, size=count)
        columns[f"n{j}"] = told + 0.9 * rng.random(rows)
        columns[f"l{j}"] = [f"v{v}" for v in told]
    table = read_table(open_source(columns), None, y)
    every = {column.name for column, _ in giveaways(table, table.schema.used)}
    left = {column.name for column in likely(table)}
    assert {"n0", "l0"} <= every <= left
    assert not left & {"n8", "l8"}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("share", [0.05, 0.5])
def test_a_word_that_gives_the_target_away_is_named_and_a_frequent_one_is_not(share, weighted):
    rng = np.random.default_rng(0)
    y = rng.random(600) < share
    words = [" ".join(rng.choice(["the", "cat", "sat", "there"], 6)) for _ in y]
    leak = [f"{w} paid" if v else w for w, v in zip(words, y, strict=True)]
    data = {"t": leak, "u": words, "y": np.where(y, "yes", "no").tolist()}
    kinds = ColumnOptions(kinds={"t": "text", "u": "text"})
    weights = rng.integers(0, 5, 600) / 4 if weighted else None
    table = read_table(open_source(data), kinds, "y", weights)
    rows = f"{table.weight / table.unit:,.10g}"
    assert [(c.name, text) for c, text in giveaways(table, table.schema.used)] == [
        ("t", f"column 't' by itself gives the target of {rows} of {rows} rows correctly.")
    ]
