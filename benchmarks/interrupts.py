"""How much processor time passes from an interrupt to the end of the work.

    python benchmarks/interrupts.py

The program stands still while the signal is sent, so that what it did before is not counted.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / "tests" / "support" / "endless_work.py"
WORK = {"sums of 5M x 20": ["sums"], "a tree of 500k x 20": ["advance", "2"]}
MOMENTS = (0.1, 0.2, 0.4, 0.8, 1.6)  # seconds of work before the interrupt


def spent(pid: int) -> float:
    """Seconds of processor time that a process has had, once it stands still."""
    while (stat := Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split())[0] != "T":
        time.sleep(0.001)
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def interrupted(work: list[str], after: float) -> float:
    """Seconds of the processor from the signal to the answer."""
    with subprocess.Popen([sys.executable, str(PROGRAM), *work], stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout is not None
        job.stdout.readline()
        time.sleep(after)
        job.send_signal(signal.SIGSTOP)
        before = spent(job.pid)
        job.send_signal(signal.SIGINT)
        job.send_signal(signal.SIGCONT)
        return float(job.stdout.readline().split()[2]) - before


def figures() -> list[tuple[str, float]]:
    return [(f"{name}, seconds", max(interrupted(work, t) for t in MOMENTS)) for name, work in WORK.items()]


if __name__ == "__main__":
    for name, figure in figures():
        print(f"{name}: {figure:.3g}")
