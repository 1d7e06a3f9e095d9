"""Decision trees on the small tables from which the method is taught."""

from __future__ import annotations

import itertools
import math
import random
from importlib.resources import files

import pytest
from shared_tables import needs_data, shared

import tallystick as ts

EXAMPLES = files("tallystick") / "examples"


def table(names: str, rows: str) -> list[dict[str, str]]:
    """Rows given as words, one row per line."""
    return [dict(zip(names.split(), line.split(), strict=True)) for line in rows.strip().splitlines()]


def bits(text: str, names: str) -> list[dict[str, int]]:
    """Rows given as strings of 0 and 1."""
    return [dict(zip(names.split(), map(int, row), strict=True)) for row in text.split()]


def entropy(counts: tuple[float, ...]) -> float:
    total = sum(counts)
    return -sum(n / total * math.log2(n / total) for n in counts if n)


def gains(tree: ts.DecisionTree, node: int = 0) -> dict[str, float]:
    return {c.column: c.gain for c in tree.splits(node).candidates}


def ratios(tree: ts.DecisionTree, node: int = 0) -> dict[str, float]:
    return {c.column: c.ratio for c in tree.splits(node).candidates}


BOOLEANS = bits(
    "01101 00111 10101 00111 00001 10010 11010 10000 11010 10110",
    "f1 f2 f3 f4 y",
)


def test_the_root_of_ten_boolean_rows_is_f1():
    tree = ts.DecisionTree.id3().fit(BOOLEANS, "y")
    found = gains(tree)
    for column, child in {"f1": 0.3900, "f2": 0.9651, "f3": 0.7219, "f4": 0.8755}.items():
        assert found[column] == pytest.approx(1 - child, abs=1e-4)
    assert tree.splits(0).candidates[0].column == "f1"
    assert tree.splits(0).candidates[0].chosen


FIVE = bits("1000 1010 0100 1111 1101", "A1 A2 A3 y")


def test_three_attributes_and_five_rows_show_their_computations():
    tree = ts.DecisionTree.id3().fit(FIVE, "y")
    root = gains(tree)
    assert entropy((3, 2)) == pytest.approx(0.9710, abs=1e-4)
    assert root["A1"] == pytest.approx(0.1710, abs=1e-4)
    assert root["A2"] == pytest.approx(0.4200, abs=1e-4)
    assert root["A3"] == pytest.approx(0.0200, abs=1e-4)
    below = next(n for n in range(1, 5) if tree.model_.nodes.column[n] >= 0)
    inner = gains(tree, below)
    assert inner["A1"] == pytest.approx(0.9183, abs=1e-4)
    assert inner["A3"] == pytest.approx(0.2516, abs=1e-4)
    assert tree.predict([{"A1": 0, "A2": 0, "A3": 0}, {"A1": 0, "A2": 1, "A3": 1}]).tolist() == [0, 0]
    assert tree.score(FIVE, "y") == 1
    steps = tree.explain({"A1": 0, "A2": 1, "A3": 1}).steps
    assert [s.sentence for s in steps] == ["all rows", "A2 = 1", "A1 = 0"]
    assert [s.counts for s in steps] == [(3, 2), (1, 2), (1, 0)]


