"""Options of a density tree: refused in one line that names them."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick.density.model import DensityOptions
from tallystick.errors import OptionError


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"alpha": 0}, "alpha must be a number from 1e-06 to 1e+09, not 0"),
        ({"alpha": float("nan")}, "alpha must be a number from 1e-06 to 1e+09, not nan"),
        ({"alpha": "much"}, "alpha must be a number from 1e-06 to 1e+09, not 'much'"),
        ({"pieces": 1}, "pieces must be a whole number from 2 to 1,000, not 1"),
        ({"pieces": True}, "pieces must be a whole number from 2 to 1,000, not True"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be a whole number from 1"),
        ({"max_depth": 1.5}, "max_depth must be a whole number from 1"),
        ({"max_leaf_nodes": 0}, "max_leaf_nodes must be a whole number from 1"),
        ({"pruning": "mdl"}, "pruning must be 'length', 'held-out' or None, not 'mdl'"),
    ],
)
def test_what_makes_no_sense_is_refused(given, said):
    with pytest.raises(OptionError) as error:
        DensityOptions(**given)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_numbers_of_numpy_are_plain_in_the_file():
    found = DensityOptions(alpha=np.float32(2), pieces=np.int64(8)).to_dict()
    assert {type(v) for v in found.values() if v is not None} <= {int, float, str}
