"""Which method is taken where none is named."""

from __future__ import annotations

from importlib import resources

import numpy as np
import pytest

import tallystick as ts
from tallystick.judge import api as choosing
from tallystick.judge.api import choose
from tallystick.methods import NAMES

pytestmark = pytest.mark.slow

VOTES = str(resources.files("tallystick.examples") / "votes.csv")


def made(rows: int, seed: int = 0) -> dict[str, list[object]]:
    rng = np.random.default_rng(seed)
    dose, ward = rng.integers(0, 20, rows), rng.integers(0, 3, rows)
    cured = rng.random(rows) < 1 / (1 + np.exp(-(dose - 10) / 2.0))
    return {
        "dose": dose.tolist(),
        "ward": [f"w{w}" for w in ward],
        "cured": ["yes" if c else "no" for c in cured],
    }


def test_it_is_the_razor_of_the_comparison():
    known = ts.compare(VOTES, "party", methods=list(NAMES), tuned=False, folds=4)
    found = choose(VOTES, "party", folds=4)
    assert found.family == known.chosen.family
    assert found.why == known.why
    assert found.entry is not None
    assert found.entry.result.loss == known.chosen.result.loss
    assert found.rows == 435
    assert type(found.estimator({"threads": 1})).__name__ == type(known.model).__name__


def test_of_a_large_table_a_part_is_compared_and_said(monkeypatch):
    monkeypatch.setattr(choosing, "WORK", 1_000)
    monkeypatch.setattr(choosing, "FEWEST", 300)
    data = made(3_000)
    found = choose(data, "cured", folds=3)
    assert 200 < found.rows < 420
    assert found.why.startswith(f"To save time, methods were compared on {found.rows:,} of the 3,000 rows. ")
    order = np.random.default_rng(1).permutation(3_000)
    mixed = {name: [values[i] for i in order] for name, values in data.items()}
    assert choose(mixed, "cured", folds=3).why == found.why  # whatever order the rows came in


def test_a_method_is_taken_where_none_is_better_than_the_most_frequent_class():
    noise = {"a": ["p", "q"] * 30, "y": ["b", "b", "c", "c"] * 15}
    found = choose(noise, "y", folds=5)
    assert found.family in NAMES
    assert found.why.startswith("No method is clearly better than always answering the most frequent class.")


def test_two_rows_are_compared_too_and_no_method_is_called_better():
    found = choose({"a": [1, 2], "y": ["b", "c"]}, "y", kinds={"a": "numeric"})
    assert found.judged().how == "each row left out in turn"
    assert found.why.startswith("No method is clearly better")


def test_text_alone_is_said():
    texts = ["good day to all", "bad night for some", "good good days", "bad bad nights"] * 15
    found = choose({"t": texts, "y": ["up", "down"] * 30}, "y", folds=3, kinds={"t": "text"})
    assert found.family != "tree"
    assert "a tree does not read" in found.why