def test_play_tennis_by_id3():
    tree = ts.DecisionTree.id3().fit(EXAMPLES / "play-tennis.csv", "Play")
    wanted = {"Outlook": 0.2467, "Temperature": 0.0292, "Humidity": 0.1518, "Wind": 0.0481}
    assert gains(tree) == pytest.approx(wanted, abs=1e-4)
    wanted = {"Outlook": 0.1564, "Temperature": 0.0188, "Humidity": 0.1518, "Wind": 0.0488}
    assert ratios(tree) == pytest.approx(wanted, abs=1e-4)
    assert tree.get_n_leaves() == 5
    assert tree.score(EXAMPLES / "play-tennis.csv") == 1
    texts = [str(rule).split(" (")[0] for rule in tree.rules()]
    assert "if Outlook = Overcast then Yes" in texts
    assert str(tree).splitlines()[2:] == [
        "all rows                 5 9   Yes 0.643",
        "├─ Outlook = Overcast    0 4 → Yes 1.000",
        "├─ Outlook = Rain        2 3   Yes 0.600",
        "│  ├─ Wind = Strong      2 0 → No 1.000",
        "│  └─ Wind = Weak        0 3 → Yes 1.000",
        "└─ Outlook = Sunny       3 2   No 0.600",
        "   ├─ Humidity = High    3 0 → No 1.000",
        "   └─ Humidity = Normal  0 2 → Yes 1.000",
        "No tested value was missing in training; a missing or new one takes the branch of most rows.",
    ]


def test_the_survey_of_households_by_id3():
    tree = ts.DecisionTree.id3().fit(EXAMPLES / "household-survey.csv", "Outcome")
    wanted = {"District": 0.2467, "House type": 0.0500, "Income": 0.1518, "Previous customer": 0.0481}
    assert gains(tree) == pytest.approx(wanted, abs=1e-4)
    inner = [n for n in range(1, len(tree.model_.nodes)) if tree.model_.nodes.column[n] >= 0]
    chosen = {c.column: c.gain for n in inner for c in tree.splits(n).candidates if c.chosen}
    assert chosen == pytest.approx({"Income": 0.9710, "Previous customer": 0.9710}, abs=1e-4)
    rules = {
        (
            tuple(sorted((c.column.name, *(c.column.levels[k] for k in c.levels)) for c in rule.conditions)),
            rule.answer,
        )
        for rule in tree.rules()
    }
    assert ((("District", "Rural"),), "Responded") in rules
    assert ((("District", "Urban"), ("Previous customer", "Yes")), "Nothing") in rules


TEMPERATURE = [
    {"Temperature": x, "Play": y}
    for x, y in zip((40, 48, 60, 72, 80, 90), ("N", "N", "Y", "Y", "Y", "N"), strict=True)
]


def test_the_best_threshold_of_the_temperatures_is_54():
    tree = ts.DecisionTree.id3().fit(TEMPERATURE, "Play")
    best = tree.splits(0).candidates[0]
    assert tree.model_.nodes.cut[0] == 54
    assert best.gain == pytest.approx(0.4591, abs=1e-4)
    assert best.counts == ((2, 0), (1, 3))
    other = [{"hot": row["Temperature"] >= 85, "Play": row["Play"]} for row in TEMPERATURE]
    assert gains(ts.DecisionTree.id3().fit(other, "Play"))["hot"] == pytest.approx(0.1909, abs=1e-4)


def test_a_value_at_the_cut_goes_right_and_a_cut_that_rounds_down_is_the_upper_value():
    below, above = 1.0, math.nextafter(1.0, 2.0)
    rows = [{"x": below, "y": "a"}, {"x": above, "y": "b"}] * 3
    tree = ts.DecisionTree.id3().fit(rows, "y")
    assert tree.model_.nodes.cut[0] == above
    assert tree.predict(rows[:2]).tolist() == ["a", "b"]


XOR = bits("000 011 101 110", "a b y")


def test_exclusive_or_is_learned_although_no_gain_is_above_zero():
    tree = ts.DecisionTree().fit(XOR, "y")
    assert tree.get_n_leaves() == 4
    assert tree.score(XOR, "y") == 1
    exact = ts.DecisionTree(average=False, smoothing=0.0, criterion="entropy").fit(XOR, "y")
    assert gains(exact) == pytest.approx({"a": 0, "b": 0}, abs=1e-12)
    assert exact.predict_proba(XOR).max(axis=1).tolist() == [1, 1, 1, 1]
    assert ts.DecisionTree(stop_at_zero_gain=True).fit(XOR, "y").get_n_leaves() == 1


