"""One table, one model: the same bytes of a logistic regression for any order, threads, chunks and
instruction set, on every path a fit can take; and its linear algebra beside plain NumPy.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick as ts
from tallystick import kernels
from tallystick.data.table import table as table_room
from tallystick.learners.logistic.memory import Memory

pytestmark = pytest.mark.slow

TEXTS = [
    "the cat sat",
    "a dog ran far",
    "cat and dog",
    "the sun rose",
    "rain fell on the dog",
    "sat in the sun",
]


def mixed(rows, classes=2):
    rng = np.random.default_rng(rows)
    frame = pd.DataFrame(
        {"a": rng.normal(3, 2, rows), "b": rng.choice(list("uvwxyz"), rows), "c": rng.random(rows) < 0.4}
    )
    frame.loc[rng.random(rows) < 0.1, "a"] = np.nan
    frame.loc[rng.random(rows) < 0.1, "b"] = None
    score = frame["a"].fillna(0) / 2 + (frame["b"] == "u") + rng.logistic(size=rows)
    frame["y"] = np.digitize(score, np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])).astype(str)
    return frame


def made(path):
    """Return a table and options that lead a fit along a path of its own."""
    rng = np.random.default_rng(1)
    if path == "evidence":
        return mixed(300), {}
    if path == "three classes":
        return mixed(400, 3), {}
    if path == "a sample first":
        X = rng.normal(size=(120_000, 5))
        frame = pd.DataFrame(X, columns=list("abcde"))
        return frame.assign(y=(X[:, 0] - X[:, 1] + rng.logistic(size=len(X)) > 0).astype(str)), {}
    if path == "few distinct rows":
        frame = pd.DataFrame(rng.random((110_000, 4)) < 0.5, columns=list("abcd"))
        share = 0.3 + 0.2 * frame["a"] + 0.2 * frame["b"]
        return frame.assign(y=(rng.random(110_000) < share).astype(str)), {}
    if path == "many levels":
        frame = pd.DataFrame({f"s{k}": rng.integers(0, k, 6_000).astype(str) for k in (9, 500, 700)})
        good = frame["s9"].isin(["1", "2", "3"])
        return frame.assign(y=(rng.random(6_000) < np.where(good, 0.8, 0.3)).astype(str)), {}
    if path == "text":
        words = [" ".join(rng.choice(TEXTS, 2)) for _ in range(300)]
        frame = pd.DataFrame({"text": words})
        return frame.assign(y=[str("dog" in w and rng.random() < 0.9) for w in words]), {
            "kinds": {"text": "text"}
        }
    if path == "l1":
        return mixed(300), {"l1": 2.0, "l2": 0}
    return mixed(200), {"l2": "cv"}


PATHS = [
    "evidence",
    "three classes",
    "a sample first",
    "few distinct rows",
    "many levels",
    "text",
    "l1",
    "cv",
]


def digest(frame, **options):
    return hashlib.sha256(ts.LogisticRegression(**options).fit(frame, "y").to_bytes()).hexdigest()


@pytest.mark.parametrize("path", PATHS)
def test_one_sha256_for_any_order_threads_and_chunks(path, monkeypatch):
    frame, options = made(path)
    first = digest(frame, **options)
    assert digest(frame.sample(frac=1, random_state=1), threads=1, **options) == first
    assert digest(pa.Table.from_pandas(frame, preserve_index=False), threads=8, **options) == first
    monkeypatch.setattr(table_room, "BLOCK", 1_000)
    assert digest(frame.sample(frac=1, random_state=2), threads=2, **options) == first


FIT = """
import sys
sys.path.insert(0, sys.argv[1])
from test_logistic_law import PATHS, digest, made
for path in PATHS:
    frame, options = made(path)
    print(path, digest(frame, **options))
