"""The only door to compiled code: each function checks its arguments, then calls one kernel.

Checks are those that cost nothing per row: dtype, shape, order in memory. A wrong argument is named. Outputs
and scratch are born here as NumPy arrays. Kernels run on the calling thread without the interpreter's lock.
What only the rows can tell (a code beyond its table) is the caller's promise.
"""

from __future__ import annotations

from tallystick.kernels.counts import count_classes, count_codes, count_columns
from tallystick.kernels.explog import exp, log, log1p, log2, sigmoid
from tallystick.kernels.ranks import Ranks, Scan, bins, ranks, scan, scan_matrix
from tallystick.kernels.scores import (
    add_code_scores,
    add_gaussian_scores,
    add_linear_scores,
    add_word_scores,
    best_class,
    log_sum_exp,
    softmax,
)
from tallystick.kernels.text import CellKind, Parsed, join_texts, parse_numbers

__all__ = [
    "CellKind",
    "Parsed",
    "Ranks",
    "Scan",
    "add_code_scores",
    "add_gaussian_scores",
    "add_linear_scores",
    "add_word_scores",
    "best_class",
    "bins",
    "count_classes",
    "count_codes",
    "count_columns",
    "exp",
    "join_texts",
    "log",
    "log1p",
    "log2",
    "log_sum_exp",
    "parse_numbers",
    "ranks",
    "scan",
    "scan_matrix",
    "sigmoid",
    "softmax",
]