def test_id3_goes_on_where_no_test_gains():
    tree = ts.DecisionTree.id3().fit(XOR, "y")
    assert (tree.get_n_leaves(), tree.score(XOR, "y")) == (4, 1)
    assert ts.DecisionTree.id3(stop_at_zero_gain=True).fit(XOR, "y").get_n_leaves() == 1


def test_id3_represents_any_boolean_function():
    rows = [dict(zip(("f1", "f2", "f3", "f4"), f, strict=True)) for f in itertools.product((0, 1), repeat=4)]
    for row in rows:
        row["y"] = int((not row["f3"] and row["f2"]) or (row["f3"] and row["f1"] and not row["f2"]))
    tree = ts.DecisionTree.id3(kinds=dict.fromkeys(("f1", "f2", "f3", "f4"), "boolean")).fit(rows, "y")
    assert tree.score(rows, "y") == 1
    assert tree.rules().expression() in ("¬f3∧f2 ∨ f3∧f1∧¬f2", "f2∧¬f3 ∨ f1∧¬f2∧f3")
    assert tree.predict([{"f1": 0, "f2": 1, "f3": 1, "f4": 0}]).tolist() == [0]
    rng = random.Random(7)
    for _ in range(5):
        own = [row | {"y": rng.randrange(2)} for row in rows]
        assert ts.DecisionTree.id3().fit(own, "y").score(own, "y") == 1


def test_six_rows_of_exclusive_or_have_no_gain_either():
    rows = bits("000 000 110 110 011 101", "a b y")
    tree = ts.DecisionTree(criterion="entropy", average=False, smoothing=0.0).fit(rows, "y")
    assert entropy((4, 2)) == pytest.approx(0.9183, abs=1e-4)
    assert gains(tree) == pytest.approx({"a": 0, "b": 0}, abs=1e-12)
    assert tree.score(rows, "y") == 1


def test_equal_rows_of_different_classes_end_in_a_majority_leaf():
    rows = [{"x": 1, "z": 0, "y": "b"}, {"x": 1, "z": 0, "y": "a"}, {"x": 2, "z": 1, "y": "b"}]
    tree = ts.DecisionTree(average=False, smoothing=0.0, columns=ts.Columns(keep=["x", "z"])).fit(rows, "y")
    assert tree.predict(rows).tolist() == ["a", "a", "b"], "equal shares take the first class"


def test_attribute_choice_on_two_booleans():
    names = "X1 X2 Y"
    six = [dict(zip(names.split(), row, strict=True)) for row in ("TTT", "TFT", "TTT", "TFT", "FTT", "FFF")]
    assert gains(ts.DecisionTree.id3().fit(six, "Y")) == pytest.approx({"X1": 0.3167, "X2": 0.1909}, abs=1e-4)
    eight = six + [dict(zip(names.split(), row, strict=True)) for row in ("FTF", "FFF")]
    assert gains(ts.DecisionTree.id3().fit(eight, "Y")) == pytest.approx(
        {"X1": 0.5488, "X2": 0.0488}, abs=1e-4
    )


@needs_data
def test_the_gain_of_sex_on_the_census_table():
    import pandas as pd

    both = pd.concat([pd.read_csv(shared(f"adult/adult-{part}")) for part in ("test", "train")])
    assert len(both) == 48_842
    tree = ts.DecisionTree.id3(max_depth=1).fit(both[["sex", "income"]], "income")
    split = tree.splits(0).candidates[0]
    assert split.gain == pytest.approx(0.0366896, abs=1e-7)
    assert split.counts == ((14_423, 1_769), (22_732, 9_918))
    assert [entropy(n) for n in split.counts] == pytest.approx([0.497654, 0.885847], abs=1e-6)


