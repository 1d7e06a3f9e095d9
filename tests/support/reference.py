"""A plain twin of every kernel in NumPy or Python, slow and clear. Tests compare them bit for bit.

Where a kernel computes with doubles, the twin does the same steps in the same order; elsewhere it uses whole
numbers and fractions.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

# ---- counts ----


def count_classes(classes, n_classes, weights=None):
    table = np.zeros(n_classes, np.int64)
    np.add.at(table, classes, 1 if weights is None else weights)
    return table


def count_codes(codes, classes, n_codes, n_classes, weights=None, nodes=None, n_nodes=1):
    table = np.zeros((n_nodes, n_codes, n_classes), np.int64)
    where = np.zeros(len(codes), np.uint32) if nodes is None else nodes
    np.add.at(table, (where, codes, classes), 1 if weights is None else weights)
    return table[0] if nodes is None else table


# ---- scan, ranks, bins ----


def scan(values):
    numbers = [v.item() for v in values]
    finite = [x for x in numbers if math.isfinite(x)]
    infinite = [row for row, x in enumerate(numbers) if math.isinf(x)]
    return (
        sum(math.isnan(x) for x in numbers),
        infinite[0] if infinite else -1,
        min(finite, default=math.inf),
        max(finite, default=-math.inf),
        all(x == int(x) for x in finite),
        all(x in (0, 1) for x in finite),
    )


def ranks(values):
    """Return (codes, distinct, counts, missing, order)."""
    present = ~np.isnan(values)
    distinct, codes, counts = np.unique(values[present] + 0.0, return_inverse=True, return_counts=True)
    full = np.full(len(values), len(distinct))
    full[present] = codes
    return full, distinct, counts, int((~present).sum()), np.argsort(full, kind="stable")


def meet_values(values, classes, n_classes, weights=None):
    values = np.asarray(values).astype(np.float64) + 0.0
    there = ~np.isnan(values)
    distinct, codes = np.unique(values[there], return_inverse=True)
    kept = None if weights is None else weights[there]
    counts = count_codes(codes, classes[there], len(distinct), n_classes, kept)
    missing = count_classes(classes[~there], n_classes, None if weights is None else weights[~there])
    return distinct, counts, missing


def class_changes(values, rows, classes):
    """Return how often the class changes along the values of some rows, missing last, equal ones by class."""
    along = classes[np.lexsort((classes, values[rows]))]
    return int((along[1:] != along[:-1]).sum())


def code_objects(cells):
    """Return codes[row], the same for the same object, and the row where each came first."""
    met = {}
    codes = [met.setdefault(id(cell), (len(met), row))[0] for row, cell in enumerate(cells)]
    return np.array(codes, np.uint16), np.array([row for _, row in met.values()], np.int64)


def cells(values, start, scale, n):
    """Cell of each value, n for a missing one."""
    with np.errstate(invalid="ignore", over="ignore"):
        place = np.clip((values / 2 - start) * scale, 0, n - 1)
    return np.where(np.isnan(values), n, np.nan_to_num(place)).astype(np.int64)


def bins(values, cuts):
    codes = np.searchsorted(cuts, values, side="right")
    return np.where(np.isnan(values), len(cuts) + 1, codes)


# ---- exp, log: the same double arithmetic, step by step ----

ROUNDER = 1.5 * 2.0**52
LN2_HIGH = float.fromhex("0x1.62e42feep-1")
LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
LOG2_E = 1.4426950408889634


@np.errstate(all="ignore")
def exp(x):
    x = np.asarray(x, np.float64)
    t = np.where(x > 710.0, 710.0, x)
    t = np.where(t < -746.0, -746.0, t)
    n = (t * LOG2_E + ROUNDER) - ROUNDER
    high = t - n * LN2_HIGH
    low = n * LN2_LOW
    r = high - low
    tail = (high - r) - low
    p = np.full_like(r, 1.0 / math.factorial(13))
    for k in range(12, 1, -1):
        p = p * r + 1.0 / math.factorial(k)
    e = 1.0 + (r + (p * (r * r) + tail))
    half = (n * 0.5 + ROUNDER) - ROUNDER
    whole = np.nan_to_num(n).astype(int), np.nan_to_num(half).astype(int)
    return e * np.ldexp(1.0, whole[1]) * np.ldexp(1.0, whole[0] - whole[1])


def _split(x):
    m, k = np.frexp(x)  # m in [1/2, 1)
    below = m < math.sqrt(0.5)
    return np.where(below, k - 1, k).astype(float), np.where(below, 2 * m, m) - 1.0


def _log_rest(f):
    s = f / (2.0 + f)
    z = s * s
    p = np.full_like(f, 2.0 / 23.0)
    for k in range(21, 1, -2):
        p = p * z + 2.0 / k
    half = 0.5 * f * f
    return half - s * (half + z * p)


def _log_edge(x, inside):
    inside = np.where(x == np.inf, np.inf, inside)
    inside = np.where(x == 0.0, -np.inf, inside)
    return np.where(x >= 0.0, inside, np.nan)


@np.errstate(all="ignore")
def log(x):
    x = np.asarray(x, np.float64)
    k, f = _split(x)
    return _log_edge(x, k * LN2_HIGH - ((_log_rest(f) - k * LN2_LOW) - f))


@np.errstate(all="ignore")
def log2(x):
    x = np.asarray(x, np.float64)
    k, f = _split(x)
    return _log_edge(x, k + (f - _log_rest(f)) * LOG2_E)


@np.errstate(all="ignore")
def log1p(x):
    x = np.asarray(x, np.float64)
    u = 1.0 + x
    lost = np.where((u == np.inf) | (u == 0.0), 0.0, (x - (u - 1.0)) / u)
    return np.where(x == 0.0, x, log(u) + lost)


@np.errstate(all="ignore")
def sigmoid(x):
    x = np.asarray(x, np.float64)
    e = exp(np.where(x < 0.0, x, -x))
    return np.where(x < 0.0, e, 1.0) / (1.0 + e)


def n_log2_n(n, shift):
    """Return round(n log2(n) 2^shift) from a logarithm of 60 digits."""
    with localcontext() as context:
        context.prec = 60
        return int((n * (Decimal(n).ln() / Decimal(2).ln()) * 2**shift).to_integral_value()) if n else 0


# ---- moments ----


def moments(values, classes, n_classes, weights=None):
    """Return per class (missing, sum, sum of squares), exactly."""
    out = [[0, Fraction(0), Fraction(0)] for _ in range(n_classes)]
    for row, (x, c) in enumerate(zip(values.tolist(), classes.tolist(), strict=True)):
        w = 1 if weights is None else int(weights[row])
        if math.isfinite(x):
            out[c][1] += w * Fraction(x)
            out[c][2] += w * Fraction(x) ** 2
        else:
            out[c][0] += w
    return out


# ---- hashes ----

WORD = 2**64 - 1
MISSING_CELL = 0xA5A5A5A55A5A5A5A


def mix(x):
    x = ((x ^ (x >> 32)) * 0xD6E8FEB86659FD93) & WORD
    x = ((x ^ (x >> 29)) * 0x9E3779B97F4A7C15) & WORD
    return x ^ (x >> 32)


def hash_bytes(data, key):
    value = mix(key)
    full = len(data) // 8 * 8
    for at in range(0, full, 8):
        value = mix(value ^ int.from_bytes(data[at : at + 8], "little"))
    return mix((mix(value ^ int.from_bytes(data[full:], "little")) + len(data)) & WORD)


def hash_bits(bits, key):
    return mix(mix(key) ^ mix((bits + 1) & WORD))


def print_of(x, key):
    """One lane of the print of a double."""
    bits = MISSING_CELL if x != x else int(np.float64(x + 0.0).view(np.uint64))
    moved = ((bits ^ (bits >> 48)) + key) % 2**64
    return (moved % 2**32) * (moved >> 32)


def hash_double(x, key):
    return hash_bits(MISSING_CELL if x != x else int(np.float64(x + 0.0).view(np.uint64)), key)


def key_hashes(hashes, key):
    with np.errstate(over="ignore"):
        x = hashes ^ (np.uint64(key) * np.uint64(0x9E3779B97F4A7C15))
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def number_copies(keys):
    """How many rows before each have its key, and how many keys differ."""
    met = {}
    numbers = []
    for key in keys.tolist():
        numbers.append(met.get(key, 0))
        met[key] = numbers[-1] + 1
    return numbers, len(met)


def order_keys(keys, classes=None):
    return np.lexsort((keys,) if classes is None else (keys, classes))


def sum_hashes(hashes, weights=None):
    total = 0
    for row in range(hashes.shape[1]):
        w = 1 if weights is None else int(weights[row])
        total += w * ((int(hashes[1, row]) << 64) + int(hashes[0, row]))
    return total % 2**128


# ---- columns of any numbers ----


def doubles(columns, first, rows):
    """Values[column][row] of some rows, None where one is infinite, or whole and beyond 2^53."""
    out = []
    for column in columns:
        cells = column[first : first + rows].tolist()
        if any(abs(x) == float("inf") if isinstance(x, float) else abs(x) > 2**53 for x in cells):
            return None
        out.append([float(x) for x in cells])
    return out


def pair_codes(columns, first, rows, numbers):
    """Codes[column][row] of two numbers, 2 where missing; None where there is another number."""
    out = []
    for column in columns:
        cells = column[first : first + rows].tolist()
        if any(x == x and x not in numbers for x in cells):
            return None
        out.append([2 if x != x else numbers.index(x) for x in cells])
    return out


# ---- scores ----


def add_code_scores(scores, codes, table):
    for row, code in enumerate(codes):
        scores[row] += table[code]


def add_level_scores(scores, codes, tables):
    for own, table in zip(codes, tables, strict=True):
        add_code_scores(scores, own, table)


def add_number_scores(scores, parts, columns):
    """Each part: (mean, half, constant) of a parabola, or (cuts, table) of bins."""
    for part, values in zip(parts, columns, strict=True):
        for row, x in enumerate(values):
            if len(part) == 2:
                cuts, table = part
                scores[row] += table[-1] if np.isnan(x) else table[sum(cut <= x for cut in cuts)]
            elif not np.isnan(x):
                mean, half, constant = part
                scores[row] += constant - (x - mean) * (x - mean) * half


def add_linear_scores(scores, values, slope, missing):
    for row, x in enumerate(values):
        scores[row] += missing if np.isnan(x) else x * slope


def add_word_scores(scores, starts, words, counts, table):
    for row in range(len(scores)):
        for entry in range(starts[row], starts[row + 1]):
            if counts[entry]:
                scores[row] += float(counts[entry]) * table[words[entry]]


def best_class(scores):
    return np.argmax(np.where(np.isnan(scores), -np.inf, scores), axis=1)


@np.errstate(all="ignore")
def softmax(scores):
    top = scores.max(axis=1, keepdims=True)
    shares = exp(scores - np.where(top == -np.inf, 0.0, top))
    total = np.zeros(len(scores))
    for c in range(scores.shape[1]):  # left to right, as the kernel adds
        total = total + shares[:, c]
    return np.where(total[:, None] == 0.0, 0.0, shares / total[:, None])


@np.errstate(all="ignore")
def log_sum_exp(scores):
    top = scores.max(axis=1)
    total = np.zeros(len(scores))
    for c in range(scores.shape[1]):
        total = total + exp(scores[:, c] - top)
    return np.where(top == -np.inf, -np.inf, top + log(total))
