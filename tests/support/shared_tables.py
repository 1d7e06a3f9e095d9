"""Public tables that are not in the repository: found by TALLYSTICK_DATA, or the test is skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def shared(name):
    """Return the path of a public table, or skip."""
    folder = os.environ.get("TALLYSTICK_DATA")
    if not folder:
        pytest.skip("TALLYSTICK_DATA is not set: public tables are not at hand")
    return str(Path(folder) / f"{name}.csv.gz")
