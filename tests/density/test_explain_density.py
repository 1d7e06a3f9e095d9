"""Why a row is likely: parts that add up, in words and as a picture."""

from __future__ import annotations

import math

import pytest
from density_tables import mixed

import tallystick as ts
from tallystick.density.estimator import density_svg

FRAME = mixed()
TREE = ts.DensityTree().fit(FRAME)


@pytest.mark.parametrize(
    "row", [0, 5, {"age": 999, "home": "boat", "size": None, "member": True, "income": 20.0}]
)
def test_the_parts_of_a_row_add_up_to_its_likelihood(row):
    found = TREE.explain(row) if isinstance(row, dict) else TREE.explain(FRAME, row)
    total = found.log_leaf + math.fsum(t.term for t in found.terms)
    assert total == pytest.approx(found.log_likelihood, abs=1e-12)
    given = [row] if isinstance(row, dict) else FRAME.iloc[[row]]
    assert TREE.score_samples(given)[0] == found.log_likelihood
    assert [t.share for t in found.terms] == sorted(t.share for t in found.terms)
    assert found.to_dict()["log_likelihood"] == found.log_likelihood
    assert found.picture().startswith("<svg")
    assert f"{found.log_likelihood:.4f}" in str(found)


def test_a_level_never_seen_and_a_missing_one_have_words():
    text = str(TREE.explain({"age": 20, "home": "boat", "size": None, "member": True, "income": 20.0}))
    assert "a level never seen" in text
    assert "missing" in text


def test_the_picture_has_a_box_for_every_node_and_says_when_it_has_not():
    nodes = len(TREE.model_.nodes)
    assert density_svg(TREE.model_, 99).count("of rows</text>") == nodes - 1
    assert f"the first 2 of {nodes} nodes" in density_svg(TREE.model_, 2)


def test_hostile_names_are_escaped():
    rows = [{"<b>\x1b[2J": "</text>" if i % 2 else "fine", "n": i % 2} for i in range(40)]
    tree = ts.DensityTree().fit(rows)
    assert "\x1b" not in str(tree)
    assert "<b>" not in tree.picture()
    assert "\x1b" not in str(tree.explain(rows[0]))


def test_leaves_are_told_by_their_size():
    shares = [line.partition(" of rows")[0] for line in TREE.show(most=2).splitlines()[1:]]
    assert len(shares) == len(TREE.leaves_)
