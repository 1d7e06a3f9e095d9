"""What `describe` says of a table, against worked examples and a slow twin that knows only the formulas."""

from __future__ import annotations

import csv
import math
import os
import random
from importlib import resources
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tallystick as ts
from tallystick import kernels
from tallystick.description.gains import Stack, by_levels, entropy, gains_by_cut, midpoint
from tallystick.errors import TallyError

pytestmark = pytest.mark.slow

EXAMPLES = resources.files("tallystick.examples")


def bits(counts):
    total = sum(counts)
    return -sum(n / total * math.log2(n / total) for n in counts if n)


def slow_gain(values, classes):
    """Gain and ratio of one branch per value, missing (None) being a value: the rule from its definition."""
    rows = list(zip(values, classes, strict=True))

    def inside(rows):
        return bits([sum(c == k for _, c in rows) for k in set(classes)])

    branches = [[r for r in rows if r[0] == v] for v in set(values)]
    gain = inside(rows) - sum(len(b) * inside(b) for b in branches) / len(rows)
    own = bits([len(b) for b in branches])
    return gain, gain / own if own else 0.0


def counted(values, classes, order):
    table = np.zeros((len(order) + 1, max(classes) + 1), np.int64)
    for v, c in zip(values, classes, strict=True):
        table[len(order) if v is None else order.index(v), c] += 1
    return table[:-1], table[-1]


rows = st.lists(st.tuples(st.sampled_from([None, 0, 1, 2, 3, 5]), st.integers(0, 2)), min_size=1, max_size=40)


@given(rows)
def test_gain_of_levels_is_that_of_the_definition(data):
    values, classes = zip(*data, strict=True)
    found = by_levels(*counted(values, classes, [0, 1, 2, 3, 5]))
    assert (found.gain, found.ratio) == pytest.approx(slow_gain(values, classes), abs=1e-12)


@given(rows)
def test_best_cut_is_the_lowest_of_the_best(data):
    values, classes = zip(*data, strict=True)
    order = sorted({v for v in values if v is not None})
    gains = [slow_gain([None if v is None else v >= b for v in values], classes) for _, b in pairwise(order)]
    if not gains:
        return
    counts, missing = counted(values, classes, order)
    gain, ratio, _, above = (float(v[0]) for v in gains_by_cut(Stack.of([np.vstack([counts, missing])])))
    at = int(above) - 1
    assert (gain, ratio) == pytest.approx(gains[at], abs=1e-12)
    assert gain == pytest.approx(max(g for g, _ in gains), abs=1e-12)
    costs = [_whole_cost(values, classes, b) for _, b in pairwise(order)]
    assert at == costs.index(min(costs))  # of equal splits the first


def _whole_cost(values, classes, cut):
    """What a split costs in the whole numbers that trees are grown by."""
    cost = 0
    for high in (False, True):
        side = [c for v, c in zip(values, classes, strict=True) if v is not None and (v >= cut) == high]
        parts = np.array([len(side), *(side.count(c) for c in set(side))], np.int64)
        whole = kernels.n_log2_n(parts, len(values))
        cost += int(whole[0] - whole[1:].sum())
    return cost


# 7 log2(7) - 6 log2(3) + 8 bits inside the branches, cut at 0.75 or at 1.5
TWO_CUTS_OF_ONE_GAIN = [(0.5, (0, 3, 4)), (1.0, (1, 3, 3)), (2.0, (0, 0, 1))]


@given(
    st.lists(
        st.tuples(st.sampled_from([0.5, 1.0, 2.0, 3.5, 5.0, 7.0, 8.25]), st.integers(0, 2)),
        min_size=2,
        max_size=60,
    )
)
@example(data=[(x, c) for x, counts in TWO_CUTS_OF_ONE_GAIN for c in range(3) for _ in range(counts[c])])
def test_the_best_cut_is_the_one_that_a_tree_takes(data):
    values, classes = zip(*data, strict=True)
    if len(set(values)) < 2 or len(set(classes)) < 2:
        return
    rows = {"x": [*values], "y": [f"c{c}" for c in classes]}
    found = ts.describe(rows, "y", columns=ts.Columns(keep=["x"], kinds={"x": "numeric"}))["x"]
    tree = ts.DecisionTree(criterion="entropy", max_depth=1, average=False, kinds={"x": "numeric"})
    (split,) = tree.fit(rows, "y").splits(0).to_dict()["candidates"]
    assert split["branches"][0]["test"] == f"x < {found.cut:g}"
    assert split["gain"] == pytest.approx(found.gain, abs=1e-5)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_cut_parts_two_neighbouring_values(a, b):
    low, high = sorted((a, b))
    if low < high:
        assert low < midpoint(low, high) <= high


