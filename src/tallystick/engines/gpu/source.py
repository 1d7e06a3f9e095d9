"""The text of the device code: headers of this room, and the arithmetic that it shares with the kernels.

Knows where files lie. Knows nothing of devices. Law: whoever compiles the text, for a device or for a
processor, gets the same whole numbers.
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
PARTS = ("cells", "counts", "moments", "tree", "logistic", "predict")
SHARED = "kernels/base/math.hpp"  # exp, log and log2, one writing for processors and devices
NOT_OURS = re.compile(r"^\s*#\s*(include|pragma once).*$", re.MULTILINE)


def text(first: Path | None = None) -> str:
    """Return all of it. first: the header that comes before it, None for CUDA's."""
    paths = [first or HERE / "device" / "cuda.hpp", _shared(), *(HERE / "device" / f"{p}.hpp" for p in PARTS)]
    return "\n".join(_plain(path) for path in paths)


def _shared() -> Path:
    """Return where the shared header lies: within the package, or beside it in a source tree."""
    installed = HERE / SHARED
    return installed if installed.is_file() else HERE.parents[2] / SHARED


def _plain(path: Path) -> str:
    """Return a header without what it includes, which is all here."""
    return NOT_OURS.sub("", path.read_text(encoding="utf-8"))
