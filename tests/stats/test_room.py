"""What cannot lie in memory is said before it is asked for: in a process that may have 3 GB of addresses."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tallystick.errors import DataError
from tallystick.io.scratch import memory
from tallystick.stats.exact import SMALL, refuse_beyond_memory

LIMIT = 3 << 30
FIT = """
import resource
resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
import numpy as np, tallystick as ts
labels = [f"c{{i % {classes}}}" for i in range({rows})]
numbers = np.random.default_rng(0).normal(size=({rows}, 3))
try:
    ts.{method}().fit(numbers, labels)
except ts.TallyError as error:
    print(error)
"""


def said(method: str, classes: int, rows: int) -> str:
    """Return what a fit says in a process of its own."""
    code = FIT.format(limit=LIMIT, method=method, classes=classes, rows=rows)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-1000:]
    return done.stdout


@pytest.mark.slow
def test_a_tree_of_many_classes_says_what_its_counts_would_take():
    told = "the counts of 20,000 classes in a tree of 20,000 leaves take about 56.6 GB of memory, and there"
    assert said("DecisionTree", 20_000, 40_000).startswith(f"{told} are 3 GB.")


@pytest.mark.slow
def test_values_by_many_classes_say_what_they_would_take():
    told = "the 8,192 values of a column by 20,000 classes take about 3.66 GB of memory, and there"
    assert said("NaiveBayes", 20_000, 40_000).startswith(f"{told} are 3 GB.")


def test_what_fits_is_not_refused_and_what_does_not_is():
    refuse_beyond_memory(SMALL, "they", "")
    with pytest.raises(DataError, match=r"they take about .* of memory, and there are .*\. Take fewer\."):
        refuse_beyond_memory(memory() + SMALL, "they", "Take fewer.")