def test_midpoint_is_exact_and_does_not_overflow():
    assert midpoint(48, 60) == 54
    assert midpoint(1e308, 1.5e308) == 1.25e308
    assert midpoint(5e-324, 1e-323) == 1e-323


def test_entropy_of_equal_and_halved_shares():
    assert entropy(np.array([4, 2, 1, 1])) == 1.75
    assert entropy(np.array([3, 3, 3, 3])) == pytest.approx(2, abs=1e-15)
    assert entropy(np.array([5, 0])) == 0


@pytest.mark.parametrize(
    ("file", "target", "gains"),
    [
        (
            "play-tennis.csv",
            "Play",
            {"Outlook": 0.2467, "Temperature": 0.0292, "Humidity": 0.1518, "Wind": 0.0481},
        ),
        (
            "household-survey.csv",
            "Outcome",
            {"District": 0.2467, "House type": 0.0500, "Income": 0.1518, "Previous customer": 0.0481},
        ),
    ],
)
def test_gains_of_the_textbook_tables(file, target, gains):
    found = ts.describe(str(EXAMPLES / file), target)
    assert found.entropy == pytest.approx(0.9403, abs=1e-4)
    assert {c.name: c.gain for c in found.columns} == pytest.approx(gains, abs=1e-4)


def test_gain_ratios_of_play_tennis():
    found = ts.describe(str(EXAMPLES / "play-tennis.csv"), "Play")
    assert [c.gain_ratio for c in found.columns] == pytest.approx([0.1564, 0.0188, 0.1518, 0.0488], abs=1e-4)


