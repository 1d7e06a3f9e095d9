"""Compiled kernels; call them through tallystick.kernels."""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def count_classes(classes: Annotated[NDArray, dict(device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None = None, out: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')] | None = None) -> Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]:
    """
    Return out[class] = rows (or weight) of each class; a given `out` is added to.
    """

def count_codes(codes: Annotated[NDArray, dict(device='cpu', writable=False)], classes: Annotated[NDArray, dict(device='cpu', writable=False)], n_codes: int, n_classes: int, *, weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None = None, nodes: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)] | None = None, n_nodes: int = 1, out: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')] | None = None) -> Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]:
    """
    Return out[node, code, class] = rows (or weight); [code, class] without nodes. A given `out` is added to.
    """

def count_columns(columns: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], classes: Annotated[NDArray, dict(device='cpu', writable=False)], n_codes: Sequence[int], n_classes: int, *, weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None = None, nodes: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)] | None = None, n_nodes: int = 1, out: Sequence[Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]] | None = None) -> list[Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]]:
    """
    Return one table per column, each as `count_codes` gives it, in one call. A given `out` is added to.
    """

joint_codes: int = 2048

@overload
def scan(values: Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)]) -> tuple[int, int, float, float, bool, bool]: ...

@overload
def scan(values: Annotated[NDArray[numpy.float32], dict(device='cpu', writable=False)]) -> tuple[int, int, float, float, bool, bool]: ...

@overload
def scan_matrix(matrix: Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)]) -> list[tuple[int, int, float, float, bool, bool]]: ...

@overload
def scan_matrix(matrix: Annotated[NDArray[numpy.float32], dict(device='cpu', writable=False)]) -> list[tuple[int, int, float, float, bool, bool]]: ...

@overload
def scan_whole(values: Annotated[NDArray[numpy.int64], dict(device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def scan_whole(values: Annotated[NDArray[numpy.uint64], dict(device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def scan_whole(values: Annotated[NDArray[numpy.int32], dict(device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def scan_whole(values: Annotated[NDArray[numpy.uint32], dict(device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def scan_whole(values: Annotated[NDArray[numpy.int16], dict(device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def scan_whole(values: Annotated[NDArray[numpy.uint16], dict(device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def scan_whole(values: Annotated[NDArray[numpy.int8], dict(device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def scan_whole(values: Annotated[NDArray[numpy.uint8], dict(device='cpu', writable=False)]) -> tuple[int, int]: ...

def rank_rows(values: Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)], scratch: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')]) -> tuple[int, int]: ...

def rank_codes(values: Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)], scratch: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], present: int, codes: Annotated[NDArray, dict(device='cpu')], distinct: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def rank_order(values: Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)], scratch: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], present: int, order: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')]) -> None: ...

def rank_counts(scratch: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], present: int, counts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def key_hashes(hashes: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], key: int, out: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')] | None = None) -> Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')]:
    """
    Return out[row], another hash for another key; out may be the hashes themselves.
    """

def number_copies(keys: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], int]:
    """
    Return numbers[row], how many rows before it have its key, and how many keys differ.
    """

def order_keys(keys: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], classes: Annotated[NDArray, dict(device='cpu', writable=False)] | None = None, n_classes: int = 0) -> Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]:
    """
    Return the rows in the order of their keys, class by class where there are classes; equal ones in the order they have.
    """

def count_cells(values: Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)], start: float, scale: float, weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None, counts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None:
    """
    Do counts[cell] += rows (or weight), cell = (x / 2 - start) * scale within the cells; missing values are in none.
    """

def pick_cells(values: Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)], start: float, scale: float, wanted: Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')]:
    """
    Return the rows whose values lie in cells with wanted[cell], see `count_cells`.
    """

def bins(values: Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray, dict(device='cpu')]:
    """
    Return codes[row] = number of cuts <= value (x < cut is left of it); missing is len(cuts) + 1.
    """

def exp(values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def log(values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def log2(values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def log1p(values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def sigmoid(values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def clone() -> str:
    """Which form of the hot loops runs here."""

def n_log2_n(numbers: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], largest: int) -> Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]:
    """
    Return F(n) = n log2(n) 2^s as whole numbers below 2^60, with one s for all n in 0..largest.

    They are those that trees are grown by: F(ab) = b F(a) + a F(b) to the last unit for ab up to 2^16.
    """

sum_digits: int = 68

bin_steps: int = 2040

square_digits: int = 134

most_rows: int = 268435456

def bucket_words(n_columns: int, n_classes: int, weighted: bool) -> int: ...

def add_moments(matrix: Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)], classes: Annotated[NDArray, dict(device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None, scratch: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], sums: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], squares: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def carry(digits: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def hash_text(data: bytes, key: tuple[int, int] = (1, 2)) -> tuple[int, int]:
    """
    Return the two lanes of the hash of some bytes: a column's key from its name, a level's hash.
    """

def hash_missing(key: tuple[int, int]) -> tuple[int, int]:
    """Return the two lanes of a missing cell's hash."""

@overload
def add_text_hashes(hashes: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], validity: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)] | None, key: tuple[int, int], *, bit_offset: int = 0) -> None: ...

@overload
def add_text_hashes(hashes: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], validity: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)] | None, key: tuple[int, int], *, bit_offset: int = 0) -> None:
    """
    Do hashes[lane, row] += hash of the text data[offsets[row]:offsets[row + 1]] under key[lane].

    Bit (bit_offset + row) of validity is 1 where the cell is there; None: all are.
    """

def add_double_hashes(hashes: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], values: Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)], key: tuple[int, int]) -> None:
    """
    Do hashes[lane, row] += hash of values[row] under key[lane]; NaN is missing, -0.0 is 0.0.
    """

def add_code_hashes(hashes: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], codes: Annotated[NDArray, dict(device='cpu', writable=False)], table: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)]) -> None:
    """Do hashes[lane, row] += table[lane, codes[row]]."""

