"""The door names the argument that is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from tallystick import _kernels, kernels
from tallystick.errors import TallyError
from tallystick.kernels import check


def test_the_door_names_the_wrong_argument():
    codes, classes = np.zeros(4, np.uint8), np.zeros(4, np.uint8)
    with pytest.raises(TypeError, match=r"codes must be uint8 or uint16 or uint32"):
        kernels.count_codes(codes.astype(np.int64), classes, 1, 1)
    with pytest.raises(ValueError, match=r"codes must have shape \(4\); found \(3\)"):
        kernels.count_codes(codes[:3], classes, 1, 1)
    with pytest.raises(ValueError, match=r"codes must be C-contiguous"):
        kernels.count_codes(np.zeros(8, np.uint8)[::2], classes, 1, 1)
    with pytest.raises(ValueError, match=r"n_codes must be a whole number of at least 1; found 0"):
        kernels.count_codes(codes, classes, 0, 1)
    with pytest.raises(ValueError, match=r"weights must have shape"):
        kernels.count_classes(classes, 1, np.zeros(3, np.int64))
    with pytest.raises(TypeError, match=r"incompatible function arguments"):
        kernels.ranks([1.0])


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        ([0.0] * 4, TypeError, "incompatible"),
        (np.zeros(4, np.float32), TypeError, "incompatible"),
        (np.zeros(4, ">f8"), TypeError, "incompatible"),
        (np.zeros(3), ValueError, r"columns must have shape \(4\); found \(3\)"),
        (np.zeros((4, 1)), ValueError, r"columns must have shape \(4\); found \(4, 1\)"),
        (np.zeros(4, "f8,u1")["f0"], TypeError, "incompatible"),
        (np.zeros(33, np.uint8)[1:].view(np.float64), ValueError, "columns must be aligned"),
    ],
)
def test_every_column_is_looked_at(wrong, error, said):
    right = [np.zeros(4), np.zeros(8)[::2], np.zeros(8)[::-2]]
    assert len(_kernels.scan_rows(right)) == 3
    with pytest.raises(error, match=said):
        _kernels.scan_rows([*right, wrong])


def test_arrays_of_any_length_and_of_two_dimensions_may_be_strided():
    for value, shape in ((np.zeros(8)[::2], (None,)), (np.zeros((4, 6)).T[::2], (None, 4))):
        assert check.loose("values", value, "float64", shape) is value
    with pytest.raises(ValueError, match=r"values must have shape \(any, 4\); found \(4, 6\)"):
        check.loose("values", np.zeros((4, 6)), "float64", (None, 4))


@pytest.mark.parametrize("classes", [1 << 45, 1 << 62])
def test_a_kernel_that_runs_out_of_memory_says_so_in_words(classes):
    keys = np.arange(3, dtype=np.uint64)
    with pytest.raises(
        MemoryError, match=r"^not enough memory: there are [\d.,e+]+ GB\. Take fewer rows"
    ) as told:
        kernels.order_keys(keys, np.zeros(3, np.uint8), classes)
    assert isinstance(told.value, TallyError)
