"""One table, one model: the same bytes of a logistic regression for any order, threads, chunks and
instruction set, on every path a fit can take.
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

import tallystick as ts
from tallystick.table import table as table_room

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
            settings_["TALLYSTICK_INSTRUCTIONS"] = hidden
        command = [sys.executable, "-c", FIT, os.path.dirname(__file__)]
        return subprocess.run(command, env=settings_, capture_output=True, text=True, check=True).stdout

    assert run("") == run("baseline")
