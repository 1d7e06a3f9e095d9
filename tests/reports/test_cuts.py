"""Cuts in few digits: what the page says parts the training rows as the model does, and exports keep all."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

import tallystick as ts
from tallystick.io.open import open_source
from tallystick.judge import folds as large
from tallystick.reports.columns import tree_number_sentences, variance_share
from tallystick.reports.context import section_of
from tallystick.table.reader import read_to_disk
from tallystick.tree.explain import beside, cut_text, few_digits, in_few_digits, is_long
from tallystick.tree.report import CANDIDATES, tree_data, with_candidates
from tallystick.tree.splits import splits

NUMBERS = st.floats(-1e9, 1e9, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-9)
LONG = re.compile(r"[1-9](?:\.?\d){6}")  # more than six digits


@pytest.mark.slow
@drawn(st.lists(NUMBERS, min_size=2, max_size=40, unique=True))
def test_no_training_value_lies_between_a_cut_and_what_is_told(found):
    values = np.sort(np.array(found))
    cuts = np.unique(values[:-1] + np.diff(values) / 2)
    below, above = beside(values, cuts)
    short = few_digits(cuts, below, above)
    for told, cut in zip(short, cuts, strict=True):
        assert ((values < told) == (values < cut)).all()
    assert (short[~is_long(cuts)] == cuts[~is_long(cuts)]).all()


def test_a_cut_has_the_fewest_digits_that_part_its_neighbours():
    cut = np.array([1580.869977570])
    assert few_digits(cut, np.array([1500.0]), np.array([1600.0])) == [1581.0]
    assert few_digits(cut, np.array([1580.8]), np.array([1580.9])) == [1580.9]
    assert few_digits(cut, np.array([1580.8]), np.array([1580.88])) == [1580.87]
    assert few_digits(cut, np.array([1580.869977]), np.array([1580.869979])) == [1580.869978]
    for plain in (2.45, 5119.0, 56292.5, 0.0, np.nan, np.nextafter(2.5, 3)):
        assert np.array_equal(
            few_digits(np.array([plain]), np.array([-np.inf]), np.array([np.inf])), [plain], equal_nan=True
        )


def test_neighbours_are_found_a_few_rows_at_a_time(monkeypatch):
    values = np.array([3.0, np.nan, 1.0, 7.0, 5.0, 7.5, np.nan])
    cuts = np.array([0.5, 4.0, 5.0, 9.0])
    whole = beside(values, cuts)
    assert whole[0].tolist() == [-np.inf, 3.0, 3.0, 7.5]
    assert whole[1].tolist() == [1.0, 5.0, 5.0, np.inf]
    monkeypatch.setattr(large, "STEP", 2)
    assert np.array_equal(beside(values, cuts), whole)


def rows(count=300):
    chance = random.Random(5)
    out = []
    for _ in range(count):
        a, b = chance.gauss(0, 1), chance.expovariate(1 / 900)
        out.append({"a": a, "b": b, "s": "pq"[a > 0.2], "y": "yes" if a + b / 900 > 1 else "no"})
    return out


@pytest.mark.parametrize("average", [True, False])
def test_a_tree_in_few_digits_sends_every_training_row_the_same_way(average):
    model = ts.DecisionTree(average=average)
    table = model._read(rows(), "y")
    tree = model._fit_table(table).model_
    told = in_few_digits(tree, table, CANDIDATES, tree.shown_numbers[with_candidates(tree.shown)])
    for one in (tree, told):
        assert is_long(one.nodes.cut).any() == (one is tree)
    for block in table.blocks():
        assert np.array_equal(told.stops(block), tree.stops(block))
        assert np.array_equal(told.shares(block), tree.shares(block))
    page = tree_data(told, {})
    assert not any(LONG.search(words) for words in page["branch"])
    tables = [line for lines in page["tables"].values() for line in lines]
    assert not any(LONG.search(line[1]) for line in tables)
    assert all(sum(line[4] for line in lines) == 1 for lines in page["tables"].values())  # one was chosen
    assert LONG.search(model.export("rules"))


def test_candidates_of_nodes_that_the_page_does_not_show_stay_where_they_are(monkeypatch):
    monkeypatch.setattr("tallystick.io.scratch.FEW", 0)
    monkeypatch.setattr("tallystick.tree.report.MOST_TABLES", 2)
    table = read_to_disk(open_source(rows()), 32 << 20, None, "y")
    tree = ts.DecisionTree(average=False)._fit_table(table).model_
    assert tree.candidates.on_disk
    told = section_of(tree).readable(tree, table)
    assert "all_candidates" not in vars(tree)
    below = told.candidates_of(np.arange(1, len(tree.nodes)))
    assert 0 < len(below.column) <= CANDIDATES  # of one node
    shown = tree_data(told, {})["tables"]
    assert len(shown) == 2
    first = splits(tree, 0, most=CANDIDATES).candidates
    assert [line[0] for line in shown["0"]] == [c.column for c in first]


def test_a_tree_of_short_cuts_is_told_as_it_is(given):
    made = given("tree")
    assert made.readable_model is made.model


def test_numbers_and_dates_are_told_by_the_same_rule():
    found = [r | {"y": 3 * r["a"] + r["b"]} for r in rows()]
    model = ts.RegressionTree()
    table = model._read(found, "y")
    told = in_few_digits(model._fit_table(table).model_, table)
    assert not LONG.search(" ".join(str(s) for s in tree_number_sentences(told, table)))
    assert not any(LONG.search(g.words) for g in variance_share(table, table.schema["b"]).groups)
    days = [{"when": f"2026-01-{i % 28 + 1:02}", "y": "ab"[i % 28 > 9]} for i in range(90)]
    table = ts.DecisionTree()._read(days, "y")
    assert cut_text(20463.123456789, table.schema["when"], table.column("when")).startswith("2026-01-10")
