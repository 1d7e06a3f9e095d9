"""Fit again and compare byte for byte: the verdict is "same" exactly when the bytes are equal."""

from __future__ import annotations

import pytest

import tallystick as ts
from tallystick.errors import OptionError
from tallystick.estimator.verify import Verdict, refuse_unrepeatable, verify

ROWS = {"sky": ["sun", "rain", "sun", "rain", "sun"] * 8, "play": ["no", "yes", "no", "yes", "yes"] * 8}


def turned(rows):
    return {name: cells[::-1] for name, cells in rows.items()}


@pytest.mark.slow
@pytest.mark.parametrize("make", [ts.NaiveBayes, ts.DecisionTree, ts.LogisticRegression, ts.Scorecard])
def test_the_same_rows_in_another_order_give_the_same_bytes(make, tmp_path):
    model = make().fit(ROWS, "play")
    model.save(tmp_path / "m.tally.json")
    for kept in (model, tmp_path / "m.tally.json"):
        assert verify(kept, turned(ROWS), threads=1)


def test_parameters_are_those_of_the_model():
    model = ts.NaiveBayes(alpha=0.5).fit(ROWS, "play")
    assert verify(model, ROWS)
    assert not verify(model, {name: cells[1:] for name, cells in ROWS.items()})


def test_a_verdict_is_said_in_a_line_with_the_first_difference():
    model = ts.NaiveBayes().fit(ROWS, "play")
    found = verify(model, {name: cells[1:] for name, cells in ROWS.items()})
    assert str(found).startswith("The data does not give this model: ")
    assert found.to_dict() == {"same": False, "difference": found.difference, "bytes": len(model.to_bytes())}
    assert str(Verdict(True, "", 1234)) == "The data gives this model: all 1,234 bytes are equal."


def test_a_tree_pruned_by_rows_that_are_not_in_its_file_cannot_be_verified():
    rows = {"a": [i % 7 for i in range(60)], "b": ["u", "v", "w"] * 20, "y": ["p", "q"] * 30}
    pruned = ts.DecisionTree.id3().fit(rows, "y").prune("reduced-error", data=turned(rows))
    with pytest.raises(OptionError, match="this tree was pruned by held-out rows"):
        refuse_unrepeatable(pruned)
