"""What `describe` says of a table, against worked examples."""

from __future__ import annotations

import csv
import math
import random
from importlib import resources

import pytest
from shared_tables import shared

import tallystick as ts
from tallystick.errors import TallyError

pytestmark = pytest.mark.slow

EXAMPLES = resources.files("tallystick.examples")


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


def test_gain_of_sex_in_the_whole_census_table():
    pa, pacsv = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.csv")
    parts = [pacsv.read_csv(shared(f"adult/adult-{part}")) for part in ("train", "test")]
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


def test_misspelt_target_is_an_error_in_one_line():
    with pytest.raises(TallyError, match="'party'") as error:
        ts.describe(str(EXAMPLES / "votes.csv"), "prty")
    assert "\n" not in str(error.value)


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


def test_a_model_of_one_column_does_not_have_columns():
    rows = {"x": ["a", "b"] * 10, "y": ["p", "q", "q", "q"] * 5}
    assert ": 20 rows, 1 column\n" in str(ts.NaiveBayes().fit(rows, "y"))