def test_many_levels_gain_more_but_their_ratio_is_lower():
    with (EXAMPLES / "play-tennis.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    for row, batch in zip(table, "cfgbeacaaafead", strict=True):
        row["Batch"] = batch
    found = ts.describe(table, "Play")
    assert found["Batch"].gain == pytest.approx(0.3078, abs=1e-4)
    assert found["Batch"].gain_ratio == pytest.approx(0.1207, abs=1e-4)
    assert found["Batch"].gain > found["Outlook"].gain
    assert found["Batch"].gain_ratio < found["Outlook"].gain_ratio


def test_best_cut_of_a_measurement():
    table = [{"t": t, "y": y} for t, y in zip([40, 48, 60, 72, 80, 90], "NNYYYN", strict=True)]
    found = ts.describe(table, "y")
    assert found["t"].kind == "numeric"
    assert found["t"].cut == 54
    assert found["t"].gain == pytest.approx(0.4591, abs=1e-4)


def test_ordered_levels_are_cut_by_name():
    table = [{"size": s, "y": y} for s, y in zip(["S", "M", "L", "S", "L"], "aabab", strict=True)]
    found = ts.describe(table, "y", columns=ts.Columns({"size": "ordered"}, {"size": ["S", "M", "L"]}))
    assert found["size"].cut == "L"
    assert found["size"].gain == pytest.approx(found.entropy)


def test_text_is_split_by_its_most_telling_word():
    texts = ["free money now friend", "win free money today", "see you at lunch", "lunch at noon today", None]
    table = [
        {"message": t, "y": y} for t, y in zip(texts, ["spam", "spam", "ham", "ham", "ham"], strict=True)
    ]
    found = ts.describe(table, "y", kinds={"message": "text"})["message"]
    assert (found.kind, found.missing, found.cut) == ("text", 1, "free")
    assert found.gain == pytest.approx(bits([2, 3]))
    assert found.gain_ratio == pytest.approx(1.0)


def test_gain_of_sex_in_the_whole_census_table():
    data = os.environ.get("TALLYSTICK_DATA")
    if not data:
        pytest.skip("TALLYSTICK_DATA is not set: no census table")
    pa, pacsv = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.csv")
    parts = [pacsv.read_csv(Path(data) / "adult" / f"adult-{part}.csv.gz") for part in ("train", "test")]
    found = ts.describe(pa.concat_tables(parts), "income")
    assert found.rows == 48842
    assert [p.rows for p in found["sex"].distribution] == [14423 + 1769, 22732 + 9918]
    assert found.entropy == pytest.approx(0.793844, abs=1e-6)
    assert found["sex"].gain == pytest.approx(0.0366896, abs=5e-8)


def test_description_does_not_depend_on_row_order():
    with (EXAMPLES / "votes.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    first = ts.describe(table, "party").to_dict()
    random.Random(1).shuffle(table)
    assert ts.describe(table, "party").to_dict() == first


def test_missing_cells_are_counted_and_named():
    found = ts.describe(str(EXAMPLES / "votes.csv"), "party")
    assert sum(c.missing for c in found.columns) == 392
    assert found["physician-fee-freeze"].missing == 11
    assert [(p.label, p.rows) for p in found.classes] == [("democrat", 267), ("republican", 168)]


def test_without_a_target_there_are_no_gains():
    found = ts.describe(str(EXAMPLES / "play-tennis.csv"))
    assert [c.name for c in found.columns] == ["Outlook", "Temperature", "Humidity", "Wind", "Play"]
    assert all(c.gain is None for c in found.columns)
    assert "gain" not in str(found)


def test_distribution_of_numbers_counts_every_row_once():
    values = [float(v) for v in np.random.default_rng(0).normal(size=500)]
    found = ts.describe([{"v": v, "y": v > 0} for v in values], "y")
    assert sum(p.rows for p in found["v"].distribution) == 500
    assert found["v"].gain == pytest.approx(found.entropy)
    assert max(v for v in values if v <= 0) < found["v"].cut <= min(v for v in values if v > 0)


@pytest.mark.parametrize("scale", [5e-324, 1e308 / 20])
def test_distribution_stands_at_the_ends_of_the_doubles(scale):
    found = ts.describe(
        {"v": [scale * i for i in range(20)], "y": ["a", "b"] * 10}, "y", columns=ts.Columns(keep=["v"])
    )
    assert sum(p.rows for p in found["v"].distribution) == 20


def test_misspelt_target_is_an_error_in_one_line():
    with pytest.raises(TallyError, match="'party'") as error:
        ts.describe(str(EXAMPLES / "votes.csv"), "prty")
    assert "\n" not in str(error.value)


def test_no_control_character_reaches_the_page():
    hostile = "\x1b[2J\u202eevil\r\n\x07"
    table = [
        {hostile: v, "y": y} for v, y in zip(["\x1b[31mred", "blue\x9b", "blue\x9b"], "abb", strict=True)
    ]
    page = str(ts.describe(table, "y"))
    assert all(c.isprintable() or c == "\n" for c in page)
    assert "\\x1b[2J" in page


def test_columns_are_ranked_by_what_is_left_after_the_price_of_their_choice():
    found = ts.describe(str(EXAMPLES / "play-tennis.csv"), "Play")
    three = math.log2(2) + math.log2(3) - 1  # bits that name one of three levels; of two there is no choice
    prices = {"Outlook": three, "Temperature": three, "Humidity": 0, "Wind": 0}
    for name, price in prices.items():
        assert found[name].left == pytest.approx(max(found[name].gain - price / 14, 0), abs=1e-9)
    chance = random.Random(3)
    rows = [{"sex": chance.choice("fm"), "name": f"n{chance.randrange(150)}"} for _ in range(300)]
    rows = [
        r | {"day": float(i), "y": "p" if (r["sex"] == "f") ^ (i % 5 == 0) else "q"}
        for i, r in enumerate(rows)
    ]
    found = ts.describe(rows, "y", kinds={"day": "numeric"}, columns=ts.Columns(keep=["name", "day"]))
    assert found["name"].gain > found["sex"].gain == found["sex"].left > found["name"].left
    assert found["day"].left == pytest.approx(max(found["day"].gain - math.log2(299) / 300, 0), abs=1e-9)
    assert sorted(found.columns, key=lambda c: c.rank)[0].name == "sex"
    page = str(found)
    assert page.index("\nsex ") < page.index("\nname ")
    assert "left" in page
    assert found.to_dict()["columns"][0]["left"] == found["sex"].left


def test_missing_is_a_value_in_the_gain():
    rows = [{"x": None if i % 2 else float(i % 7), "y": "p" if i % 2 else "q"} for i in range(60)]
    assert ts.describe(rows, "y")["x"].gain == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("count", "words"), [(1, "1 row, 1 column"), (2, "2 rows, 1 column")])
def test_one_of_a_thing_is_not_many(count, words):
    assert str(ts.describe({"x": ["a", "b"][:count]}, kinds={"x": "levels"})).startswith(
        f"the dict of columns: {words}"
    )


def test_a_model_of_one_column_does_not_have_columns():
    rows = {"x": ["a", "b"] * 10, "y": ["p", "q", "q", "q"] * 5}
    assert ": 20 rows, 1 column\n" in str(ts.NaiveBayes().fit(rows, "y"))
