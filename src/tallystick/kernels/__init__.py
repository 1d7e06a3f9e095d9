"""The only door to compiled code: each function checks its arguments, then calls one kernel.

Checks are those that cost nothing per row: dtype, shape, order in memory. A wrong argument is named. Outputs
and scratch are born here as NumPy arrays. Kernels run on the calling thread without the interpreter's lock.
What only the rows can tell (a code beyond its table) is the caller's promise.
"""

from __future__ import annotations

from tallystick.kernels.counts import count_classes, count_codes, count_columns
from tallystick.kernels.explog import exp, log, log1p, log2, sigmoid
from tallystick.kernels.logistic import (
    Columns,
    Curvature,
    Sums,
    Text,
    Weighting,
    cholesky,
    cholesky_skip,
    cholesky_solve,
    dot,
    lasso_step,
    logistic_sums,
    new_sums,
    times,
    word_rows,
    word_values,
)
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
    "Columns",
    "Curvature",
    "Parsed",
    "Ranks",
    "Scan",
    "Sums",
    "Text",
    "Weighting",
    "add_code_scores",
    "add_gaussian_scores",
    "add_linear_scores",
    "add_word_scores",
    "best_class",
    "bins",
    "cholesky",
    "cholesky_skip",
    "cholesky_solve",
    "count_classes",
    "count_codes",
    "count_columns",
    "dot",
    "exp",
    "join_texts",
    "lasso_step",
    "log",
    "log1p",
    "log2",
    "log_sum_exp",
    "logistic_sums",
    "new_sums",
    "parse_numbers",
    "ranks",
    "scan",
    "scan_matrix",
    "sigmoid",
    "softmax",
    "times",
    "word_rows",
    "word_values",
]
