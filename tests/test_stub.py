"""The committed types of the compiled modules are those they have. To renew them, see the message."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parent.parent / "src" / "tallystick"


@pytest.mark.parametrize("name", ["_kernels", "_trees"])
def test_the_committed_stub_is_the_generated_one(name, tmp_path):
    command = ["-m", "nanobind.stubgen", "-q", "-m", f"tallystick.{name}", "-o"]
    fresh = tmp_path / f"{name}.pyi"
    done = subprocess.run([sys.executable, *command, str(fresh)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    renew = f"the module has other types: run python {' '.join(command)} src/tallystick/{name}.pyi"
    assert (FOLDER / f"{name}.pyi").read_text() == fresh.read_text(), renew
