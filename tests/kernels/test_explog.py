"""exp and log: the bits of their twins, close to exact; every kernel gives the same bits without AVX2."""

from __future__ import annotations

import math
import os
import pathlib
import subprocess
import sys
from decimal import Decimal, localcontext

import numpy as np
import pytest
import reference
from hard_columns import bits
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tallystick import kernels

EDGES = [
    0.0,
    -0.0,
    5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    709.78,
    709.79,
    -708.4,
    -745.1,
    -745.2,
]
ANY = st.floats() | st.sampled_from([*EDGES, *(-e for e in EDGES)])
ARRAYS = hnp.arrays(np.float64, st.integers(0, 40), elements=ANY)
FUNCTIONS = ["exp", "log", "log2", "log1p", "sigmoid"]


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
@given(values=ARRAYS)
def test_functions_give_the_bits_of_their_twin(name, values):
    np.testing.assert_array_equal(
        bits(getattr(kernels, name)(values)), bits(getattr(reference, name)(values))
    )


def exact(name, x):
    """The value to many digits."""
    x = Decimal(x)
    if name == "exp":
        return x.exp()
    if name == "log":
        return x.ln()
    if name == "log2":
        return x.ln() / Decimal(2).ln()
    if name == "log1p":
        return (1 + x).ln()
    return 1 / (1 + (-x).exp())


def dense(name):
    """Arguments over the whole range and close to where errors are largest."""
    seed = np.random.default_rng(11)
    if name in ("exp", "sigmoid"):
        return np.r_[seed.uniform(-1, 1, 600), seed.uniform(-700, 700, 600), seed.normal(size=300) * 1e-6]
    if name == "log1p":
        return np.r_[
            seed.uniform(-0.999, 3, 600), np.exp(seed.uniform(-80, 80, 600)), -seed.random(200) * 1e-9
        ]
    return np.r_[
        seed.uniform(0.5, 2, 900), np.exp(seed.uniform(-744, 709, 600)), 1 + seed.normal(size=300) * 1e-7
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "allowed"), [("exp", 1), ("log", 1), ("log2", 2), ("log1p", 2), ("sigmoid", 2)]
)
def test_functions_are_within_two_units_in_the_last_place(name, allowed):
    values = dense(name)
    found = getattr(kernels, name)(values)
    with localcontext() as context:
        context.prec = 80
        for x, y in zip(values.tolist(), found.tolist(), strict=True):
            error = abs(Decimal(y) - exact(name, x)) / Decimal(math.ulp(y))
            assert error < allowed, (x, y, error)


