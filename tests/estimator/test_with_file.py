"""The model file of an estimator: whole, in pieces and on disk."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tallystick as ts
from tallystick.errors import OptionError

X = np.arange(40.0).reshape(20, 2) % 7
Y = np.arange(20) % 3 % 2


@pytest.mark.parametrize(
    "made", [ts.DecisionTree, ts.NaiveBayes, ts.LogisticRegression, ts.Scorecard, ts.RuleList]
)
def test_what_is_saved_is_what_the_bytes_say_and_what_the_data_says(made, tmp_path):
    model = made().fit(X, Y)
    path = tmp_path / "m.tally.json"
    model.save(path)
    assert path.read_bytes() == model.to_bytes() == b"".join(model._pieces(True))
    stored = json.loads(model.to_bytes())
    said = json.loads(json.dumps(model.to_dict()))
    assert {key: stored[key] for key in said} == said
    assert stored["profile"]
    assert not json.loads(model.to_bytes(profile=False))["profile"]


def test_a_model_is_not_saved_over_its_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "".join(f"{i % 7},{i % 2}\n" for i in range(30)))
    model = ts.NaiveBayes().fit(path, "y")
    with pytest.raises(OptionError, match="path="):
        model.save(path)
    assert path.read_text().startswith("a,y")
