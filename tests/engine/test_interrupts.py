"""An interrupt ends any work, and leaves no thread and no file behind. How soon: benchmarks/interrupts.py."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).parents[1] / "support" / "endless_work.py"


@pytest.mark.parametrize("work", [["sums"], ["prepare", "2"], ["advance", "2"], ["work", "1"]], ids=" ".join)
@pytest.mark.parametrize("after", [0.0, 0.3])
def test_an_interrupt_ends_the_work_and_leaves_no_thread_and_no_file(tmp_path, work, after):
    command = [sys.executable, str(PROGRAM), *work]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path, text=True) as job:
        try:
            assert job.stdout.readline() == "ready\n"
            time.sleep(after)
            job.send_signal(signal.SIGINT)
            said, threads, _, rests = job.stdout.readline().split()
            assert (said, threads, rests) == ("interrupted", "1", "True")
            assert job.wait() == 0
        finally:
            job.kill()
    assert os.listdir(tmp_path) == []
