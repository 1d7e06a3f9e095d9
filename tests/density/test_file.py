"""The model file of a density tree: the same model back. What is refused: tests/support/broken_density.py."""

from __future__ import annotations

import json

import pytest
from density_tables import mixed
from model_files import signed

import tallystick as ts
from tallystick.errors import ModelFileError
from tallystick.estimator.base import from_data

TREE = ts.DensityTree(pruning=None, min_samples_leaf=40, pieces=4).fit(mixed())


def test_a_file_gives_the_same_model():
    again = from_data(TREE.to_bytes())
    assert again.to_bytes() == TREE.to_bytes()
    assert again.score_samples(mixed()).tobytes() == TREE.score_samples(mixed()).tobytes()
    assert str(again) == str(TREE)
    assert again.sample(20, seed=4).equals(TREE.sample(20, seed=4))


def test_other_models_cannot_lack_their_target():
    document = json.loads(
        ts.NaiveBayes().fit([{"a": "u", "y": "n"}, {"a": "v", "y": "m"}] * 5, "y").to_bytes()
    )
    document["schema"]["target"] = None
    with pytest.raises(ModelFileError, match=r"schema\.target must be an object"):
        from_data(signed(document))
