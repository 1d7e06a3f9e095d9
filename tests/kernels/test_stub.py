"""The committed types of the compiled module are those it has. To renew them, see the message."""

from __future__ import annotations

import pathlib
import subprocess
import sys

STUB = pathlib.Path(__file__).resolve().parents[2] / "src" / "tallystick" / "_kernels.pyi"
COMMAND = ["-m", "nanobind.stubgen", "-q", "-m", "tallystick._kernels", "-o"]


def test_the_committed_stub_is_the_generated_one(tmp_path):
    fresh = tmp_path / "_kernels.pyi"
    done = subprocess.run([sys.executable, *COMMAND, str(fresh)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    renew = f"the module has other types: run python {' '.join(COMMAND)} src/tallystick/_kernels.pyi"
    assert STUB.read_text() == fresh.read_text(), renew
