"""Odd tables, targets, weights and parameters by Python: one line of ours or an answer, see door_fuzz.py."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import door_fuzz
import pytest

pytestmark = pytest.mark.slow

SEEDS = 120


def tried(first: int, last: int, place: Path) -> None:
    """Try seeds in a process of their own, and say which one ended it."""
    run = [sys.executable, door_fuzz.__file__, str(first), str(last), str(place)]
    done = subprocess.run(run, capture_output=True, text=True, check=False, errors="backslashreplace")
    assert done.returncode == 0, f"seed {place.read_text()} ended the process: {done.stderr[-2000:]}"
    assert json.loads(done.stdout) == []


@pytest.mark.parametrize("first", range(0, 2 * SEEDS, SEEDS))
def test_nothing_given_by_python_leaves_a_foreign_error_or_ends_the_process(first, tmp_path):
    tried(first, first + SEEDS, tmp_path / "seed")


@pytest.mark.night
@pytest.mark.parametrize("first", range(10_000, 210_000, 1000))
def test_nothing_given_by_python_leaves_a_foreign_error_or_ends_the_process_at_length(first, tmp_path):
    tried(first, first + 1000, tmp_path / "seed")
