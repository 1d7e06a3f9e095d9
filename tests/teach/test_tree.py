"""The printed working of trees: the numbers of the worked examples are in it."""

import re
from itertools import product

import pytest

import tallystick as ts

TEN = [
    dict(zip(("f1", "f2", "f3", "f4"), map(int, bits), strict=True)) | {"y": y}
    for y, several in ((1, "0110 0011 1010 0011 0000"), (0, "1001 1101 1000 1101 1011"))
    for bits in several.split()
]
FIVE = [
    dict(zip(("A1", "A2", "A3"), map(int, bits), strict=True)) | {"y": y}
    for bits, y in (("100", 0), ("101", 0), ("010", 0), ("111", 1), ("110", 1))
]
DEGREES = [
    {"t": t, "c": c} for t, c in zip((40, 48, 60, 72, 80, 90), ("N", "N", "Y", "Y", "Y", "N"), strict=True)
]


def node(text, number):
    """The part of a printed working that is about one node."""
    return re.search(rf"^Node {number}:.*?(?=^Node|^The tree|\Z)", text, re.MULTILINE | re.DOTALL)[0]


def side_by_side(text):
    """The table of all columns of a node: {column: [numbers]}."""
    lines = text.partition("All columns:\n\n")[2].partition("\n\n")[0].split("\n")[1:]
    return {r[0]: [float(x) for x in r[1:]] for r in (line.replace("→", "").split() for line in lines)}


def test_a1_the_root_of_ten_boolean_rows():
    text = node(ts.work(TEN, "y").text(), 0)
    assert "H(5/10, 5/10) = −0.5·log₂ 0.5 − 0.5·log₂ 0.5 = 1\n" in text
    found = side_by_side(text)
    assert [found[f"f{j}"][0] for j in (1, 2, 3, 4)] == [0.39, 0.9651, 0.7219, 0.8755]
    assert "f1 has the largest gain" in text


def test_a2_three_attributes():
    text = ts.work(FIVE, "y").text()
    root, below = node(text, 0), node(text, 2)
    assert "H(3/5, 2/5) = −0.6·log₂ 0.6 − 0.4·log₂ 0.4 = 0.9710" in root
    found = side_by_side(root)
    assert [found[c][:2] for c in ("A1", "A2", "A3")] == [[0.8, 0.171], [0.551, 0.42], [0.951, 0.02]]
    assert "= 0.9183" in below
    assert {c: row[1] for c, row in side_by_side(below).items()} == {"A1": 0.9183, "A3": 0.2516}
    assert "Leaf: all its rows are 0." in node(text, 1)


def test_a3_play_tennis(tennis):
    text = ts.work(tennis, "Play").text()
    found = side_by_side(node(text, 0))
    assert "H(5/14, 9/14) = −(5/14)·log₂(5/14) − (9/14)·log₂(9/14) = 0.9403" in text
    assert {c: (row[1], row[3]) for c, row in found.items()} == {
        "Outlook": (0.2467, 0.1564),
        "Temperature": (0.0292, 0.0188),
        "Humidity": (0.1518, 0.1518),
        "Wind": (0.0481, 0.0488),
    }
    assert "H(2/5, 3/5) = −0.4·log₂ 0.4 − 0.6·log₂ 0.6 = 0.9710" in node(text, 2)
    assert "Outlook has the largest gain, 0.2467; next is Humidity with 0.1518: split on Outlook." in text
    assert "5 leaves, 8 nodes, depth 2, training accuracy 1.0000 (14 of 14)" in text
    assert "if Outlook = Overcast then Yes" in text
    assert "Yes = (Outlook = Overcast) ∨ " in text


def test_a5_every_cut_has_its_gain():
    text = node(ts.work(DEGREES, "c").text(), 0)
    cuts = dict(re.findall(r"t < (\d+) .* (\d[.\d]*)$", text, re.MULTILINE))
    assert cuts == {"44": "0.1909", "54": "0.4591", "66": "0.0817", "76": "0", "85": "0.1909"}
    assert re.search(r"→ +t < 54 ", text)


def test_c45_pays_for_its_cuts_and_chooses_by_ratio(tennis):
    text = ts.work(DEGREES, "c", method="c45").text()
    assert "price of one of 3 cuts = log₂ 3 / 6 = 0.2642" in text
    assert "gain less price = 0.4591 − 0.2642 = 0.1950" in text
    assert "0.1909 (too few rows)" in text
    text = ts.work(tennis, "Play", method="c45").text()
    assert (
        "Outlook has the largest gain ratio, 0.1564, of the columns with at least average gain (0.1190)"
        in text
    )


def test_cart_writes_gini_out(tennis):
    text = ts.work(tennis, "Play", method="cart", min_samples_split=2, min_samples_leaf=1).text()
    assert "G(5/14, 9/14) = 1 − (5/14)² − (9/14)² = 0.4592" in text
    assert "split information" not in text
    few = ts.work(tennis, "Play", method="cart").text()
    assert "Leaf: too few rows to split, fewer than 20 (min_samples_split). Answer: Yes." in few


def test_missing_rows_in_parts_are_said(tennis):
    rows = [{"a": a, "y": y} for a, y in (("x", 0), ("x", 0), ("z", 1), ("z", 1), (None, 1))]
    text = ts.work(rows, "y", method="c45").text()
    assert "1 row without a value go down all branches" not in text
    assert "1 row has no value" in text
    assert "gain = (4/5)·(1 − 0) = 0.8000" in text


def test_a_large_table_is_worked_out_at_its_root():
    rows = [{"n": i / 3, "b": i % 2, "y": ["no", "yes"][i % 7 > 3]} for i in range(400)]
    text = ts.work(rows, "y").text()
    assert "only the root is worked out" in text
    assert "The 40 best cuts of 399 are shown." in text
    assert "Node 1" not in text


@pytest.mark.parametrize("method", ["id3", "c45", "cart", "tree"])
def test_a_sheet_gives_nothing_away(tennis, method):
    settings = {"min_samples_split": 2, "min_samples_leaf": 1} if method == "cart" else {}
    sheet = ts.work(tennis, "Play", method=method, blank=True, **settings).text()
    assert not re.search(r"\d\.\d", sheet.partition("\n")[2])
    assert "→" not in sheet
    assert "split on" not in sheet
    assert "Node 1" not in sheet


def test_an_expression_is_told_branch_by_branch_and_then_the_shortest():
    ways = product((0, 1), repeat=3)
    rows = [{"A": a, "B": b, "C": c, "y": b if a else c} for a, b, c in ways]
    text = ts.work(rows, "y", method="id3").text().partition("The expression")[2]
    first, _, shortest = text.partition("The shortest:")
    assert "Branch by branch, as the tree asks:" in first
    assert "  1 = ¬A∧¬B∧C ∨ ¬A∧B∧C ∨ A∧B\n" in first  # it tests B first, and each letter in order
    assert "  1 = A∧B ∨ ¬A∧C" in shortest


def test_an_expression_that_is_the_shortest_stands_once(tennis):
    text = ts.work(tennis, "Play").text().partition("The expression")[2]
    assert text.count("Yes = ") == 1
    assert "(Outlook = Sunny)∧(Humidity = Normal)" in text
