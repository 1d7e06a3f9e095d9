"""The door names the argument that is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick import kernels


def test_the_door_names_the_wrong_argument():
    codes, classes = np.zeros(4, np.uint8), np.zeros(4, np.uint8)
    with pytest.raises(TypeError, match=r"codes must be uint8 or uint16 or uint32; found int64"):
        kernels.count_codes(codes.astype(np.int64), classes, 1, 1)
    with pytest.raises(ValueError, match=r"codes must have shape \(4\); found \(3,\)"):
        kernels.count_codes(codes[:3], classes, 1, 1)
    with pytest.raises(ValueError, match=r"codes must be C-contiguous"):
        kernels.count_codes(np.zeros(8, np.uint8)[::2], classes, 1, 1)
    with pytest.raises(ValueError, match=r"n_codes must be a whole number of at least 1; found 0"):
        kernels.count_codes(codes, classes, 0, 1)
    with pytest.raises(ValueError, match=r"weights must have shape"):
        kernels.count_classes(classes, 1, np.zeros(3, np.int64))
    with pytest.raises(TypeError, match=r"values must be a NumPy array; found list"):
        kernels.ranks([1.0])
    frozen = np.zeros((4, 2))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match=r"scores must be writable"):
        kernels.add_code_scores(frozen, codes, np.zeros((1, 2)))