# the days 1 to 14 in the order Sunny/Hot/High/Weak ... Rain/Mild/High/Strong, and the batch of each
DAYS = """
Sunny Hot High Weak No c
Sunny Hot High Strong No f
Overcast Hot High Weak Yes g
Rain Mild High Weak Yes b
Rain Cool Normal Weak Yes e
Rain Cool Normal Strong No a
Overcast Cool Normal Strong Yes c
Sunny Mild High Weak No a
Sunny Cool Normal Weak Yes a
Rain Mild Normal Weak Yes a
Sunny Mild Normal Strong Yes f
Overcast Mild High Strong Yes e
Overcast Hot Normal Weak Yes a
Rain Mild High Strong No d
"""
TENNIS = table("Outlook Temperature Humidity Wind Play Batch", DAYS)


def test_gain_favours_many_values_and_gain_ratio_does_not():
    tree = ts.DecisionTree.id3().fit(TENNIS, "Play")
    assert gains(tree)["Batch"] == pytest.approx(0.3078, abs=1e-4)
    assert tree.splits(0).candidates[0].column == "Batch"
    assert ratios(tree)["Batch"] == pytest.approx(0.1207, abs=1e-4)
    by_ratio = ts.DecisionTree.id3(criterion="gain-ratio").fit(TENNIS, "Play")
    assert by_ratio.splits(0).candidates[0].column == "Outlook"


def test_a_column_of_unique_values_is_picked_by_both_but_not_by_c45():
    rows = [dict(row, Day=f"d{k}") for k, row in enumerate(TENNIS)]
    for row in rows:
        del row["Batch"]
    for criterion in ("entropy", "gain-ratio"):
        tree = ts.DecisionTree.id3(criterion=criterion, columns=ts.Columns(keep=["Day"])).fit(rows, "Play")
        assert gains(tree)["Day"] == pytest.approx(0.9403, abs=1e-4)
        assert ratios(tree)["Day"] == pytest.approx(0.2470, abs=1e-4)
        assert tree.splits(0).candidates[0].column == "Day"
    c45 = ts.DecisionTree.c45(columns=ts.Columns(keep=["Day"])).fit(rows, "Play")
    assert "Day" not in str(c45)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [{"min_samples_split": 20}, {"min_samples_leaf": 20}])
def test_a_tiny_tree_of_the_votes_does_as_well_as_bigger_ones(limit):
    votes = EXAMPLES / "votes.csv"
    small = ts.cross_validate(ts.DecisionTree(**limit), votes, "party")
    assert small.accuracy >= 0.94
    plain = ts.DecisionTree(average=False, **limit).fit(votes, "party")
    assert plain.get_n_leaves() <= 14  # whether a vote is missing is a test too
    assert ts.cross_validate(ts.DecisionTree(), votes, "party").accuracy >= 0.94


def test_the_greedy_tree_of_a_chosen_formula_is_not_the_smallest():
    rows = bits("0000 0011 0100 0111 1000 1010 1101 1111", "A B C y")  # y is A and B, or not A and C
    tree = ts.DecisionTree.id3().fit(rows, "y")
    assert gains(tree) == pytest.approx({"A": 0, "B": 0.1887, "C": 0.1887}, abs=1e-4)
    assert tree.get_n_leaves() > 4
    assert tree.score(rows, "y") == 1


def test_weights_of_branches_matter():
    rows = [{"x": 0, "y": 1}] + [{"x": 1, "y": k % 2} for k in range(200)]
    tree = ts.DecisionTree.id3().fit(rows, "y")
    [split] = tree.splits(0).candidates
    plain = sum(entropy(n) for n in split.counts) / 2
    weighted = sum(entropy(n) * sum(n) for n in split.counts) / 201
    assert plain == pytest.approx(0.5)
    assert weighted == pytest.approx(0.995, abs=1e-3)
    assert entropy((101, 100)) - split.gain == pytest.approx(weighted)


def test_entropies_of_known_shares():
    assert entropy((4, 2, 1, 1)) == 1.75
    assert entropy((1, 1, 1, 1)) == 2