def add_word_hashes(hashes: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], starts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)]) -> None:
    """
    Do hashes[lane, row] += count * table[lane, word] over the entries starts[row]:starts[row + 1].
    """

def add_joint_hashes(hashes: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], codes: Sequence[Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)]], tables: Sequence[Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)]]) -> None:
    """
    Do `add_code_hashes` for several columns of few codes; tables have at most 2,048 codes.
    """

def mix_hashes(hashes: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')]) -> None:
    """End the row hashes: each is mixed once more, in place."""

def sum_hashes(hashes: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None = None) -> int:
    """
    Return the sum over rows of weight times the 128-bit hash (lane 1 is the high half), modulo 2^128.
    """

def add_code_scores(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], codes: Annotated[NDArray, dict(device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None:
    """Do scores[row, class] += table[codes[row], class]."""

def add_linear_scores(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], values: Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], missing: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None:
    """
    Do scores[row, class] += x * slope[class]; a missing x adds missing[class].
    """

def add_word_scores(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], starts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None:
    """
    Do scores[row, class] += sum over the row's entries of counts[entry] * table[words[entry], class].
    """

def best_class(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray, dict(device='cpu')]:
    """
    Return the class with the highest score per row, the first of equals, in the narrowest dtype.
    """

def softmax(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]:
    """
    Return shares[row, class] = e^score over the row's sum; all 0 in a row where every score is -inf.
    """

def log_sum_exp(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]:
    """Return ln(sum over classes of e^score) per row."""

def parse_numbers_32(data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], validity: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)] | None, bit_offset: int, mark_data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], mark_offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], decimal: str, dates: bool, values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], kinds: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], first: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def parse_numbers_64(data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], validity: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)] | None, bit_offset: int, mark_data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], mark_offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], decimal: str, dates: bool, values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], kinds: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], first: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def look_at_text(data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], asked: int) -> tuple: ...

def cut_cells(data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], columns: int, separator: str, ends: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')]) -> int: ...

def look_at_columns(data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], mark_data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], mark_offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], decimal: str, seen: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')]) -> None: ...

