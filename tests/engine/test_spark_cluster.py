"""Spark with executors of their own: one dies in the middle of a fit, slow tasks run twice."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).resolve().parents[1] / "support" / "spark_cluster.py"


def test_an_executor_killed_in_mid_fit_and_tasks_run_twice_change_no_bit():
    pytest.importorskip("pyspark")
    given = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [sys.executable, PROGRAM], capture_output=True, text=True, env=given, cwd=PROGRAM.parent, check=False
    )
    said = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
    assert done.returncode == 0, done.stderr[-3000:]
    assert said["killed"] == said["here"]
    assert said["gone"] == "1"  # one of the two