"""


def test_the_bytes_are_the_same_without_avx2():
    def run(hidden):
        settings_ = dict(os.environ, NPY_DISABLE_CPU_FEATURES="X86_V4 X86_V3" if hidden else "")
        if hidden:
            settings_["GLIBC_TUNABLES"] = f"glibc.cpu.hwcaps={hidden}"
        command = [sys.executable, "-c", FIT, os.path.dirname(__file__)]
        return subprocess.run(command, env=settings_, capture_output=True, text=True, check=True).stdout

    assert run("") == run("-AVX2,-AVX2_Usable,-AVX,-FMA")


@given(seed=st.integers(0, 10_000), classes=st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_curvature_is_put_together_as_plain_numpy_does(seed, classes):
    rng = np.random.default_rng(seed)
    p, pairs = 6, max(classes * (classes - 1) // 2, 1)
    at = np.sort(rng.choice(p, 4, replace=False)).astype(np.int64)
    links = np.arange(classes) if classes < 3 else np.sort(rng.choice(classes, classes - 1, replace=False))
    squares = rng.integers(-50, 50, (pairs, p, p))
    power, l2 = 2.0 ** rng.integers(-2, 3, 4), rng.random(4 * len(links))
    h = kernels.curvature_of_sums(links.astype(np.int64), classes, squares, at, power, 0.5, 2.0, l2)
    low = np.tril(squares) + np.tril(squares, -1).transpose(0, 2, 1)
    tables = low[:, at][:, :, at] * (power[:, None] * power[None, :] * 0.5)
    full = np.zeros((4, classes, 4, classes))
    if classes == 1:
        full[:, 0, :, 0] = tables[0]
    order = [(i, j) for i in range(classes) for j in range(i)]
    for (a, b), one in zip(order, tables, strict=classes > 1):
        full[:, a, :, b] = full[:, b, :, a] = -one
        full[:, a, :, a] += one
        full[:, b, :, b] += one
    full[0, :, 0, :] += 2.0
    expected = full[:, links][:, :, :, links].reshape(len(l2), len(l2)) + np.diag(l2)
    np.testing.assert_allclose(h, expected, rtol=1e-14)


@given(
    seed=st.integers(0, 10_000),
    size=st.integers(1, 5_000),
    count=st.integers(1, 5),
    kept=st.sampled_from([np.float64, np.float32]),
)
@settings(max_examples=25, deadline=None)
def test_products_and_sums_of_long_vectors_are_those_of_numpy(seed, size, count, kept):
    rng = np.random.default_rng(seed)
    vectors, sides = list(rng.normal(size=(count, size)).astype(kept)), list(rng.normal(size=(2, size)))
    assert kernels.longest(sides[0]) == np.abs(sides[0]).max()
    products = np.array(vectors, float) @ np.array(sides).T
    np.testing.assert_allclose(kernels.dots(vectors, sides), products, atol=1e-9)
    q, c = rng.normal(size=size), rng.normal(size=count)
    expected = 0.5 * q + c @ np.array(vectors, float)
    np.testing.assert_allclose(kernels.combine(q.copy(), 0.5, vectors, c.tolist()), expected, atol=1e-9)
    sums, l2 = rng.integers(-99, 99, size), rng.random(size)
    gradient = np.empty(size)
    pull = kernels.pulled(sums, 0.25, l2, q, gradient)
    np.testing.assert_allclose(gradient, sums * 0.25 + l2 * q, rtol=1e-12)
    assert pull == pytest.approx(float((l2 * q * q).sum()))


@given(seed=st.integers(0, 10_000), steps=st.integers(1, 20))
@settings(max_examples=25, deadline=None)
def test_the_memory_of_steps_is_the_two_loop_recursion(seed, steps):
    rng = np.random.default_rng(seed)
    n = 8
    root = rng.normal(size=(n, n))
    a, inverse = root @ root.T + np.eye(n), rng.random(n) + 0.5
    memory, pairs = Memory(lambda q: q * inverse), []
    for _ in range(steps):
        s = rng.normal(size=n)
        memory.learn(s, a @ s, s)
        pairs = [*pairs[-11:], (s, a @ s)]
    g = rng.normal(size=n)
    q, alphas = g.copy(), []
    for s, y in reversed(pairs):
        alphas.append(s @ q / (s @ y))
        q -= alphas[-1] * y
    s, y = pairs[-1]
    q *= inverse * (s @ y) / (y @ (inverse * y))
    for (s, y), alpha in zip(pairs, reversed(alphas), strict=True):
        q += s * (alpha - y @ q / (s @ y))
    np.testing.assert_allclose(memory.direction(g, scaled=True), -q, rtol=1e-5, atol=1e-8)


@given(seed=st.integers(0, 10_000), links=st.integers(1, 3))
@settings(max_examples=25, deadline=None)
def test_level_weights_keep_their_sums_under_the_preconditioner(seed, links):
    rng = np.random.default_rng(seed)
    mean = np.array([0.0, 0.2, 0.0, 0.3, 0.5, 0.1])
    a, v, q = rng.random(6) + 0.1, rng.random(links) + 0.1, rng.normal(size=6 * links)
    groups, other = np.array([[1, 5]]), rng.normal(size=6 * links)
    even = links > 1
    w = kernels.precondition(a, v, mean, groups, even, q.copy()).reshape(6, links)
    np.testing.assert_allclose(w[[1, 3, 4]].sum(0), 0.0, atol=1e-9)  # row 2 is a cell without rows
    if even:
        np.testing.assert_allclose(w.sum(1), 0.0, atol=1e-9)
    back = kernels.precondition(a, v, mean, groups, even, other.copy())
    assert float(w.ravel() @ other) == pytest.approx(float(back @ q), abs=1e-9)  # symmetric