def read_columns(data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], mark_data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], mark_offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], decimal: str, columns: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], values: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]], seen: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')], coded: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(order='C', device='cpu')], texts: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], slots: Annotated[NDArray[numpy.uint16], dict(order='C', device='cpu')], keys: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], known: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def code_columns(data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(order='C', device='cpu')], texts: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], slots: Annotated[NDArray[numpy.uint16], dict(order='C', device='cpu')], keys: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], known: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def copy_cells(data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], column: int, offsets: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')], cells: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]) -> None: ...

def code_addresses(given: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(order='C', device='cpu')], first: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> int: ...

most_addresses: int = 32767

def count_words(data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], validity: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)] | None, bit_offset: int, mark_data: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], mark_offsets: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], slots: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], records: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], arena: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], frozen: bool, lengths: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')], words: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')], counts: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')], scratch: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], state: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> int: ...

def merge_words(slots: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], records: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], words: int, arena: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], into_slots: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], into_records: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], into_arena: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], state: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], place: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')]) -> int: ...

def move_slots(old: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], into: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')]) -> None: ...

def sort_words(slots: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], records: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], words: int, arena: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], keys: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], order: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')]) -> None: ...

def place_words(lengths: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')], words: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')], counts: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')], place: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)] | None, unseen: int, scratch: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')]) -> int: ...

unicode_version: str = '14.0.0'

def logistic_work(dense: int, links: int) -> int: ...

def logistic_sums(dense: int, coded: int, table: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], scaling: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], classes: Annotated[NDArray, dict(device='cpu', writable=False)], class_factor: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, row_factor: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None, theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], bits: int, curvature: int, texts: Sequence[tuple[Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], bool, float, Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None]], work: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], loss: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], gradient: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], squares: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def newton_doubles(dense: int, links: int, weights: int) -> int: ...

def newton_whole(parameters: int, links: int) -> int: ...

def newton(dense: int, coded: int, table: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], scaling: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], classes: Annotated[NDArray, dict(device='cpu', writable=False)], class_factor: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, row_factor: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None, theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], bits: int, at: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], power: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], links: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], l2: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], most: int, begun: bool, memory: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], whole: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], w: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], gradient: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], curvature: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], d: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], trace: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> int: ...

def newton_end(w: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], d: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], power: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], stalled: bool, scratch: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> int: ...

def newton_shorter(t: float, slope: float, from_value: float, to_value: float, from_steep: float, to_steep: float, doubt: float) -> float: ...

def newton_factorise(h: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> bool: ...

def newton_step_by(h: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], factorised: bool, x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def logistic_answers(dense: int, coded: int, rows: int, table: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], scaling: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], texts: Sequence[tuple[Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], bool, float, Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None]], answer: int, work: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], numbers: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], best: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')]) -> bool: ...

def answers_of_numbers(given: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], coded: int, rows: int, table: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], scaling: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], theta: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], answer: int, work: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], numbers: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], best: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')]) -> bool: ...

def places(values: Sequence[Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)]], codes: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], starts: Sequence[int], rows: int) -> Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]:
    """
    Return where columns lie: addresses and strides of values; addresses, bytes and first cells of codes.
    """

def pick_rows(dense: int, coded: int, rows: int, table: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], every: int, picked: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> int: ...

def gather_rows(dense: int, table: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], to: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def word_rows(starts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None, rows: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], most: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None:
    """
    Do rows[word] += copies of the rows that hold the word; most[0] becomes the largest count.
    """

def word_values(text: tuple[Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], bool, float, Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None], values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def dot(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> float:
    """Return the sum of a * b in a fixed order."""

@overload
def dots(vectors: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]], sides: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]]) -> list[list[float]]: ...

@overload
def dots(vectors: Sequence[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]], sides: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]]) -> list[list[float]]:
    """
    Return [vector][side]: the sums of products, every vector read once; vectors of one precision.
    """

@overload
def combine(q: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], factor: float, vectors: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]], coefficients: Sequence[float]) -> Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]: ...

@overload
def combine(q: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], factor: float, vectors: Sequence[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]], coefficients: Sequence[float]) -> Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]:
    """Do q = factor * q + the sum of coefficient * vector, and return it."""

