"""Law 1 on another processor: models and answers have the same bits with instruction sets switched off.

An emulated older processor and ARM take minutes: `tools/model_digests.py` prints the lines to compare there.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "model_digests.py"
SWITCHED_OFF = {
    "our own AVX2, FMA and AVX-512": {"TALLYSTICK_INSTRUCTIONS": "baseline"},
    "NumPy's": {"NPY_DISABLE_CPU_FEATURES": "X86_V4 X86_V3"},
    "OpenBLAS's": {"OPENBLAS_CORETYPE": "Prescott"},
}


def lines(**settings: str) -> list[str]:
    """Return what the script prints in a process with these settings."""
    run = [sys.executable, "-W", "ignore", str(SCRIPT)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **settings}
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the switches are those of x86-64 processors")
def test_models_and_answers_do_not_depend_on_instruction_sets():
    here = lines()
    assert len(here) >= 25
    every = {name: value for switch in SWITCHED_OFF.values() for name, value in switch.items()}
    assert lines(**every) == here
    for less in ("avx2", "avx512"):
        assert lines(TALLYSTICK_INSTRUCTIONS=less) == here
