"""The response as one more dense column."""

from __future__ import annotations

import numpy as np

from tallystick.stats.design_sums import Dense, Design, Factor, response_at, with_response
from tallystick.table.block import RowBlock as Block


def test_the_response_is_the_last_dense_column():
    design = Design((Dense("x", (Factor("x", "x", None, 0.0, 9.0),)),), (), ())
    block = Block(2, {"x": np.array([1.0, 2.0])}, None, np.array([5.0, 7.0]))
    whole = with_response(design, 5.0, 7.0)
    assert whole.dense[-1].values(block).tolist() == [5.0, 7.0]
    assert whole.dense[-1].bounds == (5.0, 7.0)
    assert response_at(design) == 2
    assert whole.size == design.size + 1