def longest(v: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> float:
    """Return the largest of |v|."""

def pulled(sums: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], unit: float, l2: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> float:
    """Do gradient = sums * unit + l2 * w, and return the sum of l2 * w * w."""

def cholesky(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], least: float = 0.0) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], int]:
    """
    Return L of a = L L' and n; or what was done, and the first column whose pivot is at most `least` of itself.
    """

def cholesky_solve(factor: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]:
    """Return x with L L' x = right."""

def cholesky_skip(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], least: float) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], Annotated[NDArray[numpy.bool_], dict(order='C', device='cpu')]]:
    """
    Return L of the columns that do not depend on earlier ones, and which do (their rows are the identity's).
    """

def inverse_diagonal(factor: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]:
    """Return the diagonal of (L L')^-1."""

def times(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]:
    """Return a x for a square matrix, in a fixed order of additions."""

def add_sides(dense: int, coded: int, table: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], scaling: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], classes: Annotated[NDArray, dict(device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None, thetas: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], sides: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], margins: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def curvature_of_sums(links: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], classes: int, squares: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], at: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], power: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], unit: float, shift: float, l2: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]:
    """
    Return the curvature [n k, n k] from squares[pair, P, P] in whole `unit`s, lower triangles filled.

    links[k]: the classes with weights (classes 1: the one link of two classes); at[n]: the free parameters,
    each brought to its scale by power[n]; shift is added among the constants, l2[n k] to the diagonal.
    """

def curvature_of_gram(links: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], classes: int, gram: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], share: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], shift: float, l2: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]:
    """
    Return the curvature [n k, n k] where every row has the same share[class]; gram[n, n] sums z z'.
    """

def product(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]:
    """Return the matrix product a b, in a fixed order of additions."""

def posterior(matrix: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], at: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], work: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], diagonal: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def posterior_start(matrix: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], at: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], begin: int, stop: int, a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def posterior_block(first: int, a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def posterior_rows(first: int, begin: int, stop: int, a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None: ...

def posterior_columns(col: int, a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], diagonal: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

POSTERIOR_BLOCK: int = 32

def along(table: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def lines_along(table: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def diagonal_along(table: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def turn_half(table: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], some: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], begin: int, stop: int, half: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def turn_whole(table: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], some: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], begin: int, stop: int, half: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def without_constant(lower: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], unit: float, out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], float, Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]]:
    """
    Return what a curvature in whole `unit`s, the constant first and only its lower triangle filled, is where the
    constant is free to follow; the constant's own; and how it follows each of the others. out: a matrix to be
    written over with the first.
    """

def eigen(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]]:
    """
    Return the eigenvalues of a symmetric matrix, falling, and its eigenvectors as rows.
    """

def eigen_ends(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], rounds: int = 30) -> tuple[float, float]:
    """Return about the largest and the smallest eigenvalue of a = L L'."""

def precondition(a: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], even: bool, q: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]:
    """
    Return q[row, link] divided by about the curvature, in place: see kernels/linear/solve.hpp.

    a[row] * v[link] is 1 over the diagonal, mean[row] the mean of a column; groups[group, 2]: rows whose
    weights keep their sum; even: so do the links of a row.
    """

def lasso_step(h: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], g: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], l1: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], tolerance: float, rounds: int) -> tuple[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], int]:
    """
    Return the step d that minimises g'd + d'hd/2 + sum l1 |w + d|, and the rounds it took.
    """

def count_entries(starts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)] | None, classes: Annotated[NDArray, dict(device='cpu', writable=False)], *, weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None = None, out: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]:
    """
    Add the words of each row to out[word, class], a word's count (None: 1) times the row's weight.

    A word beyond the table is not counted.
    """

def add_level_scores(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], codes: Sequence[Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)]], tables: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]]) -> None:
    """
    Do scores[row, class] += tables[j][codes[j][row], class] for all columns j, in their order.
    """

class NumberScores:
    def parabola(self, mean: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], half: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], constant: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def bins(self, cuts: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], rows: int) -> None: ...

    def add(self, scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], columns: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]]) -> bool: ...

def number_scores(n_classes: int) -> NumberScores: ...

