"""Damaged text tables: how many are read right, repaired, set aside, refused or wrong?

    python benchmarks/damaged.py [files per table and kind]

The files are made by tests/support/polluted.py, from a shop's list and from real tables (the folder that
TALLYSTICK_DATA names; without it, from those of the package), with one kind of damage each; every cell is
compared with the clean table. Targets: wrong at most 0.5 %, refused at most 3 %, none wrong without a note.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from polluted import score, table_of  # it lies beside the tests

if __name__ == "__main__":
    print(table_of(score(int(sys.argv[1]) if len(sys.argv) > 1 else 13)))
