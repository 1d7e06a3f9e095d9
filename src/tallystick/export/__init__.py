"""The model file and back, and what changed between two of them."""

from __future__ import annotations

from tallystick.export.file import from_bytes, read_file, refuse_other_bytes, save, to_bytes

__all__ = [
    "from_bytes",
    "read_file",
    "refuse_other_bytes",
    "save",
    "to_bytes",
]