def scan_rows(columns: Sequence[Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)]]) -> list[tuple[int, float, float, int, int, bool]]:
    """
    Return per column: missing, low and high (infinities included), 1 where some cells are not whole, and where some
    are neither 0 nor 1, any -0.0. Columns may be strided; those of a matrix stored by rows are read as they lie.
    """

def class_changes(columns: Sequence[Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)]], rows: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)]) -> list[int]:
    """
    Return, per column, how often the class changes along its values, missing last, equal values by class: among some
    rows, classes[i] of rows[i].
    """

most_weight_bits: int = 38

def add_row_moments(columns: Sequence[Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)]], classes: Annotated[NDArray, dict(device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None, weight_bits: int, missing: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], digits: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], squares: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def add_prints(hashes: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')], columns: Sequence[Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)]], keys: Sequence[tuple[int, int]]) -> None:
    """
    Do hashes[lane, row] += print of columns[j][row] under keys[j][lane], over all j; NaN is missing, -0.0 is 0.0.
    """

def hash_total(rows: int, codes: Sequence[Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)]], tables: Sequence[Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)]], doubles: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], keys: Sequence[tuple[int, int]], more: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)] | None = None, weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None = None, limit: int = 0) -> tuple[int, list[int], list[int]]:
    """
    Return `sum_hashes` of rows whose hashes are those of their codes, by tables, the prints of their doubles, by
    keys, and `more`; some rows at a time, so that no array of hashes is made; and the rows with hashes whose lower
    halves are at most the limit, and these halves.
    """

def walk_rows(columns: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], keys: Sequence[tuple[int, int]], classes: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], moments: tuple[Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]] | None = None, picks: tuple[Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]] | None = None, limit: int = 0) -> tuple[int, list[tuple[int, float, float, int, int, bool]], list[int], list[int]]:
    """
    Return `hash_total` of rows of numbers, as doubles, by keys, and of their classes, by labels[lane, class]; and
    what `scan_rows` says of the columns. moments: tables missing, sums and squares to which rows are added as
    `add_moments` does, but that digits are not carried. picks: limits[column], found[column], and rows and
    values [column, place], to which is added what `pick_values` finds, as far as there is room. Last, as
    `hash_total`, the rows of least hashes. All of it while some rows after the others are near: memory is walked through once.
    """

@overload
def small_codes(matrix: Annotated[NDArray[numpy.int64], dict(device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], start: int, fits: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], seen: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]) -> None: ...

@overload
def small_codes(matrix: Annotated[NDArray[numpy.uint64], dict(device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], start: int, fits: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], seen: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]) -> None: ...

@overload
def small_codes(matrix: Annotated[NDArray[numpy.int32], dict(device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], start: int, fits: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], seen: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]) -> None: ...

@overload
def small_codes(matrix: Annotated[NDArray[numpy.uint32], dict(device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], start: int, fits: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], seen: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]) -> None: ...

@overload
def small_codes(matrix: Annotated[NDArray[numpy.int16], dict(device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], start: int, fits: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], seen: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]) -> None: ...

@overload
def small_codes(matrix: Annotated[NDArray[numpy.uint16], dict(device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], start: int, fits: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], seen: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]) -> None: ...

@overload
def small_codes(matrix: Annotated[NDArray[numpy.int8], dict(device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], start: int, fits: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], seen: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]) -> None: ...

@overload
def small_codes(matrix: Annotated[NDArray[numpy.uint8], dict(device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], start: int, fits: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')], seen: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]) -> None:
    """
    Do codes[j, start + row] = matrix[row, j] - base[j]; fits[j] becomes 0 where some of them need more than 8
    bits; seen[j, code] becomes 1 for every code there is.
    """

class AnyNumbers:
    def doubles(self, first: int, by_rows: bool, out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> bool: ...

    def codes(self, first: int, zero: float, one: float, out: Annotated[NDArray[numpy.uint8], dict(order='C', device='cpu')]) -> bool: ...

def any_numbers(columns: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], rows: int) -> AnyNumbers: ...

def mdl_cuts(counts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], unit: float, n_log_n: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> list[int]: ...

def count_bins(columns: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], cuts: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]], classes: Annotated[NDArray, dict(device='cpu', writable=False)], *, weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None = None, out: Sequence[Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]]) -> None:
    """
    Add the rows (or weight) of each column of numbers to out[column][bin, class]: bin = cuts at or below the value;
    missing is len(cuts) + 1.
    """

