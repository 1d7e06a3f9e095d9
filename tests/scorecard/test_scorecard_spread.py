"""How errors go together, in a model file: plain data that make it again."""

from __future__ import annotations

import json

import numpy as np

from tallystick.scorecard.model import CardSpread


def test_a_spread_is_plain_data_that_make_it_again():
    for factor in (np.array([[1, -2, 0], [0, 3, 4]]), np.zeros((0, 3), np.int64)):
        one = CardSpread(np.array([1.5]), np.array([0.25]), (factor,))
        again = CardSpread.from_dict(json.loads(json.dumps(one.to_dict())), 2)
        assert again.to_dict() == one.to_dict()
        assert again.factors[0].shape == factor.shape
        assert again.factors[0].dtype == np.int64