@pytest.mark.slow
@given(st.integers(2, 2**52 - 1), st.integers(0, 2**52 - 1))
def test_n_log2_n_is_near_the_true_number(largest, n):
    n %= largest + 1
    two, found = kernels.n_log2_n(np.array([2, n]), largest).tolist()  # F(2) is 2^s, doubled
    true = reference.n_log2_n(n, (two // 2).bit_length() - 1)
    assert found < 2**60
    assert abs(found - true) <= max(2**19, true * 2**-50)


def test_n_log2_n_rises_adds_over_factors_and_is_exact_at_powers_of_two():
    table = kernels.n_log2_n(np.arange(70_001), 70_000)
    assert (np.diff(table[1:]) > 0).all()
    assert (np.diff(table, 2) > 0).all()  # convex: a split is never worse than no split
    for k in range(17):
        assert int(table[2**k]) == k * 2**k * int(table[2]) // 2
    for a in range(2, 257):
        b = np.arange(2, 2**16 // a + 1)
        assert (table[a * b] == b * table[a] + a * table[b]).all()
    for wrong in (-1, 8):
        with pytest.raises(ValueError, match="numbers must be in 0"):
            kernels.n_log2_n(np.array([wrong]), 7)


BATTERY = """
import hashlib, sys
import numpy as np
from tallystick import _kernels, kernels
seed = np.random.default_rng(13)
values, positive = seed.uniform(-750, 750, 20_001), np.exp(seed.uniform(-744, 709, 20_001))
scores = seed.normal(size=(5_001, 3)) * 30
digest = hashlib.sha256()
for array in (
    kernels.exp(values), kernels.sigmoid(values), kernels.log(positive), kernels.log2(positive),
    kernels.log1p(positive), kernels.softmax(scores), kernels.log_sum_exp(scores),
):
    digest.update(array.tobytes())
cells = list((seed.normal(size=(3_001, 21)) * 10.0 ** seed.integers(-3, 3, 21)).T)
cells[3][::9], cells[5][::5] = np.nan, 0.0
classes = seed.integers(0, 3, 3_001).astype(np.uint8)
tables = [np.zeros((21, 3, *digits), np.int64) for digits in ((), (68,), (134,))]
kernels.add_moments(cells, classes, *tables)
hashes = np.zeros((2, 3_001), np.uint64)
kernels.add_prints(hashes, cells, [kernels.hash_text(b"%d" % j) for j in range(21)])
codes = [seed.integers(0, size, 3_001).astype(np.uint8) for size in (2, 9, 9, 40, 3)]
kernels.add_joint_hashes(hashes, codes, [seed.integers(0, 2**64, (2, 40), dtype=np.uint64)] * 5)
counts = kernels.count_columns(codes, classes, [2, 9, 9, 40, 3], 3)
facts = np.array(kernels.scan_rows(cells), np.float64)
starts = np.arange(0, 3 * 3_001 + 1, 3)
words, often = (seed.integers(0, most, 3 * 3_001).astype(np.uint32) for most in (500, 9))
by_class = kernels.count_entries(starts, words, often, classes, out=np.zeros((499, 3), np.int64))
levels = np.zeros((3_001, 3))
kernels.add_level_scores(levels, codes, [seed.normal(size=(size, 3)) for size in (2, 9, 9, 40, 3)])
few, many = np.sort(seed.normal(size=6)), np.sort(seed.normal(size=300))
parts = [kernels.Bins(own, seed.normal(size=(len(own) + 2, 3))) for own in (few[:0], few[:3], few, many)]
parts += [kernels.Parabola(*seed.normal(size=(3, 3))), kernels.Bins(many, seed.normal(size=(302, 3)))]
kernels.NumberScores(parts, 3).add(levels, cells[:6])
laid = [np.empty((21, 3_001)) for _ in range(4)]
narrow = np.ascontiguousarray(np.array(cells).T.astype(np.float32))
for one, given in zip(laid, (cells, narrow.T, list(narrow.astype("i8").T), list(narrow.astype("i2").T))):
    kernels.AnyNumbers(list(given), 3_001).doubles(0, one, False)
spread = seed.integers(0, 9, (400, 3)) * (np.arange(400)[:, None] // 90 % 3 == np.arange(3))
cuts = kernels.mdl_cuts(spread)
kernels.add_word_hashes(hashes, starts, words, often, seed.integers(0, 2**64, (2, 500), dtype=np.uint64))
keys = [kernels.hash_text(b"%d" % j) for j in range(21)]
names = [seed.integers(0, 2**64, (2, 40), dtype=np.uint64)] * 5
print_, *_ = kernels.hash_total(3_001, codes, names, cells, keys, hashes, classes.astype(np.int64))
digest.update(print_.to_bytes(16, "little"))
for array in (*tables, hashes, *counts, facts, by_class, levels, cuts, *laid):
    digest.update(array.tobytes())
print(_kernels.clone(), digest.hexdigest())
"""


def run_battery(instructions):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment["TALLYSTICK_INSTRUCTIONS"] = instructions
    done = subprocess.run([sys.executable, "-c", BATTERY], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.slow
def test_the_same_bits_with_and_without_avx2_and_avx512():
    most, bits = run_battery("")
    levels = ["baseline", "avx2", "avx512", "ifma"]
    if most == "baseline":
        pytest.skip("this processor has neither AVX2 nor AVX-512, so there is only one way to run")
    for level in levels[: levels.index(most)]:
        # else the variable does not do what it says, and this test proves nothing
        assert run_battery(level) == [level, bits]


@pytest.mark.slow
@pytest.mark.skipif(not pathlib.Path("/proc/cpuinfo").exists(), reason="no list of instructions")
def test_the_level_is_what_the_processor_has():
    flags = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    wide = {"avx512f", "avx512dq", "avx512bw", "avx512vl"}
    best = "ifma" if "avx512ifma" in flags else "avx512"
    most = best if wide <= flags else "avx2" if {"avx2", "fma"} <= flags else "baseline"
    assert run_battery("")[0] == most