def value_hashes(values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')]:
    """Return a hash of each value, the same on every machine; -0.0 is 0.0."""

def pick_values(columns: Sequence[Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)]], limits: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu', writable=False)], start: int, found: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], rows: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None: ...

def sample_values(starts: Sequence[int], rows: Sequence[Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)]], values: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]], classes: Annotated[NDArray, dict(device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None, limit: int, size: int, to: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> tuple[int, int, int]: ...

def meet_values(columns: Sequence[Annotated[NDArray, dict(device='cpu', writable=False)]], classes: Annotated[NDArray, dict(device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], met: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None: ...

def judge_readings(values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], unit: int, folds: int, tried: int, n_log_n: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> tuple[float, float, float, float]: ...

class TreeHarvest:
    def tried(self) -> dict: ...

class TreeGrower:
    def __init__(self, rows: int, classes: int, labels: Annotated[NDArray, dict(device='cpu', writable=False)] | None, response: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None, score_weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None, row_weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | None) -> None: ...

    def set_rules(self, arg0: int, arg1: bool, arg2: float, arg3: bool, arg4: bool, arg5: bool, arg6: int, arg7: int, arg8: int, arg9: int, arg10: float, arg11: float, /) -> None: ...

    def add_numeric(self, arg: Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)], /) -> None: ...

    def add_codes(self, kind: int, codes: Annotated[NDArray, dict(device='cpu', writable=False)], k: int, distinct: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, binned: bool) -> None: ...

    def build(self, arg0: Sequence[int], arg1: bool, arg2: int, arg3: int, arg4: int, arg5: int, /) -> None: ...

    def entry(self) -> int: ...

    def lay_orders(self, arg: Annotated[NDArray, dict(order='C', device='cpu')], /) -> None: ...

    def prepare(self, arg: int, /) -> None: ...

    def start(self) -> int: ...

    def look(self) -> None: ...

    def advance(self) -> None: ...

    def choose(self) -> int: ...

    def part(self) -> None: ...

    def settle(self) -> None: ...

    def work(self) -> None: ...

    def run(self) -> None: ...

    def stop(self) -> None: ...

    def nodes(self) -> int: ...

    def arrays(self) -> dict: ...

    def harvest(self) -> TreeHarvest: ...

    def judge(self, arg0: int, arg1: int, /) -> TreeJudge: ...

class TreeJudge:
    def judge(self, total: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], tables: Sequence[Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)]], values: Sequence[Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None], cuts: Sequence[int], depth: int, deviance: float) -> dict: ...

    def best_cut(self, total: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)]) -> tuple: ...

class TreeWalk:
    def ends(self, columns: Sequence[Annotated[NDArray, dict(shape=(None,), device='cpu', writable=False)] | None], out: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')]) -> bool: ...

def tree_walk(arg0: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], arg1: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], arg2: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], arg3: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], arg4: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], arg5: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], arg6: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], /) -> TreeWalk: ...

class OptimalTree:
    def __init__(self) -> None: ...

    def add_column(self, levels: bool, k: int, codes: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu', writable=False)]) -> None: ...

    def set_rows(self, form: int, loss: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], floor: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], worth: int, leaf: int) -> None: ...

    def start(self, depth: int, leaves: int, max_work: int, seconds: float) -> None: ...

    def plan(self) -> int: ...

    def evaluate(self, arg: int, /) -> None: ...

    def merge(self) -> None: ...

    def stop(self) -> None: ...

    def tests(self) -> list[tuple[int, int, int, int]]: ...

    @property
    def key(self) -> int: ...

    @property
    def bound(self) -> int: ...

    @property
    def work(self) -> int: ...

    @property
    def proven(self) -> bool: ...
