"""The text of the device code, and what is said where there is nobody to run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gpu_twin import compiled

from tallystick.engines.gpu import source


@pytest.mark.slow
def test_without_a_gpu_or_cupy_the_error_is_one_line():
    code = (
        "import sys; sys.modules['cupy'] = None\n"
        "import tallystick as ts\n"
        "try: ts.NaiveBayes(engine=ts.Gpu()).fit([[1.0], [2.0], [1.0], [2.0]], [0, 1, 0, 1])\n"
        "except ts.TallyError as error: print(error)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ}, check=True
    )
    assert run.stdout.count("\n") == 1
    assert "pip install 'tallystick[gpu]'" in run.stdout


def test_the_shared_arithmetic_is_the_kernels_own():
    """exp and log of the device are those of the kernels: one text."""
    own = Path(__file__).parents[3] / "src/kernels/base/math.hpp"
    assert "inline double exp_of(double x)" in source.text()
    body = own.read_text()
    assert body[body.index("inline double exp_of") : body.index("struct Split")] in source.text()
    assert compiled() is not None
