"""The only door to compiled code: each function checks its arguments, then calls one kernel.

Checks are those that cost nothing per row: dtype, shape, order in memory. A wrong argument is named. Outputs
and scratch are born here as NumPy arrays. Kernels run on the calling thread without the interpreter's lock.
What only the rows can tell (a code beyond its table) is the caller's promise.
"""

from __future__ import annotations

from tallystick.kernels.bayes import add_level_scores, count_entries, mdl_cuts
from tallystick.kernels.counts import count_classes, count_codes, count_columns
from tallystick.kernels.explog import exp, log, log1p, log2, n_log2_n, n_log2_n_shift, n_log2_n_table, sigmoid
from tallystick.kernels.hashes import (
    add_code_hashes,
    add_double_hashes,
    add_text_hashes,
    hash_missing,
    hash_text,
    mix_hashes,
    sum_hashes,
)
from tallystick.kernels.linear import LinearColumn, add_linear_sums, add_wide, wide_ints
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
    inverse_diagonal,
    lasso_step,
    linear_scores,
    logistic_sums,
    new_sums,
    sample_rows,
    times,
    word_rows,
    word_values,
)
from tallystick.kernels.matrix import add_matrix_hashes, as_matrix, by_rows, scan_rows, small_codes
from tallystick.kernels.moments import (
    SQUARE_DIGITS,
    SUM_DIGITS,
    add_moments,
    carry,
    digits_of,
    exact_squares,
    exact_sum,
    whole,
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
from tallystick.kernels.words import WordCounter, WordRows, WordTable

__all__ = [
    "SQUARE_DIGITS",
    "SUM_DIGITS",
    "CellKind",
    "Columns",
    "Curvature",
    "LinearColumn",
    "Parsed",
    "Ranks",
    "Scan",
    "Sums",
    "Text",
    "Weighting",
    "WordCounter",
    "WordRows",
    "WordTable",
    "add_code_hashes",
    "add_code_scores",
    "add_double_hashes",
    "add_gaussian_scores",
    "add_level_scores",
    "add_linear_scores",
    "add_linear_sums",
    "add_matrix_hashes",
    "add_moments",
    "add_text_hashes",
    "add_wide",
    "add_word_scores",
    "as_matrix",
    "best_class",
    "bins",
    "by_rows",
    "carry",
    "cholesky",
    "cholesky_skip",
    "cholesky_solve",
    "count_classes",
    "count_codes",
    "count_columns",
    "count_entries",
    "digits_of",
    "dot",
    "exact_squares",
    "exact_sum",
    "exp",
    "hash_missing",
    "hash_text",
    "inverse_diagonal",
    "join_texts",
    "lasso_step",
    "linear_scores",
    "log",
    "log1p",
    "log2",
    "log_sum_exp",
    "logistic_sums",
    "mdl_cuts",
    "mix_hashes",
    "n_log2_n",
    "n_log2_n_shift",
    "n_log2_n_table",
    "new_sums",
    "parse_numbers",
    "ranks",
    "sample_rows",
    "scan",
    "scan_matrix",
    "scan_rows",
    "sigmoid",
    "small_codes",
    "softmax",
    "sum_hashes",
    "times",
    "whole",
    "wide_ints",
    "word_rows",
    "word_values",
]
