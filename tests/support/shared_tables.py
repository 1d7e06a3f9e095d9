"""Public tables that are not in the repository: found by TALLYSTICK_DATA; unset or empty means none.

This is the only place that reads the variable. A module with tests of such tables marks them `needs_data` and
asks for `shared(name)`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ["TALLYSTICK_DATA"]) if os.environ.get("TALLYSTICK_DATA") else None
WHY = "TALLYSTICK_DATA is not set: the public tables are not there"
needs_data = pytest.mark.skipif(FOLDER is None, reason=WHY)


def shared(name):
    """Return the path of a public table, such as "iris/iris", or skip."""
    if FOLDER is None:
        pytest.skip(WHY)
    return FOLDER / f"{name}.csv.gz"


def every_shared():
    """Return the paths of all public tables: none where the variable is not set."""
    return sorted(FOLDER.glob("*/*.csv.gz")) if FOLDER else []
