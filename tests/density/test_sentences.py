"""Leaves in sentences: what is told is true of the training rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from density_tables import mixed

import tallystick as ts
from tallystick.density.model import percent


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0004, "under 0.1 %"),
        (0.012, "1.2 %"),
        (0.05, "5 %"),
        (0.124, "12 %"),
        (0.9999, "over 99 %"),
        (1.0, "100 %"),
    ],
)
def test_shares_are_told_in_percent(share, said):
    assert percent(share) == said


def test_a_leaf_is_told_by_what_differs_from_all_rows():
    tree = ts.DensityTree().fit(mixed()[["age", "home", "member"]])
    for leaf in tree.leaves_:
        assert [t.bits for t in leaf.traits] == sorted((t.bits for t in leaf.traits), reverse=True)
        assert leaf.sentence(1) == f"{percent(leaf.share)} of rows: {leaf.traits[0]}"
        assert next(t for t in leaf.traits if t.column == "age").share >= 0.9


def test_every_share_told_is_that_of_the_rows():
    frame = mixed()
    tree = ts.DensityTree(max_leaf_nodes=4).fit(frame)
    at = tree.apply(frame)
    for leaf in tree.leaves_:
        here = frame[at == leaf.number]
        assert leaf.rows == len(here)
        for trait in leaf.traits:
            words = trait.words.removeprefix(f"{trait.column} ")
            if trait.column == "home" and words.startswith("= "):
                held = here["home"].isin(words.removeprefix("= ").split(" or "))
            elif trait.column == "age" and " to " in words:
                held = here["age"].between(*map(float, words.split(" to ")))
            else:
                continue
            assert trait.share == pytest.approx(held.mean())


def test_missing_dates_and_ordered_levels_have_words():
    rows = 60
    frame = pd.DataFrame(
        {
            "day": pd.date_range("2026-01-01", periods=rows).astype(str),
            "size": ["S", "M"] * (rows // 2),
            "x": [np.nan] * 50 + [1.5] * 10,
        }
    )
    columns = ts.Columns(
        kinds={"x": "numeric", "size": "ordered"}, levels={"size": ["S", "M", "L"]}, keep=["day"]
    )
    tree = ts.DensityTree(max_leaf_nodes=1, columns=columns).fit(frame)
    said = tree.leaves_[0].sentence()
    assert "x missing (83 %)" in said
    assert "size S to M" in said
    assert "day 2026-01-01 to 2026-" in said
